// Editor for a JSON document. Marks the first error and shows its line and column.
import { html, button } from '../frame/dom.js';
import { codeMirror, lineSeparator } from '../frame/library.js';

/** @param label name of the editor @param onChange receives the text after each change by the user @return {node, show, refresh, goToError} */
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
  // A scrollable region must be focusable by keyboard (WCAG 2.1.1).
  const scroller = mirror.getScrollerElement();
  scroller.tabIndex = 0;
  scroller.setAttribute('role', 'group');
  scroller.setAttribute('aria-label', label + ', scrollable');
  /** Editor documents by name of the set, each with a separate undo history. */
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
    /** Shows a set. Undo stays within it. @param found its error; undefined for none */
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
        doc.eol = lineSeparator(text);
        doc.setValue(text);
      }
      if (isNew) {
        doc.clearHistory();
      }
      error = found;
      showError();
    },
    /** Re-measures after being hidden. */
    refresh: () => mirror.refresh(),
    goToError,
  };
}
