// API keys: create, show once, rotate, delete.
import { html, button, link, count, toCopy, pageHead, table, actionsColumn } from '../frame/dom.js';
import { get, post, remove } from '../frame/server.js';
import { formDialog, attempt, confirmed, dialog, notify } from '../frame/dialog.js';
import { field, choice } from '../frame/form.js';
import { reload } from '../frame/router.js';
import { account, accountLine } from '../frame/session.js';
import { planName, relativeTime } from '../frame/time.js';
import { curlLine } from '../editor/panels.js';
import { tokensSection } from './tokens.js';

export async function keysPage() {
  const { keys, counted, limit } = await get('/data/keys');
  const tokens = await tokensSection();
  const isFull = counted >= limit;
  return {
    title: 'Keys',
    content: html`
      ${pageHead('Keys', button('New key…', () => isFull || attempt(createKey),
    { class: 'primary', 'aria-disabled': isFull ? 'true' : null, 'aria-describedby': isFull ? 'keys-full' : null }))}
      ${isFull && html`
        <p class="notice" id="keys-full">
          ${account.plan === 'none' ? 'This account has no active plan, so you cannot create more keys. Ask an administrator to change the plan.'
            : `This account is limited to ${count(limit, 'key')}. Delete or rotate a key, or ask an administrator for a higher limit.`}
        </p>`}
      <p class="lead">
        <b>${counted} of ${count(limit, 'key')}</b>, ${planName(account.plan)}.
        Your server uses an API key to fetch published templates. Never put a key in a web page or in a mobile or desktop app.
      </p>
      ${keys.length === 0
        ? html`<section class="empty"><h2>No keys yet</h2><p>Your server needs an API key to fetch templates.</p></section>`
        : table('list keys', ['Name', 'Key', 'Created', 'Last used', 'Requests this period', actionsColumn()], keys.map(row))}
      <p class="hint">Each template's API tab shows curl commands. See requests by key under ${link('/usage', 'Usage')}.</p>
      ${tokens}`,
  };
}

function row(key) {
  const act = (verb, run) => button(verb + '…', () => attempt(() => run(key)),
    { class: 'small quiet', 'aria-label': `${verb} ${key.name}` });
  return html`
    <tr class=${key.expiresAt ? 'ending' : ''}>
      <th scope="row">
        <span class="name">${key.name}</span>
        ${key.expiresAt && [' ', html`<span class="badge">expires ${relativeTime(key.expiresAt)}</span>`]}
      </th>
      <td class="id"><code>${key.start}…</code></td>
      <td class="time" data-label="Created">
        ${relativeTime(key.createdAt)}${key.createdBy && html`<span class="by"> by ${key.createdBy}</span>`}
      </td>
      <td class="time" data-label="Last used">${key.lastUsedAt ? relativeTime(key.lastUsedAt) : 'never'}</td>
      <td class="number" data-label="Requests this period">${key.requests.toLocaleString('en')}</td>
      <td class="acts">${!key.expiresAt && act('Rotate', rotateKey)}${act('Delete', deleteKey)}</td>
    </tr>`;
}

async function createKey() {
  const created = await formDialog('New key', 'Create', field('name', 'Name',
    { maxlength: 200, required: true, autofocus: true, placeholder: 'e.g. production' },
    'Choose a name that describes where the key is used.'), ({ name }) => post('/data/keys', { name }));
  if (created) {
    await showKey(created);
  }
}

/**
 * Shows a key, which cannot be shown again. Only the button closes the dialog, so that nobody dismisses it by accident.
 *
 * @param template id of a published template, for an example request; or null
 */
export async function showKey({ name, key }, template = null) {
  await dialog('Your new key', close => html`
    <p>Copy the key <b>${name}</b> now. Stet does not store the full key and cannot show it again.</p>
    ${toCopy(key, 'Key', 'the key')}
    ${template && html`
      <h3>Fetch the template</h3>
      ${toCopy(curlLine(template, '?format=html', key), 'Request', 'the request')}
      <p class="hint">Run this command in a terminal to print the HTML. See the template's API tab for more example requests.</p>`}
    <div class="actions">${button('I\'ve saved it', () => close(true), { class: 'primary' })}</div>`, { closable: false });
  if (!template) {
    await reload();
  }
}

async function deleteKey({ id, name, lastUsedAt, requests }) {
  const use = lastUsedAt
    ? html`
      <p class="warning">
        Last used ${relativeTime(lastUsedAt)}; ${count(requests, 'request')} in this period.
      </p>`
    : 'Never used.';
  const end = 'Requests with this key will fail with 401. This cannot be undone.';
  if (await confirmed(`Delete key ${name}?`, [accountLine(), use, end], 'Delete', { danger: true })) {
    await remove('/data/keys/' + id);
    notify(name + ' deleted.');
    await reload();
  }
}

async function rotateKey({ id, name }) {
  const created = await formDialog('Rotate ' + name, 'Rotate', [
    html`
      <p>Rotating creates a new key with the same name. Until the old key is deleted, its requests still count toward the
        request limit, but the key itself no longer counts toward the key limit.</p>`,
    choice('hours', 'Delete the old key', [
      { value: '0', label: 'Immediately', hint: 'requests with the old key fail with 401' },
      { value: '1', label: 'After 1 hour' },
      { value: '24', label: 'After 24 hours' },
      { value: '72', label: 'After 72 hours' },
    ], '24'),
  ], ({ hours }) => post(`/data/keys/${id}/rotate`, { hours: Number(hours) }));
  if (created) {
    await showKey(created);
  }
}
