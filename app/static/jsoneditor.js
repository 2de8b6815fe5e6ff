// The editor of a JSON document. The first error is told with its line and column, and marked.
import { html, button } from './dom.js';
import { codeMirror } from './library.js';

/** @param onChange gets the text that somebody has typed */
export async function jsonEditor({ label, onChange }) {
  const CodeMirror = await codeMirror();
  const status = html`<p class="json-status" role="status"></p>`;
  const code = html`<div class="code"></div>`;
  const node = html`<div class="json">${code}${status}</div>`;
  const mirror = CodeMirror(code, {
    mode: { name: 'javascript', json: true }, lineNumbers: true, lineWrapping: true, screenReaderLabel: label, tabSize: 2,
    indentUnit: 2,
    extraKeys: { Tab: false, 'Shift-Tab': false }, viewportMargin: 20,
  });
  // A part that scrolls must itself be reachable by keyboard (WCAG 2.1.1); the text is the field in it.
  const scroller = mirror.getScrollerElement();
  scroller.tabIndex = 0;
  scroller.setAttribute('role', 'group');
  scroller.setAttribute('aria-label', label + ', to scroll');
  /** One for each name, so that undo stays within it. */
  const documents = new Map();
  let error = null;
  let marked = null;

  mirror.on('change', (_, { origin }) => {
    if (origin !== 'setValue') {
      const doc = mirror.getDoc();
      doc.text = doc.getValue(doc.eol);
      onChange(doc.text);
    }
  });

  function showError() {
    if (marked !== null) {
      mirror.removeLineClass(marked, 'background', 'wrong-line');
    }
    marked = error ? mirror.addLineClass(error.line - 1, 'background', 'wrong-line') : null;
    status.classList.toggle('wrong', Boolean(error));
    status.replaceChildren(...(error
      ? [button(`Line ${error.line}, column ${error.column}`, goToError, { class: 'place' }), `: ${error.sentence}.`]
      : ['No errors.']));
  }

  function goToError() {
    if (error) {
      mirror.setCursor({ line: error.line - 1, ch: error.column - 1 });
      mirror.focus();
    }
  }

  return {
    node,
    /** Shows the text of a set and its error, or none; undo brings back only what was in the same one. */
    show(name, text, found) {
      const isNew = !documents.has(name);
      if (isNew) {
        documents.set(name, CodeMirror.Doc('', mirror.getOption('mode')));
      }
      const doc = documents.get(name);
      if (mirror.getDoc() !== doc) {
        mirror.swapDoc(doc);
        mirror.refresh();
      }
      if (doc.text !== text) {
        doc.text = text;
        doc.eol = text.includes('\r\n') && !/\r(?!\n)|(^|[^\r])\n/.test(text) ? '\r\n' : '\n';
        doc.setValue(text);
      }
      if (isNew) {
        doc.clearHistory();
      }
      error = found;
      showError();
    },
    /** Measures again what was hidden. */
    refresh: () => mirror.refresh(),
    goToError,
  };
}
