// JSON for hand-written documents: errors with positions, and edits of single values that preserve all other formatting.

/** Same limits as on the server. */
const MAX_DEPTH = 20;
const MAX_NUMBER_LENGTH = 20;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$-]*/y;
const ESCAPE = /\\(["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** A syntax error at a position. */
class InvalidJson extends Error {
  constructor(at, sentence) {
    super(sentence);
    this.at = at;
  }
}

/**
 * Parses a document, which must be an object: {node} or {error}. A node is {kind, start, end}, where kind is object, list, text, number, flag or
 * null, plus `entries` of {name, written, node} for an object, `items` for a list, otherwise `value`. An error is {line, column, sentence},
 * counted from 1.
 */
export function parseDocument(text) {
  try {
    return { node: read(text) };
  } catch (failure) {
    if (!(failure instanceof InvalidJson)) {
      throw failure;
    }
    const before = text.slice(0, failure.at).split(/\r\n|\r|\n/);
    return { error: { line: before.length, column: before[before.length - 1].length + 1, sentence: failure.message } };
  }
}

/** The node of a document. @throws InvalidJson at the first error */
function read(text) {
  let at = 0;

  /** Moves to the next character that is no whitespace. */
  function skip() {
    while (' \t\r\n'.includes(text[at]) && at < text.length) {
      at++;
    }
  }

  function fail(sentence, place = at) {
    throw new InvalidJson(place, sentence);
  }

  /** The character here, which may be a surrogate pair. */
  function character() {
    return String.fromCodePoint(text.codePointAt(at));
  }

  function match(pattern) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found ? found[0].length : 0;
    return found?.[0];
  }

  /** Parses a value. @param depth number of objects and lists around it, and itself */
  function value(depth) {
    const start = at;
    const first = text[at];
    if (depth > MAX_DEPTH) {
      fail(`nested more than ${MAX_DEPTH} levels deep`);
    }
    if (first === '{') {
      return { kind: 'object', start, entries: list('}', depth, entry), end: at };
    } else if (first === '[') {
      return { kind: 'list', start, items: list(']', depth, value), end: at };
    } else if (first === '"') {
      return { kind: 'text', start, value: string(), end: at };
    }
    const number = match(NUMBER);
    if (number) {
      if (number.length > MAX_NUMBER_LENGTH) {
        fail(`numbers can have at most ${MAX_NUMBER_LENGTH} characters; write this number as a string in double quotes`, start);
      } else if (/[\w.]/.test(text[at] ?? '')) {
        fail('invalid number; write it as a string in double quotes', start);
      }
      return { kind: 'number', start, value: Number(number), end: at };
    }
    const word = match(WORD);
    if (['true', 'false', 'null'].includes(word)) {
      return { kind: word === 'null' ? 'null' : 'flag', start, value: JSON.parse(word), end: at };
    }
    return fail(noValue(first, word), start);
  }

  /** The sentence about a place without a value. @param first the character there; undefined at the end @param word the word, if any */
  function noValue(first, word) {
    if (first === undefined) {
      return 'a value is missing at the end';
    }
    if (first === "'") {
      return 'use double quotes for strings: "Ada"';
    }
    return word ? `put double quotes around ${word}` : `missing value before ${character()}`;
  }

  /** Parses a comma-separated list up to its closing bracket. @param part parses a part; receives its depth and the names so far */
  function list(close, depth, part) {
    const open = at++;
    const parts = [];
    const names = new Set();
    for (skip(); text[at] !== close; skip()) {
      if (at === text.length) {
        fail(`${text[open]} is never closed`, open);
      }
      if (parts.length > 0) {
        comma(close);
      }
      parts.push(part(depth + 1, names));
    }
    at++;
    return parts;
  }

  /** Parses the comma between two parts of a list. */
  function comma(close) {
    if (text[at] !== ',') {
      fail(`missing comma or ${close} before ${character()}`);
    }
    const place = at++;
    skip();
    if (text[at] === close) {
      fail(`remove the comma before ${close}`, place);
    }
  }

  /** Parses a name and its value. @param names the names of the object so far; the new one is added */
  function entry(depth, names) {
    const start = at;
    if (text[at] !== '"') {
      fail(at === text.length ? 'unexpected end; expected a name in double quotes' : 'expected a name in double quotes');
    }
    const name = string();
    const written = text.slice(start, at);
    if (names.has(name)) {
      fail(`duplicate name "${name}"`, start);
    }
    names.add(name);
    skip();
    if (text[at] !== ':') {
      fail(`missing colon after "${name}"`);
    }
    at++;
    skip();
    return { name, written, node: value(depth) };
  }

  /** Parses a string. @return its text */
  function string() {
    const start = at++;
    while (text[at] !== '"') {
      if (at >= text.length || text[at] === '\n' || text[at] === '\r') {
        fail('this string has no closing double quote', start);
      } else if (text[at] < ' ') {
        fail('escape tabs and other control characters, for example as \\t');
      } else if (text[at] === '\\') {
        if (match(ESCAPE) === undefined) {
          fail('a backslash must be followed by one of " \\ / b f n r t u');
        }
      } else {
        at++;
      }
    }
    at++;
    return JSON.parse(text.slice(start, at));
  }

  skip();
  if (text[at] !== '{') {
    fail(at === text.length ? 'the document is empty; enter at least {}'
      : 'test data must be a JSON object that starts with {');
  }
  const node = value(1);
  skip();
  if (at < text.length) {
    fail('unexpected text after the end of the document');
  }
  return node;
}

/** The node at a path of names and array indexes, or undefined. */
export function nodeAt(node, path) {
  return path.reduce((inner, step) => typeof step === 'number' ? inner?.items?.[step]
    : inner?.entries?.find(each => each.name === step)?.node, node);
}

/** Formats over several lines; names and values stay as written. A text with an error stays as it is. */
export function formatted(text) {
  const { node } = parseDocument(text);
  return node ? print(text, node, '') + '\n' : text;
}

/** A node as several lines, those after its first with at least this indentation. */
function print(text, node, indent) {
  const inner = indent + '  ';
  const linesIn = (open, rows, close) => rows.length === 0 ? open + close
    : `${open}\n${rows.map(row => inner + row).join(',\n')}\n${indent}${close}`;
  switch (node.kind) {
    case 'object':
      return linesIn('{', node.entries.map(each => each.written + ': ' + print(text, each.node, inner)), '}');
    case 'list':
      return linesIn('[', node.items.map(item => print(text, item, inner)), ']');
    default:
      return text.slice(node.start, node.end);
  }
}

/**
 * Changes, adds or removes one value; everything else stays as written.
 *
 * @param text  a valid document
 * @param path  names and array indexes; an index past the end appends; missing objects and arrays on the path are added
 * @param value undefined to remove the name
 */
export function changed(text, path, value) {
  const { node } = parseDocument(text);
  const present = nodeAt(node, path);
  if (value === undefined) {
    return present ? without(text, nodeAt(node, path.slice(0, -1)), path.at(-1)) : text;
  }
  return present ? replaced(text, present, value) : withValue(text, node, path, value);
}

function replaced(text, { start, end }, value) {
  return text.slice(0, start) + JSON.stringify(value) + text.slice(end);
}

/** Adds a value that is not there; the text stays as it is if the path takes an array for an object, or the other way round. */
function withValue(text, node, path, value) {
  let length = path.length - 1;
  while (!['object', 'list'].includes(nodeAt(node, path.slice(0, length))?.kind)) {
    length--;
  }
  const around = nodeAt(node, path.slice(0, length));
  const step = path[length];
  if ((typeof step === 'number') !== (around.kind === 'list')) {
    return text;
  }
  const added = path.slice(length + 1).reduceRight((inner, name) => typeof name === 'number' ? [inner] : { [name]: inner }, value);
  const old = nodeAt(around, [step]); // such as null in the place of an object
  return old ? replaced(text, old, added) : withMore(text, around, step, added);
}

/** Appends to an object or array, on a new line if the other entries are. @param step the new name or index */
function withMore(text, around, step, value) {
  const parts = around.entries?.map(each => each.node) ?? around.items;
  const isEmpty = parts.length === 0;
  const isDocument = around.start === text.search(/\S/);
  const isWide = /[\r\n]/.test(text.slice(around.start, around.end)) || isEmpty && isDocument;
  const lineStart = text.lastIndexOf('\n', around.start) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart))[0];
  const json = JSON.stringify(value, null, isWide ? 2 : 0).replaceAll('\n', '\n' + indent + '  ');
  const part = (typeof step === 'number' ? '' : JSON.stringify(step) + ': ') + json;
  if (isEmpty) {
    const [before, behind] = isWide ? ['\n' + indent + '  ', '\n' + indent] : ['', ''];
    return text.slice(0, around.start + 1) + before + part + behind + text.slice(around.end - 1);
  }
  const { end } = parts.at(-1);
  return text.slice(0, end) + ',' + (isWide ? '\n' + indent + '  ' : ' ') + part + text.slice(end);
}

/** Removes an entry and its comma. @param step its name or index */
function without(text, around, step) {
  const i = around.entries ? around.entries.findIndex(each => each.name === step) : step;
  const nodes = around.entries?.map(each => each.node) ?? around.items;
  const before = i === 0 ? around.start + 1 : nodes[i - 1].end;
  const after = nodes[i].end;
  if (i > 0) {
    return text.slice(0, before) + text.slice(after);
  }
  const rest = text.slice(after).replace(/^\s*,/, '');
  return text.slice(0, before) + (nodes.length === 1 ? rest.trimStart() : rest);
}
