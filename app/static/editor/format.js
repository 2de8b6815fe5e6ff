// Indents an email by its elements and sections. Changes only leading whitespace, and only where HTML collapses it, so that the
// email looks the same.

const INDENT = '  ';
/** Maximum indentation; deeper levels get this indentation. */
const MAX_DEPTH = 40;
/** Longer texts are not formatted. */
const MAX_CHARACTERS = 500_000;
/** Styles that preserve whitespace. */
const KEPT_SPACE = /white-space\s*:\s*(?:pre(?!-line)|break-spaces)/i;
const VOID = new Set(('area base br col embed hr img input link meta param source track wbr').split(' '));
/** Elements with verbatim text, or without child elements. */
const RAW = new Set(['pre', 'textarea', 'script', 'style', 'xmp', 'listing']);
/** Elements that do not indent their content. */
const FLAT = new Set(['html']);
/** Elements closed implicitly by the start of others. */
const ENDED_BY = new Map(Object.entries({
  li: ['li'], dt: ['dt', 'dd'], dd: ['dt', 'dd'], option: ['option'],
  td: ['td', 'th', 'tr', 'tbody', 'tfoot'], th: ['td', 'th', 'tr', 'tbody', 'tfoot'], tr: ['tr', 'tbody', 'tfoot'],
  p: ['address', 'blockquote', 'center', 'div', 'dl', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'ol', 'p', 'table', 'ul'],
}));
const TOKEN = new RegExp([
  /<!--[^]*?(?:-->|$)/, // any comment, including conditional comments
  /<![^>]{0,4000}>/,
  /<\/[a-z][\w:-]*[^>]{0,4000}>/,
  /<[a-z][\w:-]*(?:"[^"]{0,200000}"|'[^']{0,200000}'|[^"'>]){0,4000}>/,
  /\{\{![^]{0,4000}?\}\}/,
  /\{\{\{?[^{}]{0,2000}\}\}\}?/,
].map(one => one.source).join('|'), 'gi');
/** An end tag of an element or section, with the whitespace after it. */
const END = /^(?:<\/[a-z][\w:-]*\s*>|\{\{~?\s*\/[^}]*\}\})\s*/i;
const LINE_IN_QUOTES = /"[^"]*\n[^"]*"|'[^']*\n[^']*'/;

/** The text with its lines indented; null if it is too long or its styles preserve whitespace. */
export function reindent(text) {
  if (text.length > MAX_CHARACTERS || KEPT_SPACE.test(text)) {
    return null;
  }
  const lines = text.split('\n');
  const made = [];
  const stack = [];
  let start = 0;

  /** Outputs all lines that start at or before a place. */
  function outputTo(place, indent) {
    while (made.length < lines.length && start <= place) {
      const line = lines[made.length];
      start += line.length + 1;
      made.push(indent(line));
    }
  }

  const byDepth = line => indented(line, Math.min(depthOf(stack, line.trimStart()), MAX_DEPTH) * INDENT.length);
  const unchanged = line => line;
  /** Shifts lines by the same amount as the previous line. */
  const asPrevious = () => {
    const by = width(made.at(-1)) - width(lines[made.length - 1]);
    return line => indented(line, Math.max(0, width(line) + by));
  };

  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const [token] = found;
    outputTo(found.index, byDepth);
    const raw = rawElement(token);
    follow(token, stack);
    outputTo(TOKEN.lastIndex - 1, isFixed(token) ? unchanged : asPrevious());
    if (raw !== null) {
      const end = new RegExp(`</${raw}\\b`, 'gi');
      end.lastIndex = TOKEN.lastIndex;
      TOKEN.lastIndex = end.exec(text)?.index ?? text.length;
      outputTo(TOKEN.lastIndex, raw === 'style' ? asPrevious() : unchanged);
    }
  }
  outputTo(text.length, byDepth);
  return made.join('\n');
}

/** True for tokens whose inner lines must not move: Handlebars tags, tags with a line end in quotes, comments with preformatted text. */
function isFixed(token) {
  return token.startsWith('{{') || (token.startsWith('<!') ? /<pre\b/i.test(token) : LINE_IN_QUOTES.test(token));
}

/** A line with this indentation; blank lines have none. */
function indented(line, spaces) {
  const bare = line.replace(/^[ \t]+/, '');
  return bare === '' || bare === '\r' ? bare : ' '.repeat(spaces) + bare;
}

/** Width of a line's indentation. */
function width(line) {
  return line.match(/^[ \t]*/)[0].replaceAll('\t', INDENT).length;
}

/** The name of the element whose verbatim text follows a token, or null. */
function rawElement(token) {
  const name = /^<([a-z][\w:-]*)/i.exec(token)?.[1].toLowerCase();
  return RAW.has(name) && !token.endsWith('/>') ? name : null;
}

/** Updates the stack of open elements and sections. Elements with verbatim text end before anything else can follow. */
function follow(token, stack) {
  const [, slash, tag] = /^<(\/?)([a-z][\w:-]*)/i.exec(token) ?? [];
  const sign = /^\{\{\{?~?\s*([#^/])/.exec(token)?.[1];
  if (tag) {
    const name = tag.toLowerCase();
    if (slash) {
      close(stack, name);
    } else if (!VOID.has(name) && !token.endsWith('/>')) {
      endBefore(stack, name);
      stack.push(...RAW.has(name) ? [] : [name]);
    }
  } else if (sign === '/') {
    close(stack, '#');
  } else if (sign && !/^\{\{\{?~?\s*\^\s*~?\}\}/.test(token)) { // {{^}} alone is an else
    stack.push('#');
  }
}

/** Closes the innermost element with this name and everything inside; elements cannot extend past a section. */
function close(stack, name) {
  for (let i = stack.length - 1; i >= 0 && (stack[i] !== '#' || name === '#'); i--) {
    if (stack[i] === name) {
      stack.length = i;
      return;
    }
  }
}

/** Closes the elements that the start of an element with this name ends. */
function endBefore(stack, name) {
  while (stack.length > 0 && ENDED_BY.get(stack.at(-1))?.includes(name)) {
    stack.pop();
  }
}

/** Depth of a line, not counting elements and sections that are closed at its start. */
function depthOf(stack, line) {
  const open = [...stack];
  let rest = line;
  for (let tag = END.exec(rest); tag !== null; tag = END.exec(rest)) {
    follow(tag[0].trim(), open);
    rest = rest.slice(tag[0].length);
  }
  const begun = /^<([a-z][\w:-]*)/i.exec(rest);
  if (begun) {
    endBefore(open, begun[1].toLowerCase());
  }
  const depth = open.filter(name => !FLAT.has(name)).length;
  return /^\{\{~?\s*(?:else\b|\^\s*~?\}\})/.test(rest) ? Math.max(0, depth - 1) : depth;
}
