// More to do with the mail that is shown: open it in a tab of its own, try it in a mail program, copy its html.
import { html, button, copy } from './dom.js';
import { attempt, notify } from './dialog.js';
import { post } from './server.js';

/**
 * @param read    the {subject, html, samples} that is shown
 * @param address of a page with the preview alone
 * @param name    of the file
 */
export function previewMenu({ read, address, name }) {
  const act = (text, run) => button(text, () => {
    close();
    attempt(run);
  }, { class: 'quiet small' });
  const list = html`
    <div class="menu-list">
      <a href=${address} target="_blank" class="button quiet small" @click=${() => close()}>Open in a tab of its own</a>
      ${act('Download .eml', download)}
      ${act('Copy html, filled in', async () => copyText((await post('/data/filled', read())).html))}
      ${act('Copy html, as it is written', () => copyText(read().html))}
    </div>`;
  const node = html`
    <details class="menu" @keydown=${onKey} @focusout=${onFocusOut}>
      <summary class="button quiet small">More</summary>
      ${list}
    </details>`;

  function close() {
    node.open = false;
  }

  function onKey(event) {
    if (event.key === 'Escape' && node.open) {
      close();
      node.querySelector('summary').focus();
    }
  }

  function onFocusOut(event) {
    if (event.relatedTarget && !node.contains(event.relatedTarget)) {
      close();
    }
  }

  async function download() {
    const address = URL.createObjectURL(await post('/data/eml', read(), { asBlob: true }));
    html`<a href=${address} download=${name + '.eml'}></a>`.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    notify('Open the file in your mail program, and send it to yourself.');
  }

  async function copyText(text) {
    await copy(text);
    notify('The html is copied.');
  }

  return node;
}
