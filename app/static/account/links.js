// Pages for invitations, password resets and the confirmation of an email address. The secret is in the URL fragment, which browsers never send.
import { html, button, gate, link } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
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

/** A page for another kind of link, to which this one leads. */
function other(title, secret, { accounts, confirms }) {
  const [words, path, name] = accounts.length > 0 ? ['an invitation', '/join', 'Open invitation']
    : confirms ? ['a link to confirm an email address', '/confirm', 'Confirm address'] : ['a password-reset link', '/reset', 'Reset password'];
  return page(title, html`<p>This is ${words}${accounts.length > 0 && ' link'}.</p><p>${link(path + '#' + secret, name)}</p>`);
}

export function joinPage() {
  return opened('Invitation', (secret, invitation, isSignedIn) => invitation.accounts.length === 0
    ? other('Invitation', secret, invitation)
    : page('Join ' + names(invitation), html`
      <p class="lead">
        ${invitation.madeBy} invites you to join
        ${invitation.accounts.map(({ name, role }, i, all) => {
          const end = i < all.length - 1 ? ' ' : '.';
          return html`<span>${i > 0 && 'and '}<b>${name}</b> as ${role === 'writer' ? 'a' : 'an'} ${role}${end}</span>`;
        })}
        This link expires ${relativeTime(invitation.expiresAt)}.
      </p>
      ${isSignedIn ? joinForm(secret, invitation) : registerForm(secret)}`));
}

const names = invitation => invitation.accounts.map(each => each.name).join(' and ');

function joinForm(secret, invitation) {
  return form('Join ' + names(invitation), async () => {
    const before = account.accountName;
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
  return opened('New password', (secret, reset) => reset.accounts.length > 0 || reset.confirms
    ? other('New password', secret, reset)
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
  return opened('Confirm email address', (secret, found, isSignedIn) => !found.confirms
    ? other('Confirm email address', secret, found)
    : page('Confirm email address', form('Confirm address', async () => {
      await post('/data/link/confirm', { secret }, { throws401: true });
      if (isSignedIn) {
        await loadSession();
      }
      await navigate(isSignedIn ? '/account' : '/signin', { replace: true, force: true });
      notify('Email address confirmed.');
    }, [
      html`<p class="lead">Confirm that <b>${found.confirms}</b> is your address.
        ${found.confirms.toLowerCase() !== found.email.toLowerCase() && html`You then sign in with it instead of <b>${found.email}</b>.`}</p>`,
      html`<p class="error" data-error="email"></p>`,
      secretError(),
    ])));
}
