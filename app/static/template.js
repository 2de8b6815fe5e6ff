// A template: its draft at the desk, its name, its history, and publishing.
import { html, button, copyButton, link } from './dom.js';
import { get, put } from './server.js';
import { attempt, notify } from './dialog.js';
import { saveFile } from './download.js';
import { field, form } from './form.js';
import { navigate } from './router.js';
import { mayAs } from './session.js';
import { relativeTime } from './time.js';
import { askForPublication, requestNotice, withdrawRequest } from './request.js';
import { openDesk } from './desk.js';
import { menuButton } from './menu.js';
import { apiPanel } from './panels.js';
import { historyPanel } from './history.js';
import { publish } from './publish.js';
import { tagEditor } from './tags.js';
import { stateMark, staleMark, deleteTemplate } from './templates.js';
import { duplicateTemplate } from './create.js';
import { offerKey } from './firstkey.js';

export async function templatePage(id) {
  const path = '/data/templates/' + encodeURIComponent(id);
  const header = html`<header class="details"></header>`;
  let tagging = null;
  const notice = html`<div></div>`;
  const history = historyPanel({
    template: () => desk.saved(), read: () => desk.read(), isDirty: () => desk.isDirty(), onPublished,
    onRestored: template => desk.replaceText(template),
  });
  const desk = await openDesk({
    path, saved: await get(path), isDraft: true, onSaved: showHeader,
    onPublish: () => mayAs('editor') ? onPublish() : onAsk(), after: [
      { name: 'History', panel: history.node, open: history.load },
      { name: 'API', panel: apiPanel(id) },
    ],
  });
  const publishButton = mayAs('editor') ? button('Publish…', () => attempt(onPublish), { class: 'primary' })
    : button('Ready to publish…', () => attempt(onAsk), { class: 'primary' });
  const menu = menuButton('More', () => [
    mayAs('editor') && { text: 'Rename', run: showRenaming },
    { text: 'Duplicate…', run: () => attempt(() => duplicateTemplate(desk.saved())) },
    { text: 'Download HTML', run: onDownload },
    mayAs('owner') && { text: 'Delete…', run: () => attempt(onDelete), isDanger: true },
  ], { 'aria-label': 'More for this template' });
  showHeader(desk.saved());
  return desk.page(desk.saved().name, html`${header}${notice}`);

  function showHeader({ name, state, stale, published, request, tags }) {
    tagging ??= tagEditor(id, tags);
    notice.replaceChildren(requestNotice(request, () => attempt(onWithdraw)) ?? '');
    header.replaceChildren(html`
      <div class="row title">
        ${link('/', 'Templates', { class: 'crumb' })}
        <h1 tabindex="-1">${name}</h1>
        <span class="row template-id"><span class="hint">ID</span> <code>${id}</code>${copyButton(id, 'the template ID')}</span>
        ${stateMark(state)}
        ${staleMark(stale)}
        ${published && html`
          <span class="live-version">
            Version ${published.number} published ${relativeTime(published.publishedAt)}
            ${published.publishedBy && ` by ${published.publishedBy}`}
          </span>`}
        ${desk.status}
        ${tagging}
      </div>
      <div class="row main-acts">${desk.saveButton}${publishButton}${menu}</div>`);
    document.title = name + ' · Stet';
  }

  function onDownload() {
    saveFile(new Blob([desk.read().html], { type: 'text/html' }), id + '.html');
  }

  async function onDelete() {
    if (await deleteTemplate(desk.saved())) {
      await navigate('/', { force: true });
    }
  }

  function showRenaming() {
    const close = () => {
      showHeader(desk.saved());
      menu.querySelector('button').focus();
    };
    const renaming = form('Rename', async ({ name }) => {
      desk.setDetails(await put(path + '/name', { name }));
      close();
    }, field('name', 'Name', { value: desk.saved().name, maxlength: 200, required: true },
      'The name is live: the API answers with it at once.'), button('Cancel', close));
    renaming.className = 'renaming';
    renaming.addEventListener('keydown', event => event.key === 'Escape' && close());
    header.querySelector('h1').replaceWith(renaming);
    renaming.elements.name.select();
  }

  async function onPublish() {
    const outcome = await desk.save() && await publish(desk.saved(), desk.goTo);
    if (outcome?.theirs) {
      desk.replaceText(outcome.theirs);
      notify('The draft changed meanwhile; it is shown now, and nothing was published.', 'failed');
    } else if (outcome) {
      onPublished(outcome);
    }
  }

  async function onAsk() {
    const template = await desk.save() && await askForPublication(desk.saved());
    if (template) {
      desk.setDetails(template);
    }
  }

  async function onWithdraw() {
    desk.setDetails(await withdrawRequest(desk.saved()));
  }

  function onPublished(template) {
    desk.setDetails(template);
    notify(`Version ${template.published.number} of ${template.name} is live.`);
    desk.updatePreview();
    attempt(() => offerKey(template));
  }
}
