// Changes of a piece's properties. A value is changed in all places that hold it; a property that the piece does not have is added to the
// style attribute of its main element.
import { startTag } from '../preview/inplace.js';
import { NAMES } from './kinds.js';
import { attribute, attributeEdit, attributeText, declarations, firstTag, growth, isBlockName, isVariable, tagAround, written } from './sourcetext.js';

const STYLES = { background: 'background-color', color: 'color', align: 'text-align', padding: 'padding', radius: 'border-radius', width: 'width', height: 'height' };
const WORDS = { label: 'Label', link: 'Link', background: 'Background', color: 'Colour', source: 'Image', alt: 'Alt text', width: 'Width', height: 'Height',
  align: 'Alignment', padding: 'Padding', radius: 'Corners', name: 'Name' };
/** Properties whose attributes hold a size without a unit. */
const SIZE = /^(?:width|height)$/;
const TAG = /\{\{\{?[^{}]*\}\}\}?/g;

/** The edits that give a property this value: {edits, select, status} or {problem}. */
export function valueChange(source, piece, property, given) {
  if (property === 'name') {
    return nameChange(source, piece, given);
  }
  const value = completed(property, given);
  const problem = valueProblem(property, value);
  if (problem !== null) {
    return { problem };
  }
  const ranges = piece.values?.[property] ?? [];
  if (ranges.length === 0) {
    return addition(source, piece, property, value);
  }
  if (property in STYLES && value === '') {
    return { problem: `Enter a value for ${WORDS[property].toLowerCase()}.` };
  }
  const edits = ranges.map(([from, to]) => ({ from, to, text: writtenAt(source, { from, to }, property, value) }));
  return changed(piece, property, edits.filter(({ from, to, text }) => source.slice(from, to) !== text));
}

/** The sentence about characters that a value cannot contain outside Handlebars tags, or null. */
function valueProblem(property, value) {
  const plain = value.replace(TAG, '');
  if (property in STYLES && /[;{}<>"\\]|\/\*/.test(plain)) {
    return `${WORDS[property]} cannot contain ; { } < > " or \\.`;
  }
  const isWords = property === 'label' || property === 'alt';
  return !isWords && /--!?>/.test(plain) ? `${WORDS[property] ?? property} cannot contain -->.` : null;
}

/** A value as it was meant: lengths have a unit, and colours a #. */
function completed(property, value) {
  switch (property) {
    case 'padding': case 'radius':
      return value.replace(/(?<!\S)(?!0+(?:\s|$))\d+(?:\.\d+)?(?!\S)/g, '$&px');
    case 'color': case 'background':
      return value.replace(/^\s*([0-9a-f]{6})\s*$/i, '#$1');
    default:
      return value;
  }
}

/** A number as a length in pixels; other sizes stay the same. */
function withUnit(size) {
  return size.replace(/^\s*(\d+(?:\.\d+)?)\s*$/, '$1px');
}

/** A whole number of pixels without its unit; other sizes stay the same. */
function withoutUnit(size) {
  return size.replace(/^\s*(\d+)px\s*$/, '$1');
}

/** The result of edits that change a property of a piece. Edits before the piece move it. */
function changed({ kind, from, to }, property, edits) {
  const before = edits.filter(edit => edit.to <= from && edit.from < from);
  return { edits, select: { from: from + growth(before), to: to + growth(edits) }, status: `${NAMES[kind]}: ${WORDS[property].toLowerCase()} changed` };
}

/** A value as its place needs it: in a style with a unit, in an attribute without. */
function writtenAt(source, { from, to }, property, value) {
  const tag = property === 'label' ? null : tagAround(source, from);
  const holder = tag?.attributes.find(each => each.from <= from && to <= each.to);
  if (!holder) {
    return written(value);
  }
  const quote = holder.quote || '"';
  const isStyle = holder.name === 'style';
  const sized = !SIZE.test(property) ? value : isStyle ? withUnit(value) : withoutUnit(value);
  const text = written(isStyle ? sized.replaceAll('"', "'") : sized, quote);
  const isToQuote = holder.quote === '' && /[\s"'=<>`]|^$/.test(text.replace(TAG, ''));
  return isToQuote ? `"${text}"` : text;
}

/** A tag that opens a condition or list, or includes a block: what is before the name, a helper or quote, and the rest. */
const NAMING_TAG = /(\{\{\{?~?\s*(?:[#^]|>)\s*)((?:if|unless|each|with)\s+|["'[])?([^{}]*)/g;

/** The edits that rename the variable of a condition or list, in both of its tags, or a shared block: as for `valueChange`. */
function nameChange(source, piece, value) {
  const name = value.trim();
  if (piece.kind === 'block' ? !isBlockName(name) : !isVariable(name)) {
    return { problem: 'Enter a name of letters, digits, _, - and dots.' };
  }
  if (!piece.name || !['condition', 'list', 'block'].includes(piece.kind)) {
    return { problem: 'Only conditions, lists and shared blocks have a name.' };
  }
  const open = source.slice(piece.from, piece.content?.[0] ?? piece.to); // may begin with a row and a cell around the tag
  const tag = [...open.matchAll(NAMING_TAG)].find(each => each[3].startsWith(piece.name) && !/^[\w.-]/.test(each[3].slice(piece.name.length)));
  if (!tag) {
    return { problem: 'This name can only be changed in the HTML.' };
  }
  const helper = tag[2] ?? '';
  const from = tag.index + tag[1].length + helper.length;
  const edits = [{ from: piece.from + from, to: piece.from + from + piece.name.length, text: name }];
  if (piece.content && helper === '') { // {{#items}} … {{/items}}
    const close = source.slice(piece.content[1], piece.to);
    const end = close.indexOf(piece.name);
    if (end < 0) {
      return { problem: 'This name can only be changed in the HTML.' };
    }
    edits.push({ from: piece.content[1] + end, to: piece.content[1] + end + piece.name.length, text: name });
  }
  return changed(piece, 'name', edits);
}

// ---- new properties

/** The edits that add a property which the piece does not have: {edits, select, status} or {problem}. */
function addition(source, piece, property, value) {
  const tag = piece.open ? startTag(source, piece.open[0]) : null;
  const main = tag && { ...tag, from: piece.open[0] };
  if (value === '' && property !== 'alt') {
    return changed(piece, property, []);
  }
  const isImage = piece.kind === 'image' && main !== null;
  switch (property) {
    case 'label':
      return { problem: 'This label contains formatting. Change it in the preview.' };
    case 'link':
      return isImage ? changed(piece, property, linkAround(piece, value)) : noProperty(piece, property);
    case 'source':
      return isImage ? changed(piece, property, [attributeEdit(main, 'src', value)]) : noProperty(piece, property);
    case 'alt':
      return isImage ? changed(piece, property, [attributeEdit(main, 'alt', value)]) : noProperty(piece, property);
    case 'align':
      return align(source, piece, main, value);
    case 'width':
      return isImage ? changed(piece, property, [attributeEdit(main, 'width', withoutUnit(value))])
        : addedStyle(source, { piece, main }, property, value);
    default:
      return addedStyle(source, { piece, main }, property, value);
  }
}

/** The edit that adds a property to the style of a piece's main element, or the problem that there is no such property. */
function addedStyle(source, { piece, main }, property, value) {
  return main && STYLES[property] ? changed(piece, property, [styleEdit(source, main, STYLES[property], value)]) : noProperty(piece, property);
}

function noProperty(piece, property) {
  return { problem: `${NAMES[piece.kind]} has no ${(WORDS[property] ?? property).toLowerCase()} that can be changed here.` };
}

/** The edits that put a link around an image. @param open range of its tag */
function linkAround({ open }, value) {
  return [{ from: open[0], to: open[0], text: `<a href="${written(value, '"')}">` }, { from: open[1], to: open[1], text: '</a>' }];
}

/** Alignment: of the text in it; of a button, an image or a table by what is around it, in the way that all mail clients know. */
function align(source, piece, main, value) {
  if (!/^(?:left|center|right)$/.test(value)) {
    return { problem: 'Alignment is left, center or right.' };
  }
  if (['text', 'heading', 'section', 'columns', 'imageText'].includes(piece.kind) && main) {
    return changed(piece, 'align', [styleEdit(source, main, 'text-align', value)]);
  }
  const cell = isWide(source, startTag(source, piece.from)) && firstTag(source, piece.from, piece.to, ['td', 'th']);
  return changed(piece, 'align', cell ? [attributeEdit(cell, 'align', value)]
    : [{ from: piece.from, to: piece.from, text: `<div align="${value}">` }, { from: piece.to, to: piece.to, text: '</div>' }]);
}

/** True for a row, and for a table with a width: their cells place what is in them. @param tag a start tag, or null */
function isWide(source, tag) {
  const hasWidth = () => attribute(tag, 'width') !== null || declarations(attributeText(source, tag, 'style')).some(({ name }) => name === 'width');
  return tag?.name === 'tr' || tag?.name === 'table' && hasWidth();
}

/** The edit that adds a declaration at the end of the style attribute, or a new one at the end of the tag. @param tag with its place, `from` */
function styleEdit(source, tag, name, value) {
  const found = attribute(tag, 'style');
  const text = `${name}: ${SIZE.test(name) ? withUnit(value) : value};`;
  if (found === null) {
    const close = tag.end - (source[tag.end - 2] === '/' ? 2 : 1);
    const end = tag.from + source.slice(tag.from, close).trimEnd().length;
    return { from: end, to: end, text: ` style="${written(text, '"')}"` };
  }
  if (found.quote === null) {
    return { from: found.nameEnd, to: found.nameEnd, text: `="${written(text, '"')}"` };
  }
  const css = source.slice(found.from, found.to);
  if (found.quote === '') {
    return { from: found.from, to: found.to, text: `"${css}; ${written(text, '"')}"` };
  }
  const end = found.from + css.trimEnd().length;
  const separator = css.trim() === '' ? '' : css.trimEnd().endsWith(';') ? ' ' : '; ';
  return { from: end, to: end, text: separator + written(text, found.quote) };
}
