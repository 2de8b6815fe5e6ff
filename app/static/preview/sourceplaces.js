// Finds places in an email's source, from preview marks or the cursor.
import { moved, startTag, unitsOf } from './inplace.js';

const END_TAG = /<\/[a-zA-Z][^<>]*>/y;

/**
 * The place of a mark in the current text: {kind, from, to}, {block}, or null. Kinds: e (element's start tag), t (text), v
 * (filled-in value).
 *
 * @param made text from which the marked preview was made
 */
export function placeOf(mark, made, present) {
  const block = /^b ([A-Za-z0-9][A-Za-z0-9_-]{0,63})$/.exec(mark ?? '');
  if (block) {
    return { block: block[1] };
  }
  const [, kind, begins, ends] = /^([etv]) (\d{1,9}) (\d{1,9})$/.exec(mark ?? '') ?? [];
  const from = kind && moved(made, present, Number(begins));
  const end = kind && moved(made, present, Number(ends) - 1);
  return !kind || from === null || end === null || end < from ? null : { kind, from, to: end + 1 };
}

/** The text or element at the cursor: {place, element, isText}; places are null if there is none. */
export function placeAt(text, cursor) {
  let before = text.lastIndexOf('<', cursor);
  if (before === cursor && !startTag(text, before)) {
    before = text.lastIndexOf('<', cursor - 1); // at the end of a text
  }
  const tag = before < 0 ? null : startTag(text, before);
  const end = before < 0 ? 0 : tag?.end ?? endOfEndTag(text, before);
  const element = tag && { kind: 'e', from: before, to: tag.end };
  const rest = end >= 0 && cursor >= end ? /^[^<]*/.exec(text.slice(end))[0] : '';
  const isText = rest.trim() !== '';
  const begin = end + rest.length - rest.trimStart().length;
  return { place: isText ? { kind: 't', from: begin, to: end + rest.length } : element, element, isText };
}

/** End of the end tag that begins here; -1 if there is none. */
function endOfEndTag(text, at) {
  END_TAG.lastIndex = at;
  return END_TAG.test(text) ? END_TAG.lastIndex : -1;
}

/**
 * The part of a place that renders as `shown`, without trailing whitespace: {from, to, how}; null if the place renders
 * differently.
 *
 * @param keepsSpace true if whitespace renders as written
 */
export function shownPart(text, place, shown, keepsSpace) {
  if (place?.kind !== 't') {
    return null;
  }
  const how = { collapses: !keepsSpace };
  const units = unitsOf(text.slice(place.from, place.to), how);
  while (units.length > 0 && units[units.length - 1].text.trim() === '') {
    units.pop();
  }
  const to = units.length === 0 ? place.from : place.from + units[units.length - 1].to;
  return units.map(unit => unit.text).join('') === shown ? { from: place.from, to, how } : null;
}

/** Start tags of some elements, without duplicates: {at, tag}. */
export function tagsOf(text, elements) {
  return elements.filter(each => each?.kind === 'e').map(each => ({ at: each.from, tag: startTag(text, each.from) }))
    .filter((each, i, all) => each.tag && all.findIndex(other => other.at === each.at) === i);
}

/** The name in a tag, then names of the enclosing sections, innermost first. */
export function namesAt(text, { from, to }) {
  const sections = [];
  for (const [, sign, words] of text.slice(0, from).matchAll(/\{\{~?\s*([#^/])\s*([^{}]*?)\s*~?\}\}/g)) {
    if (sign === '/') {
      sections.shift();
    } else if (words !== '') { // {{^}} is an else
      sections.unshift(words.replace(/^(?:each|if|unless|with)\s+/, '').split(/[\s|]/)[0]);
    }
  }
  const own = /^\{\{[{&~\s]*([^\s{}~|]*)/.exec(text.slice(from, to))?.[1] ?? '';
  return [own, ...sections].map(name => name.replace(/^(?:\.\.\/|@root[./]|this[./])+/, '').replaceAll('/', '.'));
}
