// The list of templates.
import { html, button, link, copy, pageHead, actionsColumn, visuallyHidden } from '../frame/dom.js';
import { get, remove } from '../frame/server.js';
import { formDialog, attempt, notify } from '../frame/dialog.js';
import { field, refusal } from '../frame/form.js';
import { reload } from '../frame/router.js';
import { createTemplate, duplicateTemplate } from './create.js';
import { relativeTime, fullTime, ago, size } from '../frame/time.js';
import { accountLine, mayAs } from '../frame/session.js';
import { requestMark } from '../publish/request.js';
import { listFilter, showPlace } from './filter.js';
import { bulkBar } from './bulk.js';
import { longTable } from './longtable.js';
import { menuButton } from '../frame/menu.js';
import { dropPlace } from '../publish/import.js';

/** Storage in use, as a part of the limit, from which a warning is shown. */
const NEARLY_FULL = 0.9;

const states = {
  never: 'Never published',
  published: 'Published',
  changed: 'Published, with unpublished changes',
};

/** The state in words. @param isShort true to leave out that a template with unpublished changes is published */
export function stateMark(state, { isShort = false } = {}) {
  const words = isShort && state === 'changed' ? 'Unpublished changes' : states[state];
  return html`<span class="state ${state}" title=${states[state]}>${words}</span>`;
}

/** "older footer": the live version has an older text of a shared block. False if it has none. @param blocks names of these blocks */
export function staleMark(blocks) {
  return blocks.length > 0 && link('/stale', 'older ' + blocks.join(', '),
    { class: 'badge', title: 'The live version uses an older version of ' + blocks.join(', ') });
}

export async function templatesPage() {
  const { templates, deleted, storage } = await get('/data/templates');
  const trash = deleted > 0 && link('/trash', `Trash (${deleted.toLocaleString('en')})`, { class: 'button quiet small' });
  const dropping = mayAs('owner') && dropPlace();
  const head = pageHead('Templates', html`
    <div class="row">
      ${trash}${dropping && dropping.button}${button('New template…', () => attempt(createTemplate), { class: 'primary' })}
    </div>`);
  const warning = storageWarning(storage);
  if (templates.length === 0) {
    return { title: 'Templates', content: html`${head}${warning}${noTemplates()}`, onLeave: dropping?.onLeave };
  }
  const tags = [...new Set(templates.flatMap(template => template.tags))].sort((one, other) => one.localeCompare(other, 'en'));
  const list = longTable('list templates', [{ name: visuallyHidden('Select') }, 'Name', 'State', 'ID', 'Updated', actionsColumn()], {
    make: row,
    onShown(template, node) {
      node.querySelector('[data-choose]').checked = bulk.chosen.has(template);
      showPlace(node, filter.placeOf(template));
    },
    '@click': event => attempt(() => onClick(event)),
  });
  const bulk = bulkBar({ shown: () => filter.shown(), tags, onChange: list.update });
  const filter = listFilter(templates, tags, shown => {
    list.show(shown);
    bulk.chosen.refresh();
  });

  // One listener for all rows, because a list may have thousands.
  async function onClick(event) {
    const pressed = event.target.closest('[data-act], input[data-choose]');
    const id = pressed?.closest('tr').dataset.id;
    if (pressed?.dataset.act === 'tag') {
      filter.byTag(pressed.textContent);
    } else if (pressed?.dataset.choose !== undefined) {
      bulk.chosen.toggle(templates.find(template => template.id === id), pressed.checked, { withShift: event.shiftKey });
    }
  }

  document.addEventListener('keydown', filter.onKey);
  filter.show();
  return {
    title: 'Templates',
    content: html`
      ${head}
      ${warning}
      ${filter.toolbar}
      ${bulk.node}
      ${list.node}
      ${filter.noMatch}`,
    onShow: list.measure,
    onLeave: () => {
      document.removeEventListener('keydown', filter.onKey);
      dropping?.onLeave?.();
    },
  };
}

/**
 * A warning for an account that is nearly full; false for others. Above the limit, nothing that needs more space can be saved.
 *
 * @param bytes storage in use
 */
function storageWarning({ bytes, limit }) {
  return bytes >= NEARLY_FULL * limit && html`
    <p class="warning" role="status">This account uses ${size(bytes)} of its ${size(limit)} storage limit. Delete templates and
      empty the trash, or ask an administrator for more storage.</p>`;
}

function row({ id, name, subject, state, stale, request, updatedAt, tags }) {
  return html`
    <tr data-id=${id}>
      <td class="choose"><input type="checkbox" data-choose aria-label="Select ${name}"></td>
      <th scope="row">
        ${link('/templates/' + id, name, { class: 'name' })}
        ${subject !== '' && html`<span class="list-subject">${subject}</span>`}
        ${tags.length > 0 && html`<span class="tags">${tags.map(tag =>
          html`<button type="button" class="tag" data-act="tag" aria-label="Show tag ${tag}">${tag}</button>`)}</span>`}
      </th>
      <td>${stateMark(state)} ${staleMark(stale)} ${requestMark(request)}</td>
      <td class="id"><code title=${id}>${id}</code></td>
      <td class="time">${relativeTime(updatedAt)}</td>
      <td class="acts">
        ${menuButton('⋯', () => [
          { text: 'Copy ID', run: () => attempt(() => copyId(id)) },
          { text: 'Duplicate…', run: () => attempt(async () => duplicateTemplate(await get('/data/templates/' + id))) },
          mayAs('owner') && { text: 'Delete…', isDanger: true, run: () => attempt(() => deleteFromList(id)) },
        ], { class: 'small quiet', 'aria-label': 'More actions for ' + name })}
      </td>
    </tr>`;
}

async function copyId(id) {
  await copy(id);
  notify('Copied ' + id);
}

async function deleteFromList(id) {
  const { pathname } = location; // that of the list is / or /templates
  if (await deleteTemplate(await get('/data/templates/' + id))) {
    await reload(pathname);
    document.getElementById('search')?.focus();
  }
}

function noTemplates() {
  return html`
    <section class="empty">
      <p class="mark"><span class="stet">stet</span></p>
      <h2>No templates yet</h2>
      <p>Write an email here and publish it. Your app fetches the template by ID.
        The published version does not change until you publish again. <a href="/docs/writing">How to write emails</a></p>
      <p class="row">
        ${button('Create your first template…', () => attempt(createTemplate), { class: 'primary' })}
        ${mayAs('owner') && html`<span class="hint">or drop a zip file or .html files here</span>`}
      </p>
    </section>`;
}

/** Shows the template's usage and asks before moving it to the trash; true once moved. */
export async function deleteTemplate({ id, name, published, lastFetched }) {
  const use = lastFetched && `Last fetched ${ago(lastFetched.at)} (${fullTime(lastFetched.at)}) with `
    + (lastFetched.key ? `the key “${lastFetched.key}”.` : 'a deleted key.');
  const isDeleted = await formDialog('Delete ' + name + '?', 'Delete', html`
    ${accountLine()}
    <p>
      The template moves to the trash. You can restore it, with its history, for 30 days.
      ${published && html`It is published. Requests for <code>${id}</code> will return 404.`}
    </p>
    <p class=${use ? 'warning' : ''}>${use ?? 'Never fetched.'}</p>
    ${published && field('confirm', `Type ${id} or its name to confirm`,
      { required: true, autofocus: true, spellcheck: 'false' })}`,
  async given => {
    if (published && given.confirm.trim() !== id && given.confirm.trim() !== name.trim()) {
      throw refusal('Enter the ID or name of the template', 'confirm');
    }
    await remove('/data/templates/' + id);
    return true;
  }, { danger: true });
  if (isDeleted) {
    notify(name + ' moved to the trash.');
  }
  return isDeleted === true;
}
