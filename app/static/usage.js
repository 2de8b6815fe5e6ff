// What the present period has used, day by day, by key and by template; and the requests that missed.
import { element, drawing, link, count, unseen } from './dom.js';
import { get } from './server.js';
import { ago, day, full, when } from './time.js';

export async function usagePage() {
  const usage = await get('/data/usage');
  const missed = usage.days.reduce((sum, one) => sum + one.missed, 0);
  return {
    title: 'Usage',
    content: [
      element('div', { class: 'head' }, element('h1', { tabindex: '-1' }, 'Usage')),
      warning(usage),
      element('div', { class: 'columns usage' },
        element('section', { class: 'card' }, element('h2', {}, 'This period'), meter(usage),
          element('p', { class: 'hint' }, `Plan ${usage.plan}. The period began ${full(usage.start)} and ends ${full(usage.end)} (${ago(usage.end, new Date(usage.now).getTime())}).`),
          element('p', { class: 'hint' }, missed === 0 ? 'No request was answered with 404.'
            : `${count(missed, 'request')} (${share(missed, usage.used)}) answered with 404: they count, too.`)),
        element('section', { class: 'card' }, element('h2', {}, 'By day'), days(usage.days)),
        table('By key', 'Key', usage.keys, one => one.name || 'a key that was deleted'),
        table('By template' + (usage.templates.length < 1000 ? '' : ': the 1,000 with the most requests'), 'Template', usage.templates, one => one.id ? element('code', {}, one.id) : 'ids of no template'),
        misses(usage.misses)),
    ],
  };
}

function share(part, whole) {
  return whole === 0 ? '0 %' : (100 * part / whole).toFixed(part * 100 < whole * 10 ? 1 : 0) + ' %';
}

function warning({ used, limit, end }) {
  if (used >= limit) {
    return element('p', { class: 'notice bad', role: 'alert' }, `The limit is reached: every request is answered with 429 until ${full(end)}.`);
  }
  return used >= 0.8 * limit
    ? element('p', { class: 'notice', role: 'alert' }, `${share(used, limit)} of the limit is used. When it is reached, requests are answered with 429 until ${full(end)}.`)
    : null;
}

function meter({ used, limit }) {
  const part = limit === 0 ? 1 : Math.min(1, used / limit);
  const bar = element('div', { class: 'meter-bar' + (part >= 1 ? ' full' : part >= 0.8 ? ' high' : '') });
  bar.style.width = part * 100 + '%';
  return element('div', {},
    element('p', { class: 'big' }, element('b', {}, used.toLocaleString('en')), ' of ' + count(limit, 'request')),
    element('div', { class: 'meter', role: 'meter', 'aria-label': 'Requests used', 'aria-valuemin': '0', 'aria-valuemax': String(limit),
      'aria-valuenow': String(Math.min(used, limit)), 'aria-valuetext': `${used} of ${limit}` }, bar));
}

/** A bar a day; the same numbers as a table for who does not see it. */
function days(all) {
  const highest = Math.max(0, ...all.map(one => one.ok + one.missed));
  const slot = 20;
  const height = 150;
  const tall = number => highest === 0 ? 0 : number / highest * height;
  const bars = all.map((one, i) => {
    const bar = (from, number, kind) => number > 0
      && drawing('rect', { x: i * slot + 3, y: height - tall(from + number), width: slot - 6, height: Math.max(tall(number), 1.5), class: kind });
    return drawing('g', {},
      drawing('title', {}, `${day(one.day)}: ${one.ok} found, ${one.missed} not found`),
      drawing('rect', { x: i * slot, y: 0, width: slot, height, class: 'slot' }),
      bar(0, one.ok, 'ok'), bar(one.ok, one.missed, 'missed'));
  });
  const marks = [...new Set([0, Math.floor((all.length - 1) / 2), all.length - 1])].filter(i => i >= 0);
  const chart = element('div', { class: 'chart', 'aria-hidden': 'true' },
    drawing('svg', { viewBox: `0 0 ${all.length * slot} ${height}`, preserveAspectRatio: 'none', class: 'bars' }, bars),
    element('div', { class: 'bar-days' }, marks.map(i => element('span', {}, day(all[i].day)))));
  chart.style.maxWidth = Math.max(all.length, 2) * 60 + 'px';
  return element('div', {},
    element('p', { class: 'legend' }, element('span', { class: 'key-ok' }, '200 and 304'), ' ', element('span', { class: 'key-missed' }, '404'),
      element('span', { class: 'hint' }, `highest day: ${count(highest, 'request')}`)),
    chart,
    element('table', { class: 'unseen' }, element('caption', {}, 'Requests by day'),
      element('thead', {}, element('tr', {}, ['Day', '200 and 304', '404'].map(name => element('th', { scope: 'col' }, name)))),
      element('tbody', {}, all.map(one => element('tr', {}, element('th', { scope: 'row' }, one.day), element('td', {}, String(one.ok)), element('td', {}, String(one.missed)))))));
}

function table(title, column, all, name) {
  return element('section', { class: 'card' }, element('h2', {}, title), all.length === 0
    ? element('p', { class: 'empty-line' }, 'No requests in this period.')
    : element('table', { class: 'small-list' },
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, column), ['200', '404'].map(head => element('th', { scope: 'col', class: 'number' }, head)))),
      element('tbody', {}, all.map(one => element('tr', {}, element('th', { scope: 'row' }, name(one)),
        element('td', { class: 'number' }, one.ok.toLocaleString('en')), element('td', { class: 'number' + (one.missed ? ' missed' : '') }, one.missed.toLocaleString('en')))))));
}

function misses(all) {
  return element('section', { class: 'card whole' }, element('h2', {}, 'Lately refused or missed'), all.length === 0
    ? element('p', { class: 'empty-line' }, 'None: every request found its template.')
    : element('table', { class: 'small-list misses' },
      element('thead', {}, element('tr', {}, ['When', 'Status', 'Template', 'Key', 'Hint'].map(head => element('th', { scope: 'col' }, head)))),
      element('tbody', {}, all.map(one => element('tr', {},
        element('td', { class: 'time' }, when(one.at)), element('td', {}, element('b', { class: 'status-' + one.status }, String(one.status))),
        element('td', {}, element('code', {}, one.template)), element('td', {}, one.key ?? unseen('none')), element('td', {}, one.hint ?? ''))))),
  element('p', { class: 'hint' }, 'A 404 counts, a 429 does not. ', link('/keys', 'Keys'), ' shows what each key asked for.'));
}
