// Shows characters that cannot be seen, in differences.
import { html } from './dom.js';

const NAMES = { '\u00a0': 'NBSP', '\u00ad': 'SHY', '\u200b': 'ZWSP', '\u200c': 'ZWNJ', '\u200d': 'ZWJ', '\u200e': 'LRM', '\u200f': 'RLM',
  '\u202f': 'NNBSP', '\u2060': 'WJ', '\ufeff': 'BOM', '\r': 'CR', '\t': '→', ' ': '·' };
/** Characters without a visible shape, and spaces at the end of a line. */
const UNSEEN = /[\t\r\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffb]| +(?=\r?$)/gu;

/** The name of a character: "NBSP", "U+2066". */
function nameOf(char) {
  return NAMES[char] ?? 'U+' + char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
}

/**
 * The unseen characters of a text, as {at, chars}.
 *
 * @param isWhole   true if the text ends where its line ends, so that spaces there count
 * @param isChanged true if the text has changed: spaces count if nothing else has
 */
export function unseenIn(text, { isWhole = true, isChanged = false } = {}) {
  const isBlank = isChanged && text.trim() === '';
  const pattern = isBlank ? new RegExp(`${UNSEEN.source}| `, 'gu') : UNSEEN;
  return Array.from(text.matchAll(pattern), found => ({ at: found.index, chars: found[0] }))
    .filter(({ chars }) => chars[0] !== ' ' || isWhole || isBlank);
}

/** A text's nodes, in which each of {@link unseenIn} has a label. Copying the text copies the characters. */
export function shownUnseen(text, options) {
  const nodes = [];
  let from = 0;
  for (const { at, chars } of unseenIn(text, options)) {
    nodes.push(text.slice(from, at), ...Array.from(chars, char => html`<span class="unseen" data-as=${nameOf(char)}>${char}</span>`));
    from = at + chars.length;
  }
  return [...nodes, text.slice(from)].filter(node => node !== '');
}
