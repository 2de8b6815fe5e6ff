// The list of templates.
import { element, button, link, copy, copyButton, count } from './dom.js';
import { get, post, remove } from './server.js';
import { ask, attempt, say } from './dialog.js';
import { field } from './form.js';
import { go, again, remember, remembered } from './router.js';
import { when, full, ago } from './time.js';

/** The words for a template's state. */
const states = {
  never: 'Never published',
  published: 'Published',
  changed: 'Published, with unpublished changes',
};

export function stateMark(state) {
  return element('span', { class: 'state ' + state }, states[state]);
}

/** "older footer": the live version carries an older text of a shared block. */
export function staleMark(blocks) {
  return blocks.length === 0 ? null : link('/stale', 'older ' + blocks.join(', '),
    { class: 'badge', title: 'The live version carries an older text of ' + blocks.join(', ') });
}

export async function templatesPage() {
  const { templates } = await get('/data/templates');
  const create = button('New template…', () => created(), { class: 'primary' });
  const head = element('div', { class: 'head' }, element('h1', { tabindex: '-1' }, 'Templates'), create);
  if (templates.length === 0) {
    return { title: 'Templates', content: [head, empty()] };
  }
  const rows = new Map(templates.map(template => [template.id, row(template)]));
  const none = element('p', { class: 'hint', hidden: true }, 'No template matches.');
  const shown = element('p', { class: 'hint', role: 'status' });
  const search = element('input', { type: 'search', id: 'search', placeholder: 'Search by name or id', 'aria-keyshortcuts': '/',
    autocomplete: 'off', spellcheck: 'false', value: remembered().search ?? '', oninput: filter });

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const { node, text } of rows.values()) {
      node.hidden = !words.every(word => text.includes(word));
      left += node.hidden ? 0 : 1;
    }
    none.hidden = left > 0;
    shown.textContent = (left === rows.size ? '' : left.toLocaleString('en') + ' of ') + count(rows.size, 'template');
    remember({ search: search.value });
  }

  // One listener for all rows: a list may have a thousand.
  async function act(event) {
    const pressed = event.target.closest('[data-act]');
    const id = pressed?.closest('tr').dataset.id;
    if (pressed?.dataset.act === 'copy') {
      await copy(id);
      say('Copied ' + id);
    } else if (pressed?.dataset.act === 'duplicate') {
      await duplicated(await get('/data/templates/' + id));
    } else if (pressed?.dataset.act === 'delete' && await deleted(await get('/data/templates/' + id))) {
      rows.get(id).node.remove();
      rows.delete(id);
      filter();
      await (rows.size === 0 ? again() : search.focus());
    }
  }

  const keys = event => {
    if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.target.closest?.('input, textarea, select, dialog')) {
      event.preventDefault();
      search.focus();
    }
  };
  document.addEventListener('keydown', keys);
  filter();
  return {
    title: 'Templates',
    content: [head,
      element('div', { class: 'toolbar' },
        element('div', { class: 'search' }, element('label', { for: 'search', class: 'unseen' }, 'Search templates'), search, element('kbd', { 'aria-hidden': 'true' }, '/')),
        shown),
      element('table', { class: 'list templates', onclick: event => attempt(() => act(event)) },
        element('thead', {}, element('tr', {}, ['Name', 'State', 'Id', 'Updated'].map(name => element('th', { scope: 'col' }, name)),
          element('th', { scope: 'col' }, element('span', { class: 'unseen' }, 'Actions')))),
        element('tbody', {}, [...rows.values()].map(({ node }) => node))),
      none],
    leave: () => document.removeEventListener('keydown', keys),
  };
}

function row(template) {
  const { id, name } = template;
  const action = (act, text, label) => element('button', { type: 'button', class: 'small quiet', 'data-act': act, 'aria-label': label }, text);
  return {
    text: (name + ' ' + id + ' ' + states[template.state]).toLowerCase(),
    node: element('tr', { 'data-id': id },
      element('th', { scope: 'row' }, link('/templates/' + id, name, { class: 'name' })),
      element('td', {}, stateMark(template.state), ' ', staleMark(template.stale)),
      element('td', { class: 'id' }, element('code', {}, id), ' ', action('copy', 'Copy', 'Copy the id ' + id)),
      element('td', { class: 'time' }, when(template.updatedAt)),
      element('td', { class: 'acts' },
        action('duplicate', 'Duplicate…', 'Duplicate ' + name), action('delete', 'Delete…', 'Delete ' + name))),
  };
}

function empty() {
  return element('section', { class: 'empty' },
    element('p', { class: 'mark' }, element('span', { class: 'stet' }, 'stet')),
    element('h2', {}, 'No templates yet'),
    element('p', {}, 'Write a mail here, publish it, and your server fetches it by its id. What is published stands as it is until you publish again.'),
    element('p', { class: 'row' }, button('Write the first template…', () => created(), { class: 'primary' }),
      link('/account', 'Import a zip', { class: 'button' })));
}

function idField(value = '') {
  return field('id', 'Id', { maxlength: 64, spellcheck: 'false', class: 'mono', value, placeholder: 'generated if left empty' },
    'What your server asks for. Letters, digits, - and _; it never changes. Choose one yourself and it is the same everywhere you install Stet.');
}

async function created() {
  const template = await ask('New template', 'Create', [
    field('name', 'Name', { maxlength: 200, required: true, autofocus: true }),
    idField(),
  ], given => post('/data/templates', { name: given.name, ...(given.id.trim() ? { id: given.id.trim() } : {}) }));
  if (template) {
    await go('/templates/' + template.id);
  }
}

/** Asks for the copy's name and id, and goes to it. */
export async function duplicated({ id, name }) {
  const template = await ask('Duplicate ' + name, 'Duplicate', [
    element('p', { class: 'hint' }, 'The copy has the saved draft and its sample values. It starts never published.'),
    field('name', 'Name of the copy', { maxlength: 200, required: true, value: 'Copy of ' + name, autofocus: true }),
    idField(),
  ], given => post('/data/templates', { name: given.name, copyOf: id, ...(given.id.trim() ? { id: given.id.trim() } : {}) }));
  if (template) {
    await go('/templates/' + template.id);
  }
}

/** Asks before deleting, with what is known of its use; true when deleted. */
export async function deleted(template) {
  const { id, name, lastFetched } = template;
  const done = await ask('Delete ' + name + '?', 'Delete', [
    element('p', {}, template.published
      ? ['It is published. From the next request on, asking for ', element('code', {}, id), ' is answered with 404, and its history is gone.']
      : 'It was never published. Its draft and its sample values are gone then.'),
    element('p', { class: lastFetched ? 'warning' : '' }, lastFetched
      ? `It was last fetched ${ago(lastFetched.at)} (${full(lastFetched.at)}) with the key “${lastFetched.key}”.`
      : 'It has never been fetched.'),
    element('p', {}, link('/data/export', 'Export everything first', { download: '' }), ' to keep a copy.'),
    field('confirm', `Type ${id} or its name to confirm`, { required: true, autofocus: true, spellcheck: 'false' }),
  ], async given => {
    if (given.confirm.trim() !== id && given.confirm.trim() !== name.trim()) {
      throw Object.assign(new Error('That is neither the id nor the name'), { status: 422, field: 'confirm' });
    }
    await remove('/data/templates/' + id);
    return true;
  }, { danger: true });
  if (done) {
    say(name + ' is deleted.');
  }
  return done === true;
}

export function idWithCopy(id) {
  return element('span', { class: 'id' }, element('code', {}, id), ' ', copyButton(id, 'the id ' + id));
}
