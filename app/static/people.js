// The people of the account: roles, invitations, links to a new password.
import { html, button, toCopy, pageHead, table, actionsColumn } from './dom.js';
import { get, post, put, remove } from './server.js';
import { formDialog, attempt, confirmed, dialog, notify } from './dialog.js';
import { field, choice } from './form.js';
import { navigate, reload } from './router.js';
import { account, loadSession, setAccount } from './session.js';
import { relativeTime } from './time.js';

const roles = [
  { value: 'writer', label: 'Writer', hint: 'drafts and shared blocks; requests reviews' },
  { value: 'editor', label: 'Editor', hint: 'the same, and publishes' },
  { value: 'owner', label: 'Owner', hint: 'the same, and looks after people, keys, import and deletion' },
];

const label = person => person.name || person.email;

export async function peoplePage() {
  const { people, invitations } = await get('/data/members');
  const isOwner = account.role === 'owner';
  return {
    title: 'People',
    content: html`
      ${pageHead('People', isOwner && button('Invite…', () => attempt(invite), { class: 'primary' }))}
      <p class="lead">The people of <b>${account.account}</b>. Owners invite people and change their roles.</p>
      ${table('list people', ['Name', 'Role', 'Since', actionsColumn()], people.map(person => row(person, isOwner)))}
      ${invitations?.length > 0 && html`
        <section class="part open-invitations">
          <h2>Open invitations</h2>
          ${table('list invitations', ['For', 'Role', 'Made by', 'Ends', actionsColumn()], invitations.map(invitationRow))}
        </section>`}`,
  };
}

function act(verb, run, person, attributes = {}) {
  return button(verb + '…', () => attempt(() => run(person)),
    { class: 'small quiet', 'aria-label': `${verb} ${label(person)}`, ...attributes });
}

function row(person, isOwner) {
  return html`
    <tr>
      <th scope="row">
        <span class="name">${label(person)}</span>${person.self && [' ', html`<span class="badge live">you</span>`]}
        ${person.name && html`<span class="hint email">${person.email}</span>`}
      </th>
      <td data-label="Role">${person.role}</td>
      <td class="time" data-label="Since">${relativeTime(person.since)}</td>
      <td class="acts">
        ${isOwner && act('Role', changeRole, person)}
        ${person.resettable && act('New password', makeResetLink, person)}
        ${person.self ? act('Leave', leave, person, { 'aria-label': 'Leave the account' })
          : isOwner && act('Remove', removePerson, person)}
      </td>
    </tr>`;
}

function invitationRow({ id, role, note, madeBy, expiresAt }) {
  return html`
    <tr>
      <th scope="row">${note || 'anybody'}</th>
      <td data-label="Role">${role}</td>
      <td data-label="Made by">${madeBy}</td>
      <td class="time" data-label="Ends">${relativeTime(expiresAt)}</td>
      <td class="acts">
        ${button('Withdraw', () => attempt(async () => {
          await remove('/data/invitations/' + id);
          notify('The invitation is withdrawn.');
          await reload();
        }), { class: 'small quiet', 'aria-label': 'Withdraw the invitation for ' + (note || 'anybody') })}
      </td>
    </tr>`;
}

async function invite() {
  const made = await formDialog('Invite somebody', 'Make the link', [
    html`<p>This makes a link, which you send as you like. Whoever opens it signs in or sets a password, and belongs to
      <b>${account.account}</b> then. It works once, for 72 hours.</p>`,
    choice('role', 'Role', roles, 'editor'),
    field('note', 'For', { maxlength: 200, placeholder: 'for example: Ben' }, 'A note for this list. Optional.'),
  ], ({ role, note }) => post('/data/invitations', { role, note }));
  if (made) {
    await showLink('Your invitation', html`
      <p>It is shown this once. It ends ${relativeTime(made.expiresAt)}; until then you can withdraw it.</p>`, made.link);
  }
}

async function makeResetLink(person) {
  if (await confirmed(`A new password for ${label(person)}?`, [
    'This makes a link, which you send as you like. Whoever opens it sets a new password, once, within 24 hours.',
    'Their sessions end then. A link that was made before ends now.'], 'Make the link')) {
    const made = await post(`/data/members/${person.id}/reset`);
    await showLink('A new password for ' + label(person), html`
      <p>It is shown this once, and ends ${relativeTime(made.expiresAt)}.</p>`, made.link);
  }
}

/** Shows a link for the only time, so the dialog is closed by a button that says so, and not by chance. */
async function showLink(title, text, secret) {
  await dialog(title, close => html`
    ${text}
    ${toCopy(secret, 'Link', 'the link')}
    <p class="hint">Whoever has the link can use it: send it to nobody else.</p>
    <div class="actions">${button('I have copied it', () => close(true), { class: 'primary' })}</div>`, { closable: false });
  await reload();
}

async function changeRole(person) {
  const changed = await formDialog('Role of ' + label(person), 'Change', choice('role', 'Role', roles, person.role),
    ({ role }) => put('/data/members/' + person.id, { role }));
  if (changed) {
    notify(label(person) + ': the role is changed.');
    if (person.self) {
      await loadSession();
    }
    await reload();
  }
}

async function removePerson(person) {
  const keys = 'API keys go on working: rotate the ones that they may have kept.';
  if (await confirmed(`Remove ${label(person)}?`, [
    `They lose ${account.account} with their next click. Their work stays, and they can be invited again.`,
    person.role !== 'writer' && keys].filter(Boolean), 'Remove', { danger: true })) {
    await remove('/data/members/' + person.id);
    notify(label(person) + ' is removed.');
    await reload();
  }
}

async function leave() {
  if (await confirmed(`Leave ${account.account}?`, 'Only an owner can invite you again.', 'Leave', { danger: true })) {
    await remove('/data/membership');
    if (!await loadSession()) {
      setAccount(null); // it was the person's last account
    }
    await navigate('/', { force: true });
  }
}
