// Formats times, sizes and shares for display; the exact time is in the title.
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
    const shown = Math.round(amount);
    if (Math.abs(shown) < inNext) { // so that 59.6 seconds are not 60
      return relative.format(shown, unit);
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
  const [kib, mib] = [(bytes / (1 << 10)).toFixed(1), (bytes / (1 << 20)).toFixed(2)];
  return kib < 1024 ? kib + ' KiB' : mib < 1024 ? mib + ' MiB' : (bytes / (1 << 30)).toFixed(1) + ' GiB';
}

/** "under 0.1%", "4.2%", "42%"; rounded down, so that only the whole is 100%. */
export function share(part, whole) {
  const perMille = part === 0 ? 0 : 1000 * part / whole;
  if (perMille > 0 && perMille < 1) {
    return 'under 0.1%';
  }
  return (perMille > 0 && perMille < 100 ? (Math.floor(perMille) / 10).toFixed(1) : Math.floor(perMille / 10)) + '%';
}
