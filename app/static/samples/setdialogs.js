// Dialogs to add, duplicate, rename and delete test data sets, and to read a set from a file.
import { html } from '../frame/dom.js';
import { confirmed, formDialog } from '../frame/dialog.js';
import { choice, field, refusal } from '../frame/form.js';
import { completed } from './examples.js';
import { DEFAULT, EMPTY, NAME, freeName } from './sets.js';

/** Maximum size of a test data file, as on the server. */
const MAX_FILE_BYTES = 1 << 20;

/**
 * @param sets result of `testSets`
 * @param tree returns the variables of the text
 */
export function setDialogs(sets, tree) {
  /** The entered name. @param own the present name of a set that is renamed, or null @throws an error if the name is invalid or in use */
  function checkedName(typed, own = null) {
    const name = typed.trim();
    if (!NAME.test(name)) {
      throw refusal('Use 1 to 64 letters, digits, - and _, and start with a letter or digit', 'name');
    } else if (sets.names().some(each => each !== own && each.toLowerCase() === name.toLowerCase())) {
      throw refusal(`Test data named “${name}” already exists. Choose another name`, 'name');
    }
    return name;
  }

  async function add() {
    const chosen = sets.chosen();
    const file = html`<input type="file" id="test-file" accept=".json,application/json">`;
    const kinds = [
      { value: 'example', label: 'An example', hint: 'generated from the variables in this draft' },
      ...chosen ? [{ value: 'copy', label: 'A copy of ' + chosen }] : [],
      { value: 'file', label: 'A JSON file', hint: 'choose it below' },
      { value: 'empty', label: 'Empty' },
    ];
    await formDialog('New test data', 'Add', [
      nameField(sets.names().length === 0 ? DEFAULT : ''),
      choice('kind', 'Start from', kinds, 'example'),
      html`<div class="field"><label for="test-file">File</label>${file}<p class="error" data-error="file"></p></div>`,
    ], async given => {
      const name = checkedName(given.name);
      const kind = file.files.length > 0 ? 'file' : given.kind;
      if (kind === 'file' && file.files.length === 0) {
        throw refusal('Choose a file', 'file');
      }
      const texts = { example: () => completed(EMPTY, tree()), copy: () => sets.text(chosen), file: () => textOf(file.files[0]), empty: () => EMPTY };
      sets.add(name, await texts[kind]());
    });
  }

  async function duplicate() {
    const chosen = sets.chosen();
    const free = freeName(chosen, sets.read().samples);
    await formDialog('Duplicate ' + chosen, 'Duplicate', nameField(free),
      given => { sets.add(checkedName(given.name), sets.text(chosen)); });
  }

  async function rename() {
    const chosen = sets.chosen();
    await formDialog('Rename ' + chosen, 'Rename', nameField(chosen), given => { sets.rename(checkedName(given.name, chosen)); });
  }

  async function remove() {
    if (await confirmed(`Delete test data ${sets.chosen()}?`, 'The test data is deleted when you save the draft.', 'Delete',
      { danger: true })) {
      sets.remove();
    }
  }

  return { add, duplicate, rename, remove };
}

function nameField(value) {
  return field('name', 'Name', { maxlength: 64, required: true, spellcheck: 'false', class: 'mono', value, autofocus: true },
    'Letters, digits, - and _. Used as the file name when you export.');
}

/** The text of a file. @throws an error if the file cannot be a set of test data */
export async function textOf(file) {
  if (file.size > MAX_FILE_BYTES) {
    throw refusal('The file is larger than 1 MiB. Choose a smaller file', 'file');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw refusal('The file is not UTF-8. Convert it to UTF-8 and try again', 'file');
  }
}
