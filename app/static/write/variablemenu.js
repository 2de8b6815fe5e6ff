// Menu of the variables that a text can contain.
import { menuButton } from '../frame/menu.js';

/** Maximum number of variables in the menu. */
const MAX_SHOWN = 40;

/**
 * @param names   returns the names of the known variables
 * @param insert  receives the chosen variable's tag
 * @param label   accessible name of the button
 * @param isShort true for a button without a word
 */
export function variableMenu({ names, insert, label = 'Variable', isShort = false }) {
  return menuButton(isShort ? '{ }' : '{ } Variable', () => variableItems(names(), insert), { class: 'quiet variable-menu', 'aria-label': label });
}

/** The items of a menu of variables. */
export function variableItems(names, insert) {
  return names.length === 0 ? [{ text: 'No variables yet', reason: 'Type a name in double braces, such as {{name}}, to add one' }]
    : names.slice(0, MAX_SHOWN).map(name => ({ text: name, run: () => insert(`{{${name}}}`) }));
}
