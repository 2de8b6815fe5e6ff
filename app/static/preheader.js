// The preheader field. A preheader is hidden text at the start of an email, which inboxes show after the subject.
import { html, count } from './dom.js';
import { change, shownText } from './inplace.js';

/** Styles that hide a preheader; keep in sync with PlainText.HIDING. */
const HIDING = /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|opacity\s*:\s*0\s*(?:;|["']|$)|(?:max-height|font-size)\s*:\s*[01](?:px)?\s*(?:;|["']|$)/i;
const HIDDEN = /\shidden[\s=>]|\sclass\s*=\s*["']?[^"'>]*preheader/i;
/** The next piece of HTML: a comment, invisible content, a tag or text. */
const PART = /<!--[\s\S]*?-->|\{\{!--[\s\S]*?--\}\}|<(style|script|title)\b[\s\S]*?<\/\1\s*>|<[/!]?[a-z][^<>]*>|[^<]+/iy;
const PADDING_AT_END = /(?:\s|&(?:nbsp|zwnj|zwj|shy|#847|#8199|#8203|#65279|#173|#160);|[\u00a0\u00ad\u034f\u061c\u200b-\u200f\u2007\u2060\ufeff])*$/;
/** Pads the preheader so that inboxes show no text after it. */
const PADDING = '&#847;&zwnj;&nbsp;'.repeat(50);

/** Finds the preheader: {from, to, text}, where text is null if it contains elements; null without a preheader. */
export function preheaderOf(source) {
  PART.lastIndex = bodyOf(source);
  for (let part = PART.exec(source); part !== null; part = PART.exec(source)) {
    const [text] = part;
    const name = /^<([a-z][a-z0-9]*)/i.exec(text)?.[1].toLowerCase();
    if (!text.startsWith('<') && !text.startsWith('{{!') && text.trim() !== '') {
      return null;
    }
    if (name && !part[1] && name !== 'img' && (HIDDEN.test(text) || HIDING.test(text))) {
      const begin = PART.lastIndex;
      const inside = source.slice(begin).split(new RegExp(`</${name}`, 'i'), 1)[0];
      const from = begin + inside.length - inside.trimStart().length;
      const to = Math.max(from, begin + inside.replace(PADDING_AT_END, '').length);
      return { from, to, text: inside.includes('<') ? null : shownText(source.slice(from, to), { collapses: true }) };
    }
  }
  return null;
}

/**
 * The source change that sets the preheader: {from, to, text}, or null if none is needed. Inserts a hidden element if there is
 * no preheader.
 */
export function preheaderChange(source, wanted) {
  const found = preheaderOf(source);
  if (found) { // rewrite the element as a whole, because a tag being typed is still incomplete
    const space = /^\s*/.exec(source.slice(found.to))[0];
    return found.text === null || found.text === wanted ? null
      : { from: found.from, to: found.to + space.length, text: change('', wanted)?.text ?? '' };
  }
  const at = bodyOf(source);
  const written = change('', wanted)?.text;
  return written ? { from: at, to: at, text:
    `${at > 0 ? '\n' : ''}<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${written}${PADDING}</div>${at > 0 ? '' : '\n'}` } : null;
}

/** Start of the visible content: after the body tag, or after a first shared block, which may contain the body tag. */
function bodyOf(source) {
  const body = /<body\b[^<>]*>/i.exec(source) ?? /<\/head\s*>/i.exec(source) ?? /^\s*\{\{~?\s*>[^{}]*\}\}/.exec(source)
    ?? /^\s*<!doctype[^<>]*>/i.exec(source);
  return body ? body.index + body[0].length : 0;
}

/** The field below the subject: {nodes, show}. */
export function preheaderField(code) {
  const length = html`<span class="hint" id="preheader-length"></span>`;
  const input = html`
    <input id="preheader" type="text" autocomplete="off" aria-describedby="preheader-length" @input=${onInput}>`;

  function onInput() {
    const edit = preheaderChange(code.text(), input.value);
    if (edit) {
      code.edit(edit.from, edit.to, edit.text);
    }
    showLength('');
  }

  function showLength(more) {
    const characters = [...input.value].length;
    length.textContent = (characters === 0 ? 'none; inboxes show the start of the email' : count(characters, 'character')) + more;
  }

  return {
    nodes: [html`<label for="preheader">Preheader</label>`, input, length],
    /** Shows the code's preheader. @param checked the server's result: {text, length} */
    show(checked) {
      const found = preheaderOf(code.text());
      const isElsewhere = found ? found.text === null : checked.length > 0;
      input.readOnly = isElsewhere;
      if (document.activeElement !== input || isElsewhere) {
        input.value = found?.text ?? [...checked.text].slice(0, checked.length).join('');
      }
      showLength(isElsewhere ? found ? '; contains elements that you can edit only in the HTML' : '; edit this text in its shared block'
        : found?.text && checked.length === 0 ? '; inboxes show other text first' : '');
    },
  };
}
