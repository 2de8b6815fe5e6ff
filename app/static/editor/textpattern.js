// Finds text in HTML as the preview shows it (entities, composed letters, line ends), and also regardless of whitespace and attribute
// order. Both texts become tokens, in which Knuth-Morris-Pratt finds the text, so the work grows with the length of the texts.
import { decode } from '../preview/inplace.js';
import { isCrlf } from '../frame/merge.js';

/** Steps between two pauses. */
const SLICE = 200_000;
/** Longest entity, including & and ;, and most combining marks of a letter. */
const MAX_ENTITY = 34;
const MAX_MARKS = 30;
const ENTITY = /^&(?:#(?:[xX][0-9a-fA-F]+|[0-9]+);?|[a-zA-Z][a-zA-Z0-9]*;|[a-zA-Z]{2,6}[0-9]{0,2}(?![a-zA-Z0-9=;]))/;
const MARK = /^[\p{M}\u1160-\u11ff]$/u;
const INVISIBLE = /[\u00ad\u034f\u061c\u200b-\u200f\u2060\ufeff]/;
/** Keys of spaces, of a text's "<" and "{" (which begin no tag), and the first key that is no code point. */
const SPACE = 32;
const LESS = 0xe000;
const BRACE = 0xe001;
const FIRST_KEY = 0x110000;
/** First combining mark, and the characters below it that begin something else than themselves. */
const FIRST_MARK = 0x300;
const SPECIAL = new Set(['&', '<', '\r'].map(char => char.charCodeAt(0)));

/**
 * A text to find.
 *
 * @param isLoose true to ignore differences in whitespace and attribute order, including whitespace around the text
 * @param isPlain true for plain text such as a subject, in which entities have no meaning
 * @param ignoresCase true to find lower and upper case
 */
export function patternOf(text, { isLoose = false, isPlain = false, ignoresCase = false } = {}) {
  const keys = new Map(); // letters of several code points, and tags, by their text
  const how = { isLoose, isPlain, ignoresCase, keys, hidesInvisible: !INVISIBLE.test(text), readsTags: isLoose && hasWholeTags(text) };
  const read = drained(tokens(isLoose ? text.trim() : text, how));
  return { ...how, wanted: Array.from(read.key), borders: borders(read.key) };
}

/** Finds all matches. A generator that pauses from time to time; returns {found, steps}: the matches as {from, to}, and the number of steps. */
export function* matches(source, { wanted, borders: same, ...how }) {
  const { key, from, to, steps: readSteps } = yield* tokens(source, how);
  const found = [];
  let steps = readSteps;
  for (let i = 0, length = 0; wanted.length > 0 && i < key.length; i++) {
    while (length > 0 && key[i] !== wanted[length]) {
      length = same[length - 1];
      steps++;
    }
    length += key[i] === wanted[length] ? 1 : 0;
    if (length === wanted.length) {
      found.push({ from: from[i - length + 1], to: to[i] });
      length = 0;
    }
    if (++steps % SLICE === 0) {
      yield;
    }
  }
  return { found, steps };
}

/** All matches: an array of {from, to}. */
export function placesOf(source, pattern) {
  return drained(matches(source, pattern)).found;
}

/**
 * Replaces all matches, letting the page react in between. Line breaks of the replacement become those of the source.
 *
 * @return {text, count}
 */
export async function replaceInSlices(source, pattern, replacement) {
  const search = matches(source, pattern);
  let step = search.next();
  while (!step.done) {
    await new Promise(resolve => setTimeout(resolve));
    step = search.next();
  }
  return replaced(source, step.value.found, replacement);
}

function replaced(source, found, replacement) {
  const lines = replacement.replace(/\r?\n/g, isCrlf(source) ? '\r\n' : '\n');
  const parts = [];
  let at = 0;
  for (const place of found) {
    parts.push(source.slice(at, place.from), lines);
    at = place.to;
  }
  return { text: parts.join('') + source.slice(at), count: found.length };
}

/** For each beginning of the keys, the length of its longest proper beginning that is also its end. */
function borders(keys) {
  const all = new Array(keys.length).fill(0);
  for (let i = 1, same = 0; i < keys.length; i++) {
    while (same > 0 && keys[i] !== keys[same]) {
      same = all[same - 1];
    }
    same += keys[i] === keys[same] ? 1 : 0;
    all[i] = same;
  }
  return all;
}

/** A text's tokens: their keys and places. A token is a letter as shown or, if tags are read, a whole tag. */
function* tokens(source, how) {
  const key = new Uint32Array(source.length);
  const from = new Uint32Array(source.length);
  const to = new Uint32Array(source.length);
  let count = 0;
  let steps = 0;
  let pause = SLICE;
  let space = null; // whitespace that is not yet a token
  let isAfterTag = false;
  const add = (unitKey, unitFrom, unitTo) => {
    key[count] = unitKey;
    from[count] = unitFrom;
    to[count] = unitTo;
    count++;
  };
  for (let at = 0; at < source.length;) {
    const tag = how.readsTags && source[at] === '<' ? tagAt(source, at, how) : null;
    const unit = tag?.key === undefined ? unitAt(source, at, how) : tag;
    steps += (tag?.steps ?? 0) + unit.to - at;
    if (how.isLoose && unit.isSpace) {
      space = { from: space?.from ?? at, to: unit.to, isFixed: space?.isFixed || unit.isFixed };
    } else if (unit.key !== null) {
      const isBetweenTags = isAfterTag && source[at] === '<';
      if (space && (space.isFixed || !isBetweenTags)) {
        add(SPACE, space.from, space.to);
      }
      space = null;
      add(unit.key, at, unit.to);
      isAfterTag = source[unit.to - 1] === '>';
    }
    at = unit.to;
    if (steps >= pause) {
      pause += SLICE;
      yield;
    }
  }
  if (space) {
    add(SPACE, space.from, space.to);
  }
  return { key: key.subarray(0, count), from, to, steps };
}

/**
 * The letter that is shown for the source at a place: {key, to, isSpace, isFixed}. The key is null for what is invisible; `isFixed` is true
 * for a space that HTML does not collapse.
 */
function unitAt(source, at, how) {
  const code = source.charCodeAt(at);
  const mayHaveMark = source.charCodeAt(at + 1) >= FIRST_MARK || source[at + 1] === '&';
  if (code < 128 && !SPECIAL.has(code) && !mayHaveMark) { // most characters
    const isUpper = code >= 65 && code <= 90;
    return { key: how.ignoresCase && isUpper ? code + 32 : code, to: at + 1, isSpace: code === SPACE || code >= 9 && code <= 12 };
  }
  const char = charAt(source, at, how);
  return specialUnit(source, char, how) ?? letterUnit(source, char, how);
}

/** The unit of a character that is not a letter: a space, a line end, "<" or "{" that begins no tag, or one that is invisible; null for others. */
function specialUnit(source, { text, to, isEntity }, how) {
  if (text === '\r') {
    return { key: 10, to: source[to] === '\n' ? to + 1 : to, isSpace: true };
  }
  if (text === '<' && (isEntity || !/[a-zA-Z/!?]/.test(source[to] ?? ''))) {
    return { key: LESS, to };
  }
  if (text === '{' && isEntity) {
    return { key: BRACE, to };
  }
  if (text === '\u00a0' || text === '\u202f') {
    return { key: SPACE, to, isSpace: true, isFixed: true };
  }
  if (/^[ \t\n\f]$/.test(text)) {
    return { key: text.charCodeAt(0), to, isSpace: true, isFixed: isEntity };
  }
  return how.hidesInvisible && INVISIBLE.test(text) ? { key: null, to } : null;
}

/** The unit of a letter with its combining marks. */
function letterUnit(source, char, how) {
  let { text, to } = char;
  for (let marks = 0; marks < MAX_MARKS && (source.charCodeAt(to) >= FIRST_MARK || source[to] === '&'); marks++) {
    const next = charAt(source, to, how);
    if (!MARK.test(next.text)) {
      break;
    }
    text += next.text;
    to = next.to;
  }
  const letter = text.normalize('NFC');
  return { key: keyOf(how.ignoresCase ? letter.toLowerCase() : letter, how.keys), to };
}

/** A character, or an entity with the text that it stands for: {text, to, isEntity}. */
function charAt(source, at, { isPlain }) {
  const entity = source[at] === '&' && !isPlain && ENTITY.exec(source.slice(at, at + MAX_ENTITY))?.[0];
  const text = entity ? decode(entity) : null;
  return text !== null && text !== entity ? { text, to: at + entity.length, isEntity: true }
    : { text: String.fromCodePoint(source.codePointAt(at)), to: at + (source.codePointAt(at) > 0xffff ? 2 : 1), isEntity: false };
}

function keyOf(text, keys) {
  const point = text.codePointAt(0);
  if (text.length === (point > 0xffff ? 2 : 1)) {
    return point;
  }
  if (!keys.has(text)) {
    keys.set(text, FIRST_KEY + keys.size);
  }
  return keys.get(text);
}

/** True if each tag in the text is whole, so that its attributes can be compared in any order. */
function hasWholeTags(text) {
  const rest = text.replace(/<[a-zA-Z/!?][^<>]*>/g, '').replace(/\{\{[^{}]*\}\}/g, '');
  return !/<[a-zA-Z/!?]|["'\w/]\s*>/.test(rest);
}

/** A place in a source, which moves on as it is read. */
class Reader {
  constructor(source, place) {
    this.source = source;
    this.place = place;
  }

  /** The character at the place; empty at the end. */
  next() {
    return this.source[this.place] ?? '';
  }

  /** Moves on over these characters. @return them */
  skip(chars) {
    const begin = this.place;
    while (this.place < this.source.length && chars.test(this.source[this.place])) {
      this.place++;
    }
    return this.source.slice(begin, this.place);
  }
}

/**
 * Reads a start tag whose attributes are complete: {key, to, steps}; the key is undefined for other tags. Reads at most to the next tag.
 */
function tagAt(source, at, how) {
  const reader = new Reader(source, at + 1);
  const name = /[a-zA-Z]/.test(reader.next()) ? reader.skip(/[^\s<>/]/) : '';
  const attributes = [];
  while (name !== '' && reader.skip(/\s/) !== '' && /[^\s=<>/"']/.test(reader.next())) {
    const attribute = readAttribute(reader);
    if (attribute === null) {
      return { steps: reader.place - at };
    }
    attributes.push(attribute);
  }
  reader.skip(/\s/);
  const slash = reader.next() === '/' ? '/' : '';
  reader.place += slash.length;
  if (name === '' || reader.next() !== '>') {
    return { steps: reader.place - at };
  }
  const shown = attributes.map(each => shownKey(each, how)).sort().join(' ');
  return { key: keyOf(`<${name} ${shown}${slash}>`, how.keys), to: reader.place + 1, steps: reader.place - at };
}

/** Reads an attribute: its name and, if it has a value, = and the value in its quotes; null if these are not closed in the tag. */
function readAttribute(reader) {
  const name = reader.skip(/[^\s=<>/"']/);
  const nameEnd = reader.place;
  reader.skip(/\s/);
  if (reader.next() !== '=') {
    reader.place = nameEnd;
    return name;
  }
  reader.place++;
  reader.skip(/\s/);
  const quote = reader.next();
  if (quote !== '"' && quote !== "'") {
    return name + '=' + reader.skip(/[^\s<>"']/);
  }
  reader.place++;
  const value = reader.skip(quote === '"' ? /[^"<>]/ : /[^'<>]/);
  if (reader.next() !== quote) {
    return null;
  }
  reader.place++;
  return name + '=' + quote + value + quote;
}

/** An attribute as shown, with whitespace collapsed. */
function shownKey(text, how) {
  const { key } = drained(tokens(text, { ...how, readsTags: false }));
  return Array.from(key, each => each < FIRST_KEY ? String.fromCodePoint(each) : `\0${each}\0`).join('');
}

function drained(generator) {
  let step = generator.next();
  while (!step.done) {
    step = generator.next();
  }
  return step.value;
}
