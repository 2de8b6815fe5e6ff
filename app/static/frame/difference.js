// Inline difference of two texts, by lines and words; long unchanged stretches are folded.
import { html, button, count, visuallyHidden } from './dom.js';
import { attempt } from './dialog.js';
import { textDifference } from './library.js';
import { isCrlf } from './merge.js';
import { shownUnseen } from './unseen.js';

/** Unchanged lines shown around each change. */
const CONTEXT_LINES = 3;
// Comparing takes quadratic time and blocks the page, so these limits bound it.
/** With more changed lines, texts are compared as a whole. */
const MAX_CHANGED_LINES = 1000;
/** With more changed words and spaces, lines are shown whole. */
const MAX_CHANGED_WORDS = 150;
/** Longer pairs of lines are shown whole. */
const MAX_PAIR_CHARACTERS = 4000;
/** Maximum total number of characters compared word by word. */
const MAX_COMPARED_CHARACTERS = 100000;
/** Rows shown initially. */
const PAGE_ROWS = 1500;

/** True for the text of a draft or version, {subject, html}; false for that of a shared block, {html}. */
export const hasSubject = text => text.subject !== undefined;

/** Differences between two {subject, html} or two {html}. @param names labels of the two texts */
export async function differences(before, after, names) {
  return html`
    <div class="differences">
      ${await subjectDifference(before, after, names)}
      <h3>HTML</h3>
      ${await difference(before.html, after.html, names)}
    </div>`;
}

/** The difference between two subjects under a heading; false if there is none. */
export const subjectDifference = async (before, after, names) => hasSubject(before) && before.subject !== after.subject
  && [html`<h3>Subject</h3>`, await difference(before.subject, after.subject, names, { isLine: true })];

/**
 * Line differences of two texts. If most line ends differ, they are named once and not compared.
 *
 * @param names  labels of the two texts
 * @param isLine true for texts of one line, which has no end
 */
export async function difference(before, after, [nameBefore, nameAfter], { isLine = false } = {}) {
  if (before === after) {
    return html`<p class="hint">No differences.</p>`;
  }
  const hasEnds = [before, after].every(text => text.includes('\n'));
  const ends = hasEnds && isCrlf(before) !== isCrlf(after) && [before, after].map(text => isCrlf(text) ? 'CRLF' : 'LF');
  const [old, now] = [before, after].map(text => isCrlf(text) ? text.replace(/\r\n/g, '\n') : text);
  const all = lines(await textDifference(), old, now);
  if (!isLine) {
    markUnended(all, old, now);
  }
  const rows = folded(all);
  const numberOf = kind => rows.filter(row => row.kind === kind).length;
  const label = `Changes from ${nameBefore} to ${nameAfter}`;
  const box = html`<div class="difference" tabindex="0" role="group" aria-label=${label}></div>`;
  show(box, rows, 0);
  return html`
    <div>
      <p class="hint legend">
        <span class="minus">− ${count(numberOf('removed'), 'line')} in ${nameBefore}</span>
        <span class="plus">+ ${count(numberOf('added'), 'line')} in ${nameAfter}</span>
      </p>
      ${ends && html`<p class="notice">Line ends: ${ends[0]} in ${nameBefore}, ${ends[1]} in ${nameAfter}.</p>`}
      ${old === now ? html`<p class="hint">Nothing else differs.</p>` : box}
    </div>`;
}

/** Marks the last row of a text that has no line end. */
function markUnended(rows, before, after) {
  for (const [text, kinds] of [[before, ['removed', 'same']], [after, ['added', 'same']]]) {
    const last = rows.findLast(row => kinds.includes(row.kind));
    if (last && last.kind !== 'same' && !text.endsWith('\n')) {
      last.isUnended = true;
    }
  }
}

function show(box, rows, from) {
  const to = from + PAGE_ROWS;
  box.append(...rows.slice(from, to).map(row => row.kind === 'fold' ? fold(row.rows) : line(row)));
  if (rows.length > to) {
    const more = button(`Show ${count(rows.length - to, 'more row')}`, () => {
      more.remove();
      show(box, rows, to);
    }, { class: 'fold' });
    box.append(more);
  }
}

function line({ kind, text, parts, isUnended }) {
  const words = kind === 'same' ? text : parts?.map((part, i) => {
    const shown = shownUnseen(part.value, { isWhole: i === parts.length - 1, isChanged: part.changed });
    return part.changed ? html`<mark>${shown}</mark>` : shown;
  }) ?? shownUnseen(text);
  const contents = html`<span class="text">${words}${isUnended && html` <span class="unended">no line end</span>`}</span>`;
  const sign = symbol => html`<span class="sign" aria-hidden="true">${symbol}</span>`;
  return kind === 'removed' ? html`<del class="line removed">${sign('−')}${visuallyHidden('removed: ')}${contents}</del>`
    : kind === 'added' ? html`<ins class="line added">${sign('+')}${visuallyHidden('added: ')}${contents}</ins>`
      : html`<span class="line">${sign(' ')}${contents}</span>`;
}

function fold(rows) {
  const label = '⋯ ' + count(rows.length, 'unchanged line');
  const opener = button(label, () => opener.replaceWith(...rows.map(line)), { class: 'fold' });
  return opener;
}

function lines(Diff, before, after) {
  const budget = { characters: MAX_COMPARED_CHARACTERS };
  const parts = Diff.diffLines(before, after, { maxEditLength: MAX_CHANGED_LINES })
    ?? [{ removed: true, value: before }, { added: true, value: after }];
  const rows = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    const next = parts[i + 1];
    if (part.removed && next?.added) {
      rows.push(...paired(Diff, split(part.value), split(next.value), budget));
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
  return all;
}

/** Pairs changed lines in order, up to the shorter side, and compares each pair. */
function paired(Diff, before, after, budget) {
  const removed = before.map(text => ({ kind: 'removed', text }));
  const added = after.map(text => ({ kind: 'added', text }));
  for (let i = 0; i < Math.min(before.length, after.length) && budget.characters > 0; i++) {
    const characters = before[i].length + after[i].length;
    if (characters > MAX_PAIR_CHARACTERS) {
      continue;
    }
    budget.characters -= characters;
    const words = Diff.diffWordsWithSpace(before[i], after[i], { maxEditLength: MAX_CHANGED_WORDS }) ?? [];
    const same = words.filter(word => !word.added && !word.removed).reduce((sum, word) => sum + word.value.trim().length, 0);
    if (same * 4 > Math.min(before[i].trim().length, after[i].trim().length)) {
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
    const from = i === 0 ? 0 : i + CONTEXT_LINES;
    const to = end === rows.length ? end : end - CONTEXT_LINES;
    if (to - from > 2) {
      shown.push(...rows.slice(i, from), { kind: 'fold', rows: rows.slice(from, to) }, ...rows.slice(to, end));
    } else {
      shown.push(...rows.slice(i, end));
    }
    i = end;
  }
  return shown;
}

/** A new text, without a text to compare it to. */
export function newText({ subject, html: source }) {
  return html`
    <div class="differences">
      ${subject && [html`<h3>Subject</h3>`, html`<p class="source">${subject}</p>`]}
      <h3>HTML</h3>
      <pre class="source" tabindex="0" role="group" aria-label="HTML">${source}</pre>
    </div>`;
}

/**
 * A button that shows and hides content.
 *
 * @param name subject of the content
 * @param noun kind of content: "difference"
 * @param load resolves to the content; called once
 * @return {opener, place}
 */
export function unfolding(name, noun, load) {
  const place = html`<div class="unfolded" hidden></div>`;
  const opener = button('Show ' + noun, () => attempt(async () => {
    if (place.firstChild === null) {
      place.append(await load());
    }
    place.hidden = !place.hidden;
    opener.textContent = (place.hidden ? 'Show ' : 'Hide ') + noun;
    opener.setAttribute('aria-label', opener.textContent + ' of ' + name);
    opener.setAttribute('aria-expanded', String(!place.hidden));
  }), { class: 'small', 'aria-expanded': 'false', 'aria-label': `Show ${noun} of ${name}` });
  return { opener, place };
}
