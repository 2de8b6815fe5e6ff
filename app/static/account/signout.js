// Sign-out, which deletes the user's text stored in this browser.
import { deleteStoredTexts } from '../editor/recovery.js';
import { navigate } from '../frame/router.js';
import { remove } from '../frame/server.js';
import { forgetSession } from '../frame/session.js';

/**
 * Ends one or all sessions, unless the user stays to keep unsaved text.
 *
 * @param sessions path of the sessions to end; of the present one by default
 * @param to       page to show then
 */
export async function signOut(sessions = '/data/session', to = '/signin') {
  if (!await deleteStoredTexts()) {
    return;
  }
  await remove(sessions);
  forgetSession();
  await navigate(to, { force: true });
}
