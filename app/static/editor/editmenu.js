// The editor's menu and the names offered for completion.
import { attempt, notify } from '../frame/dialog.js';
import { get } from '../frame/server.js';
import { blockNames, chooseBlock, insertBlock, insertImage, makeBlock, makeBlockOf } from './insert.js';
import { showShortcuts } from '../frame/shortcuts.js';

/** Maximum number of variables offered for completion. */
const MAX_VARIABLES = 1_000;

/**
 * @param code returns the editor
 * @param own  name of the shared block being edited, or null
 */
export function editMenu({ code, own }) {
  let variables = [];
  let blocks = null;

  function indent() {
    if (!code().format()) {
      notify('Cannot indent this HTML because it is too long or its styles preserve whitespace.', 'failed');
    }
  }

  return {
    indent,
    /** Adds a dropped or pasted image file and inserts it at the cursor. */
    onImage: file => attempt(() => insertImage(code(), file)),
    makeBlock: () => attempt(() => makeBlock(code(), () => { blocks = null; })),
    /** Makes a shared block of a part of the email. @param onMade receives its name; not called if the part stays as it is */
    makeBlockOf: (text, onMade) => makeBlockOf(text, name => {
      blocks = null;
      onMade(name);
    }, { mayCopy: true }),
    chooseBlock: title => chooseBlock(own, title),
    readBlock: async name => (await get('/data/blocks/' + name)).html,
    items: () => [
      { text: 'Undo', run: code().undo, keys: 'Ctrl+Z' },
      { text: 'Redo', run: code().redo, keys: 'Ctrl+Y' },
      { text: 'Find and replace', run: code().find, keys: 'Ctrl+F' },
      { text: 'Insert block…', run: () => attempt(() => insertBlock(code(), own)) },
      { text: 'Insert image…', run: () => attempt(() => insertImage(code())) },
      { text: 'Indent', run: indent, keys: 'Shift+Alt+F' },
      { text: 'Shortcuts', run: showShortcuts, keys: 'F1' },
    ],
    /** Names for completion. Block names are fetched once. */
    async names() {
      blocks ??= blockNames({ background: true, quiet: true }).catch(() => {
        blocks = null;
        return [];
      });
      return { variables, blocks: await blocks };
    },
    /** Names of the known variables. */
    variables: () => variables,
    /** Adds variable names to the names offered for completion. */
    learn(names) {
      variables = [...new Set([...names, ...variables])].slice(0, MAX_VARIABLES);
    },
  };
}
