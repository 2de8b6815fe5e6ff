// The desk: one text in the editor with its preview and its tabs. It saves the text, settles conflicts with other editors,
// and asks before unsaved text is left. A draft has a subject and test data beside its HTML; a block has HTML alone.
import { html, button } from './dom.js';
import { get, put } from './server.js';
import { attempt, dialog, notify } from './dialog.js';
import { sentence } from './form.js';
import { relativeTime } from './time.js';
import { askWhichStands, wordsFor } from './conflict.js';
import { editor } from './editor.js';
import { inspector } from './inspect.js';
import { preview } from './preview.js';
import { keeper } from './kept.js';
import { presence } from './presence.js';
import { ownName } from './session.js';
import { panes } from './panes.js';
import { previewMenu } from './preview-menu.js';
import { toOtherTabs } from './alone.js';
import { tabs } from './tabs.js';
import { menuButton } from './menu.js';
import { editMenu } from './editmenu.js';
import { blocksPanel } from './panels.js';
import { groupsOf, problemList, problemClass, setProblems } from './problems.js';
import { haveSameSets } from './sets.js';
import { variablesPanel } from './variables.js';

const STATUS_INTERVAL_MILLIS = 30_000;

/**
 * Opens a text.
 *
 * @param path    address that it is saved to
 * @param saved   the text as the server has it
 * @param isDraft whether it is a template's draft, else it is a block
 * @param before  tabs before the common ones
 * @param after   tabs behind them
 * @param onSaved gets the text as the server has it, when that has changed
 * @param onPublish runs at Ctrl+Enter; nothing for a block
 */
export async function openDesk({ path, saved, isDraft, before = [], after = [], onSaved, onPublish }) {
  let saving = null;
  const owner = isDraft ? 'template' : 'block';
  const heading = isDraft ? 'Draft' : 'Block';
  const menu = editMenu({ code: () => code, own: isDraft ? null : saved.name });
  const code = await editor({ label: `HTML of the ${isDraft ? 'mail' : 'block'}`, text: saved.html, onChange, names: menu.names });
  const subject = isDraft && html`
    <input id="subject" type="text" value=${saved.subject} autocomplete="off" maxlength="998" aria-describedby="subject-error"
      @input=${onChange}>`;
  const subjectError = html`<p class="error" id="subject-error"></p>`;
  const error = html`<p class="error" role="alert"></p>`;
  const conflictNotice = html`<div></div>`;
  const status = html`<span class="saved" role="status"></span>`;
  const saveButton = button(isDraft ? 'Save draft' : 'Save', () => attempt(save),
    { class: isDraft ? null : 'primary', 'aria-keyshortcuts': 'Control+S', title: 'Ctrl+S' });

  const around = presence({
    path, noun: owner, state: () => ({ revision: saved.revision, isDirty: isDirty(), isSaving: saving !== null }),
    onShow: () => attempt(showTheirs),
  });
  const kept = keeper({ path, read, saved: () => saved, isDirty, isSame, replace: setText });
  const checks = html`<div></div>`;
  const variables = variablesPanel({ saved, isSaved: isDraft, goTo, onChange });
  const blocks = blocksPanel(goTo);
  const side = tabs(`About this ${owner}`, [
    ...before,
    { name: 'Variables', panel: variables.node },
    { name: 'Blocks', panel: blocks.node },
    { name: 'Checks', panel: checks },
    ...after,
  ]);
  const inspecting = inspector({ code, onSave: () => attempt(save), goToVariable, onText: () => layout.showText() });
  const others = toOtherTabs(path);
  const shown = () => ({ subject: '', ...read(), ...variables.readUsable() });
  const view = preview({ read: shown, onChecked, hasSubject: isDraft, inspecting, onRead: others.tell });
  view.tools.append(previewMenu({ read: shown, address: path.replace('/data/', '/') + '/preview', name: path.split('/').pop() }));
  const writing = html`
    <section class="pane write" aria-label=${heading}>
      <div class="pane-head">
        <h2>${heading}</h2>
        ${menuButton('Edit', menu.items, { class: 'small quiet' })}
      </div>
      ${isDraft && html`<div class="subject"><label for="subject">Subject</label>${subject}${subjectError}</div>`}
      ${error}
      ${code.node}
    </section>`;
  const layout = panes(writing, view, side, code.refresh);
  showStatus();

  /** The text in the editor, as it is sent to be saved. */
  function read() {
    return isDraft ? { subject: subject.value, html: code.text(), ...variables.read() } : { html: code.text() };
  }

  function isDirty() {
    return !code.isSaved() || isDraft && (subject.value !== saved.subject || !haveSameSets(variables.read(), saved));
  }

  function isSame(one, other) {
    return one.html === other.html && (!isDraft || one.subject === other.subject && haveSameSets(one, other));
  }

  function onChange() {
    subjectError.textContent = '';
    error.textContent = '';
    showStatus();
    view.updateSoon();
    kept.onChange();
  }

  function onChecked({ problems: all, moreProblems, ...found }) {
    const sets = isDraft ? setProblems(found.sets) : [];
    // A block has no subject, so nothing can be wrong with it.
    const problems = [...(isDraft ? all : all.filter(problem => problem.field !== 'subject')), ...sets];
    menu.learn([...found.variables.map(variable => variable.name), ...variables.names()]);
    variables.show(found);
    blocks.show(found.blocks, isDraft ? saved.stale : []);
    checks.replaceChildren(problemList(problems, moreProblems, goTo));
    side.setCounter('Variables', found.variables.length + found.moreVariables || null);
    side.setCounter('Blocks', found.blocks.length || null);
    side.setCounter('Checks', groupsOf(problems).length + moreProblems || null, problemClass(problems));
  }

  function goTo({ field, line, set }) {
    if (set) {
      layout.showDetails();
      side.show('Variables');
      return attempt(() => variables.goToSet(set));
    }
    layout.showText();
    return field === 'subject' ? subject.focus() : code.goToLine(line);
  }

  function goToVariable(names) {
    layout.showDetails();
    side.show('Variables');
    attempt(() => variables.goToSample(names));
  }

  function showStatus() {
    const dirty = isDirty();
    status.replaceChildren(...(dirty ? ['Unsaved changes'] : ['Saved ', relativeTime(saved.savedAt ?? saved.updatedAt),
      saved.savedBy && saved.savedBy !== ownName() ? ` by ${saved.savedBy}` : '']));
    status.classList.toggle('open', dirty);
  }

  /** Takes the server's text as the saved one; the text in the editor stays. */
  function setSaved(text) {
    saved = text;
    onSaved(text);
    showStatus();
    around.show();
    side.refresh();
    kept.onSaved();
  }

  function setMail(text) {
    code.replace(text.html);
    if (isDraft) {
      subject.value = text.subject;
    }
  }

  /** Puts a text into the editor, with its test data. */
  function setText(text) {
    setMail(text);
    if (isDraft) {
      variables.take(text);
    }
    onChange();
    view.update();
  }

  /** Takes the server's text into the editor, too. Test data that is not saved stays as it is, and unsaved. */
  function replaceText(text) {
    const before = read();
    setMail(text);
    code.markSaved(code.generation());
    if (isDraft) {
      tellCopies(variables.merge(saved, text, true));
    }
    setSaved(text);
    view.update();
    if (!isSame(before, read())) {
      attempt(() => kept.keepReplaced(before));
    }
  }

  /** Takes all but the text, after a rename or a publishing: another editor's save must still be noticed by ours. */
  function setDetails(text) {
    const { subject: savedSubject, html: savedHtml, samples, defaultSamples } = saved;
    const { revision, savedBy, savedAt } = isSame(text, saved) ? text : saved;
    setSaved({ ...text, subject: savedSubject, html: savedHtml, samples, defaultSamples, revision, savedBy, savedAt });
  }

  /** Saves; true when the server has the text. A save during another one waits for it, and takes what was typed since. */
  function save() {
    const mine = (saving ?? Promise.resolve()).catch(() => null).then(() => send(saved.revision))
      .finally(() => {
        saving = saving === mine ? null : saving;
        around.show();
      });
    saving = mine;
    return mine;
  }

  async function send(revision) {
    if (!isDirty()) {
      showStatus();
      return true;
    }
    const mine = read();
    const generation = code.generation();
    saveButton.setAttribute('aria-disabled', 'true');
    try {
      const text = await put(path, { revision, ...mine });
      code.markSaved(generation);
      conflictNotice.replaceChildren();
      error.textContent = '';
      setSaved(text);
      return true;
    } catch (failure) {
      return failure.status === 409 ? await resolveConflict(mine, generation, failure.body.theirs) : showFailure(failure);
    } finally {
      saveButton.removeAttribute('aria-disabled');
    }
  }

  function showFailure(failure) {
    layout.showText();
    if (failure.field === 'subject') {
      subjectError.textContent = sentence(failure);
      subject.focus();
    } else if (failure.status === 404) {
      error.textContent = `Not saved: this ${owner} was deleted meanwhile. Your text is still here; copy it into a new one.`;
    } else if (failure.status === 422 && variables.wrong()) {
      const { name, error: { line, column, sentence: why } } = variables.wrong();
      goTo({ set: name });
      error.textContent = `Not saved: the test data ${name} has an error on line ${line}, column ${column}: ${why}.`;
    } else if (failure.status === 422 || failure.status === 413) {
      error.textContent = 'Not saved: ' + sentence(failure);
    } else {
      throw failure;
    }
    return false;
  }

  /** Shows the text that somebody else has saved, beside the one in the editor. */
  async function showTheirs() {
    await resolveConflict(read(), code.generation(), await get(path));
  }

  /** Asks which of two texts stands, because another editor saved `theirs` first; true when the server has the editor's text. */
  async function resolveConflict(mine, generation, theirs) {
    const wasDirty = isDirty();
    const choice = isSame(theirs, mine) ? 'same' : isSame({ ...theirs, ...variables.read() }, mine) && wasDirty ? 'mine'
      : await askWhichStands(mine, theirs, wasDirty);
    if (choice === 'mine') {
      code.markSaved(theirs.html === code.text() ? code.generation() : -1);
      if (isDraft) {
        tellCopies(variables.merge(saved, theirs, false));
      }
      setSaved(theirs);
      return send(theirs.revision);
    }
    if (choice === undefined && !wasDirty) {
      return false;
    }
    if (choice === undefined) {
      const askAgain = () => attempt(() => resolveConflict(read(), code.generation(), theirs));
      conflictNotice.replaceChildren(html`
        <p class="notice">
          ${wordsFor(theirs).by} saved ${relativeTime(theirs.savedAt ?? theirs.updatedAt)}, and your text is not saved.
          ${button('Show both texts', askAgain, { class: 'small' })}
        </p>`);
      return false;
    }
    conflictNotice.replaceChildren();
    if (choice === 'same') {
      code.markSaved(generation);
      setSaved(theirs);
    } else {
      replaceText(theirs);
      notify('The saved text is in the editor. Yours is kept: “Bring mine back” above it.');
    }
    return true;
  }

  /** Tells the names of sets of test data that two people have changed. */
  function tellCopies(copies) {
    if (copies.length > 0) {
      notify(`Test data that two of you changed is kept twice: look at ${copies.join(', ')}, too.`);
    }
  }

  async function mayLeave() {
    if (!isDirty()) {
      return true;
    }
    const choice = await dialog('Leave with unsaved changes?', close => html`
      <p>The ${isDraft ? 'draft of' : 'block'} ${saved.name} has changes that are not saved.</p>
      <div class="actions">
        ${button('Stay', () => close('stay'), { autofocus: true })}
        ${button('Leave without saving', () => close('leave'), { class: 'danger' })}
        ${button('Save and leave', () => close('save'), { class: 'primary' })}
      </div>`);
    if (choice === 'leave') {
      await kept.discard();
    }
    return choice === 'leave' || choice === 'save' && await attempt(save) === true;
  }

  function onKey(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) {
        attempt(save);
      }
    } else if ((event.ctrlKey || event.metaKey) && event.key === 'Enter' && onPublish && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      attempt(onPublish);
    } else if (event.shiftKey && event.altKey && event.code === 'KeyF' && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      menu.indent();
    } else if ((event.ctrlKey || event.metaKey) && /^[zy]$/i.test(event.key) && event.target === document.body) {
      event.preventDefault(); // after an edit in the preview, which nothing has the focus of
      code[event.shiftKey || event.key === 'y' ? 'redo' : 'undo']();
    }
  }

  document.addEventListener('keydown', onKey);
  const timer = setInterval(showStatus, STATUS_INTERVAL_MILLIS);

  /** The page, with a header above the panes. */
  function page(title, header) {
    return {
      title,
      kind: 'desk',
      content: html`
        ${header}
        ${around.node}
        ${kept.node}
        ${conflictNotice}
        ${layout.node}`,
      isDirty,
      mayLeave,
      onShow() {
        code.refresh();
        view.update();
        layout.start();
        around.start();
        attempt(kept.start);
      },
      onLeave() {
        around.stop();
        kept.stop();
        layout.stop();
        others.close();
        document.removeEventListener('keydown', onKey);
        clearInterval(timer);
        view.close();
      },
    };
  }

  return {
    page, status, saveButton, saved: () => saved, read, isDirty, save, replaceText, setDetails, setCounter: side.setCounter,
    updatePreview: view.updateSoon, goTo,
  };
}
