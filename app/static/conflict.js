// The question which of two texts stands, when somebody else has saved first.
import { html, button } from './dom.js';
import { dialog } from './dialog.js';
import { differences } from './difference.js';
import { haveSameSets } from './sets.js';
import { fullTime } from './time.js';

/** Resolves to 'mine', to 'theirs', or to undefined to go on editing. @param isDirty whether the editor's text is not saved yet */
export async function askWhichStands(mine, theirs, isDirty) {
  const by = theirs.savedBy ?? 'Someone else';
  const at = fullTime(theirs.savedAt ?? theirs.updatedAt);
  const difference = await differences(theirs, mine, ['theirs', 'yours']);
  return dialog('Someone else saved meanwhile', close => html`
    <p>${by} saved on ${at}, after you opened this text. ${isDirty ? 'Nothing of either is lost: choose which one stands.'
      : 'You have changed nothing since.'}</p>
    ${!haveSameSets(theirs, mine) && html`
      <p class="hint">The test data differs too. Whatever you choose, that of both is kept; a set that both of you changed is then
        there twice.</p>`}
    ${difference}
    ${isDirty && html`<p class="hint">“Keep mine” saves your text over theirs. “Go on editing” saves nothing yet: your text stays in
      the editor, and the next save asks again.</p>`}
    <div class="actions">
      ${button('Go on editing', () => close(), { autofocus: true })}
      ${button('Take theirs', () => close('theirs'), { class: isDirty ? null : 'primary' })}
      ${isDirty && button('Keep mine', () => close('mine'), { class: 'primary' })}
    </div>`, { wide: true });
}
