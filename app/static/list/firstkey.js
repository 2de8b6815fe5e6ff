// Guides users from the first publication to the first request: creates a key and shows the curl command.
import { html } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { formDialog } from '../frame/dialog.js';
import { field } from '../frame/form.js';
import { showFirstKey } from '../account/keys.js';
import { mayAs } from '../frame/session.js';

/** After a template's first publication, offers to create a key if the account has none. */
export async function offerKey({ id, name, published }) {
  if (published.number !== 1 || !mayAs('owner') || (await get('/data/keys')).secrets.length > 0) {
    return;
  }
  const created = await formDialog(`${name} is live`, 'Create API key', [
    html`<p>Version 1 of ${name} is live. Your app needs an API key to fetch the template.</p>`,
    field('name', 'Key name', { maxlength: 200, required: true, value: 'First key' }, 'Choose a name that describes where the key is used.'),
  ], given => post('/data/keys', { name: given.name }), { cancel: 'Later' });
  if (created) {
    await showFirstKey(created, id);
  }
}
