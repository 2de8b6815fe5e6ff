// Operations on the pieces of an email, as edits of its source. Each is minimal: bytes outside the edits stay as they are.
// `pieces` are those of the server's check for this very source. Each operation returns {edits: [{from, to, text}], select, status}, where
// `select` is a range of the new source or null, or {problem} with a sentence. Nothing here needs a DOM.
import { NAMES, htmlOf, lookOf, rowOf } from './kinds.js';
import {
  endsLine, firstTag, indentBefore, indented, isBalanced, isBlank, isBlockName, isVariable, lineEnd, parts, skipBlank, wholeLines,
} from './sourcetext.js';
import { valueChange } from './values.js';
import { formatChange, variableChange } from './textformat.js';

const COMMENT = /<!--(?!\[if|<!\[endif|>|->)[^]*?-->/g;

/** Edits by place; those at one place keep their order. */
function inOrder(edits) {
  return edits.map((edit, i) => [edit, i]).sort(([one, i], [other, j]) => one.from - other.from || one.to - other.to || i - j).map(([edit]) => edit);
}

/** Throws an error unless `after` differs from `before` in the edits only. */
export function assertExact(before, edits, after) {
  let from = 0;
  let at = 0;
  for (const edit of [...inOrder(edits), { from: before.length, to: before.length, text: '' }]) {
    const same = before.slice(from, edit.from);
    if (edit.from < from || edit.to < edit.from || !after.startsWith(same, at) || !after.startsWith(edit.text, at + same.length)) {
      throw new Error('The change is not exact.');
    }
    from = edit.to;
    at += same.length + edit.text.length;
  }
  if (at !== after.length) {
    throw new Error('The change is not exact.');
  }
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
      const at = begin + comment.index;
      if (before && endsPiece(source, before.to, at, comment[0])) {
        before.to = at + comment[0].length;
      } else if (behind && isBlank(source.slice(at, behind.from).replace(COMMENT, ''))) {
        behind.from = at;
        break;
      }
    }
  }
  return { units, gaps: units.slice(1).map((unit, i) => source.slice(units[i].to, unit.from)) };
}

/** True for a comment that belongs to the piece before it: on the line where the piece ends, or one that marks an end. */
function endsPiece(source, end, at, comment) {
  const between = source.slice(end, at);
  return isBlank(between) && (!between.includes('\n') || /^<!--\s*(?:\/|end\b)/i.test(comment));
}

/** The units and gaps of a piece's list, and the piece's place among them: {units, gaps, i}. */
function unitsAround(source, pieces, index) {
  const list = pieces.piece[index].in;
  return { ...unitsOf(source, pieces, list), i: pieces.list[list].pieces.indexOf(index) };
}

/** A piece with the comments that belong to it: {from, to}. */
function unitOf(source, pieces, index) {
  const { units, i } = unitsAround(source, pieces, index);
  return units[i];
}

/** The edit that takes a piece out of its list, with the whitespace or the separator that becomes superfluous. */
function removal(source, pieces, index) {
  const { units, gaps, i } = unitsAround(source, pieces, index);
  const isFree = gap => gap !== undefined && isBlank(gap.replace(/<!--\[if[^]*?<!\[endif\]-->/g, ''));
  if (isFree(gaps[i])) {
    return { from: units[i].from, to: units[i + 1].from, text: '' };
  }
  return isFree(gaps[i - 1]) ? { from: units[i - 1].to, to: units[i].to, text: '' } : { ...wholeLines(source, units[i]), text: '' };
}

/**
 * The edit that puts HTML into a list.
 *
 * @param target {list, index, isExact}: `index` is that of the piece before which the HTML is put
 * @param html   lines that end with \n, or the source of a piece if `isExact`
 * @return {edit, at, length}: where the HTML begins in the edit's text, and how long it is there
 */
function insertion(source, pieces, { list, index, isExact = false }, html) {
  const { units } = unitsOf(source, pieces, list);
  const end = lineEnd(source);
  const neighbour = units[Math.min(index, units.length - 1)];
  if (!neighbour) {
    return insertionInEmpty(source, pieces.list[list], html, isExact);
  }
  const indent = indentBefore(source, neighbour.from);
  const text = isExact ? html : indented(html, indent ?? '', end);
  const gap = indent !== null ? end + indent : /^\{\{>/.test(html) ? end : ''; // beside a text, a shared block would be a part of it
  return index < units.length ? { edit: { from: neighbour.from, to: neighbour.from, text: text + gap }, at: 0, length: text.length }
    : { edit: { from: neighbour.to, to: neighbour.to, text: gap + text }, at: gap.length, length: text.length };
}

/** As `insertion`, into a list without pieces: within its tags, or on a line of its own if they are on two lines. */
function insertionInEmpty(source, { from, to }, html, isExact) {
  const end = lineEnd(source);
  const outer = /^[ \t]*/.exec(source.slice(lineStart(source, from)))[0];
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

/** Kinds whose rows are not what rows of words, buttons and images look like. */
const UNLIKE = ['condition', 'list', 'block', 'columns', 'imageText', 'space', 'divider'];

/** HTML in the form of a list: in a list of rows, a row like the one before its place. @param target {list, index} */
function inForm(source, pieces, { list, index }, html) {
  if (pieces.list[list].form !== 'rows' || fitsAmongRows(html)) {
    return html;
  }
  const indices = pieces.list[list].pieces;
  const plain = indices.filter(each => !UNLIKE.includes(pieces.piece[each].kind));
  const before = plain.filter(each => indices.indexOf(each) < index).at(-1);
  const neighbour = before ?? plain[0] ?? indices[0];
  return rowOf(source, html, neighbour === undefined ? null : pieces.piece[neighbour], cellsOf(pieces, list));
}

/** True for a row, also inside sections or after comments, and for a shared block, which may contain rows. */
function fitsAmongRows(html) {
  return /^(?:\s|<!--[^]*?-->|\{\{[#^][^{}]*\}\})*<tr[\s>]/i.test(html) || /^\s*\{\{>[^{}]*\}\}\s*$/.test(html);
}

/** Rows in a table of their own. */
function tableOf(rows) {
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">\n  ${rows.replaceAll('\n', '\n  ')}\n</table>`;
}

function added({ edit, at, length }, status) {
  return { edits: [edit], select: { from: edit.from + at, to: edit.from + at + length }, status };
}

// ---- operations

/**
 * Adds a new piece.
 *
 * @param kind    as for htmlOf
 * @param index   that of the piece before which it is added; the number of pieces for the end
 * @param look    from lookOf
 * @param options as for htmlOf
 */
export function insert(source, pieces, { kind, list, index, look = lookOf(source, pieces), options = {} }) {
  const isSection = kind === 'condition' || kind === 'list';
  const isNamed = isSection ? isVariable(options.name) : kind !== 'block' || isBlockName(options.name);
  if (!isNamed) {
    return { problem: nameProblem(options.name) };
  }
  const target = { list, index };
  if (isSection && pieces.list[list].form === 'rows') { // the rows are inside the section
    const text = htmlOf('text', look, { label: kind === 'list' ? '{{this}}' : undefined, ...options });
    const [open, close] = sectionTags(kind, options.name);
    const rows = inForm(source, pieces, target, text).replaceAll('\n', '\n  ');
    return added(insertion(source, pieces, target, `${open}\n  ${rows}\n${close}`), `${NAMES[kind]} added`);
  }
  return added(insertion(source, pieces, target, inForm(source, pieces, target, htmlOf(kind, look, options))), `${NAMES[kind]} added`);
}

function sectionTags(kind, name) {
  return kind === 'list' ? [`{{#each ${name}}}`, '{{/each}}'] : [`{{#if ${name}}}`, '{{/if}}'];
}

function nameProblem(name) {
  return name ? `"${name}" cannot be a name here. Use letters, digits, _ and -, for example order.items.` : 'Enter a name.';
}

/** Moves a piece before the piece at `index` of a list, or to its end if `index` is the number of its pieces. */
export function move(source, pieces, { piece, list, index }) {
  const moved = pieces.piece[piece];
  const target = pieces.list[list];
  if (moved.in === list) {
    return moveWithin(source, pieces, piece, index);
  }
  if (target.form !== pieces.list[moved.in].form) {
    return { problem: target.form === 'rows' ? 'Only rows of a table can be moved here.' : 'A row of a table can be moved only among rows.' };
  }
  if (target.from >= moved.from && target.to <= moved.to) {
    return { problem: `${nameOf(moved)} cannot be moved into itself.` };
  }
  const unit = unitOf(source, pieces, piece);
  const text = source.slice(unit.from, unit.to);
  const removed = removal(source, pieces, piece);
  const inserted = insertion(source, pieces, { list, index, isExact: true }, isBare(source, moved) ? `<div>${text}</div>` : text);
  const shift = inserted.edit.from > removed.from ? removed.from - removed.to : 0;
  const from = inserted.edit.from + inserted.at + shift;
  return {
    edits: [removed, inserted.edit], select: { from, to: from + inserted.length },
    status: `${nameOf(moved)} moved, ${index + 1} of ${target.pieces.length + 1}`,
  };
}

/** True for a text without an element of its own, which another text beside it would join. */
function isBare(source, piece) {
  return piece.kind === 'text' && piece.content?.[0] === piece.from;
}

/** Moves a piece before another of its list, or to the end. */
function moveWithin(source, pieces, piece, index) {
  const { from, to } = pieces.piece[piece];
  const { units, gaps, i } = unitsAround(source, pieces, piece);
  const next = index > i ? index - 1 : index;
  const areFree = gaps.slice(Math.min(i, next), Math.max(i, next)).every(isBlank);
  const status = `${nameOf(pieces.piece[piece])} moved, ${next + 1} of ${units.length}`;
  if (next === i) {
    return { edits: [], select: { from, to }, status };
  }
  return { ...areFree ? movedWithGap(source, units, i, next) : movedAmongGaps(source, units, i, next), status };
}

/**
 * The change that takes a unit out with the whitespace beside it, and puts both elsewhere: {edits, select}.
 *
 * @param i    index of the unit
 * @param next index that it gets
 */
function movedWithGap(source, units, i, next) {
  const unit = source.slice(units[i].from, units[i].to);
  if (i < next) {
    const gap = source.slice(units[i].to, units[i + 1].from);
    const from = units[next].to - unit.length;
    return {
      edits: [{ from: units[i].from, to: units[i + 1].from, text: '' }, { from: units[next].to, to: units[next].to, text: gap + unit }],
      select: { from, to: from + unit.length },
    };
  }
  const gap = source.slice(units[i - 1].to, units[i].from);
  const from = units[next].from;
  return {
    edits: [{ from, to: from, text: unit + gap }, { from: units[i - 1].to, to: units[i].to, text: '' }],
    select: { from, to: from + unit.length },
  };
}

/** As `movedWithGap`, but what is between the units, such as the cells that Outlook sees, stays where it is. */
function movedAmongGaps(source, units, i, next) {
  const [first, last] = [Math.min(i, next), Math.max(i, next)];
  const order = units.slice(first, last + 1);
  order.splice(next - first, 0, ...order.splice(i - first, 1));
  const begin = units[first].from;
  let text = '';
  let from = begin;
  order.forEach((each, k) => {
    from = each === units[i] ? begin + text.length : from;
    text += source.slice(each.from, each.to);
    text += k < order.length - 1 ? source.slice(units[first + k].to, units[first + k + 1].from) : '';
  });
  return { edits: [{ from: begin, to: units[last].to, text }], select: { from, to: from + units[i].to - units[i].from } };
}

/** Adds a copy of a piece after it. */
export function duplicate(source, pieces, { piece }) {
  const { from, to } = unitOf(source, pieces, piece);
  const indent = indentBefore(source, from);
  const gap = indent === null ? '' : lineEnd(source) + indent;
  const text = source.slice(from, to);
  const second = isBare(source, pieces.piece[piece]) ? `<div>${text}</div>` : text;
  return added({ edit: { from: to, to, text: gap + second }, at: gap.length, length: second.length }, `${nameOf(pieces.piece[piece])} duplicated`);
}

/** Deletes a piece. */
export function remove(source, pieces, { piece }) {
  return { edits: [removal(source, pieces, piece)], select: null, status: `${nameOf(pieces.piece[piece])} deleted` };
}

/** Puts a piece into a condition or a list. @param kind condition or list @param name of its variable */
export function wrap(source, pieces, { piece, kind, name }) {
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
    status: `${nameOf(pieces.piece[piece])} is now in a ${kind === 'list' ? 'list' : 'condition'}`,
  };
}

/** Removes the tags of a condition or list and keeps what is inside. */
export function unwrap(source, pieces, { piece }) {
  const { kind, from, to, content } = pieces.piece[piece];
  if (kind !== 'condition' && kind !== 'list') {
    return { problem: 'Only a condition or a list can be removed around its content.' };
  }
  if (hasElse(source, content)) {
    return { problem: `This ${NAMES[kind].toLowerCase()} has an {{else}}. Remove it in the HTML.` };
  }
  const edits = [{ ...wholeLines(source, { from, to: content[0] }), text: '' },
    { ...wholeLines(source, { from: content[1], to }), text: '' }];
  const inner = skipBlank(source, content[0], content[1]);
  const end = inner + source.slice(inner, content[1]).trimEnd().length;
  const shift = edits[0].from - edits[0].to;
  return { edits, select: { from: inner + shift, to: end + shift }, status: `${NAMES[kind]} removed, its content is kept` };
}

/** True if a section's content has an {{else}} or {{^}} that is not in another section. */
function hasElse(source, [begin, end]) {
  let depth = 0;
  for (const { kind, name, from, to } of parts(source, begin, end)) {
    depth += kind === 'open' ? 1 : kind === 'close' ? -1 : 0;
    const isElse = kind === 'tag' && (name === 'else' || /^\{\{~?\s*\^\s*~?\}\}$/.test(source.slice(from, to)));
    if (isElse && depth === 0) {
      return true;
    }
  }
  return false;
}

/** Shows a shared block in the place of a piece. */
export function replaceByBlock(source, pieces, { piece, name }) {
  if (!isBlockName(name)) {
    return { problem: nameProblem(name) };
  }
  return { ...replaced(pieces.piece[piece], `{{> ${name}}}`), status: `${nameOf(pieces.piece[piece])} replaced by ${name}` };
}

/** Replaces the HTML of a piece by what the user has typed; null if only line endings differ, which the user cannot type. */
export function replaceHtml(source, pieces, { piece, html }) {
  const { from, to } = pieces.piece[piece];
  const [old, typed] = [source.slice(from, to), html].map(text => text.replace(/\r\n?/g, '\n'));
  return old === typed ? null : { ...replaced({ from, to }, html), status: 'Code changed' };
}

function replaced({ from, to }, text) {
  return { edits: [{ from, to, text }], select: { from, to: from + text.length } };
}

/** Sets a property in all places of the piece that hold it. @param property as in `values`, or `name` of a condition, list or block */
export function setValue(source, pieces, { piece, property, value }) {
  return valueChange(source, pieces.piece[piece], property, String(value));
}

/** Formats a range of a text, as formatChange. @param as strong, em or a @param href address of a link */
export function format(source, pieces, { from, to, as, href }) {
  return formatChange(source, pieces, { from, to }, { as, href });
}

/** Writes a variable in the place of a range of text. */
export function insertVariable(source, pieces, { from, to, name }) {
  return variableChange(source, from, to, name);
}

/** The HTML of a piece, for the clipboard. */
export function htmlOfPiece(source, pieces, { piece }) {
  const unit = unitOf(source, pieces, piece);
  return source.slice(unit.from, unit.to);
}

/** Adds HTML, in the form that the list needs. */
export function insertHtml(source, pieces, { html, list, index, status = 'HTML added' }) {
  const text = html.trim().replace(/\r\n?/g, '\n');
  if (text === '') {
    return { problem: 'There is nothing to add.' };
  }
  if (!isBalanced(text)) {
    return { problem: 'This HTML opens elements that it does not close, or closes others. Add it in the HTML.' };
  }
  const isRows = fitsAmongRows(text) && firstTag(text, 0, text.length, ['tr']) !== null;
  const block = isRows && pieces.list[list].form === 'blocks' ? tableOf(text) : text;
  const target = { list, index };
  return added(insertion(source, pieces, target, inForm(source, pieces, target, block)), status);
}
