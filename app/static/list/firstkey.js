// Guides users from the first publication to the first request: creates a key and shows the curl command.
import { html, button } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { dialog } from '../frame/dialog.js';
import { field, form } from '../frame/form.js';
import { showFirstKey } from '../account/keys.js';
import { mayAs } from '../frame/session.js';

/** After a template's first publication, offers to create a key if the account has none. */
export async function offerKey({ id, name, published }) {
  if (published.number !== 1 || !mayAs('owner') || (await get('/data/keys')).secrets.length > 0) {
    return;
  }
  const created = await dialog(`${name} is live`, close => form('Create API key',
    async given => close(await post('/data/keys', { name: given.key })), [
      html`<p>Version 1 of ${name} is live. Your app needs an API key to fetch the template.</p>`,
      field('key', 'Key name', { maxlength: 200, required: true, value: 'First key' },
        'Choose a name that describes where the key is used.'),
    ], button('Later', () => close())));
  if (created) {
    await showFirstKey(created, id);
  }
}
