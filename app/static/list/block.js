// Shared block page: the editor and the list of uses.
import { html, button, link, copy, count } from '../frame/dom.js';
import { get } from '../frame/server.js';
import { attempt, notify } from '../frame/dialog.js';
import { navigate } from '../frame/router.js';
import { mayAs } from '../frame/session.js';
import { openEditor } from '../editor/editorpage.js';
import { mainMenu } from '../account/mainmenu.js';
import { menuButton } from '../frame/menu.js';
import { deleteBlock } from './blocks.js';
import { sourceNotice } from './source.js';

/** Maximum number of templates with an older version named in the notice. */
const MAX_NAMED = 10;
/** Maximum number of uses listed at once. */
const MAX_SHOWN = 100;

/** The page of a shared block: its editor, and the templates and blocks that use it. */
export async function blockPage(name) {
  const path = '/data/blocks/' + encodeURIComponent(name);
  const notice = html`<div></div>`;
  const uses = html`<div></div>`;
  const editor = await openEditor({
    path, saved: await get(path), isDraft: false, onSaved: showUses, before: [{ name: 'Used by', panel: uses }],
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
        ${mainMenu()}
        ${link('/blocks', 'Shared blocks', { class: 'crumb' })}
        <h1 tabindex="-1" class="mono">${name}</h1>
      </div>
      <div class="row main-acts">${editor.status}${editor.saveButton}${menu}</div>
    </header>`;
  showUses(editor.saved());
  return editor.page(name, html`${header}${notice}`);

  /** Shows where the saved block came from, how many live templates have an older version, and its uses. */
  function showUses({ templates, blocks, stale, source }) {
    notice.replaceChildren(sourceNotice(source) ?? '', stale.length === 0 ? '' : html`
      <p class="notice">
        ${count(stale.length, 'live template uses', 'live templates use')} an older version of this block:
        ${stale.slice(0, MAX_NAMED).join(', ')}${stale.length > MAX_NAMED && ` and ${(stale.length - MAX_NAMED).toLocaleString('en')} more`}.
        ${link('/stale', 'Review and publish')}
      </p>`);
    uses.replaceChildren(html`
      ${useList('Templates', templates, '/templates/', stale)}
      ${useList('Blocks', blocks, '/blocks/', [])}
      ${templates.length + blocks.length === 0 && html`<p class="empty-line">Not used yet.</p>`}`);
    editor.setCounter('Used by', templates.length + blocks.length || null);
  }

  async function onDelete() {
    const from = location.pathname;
    if (await deleteBlock(name)) {
      await navigate('/blocks', { force: true, from });
    }
  }
}

/**
 * Lists the templates or blocks that use the block, initially only the first ones because there may be thousands.
 *
 * @param folder path of their pages
 * @param stale  names of those that have an older version of the block
 */
function useList(title, names, folder, stale) {
  const outdated = new Set(stale);
  const row = name => html`
    <li class="row">
      ${link(folder + name, name, { class: 'mono' })}
      ${outdated.has(name) && html`<span class="badge">older version live</span>`}
    </li>`;
  const items = html`<ul class="plain">${names.slice(0, MAX_SHOWN).map(row)}</ul>`;
  const all = button(`Show all ${names.length.toLocaleString('en')}`, () => {
    const rest = names.slice(MAX_SHOWN).map(row);
    items.append(...rest);
    all.remove();
    rest[0].querySelector('a').focus();
  }, { class: 'small' });
  return names.length > 0 && html`
    <h3>${title}</h3>
    ${items}
    ${names.length > MAX_SHOWN && all}`;
}
