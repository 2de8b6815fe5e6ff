// Usage in the current period by day, key and template, and recent 404, 403 and 429 responses.
import { html, svg, link, count, visuallyHidden, pageHead, table, numberColumn } from '../frame/dom.js';
import { get } from '../frame/server.js';
import { NEARLY_USED, planName } from './plans.js';
import { ago, shortDay, fullTime, relativeTime, share } from '../frame/time.js';

/** Maximum number of template rows; the server sends no more. */
const MAX_TEMPLATES = 1000;
/** Dimensions in SVG units: the width of a day, the space beside its bar, and the height of the chart and of the lowest bar. */
const DAY_WIDTH = 20;
const BAR_GAP = 3;
const CHART_HEIGHT = 150;
const MIN_BAR_HEIGHT = 1.5;
/** Width up to which the chart is drawn, in pixels per day. */
const MAX_DAY_PIXELS = 60;

export async function usagePage() {
  const usage = await get('/data/usage');
  const byTemplate = 'By template' + (usage.templates.length < MAX_TEMPLATES ? '' : ' (top 1,000 by requests)');
  return {
    title: 'Usage',
    content: html`
      ${pageHead('Usage')}
      ${warning(usage)}
      <div class="columns usage">
        ${period(usage)}
        <section class="card"><h2>By day (UTC)</h2>${chart(usage.days)}</section>
        ${requestsBy('By key', 'Key', usage.keys, one => one.name || 'a deleted key')}
        ${requestsBy(byTemplate, 'Template', usage.templates, ({ id }) => id ? templateLink(id) : 'unknown IDs')}
        ${misses(usage.misses)}
      </div>`,
  };
}

/** A warning if requests are rejected or soon will be; false otherwise. */
function warning({ plan, used, limit, end }) {
  if (plan === 'none') {
    return html`
      <p class="notice bad" role="alert">This account has no active plan, so every request returns 403. Ask an administrator to change the plan.</p>`;
  }
  if (used >= limit) {
    return html`
      <p class="notice bad" role="alert">This account has reached its request limit. Every request returns 429 until ${fullTime(end)}.</p>`;
  }
  return used >= NEARLY_USED * limit && html`
    <p class="notice" role="alert">
      This account has used ${share(used, limit)} of its request limit. Once the limit is reached, requests return 429 until ${fullTime(end)}.
    </p>`;
}

/** The use of the limit in this period. */
function period({ plan, used, limit, start, end, now, days }) {
  const missed = days.reduce((sum, one) => sum + one.missed, 0);
  const part = limit === 0 ? 1 : Math.min(1, used / limit);
  const bar = html`<div class="meter-bar ${part >= 1 ? 'full' : part >= NEARLY_USED ? 'high' : ''}"></div>`;
  bar.style.width = part * 100 + '%';
  return html`
    <section class="card">
      <h2>This period</h2>
      <p class="big"><b>${used.toLocaleString('en')}</b> of ${count(limit, 'request')}</p>
      <div class="meter" role="meter" aria-label="Requests used" aria-valuemin="0" aria-valuemax=${limit}
        aria-valuenow=${Math.min(used, limit)} aria-valuetext="${used} of ${limit}">${bar}</div>
      <p class="hint">
        ${planName(plan)}. This period started ${fullTime(start)} and ends ${fullTime(end)} (${ago(end, new Date(now).getTime())}).
      </p>
      <p class="hint">
        ${missed === 0 ? 'No requests returned 404.'
          : `${count(missed, 'request')} (${share(missed, used)}) returned 404 and counted toward the limit.`}
      </p>
    </section>`;
}

/** A bar chart by day, with the same numbers as a table for screen readers. */
function chart(days) {
  const highest = Math.max(0, ...days.map(one => one.ok + one.missed));
  return html`
    <p class="legend">
      <span class="key-ok">200 and 304</span> <span class="key-missed">404</span>
      <span class="hint">busiest day: ${count(highest, 'request')}</span>
    </p>
    ${drawing(days, axisMaximum(highest))}
    <table class="visually-hidden">
      <caption>Requests by day</caption>
      <thead><tr><th scope="col">Day</th><th scope="col">200 and 304</th><th scope="col">404</th></tr></thead>
      <tbody>${days.map(one => html`<tr><th scope="row">${one.day}</th><td>${one.ok}</td><td>${one.missed}</td></tr>`)}</tbody>
    </table>`;
}

/** The chart of at least one day. @param top number of requests at its top */
function drawing(days, top) {
  const marked = [...new Set([0, Math.floor((days.length - 1) / 2), days.length - 1])];
  const node = html`
    <div class="chart" aria-hidden="true">
      <div class="axis"><span>${top.toLocaleString('en')}</span><span>${(top / 2).toLocaleString('en')}</span><span>0</span></div>
      <svg ${{ viewBox: `0 0 ${days.length * DAY_WIDTH} ${CHART_HEIGHT}` }} preserveAspectRatio="none" class="bars">
        ${days.map((one, i) => bars(one, i * DAY_WIDTH, CHART_HEIGHT / top))}
      </svg>
      <div class="bar-days">${marked.map(i => html`<span>${shortDay(days[i].day)}</span>`)}</div>
    </div>`;
  node.style.maxWidth = Math.max(days.length, 2) * MAX_DAY_PIXELS + 'px';
  return node;
}

/** The bars of a day: requests that were answered, and above them those that returned 404. @param scale height of a request */
function bars({ day, ok, missed }, left, scale) {
  const bar = (below, number, kind) => number > 0 && svg`<rect ${{
    x: left + BAR_GAP, y: CHART_HEIGHT - scale * (below + number),
    width: DAY_WIDTH - 2 * BAR_GAP, height: Math.max(scale * number, MIN_BAR_HEIGHT), class: kind,
  }}/>`;
  return svg`
    <g>
      <title>${shortDay(day)}: ${ok} found, ${missed} not found</title>
      <rect ${{ x: left, y: 0, width: DAY_WIDTH, height: CHART_HEIGHT, class: 'slot' }}/>
      ${bar(0, ok, 'ok')}
      ${bar(ok, missed, 'missed')}
    </g>`;
}

/** A round number for the top of the axis: 2, 4, 10, 20, 40, 100 ... */
function axisMaximum(highest) {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 1)));
  return [2, 4, 10].map(each => each * power).find(each => each >= highest);
}

function templateLink(id) {
  return link('/templates/' + encodeURIComponent(id), html`<code>${id}</code>`);
}

/** Numbers of requests, such as those by key. @param name makes the name of a row */
function requestsBy(title, column, rows, name) {
  return html`
    <section class="card">
      <h2>${title}</h2>
      ${rows.length === 0 ? html`<p class="empty-line">No requests in this period.</p>`
        : table('small-list', [column, numberColumn('200, 304'), numberColumn('404')], rows.map(one => html`
          <tr>
            <th scope="row">${name(one)}</th>
            <td class="number">${one.ok.toLocaleString('en')}</td>
            <td class="number ${one.missed ? 'missed' : ''}">${one.missed.toLocaleString('en')}</td>
          </tr>`))}
    </section>`;
}

/** The latest requests that were not answered with a template. */
function misses(rows) {
  return html`
    <section class="card whole">
      <h2>Recent 404, 403 and 429 responses</h2>
      ${rows.length === 0 ? html`<p class="empty-line">None.</p>`
        : table('small-list misses', ['Last seen', 'Status', numberColumn('Times'), 'Template', 'Key', 'Hint'], rows.map(one => html`
          <tr>
            <td class="time">${relativeTime(one.at)}</td>
            <td><b class="status-${one.status}">${one.status}</b></td>
            <td class="number">${one.times.toLocaleString('en')}</td>
            <td><code>${one.template}</code></td>
            <td>${one.key ?? visuallyHidden('none')}</td>
            <td>${one.hint}</td>
          </tr>`))}
      <p class="hint">404 responses for templates count toward the limit; 403 and 429 responses do not. Manage API keys under
        ${link('/keys', 'Keys')}.</p>
    </section>`;
}
