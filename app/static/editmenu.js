// The editor's menu, and the names that its completion offers.
import { attempt, notify } from './dialog.js';
import { blockNames, insertBlock, makeBlock } from './insert.js';
import { showShortcuts } from './shortcuts.js';

/** Variables that completion knows, at most. */
const MAX_VARIABLES = 1_000;

/**
 * @param code gives the editor
 * @param own  name of the shared block that is edited, or null
 */
export function editMenu({ code, own }) {
  let variables = [];
  let blocks = null;

  function indent() {
    if (!code().format()) {
      notify('Not indented: the mail is too long, or its styles show whitespace as it is written.', 'failed');
    }
  }

  return {
    indent,
    items: () => [
      { text: 'Undo', run: code().undo, keys: 'Ctrl+Z' },
      { text: 'Redo', run: code().redo, keys: 'Ctrl+Y' },
      { text: 'Find and replace', run: code().find, keys: 'Ctrl+F' },
      { text: 'Insert a block…', run: () => attempt(() => insertBlock(code(), own)) },
      { text: 'Make the selection a block…', run: () => attempt(() => makeBlock(code(), () => { blocks = null; })),
        reason: code().selection() === '' && 'Select a part first' },
      { text: 'Indent', run: indent, keys: 'Shift+Alt+F' },
      { text: 'Shortcuts', run: showShortcuts, keys: 'F1' },
    ],
    /** The names for completion. Those of blocks are asked for once. */
    async names() {
      blocks ??= blockNames({ background: true, quiet: true }).catch(() => {
        blocks = null;
        return [];
      });
      return { variables, blocks: await blocks };
    },
    /** Adds names of variables. Those that were in the text before stay known. */
    learn(names) {
      variables = [...new Set([...names, ...variables])].slice(0, MAX_VARIABLES);
    },
  };
}
