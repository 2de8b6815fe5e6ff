// Operations on the pieces of an email, as edits of its source. Each is minimal: bytes outside the edits stay as they are.
// `pieces` are those of the server's check for this very source. Each operation returns {edits: [{from, to, text}], select, says}, where
// `select` is a range of the new source, or {problem} with a sentence. Nothing here needs a DOM.
import { NAMES, htmlOf, lookOf, rowOf } from './kinds.js';
import { endsLine, firstTag, indentBefore, indented, isBalanced, isBlank, isBlockName, isVariable, lineEnd, parts, skipBlank, wholeLines } from './sourcetext.js';
import { valueChange } from './values.js';
import { formatChange, variableChange } from './textformat.js';

const COMMENT = /<!--(?!\[if|<!\[endif|>|->)[^]*?-->/g;

/** Applies edits to a source. */
export function apply(source, edits) {
  let text = '';
  let at = 0;
  for (const edit of inOrder(edits)) {
    text += source.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return text + source.slice(at);
}

/** Edits by place; those at one place keep their order. */
function inOrder(edits) {
  return edits.map((edit, i) => [edit, i]).sort(([one, i], [other, j]) => one.from - other.from || one.to - other.to || i - j).map(([edit]) => edit);
}

/** Throws an error unless `after` differs from `before` in the edits only. */
export function assertExact(before, edits, after) {
  let from = 0;
  let at = 0;
  for (const edit of [...inOrder(edits), { from: before.length, to: before.length, text: '' }]) {
    const kept = before.slice(from, edit.from);
    if (edit.from < from || edit.to < edit.from || !after.startsWith(kept, at) || !after.startsWith(edit.text, at + kept.length)) {
      throw new Error('The change is not exact.');
    }
    from = edit.to;
    at += kept.length + edit.text.length;
  }
  if (at !== after.length) {
    throw new Error('The change is not exact.');
  }
  return true;
}

/** Class and style of the first piece of each kind, so that new pieces look like them. */
export function look(source, pieces) {
  return lookOf(source, pieces);
}

const nameOf = piece => NAMES[piece.kind];

// ---- lists as units and gaps

/**
 * The pieces of a list with the comments that belong to them, and what is between them: {units: [{from, to}], gaps: [text]}. A comment
 * belongs to the piece that follows it, or to the one whose line it ends.
 */
function unitsOf(source, pieces, list) {
  const { from, to, pieces: indices } = pieces.list[list];
  const units = indices.map(index => ({ from: pieces.piece[index].from, to: pieces.piece[index].to }));
  for (let i = 0; i <= units.length; i++) {
    const before = units[i - 1];
    const behind = units[i];
    const begin = before?.to ?? from;
    for (const comment of source.slice(begin, behind?.from ?? to).matchAll(COMMENT)) {
      const place = begin + comment.index;
      const isOwn = isBlank(source.slice(before?.to ?? place, place));
      if (before && isOwn && (!source.slice(before.to, place).includes('\n') || /^<!--\s*(?:\/|end\b)/i.test(comment[0]))) {
        before.to = place + comment[0].length;
      } else if (behind && isBlank(source.slice(place, behind.from).replace(COMMENT, ''))) {
        behind.from = place;
        break;
      }
    }
  }
  return { units, gaps: units.slice(1).map((unit, i) => source.slice(units[i].to, unit.from)) };
}

function unitOf(source, pieces, index) {
  const list = pieces.list[pieces.piece[index].in];
  return unitsOf(source, pieces, pieces.piece[index].in).units[list.pieces.indexOf(index)];
}

/** Edits that take a piece out of its list, with the whitespace or the separator that becomes superfluous. */
function cut(source, pieces, index) {
  const list = pieces.list[pieces.piece[index].in];
  const { units, gaps } = unitsOf(source, pieces, pieces.piece[index].in);
  const i = list.pieces.indexOf(index);
  const isFree = gap => gap !== undefined && isBlank(gap.replace(/<!--\[if[^]*?<!\[endif\]-->/g, ''));
  if (isFree(gaps[i])) {
    return { from: units[i].from, to: units[i + 1].from, text: '' };
  }
  return isFree(gaps[i - 1]) ? { from: units[i - 1].to, to: units[i].to, text: '' } : { ...wholeLines(source, units[i]), text: '' };
}

/**
 * The edit that puts HTML into a list.
 *
 * @param html  lines that end with \n, or the source of a piece if `isExact`
 * @return {edit, at}: where the HTML begins in the edit's text
 */
function place(source, pieces, list, index, html, isExact = false) {
  const { units } = unitsOf(source, pieces, list);
  const end = lineEnd(source);
  const neighbour = units[Math.min(index, units.length - 1)];
  if (!neighbour) {
    return placeInEmpty(source, pieces.list[list], html, isExact);
  }
  const indent = indentBefore(source, neighbour.from);
  const text = isExact ? html : indented(html, indent ?? '', end);
  const gap = indent !== null ? end + indent : /^\{\{>/.test(html) ? end : ''; // beside a text, a shared block would be a part of it
  return index < units.length ? { edit: { from: neighbour.from, to: neighbour.from, text: text + gap }, at: 0, length: text.length }
    : { edit: { from: neighbour.to, to: neighbour.to, text: gap + text }, at: gap.length, length: text.length };
}

function placeInEmpty(source, { from, to }, html, isExact) {
  const end = lineEnd(source);
  const outer = indentBefore(source, lineStart(source, from)) !== null ? /^[ \t]*/.exec(source.slice(lineStart(source, from)))[0] : '';
  const hasLines = source.slice(from, to).includes('\n');
  const indent = outer + (outer.includes('\t') ? '\t' : '  ');
  const text = isExact ? html : indented(html, hasLines ? indent : outer, end);
  const gap = hasLines ? end + indent : '';
  return { edit: { from, to: from, text: gap + text }, at: gap.length, length: text.length };
}

function lineStart(source, at) {
  return source.lastIndexOf('\n', at - 1) + 1;
}

/** Number of cells in the rows of a list; 1 unless it is a table of data. */
function cellsOf(pieces, list) {
  const counts = pieces.list[list].pieces.filter(index => pieces.piece[index].kind === 'columns' || pieces.piece[index].kind === 'imageText')
    .map(index => pieces.list.filter(each => each.in === index).length);
  return Math.max(1, ...counts);
}

/** HTML in the form of a list: a row in a list of rows. */
function inForm(source, pieces, list, index, html) {
  if (pieces.list[list].form !== 'rows' || isRow(html)) {
    return html;
  }
  const indices = pieces.list[list].pieces;
  const plain = indices.filter(each => !['condition', 'list', 'block', 'columns', 'imageText', 'space', 'divider'].includes(pieces.piece[each].kind));
  const before = plain.filter(each => indices.indexOf(each) < index).at(-1);
  const neighbour = before ?? plain[0] ?? indices[0];
  return rowOf(source, html, neighbour === undefined ? null : pieces.piece[neighbour], cellsOf(pieces, list));
}

/** True for a row, also one inside sections or after comments. */
function isRow(html) {
  return /^(?:\s|<!--[^]*?-->|\{\{[#^][^{}]*\}\})*<tr[\s>]/i.test(html) || /^\s*\{\{>[^{}]*\}\}\s*$/.test(html);
}

function added({ edit, at, length }, says) {
  return { edits: [edit], select: { from: edit.from + at, to: edit.from + at + length }, says };
}

// ---- operations

/** Adds a new piece. @param options {label, href, src, alt, width, name, html} */
export function insert(source, pieces, { kind, list, index, look: given, options = {} }) {
  if (!NAMES[kind]) {
    return { problem: 'There is no such piece.' };
  }
  if (kind === 'block' && !isBlockName(options.name) || ['condition', 'list'].includes(kind) && !isVariable(options.name)) {
    return { problem: nameProblem(options.name) };
  }
  const html = htmlOf(kind, given ?? lookOf(source, pieces), options);
  const isSection = kind === 'condition' || kind === 'list';
  const inner = isSection && pieces.list[list].form === 'rows' ? sectionOfRows(source, pieces, list, index, kind, given, options) : inForm(source, pieces, list, index, html);
  return added(place(source, pieces, list, index, inner), `${NAMES[kind]} added`);
}

function sectionOfRows(source, pieces, list, index, kind, given, options) {
  const row = inForm(source, pieces, list, index, htmlOf('text', given ?? lookOf(source, pieces), { label: kind === 'list' ? '{{this}}' : undefined, ...options }));
  const [open, close] = sectionTags(kind, options.name);
  return `${open}\n  ${row.replaceAll('\n', '\n  ')}\n${close}`;
}

function sectionTags(kind, name) {
  return kind === 'list' ? [`{{#each ${name}}}`, '{{/each}}'] : [`{{#if ${name}}}`, '{{/if}}'];
}

function nameProblem(name) {
  return name ? `"${name}" cannot be a name here. Use letters, digits, _ and -, for example order.items.` : 'Enter a name.';
}

/** Moves a piece before the piece at `index` of a list, or to its end. */
export function move(source, pieces, { piece, list, index }) {
  const moved = pieces.piece[piece];
  const target = pieces.list[list];
  if (moved.in === list) {
    return moveWithin(source, pieces, piece, list, index);
  }
  if (target.form !== pieces.list[moved.in].form) {
    return { problem: target.form === 'rows' ? 'Only rows of a table can be moved here.' : 'A row of a table can be moved only among rows.' };
  }
  if (target.from >= moved.from && target.to <= moved.to) {
    return { problem: `${nameOf(moved)} cannot be moved into itself.` };
  }
  const unit = unitOf(source, pieces, piece);
  const text = source.slice(unit.from, unit.to);
  const taken = cut(source, pieces, piece);
  const put = place(source, pieces, list, index, isBare(source, moved) ? `<div>${text}</div>` : text, true);
  const shift = put.edit.from > taken.from ? taken.from - taken.to : 0;
  const from = put.edit.from + put.at + shift;
  return { edits: [taken, put.edit], select: { from, to: from + put.length }, says: `${nameOf(moved)} moved, ${index + 1} of ${target.pieces.length + 1}` };
}

/** True for a text without an element of its own, which another text beside it would join. */
function isBare(source, piece) {
  return piece.kind === 'text' && piece.content?.[0] === piece.from;
}

function moveWithin(source, pieces, piece, list, index) {
  const { units, gaps } = unitsOf(source, pieces, list);
  const i = pieces.list[list].pieces.indexOf(piece);
  const to = index > i ? index - 1 : index;
  const says = `${nameOf(pieces.piece[piece])} moved, ${to + 1} of ${units.length}`;
  const unit = source.slice(units[i].from, units[i].to);
  if (to === i) {
    return { edits: [], select: { from: pieces.piece[piece].from, to: pieces.piece[piece].to }, says };
  }
  const [first, last] = [Math.min(i, to), Math.max(i, to)];
  if (gaps.slice(first, last).every(isBlank)) {
    const gap = i < to ? gaps[i] : gaps[i - 1];
    const edits = i < to ? [{ from: units[i].from, to: units[i + 1].from, text: '' }, { from: units[to].to, to: units[to].to, text: gap + unit }]
      : [{ from: units[to].from, to: units[to].from, text: unit + gap }, { from: units[i - 1].to, to: units[i].to, text: '' }];
    const from = i < to ? units[to].to - unit.length : units[to].from;
    return { edits, select: { from, to: from + unit.length }, says };
  }
  // What is between the pieces, such as the cells that Outlook sees, stays where it is.
  const order = units.slice(first, last + 1);
  order.splice(to - first, 0, ...order.splice(i - first, 1));
  let text = '';
  let from = 0;
  order.forEach((each, k) => {
    from = each === units[i] ? units[first].from + text.length : from;
    text += source.slice(each.from, each.to) + (k < order.length - 1 ? gaps[first + k] : '');
  });
  return { edits: [{ from: units[first].from, to: units[last].to, text }], select: { from, to: from + unit.length }, says };
}

export function duplicate(source, pieces, { piece }) {
  const { from, to } = unitOf(source, pieces, piece);
  const indent = indentBefore(source, from);
  const gap = indent === null ? '' : lineEnd(source) + indent;
  const text = source.slice(from, to);
  const second = isBare(source, pieces.piece[piece]) ? `<div>${text}</div>` : text;
  return added({ edit: { from: to, to, text: gap + second }, at: gap.length, length: second.length }, `${nameOf(pieces.piece[piece])} duplicated`);
}

export function remove(source, pieces, { piece }) {
  return { edits: [cut(source, pieces, piece)], select: null, says: `${nameOf(pieces.piece[piece])} deleted` };
}

/** Puts a piece into a condition or a list. @param kind condition or list @param name of its variable */
export function wrap(source, pieces, { piece, with: kind, name }) {
  if (!isVariable(name)) {
    return { problem: nameProblem(name) };
  }
  const { from, to } = unitOf(source, pieces, piece);
  const [open, close] = sectionTags(kind, name);
  const indent = indentBefore(source, from);
  const gap = indent !== null && endsLine(source, to) ? lineEnd(source) + indent : '';
  const length = to - from + open.length + close.length + 2 * gap.length;
  return {
    edits: [{ from, to: from, text: open + gap }, { from: to, to, text: gap + close }], select: { from, to: from + length },
    says: `${nameOf(pieces.piece[piece])} is now in a ${kind === 'list' ? 'list' : 'condition'}`,
  };
}

/** Removes the tags of a condition or list and keeps what is inside. */
export function unwrap(source, pieces, { piece }) {
  const { kind, from, to, content } = pieces.piece[piece];
  if (kind !== 'condition' && kind !== 'list') {
    return { problem: 'Only a condition or a list can be removed around its content.' };
  }
  let depth = 0;
  for (const part of parts(source, content[0], content[1])) {
    depth += part.kind === 'open' ? 1 : part.kind === 'close' ? -1 : 0;
    if (depth === 0 && (part.kind === 'tag' && part.name === 'else' || /^\{\{~?\s*\^\s*~?\}\}$/.test(source.slice(part.from, part.to)))) {
      return { problem: `This ${NAMES[kind].toLowerCase()} has an {{else}}. Remove it in the HTML.` };
    }
  }
  const edits = [{ ...wholeLines(source, { from, to: content[0] }), text: '' },
    { ...wholeLines(source, { from: content[1], to }), text: '' }];
  const inner = skipBlank(source, content[0], content[1]);
  const end = content[1] - (source.slice(inner, content[1]).match(/\s*$/)[0].length);
  const shift = edits[0].from - edits[0].to;
  return { edits, select: { from: inner + shift, to: Math.max(inner, end) + shift }, says: `${NAMES[kind]} removed, its content is kept` };
}

/** Shows a shared block in the place of a piece. */
export function replaceByBlock(source, pieces, { piece, name }) {
  const { from, to } = pieces.piece[piece];
  const text = `{{> ${name}}}`;
  return isBlockName(name) ? { edits: [{ from, to, text }], select: { from, to: from + text.length }, says: `${nameOf(pieces.piece[piece])} replaced by ${name}` }
    : { problem: nameProblem(name) };
}

/** Sets a property in all places of the piece that hold it. @param property as in `values`, or `name` of a condition, list or block */
export function setValue(source, pieces, { piece, property, value }) {
  return valueChange(source, pieces.piece[piece], property, String(value));
}

/** Makes a range of a text bold, italic or a link, or no longer so. @param as strong, em or a */
export function format(source, pieces, { from, to, as, href = '' }) {
  return formatChange(source, pieces, { from, to, as, href });
}

/** Writes a variable in the place of a range of text. */
export function insertVariable(source, pieces, { from, to = from, name }) {
  return variableChange(source, from, to, name);
}

/** The HTML of a piece, for the clipboard. */
export function copy(source, pieces, { piece }) {
  const unit = unitOf(source, pieces, piece);
  return source.slice(unit.from, unit.to);
}

/** Adds HTML from the clipboard. */
export function paste(source, pieces, { html, list, index }) {
  return insertHtml(source, pieces, { html, list, index, says: 'Pasted' });
}

/** Adds HTML, in the form that the list needs. */
export function insertHtml(source, pieces, { html, list, index, says = 'HTML added' }) {
  const text = html.trim().replace(/\r\n?/g, '\n');
  if (text === '') {
    return { problem: 'There is nothing to add.' };
  }
  if (!isBalanced(text)) {
    return { problem: 'This HTML opens elements that it does not close, or closes others. Add it in the HTML.' };
  }
  const isRows = isRow(text) && firstTag(text, 0, text.length, ['tr']) !== null;
  const block = isRows && pieces.list[list].form === 'blocks'
    ? `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">\n  ${text.replaceAll('\n', '\n  ')}\n</table>` : text;
  return added(place(source, pieces, list, index, inForm(source, pieces, list, index, block)), says);
}
