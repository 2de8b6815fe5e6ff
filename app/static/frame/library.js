// Loads third-party libraries (editor, text difference, QR code) only on pages that need them.
import { html } from './dom.js';

const loading = new Map();
// The build puts them beside app.js.
const addressOf = name => new URL('../' + name, import.meta.url).pathname;

function script(name) {
  return loadOnce(name, () => {
    const node = Object.assign(document.createElement('script'), { src: addressOf(name) });
    document.head.append(node);
    return node;
  });
}

/** Placed before Stet's style sheets, which override parts of it. */
function stylesheet(name) {
  return loadOnce(name, () => {
    const node = html`<link rel="stylesheet" href=${addressOf(name)}>`;
    document.head.prepend(node);
    return node;
  });
}

/** @param insert adds an element to the document and returns it; called again only if loading failed */
function loadOnce(name, insert) {
  if (!loading.has(name)) {
    loading.set(name, new Promise((done, failed) => {
      const node = insert();
      node.addEventListener('load', done);
      node.addEventListener('error', () => {
        loading.delete(name);
        node.remove();
        failed(new Error('Part of this page could not be loaded. Reload the page'));
      });
    }));
  }
  return loading.get(name);
}

/** CodeMirror with the add-ons for editing emails. */
export async function codeMirror() {
  await Promise.all([script('codemirror.js'), stylesheet('codemirror.css')]);
  await Promise.all(['xml.js', 'javascript.js', 'css.js', 'overlay.js', 'searchcursor.js', 'xml-fold.js', 'show-hint.js',
    'closebrackets.js'].map(script));
  await Promise.all(['htmlmixed.js', 'matchtags.js', 'closetag.js'].map(script));
  return window.CodeMirror;
}

/** The line ending with which an editor preserves a text exactly. */
export function lineSeparator(text) {
  return text.includes('\r\n') && !/\r(?!\n)|(^|[^\r])\n/.test(text) ? '\r\n' : '\n';
}

/** A QR code: {size, isDark(row, column)}. */
export async function qrCode(text) {
  await script('qrcode.js');
  const { QRCode } = window;
  // The library also renders into an element, which is never attached.
  const made = new QRCode(document.createElement('div'), { text, correctLevel: QRCode.CorrectLevel.M })._oQRCode;
  return { size: made.getModuleCount(), isDark: (row, column) => made.isDark(row, column) };
}

/** The library jsdiff, which compares texts. */
export async function jsdiff() {
  await script('diff.min.js');
  return window.Diff;
}
