// The signed-in user and their current account.
import { html } from './dom.js';
import { get, post, put, setAccountId } from './server.js';

/**
 * The signed-in user (email, userName, administrator, accounts), their current account (id, accountName, label, colour, plan, and
 * the user's role in it; null without an account) and the server (baseUrl, and mail if it sends emails). `unconfirmed` is true if
 * the user should confirm the email address. Null if nobody is signed in.
 */
export let account = null;
/** True while no account exists; the server has then printed a set-up link. */
export let needsSetup = false;

/** True if a proxy names a signed-in user to the server. */
export let hasProxy = false;
/** The error of the latest sign-in by the proxy; null if there was none or it succeeded. */
export let proxyRefusal = null;
/** After signing out, the user named by the proxy is not signed in automatically. */
let hasSignedOut = false;

let listener = () => {};

/** @param run called after each change of `account`: someone signs in or out, switches the account, or has other names or rights */
export function onAccountChange(run) {
  listener = run;
}

/** Changes {@link account}. @param next as the server reports the session; null after signing out */
export function setAccount(next) {
  account = next;
  setAccountId(next?.id ?? null);
  needsSetup = false;
  listener();
}

const ROLES = ['writer', 'editor', 'owner'];

/** True if the user's role in an account includes this role; false without an account. The server enforces roles regardless. */
export function mayAs(role, inAccount = account) {
  return ROLES.indexOf(inAccount.role) >= ROLES.indexOf(role);
}

/** The user's name as recorded with changes. */
export function ownName() {
  return account.userName || account.email;
}

/** True if a recorded change is the user's own, made in another window. */
export function isOwn(recordedName) {
  return recordedName === ownName();
}

/** The account's coloured label, if any. */
export function labelMark({ label, colour }) {
  return label && html`<span class="label-mark" data-colour=${colour ?? 'none'}>${label}</span>`;
}

/**
 * Names the account that a dialog will change, because a user may have several.
 *
 * @param changed one of the user's accounts; the current one by default
 */
export function accountLine(changed = { name: account.accountName, label: account.label, colour: account.colour }) {
  return html`<p class="hint account-line">Account: <b>${changed.name}</b> ${labelMark(changed)}</p>`;
}

/** Identifies the account in the window title: its label or, if the user has several accounts, its name; otherwise empty. */
export function accountTitle() {
  if (account === null) {
    return '';
  }
  return account.label || (account.accounts.length > 1 ? account.accountName : '');
}

/** Loads the session; resolves to false, without a change of {@link account}, if nobody is signed in, not even by a proxy. */
export async function loadSession() {
  try {
    setAccount(await get('/data/session', { throws401: true }));
    return true;
  } catch (failure) {
    if (failure.status !== 401) {
      throw failure;
    }
    needsSetup = failure.body.setup === true;
    hasProxy = failure.body.proxy === true;
    return hasProxy && !hasSignedOut && signInByProxy();
  }
}

/** Signs in the user named by the proxy; resolves to false, with {@link proxyRefusal}, if that fails. */
export async function signInByProxy() {
  try {
    setAccount(await post('/data/session/proxy', {}, { throws401: true }));
    proxyRefusal = null;
    return true;
  } catch (failure) {
    proxyRefusal = failure;
    return false;
  }
}

/** Renews the session for the open page if the proxy still names the same user; resolves to false otherwise. */
export async function resumeByProxy() {
  try {
    const session = await post('/data/session/proxy', {}, { throws401: true });
    if (session.email === account.email) {
      await resume(session);
      return true;
    }
  } catch {
    // The user is asked for the password instead.
  }
  return false;
}

/** Switches the account in all windows. */
export async function switchAccount(id) {
  setAccount(await put('/data/session', { account: id }));
}

/**
 * Uses a new session for the open page, which keeps its account. If the user is no longer a member, the next request
 * fails.
 */
export async function resume(session) {
  if (account.id !== null && session.id !== account.id && session.accounts.some(each => each.id === account.id)) {
    await switchAccount(account.id);
  } else if (session.id === account.id) {
    setAccount(session);
  }
}

/** Forgets the session in this page, which does not sign in again by a proxy. */
export function forgetSession() {
  setAccount(null);
  hasSignedOut = true;
}
