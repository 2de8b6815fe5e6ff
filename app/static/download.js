// Has the browser save a file.
import { link } from './dom.js';

/** A browser has begun to save the file by then. */
const REVOKE_DELAY_MILLIS = 60_000;

export function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  const anchor = link(address, '', { download: name, hidden: true });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY_MILLIS);
}
