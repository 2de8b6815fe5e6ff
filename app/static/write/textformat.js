// Bold, italic, links and variables in a text. A change never crosses an element or a Handlebars tag.
import { startTag } from '../preview/inplace.js';
import { attributeEdit, attributeText, growth, isBalanced, isBlank, parts, written } from './sourcetext.js';

const SAME = { strong: ['strong', 'b'], em: ['em', 'i'], a: ['a'] };
const STATUS = { strong: ['Bold', 'No longer bold'], em: ['Italic', 'No longer italic'], a: ['Link set'] };
/** Characters before and behind a place that are searched for a token around it. */
const NEAR = 20_000;
/** A token other than a value or an entity. */
const MARKUP = /^<|^\{\{\{?~?\s*(?:[#^/]|else\b)/;
/** An {{else}} or {{^}}. */
const ELSE = /\{\{~?\s*(?:else\b|\^\s*~?\}\})/;
const TOKEN = /<!--[^]*?-->|\{\{\{?[^{}]*\}\}\}?|<\/?[a-zA-Z](?:"[^"]*"|'[^']*'|[^"'>])*>|&#?\w+;/g;

/**
 * Makes a range of a text bold or italic, or no longer so if it is; or makes it a link, or changes the address of the link around it.
 *
 * @param format {as, href}: `as` is strong, em or a, `href` the address of a link
 * @return {edits, select, status} or {problem}
 */
export function formatChange(source, pieces, { from, to }, format) {
  const content = Object.hasOwn(SAME, format.as) ? textAround(pieces, from, to)?.content : undefined;
  const range = content && wholeTokens(source, content, from, to);
  if (!range) {
    return { problem: 'Select words in one text.' };
  }
  const inside = source.slice(range.from, range.to);
  if (/<[a-zA-Z/!]/.test(inside) || !isBalanced(inside)) {
    return severalTextsChange(source, content, range, format);
  }
  const around = elementsAround(source, content, range);
  if (!around) {
    return { problem: 'The selection crosses an element. Select words without it.' };
  }
  const own = around.findLast(element => SAME[format.as].includes(element.name));
  if (!own) {
    return formatted(source, content, range, format);
  }
  if (format.as === 'a') {
    return hrefChange(source, own, format.href, range);
  }
  return own === around.at(-1) ? unformatted(source, own, range, format.as) : { problem: 'Remove the formatting inside it first.' };
}

/**
 * As formatChange, for a range with several texts, such as words on either side of a bold one. They become bold or italic in one element if
 * that is possible, else each that is not yet so. If all of them are, their formatting is removed.
 */
function severalTextsChange(source, content, range, format) {
  const { as } = format;
  const inside = source.slice(range.from, range.to);
  const tags = parts(source, range.from, range.to);
  if (tags.some(({ kind }) => ['open', 'close', 'comment'].includes(kind)) || ELSE.test(inside)) {
    return { problem: 'The selection contains a comment or a tag of a condition. Select words without them.' };
  }
  const isOwn = ({ name }) => SAME[as].includes(name);
  const texts = textsBetween(source, range, tags).map(text => ({ ...text, around: elementsAround(source, content, text) ?? [] }));
  const own = new Map(texts.flatMap(({ around }) => around.filter(isOwn).map(element => [element.from, element])));
  const isFormatted = ({ around }) => around.some(isOwn);
  const isWhole = isBalanced(inside) && elementsAround(source, content, range) !== null;
  const [link] = as === 'a' ? own.values() : [];
  if (link) {
    const isAround = link.inner <= range.from && range.to <= link.close;
    return isAround ? hrefChange(source, link, format.href, range) : { problem: 'The selection contains a link. Select words without it.' };
  }
  if (as === 'a' && !isWhole) {
    return { problem: 'The selection crosses an element. Select words without it.' };
  }
  if (texts.length > 0 && texts.every(isFormatted)) {
    const isAll = [...own.values()].every(element => isInside(source, element, range));
    return isAll ? withoutTags([...own.values()], range, as) : { problem: `Select all of the words that are ${as === 'em' ? 'italic' : 'bold'}.` };
  }
  return isWhole && own.size === 0 ? formatted(source, content, range, format) : eachFormatted(texts.filter(text => !isFormatted(text)), range, as);
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

/** The removal of these elements' tags; their contents stay. */
function withoutTags(elements, range, as) {
  const edits = elements.flatMap(({ from, inner, close, to }) => [{ from, to: inner, text: '' }, { from: close, to, text: '' }])
    .sort((one, other) => one.from - other.from);
  return { edits, select: rangeAfter(edits, range), status: STATUS[as][1] };
}

/** The change that makes each text bold or italic by itself. */
function eachFormatted(texts, range, as) {
  const edits = texts.flatMap(({ from, to }) => [{ from, to: from, text: `<${as}>` }, { from: to, to, text: `</${as}>` }]);
  return { edits, select: rangeAfter(edits, range), status: STATUS[as][0] };
}

/** The range after edits in it or at its ends, all of which it then contains. */
function rangeAfter(edits, { from, to }) {
  return { from: Math.min(from, ...edits.map(edit => edit.from)), to: Math.max(to, ...edits.map(edit => edit.to)) + growth(edits) };
}

/** The smallest text or heading that contains a range; undefined if there is none. */
function textAround(pieces, from, to) {
  const size = ({ content: [begin, end] }) => end - begin;
  return pieces.piece.filter(({ kind, content }) => (kind === 'text' || kind === 'heading') && content && content[0] <= from && to <= content[1])
    .sort((one, other) => size(one) - size(other))[0];
}

/**
 * The selection without surrounding whitespace, and with the whole of each Handlebars tag and entity that it touches; null if nothing else is
 * selected, or if an end is inside an element's tag.
 */
function wholeTokens(source, [begin, end], from, to) {
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
        return null;
      }
      first = Math.min(first, at);
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

/** The change that puts a range in an element; a bold or italic one beside it becomes longer instead. */
function formatted(source, content, { from, to }, { as, href }) {
  const open = as === 'a' ? `<a href="${written(href, '"')}"${linkStyle(source, content)}>` : `<${as}>`;
  const close = `</${as}>`;
  const joinsBefore = as !== 'a' && source.slice(content[0], from).endsWith(close);
  const joinsBehind = as !== 'a' && source.slice(to, content[1]).startsWith(open);
  const edits = [
    joinsBefore ? { from: from - close.length, to: from, text: '' } : { from, to: from, text: open },
    joinsBehind ? { from: to, to: to + open.length, text: '' } : { from: to, to, text: close },
  ];
  const shift = joinsBefore ? -close.length : open.length;
  return { edits, select: { from: from + shift, to: to + shift }, status: STATUS[as][0] };
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
  return { edits, select: { from: from + shift, to: to + shift }, status: STATUS[as][1] };
}

/** The change of a link's address. @param range what stays selected, in the link */
function hrefChange(source, link, href, range) {
  const edit = attributeEdit(startTag(source, link.from), 'href', href);
  const shift = edit.text.length - (edit.to - edit.from);
  return { edits: [edit], select: { from: range.from + shift, to: range.to + shift }, status: STATUS.a[0] };
}

/** Writes {{name}} in the place of a range of text: {edits, select, status}, or {problem} if the range is in a tag or contains one. */
export function variableChange(source, from, to, name) {
  if (!/^[^{}<>"]+$/.test(name ?? '')) {
    return { problem: 'Choose a variable.' };
  }
  const begin = Math.max(0, from - NEAR);
  const tokens = [...source.slice(begin, to + NEAR).matchAll(TOKEN)].map(({ 0: token, index }) => {
    const at = begin + index;
    return { token, at, behind: at + token.length };
  });
  const splitsToken = tokens.some(({ at, behind }) => [from, to].some(place => at < place && place < behind));
  const hasMarkup = tokens.some(({ token, at, behind }) => at >= from && behind <= to && MARKUP.test(token));
  if (splitsToken || hasMarkup) {
    return { problem: 'A variable can be added only in text.' };
  }
  const text = `{{${name}}}`;
  return { edits: [{ from, to, text }], select: { from: from + text.length, to: from + text.length }, status: `${text} added` };
}
