// Asks which text to keep if another one was saved first, by another user or in another window.
import { html, button } from './dom.js';
import { dialog } from './dialog.js';
import { differences } from './difference.js';
import { askToMerge } from './mergedialog.js';
import { isOwn } from './session.js';
import { haveSameSets } from './sets.js';
import { fullTime } from './time.js';

/** Wording for a saved text, depending on its author. */
export function wordsFor({ savedBy }) {
  return isOwn(savedBy)
    ? { title: 'You saved in another window', by: 'You', theirs: 'the saved text', column: 'Saved', take: 'Take the saved text' }
    : { title: 'Someone else saved meanwhile', by: savedBy ?? 'Someone else', theirs: 'theirs', column: 'Theirs', take: 'Take theirs' };
}

/**
 * Resolves to 'mine', 'theirs', a merged {subject, html}, or undefined to continue editing.
 *
 * @param base    the text that the editor began with
 * @param isDirty true if the editor's text is unsaved
 */
export async function askWhichToKeep(base, mine, theirs, isDirty) {
  for (;;) {
    const choice = await ask(mine, theirs, isDirty);
    const answer = choice === 'merge' ? await askToMerge(base, mine, theirs, wordsFor(theirs).column) : choice;
    if (choice !== 'merge' || answer) {
      return answer;
    }
  }
}

async function ask(mine, theirs, isDirty) {
  const words = wordsFor(theirs);
  const at = fullTime(theirs.savedAt ?? theirs.updatedAt);
  const difference = await differences(theirs, mine, [words.theirs, 'yours']);
  return dialog(words.title, close => html`
    <p>${words.by} saved on ${at}, after this text was opened here. ${isDirty ? 'Nothing of either is lost: keep one, or merge them.'
      : 'You have changed nothing since.'}</p>
    ${!haveSameSets(theirs, mine) && html`
      <p class="hint">The test data differs too. Whatever you choose, both are kept; a set that was changed on both sides is then
        there twice.</p>`}
    ${difference}
    ${isDirty && html`<p class="hint">“Keep mine” saves your text over ${words.theirs}. “Continue editing” saves nothing yet: your
      text stays in the editor, and the next save asks again.</p>`}
    <div class="actions">
      ${button('Continue editing', () => close(), { autofocus: true })}
      ${button(words.take, () => close('theirs'), { class: isDirty ? null : 'primary' })}
      ${isDirty && button('Merge…', () => close('merge'))}
      ${isDirty && button('Keep mine', () => close('mine'), { class: 'primary' })}
    </div>`, { wide: true });
}
