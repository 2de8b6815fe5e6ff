// Computes the minimal source change for an edit in the preview. All other characters keep their spelling, including entities,
// line breaks and Handlebars tags.

const SPACE = /[ \t\n\f\r]/;
/** A complete Mustache or Handlebars tag. */
const TAG = /\{\{\{?[^{}]*\}\}\}?/y;
let decoder = null;
/** Decoded entities, so that each is parsed once. */
const decoded = new Map();
const MAX_DECODED = 5_000;
/** Longest entity, including & and ;. */
const MAX_ENTITY = 34;
/** Maximum number of characters examined before a text. */
const MAX_BEFORE = 1_000;
/** Elements that hide whitespace next to them. */
const BLOCK = '<\\/?(?:body|br|center|div|h[1-6]|hr|li|ol|p|table|t[dhr]|ul)\\b';
const UNSEEN_BEHIND = new RegExp(`(?:^|\\s|${BLOCK}[^<>]*>)(?:<[a-z][^<>]*>)*$`, 'i');
const UNSEEN_BEFORE = new RegExp(`^(?:<\\/[a-z][^<>]*>)*?(?:$|\\s|${BLOCK})`, 'i');

/**
 * The rendered characters of a piece of source with their places: {text, from, to}.
 *
 * @param isAttribute true for an attribute value
 * @param collapses   true if whitespace renders as one space
 */
export function unitsOf(source, { isAttribute = false, collapses = false } = {}) {
  const units = [];
  for (let at = 0; at < source.length;) {
    TAG.lastIndex = at;
    const tag = TAG.exec(source);
    if (tag) {
      for (const char of tag[0]) {
        units.push({ text: char, from: at, to: at + char.length });
        at += char.length;
      }
      continue;
    }
    const unit = unitAt(source, at, isAttribute);
    const isSpace = collapses && SPACE.test(unit.text);
    if (isSpace && units.at(-1)?.isSpace) {
      units.at(-1).to = unit.to;
    } else {
      units.push(isSpace ? { ...unit, text: ' ', isSpace } : unit);
    }
    at = unit.to;
  }
  return units;
}

/** The character or entity at a place: {text, from, to}. */
function unitAt(source, at, isAttribute) {
  const char = String.fromCodePoint(source.codePointAt(at));
  if (char === '\r') {
    return { text: '\n', from: at, to: at + (source[at + 1] === '\n' ? 2 : 1) };
  }
  const entity = char === '&' && /^&(?:#[xX]?[0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);?/.exec(source.slice(at, at + MAX_ENTITY));
  if (entity) {
    const text = decode(entity[0]);
    // Without a semicolon, only a beginning may be an entity: of "&ampx", "&amp".
    for (let length = 2; length <= entity[0].length && text !== entity[0]; length++) {
      const name = entity[0].slice(0, length);
      if (decode(name) + entity[0].slice(length) === text) {
        // In attributes, an apparent entity without a semicolon may belong to the query of a URL.
        const isText = isAttribute && !name.endsWith(';') && /[=a-zA-Z0-9]/.test(source[at + length] ?? '');
        return isText ? { text: '&', from: at, to: at + 1 } : { text: decode(name), from: at, to: at + length };
      }
    }
  }
  return { text: char, from: at, to: at + char.length };
}

/** The text of an entity, or of text with entities, as the browser has it. */
export function decode(text) {
  if (!decoded.has(text)) {
    decoder ??= document.createElement('textarea');
    decoder.innerHTML = text;
    if (decoded.size >= MAX_DECODED) {
      decoded.clear();
    }
    decoded.set(text, decoder.textContent);
  }
  return decoded.get(text);
}

/** A piece of source as rendered. */
export function shownText(source, how) {
  return unitsOf(source, how).map(unit => unit.text).join('');
}

/**
 * The source change that makes a piece render as `wanted`: {from, to, text} relative to the piece, or null if none is needed.
 *
 * @param quote  quote around an attribute value
 * @param behind source characters after the piece
 */
export function change(source, wanted, { isAttribute = false, collapses = false, quote = '' } = {}, behind = '') {
  const how = { isAttribute, collapses };
  const units = unitsOf(source, how);
  let first = 0;
  let from = 0;
  while (first < units.length && wanted.startsWith(units[first].text, from)) {
    from += units[first++].text.length;
  }
  let last = units.length;
  let to = wanted.length;
  while (last > first && to - units[last - 1].text.length >= from && wanted.slice(0, to).endsWith(units[last - 1].text)) {
    to -= units[--last].text.length;
  }
  if (first === last && from === to) {
    return null;
  }
  const begin = first === units.length ? source.length : units[first].from;
  const end = first === last ? begin : units[last - 1].to;
  const around = { quote, behind };
  const text = written(wanted, from, to, around);
  const flat = shown => collapses ? shown.replace(/[ \t\n\f\r]+/g, ' ') : shown.replace(/\r\n?/g, '\n');
  const isExact = flat(shownText(source.slice(0, begin) + text + source.slice(end), how)) === flat(wanted);
  // The new characters may form an entity with their neighbours; in that case, the whole piece is rewritten.
  return isExact ? { from: begin, to: end, text }
    : { from: 0, to: source.length, text: written(wanted, 0, wanted.length, around) };
}

/** A text without leading and trailing whitespace that does not render there. @param before, behind the source around the text */
export function withoutUnseen(text, before, behind) {
  const begun = UNSEEN_BEHIND.test(before.slice(-MAX_BEFORE)) ? text.replace(/^[ \t\n\r\f]+/, '') : text;
  return UNSEEN_BEFORE.test(behind) ? begun.replace(/[ \t\n\r\f]+$/, '') : begun;
}

/**
 * A range of text as HTML. Complete Handlebars tags stay tags; other braces are escaped.
 *
 * @param around {quote, behind}: the quote around an attribute value, and source characters after the text
 */
function written(text, from, to, { quote, behind }) {
  const inTag = new Set();
  for (const tag of text.matchAll(new RegExp(TAG, 'g'))) {
    for (let at = tag.index; at < tag.index + tag[0].length; at++) {
      inTag.add(at);
    }
  }
  const all = text + behind;
  return Array.from({ length: to - from }, (_, i) => {
    const at = from + i;
    return inTag.has(at) ? text[at] : escaped(text[at], text[at - 1], all.slice(at + 1, at + 3), quote);
  }).join('');
}

/** A character as HTML. @param before the character before it, if any @param after the two characters after it */
function escaped(char, before, after, quote) {
  switch (char) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return quote === '' ? '&gt;' : char;
    case '{':
      return before === '{' || after[0] === '{' ? reference(char) : char;
    case '\\':
      return after === '{{' ? reference(char) : char; // it would make text of the tag
    default:
      return char === quote ? reference(char) : char;
  }
}

const reference = char => `&#${char.charCodeAt(0)};`;

/**
 * Parses the start tag at a place: {name, nameEnd, end, attributes}, each attribute as {name, nameEnd, from, to, quote}; null
 * if there is none. `from` and `to` delimit the value without quotes; `quote` is empty for a value without, and null without a value.
 */
export function startTag(source, at) {
  const head = /<([a-zA-Z][^\s/>{]*)/y;
  head.lastIndex = at;
  const found = head.exec(source);
  if (!found) {
    return null;
  }
  const tag = { name: found[1].toLowerCase(), nameEnd: head.lastIndex, end: 0, attributes: [] };
  for (let place = tag.nameEnd; place < source.length;) {
    const mustache = tagEnd(source, place);
    if (source[place] === '>') {
      tag.end = place + 1;
      return tag;
    } else if (/[\s/]/.test(source[place])) {
      place++;
    } else if (mustache > place) {
      place = mustache;
    } else {
      const attribute = attributeAt(source, place);
      tag.attributes.push(attribute);
      place = Math.max(place + 1, attribute.end);
    }
  }
  return null;
}

/** The attribute at a place: {name, nameEnd, from, to, quote, end}; `quote` is null without a value, empty without quotes. */
function attributeAt(source, at) {
  const nameEnd = skipTo(source, at + 1, /[\s/>=]/);
  const name = source.slice(at, nameEnd).toLowerCase();
  const equals = skipSpace(source, nameEnd);
  if (source[equals] !== '=') {
    return { name, nameEnd, from: nameEnd, to: nameEnd, quote: null, end: nameEnd };
  }
  const from = skipSpace(source, equals + 1);
  const quote = source[from];
  if (quote === '"' || quote === "'") {
    const to = skipTo(source, from + 1, new RegExp(quote));
    return { name, nameEnd, from: from + 1, to, quote, end: to + 1 };
  }
  const to = skipTo(source, from, /[\s>]/);
  return { name, nameEnd, from, to, quote: '', end: to };
}

/** End of the Handlebars tag that begins here; the same place if there is none. */
function tagEnd(source, at) {
  TAG.lastIndex = at;
  return TAG.test(source) ? TAG.lastIndex : at;
}

/** The next place that is not whitespace. */
function skipSpace(source, at) {
  let place = at;
  while (/\s/.test(source[place] ?? '')) {
    place++;
  }
  return place;
}

/** The next place of one of these characters outside Handlebars tags; the end of the source if there is none. */
function skipTo(source, at, chars) {
  let place = at;
  while (place < source.length && !chars.test(source[place])) {
    place = Math.max(place + 1, tagEnd(source, place));
  }
  return place;
}

/** The source change that sets an attribute of the tag at a place: {from, to, text}, or null if none is needed. */
export function attributeChange(source, at, name, value) {
  const tag = startTag(source, at);
  if (!tag) {
    return null;
  }
  const attribute = tag.attributes.find(each => each.name === name);
  const quoted = text => `"${written(text, 0, text.length, { quote: '"', behind: '' })}"`;
  if (!attribute) {
    return value === '' && name !== 'alt' ? null : { from: tag.nameEnd, to: tag.nameEnd, text: ` ${name}=${quoted(value)}` };
  }
  const { from, to, quote, nameEnd } = attribute;
  if (quote === null) {
    return value === '' ? null : { from: nameEnd, to: nameEnd, text: '=' + quoted(value) };
  }
  const changed = change(source.slice(from, to), value, { isAttribute: true, quote: quote || '"' });
  if (changed && quote === '') {
    return { from, to, text: quoted(value) };
  }
  return changed && { from: from + changed.from, to: from + changed.to, text: changed.text };
}

/** Maps a place to a text that differs in one range; null if the place is inside that range. */
export function moved(before, after, place) {
  if (before === after) {
    return place;
  }
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) {
    same++;
  }
  if (place < same) {
    return place;
  }
  let behind = 0;
  while (behind < most - same && before.charCodeAt(before.length - 1 - behind) === after.charCodeAt(after.length - 1 - behind)) {
    behind++;
  }
  return place >= before.length - behind ? place + after.length - before.length : null;
}
