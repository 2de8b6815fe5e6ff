// Strict JSON with the limits and error messages of the server's parser. Objects are Maps, so that all names keep their order.

import { Refusal } from './text.mjs';

const MAX_TOKENS = 100_000;
const MAX_DEPTH = 20;
const MAX_DIGITS = 20;
const MAX_NAME = 50_000;
const VALUES = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
const ESCAPES = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** A number as it was written. */
export class JsonNumber {
  constructor(text) {
    this.text = text;
  }

  get isInteger() {
    return /^-?\d+$/.test(this.text);
  }

  /** As the server writes it: whole numbers as they are, others as Java's doubles. */
  toString() {
    if (this.isInteger) return this.text === '-0' ? '0' : this.text;
    const number = Number(this.text);
    const size = Math.abs(number);
    if (!Number.isFinite(number)) return `"${number}"`;
    if (size === 0) return Object.is(number, -0) ? '-0.0' : '0.0';
    if (size >= 1e-3 && size < 1e7) return Number.isInteger(number) ? `${number}.0` : String(number);
    const [digits, exponent] = number.toExponential().split('e');
    return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
  }
}

class Invalid extends Error {
  constructor(words, line, column) {
    super(words);
    this.line = line;
    this.column = column;
  }
}

class TooMuch extends Error {
}

class Trailing extends Error {
}

/** Reads one value; `read` refuses anything after it. */
class Parser {
  #text;
  #at = 0;
  #tokens = 0;

  constructor(text) {
    this.#text = text;
  }

  read() {
    if (this.#skip() === '') return undefined;
    const value = this.#value(0);
    if (this.#skip() !== '') {
      this.#value(0);
      throw new Trailing();
    }
    return value;
  }

  /** The next character after whitespace, or '' at the end. */
  #skip() {
    for (;;) {
      const next = this.#text[this.#at] ?? '';
      if (next === '/') {
        this.#unexpected("maybe a (non-standard) comment? (not recognized as one since Feature 'ALLOW_COMMENTS' not enabled for parser)");
      }
      if (next === '' || next > ' ') return next;
      if (!' \n\r\t'.includes(next)) {
        this.#at++;
        this.#fail(`Illegal character (${described(next)}): only regular white` + ' space (\\r, \\n, \\t) is allowed between tokens', false);
      }
      this.#at++;
    }
  }

  #token() {
    if (++this.#tokens > MAX_TOKENS) throw new TooMuch();
  }

  /** @param before whether the place is the last character read instead of the next one */
  #fail(words, before = true) {
    const place = Math.max(0, this.#at - (before ? 1 : 0));
    const lines = this.#text.slice(0, place).split(/\r\n|\r|\n/);
    throw new Invalid(words, lines.length, lines[lines.length - 1].length + 1);
  }

  #unexpected(words) {
    const next = this.#text[this.#at++] ?? '';
    this.#fail(`Unexpected character (${described(next)}): ${words}`);
  }

  #ended(words) {
    this.#at = this.#text.length;
    this.#fail(`Unexpected end-of-input${words}`, false);
  }

  #value(depth) {
    const next = this.#skip();
    this.#token();
    switch (next) {
      case '"': this.#at++; return this.#string('string value');
      case '{': return this.#object(depth + 1);
      case '[': return this.#array(depth + 1);
      case 't': return this.#word('true', true);
      case 'f': return this.#word('false', false);
      case 'n': return this.#word('null', null);
      case 'N': return this.#word('NaN', null);
      case 'I': return this.#word('Infinity', null);
      case ']': case '}': return depth === 0 ? this.#unopened(next) : this.#oddValue(next);
      case '+': return this.#plus();
      default: return /[-0-9]/.test(next) ? this.#number() : this.#oddValue(next);
    }
  }

  #oddValue(next) {
    if (/[\p{ID_Start}$_]/u.test(next)) this.#unknownToken(this.#at);
    this.#unexpected(`expected a valid value ${VALUES}`);
  }

  #unopened(mark) {
    this.#at++;
    this.#fail(`Unexpected close marker '${mark}': no open ${mark === '}' ? 'Object' : 'Array'} to close`);
  }

  #plus() {
    this.#at++;
    this.#fail("Unexpected character ('+' (code 43)) in numeric value: JSON spec does not allow numbers to have plus signs:"
      + ' enable `JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS` to allow', false);
  }

  #unknownToken(from) {
    const token = /^[\p{ID_Continue}$]*/u.exec(this.#text.slice(from, from + 256))[0];
    this.#at = from;
    this.#fail(`Unrecognized token '${token}': was expecting ${VALUES}`, false);
  }

  #word(word, value) {
    const from = this.#at;
    if (!this.#text.startsWith(word, from) || /[\p{ID_Continue}$]/u.test(this.#text[from + word.length] ?? '')) this.#unknownToken(from);
    this.#at += word.length;
    if (word === 'NaN' || word === 'Infinity') {
      this.#fail(`Non-standard token '${word}': enable \`JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS\` to allow`, false);
    }
    return value;
  }

  /** @param start of the number */
  #digits(words, start) {
    const from = this.#at;
    while (/[0-9]/.test(this.#text[this.#at] ?? '')) this.#at++;
    if (this.#at === from) {
      const next = this.#text[this.#at] ?? '';
      if (next === '') this.#ended(' within/between Object entries');
      this.#at = start + 1;
      this.#fail(`Unexpected character (${described(next)}) in numeric value: ${words}`, false);
    }
    return this.#text.slice(from, this.#at);
  }

  #number() {
    const from = this.#at;
    if (this.#text[from] === '-') this.#at++;
    if (this.#text.startsWith('-Infinity', from)) {
      this.#at += 'Infinity'.length;
      this.#fail("Non-standard token '-Infinity': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow", false);
    }
    const whole = this.#digits('expected digit (0-9) to follow minus sign, for valid numeric value', from);
    if (whole.length > 1 && whole[0] === '0') {
      this.#at = this.#at - whole.length + 1;
      this.#fail('Invalid numeric value: Leading zeroes not allowed', false);
    }
    if (this.#text[this.#at] === '.') {
      this.#at++;
      this.#digits('Decimal point not followed by a digit', from);
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at++;
      if (/[-+]/.test(this.#text[this.#at] ?? '')) this.#at++;
      this.#digits('Exponent indicator not followed by a digit', from);
    }
    const text = this.#text.slice(from, this.#at);
    if (text.replace('-', '').length > MAX_DIGITS) throw new TooMuch();
    return new JsonNumber(text);
  }

  /** @param what kind of text, for messages */
  #string(what) {
    let text = '';
    for (;;) {
      const next = this.#text[this.#at++];
      if (next === undefined) {
        this.#ended(what === 'name' ? ' in field name' : ': was expecting closing quote for a string value');
      } else if (next === '"') {
        if (what === 'name' && text.length > MAX_NAME) throw new TooMuch();
        return text;
      } else if (next < ' ') {
        this.#fail(`Illegal unquoted character (${described(next)}): has to be escaped using backslash to be included in ${what}`);
      } else {
        text += next === '\\' ? this.#escape() : next;
      }
    }
  }

  #escape() {
    const letter = this.#text[this.#at++];
    if (letter === undefined) this.#ended(' in character escape sequence');
    if (letter !== 'u') {
      return ESCAPES[letter] ?? this.#fail(`Unrecognized character escape ${described(letter)}`);
    }
    let code = 0;
    for (let i = 0; i < 4; i++) {
      const digit = this.#text[this.#at];
      if (digit === undefined) this.#ended(' in character escape sequence');
      if (!/[0-9a-fA-F]/.test(digit)) this.#unexpected('expected a hex-digit for character escape sequence');
      code = 16 * code + parseInt(digit, 16);
      this.#at++;
    }
    return String.fromCharCode(code);
  }

  #comma(kind) {
    const next = this.#skip();
    if (next === '') this.#ended(`: expected close marker for ${kind}`);
    if (next !== ',') this.#unexpected(`was expecting comma to separate ${kind} entries`);
    this.#at++;
    if (this.#skip() === '') this.#ended(` within/between ${kind} entries`);
  }

  #enter(depth) {
    if (depth > MAX_DEPTH) throw new TooMuch();
    this.#at++;
  }

  /** Whether the container ends here. */
  #ends(mark, other, kind, start) {
    const next = this.#skip();
    if (next === other) {
      this.#at++;
      const lines = this.#text.slice(0, start).split(/\r\n|\r|\n/);
      this.#fail(`Unexpected close marker '${other}': expected '${mark}' (for ${kind} starting at [Source: REDACTED`
        + ` (\`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION\` disabled); line: ${lines.length}, column: ${lines[lines.length - 1].length + 1}])`);
    }
    if (next === mark) {
      this.#at++;
      this.#token();
    }
    return next === mark;
  }

  #object(depth) {
    const start = this.#at;
    this.#enter(depth);
    const object = new Map();
    for (let isFirst = true; !this.#ends('}', ']', 'Object', start); isFirst = false) {
      if (!isFirst) this.#comma('Object');
      const next = this.#skip();
      if (next === '') this.#ended(': expected close marker for Object');
      if (next !== '"') this.#unexpected('was expecting double-quote to start field name');
      this.#at++;
      const name = this.#string('name');
      this.#token();
      if (object.has(name)) this.#fail(`Duplicate field '${name}'`, false);
      const colon = this.#skip();
      if (colon === '') this.#ended(' within/between Object entries');
      if (colon !== ':') this.#unexpected('was expecting a colon to separate field name and value');
      this.#at++;
      if (this.#skip() === '') this.#ended(' within/between Object entries');
      object.set(name, this.#value(depth));
    }
    return object;
  }

  #array(depth) {
    const start = this.#at;
    this.#enter(depth);
    const array = [];
    for (let isFirst = true; !this.#ends(']', '}', 'Array', start); isFirst = false) {
      if (!isFirst) this.#comma('Array');
      if (this.#skip() === '') this.#ended(': expected close marker for Array');
      array.push(this.#value(depth));
    }
    return array;
  }
}

function described(character) {
  const code = character.charCodeAt(0);
  if (code < 32 || code >= 127 && code < 160) return `(CTRL-CHAR, code ${code})`;
  return code > 255 ? `'${character}' (code ${code} / 0x${code.toString(16)})` : `'${character}' (code ${code})`;
}

/** Parses a JSON object. @param withColumn whether errors name the column too @throws Refusal for other text */
export function parseObject(text, withColumn = false) {
  try {
    const value = new Parser(text).read();
    if (value instanceof Map) return value;
  } catch (error) {
    if (error instanceof TooMuch) {
      throw new Refusal(`The JSON has more than ${MAX_TOKENS} tokens, or a value that is too long or nested too deeply; shorten it`);
    }
    if (error instanceof Trailing) throw new Refusal('Invalid JSON: unexpected data after the end');
    if (!(error instanceof Invalid)) throw error;
    throw new Refusal(`Invalid JSON: ${error.message} (line ${error.line}${withColumn ? `, column ${error.column}` : ''})`);
  }
  throw new Refusal('The JSON must be an object');
}

/** Parses any JSON; undefined if the text is not JSON. */
export function parse(text) {
  try {
    return new Parser(text).read();
  } catch (error) {
    if (error instanceof TooMuch || error instanceof Trailing || error instanceof Invalid) return undefined;
    throw error;
  }
}

function quoted(text) {
  return JSON.stringify(text).replace(/\\u([0-9a-f]{4})/g, (all, code) => (code.startsWith('d') ? String.fromCharCode(parseInt(code, 16)) : `\\u${code.toUpperCase()}`));
}

function scalar(value) {
  return typeof value === 'string' ? quoted(value) : String(value);
}

/** Writes JSON on one line. Fields that are undefined are omitted. */
export function write(value) {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (value === null || typeof value !== 'object' || value instanceof JsonNumber) return scalar(value);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return `{${entries.filter(([, each]) => each !== undefined).map(([name, each]) => `${quoted(name)}:${write(each)}`).join(',')}}`;
}

/** Writes JSON with indentation, as exports do. */
export function writeLines(value) {
  return `${lines(value, '')}\n`;
}

function lines(value, indent) {
  if (value === null || typeof value !== 'object' || value instanceof JsonNumber) return scalar(value);
  const inner = `${indent}  `;
  const [open, close, items] = Array.isArray(value) ? ['[', ']', value.map((each) => lines(each, inner))]
    : ['{', '}', (value instanceof Map ? [...value] : Object.entries(value)).filter(([, each]) => each !== undefined)
      .map(([name, each]) => `${quoted(name)}: ${lines(each, inner)}`)];
  if (items.length === 0) return open === '[' ? '[ ]' : '{}';
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${close}`;
}
