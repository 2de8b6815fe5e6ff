// Formats times and sizes for display; the exact time is in the title.
import { html } from './dom.js';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en-GB',
  { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });
const dayOnly = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
/** Units, each with the number of them in the next: 30.44 days in the average month. */
const steps = [[60, 'second'], [60, 'minute'], [24, 'hour'], [30.44, 'day'], [12, 'month'], [Infinity, 'year']];

/** Shorter times read "just now". */
const NOW_SECONDS = 45;

/** Relative time: "3 minutes ago", "in 2 days"; "just now" below 45 seconds either way. @param now milliseconds since 1970 */
export function ago(iso, now = Date.now()) {
  let amount = (new Date(iso).getTime() - now) / 1000;
  if (Math.abs(amount) < NOW_SECONDS) {
    return 'just now';
  }
  for (const [inNext, unit] of steps) {
    if (Math.abs(amount) < inNext) {
      return relative.format(Math.round(amount), unit);
    }
    amount /= inNext;
  }
}

/** The exact time in the browser's time zone: "1 Nov 2026, 09:30 GMT". */
export function fullTime(iso) {
  return exact.format(new Date(iso));
}

/** A calendar date, `2026-11-01` as `1 Nov`. */
export function shortDay(date) {
  return dayOnly.format(new Date(date + 'T00:00:00Z'));
}

/** A time relative to now, whose title is the exact time. */
export function relativeTime(iso) {
  return html`<time datetime=${iso} title="${fullTime(iso)} (${iso})">${ago(iso)}</time>`;
}

/** A number of bytes: "512 B", "1.5 KiB", "2.25 MiB", "3.0 GiB". */
export function size(bytes) {
  if (bytes < 1 << 10) {
    return bytes + ' B';
  }
  if (bytes < 1 << 20) {
    return (bytes / (1 << 10)).toFixed(1) + ' KiB';
  }
  return bytes < 1 << 30 ? (bytes / (1 << 20)).toFixed(2) + ' MiB' : (bytes / (1 << 30)).toFixed(1) + ' GiB';
}
