// Two texts side by side in one column: what went, what came, word by word; long unchanged stretches folded.
import { element, button, count, unseen } from './dom.js';
import { textDifference } from './library.js';

/** Lines left around each change. */
const around = 3;
// Finding a difference takes time with the square of what changed, and the page waits for it, so it is bounded.
/** More changed lines than this are compared as a whole. */
const most = 1000;
/** Lines with more changed words and blanks than this are shown whole, and so are all from some length on. */
const mostWords = 150;
const mostCharacters = 4000;
/** Characters of changed lines that are compared word by word, in all. */
const compared = 100000;
/** Rows shown before one asks for more. */
const screenful = 1500;

/** What changes from one {subject, html} to another; `names` are the words for the two. */
export async function differences(before, after, names = ['before', 'after']) {
  return element('div', { class: 'differences' },
    before.subject !== undefined && before.subject !== after.subject
      && [element('h3', {}, 'Subject'), await difference(before.subject, after.subject, names)],
    element('h3', {}, 'HTML'), await difference(before.html, after.html, names));
}

export async function difference(before, after, names = ['before', 'after']) {
  if (before === after) {
    return element('p', { class: 'hint same' }, 'No difference.');
  }
  const Diff = await textDifference();
  const rows = folded(lines(Diff, before, after));
  const changed = rows.filter(row => row.kind !== 'same' && row.kind !== 'fold');
  const box = element('div', { class: 'difference', tabindex: '0', role: 'group',
    'aria-label': `Difference from ${names[0]} to ${names[1]}` });
  const removed = changed.filter(row => row.kind === 'removed').length;
  const summary = element('p', { class: 'hint legend' },
    element('span', { class: 'minus' }, '− ' + count(removed, 'line') + ' of ' + names[0]), ' ',
    element('span', { class: 'plus' }, '+ ' + count(changed.length - removed, 'line') + ' of ' + names[1]));
  show(box, rows, 0);
  return element('div', {}, summary, box);
}

function show(box, rows, from) {
  box.append(...rows.slice(from, from + screenful).map(row => row.kind === 'fold' ? fold(row.rows) : line(row)));
  if (rows.length > from + screenful) {
    const more = button(`Show ${count(rows.length - from - screenful, 'more row')}`, () => {
      more.remove();
      show(box, rows, from + screenful);
    }, { class: 'fold' });
    box.append(more);
  }
}

function line(row) {
  const sign = { removed: '−', added: '+', same: ' ' }[row.kind];
  const tag = { removed: 'del', added: 'ins', same: 'span' }[row.kind];
  return element(tag, { class: 'line ' + row.kind },
    element('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
    row.kind === 'same' ? null : unseen(row.kind + ': '),
    element('span', { class: 'text' }, row.parts
      ? row.parts.map(part => part.changed ? element('mark', {}, part.value) : part.value) : row.text));
}

function fold(rows) {
  const opener = button('⋯ ' + count(rows.length, 'unchanged line'), () => opener.replaceWith(...rows.map(line)), { class: 'fold' });
  return opener;
}

function lines(Diff, before, after) {
  const room = { left: compared };
  const parts = Diff.diffLines(before, after, { maxEditLength: most })
    ?? [{ removed: true, value: before }, { added: true, value: after }];
  const rows = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    const next = parts[i + 1];
    if (part.removed && next?.added) {
      rows.push(...paired(Diff, split(part.value), split(next.value), room));
      i++;
    } else {
      const kind = part.removed ? 'removed' : part.added ? 'added' : 'same';
      rows.push(...split(part.value).map(text => ({ kind, text })));
    }
  }
  return rows;
}

function split(text) {
  const all = text.split('\n');
  if (all[all.length - 1] === '') {
    all.pop();
  }
  return all.map(one => one.replace(/\r/g, '␍'));
}

/** A changed stretch: its lines are compared in pairs, in their order, as far as there are as many of both. */
function paired(Diff, before, after, room) {
  const removed = before.map(text => ({ kind: 'removed', text }));
  const added = after.map(text => ({ kind: 'added', text }));
  for (let i = 0; i < Math.min(before.length, after.length) && room.left > 0; i++) {
    const characters = before[i].length + after[i].length;
    if (characters > mostCharacters) {
      continue;
    }
    room.left -= characters;
    const words = Diff.diffWordsWithSpace(before[i], after[i], { maxEditLength: mostWords }) ?? [];
    const same = words.filter(word => !word.added && !word.removed).reduce((sum, word) => sum + word.value.trim().length, 0);
    if (same * 4 > Math.min(before[i].length, after[i].length)) {
      removed[i].parts = words.filter(word => !word.added).map(word => ({ value: word.value, changed: word.removed }));
      added[i].parts = words.filter(word => !word.removed).map(word => ({ value: word.value, changed: word.added }));
    }
  }
  return [...removed, ...added];
}

function folded(rows) {
  const shown = [];
  for (let i = 0; i < rows.length;) {
    if (rows[i].kind !== 'same') {
      shown.push(rows[i++]);
      continue;
    }
    let end = i;
    while (end < rows.length && rows[end].kind === 'same') {
      end++;
    }
    const from = i === 0 ? 0 : i + around;
    const to = end === rows.length ? end : end - around;
    if (to - from > 2) {
      shown.push(...rows.slice(i, from), { kind: 'fold', rows: rows.slice(from, to) }, ...rows.slice(to, end));
    } else {
      shown.push(...rows.slice(i, end));
    }
    i = end;
  }
  return shown;
}
