// Invitation and password-reset pages. The secret is in the URL fragment, which browsers never send.
import { html, button, gate, link } from '../frame/dom.js';
import { post } from '../frame/server.js';
import { confirmed, notify } from '../frame/dialog.js';
import { form, field, newPasswordField, sentence } from '../frame/form.js';
import { navigate } from '../frame/router.js';
import { account, loadSession, setAccount, switchAccount } from '../frame/session.js';
import { signOut } from './signout.js';
import { relativeTime } from '../frame/time.js';

const page = (title, contents) => ({ title, kind: 'gate', content: gate(title, contents) });
const secretError = () => html`<p class="error" data-error="secret"></p>`;

/** Page for an open link; explains if the link has expired. */
async function opened(title, build) {
  const secret = location.hash.slice(1);
  if (secret === '') {
    return page(title, html`<p>This link is incomplete. Copy the whole link, including the part after #.</p>`);
  }
  const isSignedIn = account !== null || await loadSession();
  try {
    return build(secret, await post('/data/link', { secret }, { throws401: true }), isSignedIn);
  } catch (failure) {
    if (failure.status !== 422 && failure.status !== 429) {
      throw failure;
    }
    return page(title, html`
      <p class="error" role="alert">${sentence(failure)}</p>
      <p>${link('/', isSignedIn ? 'View templates' : 'Sign in')}</p>`);
  }
}

export function joinPage() {
  return opened('Invitation', (secret, invitation, isSignedIn) => invitation.accounts.length === 0
    ? page('Invitation', html`<p>This is a password-reset link.</p><p>${link('/reset#' + secret, 'Reset password')}</p>`)
    : page('Join ' + names(invitation), html`
      <p class="lead">
        ${invitation.madeBy} invites you to join
        ${invitation.accounts.map(({ name, role }, i) => html`<span>${i > 0 && 'and '}<b>${name}</b> as ${role === 'writer' ? 'a' : 'an'} ${role}${i < invitation.accounts.length - 1 ? ' ' : '.'}</span>`)}
        This link expires ${relativeTime(invitation.expiresAt)}.
      </p>
      ${isSignedIn ? joinForm(secret, invitation) : registerForm(secret, invitation)}`));
}

const names = invitation => invitation.accounts.map(each => each.name).join(' and ');

function joinForm(secret, invitation) {
  return form('Join ' + names(invitation), async () => {
    const before = account.account;
    setAccount(await post('/data/link/join', { secret }));
    const joined = account.accounts.find(each => each.name === invitation.accounts[0].name);
    if (joined && joined.id !== account.id && await confirmed(`Switch to ${joined.name}?`, [
      `You joined ${names(invitation)}. Switching also affects your other windows.`], 'Switch', { cancel: 'Stay in ' + before })) {
      await switchAccount(joined.id);
    }
    await navigate('/', { replace: true, force: true });
  }, [html`<p>You are signed in as <b>${account.email}</b>.</p>`, secretError()],
  button('Use another account…', async () => {
    await signOut('/data/session', '/join#' + secret);
  }));
}

function registerForm(secret) {
  return [
    html`<p>Already have an account? ${link('/signin?to=/join#' + secret, 'Sign in first')}, then join.</p>`,
    form('Join', async ({ name, email, password }) => {
      setAccount(await post('/data/link/register', { secret, name, email, password }, { throws401: true }));
      await navigate('/', { replace: true, force: true });
    }, [
      field('name', 'Name', { maxlength: 100, autocomplete: 'name', 'data-focus': true }, 'Optional. Shown to other users.'),
      field('email', 'Email', { type: 'email', autocomplete: 'username', required: true }),
      newPasswordField('Password'),
      secretError(),
    ]),
  ];
}

export function resetPage() {
  return opened('New password', (secret, reset) => reset.accounts.length > 0
    ? page('New password', html`<p>This is an invitation link.</p><p>${link('/join#' + secret, 'Open invitation')}</p>`)
    : page('New password', html`
      <p class="lead">For <b>${reset.email}</b>. Setting a new password signs you out everywhere.</p>
      ${form('Set password', async ({ password }) => {
        await post('/data/link/reset', { secret, password }, { throws401: true });
        setAccount(null);
        await navigate('/signin', { replace: true, force: true });
        notify('Password set. You can now sign in.');
      }, [
        html`<input type="email" autocomplete="username" value=${reset.email} readonly hidden>`,
        newPasswordField('New password', { 'data-focus': true }),
        secretError(),
      ])}`));
}
