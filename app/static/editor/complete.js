// Editor completion: variables, shared blocks, sections with their end tags, and the HTML elements and attributes used in
// emails.

/** Maximum number of suggestions. */
const MAX_NAMES = 200;
/** Maximum number of characters before the cursor searched for an open section. */
const MAX_BEFORE = 100_000;
/** Maximum number of characters of a line read before the cursor. */
const MAX_ON_LINE = 1_000;
/** Maximum number of added end tags that typing overwrites. */
const MAX_ADDED = 20;
const SECTIONS = ['each', 'if', 'unless', 'with'];
const ELEMENTS = ('a b blockquote body br center div em h1 h2 h3 h4 head hr html i img li link meta ol p pre span strong '
  + 'style sub sup table tbody td tfoot th thead title tr u ul').split(' ');
const COMMON = ['class', 'id', 'style', 'title', 'dir', 'lang', 'role', 'aria-hidden'];
const ATTRIBUTES = new Map(Object.entries({
  a: ['href', 'target', 'rel', 'name'],
  body: ['bgcolor'],
  html: ['xmlns'],
  img: ['src', 'alt', 'width', 'height', 'border', 'srcset', 'align'],
  link: ['rel', 'href', 'type'],
  meta: ['charset', 'name', 'content', 'http-equiv'],
  style: ['type', 'media'],
  ol: ['start', 'type'],
  table: ['width', 'align', 'bgcolor', 'border', 'cellpadding', 'cellspacing', 'height'],
  td: ['align', 'valign', 'width', 'height', 'bgcolor', 'colspan', 'rowspan', 'background'],
  th: ['align', 'valign', 'width', 'height', 'bgcolor', 'colspan', 'rowspan', 'scope'],
  tr: ['align', 'valign', 'bgcolor', 'height'],
}));

/** Contexts that open completion automatically: a tag, its section or block, an element, an attribute. */
const BEGINNINGS = [
  /\{\{[{&~]?[#>/]?$/, /\{\{[{&~]?\s*[\w.]$/, /\{\{#\w+ \w?$/, /\{\{~?> ?\w?$/,
  /<\/?[a-z]?$/i, /<[a-z][\w:-]*(?:\s+[\w:-]+="[^"]*")*\s+[a-z]$/i,
];

/**
 * Completes while typing and on Ctrl+Space.
 *
 * @param names returns {variables, blocks}, or a promise of them
 */
export function addCompletion(CodeMirror, mirror, names) {
  const show = () => mirror.showHint({ hint, completeSingle: false, closeCharacters: /[\s()[\]{};:>,"'=]/, closeOnPick: true });
  const hint = async () => {
    const cursor = mirror.getCursor();
    const found = suggestionsAt(mirror, CodeMirror, { cursor, ...await names(), again: show });
    if (found === null) {
      return null;
    }
    const data = { from: { line: cursor.line, ch: cursor.ch - found.typed.length }, to: cursor, list: found.list.slice(0, MAX_NAMES) };
    CodeMirror.on(data, 'shown', () => document.querySelector('.CodeMirror-hints').setAttribute('aria-label', 'Completions'));
    return data;
  };

  mirror.addKeyMap({ 'Ctrl-Space': show });
  mirror.on('changes', (_, changes) => {
    const { origin, text } = changes.at(-1);
    const typed = text.length === 1 ? text[0] : '';
    const isTyped = typed !== '' && typed.length <= 2 && (origin === undefined || origin === '+input' || origin === '+insert');
    if (isTyped && mirror.hasFocus() && !mirror.state.completionActive && begins(mirror)) {
      show();
    }
  });
}

/** True if a name begins before the cursor. */
function begins(mirror) {
  const { line, ch } = mirror.getCursor();
  const before = mirror.getLine(line).slice(Math.max(0, ch - MAX_ON_LINE), ch);
  return BEGINNINGS.some(one => one.test(before));
}

/**
 * The text to complete at the cursor and its suggestions: {typed, list}, or null if there are none.
 *
 * @param variables, blocks names to suggest
 * @param again             opens completion again for the next part
 */
function suggestionsAt(mirror, CodeMirror, { cursor, variables, blocks, again }) {
  const line = mirror.getLine(cursor.line);
  const before = line.slice(Math.max(0, cursor.ch - MAX_ON_LINE), cursor.ch);
  const tag = /\{\{(\{?)[&~]?\s*([#>/]?)\s*([^{}<>]*)$/.exec(before);
  if (tag) {
    const braces = /^\}*/.exec(line.slice(cursor.ch))[0];
    return inTag(tag, { variables, blocks, open: () => openSections(mirror, cursor) }, makers(mirror, braces, again));
  }
  const closing = /<\/([a-z][\w:-]*)?$/i.exec(before);
  if (closing) {
    const end = line[cursor.ch] === '>' ? '' : '>';
    return match(openElements(mirror, CodeMirror, cursor), closing[1] ?? '', name => plain(name, end));
  }
  const opening = /<([a-z][a-z0-9]*)?$/i.exec(before);
  if (opening) {
    return match(ELEMENTS, opening[1] ?? '', name => plain(name, ''));
  }
  const attribute = /<([a-z][\w:-]*)(?:\s+[\w:-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*\s+([a-z][\w:-]*)?$/i.exec(before);
  if (attribute) {
    const all = [...ATTRIBUTES.get(attribute[1].toLowerCase()) ?? [], ...COMMON];
    return match(all.filter(name => !before.includes(` ${name}=`)), attribute[2] ?? '', name => ({
      text: `${name}=""`, displayText: name, hint: (_, data, { text }) => insert(mirror, data, text, -1),
    }));
  }
  return null;
}

/** Suggestions in a Handlebars tag. @param names {variables, blocks, open}: `open` returns the open sections */
function inTag([, third, sign, words], { variables, blocks, open }, { close, section, sectionWord }) {
  const typed = /[^\s]*$/.exec(words)[0];
  const closed = name => close(name, third ? '}}}' : '}}');
  const helpers = SECTIONS.map(name => name + ' ');
  const isHelper = name => name.endsWith(' ');
  switch (sign) {
    case '>':
      return match(blocks, words, closed);
    case '/':
      return match(open(), words, closed);
    case '#': {
      const [, keyword] = /^(\w+)\s/.exec(words) ?? [];
      return keyword ? match(variables, typed, name => section(name, keyword))
        : match([...helpers, ...variables], typed, name => isHelper(name) ? sectionWord(name) : section(name, name));
    }
    default:
      return match([...variables, ...typed === '' ? [] : ['else'], ...helpers.map(name => '#' + name), '> '], typed,
        name => isHelper(name) ? sectionWord(name) : closed(name));
  }
}

/** {typed, list}: what was typed, and the suggestions that `make` makes of the names that begin with it. */
function match(names, typed, make) {
  return { typed, list: names.filter(name => name.toLowerCase().startsWith(typed.toLowerCase()) && name !== typed).map(make) };
}

function plain(name, more) {
  return { text: name + more, displayText: name };
}

/**
 * Functions that make suggestions in a Handlebars tag.
 *
 * @param braces the closing braces that follow the cursor
 */
function makers(mirror, braces, again) {
  return {
    /** A name with the closing braces that are still missing. */
    close: (name, all) => plain(name, all.slice(braces.length)),
    /** A section about a variable, with the cursor between its tags. */
    section: (name, word) => ({
      text: name, displayText: `${name} … /${word}`,
      hint: (_, data) => insert(mirror, { ...data, to: { ...data.to, ch: data.to.ch + Math.min(2, braces.length) } },
        `${name}}}{{/${word}}}`, -`{{/${word}}}`.length),
    }),
    /** A section keyword; completion of its variable follows. */
    sectionWord: word => ({
      text: word, displayText: word.trim(),
      hint(_, data) {
        insert(mirror, data, word + (braces === '' ? '}}' : ''), braces === '' ? -2 : 0);
        setTimeout(again);
      },
    }),
  };
}

/** Inserts text and moves the cursor to an offset from its end. */
function insert(mirror, { from, to }, text, offset) {
  mirror.replaceRange(text, from, to, 'complete');
  mirror.setCursor({ line: from.line, ch: from.ch + text.length + offset });
}

/** Sections open at the cursor, innermost first. */
function openSections(mirror, cursor) {
  const before = mirror.getRange({ line: 0, ch: 0 }, cursor).slice(-MAX_BEFORE);
  const open = [];
  for (const [, sign, name] of before.matchAll(/\{\{~?\s*([#^/])\s*([\w.]+)/g)) {
    const last = open.lastIndexOf(name);
    if (sign !== '/') {
      open.push(name);
    } else if (last >= 0) {
      open.length = last;
    }
  }
  return [...new Set(open.reverse())];
}

/** Elements open at the cursor, innermost first. */
function openElements(mirror, CodeMirror, cursor) {
  const { mode, state } = CodeMirror.innerMode(mirror.getMode(), mirror.getTokenAt(cursor, true).state);
  return [...new Set([...mode.xmlCurrentContext?.(state) ?? []].reverse())];
}

/**
 * Overwrites the end tag that the editor has added to a start tag, once the user types it. Changes have the origin "+insert" if the editor has
 * added an end tag, "+input" if the user has typed, and "complete" if a suggestion was chosen.
 */
export function overwriteEndTags(mirror) {
  let added = []; // marks of the latest end tags that the editor has added

  /** Remembers an end tag that the editor has added with the ">" before it. */
  function onAdded({ line, ch }, text) {
    added.push(mirror.markText({ line, ch: ch + 1 }, { line, ch: ch + text.length }));
    added = added.slice(-MAX_ADDED);
  }

  /** Removes an added end tag if the same one now ends before it. */
  function onTyped({ line, ch }, text) {
    const end = ch + text.length;
    const typed = /<\/[\w:-]+>$/.exec(mirror.getLine(line).slice(0, end))?.[0];
    const mark = typed && added.find(each => {
      const at = each.find();
      return at && at.from.line === line && at.from.ch === end && mirror.getRange(at.from, at.to) === typed;
    });
    if (mark) {
      const { from, to } = mark.find();
      mark.clear();
      mirror.replaceRange('', from, to, '+delete');
    }
  }

  mirror.on('change', (_, { text: lines, from, origin }) => {
    const [text] = lines;
    if (lines.length > 1) {
      return;
    }
    if (origin === '+insert' && /^><\/[\w:-]+>$/.test(text)) {
      onAdded(from, text);
    } else if ((origin === '+input' || origin === 'complete') && text.endsWith('>')) {
      onTyped(from, text);
    }
  });
}
