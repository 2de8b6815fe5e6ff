// Two editors saved one text: the second sees both, and decides.
import { element, button } from './dom.js';
import { attempt, dialog, say } from './dialog.js';
import { differences } from './difference.js';
import { full, when } from './time.js';

/** Stays over a text whose author went on editing: theirs is one press away until one of the two stands. */
function clash(theirs, compare) {
  return element('p', { class: 'notice clash' }, 'Someone else saved ', when(theirs.updatedAt), ', and your text is not saved. ',
    button('Show theirs and yours', compare, { class: 'small' }));
}

/** Answers 'mine', 'theirs', or nothing to go on editing. */
async function conflict(theirs, mine) {
  const difference = await differences(theirs, mine, ['theirs', 'yours']);
  const changedSamples = theirs.samples && mine.samples && JSON.stringify(theirs.samples) !== JSON.stringify(mine.samples);
  return dialog('Someone else saved meanwhile', close => [
    element('p', {}, `Another save arrived on ${full(theirs.updatedAt)}, after you opened this text. Nothing of either is lost: choose which one stands.`),
    changedSamples && element('p', { class: 'hint' }, 'The sample values differ too; they go with the text that you choose.'),
    difference,
    element('p', { class: 'hint' }, '“Keep mine” saves your text over theirs. “Go on editing” saves nothing yet: your text stays in the editor, and the next save asks again.'),
    element('div', { class: 'actions' },
      button('Go on editing', () => close(), { autofocus: true }),
      button('Take theirs', () => close('theirs')),
      button('Keep mine', () => close('mine'), { class: 'primary' })),
  ], { wide: true });
}

/**
 * Settles a save that was refused because `theirs` came first; true when the server has what the editor shows.
 * `clashing` is where the page says that it is not settled yet, and `again` asks once more from there.
 */
export async function settled({ theirs, mine, same, clashing, keep, adopt, take, again }) {
  const choice = same ? 'same' : await conflict(theirs, mine);
  if (choice === 'mine') {
    return keep();
  }
  if (choice === 'same' || choice === 'theirs') {
    clashing.replaceChildren();
    if (choice === 'same') {
      adopt();
    } else {
      take();
      say('Their text is in the editor. Undo (Ctrl+Z) in the editor brings yours back.');
    }
    return true;
  }
  clashing.replaceChildren(clash(theirs, () => attempt(again)));
  return false;
}
