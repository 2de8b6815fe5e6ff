// Signing out, which deletes the text that this browser keeps for the person.
import { forgetRecovered } from './recovery.js';
import { navigate } from './router.js';
import { remove } from './server.js';
import { forgetSession } from './session.js';

/** Ends one or all sessions, unless the person stays for text that is kept in this browser. */
export async function signOut(sessions = '/data/session', to = '/signin') {
  if (!await forgetRecovered()) {
    return;
  }
  await remove(sessions);
  forgetSession();
  await navigate(to, { force: true });
}
