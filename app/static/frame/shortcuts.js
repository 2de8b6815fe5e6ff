// List of keyboard shortcuts, opened with F1 or Ctrl+/, or with ? outside text fields.
import { html, openDialog } from './dom.js';
import { dialog } from './dialog.js';

const EDITOR = [
  ['Ctrl+S', 'Save'],
  ['Ctrl+Enter', 'Publish the template or request a review'],
  ['Ctrl+Space', 'Autocomplete variables, blocks, sections, elements and attributes'],
  ['Ctrl+F', 'Find and replace'],
  ['Ctrl+Z, Ctrl+Y', 'Undo and redo, including in the preview'],
  ['Ctrl+], Ctrl+[', 'Indent and outdent lines'],
  ['Alt+Enter', 'Select the current element in the preview and edit it there'],
  ['Shift+Alt+F', 'Reindent the whole email'],
  ['Tab, Shift+Tab', 'Move to the next or previous field'],
];
const WRITE = [
  ['Alt+Up, Alt+Down', 'Move the chosen part'],
  ['Ctrl+D, Delete', 'Duplicate or delete it'],
  ['Ctrl+C, Ctrl+X, Ctrl+V', 'Copy, cut and paste parts, also between emails'],
  ['/', 'Add a part'],
  ['Enter', 'Edit the words or the fields of the chosen part'],
  ['Ctrl+B, Ctrl+I, Ctrl+K', 'Bold, italic or a link, for the selected words'],
  ['Shift+Enter', 'Break the line'],
];
const PAGES = [
  ['/', 'Search (template list only)'],
  ['F1, Ctrl+/, ?', 'Show this list'],
];

/** True if a key is pressed in a text field. */
const isTyping = ({ target }) => target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Shows the list. On a Mac, Command works like Ctrl. */
export function showShortcuts() {
  const rows = shortcuts => shortcuts.map(([keys, does]) => html`
    <tr><th scope="row">${keys.split(', ').map((key, i) => [i > 0 && ' ', html`<kbd>${key}</kbd>`])}</th><td>${does}</td></tr>`);
  return dialog('Shortcuts', () => html`
    <table class="small-list shortcuts">
      <caption>In the editor</caption>
      <tbody>${rows(EDITOR)}</tbody>
    </table>
    <table class="small-list shortcuts">
      <caption>In Write</caption>
      <tbody>${rows(WRITE)}</tbody>
    </table>
    <table class="small-list shortcuts">
      <caption>On every page</caption>
      <tbody>${rows(PAGES)}</tbody>
    </table>
    <p><a href="/docs/writing">How to write emails</a></p>`);
}

/** True if the key opens the list. */
function isShortcut(event) {
  switch (event.key) {
    case 'F1': return true;
    case '/': return event.ctrlKey || event.metaKey;
    case '?': return !isTyping(event);
    default: return false;
  }
}

document.addEventListener('keydown', event => {
  if (isShortcut(event) && !openDialog()) {
    event.preventDefault();
    showShortcuts();
  }
});
