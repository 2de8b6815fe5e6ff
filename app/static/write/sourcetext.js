// What operations read in an email's source: tags, styles, lines and their indentation. Everything else keeps its bytes.
import { startTag } from '../preview/inplace.js';

/** Maximum number of characters read to the end of a line, and of "<" before a place that may begin the tag around it. */
const MAX_ON_LINE = 200;
const MAX_OPENERS = 20;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;
const BLANK = /[ \t\n\f\r]/;
/** Handlebars tags, comments included. */
const TAG = /\{\{~?!--[^]*?--~?\}\}|\{\{\{?[^{}]*\}\}\}?/;
const TAGS = new RegExp(TAG, 'g');
const PARTS = new RegExp(`<!--[^]*?-->|${TAG.source}|<\\/?[a-zA-Z][^\\s/>{]*`, 'g');

/** A part of a path as Handlebars reads it: without whitespace and characters that mean something in a tag, or in brackets. */
const SEGMENT = /(?:[^\s!"#%-,./;->@[-^`{-~]+|\[[^\][{}]+\])/.source;
const VARIABLE = new RegExp(`^(?:\\.\\./)*@?${SEGMENT}(?:[./]${SEGMENT})*$`);
const BLOCK_NAME = /^[A-Za-z0-9][\w-]*(?:\/[\w.-]+)?$/;

/** Whether a text is the name or path of a variable. */
export const isVariable = name => VARIABLE.test(name ?? '');
/** Whether a text is the name of a shared block or image. */
export const isBlockName = name => BLOCK_NAME.test(name ?? '');

/** The line ending that an email uses. */
export function lineEnd(source) {
  return /\r?\n/.exec(source)?.[0] ?? '\n';
}

export function isBlank(text) {
  return !/[^ \t\n\f\r]/.test(text);
}

/** The whitespace before a place, back to the start of its line; null if there is something else. */
export function indentBefore(source, at) {
  let begin = at;
  while (begin > 0 && (source[begin - 1] === ' ' || source[begin - 1] === '\t')) {
    begin--;
  }
  return begin === 0 || source[begin - 1] === '\n' ? source.slice(begin, at) : null;
}

/** True if nothing but whitespace follows on the line; false also after more whitespace than is read. */
export function endsLine(source, at) {
  const end = source.length <= at + MAX_ON_LINE ? /^[ \t\r]*(?:\n|$)/ : /^[ \t\r]*\n/;
  return end.test(source.slice(at, at + MAX_ON_LINE));
}

/** A range with the lines that it has to itself; the range itself if other things are on its lines. */
export function wholeLines(source, { from, to }) {
  const indent = indentBefore(source, from);
  if (indent === null || !endsLine(source, to)) {
    return { from, to };
  }
  const end = source.indexOf('\n', to);
  return { from: from - indent.length, to: end < 0 ? source.length : end + 1 };
}

/** HTML of several lines at a place with this indentation. @param end the line ending */
export function indented(html, indent, end) {
  return html.split('\n').map((line, i) => i > 0 && line !== '' ? indent + line : line).join(end);
}

const QUOTES = { '"': '&quot;', "'": '&#39;' };

/**
 * Text as HTML: complete Handlebars tags stay tags, also after a backslash, which would make text of them.
 *
 * @param quote the quote around an attribute; empty in text
 */
export function written(text, quote = '') {
  let html = '';
  let at = 0;
  const plain = some => some.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\{(?=\{)|(?<=\{)\{/g, '&#123;')
    .replace(/["']/g, char => char === quote ? QUOTES[char] : char);
  for (const tag of text.matchAll(TAGS)) {
    html += plain(text.slice(at, tag.index)).replace(/\\$/, '&#92;') + tag[0];
    at = tag.index + tag[0].length;
  }
  return html + plain(text.slice(at));
}

/** The start tag whose source contains a place: {name, from, end, attributes}; null if the place is in text. */
export function tagAround(source, at) {
  let open = source.lastIndexOf('<', at - 1);
  for (let tries = 0; open >= 0 && tries < MAX_OPENERS; tries++) {
    const tag = startTag(source, open);
    if (tag) {
      return tag.end > at ? { ...tag, from: open } : null;
    }
    if (/^[/!]/.test(source[open + 1] ?? '')) {
      return null; // an end tag or a comment
    }
    open = source.lastIndexOf('<', open - 1);
  }
  return null;
}

/** An attribute of a tag, or null. @param tag null for none */
export function attribute(tag, name) {
  return tag?.attributes.find(each => each.name === name) ?? null;
}

/** The value of an attribute as written; empty if there is none. */
export function attributeText(source, tag, name) {
  const found = attribute(tag, name);
  return found && found.quote !== null ? source.slice(found.from, found.to) : '';
}

/** The edit that gives an attribute of a start tag a value. */
export function attributeEdit(tag, name, value) {
  const found = attribute(tag, name);
  const text = written(value, found?.quote || '"');
  if (found === null) {
    return { from: tag.nameEnd, to: tag.nameEnd, text: ` ${name}="${text}"` };
  }
  return found.quote === null ? { from: found.nameEnd, to: found.nameEnd, text: `="${text}"` }
    : { from: found.from, to: found.to, text: found.quote === '' ? `"${text}"` : text };
}

/** The first start tag of these elements in a range: {name, from, end, attributes}, or null. */
export function firstTag(source, from, to, names) {
  for (const part of parts(source, from, to)) {
    if (part.kind === 'start' && names.includes(part.name)) {
      return { ...part.tag, from: part.from };
    }
  }
  return null;
}

/** The number of characters that edits add to a source; negative if they take some away. */
export function growth(edits) {
  return edits.reduce((sum, { from, to, text }) => sum + text.length - (to - from), 0);
}

/** The declarations of a style: [{name, value}]. Semicolons in tags, quotes and parentheses separate nothing. */
export function declarations(style) {
  const found = [];
  let item = '';
  let depth = 0;
  for (const [part] of style.matchAll(/\{\{[^}]*\}\}|&#?\w+;|"[^"]*"|'[^']*'|[^]/g)) {
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
    if (part === ';' && depth <= 0) {
      found.push(item);
      item = '';
    } else {
      item += part;
    }
  }
  return [...found, item].map(text => {
    const colon = text.indexOf(':');
    return { name: text.slice(0, colon).trim().toLowerCase(), value: text.slice(colon + 1).trim() };
  }).filter(({ name, value }) => name !== '' && value !== '');
}

/**
 * Tags and comments in a range, in order: {kind, name, from, to, tag}. The kinds are start, end and empty for elements, open, close and tag
 * for Handlebars, and comment. `tag` is the start tag; null if it is never closed.
 */
export function parts(source, begin, end) {
  const found = [];
  const pattern = new RegExp(PARTS, 'g');
  pattern.lastIndex = begin;
  for (let match = pattern.exec(source); match && match.index < end; match = pattern.exec(source)) {
    const [text] = match;
    const from = match.index;
    if (text.startsWith('<!--')) {
      found.push({ kind: 'comment', name: '', from, to: pattern.lastIndex });
    } else if (text.startsWith('{{')) {
      found.push({ ...handlebarsOf(text), from, to: pattern.lastIndex });
    } else if (text[1] === '/') {
      const close = source.indexOf('>', from);
      pattern.lastIndex = close < 0 ? source.length : close + 1;
      found.push({ kind: 'end', name: text.slice(2).toLowerCase(), from, to: pattern.lastIndex });
    } else {
      const tag = startTag(source, from);
      pattern.lastIndex = tag ? tag.end : source.length;
      const isEmpty = tag && (VOID.test(tag.name) || source[tag.end - 2] === '/');
      found.push({ kind: isEmpty ? 'empty' : 'start', name: tag?.name ?? '', from, to: pattern.lastIndex, tag });
    }
  }
  return found;
}

/** Kind and name of a Handlebars tag; {{^}} without a name is an else, not a section. */
function handlebarsOf(text) {
  const inner = text.replace(/^\{\{\{?~?\s*/, '');
  const name = /^[#^/]?\s*([^\s~}]*)/.exec(inner)[1];
  const isOpen = inner[0] === '#' || inner[0] === '^' && name !== '';
  return { kind: isOpen ? 'open' : inner[0] === '/' ? 'close' : 'tag', name };
}

/** True if HTML closes all that it opens, and nothing else. */
export function isBalanced(html) {
  const open = [];
  for (const { kind, name } of parts(html, 0, html.length)) {
    const key = kind === 'open' || kind === 'close' ? '#' + name : name;
    if (kind === 'start' || kind === 'open') {
      open.push(key);
    } else if ((kind === 'end' || kind === 'close') && open.pop() !== key) {
      return false;
    }
  }
  return open.length === 0 && !/<!--(?![^]*?-->)/.test(html);
}

/** The first place at or after one that is not whitespace, up to an end. */
export function skipBlank(source, from, to) {
  let at = from;
  while (at < to && BLANK.test(source[at])) {
    at++;
  }
  return at;
}
