// Shows characters that cannot be seen, in differences.
import { html } from './dom.js';

const NAMES = { '\u00a0': 'NBSP', '\u00ad': 'SHY', '\u200b': 'ZWSP', '\u200c': 'ZWNJ', '\u200d': 'ZWJ', '\u200e': 'LRM', '\u200f': 'RLM',
  '\u202f': 'NNBSP', '\u2060': 'WJ', '\ufeff': 'BOM', '\r': 'CR', '\t': '→', ' ': '·' };
/** Characters without a visible shape, and spaces at the end of a line. */
const UNSEEN = /[\t\r\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffb]| +(?=\r?$)/gu;

/** The name of a character: {@code NBSP}, {@code U+2066}. */
function nameOf(char) {
  return NAMES[char] ?? 'U+' + char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
}

/**
 * A text's nodes, in which each unseen character has a label. Copying the text copies the characters.
 *
 * @param isWhole   true if the text ends where its line ends, so that spaces there are labelled
 * @param isChanged true to label all spaces, because they are what has changed
 */
export function shownUnseen(text, { isWhole = true, isChanged = false } = {}) {
  const nodes = [];
  let at = 0;
  const pattern = isChanged && text.trim() === '' ? new RegExp(`${UNSEEN.source}| `, 'gu') : UNSEEN;
  for (const found of text.matchAll(pattern)) {
    if (found[0][0] === ' ' && !isWhole && !isChanged) {
      continue;
    }
    nodes.push(text.slice(at, found.index), ...Array.from(found[0], char => html`<span class="unseen" data-as=${nameOf(char)}>${char}</span>`));
    at = found.index + found[0].length;
  }
  return [...nodes, text.slice(at)].filter(node => node !== '');
}
