// The text in the editor, beside the text as the server has it. A draft has a subject and test data beside its HTML; a block has
// HTML alone.
import { html } from './dom.js';
import { editor } from './editor.js';
import { editMenu } from './editmenu.js';
import { menuButton } from './menu.js';
import { haveSameSets } from './sets.js';
import { preheaderField } from './preheader.js';
import { variablesPanel } from './variables.js';

/**
 * @param saved    the text as the server has it
 * @param isDraft  whether it is a template's draft, else it is a block
 * @param goTo     shows a place of the text
 * @param onChange runs after each change that a person makes
 */
export async function editedText({ saved: opened, isDraft, goTo, onChange: changed }) {
  let saved = opened;
  const menu = editMenu({ code: () => code, own: isDraft ? null : saved.name });
  const code = await editor({ label: `HTML of the ${isDraft ? 'mail' : 'block'}`, text: saved.html, onChange, names: menu.names });
  const subject = isDraft && html`
    <input id="subject" type="text" value=${saved.subject} autocomplete="off" maxlength="998" aria-describedby="subject-error"
      @input=${onChange}>`;
  const variables = variablesPanel({ saved, isSaved: isDraft, goTo, onChange });
  const preheader = isDraft && preheaderField(code);
  const pane = writingPane({ isDraft, subject, preheader, menu, code });

  function onChange() {
    pane.clearErrors();
    changed();
  }

  /** The text as it is sent to be saved. */
  function read() {
    return isDraft ? { subject: subject.value, html: code.text(), ...variables.read() } : { html: code.text() };
  }

  function isSame(one, other) {
    return one.html === other.html && (!isDraft || one.subject === other.subject && haveSameSets(one, other));
  }

  function isDirty() {
    return !code.isSaved() || isDraft && (subject.value !== saved.subject || !haveSameSets(variables.read(), saved));
  }

  function replaceMail(text) {
    code.replace(text.html);
    if (isDraft) {
      subject.value = text.subject;
    }
  }

  return {
    code, subject, variables, menu, pane, read, isSame, isDirty,
    saved: () => saved,
    showPreheader: checked => preheader && preheader.show(checked),
    /** The text as it is sent to be checked: test data with errors is left out. */
    readUsable: () => ({ subject: '', ...read(), ...variables.readUsable() }),
    /** Puts a text into the editor, with its test data. */
    replace(text) {
      replaceMail(text);
      if (isDraft) {
        variables.take(text);
      }
      onChange();
    },
    /** Shows a subject and HTML in the editor as a change of the author's. Undo takes it back. */
    show(text) {
      replaceMail(text);
      onChange();
    },
    /** The server has the text that the editor had at a generation of the code. */
    setSaved(text, generation) {
      code.markSaved(generation);
      saved = text;
    },
    /** Takes details of the server's text, such as its name. The editor and the text that it began with stay. */
    setDetails(text) {
      const { subject: savedSubject, html: savedHtml, samples, defaultSamples } = saved;
      const { revision, savedBy, savedAt } = isSame(text, saved) ? text : saved;
      saved = { ...text, subject: savedSubject, html: savedHtml, samples, defaultSamples, revision, savedBy, savedAt };
    },
    /**
     * Takes a text that the server has instead of the one that the editor began with. Test data that is not saved stays.
     *
     * @param isReplaced whether the editor shows it, too
     * @returns names of the sets of test data that are kept twice, as both sides have changed them
     */
    merge(theirs, isReplaced) {
      if (isReplaced) {
        replaceMail(theirs);
      }
      code.markSaved(isReplaced || theirs.html === code.text() ? code.generation() : -1);
      const copies = isDraft ? variables.merge(saved, theirs, isReplaced) : [];
      saved = theirs;
      return copies;
    },
  };
}

/** The pane with the subject and the code, and what is wrong with them. */
function writingPane({ isDraft, subject, preheader, menu, code }) {
  const heading = isDraft ? 'Draft' : 'Block';
  const subjectError = html`<p class="error" id="subject-error"></p>`;
  const error = html`<p class="error" role="alert"></p>`;
  const node = html`
    <section class="pane write" aria-label=${heading}>
      <div class="pane-head">
        <h2>${heading}</h2>
        ${menuButton('Edit', menu.items, { class: 'small quiet' })}
      </div>
      ${isDraft && html`<div class="subject"><label for="subject">Subject</label>${subject}${subjectError}${preheader.nodes}</div>`}
      ${error}
      ${code.node}
    </section>`;
  return {
    node,
    showError(sentence) {
      error.textContent = sentence;
    },
    showSubjectError(sentence) {
      subjectError.textContent = sentence;
      subject.focus();
    },
    clearErrors() {
      error.textContent = '';
      subjectError.textContent = '';
    },
  };
}
