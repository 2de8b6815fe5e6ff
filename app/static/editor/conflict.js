// Asks which text to keep if another user or another window has saved a different text first.
import { html, button } from '../frame/dom.js';
import { dialog } from '../frame/dialog.js';
import { askToMerge } from './mergedialog.js';
import { changeView, textPreview } from '../preview/pictures.js';
import { isOwn } from '../frame/session.js';
import { haveSameSets } from '../samples/sets.js';
import { fullTime } from '../frame/time.js';

/** Wording for a saved text, depending on its author. */
export function wordsFor({ savedBy }) {
  return isOwn(savedBy)
    ? { title: 'You saved changes in another window', by: 'You', theirs: 'the saved version', column: 'Saved', take: 'Use the saved version' }
    : { title: 'Someone else saved changes', by: savedBy ?? 'Someone else', theirs: 'theirs', column: 'Theirs', take: 'Use theirs' };
}

/**
 * Resolves to {keeps, merged}: `keeps` is mine, theirs, merged, or none to continue editing; `merged` is the merged {subject, html}.
 *
 * @param base    the text last saved or loaded in the editor, from which both others were made
 * @param isDirty true if the editor's text is unsaved
 */
export async function askWhichToKeep(base, mine, theirs, isDirty) {
  for (;;) { // until a version is chosen: from the merge, the user can come back
    const choice = await ask(mine, theirs, isDirty);
    if (choice !== 'merge') {
      return { keeps: choice ?? 'none' };
    }
    const merged = await askToMerge({ base, mine, theirs, theirName: wordsFor(theirs).column, preview: text => previewOf(theirs, text) });
    if (merged) {
      return { keeps: 'merged', merged };
    }
  }
}

/** Preview of a text, with the test data of the saved draft if it has none. */
const previewOf = (saved, text) => textPreview({ ...saved, ...text }, saved);

/** Resolves to 'mine', 'theirs', 'merge', or undefined to continue editing. */
async function ask(mine, theirs, isDirty) {
  const words = wordsFor(theirs);
  const at = fullTime(theirs.savedAt ?? theirs.updatedAt);
  const difference = await changeView(theirs, mine, [words.theirs, 'yours'], [
    { name: words.column, ask: () => previewOf(theirs, theirs) },
    { name: 'Yours', ask: () => previewOf(theirs, mine) },
  ]);
  return dialog(words.title, close => html`
    <p>${words.by} saved changes on ${at}, after you opened this text. ${isDirty ? 'Keep one of the two versions, or merge them.'
      : 'You have no unsaved changes.'}</p>
    ${!haveSameSets(theirs, mine) && html`
      <p class="hint">The test data also differs. Whatever you choose, no test data is lost. If both sides changed a
        test data set, both versions are kept.</p>`}
    ${difference}
    ${isDirty && html`<p class="hint">“Keep mine” replaces ${words.theirs} with your text. “Continue editing” keeps your text in the
      editor without saving it; you can choose again when you save.</p>`}
    <div class="actions">
      ${button('Continue editing', () => close(), { autofocus: true })}
      ${button(words.take, () => close('theirs'), { class: isDirty ? null : 'primary' })}
      ${isDirty && button('Merge…', () => close('merge'))}
      ${isDirty && button('Keep mine', () => close('mine'), { class: 'primary' })}
    </div>`, { wide: true });
}
