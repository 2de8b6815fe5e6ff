// Changes of a piece's properties. A value is changed in all places that hold it; a property that the piece does not have is added to the
// style attribute of its main element.
import { startTag } from '../preview/inplace.js';
import { NAMES } from './kinds.js';
import { attribute, attributeText, declarations, firstTag, growth, isBlockName, isVariable, tagAround, written } from './sourcetext.js';

const STYLES = { background: 'background-color', color: 'color', align: 'text-align', padding: 'padding', radius: 'border-radius', width: 'width', height: 'height' };
const WORDS = { label: 'Label', link: 'Link', background: 'Background', color: 'Colour', source: 'Image', alt: 'Alt text', width: 'Width', height: 'Height',
  align: 'Alignment', padding: 'Padding', radius: 'Corners', name: 'Name' };
/** Attributes that hold a size without a unit. */
const SIZE = /^(?:width|height)$/;
const TAG = /\{\{\{?[^{}]*\}\}\}?/g;

/** The edits that give a property this value: {edits, select, says} or {problem}. */
export function valueChange(source, piece, property, given) {
  if (property === 'name') {
    return nameChange(source, piece, given);
  }
  const value = completed(property, given);
  const isStyle = property in STYLES;
  if (isStyle && /[;{}<>"\\]|\/\*/.test(value.replace(TAG, ''))) {
    return { problem: `${WORDS[property]} cannot contain ; { } < > " or \\.` };
  }
  if (/--!?>/.test(value.replace(TAG, '')) && property !== 'label' && property !== 'alt') {
    return { problem: `${WORDS[property] ?? property} cannot contain -->.` };
  }
  const ranges = piece.values?.[property] ?? [];
  if (ranges.length === 0) {
    return addition(source, piece, property, value);
  }
  if (isStyle && value === '') {
    return { problem: `Enter a value for ${WORDS[property].toLowerCase()}.` };
  }
  const edits = ranges.map(([from, to]) => ({ from, to, text: writtenAt(source, from, to, property, value) })).filter(({ from, to, text }) => source.slice(from, to) !== text);
  return changed(piece, property, edits);
}

/** A value as it was meant: lengths have a unit, and colours a #. */
function completed(property, value) {
  return property === 'padding' || property === 'radius' ? value.replace(/(?<!\S)(?!0+(?:\s|$))\d+(?:\.\d+)?(?!\S)/g, '$&px')
    : property === 'color' || property === 'background' ? value.replace(/^\s*([0-9a-f]{6})\s*$/i, '#$1') : value;
}

function changed({ kind, from, to }, property, edits) {
  const before = edits.filter(edit => edit.to <= from && edit.from < from);
  return { edits, select: { from: from + growth(before), to: to + growth(edits) }, says: `${NAMES[kind]}: ${WORDS[property].toLowerCase()} changed` };
}

/** A value as its place needs it: in a style with a unit, in an attribute without. */
function writtenAt(source, from, to, property, value) {
  const tag = property === 'label' ? null : tagAround(source, from);
  const holder = tag?.attributes.find(each => each.from <= from && to <= each.to);
  if (!holder) {
    return written(value);
  }
  const isStyle = holder.name === 'style';
  const sized = !SIZE.test(property) ? value : isStyle ? value.replace(/^\s*(\d+(?:\.\d+)?)\s*$/, '$1px') : value.replace(/^\s*(\d+)px\s*$/, '$1');
  const text = isStyle ? written(sized.replaceAll('"', "'"), holder.quote || '"') : written(sized, holder.quote || '"');
  return holder.quote === '' && /[\s"'=<>`]|^$/.test(text.replace(TAG, '')) ? `"${text}"` : text;
}

/** A tag that opens a condition or list, or includes a block: what is before the name, a helper or quote, and the rest. */
const NAMING_TAG = /(\{\{\{?~?\s*(?:[#^]|>)\s*)((?:if|unless|each|with)\s+|["'[])?([^{}]*)/g;

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

function addition(source, piece, property, value) {
  const main = piece.open && startTag(source, piece.open[0]);
  if (value === '' && property !== 'alt') {
    return changed(piece, property, []);
  }
  switch (property) {
    case 'label':
      return { problem: 'This label contains formatting. Change it in the preview.' };
    case 'link':
      return piece.kind === 'image' ? changed(piece, property, linkAround(piece, value)) : none(piece, property);
    case 'source': case 'alt':
      return piece.kind === 'image' && main ? changed(piece, property, [attributeEdit(source, piece.open[0], main, property === 'source' ? 'src' : 'alt', value)]) : none(piece, property);
    case 'align':
      return align(source, piece, main, value);
    case 'width':
      if (piece.kind === 'image' && main) {
        return changed(piece, property, [attributeEdit(source, piece.open[0], main, 'width', value.replace(/px$/, ''))]);
      }
  }
  return main && STYLES[property] ? changed(piece, property, [styleEdit(source, piece.open[0], main, STYLES[property], value)]) : none(piece, property);
}

function none(piece, property) {
  return { problem: `${NAMES[piece.kind]} has no ${(WORDS[property] ?? property).toLowerCase()} that can be changed here.` };
}

function linkAround({ open }, value) {
  return [{ from: open[0], to: open[0], text: `<a href="${written(value, '"')}">` }, { from: open[1], to: open[1], text: '</a>' }];
}

/** Alignment: of the text in it; of a button, an image or a table by what is around it, in the way that all mail clients know. */
function align(source, piece, main, value) {
  if (!/^(?:left|center|right)$/.test(value)) {
    return { problem: 'Alignment is left, center or right.' };
  }
  if (['text', 'heading', 'section', 'columns', 'imageText'].includes(piece.kind) && main) {
    return changed(piece, 'align', [styleEdit(source, piece.open[0], main, 'text-align', value)]);
  }
  const cell = isWide(source, startTag(source, piece.from)) && firstTag(source, piece.from, piece.to, ['td', 'th']);
  return changed(piece, 'align', cell ? [attributeEdit(source, cell.from, cell, 'align', value)]
    : [{ from: piece.from, to: piece.from, text: `<div align="${value}">` }, { from: piece.to, to: piece.to, text: '</div>' }]);
}

/** True for a row, and for a table with a width: their cells place what is in them. */
function isWide(source, tag) {
  return tag?.name === 'tr' || tag?.name === 'table' && (attribute(tag, 'width') || declarations(attributeText(source, tag, 'style')).some(({ name }) => name === 'width'));
}

function attributeEdit(source, at, tag, name, value) {
  const found = attribute(tag, name);
  const text = `"${written(value, '"')}"`;
  if (found) {
    return found.quote === null ? { from: found.nameEnd, to: found.nameEnd, text: '=' + text }
      : { from: found.from - found.quote.length, to: found.to + found.quote.length, text };
  }
  return { from: tag.nameEnd, to: tag.nameEnd, text: ` ${name}=${text}` };
}

/** Adds a declaration at the end of the style attribute, or a new one at the end of the tag. */
function styleEdit(source, at, tag, name, value) {
  const found = attribute(tag, 'style');
  const sized = SIZE.test(name) ? value.replace(/^\s*(\d+(?:\.\d+)?)\s*$/, '$1px') : value;
  const text = `${name}: ${sized};`;
  if (!found || found.quote === null) {
    const close = tag.end - (source[tag.end - 2] === '/' ? 2 : 1);
    const end = source.slice(at, close).trimEnd().length + at;
    return found ? { from: found.nameEnd, to: found.nameEnd, text: `="${written(text, '"')}"` } : { from: end, to: end, text: ` style="${written(text, '"')}"` };
  }
  const css = source.slice(found.from, found.to);
  if (found.quote === '') {
    return { from: found.from, to: found.to, text: `"${css}; ${written(text, '"')}"` };
  }
  const end = found.from + css.trimEnd().length;
  const separator = css.trim() === '' ? '' : css.trimEnd().endsWith(';') ? ' ' : '; ';
  return { from: end, to: end, text: separator + written(text, found.quote) };
}
