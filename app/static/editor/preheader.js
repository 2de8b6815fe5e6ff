// The preheader field. A preheader is hidden text at the start of an email, which inboxes show after the subject.
import { html } from '../frame/dom.js';
import { change, shownText } from '../preview/inplace.js';

/** Styles that hide a preheader; keep in sync with PlainText.HIDING. */
const HIDING = /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|opacity\s*:\s*0\s*(?:;|["']|$)|(?:max-height|font-size)\s*:\s*[01](?:px)?\s*(?:;|["']|$)/i;
const HIDDEN = /\shidden[\s=>]|\sclass\s*=\s*["']?[^"'>]*preheader/i;
const PADDING_AT_END = /(?:\s|&(?:nbsp|zwnj|zwj|shy|#847|#8199|#8203|#65279|#173|#160);|[\u00a0\u00ad\u034f\u061c\u200b-\u200f\u2007\u2060\ufeff])*$/;
/** Pads the preheader so that inboxes show no text after it. */
const PADDING = '&#847;&zwnj;&nbsp;'.repeat(50);

/** Elements whose content is text that mail clients do not show, and their start tags. */
const UNSEEN = /^<(style|script|title|textarea|xmp|iframe|noembed|noframes)[\s/>]/i;
const TAG_END = /["'>]/g;
/** Longest end of a condition that is read after the body tag, and the whitespace read between "=" and a quote. */
const MAX_END = 100;
const MAX_SPACE = 8;
/** Number of characters that tell what begins: at least the longest name of an unseen element, with "<" and the character after it. */
const HEAD = 12;

/** Finds the preheader: {from, to, text}, where text is null if it contains elements; null if text comes first or there is no preheader. */
export function preheaderOf(source) {
  for (const part of partsOf(source, bodyOf(source))) {
    const text = source.slice(part.from, part.to);
    if (part.kind === 'text' && text.trim() !== '') {
      return null;
    }
    if (part.kind === 'start' && part.name !== 'img' && (HIDDEN.test(text) || HIDING.test(text))) {
      const begin = part.to;
      const inside = source.slice(begin).split(new RegExp(`</${part.name}`, 'i'), 1)[0];
      const from = begin + inside.length - inside.trimStart().length;
      const to = Math.max(from, begin + inside.replace(PADDING_AT_END, '').length);
      return { from, to, text: inside.includes('<') ? null : shownText(source.slice(from, to), { collapses: true }) };
    }
  }
  return null;
}

/**
 * The parts of HTML that mail clients read: {kind, name, from, to}, where kind is start, end, text or unseen. Comments, the content of
 * conditional comments, styles, scripts and titles are unseen. Takes linear time.
 */
function* partsOf(source, start = 0) {
  const lastTagEnd = source.lastIndexOf('}}');
  for (let from = start, to; from < source.length; from = to) {
    const head = source.slice(from, from + HEAD);
    const name = /^<\/?([a-z][a-z0-9]*)/i.exec(head)?.[1].toLowerCase();
    let kind = 'unseen';
    if (head.startsWith('<!--')) {
      to = head[4] === '>' ? from + 5 : endOf(source, '-->', from + 2);
    } else if (head.startsWith('{{!--') && from < lastTagEnd) {
      to = endOf(source, '--}}', from);
    } else if (head.startsWith('{{') && from < lastTagEnd) {
      kind = head.startsWith('{{!') ? 'unseen' : 'text';
      to = endOf(source, '}}', from);
    } else if (UNSEEN.test(head)) {
      to = endOfUnseen(source, from, name);
    } else if (name) {
      kind = head[1] === '/' ? 'end' : 'start';
      to = endOfTag(source, from);
    } else if (/^<[!?/]/.test(head)) {
      to = endOfTag(source, from);
    } else {
      kind = 'text';
      to = endOfText(source, from);
    }
    yield { kind, name, from, to };
  }
}

/** The position after an element of this name whose content is unseen. */
function endOfUnseen(source, from, name) {
  const end = new RegExp(`</${name}[\\s/>]`, 'ig');
  end.lastIndex = endOfTag(source, from);
  return endOfTag(source, end.exec(source)?.index ?? source.length);
}

/** The position after a text, which may begin with braces that are no tag. */
function endOfText(source, from) {
  let to = source.startsWith('{{', from) ? from + 2 : from + 1;
  while (to < source.length && source[to] !== '<' && !source.startsWith('{{', to)) {
    to++;
  }
  return to;
}

/** The position after a string, or the end of the source. */
function endOf(source, string, from) {
  const at = source.indexOf(string, from);
  return at < 0 ? source.length : at + string.length;
}

/** The position after the tag that begins at a position. Quotes count only after "=". */
function endOfTag(source, from) {
  TAG_END.lastIndex = from;
  for (let found = TAG_END.exec(source); found !== null; found = TAG_END.exec(source)) {
    if (found[0] === '>') {
      return found.index + 1;
    }
    if (/=\s*$/.test(source.slice(Math.max(from, found.index - MAX_SPACE), found.index))) {
      TAG_END.lastIndex = endOf(source, found[0], found.index + 1);
    }
  }
  return source.length;
}

/**
 * The source change that sets the preheader: {from, to, text}, or null if none is needed or if the preheader contains elements. Inserts a
 * hidden element if there is no preheader.
 */
export function preheaderChange(source, wanted) {
  const found = preheaderOf(source);
  if (found && (found.text === null || found.text === wanted)) {
    return null;
  }
  if (found) { // rewritten as a whole, because a tag being typed is still incomplete
    const space = /^\s*/.exec(source.slice(found.to))[0];
    return { from: found.from, to: found.to + space.length, text: change('', wanted)?.text ?? '' };
  }
  const written = change('', wanted)?.text;
  if (!written) {
    return null;
  }
  const at = bodyOf(source);
  const element = `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${written}${PADDING}</div>`;
  return { from: at, to: at, text: at > 0 ? '\n' + element : element + '\n' };
}

/**
 * Start of the content that mail clients show: after the body tag, or after a first shared block, which may contain the body tag. If only
 * clients other than Outlook read the body tag, after the end of that condition, so that Outlook shows the preheader as well.
 */
function bodyOf(source) {
  let headEnd = 0;
  for (const { kind, name, to } of partsOf(source)) {
    if (kind === 'start' && name === 'body') {
      return to + (/^\s*<!--\s*<!\[endif\]-->/i.exec(source.slice(to, to + MAX_END))?.[0].length ?? 0);
    }
    headEnd = kind === 'end' && name === 'head' ? to : headEnd;
  }
  const first = headEnd > 0 ? null : /^\s*\{\{~?\s*>[^{}]*\}\}/.exec(source) ?? /^\s*<!doctype[^<>]*>/i.exec(source);
  return first ? first[0].length : headEnd;
}

/** The field below the subject: {input, nodes, show}. */
export function preheaderField(code) {
  const hint = html`<span class="hint" id="preheader-hint"></span>`;
  const input = html`
    <input id="preheader" type="text" autocomplete="off" placeholder="None; inboxes show the start of the email"
      aria-describedby="preheader-hint" @input=${onInput}>`;

  function onInput() {
    const edit = preheaderChange(code.text(), input.value);
    if (edit) {
      code.edits([edit]);
    }
    hint.textContent = '';
  }

  return {
    input,
    nodes: [html`<label for="preheader">Preheader</label>`, input, hint],
    /** Shows the code's preheader. @param checked the server's result: {text, length} */
    show(checked) {
      const found = preheaderOf(code.text());
      const isElsewhere = found ? found.text === null : checked.length > 0;
      input.readOnly = isElsewhere;
      if (document.activeElement !== input || isElsewhere) {
        input.value = found?.text ?? [...checked.text].slice(0, checked.length).join('');
      }
      hint.textContent = hintFor(found, checked);
    },
  };
}

/** @param found the preheader in the text, or null */
function hintFor(found, checked) {
  if (found === null) {
    return checked.length > 0 ? 'Edit this text in its shared block' : '';
  }
  if (found.text === null) {
    return 'Contains elements that you can edit only in the HTML';
  }
  return found.text !== '' && checked.length === 0 ? 'Inboxes show other text first' : '';
}
