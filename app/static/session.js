// The person who is signed in, and the account in which they work.
import { html } from './dom.js';
import { get, post, put, setAccountId } from './server.js';

/**
 * The person who is signed in, and the account in which they work: email, name, administrator, id, account, label, colour, plan, role,
 * accounts, baseUrl; null when nobody is signed in.
 */
export let account = null;
/** True when no account exists yet, so the server has printed a set-up link. */
export let needsSetup = false;

/** True when a proxy has signed somebody in, and names them to the server. */
export let hasProxy = false;
/** The server's refusal of the person whom the proxy names, or null. */
export let proxyRefusal = null;
/** After signing out, nobody is signed in by the proxy without being asked. */
let hasSignedOut = false;

let listener = () => {};

/** @param run is called whenever someone signs in or out */
export function onAccountChange(run) {
  listener = run;
}

export function setAccount(next) {
  account = next;
  setAccountId(next?.id ?? null);
  needsSetup = false;
  listener(account);
}

const ROLES = ['writer', 'editor', 'owner'];

/** Whether the person may do in an account of theirs what this role may. The server checks it all the same. */
export function mayAs(role, one = account) {
  return ROLES.indexOf(one.role) >= ROLES.indexOf(role);
}

/** The person's name as it is recorded with their changes. */
export function ownName() {
  return account.name || account.email;
}

/** Whether a change was recorded as the person's own: made in another window, that is. */
export function isOwn(recordedName) {
  return recordedName === ownName();
}

/** The label of an account in its colour, or nothing. */
export function labelMark({ label, colour }) {
  return label && html`<span class="label-mark" data-colour=${colour ?? 'none'}>${label}</span>`;
}

/** Names the account that a dialog is about to change: a person may work in several. */
export function accountLine(one = { ...account, name: account.account }) {
  return html`<p class="hint account-line">Account: <b>${one.name}</b> ${labelMark(one)}</p>`;
}

/** What tells the account from the person's others in the window's title: its label, or else its name. */
export function accountTitle() {
  return account === null ? '' : account.label || (account.accounts.length > 1 ? account.account : '');
}

/** Asks the server; false when nobody is signed in. */
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

/** Signs in the person whom the proxy names; false when the server refuses them. */
export async function signInByProxy() {
  try {
    setAccount(await post('/data/session/proxy', {}, { throws401: true }));
    return true;
  } catch (failure) {
    proxyRefusal = failure;
    return false;
  }
}

/** Takes a new session for the page that is open, where a proxy names the same person; else false. */
export async function resumeByProxy() {
  try {
    const session = await post('/data/session/proxy', {}, { throws401: true });
    if (session.email === account.email) {
      await resume(session);
      return true;
    }
  } catch {
    // The password is asked for.
  }
  return false;
}

/** Works in another account from now on, in all windows. */
export async function switchAccount(id) {
  setAccount(await put('/data/session', { account: id }));
}

/**
 * Takes a new session for the page that is open: the account stays the one whose text is on the page. A person who does not
 * belong to it any more is told at the next request.
 */
export async function resume(session) {
  if (account.id !== null && session.id !== account.id && session.accounts.some(each => each.id === account.id)) {
    await switchAccount(account.id);
  } else if (session.id === account.id) {
    setAccount(session);
  }
}

/** Ends the session for this page. */
export function forgetSession() {
  setAccount(null);
  hasSignedOut = true;
}
