// Rich text from other programs as clean HTML: bold, italic, links, line breaks and lists, without foreign styles.
import { inertNodes } from '../preview/inert.js';

const BLOCKS = new Set(['ADDRESS', 'ARTICLE', 'ASIDE', 'BLOCKQUOTE', 'DD', 'DIV', 'DL', 'DT', 'FIGURE', 'FOOTER', 'FORM', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'HEADER',
  'HR', 'LI', 'MAIN', 'MENU', 'NAV', 'OL', 'P', 'PRE', 'SECTION', 'TABLE', 'TD', 'TH', 'TR', 'UL']);
const BLOCK_INSIDE = [...BLOCKS].join(', ');
const LISTS = new Set(['MENU', 'OL', 'UL']);
const DROPPED = new Set(['SCRIPT', 'STYLE', 'TITLE', 'META', 'LINK', 'HEAD', 'TEMPLATE', 'IFRAME', 'OBJECT', 'SVG', 'MATH', 'NOSCRIPT', 'TEXTAREA', 'SELECT', 'O:P']);
/** Maximum depth of elements that is read. */
const MAX_DEPTH = 100;
/** Maximum number of blocks, and of a list's items. */
const MAX_BLOCKS = 1_000;
/** Maximum length of the text of all blocks. */
const MAX_LENGTH = 1_000_000;
/** Maximum length of a link's address. */
const MAX_ADDRESS = 2_000;

/**
 * Cleans rich text.
 *
 * @return its blocks in order: {tag: 'p', 'ul' or 'ol', html} for paragraphs and lists
 */
export function cleanPaste(rich) {
  const pasted = inertNodes(rich);
  const blocks = [];
  const around = []; // inline elements with blocks inside, whose formats each of these blocks gets
  let line = '';
  let room = MAX_LENGTH;
  const append = text => {
    room -= text.length;
    line += room < 0 ? '' : text;
  };
  const formatted = text => around.reduceRight((inner, element) => wrapped(element, inner), text);
  const end = () => {
    const text = tidy(line);
    if (text !== '' && blocks.length < MAX_BLOCKS) {
      blocks.push({ tag: 'p', html: text });
    }
    line = '';
  };
  const read = (node, depth) => {
    for (const each of node.childNodes) {
      const name = each.nodeName.toUpperCase();
      if (each.nodeType === Node.TEXT_NODE) {
        append(formatted(escaped(each.data.replace(/[ \t\n\r\f]+/g, ' '))));
      } else if (each.nodeType !== Node.ELEMENT_NODE || DROPPED.has(name) || depth > MAX_DEPTH) {
        continue;
      } else if (name === 'BR') {
        line += '<br>';
      } else if (LISTS.has(name) && each.querySelector('li')) { // lists in it become part of it
        end();
        const items = [...each.querySelectorAll('li')].slice(0, MAX_BLOCKS).map(item => formatted(tidy(inlineOf(item, depth + 1)))).filter(text => text !== '');
        if (items.length > 0) {
          blocks.push({ tag: name === 'OL' ? 'ol' : 'ul', html: items.map(item => `<li>${item}</li>`).join('') });
        }
      } else if (BLOCKS.has(name)) {
        end();
        read(each, depth + 1);
        end();
      } else if (each.querySelector(BLOCK_INSIDE)) {
        around.push(each);
        read(each, depth + 1);
        around.pop();
      } else {
        append(formatted(wrapped(each, inlineOf(each, depth + 1))));
      }
    }
  };
  read(pasted, 0);
  end();
  return blocks;
}

/** The text of a node and of what is in it, without lists, as one line. */
function inlineOf(node, depth) {
  let text = '';
  for (const each of node.childNodes) {
    const name = each.nodeName.toUpperCase();
    if (each.nodeType === Node.TEXT_NODE) {
      text += escaped(each.data.replace(/[ \t\n\r\f]+/g, ' '));
    } else if (each.nodeType === Node.ELEMENT_NODE && !DROPPED.has(name) && !LISTS.has(name) && name !== 'LI' && depth <= MAX_DEPTH) {
      text += name === 'BR' ? '<br>' : wrapped(each, inlineOf(each, depth + 1)) + (BLOCKS.has(name) ? ' ' : '');
    }
  }
  return text;
}

/** A text in the formats of its element, which may also be styles: Google Docs has a bold element of normal weight around everything. */
function wrapped(node, text) {
  if (text.trim() === '') {
    return text;
  }
  const style = (node.getAttribute('data-style') ?? '').toLowerCase();
  const weight = /font-weight\s*:\s*([a-z0-9]+)/.exec(style)?.[1];
  const isBold = weight ? weight === 'bold' || weight === 'bolder' || Number(weight) >= 600 : ['B', 'STRONG'].includes(node.nodeName);
  const slant = /font-style\s*:\s*([a-z]+)/.exec(style)?.[1];
  const isItalic = slant ? slant === 'italic' || slant === 'oblique' : ['I', 'EM'].includes(node.nodeName);
  const href = node.nodeName === 'A' ? node.getAttribute('href')?.trim() ?? '' : '';
  let result = isItalic && !text.includes('<em>') ? `<em>${text}</em>` : text;
  result = isBold && !text.includes('<strong>') ? `<strong>${result}</strong>` : result;
  return href.length <= MAX_ADDRESS && /^(?:https?:|mailto:|tel:)/i.test(href) && !text.includes('<a ') ? `<a href="${escaped(href).replace(/"/g, '&quot;')}">${result}</a>` : result;
}

/** Text as HTML; braces that would be a tag are escaped, but for whole tags, which stay variables. */
function escaped(text) {
  return text.replace(/\u00a0/g, ' ').split(/(\{\{[{&~]?\s*[\w.@/-]+\s*~?\}?\}\})/).map((part, i) => i % 2 === 1 ? part
    : part.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\{(?=\{)/g, '&#123;')).join('');
}

const tidy = line => line.replace(/ +/g, ' ').replace(/^(?: |<br>)+|(?: |<br>)+$/g, '');
