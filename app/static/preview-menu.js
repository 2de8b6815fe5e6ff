// More to do with the mail that is shown: open it in a tab of its own, try it in a mail program, copy its html.
import { copy } from './dom.js';
import { attempt, notify } from './dialog.js';
import { saveFile } from './download.js';
import { menuButton } from './menu.js';
import { post } from './server.js';

/**
 * @param read    the {subject, html, samples} that is shown
 * @param address of a page with the preview alone
 * @param name    of the file
 */
export function previewMenu({ read, address, name }) {
  async function download() {
    // Without its type, by which a browser would choose another ending.
    const mail = await post('/data/eml', read(), { asBlob: true });
    saveFile(new Blob([mail], { type: 'application/octet-stream' }), name + '.eml');
    notify('Open the file in your mail program, and send it to yourself.');
  }

  async function copyText(text) {
    await copy(text);
    notify('The HTML is copied.');
  }

  return menuButton('More', () => [
    { text: 'Open in a tab of its own', href: address, target: '_blank' },
    { text: 'Download .eml', run: () => attempt(download) },
    { text: 'Copy html, filled in', run: () => attempt(async () => copyText((await post('/data/filled', read())).html)) },
    { text: 'Copy html, as it is written', run: () => attempt(() => copyText(read().html)) },
  ], { class: 'small quiet', 'aria-label': 'More to do with the preview' });
}
