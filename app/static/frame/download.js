// Saves a file in the browser.
import { link } from './dom.js';

/** Long enough for the browser to start saving. */
const REVOKE_DELAY_MILLIS = 60_000;

export function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  const anchor = link(address, '', { download: name, hidden: true });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY_MILLIS);
}
