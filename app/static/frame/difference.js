// Inline difference of two texts, by lines and words; long unchanged stretches are folded.
import { html, button, count, visuallyHidden } from './dom.js';
import { attempt } from './dialog.js';
import { jsdiff } from './library.js';
import { isCrlf } from './merge.js';
import { shownUnseen } from './unseen.js';

/** Unchanged lines shown around each change. */
const CONTEXT_LINES = 3;
// Comparing takes quadratic time and blocks the page, so these limits bound it.
/** With more changed lines, texts are compared as a whole. */
const MAX_CHANGED_LINES = 1000;
/** With more changed words and spaces, two lines are shown whole. */
const MAX_CHANGED_WORDS = 150;
/** Longer pairs of lines are shown whole. */
const MAX_PAIR_CHARACTERS = 4000;
/** Maximum total number of characters compared word by word. */
const MAX_COMPARED_CHARACTERS = 100000;
/** Lines are compared by words only if more than this part of the shorter one is the same; otherwise marks would cover most of both. */
const MIN_SAME = 1 / 4;
/** Fewer unchanged lines are not folded, because the fold would take as much space. */
const MIN_FOLDED = 3;
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
  const haveOtherEnds = isCrlf(before) !== isCrlf(after) && [before, after].every(text => text.includes('\n'));
  const endsOf = text => isCrlf(text) ? 'CRLF' : 'LF';
  const [old, now] = [before, after].map(text => isCrlf(text) ? text.replace(/\r\n/g, '\n') : text);
  const all = rowsOf(await jsdiff(), old, now);
  if (!isLine) {
    markUnended(all, old, now);
  }
  const rows = withFolds(all);
  const numberOf = kind => rows.filter(row => row.kind === kind).length;
  const label = `Changes from ${nameBefore} to ${nameAfter}`;
  const box = html`<div class="difference" tabindex="0" role="group" aria-label=${label}></div>`;
  appendRows(box, rows, 0);
  return html`
    <div>
      <p class="hint legend">
        <span class="minus">− ${count(numberOf('removed'), 'line')} in ${nameBefore}</span>
        <span class="plus">+ ${count(numberOf('added'), 'line')} in ${nameAfter}</span>
      </p>
      ${haveOtherEnds && html`<p class="notice">Line ends: ${endsOf(before)} in ${nameBefore}, ${endsOf(after)} in ${nameAfter}.</p>`}
      ${old === now ? html`<p class="hint">Nothing else differs.</p>` : box}
    </div>`;
}

/** Marks the last row of each text, unless it has a line end or is unchanged. */
function markUnended(rows, before, after) {
  for (const [text, kinds] of [[before, ['removed', 'same']], [after, ['added', 'same']]]) {
    const last = rows.findLast(row => kinds.includes(row.kind));
    if (last && last.kind !== 'same' && !text.endsWith('\n')) {
      last.isUnended = true;
    }
  }
}

/** Appends the rows from an index, at most a page of them, and a button for the rest. */
function appendRows(box, rows, from) {
  const to = from + PAGE_ROWS;
  box.append(...rows.slice(from, to).map(row => row.kind === 'fold' ? fold(row.rows, box) : line(row)));
  if (rows.length > to) {
    const more = button(`Show ${count(rows.length - to, 'more row')}`, () => {
      box.focus({ preventScroll: true }); // as this button goes
      more.remove();
      appendRows(box, rows, to);
    }, { class: 'fold' });
    box.append(more);
  }
}

/** The element of a row. */
function line(row) {
  const { kind, isUnended } = row;
  const contents = html`<span class="text">${textOf(row)}${isUnended && html` <span class="unended">no line end</span>`}</span>`;
  const sign = symbol => html`<span class="sign" aria-hidden="true">${symbol}</span>`;
  switch (kind) {
    case 'removed': return html`<del class="line removed">${sign('−')}${visuallyHidden('removed: ')}${contents}</del>`;
    case 'added': return html`<ins class="line added">${sign('+')}${visuallyHidden('added: ')}${contents}</ins>`;
    default: return html`<span class="line">${sign(' ')}${contents}</span>`;
  }
}

/** The text of a row; if it was compared by words, these are marked. */
function textOf({ kind, text, parts }) {
  if (kind === 'same') {
    return text;
  }
  if (parts === undefined) {
    return shownUnseen(text);
  }
  return parts.map((part, i) => {
    const shown = shownUnseen(part.value, { isWhole: i === parts.length - 1, isChanged: part.changed });
    return part.changed ? html`<mark>${shown}</mark>` : shown;
  });
}

/** A button in the place of rows, which it shows. @param box the difference, which then has the focus */
function fold(rows, box) {
  const label = '⋯ ' + count(rows.length, 'unchanged line');
  const opener = button(label, () => {
    box.focus({ preventScroll: true });
    opener.replaceWith(...rows.map(line));
  }, { class: 'fold' });
  return opener;
}

/** The lines of both texts as rows {kind, text}: 'same', 'removed' or 'added'. Changed rows may have parts, see {@link compareWords}. */
function rowsOf(Diff, before, after) {
  const parts = Diff.diffLines(before, after, { maxEditLength: MAX_CHANGED_LINES })
    ?? [{ removed: true, value: before }, { added: true, value: after }];
  const stretches = parts.map(({ removed, added, value }) => {
    const kind = removed ? 'removed' : added ? 'added' : 'same';
    return split(value).map(text => ({ kind, text }));
  });
  compareWords(Diff, stretches.flatMap((removed, i) => parts[i].removed && parts[i + 1]?.added ? pairs(removed, stretches[i + 1]) : []));
  return stretches.flat();
}

/** Pairs of removed and added rows in order, up to the shorter side. */
function pairs(removed, added) {
  return removed.slice(0, added.length).map((row, i) => [row, added[i]]);
}

function split(text) {
  const all = text.split('\n');
  if (all[all.length - 1] === '') {
    all.pop();
  }
  return all;
}

/** Gives each pair of similar rows its parts {value, changed}, as far as the limits allow. */
function compareWords(Diff, pairsOfRows) {
  let left = MAX_COMPARED_CHARACTERS;
  for (const [removed, added] of pairsOfRows) {
    const characters = removed.text.length + added.text.length;
    if (left > 0 && characters <= MAX_PAIR_CHARACTERS) {
      left -= characters;
      const words = Diff.diffWordsWithSpace(removed.text, added.text, { maxEditLength: MAX_CHANGED_WORDS }) ?? [];
      const same = words.filter(word => !word.added && !word.removed).reduce((sum, word) => sum + word.value.trim().length, 0);
      if (same > MIN_SAME * Math.min(removed.text.trim().length, added.text.trim().length)) {
        removed.parts = words.filter(word => !word.added).map(word => ({ value: word.value, changed: word.removed }));
        added.parts = words.filter(word => !word.removed).map(word => ({ value: word.value, changed: word.added }));
      }
    }
  }
}

/** The rows, with one row {kind: 'fold', rows} in place of each long stretch of unchanged lines, but for the lines next to a change. */
function withFolds(rows) {
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
    if (to - from >= MIN_FOLDED) {
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
 * @param name name of what the content is about
 * @param noun kind of content: "difference"
 * @param load resolves to the content; called once, or again after a failure. Clicks meanwhile do nothing
 * @return {opener, place}
 */
export function unfolding(name, noun, load) {
  const place = html`<div class="unfolded" hidden></div>`;
  let isLoading = false;

  async function toggle() {
    if (place.firstChild === null) {
      place.append(await load());
    }
    place.hidden = !place.hidden;
    opener.textContent = (place.hidden ? 'Show ' : 'Hide ') + noun;
    opener.setAttribute('aria-label', opener.textContent + ' of ' + name);
    opener.setAttribute('aria-expanded', String(!place.hidden));
  }

  const opener = button('Show ' + noun, async () => {
    if (!isLoading) {
      isLoading = true;
      await attempt(toggle);
      isLoading = false;
    }
  }, { class: 'small', 'aria-expanded': 'false', 'aria-label': `Show ${noun} of ${name}` });
  return { opener, place };
}
