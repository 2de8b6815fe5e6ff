// Pages for invitations, password resets and the confirmation of an email address. The secret is in the URL fragment, which
// browsers never send.
import { html, button, gate, link } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { attempt, confirmed, notify } from '../frame/dialog.js';
import { form, field, newPasswordField, sentence } from '../frame/form.js';
import { navigate } from '../frame/router.js';
import { account, loadSession, setAccount, switchAccount } from '../frame/session.js';
import { signOut } from './signout.js';
import { relativeTime } from '../frame/time.js';

const page = (title, contents) => ({ title, kind: 'gate', content: gate(title, contents) });
const secretError = () => html`<p class="error" data-error="secret"></p>`;

/** Kinds of links, with the pages that open them. */
const KINDS = {
  invitation: { title: 'Invitation', words: 'an invitation link', path: '/join', action: 'Open invitation' },
  reset: { title: 'New password', words: 'a password-reset link', path: '/reset', action: 'Reset password' },
  confirmation: { title: 'Confirm email address', words: 'a link to confirm an email address', path: '/confirm', action: 'Confirm address' },
};

/** The kind of a link, as reported by the server: an invitation names accounts, a confirmation the address that it confirms. */
function kindOf({ accounts, confirms }) {
  if (accounts.length > 0) {
    return KINDS.invitation;
  }
  return confirms ? KINDS.confirmation : KINDS.reset;
}

/**
 * The page that opens a link. Explains if the link is no longer valid, and leads to another page if the link is of another kind.
 *
 * @param build receives the secret, the link as reported by the server, and whether a user is signed in
 */
async function openLink(kind, build) {
  const { title } = kind;
  const secret = location.hash.slice(1);
  if (secret === '') {
    return page(title, html`<p>This link is incomplete. Copy the whole link, including the part after #.</p>`);
  }
  const isSignedIn = account !== null || await loadSession();
  try {
    const found = await post('/data/link', { secret }, { throws401: true });
    return kindOf(found) === kind ? build(secret, found, isSignedIn) : otherPage(title, secret, kindOf(found));
  } catch (failure) {
    if (failure.status !== 422 && failure.status !== 429) {
      throw failure;
    }
    return page(title, html`
      <p class="error" role="alert">${sentence(failure)}</p>
      <p>${link('/', isSignedIn ? 'View templates' : 'Sign in')}</p>`);
  }
}

/** Says of which kind the link is, and links to the page that opens it. */
function otherPage(title, secret, { words, path, action }) {
  return page(title, html`<p>This is ${words}.</p><p>${link(path + '#' + secret, action)}</p>`);
}

export function joinPage() {
  return openLink(KINDS.invitation, (secret, invitation, isSignedIn) => page('Join ' + names(invitation), html`
    <p class="lead">
      ${invitation.madeBy} invites you to join ${rolesIn(invitation.accounts)}. This link expires ${relativeTime(invitation.expiresAt)}.
    </p>
    ${isSignedIn ? joinForm(secret, invitation) : registerForm(secret)}`));
}

/** "Acme as an editor and Acme Staging as a writer". */
function rolesIn(accounts) {
  return accounts.map(({ name, role }, i) => [i > 0 && ' and ', html`<b>${name}</b>`, ` as ${role === 'writer' ? 'a' : 'an'} ${role}`]);
}

const names = invitation => invitation.accounts.map(each => each.name).join(' and ');

function joinForm(secret, invitation) {
  return form('Join ' + names(invitation), async () => {
    const accountBefore = account.accountName;
    setAccount(await post('/data/link/join', { secret }));
    const joined = account.accounts.find(each => each.name === invitation.accounts[0].name);
    if (joined && joined.id !== account.id && await confirmed(`Switch to ${joined.name}?`, [
      `You joined ${names(invitation)}. Switching also affects your other windows.`], 'Switch', { cancel: 'Stay in ' + accountBefore })) {
      await switchAccount(joined.id);
    }
    await navigate('/', { replace: true, force: true });
  }, [html`<p>You are signed in as <b>${account.email}</b>.</p>`, secretError()],
  button('Use another account…', () => attempt(() => signOut('/data/session', '/join#' + secret))));
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
  return openLink(KINDS.reset, (secret, { email }) => page('New password', html`
    <p class="lead">For <b>${email}</b>. Setting a new password signs you out everywhere.</p>
    ${form('Set password', async ({ password }) => {
      await post('/data/link/reset', { secret, password }, { throws401: true });
      setAccount(null);
      await navigate('/signin', { replace: true, force: true });
      notify('Password set. You can now sign in.');
    }, [
      html`<input type="email" autocomplete="username" value=${email} readonly hidden>`,
      newPasswordField('New password', { 'data-focus': true }),
      secretError(),
    ])}`));
}

/** Asks for an email with a reset link. The page says the same whether or not the address is a user's. */
export async function forgotPage() {
  const { on } = await get('/data/mail');
  const content = html`<div></div>`;
  content.replaceChildren(!on ? html`<p>This server sends no emails. Ask an account owner or an administrator for a password-reset link.</p>`
    : form('Send link', async ({ email }) => {
      await post('/data/link/request', { email }, { throws401: true });
      content.replaceChildren(html`
        <p role="status">If <b>${email}</b> belongs to a user, has been confirmed and is not used too often here, an email with a link is on its way.
          The link works once and expires in 1 hour.</p>
        <p class="hint">No email? Look among spam, or ask an account owner for a password-reset link.</p>`);
    }, [
      html`<p class="lead">Stet emails you a link with which you can choose a new password.</p>`,
      field('email', 'Email', { type: 'email', autocomplete: 'username', required: true, 'data-focus': true }),
    ]));
  return page('Forgot password', [content, html`<p>${link('/signin', 'Back to sign-in', { class: 'forgot' })}</p>`]);
}

export function confirmPage() {
  return openLink(KINDS.confirmation, (secret, { confirms, email }, isSignedIn) => page('Confirm email address', form('Confirm address', async () => {
    await post('/data/link/confirm', { secret }, { throws401: true });
    if (isSignedIn) {
      await loadSession();
    }
    await navigate(isSignedIn ? '/account' : '/signin', { replace: true, force: true });
    notify('Email address confirmed.');
  }, [
    html`<p class="lead">Confirm that <b>${confirms}</b> is your address.
      ${confirms.toLowerCase() !== email.toLowerCase() && html`You then sign in with it instead of <b>${email}</b>.`}</p>`,
    html`<p class="error" data-error="email"></p>`,
    secretError(),
  ])));
}
