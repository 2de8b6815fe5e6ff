// The rules for names, notes, tags and JSON fields, with the server's messages.

import { parseObject } from './json.mjs';
import { Refusal, decode, isBlank, nearest } from './text.mjs';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/u;
const CONTROL = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}]/u;
const TAG = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N} ._:/+&-]*[\p{L}\p{M}\p{N}+])?$/u;

function checkVisible(what, text, invisible) {
  const found = invisible.exec(text);
  if (found) {
    const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new Refusal(`The ${what} must not contain the invisible character U+${code}`);
  }
}

function checkText(what, text, shortest, longest) {
  const length = [...text].length;
  if (length > longest) throw new Refusal(`The ${what} is ${length} characters; the limit is ${longest}`);
  if (shortest > 0 && isBlank(text)) throw new Refusal(`The ${what} must not be empty`);
}

/** @throws Refusal unless this can be the note of a push or rollback */
export function checkNote(note) {
  checkVisible('note', note, INVISIBLE);
  checkText('note', note, 0, 200);
  return note;
}

/** Checks a template's name and subject. */
export function checkDraft(name, subject) {
  checkVisible('name', name, INVISIBLE);
  checkText('name', name, 1, 200);
  if (/[\n\r]/.test(subject)) throw new Refusal('The subject contains a line break; it must be a single line');
  checkVisible('subject', subject, CONTROL);
  checkText('subject', subject, 0, 998);
}

/** Upper and then lower case of one UTF-16 unit, as Java compares tags. */
function folded(text) {
  const single = (changed, unit) => (changed.length === 1 ? changed : unit);
  return text.split('').map((unit) => single(unit.toUpperCase(), unit)).map((unit) => single(unit.toLowerCase(), unit)).join('');
}

/** Checks tags and sorts them as the server does. */
export function sortedTags(tags) {
  const all = [];
  for (const tag of tags) {
    if ([...tag].length > 40 || !TAG.test(tag) || tag.endsWith('\n')) {
      throw new Refusal(`"${[...tag].slice(0, 40).join('')}" is not a valid tag; use 1 to 40 letters, digits, spaces and . _ : / + & -,`
        + ' starting with a letter or digit, and ending with a letter, digit or +');
    }
    if (!all.some((each) => folded(each) === folded(tag))) all.push(tag);
    if (all.length > 20) throw new Refusal('A template can have at most 20 tags');
  }
  if (all.length < tags.length) throw new Refusal('A tag is listed twice; remove the duplicate');
  const key = (tag) => [folded(tag), tag];
  return all.sort((a, b) => (key(a)[0] < key(b)[0] ? -1 : key(a)[0] > key(b)[0] ? 1 : a < b ? -1 : 1));
}

/** Typed fields of a JSON file, in which null is a value of the wrong type. */
export class Fields {
  #object;
  #known = new Set();

  constructor(bytes) {
    const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    const text = decode(isMarked ? bytes.subarray(3) : bytes);
    if (text === null) throw new Refusal('Invalid UTF-8');
    this.#object = parseObject(text);
  }

  #value(name) {
    this.#known.add(name);
    return this.#object.get(name);
  }

  #checked(name, value, isRight, type) {
    if (!isRight) throw new Refusal(`"${name}" must be ${type}`);
    return value;
  }

  #asText(name, value) {
    this.#checked(name, value, typeof value === 'string', 'a string');
    return checkSurrogates(name, value);
  }

  text(name, otherwise) {
    const value = this.#value(name);
    return value === undefined ? otherwise : this.#asText(name, value);
  }

  flag(name, otherwise) {
    const value = this.#value(name);
    return value === undefined ? otherwise : this.#checked(name, value, typeof value === 'boolean', 'true or false');
  }

  list(name) {
    const value = this.#value(name) ?? (this.#object.has(name) ? null : []);
    return this.#checked(name, value, Array.isArray(value), 'an array').map((item, i) => this.#asText(`${name}[${i}]`, item));
  }

  texts(name) {
    const value = this.#value(name) ?? (this.#object.has(name) ? null : new Map());
    return new Map([...this.#checked(name, value, value instanceof Map, 'an object')]
      .map(([inner, text]) => [inner, this.#asText(`${name}.${inner}`, text)]));
  }

  time(name) {
    const text = this.text(name);
    if (text !== undefined && timestamp(text) === undefined) {
      throw new Refusal(`"${name}": "${text}" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z`);
    }
  }

  end() {
    for (const name of this.#object.keys()) {
      if (!this.#known.has(name)) {
        const meant = nearest(name, this.#known);
        throw new Refusal(`"${name}" is not a known field${meant === undefined ? '' : `; did you mean "${meant}"?`}`);
      }
    }
  }
}

/** @param name the field's name, for the error */
export function checkSurrogates(name, value) {
  if (/\p{Surrogate}/u.test(value)) throw new Refusal(`"${name}" contains an unpaired surrogate, which UTF-8 cannot encode; remove it`);
  return value;
}

/** The time in the format of the API; undefined for any other text. */
export function timestamp(text) {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.](\d{0,9}))?)?Z$/i.exec(text);
  if (!parts) return undefined;
  const whole = `${parts[1]}T${parts[2]}:${parts[3]}:${parts[4] ?? '00'}.${(parts[5] ?? '').padEnd(3, '0').slice(0, 3)}Z`;
  const time = new Date(whole);
  return Number.isNaN(time.getTime()) || time.toISOString() !== whole ? undefined : whole;
}
