// The list of templates.
import { html, button, link, copy, count, pageHead, table, actionsColumn } from './dom.js';
import { get, remove } from './server.js';
import { formDialog, attempt, notify } from './dialog.js';
import { field } from './form.js';
import { reload, saveState, savedState } from './router.js';
import { createTemplate, duplicateTemplate } from './create.js';
import { relativeTime, fullTime, ago } from './time.js';
import { mayAs } from './session.js';
import { requestMark } from './request.js';
import { exportLink } from './account.js';

const states = {
  never: 'Never published',
  published: 'Published',
  changed: 'Published, with unpublished changes',
};

export function stateMark(state) {
  return html`<span class="state ${state}">${states[state]}</span>`;
}

/** "older footer": the live version carries an older text of a shared block. */
export function staleMark(blocks) {
  return blocks.length > 0 && link('/stale', 'older ' + blocks.join(', '),
    { class: 'badge', title: 'The live version carries an older text of ' + blocks.join(', ') });
}

export async function templatesPage() {
  const { templates } = await get('/data/templates');
  const head = pageHead('Templates', button('New template…', () => attempt(createTemplate), { class: 'primary' }));
  if (templates.length === 0) {
    return { title: 'Templates', content: html`${head}${noTemplates()}` };
  }
  const rows = new Map(templates.map(template => [template.id, row(template)]));
  const noMatch = html`<p class="hint" hidden>No template matches.</p>`;
  const matches = html`<p class="hint" role="status"></p>`;
  const search = html`
    <input type="search" id="search" placeholder="Search by name or id" aria-keyshortcuts="/" autocomplete="off"
      spellcheck="false" value=${savedState().search ?? ''} @input=${filter}>`;

  const asked = templates.filter(template => template.request).length;
  const ready = asked > 0 && button(`Ready to publish (${asked})`, () => {
    ready.setAttribute('aria-pressed', String(!isReadyOnly()));
    filter();
  }, { class: 'small', 'aria-pressed': String(savedState().ready === true) });
  const isReadyOnly = () => ready && ready.getAttribute('aria-pressed') === 'true';

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { node, text, isReady } of rows.values()) {
      node.hidden = isReadyOnly() && !isReady || !words.every(word => text.includes(word));
      shown += node.hidden ? 0 : 1;
    }
    noMatch.hidden = shown > 0;
    matches.textContent = (shown === rows.size ? '' : shown.toLocaleString('en') + ' of ') + count(rows.size, 'template');
    saveState({ search: search.value, ready: isReadyOnly() });
  }

  // One listener for all rows: a list may have a thousand.
  async function onClick(event) {
    const pressed = event.target.closest('[data-act]');
    const id = pressed?.closest('tr').dataset.id;
    if (pressed?.dataset.act === 'copy') {
      await copy(id);
      notify('Copied ' + id);
    } else if (pressed?.dataset.act === 'duplicate') {
      await duplicateTemplate(await get('/data/templates/' + id));
    } else if (pressed?.dataset.act === 'delete' && await deleteTemplate(await get('/data/templates/' + id))) {
      rows.get(id).node.remove();
      rows.delete(id);
      filter();
      await (rows.size === 0 ? reload() : search.focus());
    }
  }

  function onKey(event) {
    if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.target.closest?.('input, textarea, select, dialog')) {
      event.preventDefault();
      search.focus();
    }
  }

  document.addEventListener('keydown', onKey);
  filter();
  return {
    title: 'Templates',
    content: html`
      ${head}
      <div class="toolbar">
        <div class="search">
          <label for="search" class="visually-hidden">Search templates</label>
          ${search}
          <kbd aria-hidden="true">/</kbd>
        </div>
        ${ready}
        ${matches}
      </div>
      ${table('list templates', ['Name', 'State', 'Id', 'Updated', actionsColumn()], [...rows.values()].map(({ node }) => node),
        { '@click': event => attempt(() => onClick(event)) })}
      ${noMatch}`,
    onLeave: () => document.removeEventListener('keydown', onKey),
  };
}

function row({ id, name, state, stale, request, updatedAt }) {
  const act = (action, text, label) => html`
    <button type="button" class="small quiet" data-act=${action} aria-label=${label}>${text}</button>`;
  return {
    text: (name + ' ' + id + ' ' + states[state] + (request ? ' ready to publish' : '')).toLowerCase(),
    isReady: request !== null,
    node: html`
      <tr data-id=${id}>
        <th scope="row">${link('/templates/' + id, name, { class: 'name' })}</th>
        <td>${stateMark(state)} ${staleMark(stale)} ${requestMark(request)}</td>
        <td class="id"><code>${id}</code> ${act('copy', 'Copy', 'Copy the id ' + id)}</td>
        <td class="time">${relativeTime(updatedAt)}</td>
        <td class="acts">
          ${act('duplicate', 'Duplicate…', 'Duplicate ' + name)}
          ${mayAs('owner') && act('delete', 'Delete…', 'Delete ' + name)}
        </td>
      </tr>`,
  };
}

function noTemplates() {
  return html`
    <section class="empty">
      <p class="mark"><span class="stet">stet</span></p>
      <h2>No templates yet</h2>
      <p>Write a mail here, publish it, and your server fetches it by its id.
        What is published stands as it is until you publish again.</p>
      <p class="row">
        ${button('Write the first template…', () => attempt(createTemplate), { class: 'primary' })}
        ${mayAs('owner') && link('/account', 'Import a zip', { class: 'button' })}
      </p>
    </section>`;
}

/** Shows how the template is used, and asks before deleting it; true when deleted. */
export async function deleteTemplate({ id, name, published, lastFetched }) {
  const done = await formDialog('Delete ' + name + '?', 'Delete', html`
    <p>
      ${published
        ? html`It is published. From the next request on, asking for <code>${id}</code> is answered with 404, and its history
          is gone.`
        : 'It was never published. Its draft and its test data are gone then.'}
    </p>
    <p class=${lastFetched ? 'warning' : ''}>
      ${lastFetched
        ? `It was last fetched ${ago(lastFetched.at)} (${fullTime(lastFetched.at)}) with ${lastFetched.key ? `the key “${lastFetched.key}”` : 'a key that was deleted'}.`
        : 'Not fetched.'}
    </p>
    <p>${exportLink('Export everything first')} to keep a copy.</p>
    ${field('confirm', `Type ${id} or its name to confirm`, { required: true, autofocus: true, spellcheck: 'false' })}`,
  async given => {
    if (given.confirm.trim() !== id && given.confirm.trim() !== name.trim()) {
      throw Object.assign(new Error('That is neither the id nor the name'), { status: 422, field: 'confirm' });
    }
    await remove('/data/templates/' + id);
    return true;
  }, { danger: true });
  if (done) {
    notify(name + ' is deleted.');
  }
  return done === true;
}
