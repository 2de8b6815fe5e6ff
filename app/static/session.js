// Who is signed in.
import { get, remove } from './server.js';
import { go } from './router.js';

/** The account: email, plan, baseUrl; null before one is known. */
export let account = null;
/** No account exists yet, so the server has printed a set-up link. */
export let fresh = false;

const listeners = [];

/** Runs now and whenever someone signs in or out. */
export function whenSigned(listener) {
  listeners.push(listener);
}

export function signedIn(by) {
  account = by;
  fresh = false;
  listeners.forEach(listener => listener(account));
}

/** Asks the server; false when nobody is signed in. */
export async function known() {
  try {
    signedIn(await get('/data/session', { asks: true }));
    return true;
  } catch (failure) {
    if (failure.status !== 401) {
      throw failure;
    }
    fresh = failure.body.setup === true;
    return false;
  }
}

export async function signOut(everywhere) {
  await remove(everywhere ? '/data/sessions' : '/data/session');
  signedIn(null);
  await go('/signin', { force: true });
}
