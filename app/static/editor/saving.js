// Saves the editor's text and resolves conflicts with concurrent saves.
import { html, button } from '../frame/dom.js';
import { get, put } from '../frame/server.js';
import { attempt, notify } from '../frame/dialog.js';
import { sentence } from '../frame/form.js';
import { relativeTime } from '../frame/time.js';
import { askWhichToKeep, wordsFor } from './conflict.js';

/**
 * Makes the button that saves, and what it needs.
 *
 * @param path       URL to save to
 * @param text       the text in the editor
 * @param noun       kind of the text: "template"
 * @param isDraft    true for a template's draft, false for a block
 * @param onSaved    runs when the saved text has changed
 * @param onReplaced receives the editor's text before it is replaced
 * @param onDone     runs after each attempt to save
 * @param goTo       shows a place in the text
 * @return {saveButton, conflictNotice, save, replace, showTheirs, isSaving}
 */
export function saver({ path, text, noun, isDraft, onSaved, onReplaced, onDone, goTo }) {
  let saving = null;
  const conflictNotice = html`<div></div>`;
  const saveButton = button(isDraft ? 'Save draft' : 'Save', () => attempt(save),
    { class: isDraft ? null : 'primary', 'aria-keyshortcuts': 'Control+S', title: 'Ctrl+S' });

  /**
   * Saves; resolves to true once the server has the text. A save during another save waits for it and includes later changes.
   */
  function save() {
    const mine = (saving ?? Promise.resolve()).catch(() => null).then(() => send(text.saved().revision)).finally(() => {
      saving = saving === mine ? null : saving;
      onDone();
    });
    saving = mine;
    return mine;
  }

  /** Sends unsaved text; resolves to true once the server has it. @param revision the revision that the text is to replace */
  async function send(revision) {
    if (!text.isDirty()) {
      return true;
    }
    const mine = text.read();
    const generation = text.code.generation();
    saveButton.setAttribute('aria-disabled', 'true');
    try {
      accept(await put(path, { revision, ...mine }), generation);
      return true;
    } catch (failure) {
      if (failure.body?.theirs) {
        return await resolveConflict(mine, generation, failure.body.theirs);
      }
      showFailure(failure, { text, noun, goTo });
      return false;
    } finally {
      saveButton.removeAttribute('aria-disabled');
    }
  }

  /** Records a text as saved. @param generation the editor's when that text was read */
  function accept(saved, generation) {
    text.setSaved(saved, generation);
    text.pane.clearErrors();
    conflictNotice.replaceChildren();
    onSaved();
  }

  /** Shows the text saved elsewhere beside the editor's text. */
  async function showTheirs() {
    await resolveConflict(text.read(), text.code.generation(), await get(path));
  }

  /** Asks which text to keep after `theirs` was saved first; resolves to true once the server has the editor's text. */
  async function resolveConflict(mine, generation, theirs) {
    if (text.isSame(theirs, mine)) {
      accept(theirs, generation);
      return true;
    }
    const wasDirty = text.isDirty();
    const differsInSetsOnly = wasDirty && text.isSame({ ...theirs, ...text.variables.read() }, mine);
    const { keeps, merged } = differsInSetsOnly ? { keeps: 'mine' } : await askWhichToKeep(text.saved(), mine, theirs, wasDirty);
    switch (keeps) {
      case 'mine':
        notifyCopies(text.merge(theirs));
        onSaved();
        return send(theirs.revision);
      case 'theirs':
        replace(theirs);
        notify('The editor now contains the saved version. To get your text back, choose “Restore mine” above the editor.');
        return true;
      case 'merged':
        notifyCopies(text.merge(theirs));
        text.show(merged);
        conflictNotice.replaceChildren();
        onSaved();
        notify('The merged text is in the editor but has not been saved yet.');
        return false;
      default:
        conflictNotice.replaceChildren(wasDirty ? notice(theirs) : '');
        return false;
    }
  }

  function notice(theirs) {
    const askAgain = () => attempt(() => resolveConflict(text.read(), text.code.generation(), theirs));
    return html`
      <p class="notice">
        ${wordsFor(theirs).by} saved changes ${relativeTime(theirs.savedAt ?? theirs.updatedAt)}. Your text has not been saved.
        ${button('Compare versions', askAgain, { class: 'small' })}
      </p>`;
  }

  /** Replaces the editor's text with the saved text. */
  function replace(theirs) {
    const before = text.read();
    notifyCopies(text.merge(theirs, { isShown: true }));
    conflictNotice.replaceChildren();
    onSaved();
    onReplaced(before);
  }

  return { saveButton, conflictNotice, save, replace, showTheirs, isSaving: () => saving !== null };
}

function notifyCopies(copies) {
  if (copies.length > 0) {
    notify(`Both versions of the changed test data were kept, one under a new name: ${copies.join(', ')}.`);
  }
}

/** Shows why a text was not saved, at the place to be corrected. @throws the failure if it is about no place */
function showFailure(failure, { text, noun, goTo }) {
  const wrong = failure.status === 422 ? text.variables.firstInvalid() : undefined;
  goTo({}); // where the sentence is shown
  if (failure.field === 'subject') {
    text.pane.showSubjectError(sentence(failure));
  } else if (failure.status === 404) {
    text.pane.showError(`Not saved: this ${noun} was deleted. Your text is still here; copy it into a new ${noun}.`);
  } else if (wrong) {
    const { name, error: { line, column, sentence: why } } = wrong;
    goTo({ set: name });
    text.pane.showError(`Not saved. Fix the error in test data ${name} at line ${line}, column ${column}: ${why}.`);
  } else if (failure.status === 422 || failure.status === 413) {
    text.pane.showError('Not saved: ' + sentence(failure));
  } else {
    throw failure;
  }
}
