// Places in the source of a mail: those that the marks of a preview name, and those around the cursor.
import { moved, startTag, unitsOf } from './inplace.js';

/**
 * The place that a mark names, in the present text: {kind, from, to}, {block}, or null. The kind is e for an element's start tag, t
 * for a text, v for a value that was filled in.
 *
 * @param made text that the preview with the mark was made from
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

/** The text or element that the cursor is in: {place, element, isText}; the places are null for none. */
export function placeAt(text, cursor) {
  const before = text.lastIndexOf('<', cursor);
  const tag = before < 0 ? null : startTag(text, before);
  const isBehind = tag && cursor >= tag.end;
  const rest = isBehind ? /^[^<]*/.exec(text.slice(tag.end))[0] : '';
  const begin = isBehind ? tag.end + rest.length - rest.trimStart().length : 0;
  const element = tag && { kind: 'e', from: before, to: tag.end };
  const isText = Boolean(isBehind && rest.trim() !== '');
  return { place: isText ? { kind: 't', from: begin, to: tag.end + rest.length } : element, element, isText };
}

/**
 * The part of a text's place that is shown as `shown`, without the whitespace at its end: {from, to, how}; null where the place
 * shows something else.
 *
 * @param keepsSpace whether whitespace is shown as it is written
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

/** The start tags of some elements, each once: {at, tag}. */
export function tagsOf(text, elements) {
  return elements.filter(each => each?.kind === 'e').map(each => ({ at: each.from, tag: startTag(text, each.from) }))
    .filter((each, i, all) => each.tag && all.findIndex(other => other.at === each.at) === i);
}

/** The name that a tag asks for, and those of the sections around it, the inner ones first. */
export function namesAt(text, { from, to }) {
  const sections = [];
  for (const [, sign, words] of text.slice(0, from).matchAll(/\{\{~?\s*([#^/])\s*([^{}]*?)\s*~?\}\}/g)) {
    if (sign === '/') {
      sections.shift();
    } else {
      sections.unshift(words.replace(/^(?:each|if|unless|with)\s+/, '').split(/[\s|]/)[0]);
    }
  }
  const own = /^\{\{[{&~\s]*([^\s{}~|]*)/.exec(text.slice(from, to))?.[1] ?? '';
  return [own, ...sections].map(name => name.replace(/^(?:\.\.\/|@root[./]|this[./])+/, '').replaceAll('/', '.'));
}
