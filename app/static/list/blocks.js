// The list of shared blocks.
import { html, button, link, copyButton, count, pageHead, table, numberColumn, actionsColumn } from '../frame/dom.js';
import { get, post, remove } from '../frame/server.js';
import { formDialog, attempt, confirmed, notify } from '../frame/dialog.js';
import { field } from '../frame/form.js';
import { navigate, reload } from '../frame/router.js';
import { accountLine, mayAs } from '../frame/session.js';
import { size, relativeTime } from '../frame/time.js';

export async function blocksPage() {
  const { blocks } = await get('/data/blocks');
  const columns = ['Name', 'Used by', 'Older version live', numberColumn('Size'), 'Updated', actionsColumn()];
  return {
    title: 'Shared blocks',
    content: html`
      ${pageHead('Shared blocks', button('New block…', createBlock, { class: 'primary' }))}
      <p class="lead">
        Reusable parts of emails, such as a footer. Publishing a template copies the current version of each block into
        the email.
      </p>
      ${blocks.some(block => block.stale > 0) && html`
        <p class="notice">Some live templates use an older version of a block. ${link('/stale', 'Review and publish')}</p>`}
      ${blocks.length === 0
        ? html`
          <section class="empty">
            <h2>No shared blocks yet</h2>
            <p>For example, create a block for your footer and add <code>{{&gt; footer}}</code> to each email.</p>
          </section>`
        : table('list blocks', columns, blocks.map(row))}`,
  };
}

function row({ name, users, stale, bytes, updatedAt }) {
  const onDelete = () => attempt(async () => await deleteBlock(name) && reload('/blocks'));
  return html`
    <tr>
      <th scope="row">${link('/blocks/' + name, name, { class: 'name mono' })}</th>
      <td data-label="Used by">${users === 0 ? 'nothing' : count(users, 'draft or block', 'drafts and blocks')}</td>
      <td data-label="Older version live">
        ${stale === 0 ? 'none' : link('/stale', count(stale, 'template'), { class: 'badge' })}
      </td>
      <td class="number">${size(bytes)}</td>
      <td class="time">${relativeTime(updatedAt)}</td>
      <td class="acts">
        ${copyButton(`{{> ${name}}}`, 'the tag for ' + name, { class: 'small quiet' })}
        ${mayAs('owner') && button('Delete…', onDelete, { class: 'small quiet', 'aria-label': 'Delete ' + name })}
      </td>
    </tr>`;
}

async function createBlock() {
  const block = await formDialog('New block', 'Create', field('name', 'Name',
    { maxlength: 64, required: true, autofocus: true, spellcheck: 'false', class: 'mono' },
    'Used in tags such as {{> footer}}. Letters, digits, - and _. Cannot be changed later.'),
  ({ name }) => post('/data/blocks', { name: name.trim() }));
  if (block) {
    await navigate('/blocks/' + block.name);
  }
}

/**
 * Deletes a block after confirmation; resolves to false if not confirmed. A block in use cannot be deleted; the error names the
 * templates and blocks that use it.
 */
export async function deleteBlock(name) {
  const text = 'Published versions do not change.';
  if (!await confirmed(`Delete block ${name}?`, [accountLine(), text], 'Delete', { danger: true })) {
    return false;
  }
  await remove('/data/blocks/' + encodeURIComponent(name));
  notify(name + ' deleted.');
  return true;
}
