// The trash, which keeps deleted templates for 30 days.
import { html, button, link, count, pageHead, actionsColumn } from '../frame/dom.js';
import { get, post, remove } from '../frame/server.js';
import { attempt, confirmed, notify } from '../frame/dialog.js';
import { longTable } from './longtable.js';
import { navigate, reload } from '../frame/router.js';
import { accountLine, mayAs } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

const title = 'Trash';
const path = id => '/data/deletions/' + encodeURIComponent(id);

export async function trashPage() {
  const { templates } = await get('/data/deletions');
  const crumb = link('/', 'Templates', { class: 'crumb' });
  if (templates.length === 0) {
    return { title, content: html`
      ${crumb}${pageHead(title)}
      <section class="empty">
        <p>The trash is empty. Editors and owners can restore a deleted template, with its history, for 30 days.</p>
        <p>${link('/', 'View templates')}</p>
      </section>` };
  }
  const empty = mayAs('owner')
    && button('Empty trash…', () => attempt(() => emptyTrash(templates.length)), { class: 'danger' });
  const list = longTable('list trash', ['Name', 'ID', 'Deleted', 'Expires', actionsColumn()], { make: row });
  list.show(templates);
  return { title, onShow: list.measure, content: html`
    ${crumb}${pageHead(title, empty)}
    <p class="lead">
      Deleted templates stay here for 30 days. Their IDs stay reserved, and requests for them return 404.
    </p>
    ${list.node}` };
}

function row(template) {
  const { id, name, published, deletedAt, deletedBy, keptUntil } = template;
  return html`
    <tr data-id=${id}>
      <th scope="row">${name} ${published !== null && html`<span class="badge">was published</span>`}</th>
      <td class="id"><code>${id}</code></td>
      <td class="time" data-label="Deleted">${relativeTime(deletedAt)}${deletedBy && ` by ${deletedBy}`}</td>
      <td class="time" data-label="Expires">${relativeTime(keptUntil)}</td>
      <td class="acts">
        ${mayAs('editor') && button('Restore', () => attempt(() => restore(template)),
          { class: 'small', 'aria-label': 'Restore ' + name })}
        ${mayAs('owner') && button('Delete permanently…', () => attempt(() => removeForGood(template)),
          { class: 'small quiet', 'aria-label': 'Delete permanently ' + name })}
      </td>
    </tr>`;
}

async function restore({ id, name, published }) {
  if (published !== null && !await confirmed('Restore ' + name + '?',
    [accountLine(), `This template was published, so the API will return version ${published} again.`], 'Restore')) {
    return;
  }
  await post(path(id) + '/restore');
  notify(name + ' restored.');
  await navigate('/templates/' + id, { from: '/trash' });
}

async function removeForGood({ id, name }) {
  if (await confirmed('Delete ' + name + ' permanently?',
    [accountLine(), 'This deletes the draft, test data and history, and frees the ID. This cannot be undone.'], 'Delete permanently',
    { danger: true })) {
    await remove(path(id));
    notify(name + ' permanently deleted.');
    await reload('/trash');
  }
}

async function emptyTrash(number) {
  if (await confirmed('Empty trash?',
    [accountLine(), `This permanently deletes ${count(number, 'template')}, including drafts and history. This cannot be undone.`], 'Empty trash',
    { danger: true })) {
    await remove('/data/deletions');
    notify('The trash is empty.');
    await reload('/trash');
  }
}
