// API keys: create, show once, rotate, delete.
import { html, button, link, count, toCopy, pageHead, table, actionsColumn } from './dom.js';
import { get, post, remove } from './server.js';
import { formDialog, attempt, confirmed, dialog, notify } from './dialog.js';
import { field, choice } from './form.js';
import { reload } from './router.js';
import { account, accountLine } from './session.js';
import { planName, relativeTime } from './time.js';
import { curlLine } from './panels.js';
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
          ${account.plan === 'none' ? 'The account has no active plan, so it has no new key.'
            : `Your plan allows ${count(limit, 'key')}. Delete or rotate one, or ask an administrator for more.`}
        </p>`}
      <p class="lead">
        <b>${counted} of ${count(limit, 'key')}</b>, ${planName(account.plan)}.
        A key lets a server fetch what is published. Keep it there: never in a web page or an app.
      </p>
      ${keys.length === 0
        ? html`<section class="empty"><h2>No keys yet</h2><p>Your server needs one to fetch a template.</p></section>`
        : table('list keys', ['Name', 'Key', 'Created', 'Last used', 'Requests this period', actionsColumn()], keys.map(row))}
      <p class="hint">Each template has curl commands on its API tab. ${link('/usage', 'Usage')} shows what was fetched.</p>
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
        ${key.expiresAt && [' ', html`<span class="badge">ends ${relativeTime(key.expiresAt)}</span>`]}
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
    { maxlength: 200, required: true, autofocus: true, placeholder: 'for example: production' },
    'Where it is used, so that you know it again.'), ({ name }) => post('/data/keys', { name }));
  if (created) {
    await showKey(created);
  }
}

/**
 * Shows a key, which cannot be shown again; only its button closes the dialog, so that nobody dismisses it by accident.
 *
 * @param template id of a published template, for an example request; or null
 */
export async function showKey({ name, key }, template = null) {
  await dialog('Your new key', close => html`
    <p>This is the key <b>${name}</b>. It is shown this once: Stet keeps only its digest, so nobody can look it up again.</p>
    ${toCopy(key, 'Key', 'the key')}
    ${template && html`
      <h3>Fetch the mail with it</h3>
      ${toCopy(curlLine(template, '?format=html', key), 'Request', 'the request')}
      <p class="hint">Paste the line into a terminal: it prints the HTML. The tab API has the other requests.</p>`}
    <div class="actions">${button('I have stored it', () => close(true), { class: 'primary' })}</div>`, { closable: false });
  if (!template) {
    await reload();
  }
}

async function deleteKey({ id, name, lastUsedAt, requests }) {
  const use = lastUsedAt
    ? html`
      <p class="warning">
        It was last used ${relativeTime(lastUsedAt)} and answered ${count(requests, 'request')} in this period.
      </p>`
    : 'It has never been used.';
  const end = 'The next request with it is answered with 401. This cannot be undone.';
  if (await confirmed(`Delete the key ${name}?`, [accountLine(), use, end], 'Delete', { danger: true })) {
    await remove('/data/keys/' + id);
    notify(name + ' is deleted.');
    await reload();
  }
}

async function rotateKey({ id, name }) {
  const created = await formDialog('Rotate ' + name, 'Rotate', [
    html`
      <p>Makes a new key of the same name. The old one keeps working for the time you choose. Until then it does not count toward
        the key limit; its requests do.</p>`,
    choice('hours', 'The old key works for', [
      { value: '0', label: 'No longer', hint: 'the next request with it gets 401' },
      { value: '1', label: '1 hour' },
      { value: '24', label: '24 hours' },
      { value: '72', label: '72 hours' },
    ], '24'),
  ], ({ hours }) => post(`/data/keys/${id}/rotate`, { hours: Number(hours) }));
  if (created) {
    await showKey(created);
  }
}
