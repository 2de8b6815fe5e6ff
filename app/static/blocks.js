// The list of shared blocks.
import { element, button, link, copyButton, count } from './dom.js';
import { get, post, remove } from './server.js';
import { ask, attempt, confirmed, say } from './dialog.js';
import { field } from './form.js';
import { go, again } from './router.js';
import { size, when } from './time.js';

export async function blocksPage() {
  const { blocks } = await get('/data/blocks');
  const stale = blocks.some(block => block.stale > 0);
  return {
    title: 'Shared blocks',
    content: [
      element('div', { class: 'head' }, element('h1', { tabindex: '-1' }, 'Shared blocks'), button('New block…', created, { class: 'primary' })),
      element('p', { class: 'lead' }, 'A piece that many mails share, such as a footer. It is taken in when a template is published, and stays as it was until the next time.'),
      stale && element('p', { class: 'notice' }, 'Some live templates carry an older text of a block. ', link('/stale', 'Review and publish them')),
      blocks.length === 0
        ? element('section', { class: 'empty' }, element('h2', {}, 'No shared blocks yet'),
          element('p', {}, 'Make one for the footer, and write ', element('code', {}, '{{> footer}}'), ' in each mail.'))
        : element('table', { class: 'list blocks' },
          element('thead', {}, element('tr', {}, ['Name', 'Used by', 'Live with an older text', 'Size', 'Updated'].map(name => element('th', { scope: 'col' }, name)),
            element('th', { scope: 'col' }, element('span', { class: 'unseen' }, 'Actions')))),
          element('tbody', {}, blocks.map(row))),
    ],
  };
}

function row(block) {
  return element('tr', {},
    element('th', { scope: 'row' }, link('/blocks/' + block.name, block.name, { class: 'name mono' })),
    element('td', { 'data-label': 'Used by' }, block.users === 0 ? 'nothing' : count(block.users, 'draft or block', 'drafts and blocks')),
    element('td', { 'data-label': 'Live with an older text' }, block.stale === 0 ? 'none' : link('/stale', count(block.stale, 'template'), { class: 'badge' })),
    element('td', { class: 'number' }, size(block.bytes)),
    element('td', { class: 'time' }, when(block.updatedAt)),
    element('td', { class: 'acts' },
      copyButton(`{{> ${block.name}}}`, 'the tag of ' + block.name, { class: 'small quiet' }),
      button('Delete…', () => attempt(async () => { if (await blockDeleted(block.name)) { await again(); } }), { class: 'small quiet', 'aria-label': 'Delete ' + block.name })));
}

async function created() {
  const block = await ask('New block', 'Create', [
    field('name', 'Name', { maxlength: 64, required: true, autofocus: true, spellcheck: 'false', class: 'mono' },
      'What stands in the tag: letters, digits, - and _. It never changes.'),
  ], given => post('/data/blocks', { name: given.name.trim() }));
  if (block) {
    await go('/blocks/' + block.name);
  }
}

/** True when deleted; a block in use is refused, and the refusal names what uses it. */
export async function blockDeleted(name) {
  if (!await confirmed(`Delete the block ${name}?`, 'Published versions keep the text they were published with.', 'Delete', { danger: true })) {
    return false;
  }
  await remove('/data/blocks/' + encodeURIComponent(name));
  say(name + ' is deleted.');
  return true;
}
