// The account that is signed in.
import { get, remove, setAccountId } from './server.js';
import { navigate } from './router.js';

/**
 * The person who is signed in, and the account in which they work: email, name, operator, id, account, plan, role, accounts,
 * baseUrl; null when nobody is signed in.
 */
export let account = null;
/** True when no account exists yet, so the server has printed a set-up link. */
export let needsSetup = false;

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
    return false;
  }
}

export async function signOut(everywhere) {
  await remove(everywhere ? '/data/sessions' : '/data/session');
  setAccount(null);
  await navigate('/signin', { force: true });
}
