// API keys: made, shown once, rotated, deleted.
import { element, button, link, copyButton, count } from './dom.js';
import { get, post, remove } from './server.js';
import { ask, attempt, confirmed, dialog, say } from './dialog.js';
import { field, choice } from './form.js';
import { again } from './router.js';
import { account } from './session.js';
import { when } from './time.js';

export async function keysPage() {
  const { keys, counted, limit } = await get('/data/keys');
  return {
    title: 'Keys',
    content: [
      element('div', { class: 'head' }, element('h1', { tabindex: '-1' }, 'Keys'),
        button('New key…', () => attempt(create), { class: 'primary' })),
      element('p', { class: 'lead' },
        element('b', { class: 'counted' }, `${counted} of ${limit} keys`), ` on the plan ${account.plan}. `,
        'A key lets a server fetch what is published. Keep it there: never in a web page or an app.'),
      keys.length === 0
        ? element('section', { class: 'empty' }, element('h2', {}, 'No keys yet'), element('p', {}, 'Your server needs one to fetch a template.'))
        : element('table', { class: 'list keys' },
          element('thead', {}, element('tr', {},
            ['Name', 'Key', 'Created', 'Last used', 'Requests this period'].map(name => element('th', { scope: 'col' }, name)),
            element('th', { scope: 'col' }, element('span', { class: 'unseen' }, 'Actions')))),
          element('tbody', {}, keys.map(row))),
      element('p', { class: 'hint' }, 'A request with a key: see the tab API of any template, or ', link('/usage', 'what was used'), '.'),
    ],
  };
}

function row(key) {
  return element('tr', { class: key.expiresAt ? 'ending' : '' },
    element('th', { scope: 'row' }, element('span', { class: 'name' }, key.name),
      key.expiresAt ? [' ', element('span', { class: 'badge' }, 'ends ', when(key.expiresAt))] : null),
    element('td', { class: 'id' }, element('code', {}, key.start + '…')),
    element('td', { class: 'time', 'data-label': 'Created' }, when(key.createdAt)),
    element('td', { class: 'time', 'data-label': 'Last used' }, key.lastUsedAt ? when(key.lastUsedAt) : 'never'),
    element('td', { class: 'number', 'data-label': 'Requests this period' }, key.requests.toLocaleString('en')),
    element('td', { class: 'acts' },
      key.expiresAt ? null : button('Rotate…', () => attempt(() => rotate(key)), { class: 'small quiet', 'aria-label': 'Rotate ' + key.name }),
      button('Delete…', () => attempt(() => discard(key)), { class: 'small quiet', 'aria-label': 'Delete ' + key.name })));
}

async function create() {
  const made = await ask('New key', 'Create', [
    field('name', 'Name', { maxlength: 200, required: true, autofocus: true, placeholder: 'for example: production' }, 'Where it is used, so that you know it again.'),
  ], given => post('/data/keys', { name: given.name }));
  if (made) {
    await once(made);
    await again();
  }
}

/** The only time the key is seen: the dialog closes by saying so, not by chance. */
function once(made) {
  return dialog('Your new key', close => [
    element('p', {}, 'This is the key ', element('b', {}, made.name), '. It is shown this once: Stet keeps only its digest, so nobody can look it up again.'),
    element('div', { class: 'secret' },
      element('input', { type: 'text', class: 'mono', readonly: true, value: made.key, 'aria-label': 'Key', spellcheck: 'false', onfocus: event => event.target.select() }),
      copyButton(made.key, 'the key', { class: '' })),
    element('div', { class: 'actions' }, button('I have stored it', () => close(true), { class: 'primary' })),
  ], { closable: false });
}

async function discard(key) {
  const use = key.lastUsedAt ? element('p', { class: 'warning' }, 'It was last used ', when(key.lastUsedAt), ` and answered ${count(key.requests, 'request')} in this period.`)
    : element('p', {}, 'It has never been used.');
  if (await confirmed(`Delete the key ${key.name}?`, [use, 'The next request with it is answered with 401. This cannot be undone.'], 'Delete', { danger: true })) {
    await remove('/data/keys/' + key.id);
    say(key.name + ' is deleted.');
    await again();
  }
}

async function rotate(key) {
  const made = await ask('Rotate ' + key.name, 'Rotate', [
    element('p', {}, 'Makes a new key of the same name. The old one goes on working for the time you choose, and does not count meanwhile.'),
    choice('hours', 'The old key works for', [
      { value: '0', label: 'No longer', hint: 'the next request with it gets 401' },
      { value: '1', label: '1 hour' },
      { value: '24', label: '24 hours' },
      { value: '72', label: '72 hours' },
    ], '24'),
  ], given => post(`/data/keys/${key.id}/rotate`, { hours: Number(given.hours) }));
  if (made) {
    await once(made);
    await again();
  }
}
