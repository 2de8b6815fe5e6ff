// The editor's text and the last saved text. A draft has a subject, test data and HTML; a block has only HTML.
import { html, button } from '../frame/dom.js';
import { editor } from './editor.js';
import { editMenu } from './editmenu.js';
import { moved } from '../preview/inplace.js';
import { menuButton } from '../frame/menu.js';
import { variableMenu } from '../write/variablemenu.js';
import { haveSameSets } from '../samples/sets.js';
import { preheaderField } from './preheader.js';
import { variablesPanel } from '../samples/variables.js';

/** Generation that the editor never has: its text is not saved. */
const NEVER = -1;

/**
 * @param saved    the last saved text
 * @param isDraft  true for a template's draft, false for a block
 * @param goTo     shows a place in the text
 * @param onChange runs after each change by the user
 */
export async function editedText({ saved: opened, isDraft, goTo, onChange: changed }) {
  let saved = opened;
  const menu = editMenu({ code: () => code, own: isDraft ? null : saved.name });
  const code = await editor({
    label: `HTML of the ${isDraft ? 'email' : 'block'}`, text: saved.html, onChange, names: menu.names, onImage: menu.onImage,
  });
  const subject = !isDraft ? null : html`
    <input id="subject" type="text" value=${saved.subject} autocomplete="off" maxlength="998" aria-describedby="subject-error"
      @input=${onChange}>`;
  const variables = variablesPanel({ saved, isSaved: isDraft, goTo, onChange });
  const preheader = isDraft ? preheaderField(code) : null;
  const lines = isDraft ? linesAbove({ subject, preheader, names: menu.variables }) : { node: null, error: null };
  const pane = writingPane({ isDraft, subject, subjectError: lines.error, menu, code });

  function onChange() {
    pane.clearErrors();
    changed();
  }

  /** The text to save. */
  function read() {
    return isDraft ? { subject: subject.value, html: code.text(), ...variables.read() } : { html: code.text() };
  }

  function isSame(one, other) {
    return one.html === other.html && haveSameDetails(one, other);
  }

  /** True if two texts are the same but for their HTML. */
  function haveSameDetails(one, other) {
    return !isDraft || one.subject === other.subject && haveSameSets(one, other);
  }

  /** Compares the HTML by its history, because this runs after each key. */
  function isDirty() {
    return !code.isSaved() || isDraft && !haveSameDetails({ subject: subject.value, ...variables.read() }, saved);
  }

  /** Replaces the subject and the HTML in the editor. */
  function replaceText(text) {
    code.replace(text.html);
    if (isDraft) {
      subject.value = text.subject;
    }
  }

  return {
    code, subject, variables, menu, pane, lines: lines.node, read, isSame, isDirty,
    saved: () => saved,
    showPreheader: checked => preheader?.show(checked),
    /** The text to check, without invalid test data. */
    readUsable: () => ({ subject: '', ...read(), ...variables.readUsable() }),
    /**
     * Tracks a range of the saved HTML through the edits in the editor.
     *
     * @return {find, clear}, where `find` returns {line}, or null once the range is gone; null if the range is not in the editor
     */
    track(from, to) {
      const [start, last] = [from, to - 1].map(place => moved(saved.html, code.text(), place));
      const mark = start === null || last === null || last < start ? null : code.track(start, last + 1);
      return mark && { ...mark, find: () => mark.find() && { line: code.text().slice(0, mark.find().from).split('\n').length } };
    },
    /** Replaces text and test data in the editor. */
    replace(text) {
      replaceText(text);
      if (isDraft) {
        variables.replace(text);
      }
      onChange();
    },
    /** Shows a subject and HTML as if the user had typed them; undo restores the old HTML. */
    show(text) {
      replaceText(text);
      onChange();
    },
    /** Records an editor generation as saved. */
    setSaved(text, generation) {
      code.markSaved(generation);
      saved = text;
    },
    /** Updates saved details such as the name, but neither the editor nor the base text. */
    setDetails(text) {
      const { subject: savedSubject, html: savedHtml, samples, defaultSamples } = saved;
      const { revision, savedBy, savedAt } = isSame(text, saved) ? text : saved;
      saved = { ...text, subject: savedSubject, html: savedHtml, samples, defaultSamples, revision, savedBy, savedAt };
    },
    /**
     * Makes a text from the server the new base, and keeps unsaved test data.
     *
     * @param isShown true to show it in the editor as well
     * @return names of the copies made of test data sets that both sides changed
     */
    merge(theirs, { isShown = false } = {}) {
      if (isShown) {
        replaceText(theirs);
      }
      code.markSaved(isShown || theirs.html === code.text() ? code.generation() : NEVER);
      const copies = isDraft ? variables.merge(saved, theirs, isShown) : [];
      saved = theirs;
      return copies;
    },
  };
}

/** The subject and the preheader, above the panes: {node, error}, where `error` is the place of the subject's problem. */
function linesAbove({ subject, preheader, names }) {
  const error = html`<p class="error" id="subject-error"></p>`;
  let last = subject;
  preheader.input.addEventListener('focus', () => { last = preheader.input; });
  subject.addEventListener('focus', () => { last = subject; });
  const insert = text => {
    const line = last.readOnly ? subject : last; // a preheader in a shared block is edited there
    line.focus();
    line.setRangeText(text, line.selectionStart, line.selectionEnd, 'end');
    line.dispatchEvent(new Event('input', { bubbles: true }));
  };
  return {
    error,
    node: html`
      <section class="lines" aria-label="Subject and preheader">
        <div class="subject"><label for="subject">Subject</label>${subject}${variableMenu({ names, insert, label: 'Insert variable' })}${error}</div>
        <div class="subject">${preheader.nodes}</div>
      </section>`,
  };
}

/** The pane with the code and its problems. @param subject the field; like `subjectError` null for a block */
function writingPane({ isDraft, subject, subjectError, menu, code }) {
  const heading = isDraft ? 'Draft' : 'Block';
  const error = html`<p class="error" role="alert"></p>`;
  const head = html`
    <div class="pane-head">
      <h2>${heading}</h2>
      ${button('Make block…', menu.makeBlock, { class: 'small quiet code-tool' })}
      ${menuButton('Edit', menu.items, { class: 'small quiet code-tool' })}
    </div>`;
  const node = html`
    <section class="pane write" aria-label=${heading}>
      ${head}
      ${error}
      ${code.node}
    </section>`;
  return {
    node,
    head,
    showError(sentence) {
      error.textContent = sentence;
    },
    showSubjectError(sentence) {
      subjectError.textContent = sentence;
      subject.focus();
    },
    clearErrors() {
      [error, subjectError].filter(Boolean).forEach(each => { each.textContent = ''; });
    },
  };
}
