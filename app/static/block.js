// A shared block at the desk, and the list of its users.
import { html, button, link, count, copyButton } from './dom.js';
import { get } from './server.js';
import { attempt } from './dialog.js';
import { navigate } from './router.js';
import { mayAs } from './session.js';
import { openDesk } from './desk.js';
import { deleteBlock } from './blocks.js';

export async function blockPage(name) {
  const path = '/data/blocks/' + encodeURIComponent(name);
  const notice = html`<div></div>`;
  const users = html`<div></div>`;
  const desk = await openDesk({
    path, saved: await get(path), isDraft: false, onSaved: showUsers, before: [{ name: 'Used by', panel: users }],
  });
  const tag = `{{> ${name}}}`;
  const header = html`
    <header class="details">
      <div class="row title">
        ${link('/blocks', 'Shared blocks', { class: 'crumb' })}
        <h1 tabindex="-1" class="mono">${name}</h1>
      </div>
      <div class="row about">
        <span class="id"><code>${tag}</code> ${copyButton(tag, 'the tag ' + tag)}</span>
        ${desk.status}
        ${mayAs('owner') && button('Delete…', () => attempt(onDelete), { class: 'small quiet' })}
      </div>
      <div class="row main-acts">${desk.saveButton}</div>
    </header>`;
  showUsers(desk.saved());
  return desk.page(name, html`${header}${notice}`);

  function showUsers({ templates, blocks, stale }) {
    notice.replaceChildren(stale.length === 0 ? '' : html`
      <p class="notice">
        ${count(stale.length, 'live template carries', 'live templates carry')} an older text of this block:
        ${stale.join(', ')}. ${link('/stale', 'Review and publish')}
      </p>`);
    users.replaceChildren(html`
      ${list('Templates', templates, '/templates/', stale)}
      ${list('Blocks', blocks, '/blocks/', [])}
      ${templates.length + blocks.length === 0 && html`<p class="empty-line">Nothing uses it yet.</p>`}`);
    desk.setCounter('Used by', templates.length + blocks.length || null);
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
          ${stale.includes(name) && html`<span class="badge">older one is live</span>`}
        </li>`)}
    </ul>`;
}
