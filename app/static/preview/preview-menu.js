// Export menu of the preview: open in a new tab, download as an .eml file, copy the HTML.
import { copy } from '../frame/dom.js';
import { attempt, notify } from '../frame/dialog.js';
import { saveFile } from '../frame/download.js';
import { menuButton } from '../frame/menu.js';
import { post } from '../frame/server.js';

/**
 * @param read    returns the {subject, html, samples} shown
 * @param address URL of the preview page
 * @param name    file name without extension
 */
export function previewMenu({ read, address, name }) {
  async function download() {
    // Without the type message/rfc822, so that browsers keep the .eml extension.
    const mail = await post('/data/eml', read(), { asBlob: true });
    saveFile(new Blob([mail], { type: 'application/octet-stream' }), name + '.eml');
    notify('Open the file in your mail client and send it to yourself.');
  }

  async function copyText(text) {
    await copy(text);
    notify('HTML copied.');
  }

  return menuButton('Export', () => [
    { text: 'Open in new tab', href: address, target: '_blank' },
    { text: 'Download .eml', run: () => attempt(download) },
    { text: 'Copy HTML with test data', run: () => attempt(async () => copyText((await post('/data/filled', read())).html)) },
    { text: 'Copy HTML', run: () => attempt(() => copyText(read().html)) },
  ], { class: 'small quiet' });
}
