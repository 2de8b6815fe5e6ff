// List of keyboard shortcuts, opened with F1 or Ctrl+/, or with ? outside text fields.
import { html } from './dom.js';
import { dialog } from './dialog.js';

const EDITOR = [
  ['Ctrl+S', 'saves'],
  ['Ctrl+Enter', 'publishes, after showing what changes'],
  ['Ctrl+Space', 'completes variables, blocks, sections, elements and attributes'],
  ['Ctrl+F', 'finds and replaces'],
  ['Ctrl+Z, Ctrl+Y', 'undoes, and redoes; in the preview, too'],
  ['Ctrl+], Ctrl+[', 'moves lines in and out'],
  ['Alt+Enter', 'shows in the preview the part that the cursor is in, with a bar to change it'],
  ['Shift+Alt+F', 'indents the whole mail'],
  ['Tab, Shift+Tab', 'leaves the text for what comes after or before it'],
];
const PAGES = [
  ['/', 'goes to the search field of a list'],
  ['F1, Ctrl+/, ?', 'shows this list'],
];

/** True if the focus is in a text field. */
const isTyping = target => target.closest?.('input, textarea, select, [contenteditable]') !== null;

/** Shows the list. On a Mac, Command works like Ctrl. */
export function showShortcuts() {
  const rows = all => all.map(([keys, does]) => html`
    <tr><th scope="row">${keys.split(', ').map((key, i) => [i > 0 && ' ', html`<kbd>${key}</kbd>`])}</th><td>${does}</td></tr>`);
  return dialog('Shortcuts', () => html`
    <table class="small-list shortcuts">
      <caption>In the editor</caption>
      <tbody>${rows(EDITOR)}</tbody>
    </table>
    <table class="small-list shortcuts">
      <caption>On every page</caption>
      <tbody>${rows(PAGES)}</tbody>
    </table>
    <p><a href="/docs/writing">How to write mails</a></p>`);
}

document.addEventListener('keydown', event => {
  const isAsked = event.key === 'F1' || event.key === '/' && (event.ctrlKey || event.metaKey)
    || event.key === '?' && !isTyping(event.target);
  if (isAsked && !document.querySelector('dialog[open]')) {
    event.preventDefault();
    showShortcuts();
  }
});
