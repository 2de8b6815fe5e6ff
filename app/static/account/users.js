// The account's users: roles, invitations and password-reset links.
import { html, button, copyField, pageHead, table, actionsColumn } from '../frame/dom.js';
import { get, post, put, remove } from '../frame/server.js';
import { formDialog, attempt, confirmed, dialog, notify } from '../frame/dialog.js';
import { checkbox, choice } from '../frame/form.js';
import { navigate, reload } from '../frame/router.js';
import { submitSeen } from '../frame/seen.js';
import { account, labelMark, loadSession, setAccount } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

const PAGE = '/users';

const roles = [
  { value: 'writer', label: 'Writer', hint: 'edits drafts and shared blocks; requests reviews' },
  { value: 'editor', label: 'Editor', hint: 'also publishes' },
  { value: 'owner', label: 'Owner', hint: 'also imports and deletes templates, and manages users and keys' },
];

/** A user's name, or the email of a user without one. */
const label = user => user.name || user.email;

export async function usersPage() {
  const { users, invitations } = await get('/data/members');
  const isOwner = account.role === 'owner';
  return {
    title: 'Users',
    content: html`
      ${pageHead('Users', isOwner && button('Invite…', () => attempt(invite), { class: 'primary' }))}
      <p class="lead">Users of <b>${account.accountName}</b>. Owners invite users and change their roles.</p>
      ${table('list users', ['Name', 'Role', 'Since', actionsColumn()], users.map(user => row(user, isOwner)))}
      ${invitations?.length > 0 && html`
        <section class="part open-invitations">
          <h2>Open invitations</h2>
          ${table('list invitations', ['For', 'Role', 'Created by', 'Expires', actionsColumn()], invitations.map(invitationRow))}
        </section>`}`,
  };
}

function act(verb, run, user, attributes = {}) {
  return button(verb + '…', () => attempt(() => run(user)),
    { class: 'small quiet', 'aria-label': `${verb} ${label(user)}`, ...attributes });
}

function row(user, isOwner) {
  return html`
    <tr>
      <th scope="row">
        <span class="name">${label(user)}</span>${user.self && [' ', html`<span class="badge live">you</span>`]}
        ${user.name && html`<span class="hint email">${user.email}</span>`}
      </th>
      <td data-label="Role">${user.role}</td>
      <td class="time" data-label="Since">${relativeTime(user.since)}</td>
      <td class="acts">
        ${isOwner && act('Role', changeRole, user)}
        ${user.resettable && act('New password', makeResetLink, user)}
        ${user.self ? act('Leave', leave, user, { 'aria-label': 'Leave account' })
          : isOwner && act('Remove', removeUser, user)}
      </td>
    </tr>`;
}

function invitationRow({ id, role, note, madeBy, expiresAt }) {
  return html`
    <tr>
      <th scope="row">${note || 'anyone'}</th>
      <td data-label="Role">${role}</td>
      <td data-label="Created by">${madeBy}</td>
      <td class="time" data-label="Expires">${relativeTime(expiresAt)}</td>
      <td class="acts">
        ${button('Revoke', () => attempt(async () => {
          await remove('/data/invitations/' + id);
          notify('Invitation revoked.');
          await reload(PAGE);
        }), { class: 'small quiet', 'aria-label': 'Revoke the invitation for ' + (note || 'anyone') })}
      </td>
    </tr>`;
}

async function invite() {
  const owned = account.accounts.filter(each => each.id !== account.id && each.role === 'owner' && !each.suspended);
  const made = await formDialog('Invite users', 'Create links', invitationFields(owned), given => post('/data/invitations', {
    role: given.role,
    ...given.mail && { mail: true },
    notes: given.notes.split('\n').map(line => line.trim()).filter(Boolean),
    others: owned.map(each => ({ account: each.id, role: given['also-' + each.id] })).filter(each => each.role),
  }));
  if (made) {
    const [title, are, them] = made.links.length === 1 ? ['Your invitation', 'This link is', 'it'] : ['Your invitations', 'These links are', 'them'];
    await showLinks(title, html`
      <p>${are} shown only once and will expire ${relativeTime(made.expiresAt)}, or earlier if you revoke ${them}.</p>`, made.links);
  }
}

/** @param owned other accounts that the user may invite to */
function invitationFields(owned) {
  return [
    html`<p>Send each link to one user, who signs in or sets a password to join
      <b>${account.accountName}</b>${account.label && [' ', labelMark(account)]}. Each link works once and expires in 72 hours.</p>`,
    choice('role', 'Role', roles, 'editor'),
    html`
      <div class="field">
        <label for="invite-notes">For</label>
        <p class="hint" id="invite-hint">Optional. Enter up to 20 email addresses or names, one per line, to create a link for each.</p>
        <textarea id="invite-notes" name="notes" rows="3" aria-describedby="invite-hint" spellcheck="false"></textarea>
        <p class="error" data-error="notes"></p><p class="error" data-error="email"></p>
      </div>`,
    account.mail && checkbox('mail', 'Email each link to its address', true),
    owned.length > 0 && html`
      <fieldset class="choice">
        <legend>Also invite to</legend>
        ${owned.map(each => html`
          <div class="also"><label for="also-${each.id}">${each.name} ${labelMark(each)}</label>
            <select name="also-${each.id}" id="also-${each.id}">
              <option value="">no</option>
              ${roles.map(role => html`<option value=${role.value}>${role.label}</option>`)}
            </select></div>`)}
        <p class="error" data-error="others"></p>
      </fieldset>`,
  ];
}

async function makeResetLink(user) {
  const byEmail = account.mail ? '; Stet also emails it if the user\'s address is confirmed' : '';
  if (await confirmed(`Reset password for ${label(user)}?`, [
    `This creates a password-reset link for you to send${byEmail}. The link works once and expires in 24 hours.`,
    'Using the link signs the user out everywhere. Creating the link revokes any earlier password-reset link.'], 'Create link')) {
    const made = await post(`/data/members/${user.id}/reset`);
    await showLinks('Password-reset link for ' + label(user), html`
      <p>This link is shown only once and expires ${relativeTime(made.expiresAt)}.</p>`, [made]);
  }
}

/**
 * Shows links, which cannot be shown again. Only the button closes the dialog, so that nobody dismisses it by accident.
 *
 * @param links list of {link, note, mailed}
 */
async function showLinks(title, text, links) {
  const isOne = links.length === 1;
  const emailed = links.filter(each => each.mailed).map(each => each.note);
  await dialog(title, close => html`
    ${text}
    ${emailed.length > 0 && html`<p role="status">Also emailed to ${emailed.join(', ')}.</p>`}
    ${links.map(({ note, link }) => [!isOne && html`<h3 class="ids">${note}</h3>`,
      copyField(link, isOne ? 'Link' : 'Link for ' + note, isOne ? 'the link' : 'the link for ' + note)])}
    <p class="hint">Anyone with ${isOne ? 'the' : 'a'} link can use it, so send it only to the intended user.</p>
    <div class="actions">${button('I\'ve copied it', () => close(true), { class: 'primary' })}</div>`, { closable: false });
  await reload(PAGE);
}

async function changeRole(user) {
  const changed = await formDialog('Role of ' + label(user), 'Change', choice('role', 'Role', roles, user.role),
    submitSeen({ role: user.role }, ({ role }) => role, given => put('/data/members/' + user.id, given)));
  if (changed) {
    notify('Role of ' + label(user) + ' changed.');
    if (user.self) {
      await loadSession();
    }
    await reload(PAGE);
  }
}

async function removeUser(user) {
  const { keys, tokens } = await get(`/data/members/${user.id}/secrets`);
  const secrets = [
    ...keys.map(({ id, name }) => ({ path: '/data/keys/' + id, label: 'API key ' + name })),
    ...tokens.map(({ id, name }) => ({ path: '/data/tokens/' + id, label: 'Deploy token ' + name })),
  ];
  const deleted = new Set(); // if a later request fails, the form is sent again
  const removed = await formDialog(`Remove ${label(user)}?`, 'Remove', html`
    <p>This user loses access to ${account.accountName} immediately. The user's work is kept, and you can invite the user again.</p>
    <p>API keys and deploy tokens keep working. Rotate any others that this user may know on the Keys page.</p>
    ${secrets.length > 0 && html`
      <p>This user may have created these. Select those to delete now:</p>
      ${secrets.map((each, index) => checkbox('secret-' + index, each.label))}`}`, async values => {
    for (const [index, each] of secrets.entries()) {
      if (values['secret-' + index] && !deleted.has(each)) {
        await remove(each.path);
        deleted.add(each);
      }
    }
    await remove('/data/members/' + user.id);
  }, { danger: true });
  if (removed) {
    notify(label(user) + ' removed.');
    await reload(PAGE);
  }
}

async function leave() {
  if (await confirmed(`Leave ${account.accountName}?`, 'You will need a new invitation to rejoin.', 'Leave', { danger: true })) {
    await remove('/data/membership');
    if (!await loadSession()) {
      setAccount(null); // the user has left their last account
    }
    await navigate('/', { force: true });
  }
}
