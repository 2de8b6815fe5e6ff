// API keys and deploy tokens: create, show once, rotate, delete.
import { html, button, link, count, copyField, pageHead, table, numberColumn, actionsColumn } from '../frame/dom.js';
import { get, post, remove } from '../frame/server.js';
import { formDialog, attempt, confirmed, dialog, notify } from '../frame/dialog.js';
import { field, choice } from '../frame/form.js';
import { reload } from '../frame/router.js';
import { account, accountLine } from '../frame/session.js';
import { planName } from './plans.js';
import { relativeTime } from '../frame/time.js';
import { curlLine } from '../editor/panels.js';

const PAGE = '/keys';

/** API keys and deploy tokens: their paths, texts and fields. */
const keys = {
  word: 'key',
  label: 'Key',
  title: 'Your new key',
  path: '/data/keys',
  fields: () => [field('name', 'Name', { maxlength: 200, required: true, autofocus: true, placeholder: 'e.g. production' },
    'Choose a name that describes where the key is used.')],
  saving: ({ name }) => html`<p>Copy the key <b>${name}</b> now. Stet does not store the full key and cannot show it again.</p>`,
  rotating: () => html`
    <p>Rotating creates a new key with the same name. Until the old key is deleted, its requests still count toward the
      request limit, but the key itself no longer counts toward the key limit.</p>`,
  immediately: 'requests with the old key fail with 401',
  deleting: ({ lastUsedAt, requests }) => [lastUsedAt
    ? html`<p class="warning">Last used ${relativeTime(lastUsedAt)}; ${count(requests, 'request')} in this period.</p>`
    : 'Never used.', 'Requests with this key will fail with 401. This cannot be undone.'],
};

const tokens = {
  word: 'token',
  label: 'Token',
  title: 'Your new deploy token',
  path: '/data/tokens',
  fields: () => [
    field('name', 'Name', { maxlength: 200, required: true, autofocus: true, placeholder: 'e.g. github' },
      'Shown in the history of templates published with this token.'),
    choice('role', 'Permissions', [
      { value: 'writer', label: 'Push drafts', hint: 'users publish the drafts in the web application' },
      { value: 'editor', label: 'Push and publish' },
    ], 'writer'),
    choice('days', 'Expires', [
      { value: '30', label: 'In 30 days' },
      { value: '90', label: 'In 90 days' },
      { value: '365', label: 'In a year' },
      { value: '', label: 'Never' },
    ], '90'),
  ],
  saving: ({ name }) => html`
    <p>Save the token <b>${name}</b> as a secret in your CI now. Stet stores only a hash of the token and cannot show it again.</p>`,
  rotating: () => html`<p>Rotating creates a new token with the same name, role and lifetime.</p>`,
  immediately: 'pushes with the old token fail with 401',
  deleting: () => ['Pushes and pulls with this token will fail with 401. This cannot be undone.'],
};

export async function keysPage() {
  const { secrets, counted, limit } = await get(keys.path);
  const deploy = await tokensSection();
  const isFull = counted >= limit;
  return {
    title: 'Keys',
    content: html`
      ${pageHead('Keys', createButton('New key…', isFull, () => create(keys, 'New key'),
        { class: 'primary', 'aria-describedby': isFull && 'keys-full' }))}
      ${isFull && html`
        <p class="notice" id="keys-full">
          ${account.plan === 'none' ? 'This account has no active plan, so you cannot create more keys. Ask an administrator to change the plan.'
            : `This account is limited to ${count(limit, 'key')}. Delete or rotate a key, or ask an administrator for a higher limit.`}
        </p>`}
      <p class="lead">
        <b>${counted} of ${count(limit, 'key')}</b>, ${planName(account.plan)}.
        Your app uses an API key to fetch published templates. Never put a key in a web page or in a mobile or desktop app.
      </p>
      ${secrets.length === 0
        ? html`<section class="empty"><h2>No keys yet</h2><p>Your app needs an API key to fetch templates.</p></section>`
        : table('list keys', ['Name', 'Key', 'Created', 'Last used', numberColumn('Requests this period'), actionsColumn()], secrets.map(keyRow))}
      <p class="hint">Each template's API tab shows curl commands. See requests by key under ${link('/usage', 'Usage')}.</p>
      ${deploy}`,
  };
}

/** @param isFull true if the limit is reached, so that the button does nothing */
function createButton(text, isFull, run, attributes = {}) {
  const onClick = () => {
    if (!isFull) {
      attempt(run);
    }
  };
  return button(text, onClick, { 'aria-disabled': isFull && 'true', ...attributes });
}

async function tokensSection() {
  const { secrets, counted, limit } = await get(tokens.path);
  const isFull = counted >= limit;
  return html`
    <section class="part tokens">
      <div class="head">
        <h2>Deploy tokens</h2>
        ${createButton('New token…', isFull, () => create(tokens, 'New deploy token'))}
      </div>
      <p class="lead">
        CI uses a deploy token to <a href="/docs/git-and-ci">push templates from Git</a>. Deploy tokens are not API keys and do not work with /api/v1.
      </p>
      ${isFull && html`<p class="notice">Token limit reached (${limit}). Delete a token before you create another.</p>`}
      ${secrets.length > 0
        && table('list keys', ['Name', 'Role', 'Token', 'Created', 'Last used', 'Expires', actionsColumn()], secrets.map(tokenRow))}
    </section>`;
}

function keyRow(key) {
  return html`
    <tr class=${key.expiresAt ? 'ending' : ''}>
      <th scope="row">
        <span class="name">${key.name}</span>
        ${key.expiresAt && [' ', html`<span class="badge">expires ${relativeTime(key.expiresAt)}</span>`]}
      </th>
      ${startAndTimes(key)}
      <td class="number" data-label="Requests this period">${key.requests.toLocaleString('en')}</td>
      <td class="acts">${!key.expiresAt && action('Rotate', rotate, keys, key)}${action('Delete', deleteSecret, keys, key)}</td>
    </tr>`;
}

function tokenRow(token) {
  return html`
    <tr>
      <th scope="row"><span class="name">${token.name}</span></th>
      <td data-label="Role">${token.role}</td>
      ${startAndTimes(token)}
      <td class="time" data-label="Expires">${token.expiresAt ? relativeTime(token.expiresAt) : 'never'}</td>
      <td class="acts">${action('Rotate', rotate, tokens, token)}${action('Delete', deleteSecret, tokens, token)}</td>
    </tr>`;
}

/** The cells that keys and tokens share: the secret's first characters, and when it was created and last used. */
function startAndTimes({ start, createdAt, createdBy, lastUsedAt }) {
  return html`
    <td class="id"><code>${start}…</code></td>
    <td class="time" data-label="Created">${relativeTime(createdAt)}${createdBy && html`<span class="by"> by ${createdBy}</span>`}</td>
    <td class="time" data-label="Last used">${lastUsedAt ? relativeTime(lastUsedAt) : 'never'}</td>`;
}

function action(verb, run, kind, secret) {
  return button(verb + '…', () => attempt(() => run(kind, secret)),
    { class: 'small quiet', 'aria-label': `${verb} ${kind === tokens ? 'token ' : ''}${secret.name}` });
}

async function create(kind, title) {
  const created = await formDialog(title, 'Create', kind.fields(),
    ({ name, role, days }) => post(kind.path, { name, role, ...(days && { days: Number(days) }) }));
  if (created) {
    await show(kind, created);
    await reload(PAGE);
  }
}

/**
 * Shows a new secret, which cannot be shown again. Only the button closes the dialog, so that nobody dismisses it by accident.
 *
 * @param more what follows the secret
 */
async function show(kind, created, more = null) {
  await dialog(kind.title, close => html`
    ${kind.saving(created)}
    ${copyField(created.secret, kind.label, 'the ' + kind.word)}
    ${more}
    <div class="actions">${button('I\'ve saved it', () => close(true), { class: 'primary' })}</div>`, { closable: false });
}

/** Shows an account's first key, with an example request. @param template id of a published template */
export async function showFirstKey(created, template) {
  await show(keys, created, html`
    <h3>Fetch the template</h3>
    ${copyField(curlLine(template, '?format=html', created.secret), 'Request', 'the request')}
    <p class="hint">Run this command in a terminal to print the HTML. See the template's API tab for more example requests.</p>`);
}

async function deleteSecret(kind, secret) {
  if (await confirmed(`Delete ${kind.word} ${secret.name}?`, [accountLine(), ...kind.deleting(secret)], 'Delete', { danger: true })) {
    await remove(`${kind.path}/${secret.id}`);
    notify(secret.name + ' deleted.');
    await reload(PAGE);
  }
}

async function rotate(kind, { id, name }) {
  const created = await formDialog('Rotate ' + name, 'Rotate', [
    kind.rotating(),
    choice('hours', `Delete the old ${kind.word}`, [
      { value: '0', label: 'Immediately', hint: kind.immediately },
      { value: '1', label: 'After 1 hour' },
      { value: '24', label: 'After 24 hours' },
      { value: '72', label: 'After 72 hours' },
    ], '24'),
  ], ({ hours }) => post(`${kind.path}/${id}/rotate`, { hours: Number(hours) }));
  if (created) {
    await show(kind, created);
    await reload(PAGE);
  }
}
