// Template page: the draft in the editor, name, history and publishing.
import { html, button, copyButton, link } from '../frame/dom.js';
import { get, post, put } from '../frame/server.js';
import { attempt, notify } from '../frame/dialog.js';
import { saveFile } from '../frame/download.js';
import { field, form } from '../frame/form.js';
import { navigate, setTitle } from '../frame/router.js';
import { author, when } from '../frame/seen.js';
import { mayAs } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';
import { requestReview, requestNotice, withdrawRequest } from '../publish/request.js';
import { openEditor } from '../editor/editorpage.js';
import { mainMenu } from '../account/mainmenu.js';
import { closeMenu, menuButton } from '../frame/menu.js';
import { showReviewLinks } from '../publish/reviewlinks.js';
import { apiPanel } from '../editor/panels.js';
import { commentsPanel } from '../publish/comments.js';
import { historyPanel } from '../publish/history.js';
import { publish } from '../publish/publish.js';
import { sendTestEntry } from '../publish/sendtest.js';
import { tagEditor } from './tags.js';
import { stateMark, staleMark, deleteTemplate } from './templates.js';
import { copyTargets, copyTemplates } from './copy.js';
import { duplicateTemplate } from './create.js';
import { sourceNotice } from './source.js';
import { offerKey } from './firstkey.js';

/** The page of a template. A writer requests a review where an editor or owner publishes. */
export async function templatePage(id) {
  const path = '/data/templates/' + encodeURIComponent(id);
  const header = html`<header class="details"></header>`;
  const foot = html`<footer class="details-foot"></footer>`;
  let tagging = null;
  let renaming = null; // the form in place of the heading; null unless it is open
  const notice = html`<div></div>`;
  const history = historyPanel({
    template: () => editor.saved(), read: () => editor.read(), isDirty: () => editor.isDirty(), onPublished,
    onRestored: template => editor.replaceText(template),
  });
  const comments = commentsPanel({
    path: path + '/comments',
    saved: () => editor.saved(),
    track: (from, to) => editor.track(from, to),
    goTo: place => editor.goTo(place),
    setCounter: number => editor.setCounter('Comments', number),
  });
  const editor = await openEditor({
    path,
    saved: await get(path),
    isDraft: true,
    onSaved(template) {
      showHeader(template);
      comments.load(); // a save moves their places
    },
    onPublish: () => mayAs('editor') ? onPublish() : onRequestReview(),
    after: [
      { name: 'Comments', panel: comments.node, open: comments.load },
      { name: 'History', panel: history.node, open: history.load },
      { name: 'API', panel: apiPanel(id) },
    ],
  });
  const publishButton = mayAs('editor') ? button('Publish…', () => attempt(onPublish), { class: 'primary' })
    : button('Request review…', () => attempt(onRequestReview), { class: 'primary' });
  const menu = menuButton('More', () => [
    mayAs('editor') && { text: 'Rename', run: showRenaming },
    { text: 'Duplicate…', run: () => attempt(() => duplicateTemplate(editor.saved())) },
    copyTargets().length > 0 && { text: 'Copy to account…', run: () => attempt(onCopy) },
    sendTestEntry(() => {
      const draft = editor.read();
      return {
        what: 'this draft, including unsaved changes,', sets: Object.keys(draft.samples), chosen: draft.chosen ?? draft.defaultSamples,
        send: given => post('/data/tests', { ...draft, ...given, template: id }),
      };
    }),
    { text: 'Review links…', run: () => attempt(() => showReviewLinks(editor.saved())) },
    { text: 'Download HTML', run: onDownload },
    mayAs('owner') && { text: 'Delete…', run: () => attempt(onDelete), isDanger: true },
  ], { 'aria-label': 'More template actions' });
  const pagesMenu = mainMenu();
  showHeader(editor.saved());
  comments.load();
  return editor.page(editor.saved().name, html`${header}${notice}`, foot);

  /** Shows the state of the saved template. The focus stays on an element that stays, such as the button that saves or a name being typed. */
  function showHeader({ name, state, stale, published, request, tags, source }) {
    closeMenu(header);
    const focused = document.activeElement;
    tagging ??= tagEditor(id, tags);
    notice.replaceChildren(sourceNotice(source) ?? '', requestNotice(request, () => attempt(onWithdraw)) ?? '');
    header.replaceChildren(html`
      <div class="row title">
        ${pagesMenu}
        ${link('/', 'Templates', { class: 'crumb' })}
        ${renaming ?? html`<h1 tabindex="-1">${name}</h1>`}
        <span class="row template-id"><code title=${'ID ' + id}>${id}</code>${copyButton(id, 'the template ID', { class: 'small quiet' })}</span>
        ${stateMark(state, { isShort: true })}
        ${staleMark(stale)}
      </div>
      <div class="row main-acts">
        ${editor.status}
        ${button('Review…', () => attempt(() => showReviewLinks(editor.saved())), { class: 'quiet review-act' })}
        ${editor.saveButton}${publishButton}${menu}
      </div>`);
    foot.replaceChildren(html`
      ${published && html`
        <span class="live-version">
          Version ${published.number} published ${relativeTime(published.publishedAt)}
          ${published.publishedBy && ` by ${published.publishedBy}`}
        </span>`}
      ${tagging}`);
    if (focused.isConnected) {
      focused.focus({ preventScroll: true });
    }
    if (header.isConnected) { // otherwise, the title is another page's
      setTitle(name);
    }
  }

  function onDownload() {
    saveFile(new Blob([editor.read().html], { type: 'text/html' }), id + '.html');
  }

  async function onDelete() {
    const from = location.pathname;
    if (await deleteTemplate(editor.saved())) {
      await navigate('/', { force: true, from });
    }
  }

  /** Replaces the heading by a form for another name, until the template is renamed or the user cancels. */
  function showRenaming() {
    if (renaming) {
      renaming.elements.name.select();
      return;
    }
    const close = () => {
      renaming = null;
      showHeader(editor.saved());
      menu.querySelector('button').focus();
    };
    let { nameRevision: revision } = editor.saved();
    renaming = form('Rename', async ({ name }) => {
      try {
        editor.setDetails(await put(path + '/name', { name, revision }));
        close();
      } catch (failure) {
        const theirs = failure.body?.theirs;
        if (theirs) { // the user sees the other name before replacing it
          revision = theirs.nameRevision;
          failure.message = `${author(theirs.namedBy)} renamed this template to “${theirs.name}” ${when(theirs.namedAt)}.`
            + ' To replace that name with yours, click Rename again';
        }
        throw failure;
      }
    }, field('name', 'Name', { value: editor.saved().name, maxlength: 200, required: true },
      'The API returns the new name immediately.'), button('Cancel', close));
    renaming.className = 'renaming';
    renaming.addEventListener('keydown', event => event.key === 'Escape' && !event.isComposing && close());
    header.querySelector('h1').replaceWith(renaming);
    renaming.elements.name.select();
  }

  async function onPublish() {
    const outcome = await editor.save() && await publish(editor.saved(), editor.goTo);
    if (outcome?.theirs) {
      editor.replaceText(outcome.theirs);
      notify('Nothing was published because the draft has changed. The latest draft is now shown.', 'failed');
    } else if (outcome) {
      onPublished(outcome.template);
    }
  }

  async function onCopy() {
    if (await editor.save()) {
      await copyTemplates([editor.saved()]);
    }
  }

  async function onRequestReview() {
    const template = await editor.save() && await requestReview(editor.saved());
    if (template) {
      editor.setDetails(template);
    }
  }

  async function onWithdraw() {
    editor.setDetails(await withdrawRequest(editor.saved()));
  }

  function onPublished(template) {
    editor.setDetails(template);
    notify(`Version ${template.published.number} of ${template.name} is live.`);
    editor.updatePreview();
    attempt(() => offerKey(template));
  }
}
