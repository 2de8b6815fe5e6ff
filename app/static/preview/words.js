// The text of an email as its readers see it, for comparing what it says.
import { html } from '../frame/dom.js';
import { difference, subjectDifference } from '../frame/difference.js';
import { inertNodes } from './inert.js';

const HIDDEN = new Set(['SCRIPT', 'STYLE', 'TITLE', 'TEMPLATE', 'NOEMBED', 'NOFRAMES', 'IFRAME']);
const INLINE = new Set(['A', 'ABBR', 'B', 'BIG', 'CITE', 'CODE', 'DEL', 'EM', 'FONT', 'I', 'IMG', 'INS', 'KBD', 'MARK', 'Q', 'S', 'SAMP', 'SMALL', 'SPAN',
  'STRIKE', 'STRONG', 'SUB', 'SUP', 'TT', 'U', 'VAR', 'WBR']);

/** Words, alternative texts of images and addresses of links, a line for each block of text. */
export function wordsOf(source) {
  const lines = [''];
  const append = text => { lines[lines.length - 1] += text; };
  const end = () => {
    if (lines.at(-1).trim() !== '') {
      lines.push('');
    }
  };
  const read = node => {
    if (node.nodeType === Node.TEXT_NODE) {
      append(node.data.replace(/[ \t\n\f\r]+/g, ' '));
    } else if (node.nodeType === Node.ELEMENT_NODE && !HIDDEN.has(node.nodeName)) {
      const endBlock = INLINE.has(node.nodeName) ? () => {} : end;
      endBlock();
      node.childNodes.forEach(read);
      append(addition(node));
      endBlock();
    }
  };
  inertNodes(source).childNodes.forEach(read);
  return lines.map(line => line.replace(/ +/g, ' ').trim()).filter(line => line !== '').map(line => line + '\n').join('');
}

/** Text for what an element's words lack: `[alternative text]` of an image, ` <address>` of a link; empty for others. */
function addition(node) {
  if (node.nodeName === 'IMG') {
    return node.alt ? `[${node.alt}]` : '';
  }
  return node.nodeName === 'A' && node.hasAttribute('href') ? ` <${node.getAttribute('href')}>` : '';
}

/** Differences in what two {subject, html} say, as nodes. @param names labels of the two */
export async function wordDifferences(before, after, names) {
  const [oldWords, newWords] = [before, after].map(({ html: source }) => wordsOf(source));
  return html`
    <div class="differences">
      ${await subjectDifference(before, after, names)}
      <h3>Text</h3>
      ${oldWords === newWords ? html`<p class="hint">The same text. See Preview and HTML for other changes.</p>`
        : await difference(oldWords, newWords, names)}
    </div>`;
}
