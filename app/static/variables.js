// The names that the caller fills in, as the tree that they are, and the test data that the preview is filled in with: by
// simple fields, or as the JSON that they are part of.
import { html, button, count, toggle } from './dom.js';
import { attempt, confirmed, formDialog } from './dialog.js';
import { choice, field } from './form.js';
import { completed } from './examples.js';
import { changed, formatted, nodeAt, parseDocument } from './json.js';
import { jsonEditor } from './jsoneditor.js';
import { menuButton } from './menu.js';
import { placeButton, MAX_PLACES } from './problems.js';
import { DEFAULT, NAME, freeName, mergeSets, testSets } from './sets.js';

/** Bytes of a file that is taken as test data: the bound of the server. */
const MAX_FILE_BYTES = 1 << 20;
/** Names that are not used and listed, at most. */
const MAX_UNUSED = 30;
const EMPTY = '{}\n';
const WORDS = new Map([['true', true], ['false', false], ['null', null], ['0', 0]]);

/**
 * @param saved    the text as the server has it
 * @param isSaved  whether the sets are saved with the text; else there is one that nobody keeps
 * @param onChange runs after each change of the test data
 */
export function variablesPanel({ saved, isSaved, goTo, onChange }) {
  const sets = testSets(saved, () => {
    refresh();
    onChange();
  });
  const list = html`<div class="variables"></div>`;
  const json = html`<div hidden></div>`;
  const notice = html`<div></div>`;
  const select = html`<select id="test-set" @change=${() => choose(select.value)}></select>`;
  const chooser = html`<span class="row chooser"><label for="test-set">Test data</label>${select}</span>`;
  const noSets = html`<span class="hint">No test data yet.</span>`;
  const fileInput = html`<input type="file" accept=".json,application/json" hidden @change=${() => attempt(upload)}>`;
  const complete = button('Add examples for what is missing', () => sets.write(completed(text(), found.tree)), { class: 'small' });
  const views = toggle('Test data as', ['Fields', 'JSON'], 'Fields', name => attempt(() => showAs(name)));
  const manage = menuButton('⋯', () => [
    { text: 'Duplicate…', run: () => attempt(duplicate) },
    { text: 'Rename…', run: () => attempt(rename) },
    { text: 'Make default', run: sets.makeDefault, reason: sets.chosen() === sets.defaultName() && 'It is the default' },
    { text: 'Delete…', run: () => attempt(remove), isDanger: true },
  ], { class: 'small', 'aria-label': 'Manage test data' });
  const node = html`
    <div>
      <p class="hint">
        What your server fills in. The preview takes it from ${isSaved
          ? 'a set of test data; the sets are saved with the draft.' : 'test data, which is not saved here.'}
      </p>
      ${isSaved && html`
        <div class="row sets">
          ${chooser}${noSets}
          ${button('New…', () => attempt(add), { class: 'small', 'aria-label': 'New set of test data' })}
        </div>`}
      <div class="row">
        ${views.node}
        ${isSaved && manage}
        ${complete}
      </div>
      ${notice}
      ${list}
      ${json}
      ${fileInput}
    </div>`;
  let found = { variables: [], tree: [], sets: [], moreVariables: 0 };
  let editor = null;
  let isJson = false;
  let rows = [];
  let shape = null;
  const text = () => sets.text() ?? EMPTY;
  refresh();

  // ---- the set

  function choose(name) {
    sets.choose(name);
    refresh();
    onChange();
  }

  async function showAs(view) {
    isJson = view === 'JSON';
    views.press(view);
    if (isJson && editor === null) {
      editor = await jsonEditor({ label: 'Test data as JSON', onChange: sets.write });
      json.replaceChildren(editor.node, html`
        <div class="row">
          ${button('Format', () => sets.write(formatted(text())), { class: 'small' })}
          ${button('Upload a file…', () => fileInput.click(), { class: 'small' })}
        </div>`);
    }
    list.hidden = isJson;
    json.hidden = !isJson;
    refresh();
    editor?.refresh();
  }

  async function upload() {
    const [file] = fileInput.files;
    fileInput.value = '';
    if (file) {
      sets.write(await textOf(file));
    }
  }

  function nameField(value) {
    return field('name', 'Name', { maxlength: 64, required: true, spellcheck: 'false', class: 'mono', value, autofocus: true },
      'Letters, digits, - and _: it is the name of its file when you export.');
  }

  /** The name that was typed. @throws a refusal for one that no set can have */
  function checkedName(typed, own = null) {
    const name = typed.trim();
    if (!NAME.test(name)) {
      throw refusal('A name has 1 to 64 letters, digits, - and _, and begins with a letter or digit');
    } else if (sets.names().some(each => each !== own && each.toLowerCase() === name.toLowerCase())) {
      throw refusal(`There is test data ${name} already`);
    }
    return name;
  }

  async function add() {
    const chosen = sets.chosen();
    const file = html`<input type="file" id="test-file" accept=".json,application/json">`;
    const kinds = [
      { value: 'example', label: 'An example', hint: 'made from the variables of this draft' },
      ...chosen ? [{ value: 'copy', label: 'A copy of ' + chosen }] : [],
      { value: 'file', label: 'A JSON file', hint: 'chosen below' },
      { value: 'empty', label: 'Empty' },
    ];
    await formDialog('New set of test data', 'Add', [
      nameField(sets.names().length === 0 ? DEFAULT : ''),
      choice('kind', 'Begin with', kinds, 'example'),
      html`<div class="field"><label for="test-file">File</label>${file}<p class="error" data-error="file"></p></div>`,
    ], async given => {
      const name = checkedName(given.name);
      const kind = file.files.length > 0 ? 'file' : given.kind;
      if (kind === 'file' && file.files.length === 0) {
        throw refusal('Choose a file', 'file');
      }
      sets.add(name, kind === 'example' ? completed(EMPTY, found.tree) : kind === 'copy' ? sets.text(chosen)
        : kind === 'file' ? await textOf(file.files[0]) : EMPTY);
    });
    refresh();
  }

  async function duplicate() {
    const chosen = sets.chosen();
    const free = freeName(chosen, Object.fromEntries(sets.names().map(name => [name, ''])));
    await formDialog('Duplicate ' + chosen, 'Duplicate', nameField(free),
      given => { sets.add(checkedName(given.name), sets.text(chosen)); });
  }

  async function rename() {
    const chosen = sets.chosen();
    await formDialog('Rename ' + chosen, 'Rename', nameField(chosen), given => { sets.rename(checkedName(given.name, chosen)); });
  }

  async function remove() {
    if (await confirmed(`Delete the test data ${sets.chosen()}?`, 'It is gone once the draft is saved.', 'Delete',
      { danger: true })) {
      sets.remove();
    }
  }

  // ---- the fields

  /** Shows the server's findings. */
  function show(next) {
    found = next;
    refresh();
  }

  function refresh() {
    const { node: data, error } = sets.parsed();
    const names = sets.names();
    const labels = names.map(name => name + (name === sets.defaultName() && name !== DEFAULT ? ' (default)' : ''));
    if (labels.join() !== [...select.options].map(option => option.textContent).join()) {
      select.replaceChildren(...names.map((name, i) => html`<option value=${name}>${labels[i]}</option>`));
    }
    select.value = sets.chosen() ?? '';
    chooser.hidden = names.length === 0;
    manage.hidden = names.length === 0;
    noSets.hidden = names.length > 0;
    notice.replaceChildren(!error || isJson ? '' : html`
      <p class="notice">
        This test data has an error on line ${error.line}: ${error.sentence}.
        ${button('Show it', () => attempt(goToError), { class: 'small' })}
      </p>`);
    const isMissing = variable => variable.isMissing || variable.inner.some(isMissing);
    complete.hidden = Boolean(error) || !found.tree.some(isMissing);
    if (editor && isJson) {
      editor.show(sets.chosen() ?? DEFAULT, text(), error);
    }
    showRows(data);
  }

  async function goToError() {
    await showAs('JSON');
    editor.goToError();
  }

  /** Rows are made anew only when the names change, so that the focus stays where one types. */
  function showRows(data) {
    const next = JSON.stringify([namesIn(found.tree), unusedNames(data), found.moreVariables]);
    if (next !== shape) {
      shape = next;
      rows = [];
      const unused = unusedNames(data);
      list.replaceChildren(html`
        ${found.tree.length + unused.length === 0
          && html`<p class="empty-line">No variables: write {{name}} where your server fills something in.</p>`}
        ${found.tree.map(variable => branch(variable, [], ''))}
        ${found.moreVariables > 0 && html`<p class="hint">and ${count(found.moreVariables, 'more variable')}</p>`}
        ${unused.slice(0, MAX_UNUSED).map(name => leaf(name, [name], name, true))}
        ${unused.length > MAX_UNUSED && html`<p class="hint">and ${count(unused.length - MAX_UNUSED, 'more name')} not used</p>`}`);
    }
    rows.forEach(row => row.show(data));
  }

  function branch(variable, path, before) {
    const { name, isList, inner } = variable;
    const here = [...path, name];
    const label = before + name + (isList ? '[]' : '');
    if (inner.length === 0) {
      return leaf(name + (isList ? '[]' : ''), here, label, false);
    }
    const about = html`<span class="hint"></span>`;
    const places = html`<span class="places"></span>`;
    rows.push({ show: data => {
      const value = nodeAt(data, here);
      about.textContent = !isList ? '' : !value?.items ? 'no rows yet' : value.items.length === 1 ? '1 row'
        : `${value.items.length} rows, the first is below`;
      places.replaceChildren(...placesOf(here));
    } });
    return html`
      <div class="variable">
        <div class="row"><code>${name}${isList ? '[]' : ''}</code>${about}${places}</div>
        <div class="inner">${inner.map(each => branch(each, isList ? [...here, 0] : here, label + '.'))}</div>
      </div>`;
  }

  function leaf(name, path, label, isUnused) {
    const places = html`<span class="places"></span>`;
    const input = html`
      <input type="text" autocomplete="off" spellcheck="false" aria-label="Sample value of ${label}"
        @input=${() => sets.write(changed(text(), placeIn(sets.parsed().node, path), typed(input.value)))}>`;
    rows.push({ show: data => {
      const value = data && nodeAt(data, placeIn(data, path));
      input.disabled = !data;
      input.placeholder = value ? 'empty' : 'sample value';
      places.replaceChildren(...isUnused ? [html`<span class="hint">not used </span>`, removeButton(name)] : placesOf(path));
      if (input !== document.activeElement) {
        input.value = shown(value);
      }
    } });
    return html`<div class="variable"><div class="row"><code>${name}</code>${places}</div>${input}</div>`;
  }

  function removeButton(name) {
    return button('Remove', () => sets.write(changed(text(), [name], undefined)),
      { class: 'small quiet', 'aria-label': 'Remove the sample of ' + name });
  }

  /** The text of a value in a field. */
  function shown(value) {
    return !value ? '' : value.kind === 'text' ? value.value : text().slice(value.start, value.end);
  }

  function placesOf(path) {
    const names = path.filter(step => step !== 0);
    const last = names[names.length - 1];
    const variable = [names.join('.'), last, 'this.' + last].map(name => found.variables.find(each => each.name === name))
      .find(each => each);
    if (!variable) {
      return [];
    } else if (variable.places.length === 0) {
      const words = variable.morePlaces > 0 ? count(variable.morePlaces, 'place') : 'in a shared block';
      return [html`<span class="hint">${words}</span>`];
    }
    const left = variable.morePlaces + Math.max(0, variable.places.length - MAX_PLACES);
    return [...variable.places.slice(0, MAX_PLACES).map(place => placeButton(place, goTo)), left > 0 ? ` and ${left} more` : ''];
  }

  function unusedNames(data) {
    const used = new Set(usedNames(found.tree, ''));
    return found.moreVariables > 0 ? [] : (data?.entries ?? []).map(each => each.name).filter(name => !used.has(name));
  }

  return {
    node,
    show,
    read: sets.read,
    readUsable: sets.readUsable,
    /**
     * Leads to the field of a value, or else of the section around it that has one.
     *
     * @param names the name in the tag, then those of the sections around it, the inner ones first
     */
    async goToSample([own, ...sections]) {
      await showAs('Fields');
      const fields = [...list.querySelectorAll('input')];
      const at = name => fields.find(each => each.ariaLabel.slice('Sample value of '.length).replaceAll('[]', '') === name);
      const within = sections.map((_, i) => [...sections.slice(0, sections.length - i).reverse(), own].join('.'));
      const around = sections.map((_, i) => sections.slice(i).reverse().join('.'));
      [...within, own, ...around, ...sections].map(at).find(each => each)?.select();
    },
    /** Shows a set, with its first error. */
    async goToSet(name) {
      choose(name);
      if (sets.parsed().error) {
        await goToError();
      } else {
        select.focus();
      }
    },
    /** The names at the top of the chosen set. */
    names: () => (sets.parsed().node?.entries ?? []).map(each => each.name),
    /** The first set with an error, {name, error}, or undefined. */
    wrong: sets.wrong,
    /** Takes the sets of a text. */
    take(given) {
      sets.take(given);
      refresh();
    },
    /** Takes what others have saved since `base`, and keeps what was typed here. @returns names of the copies that this makes */
    merge(base, theirs, isTheirsPreferred) {
      const mine = sets.read();
      const merged = isTheirsPreferred ? mergeSets(base, theirs, mine) : mergeSets(base, mine, theirs);
      sets.take(merged);
      refresh();
      return merged.copies;
    },
  };
}

/** Where the value of a path is: a name with dots may be one name at the top. */
function placeIn(data, path) {
  return data && !nodeAt(data, path) && nodeAt(data, [path.join('.')]) ? [path.join('.')] : path;
}

/** The value of a text in a field. */
function typed(value) {
  if (/^[[{]/.test(value)) {
    const { node } = parseDocument(`{"value":${value}}`);
    return node?.entries.length === 1 ? JSON.parse(value) : value;
  }
  return WORDS.has(value) ? WORDS.get(value) : value;
}

const namesIn = tree => tree.map(({ name, isList, inner }) => [name, isList, namesIn(inner)]);

function usedNames(tree, before) {
  return tree.flatMap(({ name, inner }) => [before + name, ...usedNames(inner, before + name + '.')]);
}

async function textOf(file) {
  if (file.size > MAX_FILE_BYTES) {
    throw refusal('The file is larger than 1 MiB', 'file');
  }
  try {
    const bytes = await file.arrayBuffer();
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refusal('The file is not UTF-8', 'file');
  }
}

function refusal(sentence, place = 'name') {
  return Object.assign(new Error(sentence), { status: 422, field: place });
}
