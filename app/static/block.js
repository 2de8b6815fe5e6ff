// Shared block page: the editor and the list of uses.
import { html, link, copy, count } from './dom.js';
import { get } from './server.js';
import { attempt, notify } from './dialog.js';
import { navigate } from './router.js';
import { mayAs } from './session.js';
import { openEditor } from './editorpage.js';
import { menuButton } from './menu.js';
import { deleteBlock } from './blocks.js';
import { sourceNotice } from './source.js';

export async function blockPage(name) {
  const path = '/data/blocks/' + encodeURIComponent(name);
  const notice = html`<div></div>`;
  const users = html`<div></div>`;
  const editor = await openEditor({
    path, saved: await get(path), isDraft: false, onSaved: showUsers, before: [{ name: 'Used by', panel: users }],
  });
  const tag = `{{> ${name}}}`;
  const menu = menuButton('More', () => [
    { text: 'Copy ' + tag, run: () => attempt(async () => {
      await copy(tag);
      notify('Copied ' + tag);
    }) },
    mayAs('owner') && { text: 'Delete…', run: () => attempt(onDelete), isDanger: true },
  ], { 'aria-label': 'More block actions' });
  const header = html`
    <header class="details">
      <div class="row title">
        ${link('/blocks', 'Shared blocks', { class: 'crumb' })}
        <h1 tabindex="-1" class="mono">${name}</h1>
        ${editor.status}
      </div>
      <div class="row main-acts">${editor.saveButton}${menu}</div>
    </header>`;
  showUsers(editor.saved());
  return editor.page(name, html`${header}${notice}`);

  function showUsers({ templates, blocks, stale, source }) {
    notice.replaceChildren(sourceNotice(source) ?? '', stale.length === 0 ? '' : html`
      <p class="notice">
        ${count(stale.length, 'live template uses', 'live templates use')} an older version of this block:
        ${stale.join(', ')}. ${link('/stale', 'Review and publish')}
      </p>`);
    users.replaceChildren(html`
      ${list('Templates', templates, '/templates/', stale)}
      ${list('Blocks', blocks, '/blocks/', [])}
      ${templates.length + blocks.length === 0 && html`<p class="empty-line">Not used yet.</p>`}`);
    editor.setCounter('Used by', templates.length + blocks.length || null);
  }

  async function onDelete() {
    if (await deleteBlock(name)) {
      await navigate('/blocks', { force: true });
    }
  }
}

function list(title, names, address, stale) {
  return names.length > 0 && html`
    <h3>${title}</h3>
    <ul class="plain">
      ${names.map(name => html`
        <li class="row">
          ${link(address + name, name, { class: 'mono' })}
          ${stale.includes(name) && html`<span class="badge">older version live</span>`}
        </li>`)}
    </ul>`;
}
