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
/** Maximum length of the HTML of all blocks. */
const MAX_LENGTH = 1_000_000;
/** Maximum length of a link's address. */
const MAX_ADDRESS = 2_000;

/**
 * Cleans rich text.
 *
 * @return its blocks in order: {tag: 'p', 'ul' or 'ol', html} for paragraphs and lists
 */
export function cleanPaste(rich) {
  const blocks = [];
  const around = []; // inline elements with blocks inside, whose formats each of these blocks gets
  let line = '';
  let remaining = MAX_LENGTH;

  const formatted = text => around.reduceRight((inner, element) => wrapped(element, inner), text);

  /** Counts HTML against the maximum length. @return the HTML; empty once that is exceeded */
  function counted(text) {
    remaining -= text.length;
    return remaining < 0 ? '' : text;
  }

  function append(text) {
    line += counted(text);
  }

  /** Adds a block, unless it is empty or there are too many. */
  function add(tag, html) {
    if (html !== '' && blocks.length < MAX_BLOCKS) {
      blocks.push({ tag, html });
    }
  }

  /** Makes a paragraph of the present line. */
  function endLine() {
    add('p', tidy(line));
    line = '';
  }

  /** Reads a list. Lists in it become part of it. */
  function readList(list, depth) {
    const items = [...list.querySelectorAll('li')].slice(0, MAX_BLOCKS).map(item => formatted(tidy(inlineOf(item, depth + 1))));
    add(list.nodeName === 'OL' ? 'ol' : 'ul', items.filter(text => text !== '').map(text => counted(`<li>${text}</li>`)).join(''));
  }

  function readInside(node, depth) {
    if (depth <= MAX_DEPTH) {
      node.childNodes.forEach(each => read(each, depth + 1));
    }
  }

  /** Adds a node to the present line, or as blocks of its own. */
  function read(node, depth) {
    if (node.nodeType === Node.TEXT_NODE) {
      append(formatted(textOf(node)));
    } else if (!isRead(node)) {
      return;
    } else if (node.nodeName === 'BR') {
      append('<br>');
    } else if (LISTS.has(node.nodeName) && node.querySelector('li')) {
      endLine();
      readList(node, depth);
    } else if (BLOCKS.has(node.nodeName)) {
      endLine();
      readInside(node, depth);
      endLine();
    } else if (node.querySelector(BLOCK_INSIDE)) {
      around.push(node);
      readInside(node, depth);
      around.pop();
    } else {
      append(formatted(wrapped(node, inlineOf(node, depth + 1))));
    }
  }

  readInside(inertNodes(rich), 0);
  endLine();
  return blocks;
}

/** True for elements whose text is read. */
function isRead(node) {
  return node.nodeType === Node.ELEMENT_NODE && !DROPPED.has(node.nodeName.toUpperCase());
}

/** A text node as HTML. */
function textOf(node) {
  return escaped(node.data.replace(/[ \t\n\r\f]+/g, ' '));
}

/** The text of a node and of what is in it, without lists, as one line. */
function inlineOf(node, depth) {
  let text = '';
  for (const each of depth > MAX_DEPTH ? [] : node.childNodes) {
    const name = each.nodeName;
    if (each.nodeType === Node.TEXT_NODE) {
      text += textOf(each);
    } else if (name === 'BR') {
      text += '<br>';
    } else if (isRead(each) && !LISTS.has(name) && name !== 'LI') {
      text += wrapped(each, inlineOf(each, depth + 1)) + (BLOCKS.has(name) ? ' ' : '');
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
  const isLink = href.length <= MAX_ADDRESS && /^(?:https?:|mailto:|tel:)/i.test(href);
  let result = text;
  if (isItalic && !text.includes('<em>')) {
    result = `<em>${result}</em>`;
  }
  if (isBold && !text.includes('<strong>')) {
    result = `<strong>${result}</strong>`;
  }
  return isLink && !text.includes('<a ') ? `<a href="${escaped(href).replace(/"/g, '&quot;')}">${result}</a>` : result;
}

/** Text as HTML; braces that would be a tag are escaped, but for whole tags, which stay variables. */
function escaped(text) {
  return text.replace(/\u00a0/g, ' ').split(/(\{\{[{&~]?\s*[\w.@/-]+\s*~?\}?\}\})/).map((part, i) => i % 2 === 1 ? part
    : part.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\{(?=\{)/g, '&#123;')).join('');
}

const tidy = line => line.replace(/ +/g, ' ').replace(/^(?: |<br>)+|(?: |<br>)+$/g, '');
