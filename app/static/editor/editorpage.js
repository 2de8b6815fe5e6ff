// Page for editing one text: editor, preview and tabs. Warns before unsaved text is lost.
import { html, button, openDialog } from '../frame/dom.js';
import { attempt, dialog, notify } from '../frame/dialog.js';
import { relativeTime } from '../frame/time.js';
import { inspector } from '../preview/inspector.js';
import { preview } from '../preview/preview.js';
import { blockEmail } from '../preview/blockemail.js';
import { recovery } from './recovery.js';
import { presence } from './presence.js';
import { ownName } from '../frame/session.js';
import { panes } from './panes.js';
import { previewMenu } from '../preview/preview-menu.js';
import { draftSender } from '../preview/draftchannel.js';
import { editedText } from './editedtext.js';
import { detailsTabs } from './detailstabs.js';
import { saver } from './saving.js';
import { writing } from '../write/writing.js';

const STATUS_INTERVAL_MILLIS = 30_000;

/**
 * Opens a text.
 *
 * @param path      URL to save to
 * @param saved     the last saved text
 * @param isDraft   true for a template's draft, false for a block
 * @param before    tabs before the common tabs
 * @param after     tabs after the common tabs
 * @param onSaved   receives the saved text whenever it changes
 * @param onPublish runs on Ctrl+Enter; undefined for a block
 * @return `page` makes the page; the others are parts of it, and what changes the text or shows a place in it
 */
export async function openEditor({ path, saved, isDraft, before = [], after = [], onSaved, onPublish }) {
  const noun = isDraft ? 'template' : 'block';
  const goTo = place => details.goTo(place);
  const text = await editedText({ saved, isDraft, goTo, onChange });
  const status = saveStatus(text);
  const stored = recovery({ path, read: text.read, saved: text.saved, isDirty: text.isDirty, isSame: text.isSame, replace });
  const saving = saver({
    path, text, noun, isDraft, goTo, onSaved: afterSaving, onReplaced: afterReplacing, onDone() {
      status.show();
      others.show();
    },
  });
  const others = presence({
    path, noun, onShow: () => attempt(saving.showTheirs),
    state: () => ({ revision: text.saved().revision, isDirty: text.isDirty(), isSaving: saving.isSaving() }),
  });
  const pieces = writing({
    code: text.code, names: text.menu.variables,
    chooseBlock: text.menu.chooseBlock, readBlock: text.menu.readBlock, makeBlock: text.menu.makeBlockOf,
    check: () => view.update(), send: message => inspecting.send(message), sendPieces: () => inspecting.sendPieces(),
    editText: place => inspecting.edit(place), showPane: name => layout.show(name),
    showHtml({ from, to }) {
      layout.showText();
      text.code.select(from, to);
      text.code.focus();
    },
    showLine(line) {
      layout.showText();
      text.code.goToLine(line);
    },
  });
  const inspecting = inspector({
    code: text.code, onSave: () => attempt(saving.save), goToVariable: names => details.goToVariable(names),
    onText: () => layout.showText(), writing: pieces.preview,
    onImage: () => notify('Drop or paste the image into the HTML, or choose Write to add it to the email.', 'failed'),
  });
  const channel = draftSender(path);
  const email = isDraft ? null : blockEmail({ block: text.saved, onChange: () => view.update() });
  const view = preview({
    read: () => ({ ...text.readUsable(), ...pieces.isOn() && { pieces: true } }), ask: email?.ask, hasSubject: isDraft, inspecting,
    onChecked(found, checked) {
      details.show(found);
      text.showPreheader(found.preheader);
      pieces.setFound(found, checked.html);
    },
    onRead: ({ pieces: _, ...draft }) => channel.send(draft),
  });
  const exporting = previewMenu({ read: text.readUsable, address: path.replace('/data/', '/') + '/preview', name: path.split('/').pop() });
  view.tools.append(email?.node ?? '', exporting);
  const details = detailsTabs({ text, isDraft, before, after, layout: () => layout, path, check: () => view.update() });
  pieces.attach(view.stage);
  view.node.append(pieces.foot);
  const layout = panes({
    write: text.pane, pieces, view, chosen: pieces.panel, side: details, onText: text.code.refresh, onWrite: pieces.setOn,
  });
  const onKey = shortcuts({ save: saving.save, publish: onPublish, indent: text.menu.indent, code: text.code });

  function onChange() {
    status.show();
    view.updateSoon();
    stored.onChange();
  }

  function afterSaving() {
    onSaved(text.saved());
    status.show();
    others.show();
    details.refresh();
    stored.onSaved();
  }

  function afterReplacing(old) {
    view.update();
    if (!text.isSame(old, text.read())) {
      attempt(() => stored.storeReplaced(old));
    }
  }

  function replace(other) {
    text.replace(other);
    view.update();
  }

  return {
    page: (title, header, foot) => page({
      title, header, foot, text, status, layout, others, stored, saving, view, onKey, channel, pieces,
      mayLeave: () => mayLeave({ text, noun, discard: stored.discard, save: saving.save }),
    }),
    status: status.node, saveButton: saving.saveButton, saved: text.saved, read: text.read, isDirty: text.isDirty,
    track: text.track, save: saving.save, replaceText: saving.replace, goTo, setCounter: details.setCounter, updatePreview: view.updateSoon,
    setDetails(changed) {
      text.setDetails(changed);
      afterSaving();
    },
  };
}

/** The page: a header above the panes. @param mayLeave resolves to false if the user stays */
function page({ title, header, foot, text, status, layout, others, stored, saving, view, onKey, channel, pieces, mayLeave: mayBeLeft }) {
  let timer = null;
  return {
    title,
    kind: 'editor',
    content: html`
      ${header}
      ${others.node}
      ${stored.node}
      ${saving.conflictNotice}
      ${text.lines}
      ${layout.node}
      ${foot}`,
    isDirty: text.isDirty,
    mayLeave: mayBeLeft,
    onShow() {
      document.addEventListener('keydown', onKey);
      timer = setInterval(status.show, STATUS_INTERVAL_MILLIS);
      text.code.refresh();
      view.update();
      layout.start();
      pieces.start();
      others.start();
      attempt(stored.start);
    },
    onLeave() {
      document.removeEventListener('keydown', onKey);
      clearInterval(timer);
      others.stop();
      stored.stop();
      layout.stop();
      pieces.stop();
      channel.close();
      view.close();
    },
  };
}

/** "Unsaved changes", "Saved 5 minutes ago by Ben". */
function saveStatus(text) {
  const node = html`<span class="saved" role="status"></span>`;
  const show = () => {
    const { savedBy, savedAt, updatedAt } = text.saved();
    const isDirty = text.isDirty();
    node.replaceChildren(...(isDirty ? ['Unsaved changes'] : ['Saved ', relativeTime(savedAt ?? updatedAt),
      savedBy && savedBy !== ownName() ? ` by ${savedBy}` : '']));
    node.classList.toggle('open', isDirty);
  };
  show();
  return { node, show };
}

/** @return the page's key listener. @param publish undefined for a block */
function shortcuts({ save, publish, indent, code }) {
  const actionOf = event => {
    const isControl = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    const isInDialog = openDialog() !== undefined;
    if (isControl && key === 's') {
      return isInDialog ? () => {} : () => attempt(save); // in a dialog, the browser is not to save the page either
    }
    if (isInDialog) {
      return null;
    }
    if (isControl && key === 'enter' && publish) {
      return () => attempt(publish);
    }
    if (event.shiftKey && event.altKey && event.code === 'KeyF') {
      return indent;
    }
    if (isControl && 'zy'.includes(key) && event.target === document.body) { // after an edit in the preview, no element has the focus
      return event.shiftKey || key === 'y' ? code.redo : code.undo;
    }
    return null;
  };
  return event => {
    const action = actionOf(event);
    if (action) {
      event.preventDefault();
      action();
    }
  };
}

/** Asks about unsaved changes; resolves to true if the page can be left. */
async function mayLeave({ text, noun, discard, save }) {
  if (!text.isDirty()) {
    return true;
  }
  const choice = await dialog('Leave with unsaved changes?', close => html`
    <p>The ${noun === 'template' ? 'draft of' : 'block'} ${text.saved().name} has unsaved changes.</p>
    <div class="actions">
      ${button('Stay', () => close('stay'), { autofocus: true })}
      ${button('Leave without saving', () => close('leave'), { class: 'danger' })}
      ${button('Save and leave', () => close('save'), { class: 'primary' })}
    </div>`);
  if (choice === 'leave') {
    await discard();
  }
  return choice === 'leave' || choice === 'save' && await attempt(save) === true;
}
