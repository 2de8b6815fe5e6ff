// Bulk actions on selected templates: publish, export, edit, tag and delete.
import { html, button, count } from '../frame/dom.js';
import { post, put, remove } from '../frame/server.js';
import { attempt, confirmed, formDialog, showProgress } from '../frame/dialog.js';
import { field, refusal } from '../frame/form.js';
import { saveFile } from '../frame/download.js';
import { withEach, templatePath } from '../frame/progress.js';
import { copyTargets, copyTemplates } from './copy.js';
import { publishMany } from './bulkpublish.js';
import { replaceInMany } from '../editor/bulkreplace.js';
import { accountLine, mayAs } from '../frame/session.js';
import { tagsOf } from './tags.js';

/** Maximum number of templates named in a question; further templates are only counted. */
const MAX_NAMED = 10;
/** Templates fetched in this time are probably in use. */
const RECENT_MILLIS = 30 * 86_400_000;

/**
 * Selection of list items by checkboxes.
 *
 * @param shown    returns the visible items in order
 * @param onChange runs after each change
 * @return {every, choose, refresh, toggle, has, items}; `every` is the checkbox for all items, `choose(items)` selects only these
 */
export function selection({ shown, onChange }) {
  let chosen = new Set();
  let lastToggled = null;
  const every = html`<input type="checkbox" @change=${() => choose(every.checked ? shown() : [])}>`;

  function choose(items) {
    chosen = new Set(items);
    refresh();
  }

  /** Deselects items that are no longer visible, and updates the checkbox for all. */
  function refresh() {
    const all = shown();
    chosen = new Set(all.filter(item => chosen.has(item)));
    every.checked = chosen.size > 0 && chosen.size === all.length;
    every.indeterminate = chosen.size > 0 && !every.checked;
    onChange();
  }

  /** Selects or deselects an item; with Shift, the range from the item toggled before. */
  function toggle(item, isChosen, { withShift = false } = {}) {
    const all = shown();
    const at = all.indexOf(item);
    const from = withShift && all.includes(lastToggled) ? all.indexOf(lastToggled) : at;
    for (const each of all.slice(Math.min(from, at), Math.max(from, at) + 1)) {
      if (isChosen) {
        chosen.add(each);
      } else {
        chosen.delete(each);
      }
    }
    lastToggled = item;
    refresh();
  }

  return { every, choose, refresh, toggle, has: item => chosen.has(item), items: () => [...chosen] };
}

/**
 * The bar for bulk selection: {node, chosen}; `chosen` is the {@link selection}.
 *
 * @param shown    returns the visible templates in order
 * @param tags     all tags in use
 * @param onChange runs after each change of the selection
 */
export function bulkBar({ shown, tags, onChange }) {
  const status = html`<span class="hint" role="status"></span>`;
  const chosen = selection({ shown, onChange: () => {
    const number = chosen.items().length;
    status.textContent = number === 0 ? '' : number.toLocaleString('en') + ' selected';
    acts.hidden = number === 0;
    onChange();
  } });
  const act = (text, run, classes = 'small') => button(text, () => attempt(() => run(chosen.items())), { class: classes });
  const acts = html`
    <span class="row" hidden>
      ${mayAs('editor') && act('Publish…', publishMany)}
      ${act('Export', exportMany)}
      ${copyTargets().length > 0 && act('Copy to account…', copyTemplates)}
      ${act('Replace…', replaceInMany)}
      ${act('Tag…', templates => tagMany(templates, tags))}
      ${mayAs('owner') && act('Delete…', deleteMany, 'small danger')}
    </span>`;
  const node = html`
    <div class="choosing" role="group" aria-label="Selected templates">
      <label class="check">${chosen.every}<span>Select all shown</span></label>
      ${status}
      ${acts}
    </div>`;
  return { node, chosen };
}

/** The names of the first templates, and the number of further ones, as a paragraph. */
function namesOf(templates) {
  const more = templates.length - MAX_NAMED;
  const names = templates.slice(0, MAX_NAMED).map(each => each.name).join(', ');
  return html`<p class="ids">${names}${more > 0 && ` and ${more} more`}</p>`;
}

async function exportMany(templates) {
  const ids = templates.map(each => each.id);
  const zip = await showProgress('Exporting ' + count(ids.length, 'template'), signal =>
    post('/data/export', { templates: ids }, { asBlob: true, signal }));
  if (zip) {
    saveFile(zip, 'stet.zip');
  }
}

async function deleteMany(templates) {
  const published = templates.filter(each => each.state !== 'never').length;
  const isRecent = at => at !== null && Date.now() - Date.parse(at) < RECENT_MILLIS;
  const recent = templates.filter(each => isRecent(each.fetchedAt)).length;
  if (await confirmed(`Delete ${count(templates.length, 'template')}?`, [
    accountLine(),
    namesOf(templates),
    'The templates move to the trash. You can restore them, with their history, for 30 days.',
    ...published > 0 ? [html`
      <p class=${recent > 0 ? 'warning' : ''}>
        Requests for ${count(published, 'published template')} will return 404.
        ${recent > 0 && `${count(recent, 'template was', 'templates were')} fetched in the last 30 days.`}
      </p>`] : []], 'Delete', { danger: true })) {
    await withEach('Deleting', templates, ({ id }) => remove(templatePath(id)), { done: 'moved to the trash' });
  }
}

async function tagMany(templates, tags) {
  const present = [...new Set(templates.flatMap(each => each.tags))].sort();
  const change = await formDialog('Tag ' + count(templates.length, 'template'), 'Save', [
    namesOf(templates),
    field('add', 'Add', { autofocus: true, list: 'all-tags', spellcheck: 'false', placeholder: 'shop, autumn' },
      'Separate tags with commas. Tags help you find templates here; the API does not return them.'),
    html`<datalist id="all-tags">${tags.map(tag => html`<option value=${tag}></option>`)}</datalist>`,
    present.length > 0 && html`
      <fieldset class="choice">
        <legend>Remove</legend>
        ${present.map((tag, i) => html`<label class="check"><input type="checkbox" name="remove-${i}"><span>${tag}</span></label>`)}
      </fieldset>`,
    html`<p class="error" data-error="tags"></p>`,
  ], given => {
    const add = tagsOf(given.add);
    const removed = present.filter((tag, i) => given['remove-' + i]);
    if (add.length + removed.length === 0) {
      throw refusal(present.length > 0 ? 'Enter a tag to add, or select a tag to remove' : 'Enter a tag to add', 'add');
    }
    return { add, remove: removed };
  });
  if (change) {
    await withEach('Tagging', templates, ({ id }) => put(templatePath(id) + '/tags', change), { done: 'tagged' });
  }
}
