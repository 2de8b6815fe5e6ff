// The variables that callers supply, and the preview's test data, edited in fields or as JSON.
import { html, button, toggle } from '../frame/dom.js';
import { attempt } from '../frame/dialog.js';
import { completed } from './examples.js';
import { formatted } from './json.js';
import { jsonEditor } from './jsoneditor.js';
import { menuButton } from '../frame/menu.js';
import { NOT_CHECKED, sampleFields } from './samplefields.js';
import { setDialogs, textOf } from './setdialogs.js';
import { DEFAULT, EMPTY, testSets } from './sets.js';

/**
 * @param saved    the last saved text
 * @param isSaved  true if the sets are saved with the text; otherwise there is one temporary set
 * @param goTo     shows a place in the text
 * @param onChange runs after each change of the test data
 */
export function variablesPanel({ saved, isSaved, goTo, onChange }) {
  const sets = testSets(saved, () => {
    refresh();
    onChange();
  });
  const text = () => sets.text() ?? EMPTY;
  let found = NOT_CHECKED;
  const fields = sampleFields({ text, node: () => sets.parsed().node, write: sets.write, goTo });
  const json = jsonView(sets, text);
  const chooser = setChooser(sets, setDialogs(sets, () => found.tree), choose);
  const notice = html`<div></div>`;
  const complete = button('Add missing examples', () => sets.write(completed(text(), found.tree)), { class: 'small' });
  const views = toggle('Test data as', ['Fields', 'JSON'], 'Fields', name => attempt(() => showAs(name)));
  const node = html`
    <div>
      ${introduction(isSaved)}
      ${isSaved && chooser.node}
      <div class="row">${views.node}${isSaved && chooser.menu}${complete}</div>
      ${notice}
      ${fields.node}
      ${json.node}
    </div>`;
  refresh();

  function choose(name) {
    sets.choose(name);
    refresh();
    onChange();
  }

  async function showAs(view) {
    views.press(view);
    await json.setShown(view === 'JSON');
    fields.node.hidden = json.isShown();
    refresh();
    json.measure();
  }

  /** Shows the sets as they now are. */
  function refresh() {
    const { error } = sets.parsed();
    chooser.refresh();
    notice.replaceChildren(!error || json.isShown() ? '' : html`
      <p class="notice">
        Error on line ${error.line}: ${error.sentence}.
        ${button('Show error', () => attempt(goToError), { class: 'small' })}
      </p>`);
    const isMissing = variable => variable.isMissing || variable.inner.some(isMissing);
    complete.hidden = Boolean(error) || !found.tree.some(isMissing);
    json.show(error);
    fields.show(found);
  }

  async function goToError() {
    await showAs('JSON');
    json.goToError();
  }

  return {
    node,
    read: sets.read,
    readUsable: sets.readUsable,
    firstInvalid: sets.firstInvalid,
    names: sets.valueNames,
    /** Shows the server's findings. */
    show(findings) {
      found = findings;
      refresh();
    },
    /** Goes to the field of a value. @param names as for `select` of the fields */
    async goToSample(names) {
      await showAs('Fields');
      fields.select(names);
    },
    /** Shows a set and its first error. */
    async goToSet(name) {
      choose(name);
      if (sets.parsed().error) {
        await goToError();
      } else {
        chooser.focus();
      }
    },
    /** Replaces all sets with those of a text. */
    replace(given) {
      sets.replace(given);
      refresh();
    },
    /** As for `merge` of the sets. */
    merge(base, theirs, isTheirsPreferred) {
      const copies = sets.merge(base, theirs, isTheirsPreferred);
      refresh();
      return copies;
    },
  };
}

/** @param isSaved true if the test data is saved with the text */
function introduction(isSaved) {
  return html`
    <p class="hint">
      Your app fills in these variables. The preview uses ${isSaved ? 'the draft\'s' : 'unsaved'} test data.
    </p>`;
}

/** The set selector and its menu. */
function setChooser(sets, dialogs, choose) {
  const select = html`<select id="test-set" @change=${() => choose(select.value)}></select>`;
  const chooser = html`<span class="row chooser"><label for="test-set">Test data</label>${select}</span>`;
  const noSets = html`<span class="hint">No test data yet.</span>`;
  const menu = menuButton('⋯', () => [
    { text: 'Duplicate…', run: () => attempt(dialogs.duplicate) },
    { text: 'Rename…', run: () => attempt(dialogs.rename) },
    { text: 'Make default', run: sets.makeDefault, reason: sets.chosen() === sets.defaultName() && 'Already the default' },
    { text: 'Delete…', run: () => attempt(dialogs.remove), isDanger: true },
  ], { class: 'small', 'aria-label': 'Manage test data' });

  function refresh() {
    const names = sets.names();
    const labels = names.map(name => name + (name === sets.defaultName() && name !== DEFAULT ? ' (default)' : ''));
    if (labels.join() !== [...select.options].map(option => option.textContent).join()) {
      select.replaceChildren(...names.map((name, i) => html`<option value=${name}>${labels[i]}</option>`));
    }
    select.value = sets.chosen() ?? '';
    chooser.hidden = names.length === 0;
    menu.hidden = names.length === 0;
    noSets.hidden = names.length > 0;
  }

  return {
    menu,
    refresh,
    focus: () => select.focus(),
    node: html`
      <div class="row sets">
        ${chooser}${noSets}
        ${button('New…', () => attempt(dialogs.add), { class: 'small', 'aria-label': 'New test data' })}
      </div>`,
  };
}

/** The selected set as JSON; the editor loads when first shown. */
function jsonView(sets, text) {
  const node = html`<div hidden></div>`;
  const fileInput = html`<input type="file" accept=".json,application/json" hidden @change=${() => attempt(upload)}>`;
  let editor = null;
  let isWanted = false;

  /** Replaces the selected set with the chosen file. */
  async function upload() {
    const [file] = fileInput.files;
    fileInput.value = '';
    if (file) {
      sets.write(await textOf(file));
    }
  }

  async function load() {
    editor = await jsonEditor({ label: 'Test data as JSON', onChange: sets.write });
    node.replaceChildren(editor.node, html`
      <div class="row">
        ${button('Format', () => sets.write(formatted(text())), { class: 'small' })}
        ${button('Upload a file…', () => fileInput.click(), { class: 'small' })}
        ${fileInput}
      </div>`);
  }

  return {
    node,
    isShown: () => !node.hidden,
    /** Shows or hides the JSON; of calls while the editor loads, the last one counts. */
    async setShown(isShown) {
      isWanted = isShown;
      if (isShown && editor === null) {
        await load();
      }
      node.hidden = !isWanted;
    },
    /** @param error error in the document, if any */
    show(error) {
      if (editor && !node.hidden) {
        editor.show(sets.chosen() ?? DEFAULT, text(), error);
      }
    },
    measure: () => editor?.refresh(),
    goToError: () => editor.goToError(),
  };
}
