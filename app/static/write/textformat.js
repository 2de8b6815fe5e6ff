// Bold, italic, links and variables in a text. A change never crosses an element or a Handlebars tag.
import { startTag } from '../preview/inplace.js';
import { attributeText, growth, isBalanced, isBlank, parts, written } from './sourcetext.js';

const SAME = { strong: ['strong', 'b'], em: ['em', 'i'], a: ['a'] };
const SAYS = { strong: ['Bold', 'No longer bold'], em: ['Italic', 'No longer italic'], a: ['Link set', 'Link removed'] };
/** Characters before and behind a place that are searched for a token around it. */
const NEAR = 20_000;
/** A token other than a value or an entity. */
const MARKUP = /^<|^\{\{\{?~?\s*(?:[#^/]|else\b)/;
const TOKEN = /<!--[^]*?-->|\{\{\{?[^{}]*\}\}\}?|<\/?[a-zA-Z](?:"[^"]*"|'[^']*'|[^"'>])*>|&#?\w+;/g;

/** @param as strong, em or a */
export function formatChange(source, pieces, { from, to, as, href }) {
  const piece = textAround(pieces, from, to);
  if (!piece || !SAME[as]) {
    return { problem: 'Select words in one text.' };
  }
  const range = wholeWords(source, piece.content, from, to);
  if (!range) {
    return { problem: 'Select words in one text.' };
  }
  const inside = source.slice(range.from, range.to);
  if (/<[a-zA-Z/!]/.test(inside) || !isBalanced(inside)) {
    return severalTexts(source, piece.content, range, as, href);
  }
  const around = elementsAround(source, piece.content, range);
  if (!around) {
    return { problem: 'The selection crosses an element. Select words without it.' };
  }
  const own = around.findLast(element => SAME[as].includes(element.name));
  if (own && as === 'a' && href !== '') {
    return hrefChange(source, own, href, range);
  }
  if (own && own !== around.at(-1)) {
    return { problem: 'Remove the formatting inside it first.' };
  }
  return own ? unformatted(source, own, range, as) : as === 'a' && href === '' ? { edits: [], select: range, says: 'Nothing changed' } : formatted(source, piece.content, range, as, href);
}

/**
 * Formats a range with several texts, such as words on either side of a bold one: in one element if that is possible, else each text that
 * is not formatted yet. If all of them are, their formatting is removed.
 */
function severalTexts(source, content, range, as, href) {
  const tags = parts(source, range.from, range.to);
  if (tags.some(({ kind }) => kind === 'open' || kind === 'close' || kind === 'comment') || /\{\{~?\s*(?:else\b|\^\s*~?\}\})/.test(source.slice(range.from, range.to))) {
    return { problem: 'The selection contains a comment or a tag of a condition. Select words without them.' };
  }
  const texts = textsBetween(source, range, tags).map(text => ({ ...text, around: elementsAround(source, content, text) ?? [] }));
  const own = new Map(texts.flatMap(({ around }) => around.filter(({ name }) => SAME[as].includes(name)).map(element => [element.from, element])));
  const isFormatted = ({ around }) => around.some(({ name }) => SAME[as].includes(name));
  const isWhole = isBalanced(source.slice(range.from, range.to)) && elementsAround(source, content, range) !== null;
  if (as === 'a' && (own.size > 0 || !isWhole)) {
    return { problem: own.size > 0 ? 'The selection contains a link. Select words without it.' : 'The selection crosses an element. Select words without it.' };
  }
  if (texts.length > 0 && texts.every(isFormatted)) {
    return [...own.values()].some(element => !isInside(source, element, range)) ? { problem: `Select all of the words that are ${as === 'em' ? 'italic' : 'bold'}.` }
      : withoutTags([...own.values()], range, as);
  }
  if (as === 'a' && href === '') {
    return { edits: [], select: range, says: 'Nothing changed' };
  }
  return isWhole && own.size === 0 ? formatted(source, content, range, as, href) : eachFormatted(texts.filter(text => !isFormatted(text)), range, as);
}

/** The texts between tags, without surrounding whitespace; empty ones are left out. */
function textsBetween(source, range, tags) {
  const isElement = ({ kind }) => kind === 'start' || kind === 'end' || kind === 'empty';
  const edges = [{ to: range.from }, ...tags.filter(isElement), { from: range.to }];
  return edges.slice(1).map((edge, i) => {
    const text = source.slice(edges[i].to, edge.from);
    return { from: edges[i].to + text.length - text.trimStart().length, to: edge.from - text.length + text.trimEnd().length };
  }).filter(({ from, to }) => from < to);
}

/** True if all words of an element are in a range. */
function isInside(source, { inner, close }, { from, to }) {
  return isBlank(source.slice(inner, Math.max(inner, from))) && isBlank(source.slice(Math.min(close, to), close));
}

function withoutTags(elements, range, as) {
  const edits = elements.flatMap(({ from, inner, close, to }) => [{ from, to: inner, text: '' }, { from: close, to, text: '' }]).sort((one, other) => one.from - other.from);
  return { edits, select: moved(range, edits), says: SAYS[as][1] };
}

function eachFormatted(texts, range, as) {
  const edits = texts.flatMap(({ from, to }) => [{ from, to: from, text: `<${as}>` }, { from: to, to, text: `</${as}>` }]);
  return { edits, select: moved(range, edits), says: SAYS[as][0] };
}

/** A range after edits, which contains those at its ends. */
function moved({ from, to }, edits) {
  return { from: Math.min(from, ...edits.map(edit => edit.from)), to: Math.max(to, ...edits.map(edit => edit.to)) + growth(edits) };
}

function textAround(pieces, from, to) {
  return pieces.piece.filter(piece => piece.content && (piece.kind === 'text' || piece.kind === 'heading') && piece.content[0] <= from && to <= piece.content[1])
    .sort((one, other) => one.content[1] - one.content[0] - (other.content[1] - other.content[0]))[0] ?? null;
}

/** The selection without surrounding whitespace, and with the whole of each tag and entity that it touches; null if nothing is selected. */
function wholeWords(source, [begin, end], from, to) {
  let first = from;
  let last = to;
  while (first < last && /\s/.test(source[first])) {
    first++;
  }
  while (last > first && /\s/.test(source[last - 1])) {
    last--;
  }
  if (first === last) {
    return null;
  }
  for (const match of source.slice(begin, end).matchAll(TOKEN)) {
    const at = begin + match.index;
    const behind = at + match[0].length;
    if (at < first && first < behind || at < last && last < behind) {
      if (match[0][0] === '<') {
        return null; // in the middle of an element's tag
      }
      first = Math.min(first, Math.max(at, begin));
      last = Math.max(last, behind);
    }
  }
  return { from: first, to: last };
}

/** The elements open at a range, outermost first: [{name, from, inner, close, to}]; null if one of them does not contain all of it. */
function elementsAround(source, [begin, end], range) {
  const open = [];
  const around = [];
  for (const part of parts(source, begin, end)) {
    if (part.kind === 'start') {
      open.push({ name: part.name, from: part.from, inner: part.to });
    } else if (part.kind === 'end') {
      const element = open.pop();
      if (element?.name !== part.name) {
        return null;
      }
      if (element.inner <= range.from && range.to <= part.from) {
        around.unshift({ ...element, close: part.from, to: part.to });
      } else if (element.from < range.to && range.from < part.to && !(range.from <= element.from && part.to <= range.to)) {
        return null;
      }
    }
  }
  return around;
}

function formatted(source, content, { from, to }, as, href) {
  const open = as === 'a' ? `<a href="${written(href, '"')}"${linkStyle(source, content)}>` : `<${as}>`;
  const edits = [];
  const joinsBefore = as !== 'a' && source.slice(content[0], from).endsWith(`</${as}>`);
  const joinsBehind = as !== 'a' && source.slice(to, content[1]).startsWith(`<${as}>`);
  const close = `</${as}>`;
  edits.push(joinsBefore ? { from: from - close.length, to: from, text: '' } : { from, to: from, text: open });
  edits.push(joinsBehind ? { from: to, to: to + open.length, text: '' } : { from: to, to, text: close });
  const shift = joinsBefore ? -close.length : open.length;
  return { edits, select: { from: from + shift, to: to + shift }, says: SAYS[as][0] };
}

/** The style of the first link of this text, so that links in it look alike. */
function linkStyle(source, content) {
  const link = parts(source, content[0], content[1]).find(part => part.kind === 'start' && part.name === 'a');
  const style = link && attributeText(source, link.tag, 'style').replaceAll('"', "'");
  return style ? ` style="${style}"` : '';
}

/** Takes a range out of an element: what is left of it on either side keeps its tag. */
function unformatted(source, element, { from, to }, as) {
  const open = source.slice(element.from, element.inner);
  const close = source.slice(element.close, element.to);
  const left = source.slice(element.inner, from);
  const right = source.slice(to, element.close);
  const edits = [
    isBlank(left) ? { from: element.from, to: element.inner, text: '' } : { from, to: from, text: close },
    isBlank(right) ? { from: element.close, to: element.to, text: '' } : { from: to, to, text: open },
  ];
  const shift = isBlank(left) ? -open.length : close.length;
  return { edits, select: { from: from + shift, to: to + shift }, says: SAYS[as][1] };
}

function hrefChange(source, link, href, range) {
  const tag = startTag(source, link.from);
  const attribute = tag.attributes.find(each => each.name === 'href');
  const text = written(href, attribute?.quote || '"');
  const edit = !attribute || attribute.quote === null ? { from: tag.nameEnd, to: tag.nameEnd, text: ` href="${text}"` }
    : { from: attribute.from, to: attribute.to, text: attribute.quote === '' ? `"${text}"` : text };
  const shift = edit.text.length - (edit.to - edit.from);
  return { edits: [edit], select: { from: range.from + shift, to: range.to + shift }, says: SAYS.a[0] };
}

/** Writes {{name}} in the place of a range of text. */
export function variableChange(source, from, to, name) {
  if (!/^[^{}<>"]+$/.test(name ?? '')) {
    return { problem: 'Choose a variable.' };
  }
  const begin = Math.max(0, from - NEAR);
  const tokens = [...source.slice(begin, to + NEAR).matchAll(TOKEN)].map(({ 0: token, index }) => ({ token, at: begin + index, behind: begin + index + token.length }));
  const isCut = tokens.some(({ at, behind }) => [from, to].some(place => at < place && place < behind));
  const isMore = tokens.some(({ token, at, behind }) => at >= from && behind <= to && MARKUP.test(token));
  if (isCut || isMore) {
    return { problem: 'A variable can be added only in text.' };
  }
  const text = `{{${name}}}`;
  return { edits: [{ from, to, text }], select: { from: from + text.length, to: from + text.length }, says: `${text} added` };
}
