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
  const say = text => { lines[lines.length - 1] += text; };
  const end = () => lines.at(-1).trim() !== '' && lines.push('');
  const read = node => {
    if (node.nodeType === Node.TEXT_NODE) {
      say(node.data.replace(/[ \t\n\f\r]+/g, ' '));
    } else if (node.nodeType === Node.ELEMENT_NODE && !HIDDEN.has(node.nodeName)) {
      const isBlock = !INLINE.has(node.nodeName);
      if (isBlock) {
        end();
      }
      node.childNodes.forEach(read);
      say(node.nodeName === 'IMG' && node.alt ? `[${node.alt}]` : node.nodeName === 'A' && node.hasAttribute('href') ? ` <${node.getAttribute('href')}>` : '');
      if (isBlock) {
        end();
      }
    }
  };
  inertNodes(source).childNodes.forEach(read);
  return lines.map(line => line.replace(/ +/g, ' ').trim()).filter(line => line !== '').map(line => line + '\n').join('');
}

/** Differences in what two {subject, html} say. */
export async function wordDifferences(before, after, names) {
  const [old, now] = [before, after].map(({ html: source }) => wordsOf(source));
  return html`
    <div class="differences">
      ${await subjectDifference(before, after, names)}
      <h3>Text</h3>
      ${old === now ? html`<p class="hint">The same text. See Preview and HTML for other changes.</p>` : await difference(old, now, names)}
    </div>`;
}
