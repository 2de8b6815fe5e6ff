// Deploy tokens: create, show once, rotate, delete.
import { html, button, toCopy, table, actionsColumn } from '../frame/dom.js';
import { get, post, remove } from '../frame/server.js';
import { formDialog, attempt, confirmed, dialog, notify } from '../frame/dialog.js';
import { field, choice } from '../frame/form.js';
import { reload } from '../frame/router.js';
import { accountLine } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

/** The section on the Keys page. */
export async function tokensSection() {
  const { tokens, limit } = await get('/data/tokens');
  const isFull = tokens.length >= limit;
  return html`
    <section class="part tokens">
      <div class="head">
        <h2>Deploy tokens</h2>
        ${button('New token…', () => isFull || attempt(createToken), { 'aria-disabled': isFull ? 'true' : null })}
      </div>
      <p class="lead">
        CI uses a deploy token to <a href="/docs/git-and-ci">push templates from Git</a>. Deploy tokens are not API keys and do not work with /api/v1.
      </p>
      ${isFull && html`<p class="notice">Token limit reached (${limit}). Delete a token before you create another.</p>`}
      ${tokens.length > 0
        && table('list keys', ['Name', 'Role', 'Token', 'Created', 'Last used', 'Expires', actionsColumn()], tokens.map(row))}
    </section>`;
}

function row(token) {
  const act = (verb, run) => button(verb + '…', () => attempt(() => run(token)),
    { class: 'small quiet', 'aria-label': `${verb} token ${token.name}` });
  return html`
    <tr>
      <th scope="row"><span class="name">${token.name}</span></th>
      <td data-label="Role">${token.role}</td>
      <td class="id"><code>${token.start}…</code></td>
      <td class="time" data-label="Created">
        ${relativeTime(token.createdAt)}${token.createdBy && html`<span class="by"> by ${token.createdBy}</span>`}
      </td>
      <td class="time" data-label="Last used">${token.lastUsedAt ? relativeTime(token.lastUsedAt) : 'never'}</td>
      <td class="time" data-label="Expires">${token.expiresAt ? relativeTime(token.expiresAt) : 'never'}</td>
      <td class="acts">${act('Rotate', rotateToken)}${act('Delete', deleteToken)}</td>
    </tr>`;
}

async function createToken() {
  const created = await formDialog('New deploy token', 'Create', [
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
  ], ({ name, role, days }) => post('/data/tokens', { name, role, ...(days && { days: Number(days) }) }));
  if (created) {
    await showToken(created);
  }
}

async function showToken({ name, token }) {
  await dialog('Your new deploy token', close => html`
    <p>Save the token <b>${name}</b> as a secret in your CI now. Stet stores only a hash of the token and cannot show it again.</p>
    ${toCopy(token, 'Token', 'the token')}
    <div class="actions">${button('I\'ve saved it', () => close(true), { class: 'primary' })}</div>`, { closable: false });
  await reload();
}

async function deleteToken({ id, name }) {
  if (await confirmed(`Delete token ${name}?`, [accountLine(), 'Pushes and pulls with this token will fail with 401. This cannot be undone.'], 'Delete',
    { danger: true })) {
    await remove('/data/tokens/' + id);
    notify(name + ' deleted.');
    await reload();
  }
}

async function rotateToken({ id, name }) {
  const created = await formDialog('Rotate ' + name, 'Rotate', [
    html`<p>Rotating creates a new token with the same name, role and lifetime.</p>`,
    choice('hours', 'Delete the old token', [
      { value: '0', label: 'Immediately', hint: 'pushes with the old token fail with 401' },
      { value: '1', label: 'After 1 hour' },
      { value: '24', label: 'After 24 hours' },
      { value: '72', label: 'After 72 hours' },
    ], '24'),
  ], ({ hours }) => post(`/data/tokens/${id}/rotate`, { hours: Number(hours) }));
  if (created) {
    await showToken(created);
  }
}
