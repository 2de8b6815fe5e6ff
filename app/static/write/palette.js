// The palette: the kinds of pieces that can be added. A press adds a piece after the chosen one, a drag adds it where it is dropped.
import { html } from '../frame/dom.js';
import { moveOf } from '../frame/movekeys.js';
import { icon } from './icons.js';
import { NAMES } from './kinds.js';

/** The kinds in the palette's order. */
const KINDS = ['heading', 'text', 'button', 'image', 'imageText', 'columns', 'divider', 'space', 'list', 'condition', 'block', 'code', 'saved'];
/** Number of kinds side by side. */
const COLUMNS = 3;
/** Names that differ here from those of pieces in an email. */
const OWN_NAMES = { code: 'Code', saved: 'Copy of a block' };

/**
 * @param onAdd  receives the kind to add after the chosen piece
 * @param onDrag receives the pointer event and the {kind, name} that it may drag; its last argument is to be run once it drags
 */
export function palette({ onAdd, onDrag }) {
  let isDragged = false; // since the pointer was last pressed
  const buttons = KINDS.map(kind => {
    const name = OWN_NAMES[kind] ?? NAMES[kind];
    const onDown = event => {
      isDragged = false;
      onDrag(event, { kind, name }, () => { isDragged = true; });
    };
    const onClick = ({ detail }) => {
      const isByKey = detail === 0;
      if (isByKey || !isDragged) { // a drag ends with a click
        onAdd(kind);
      }
    };
    return html`
      <button type="button" class="kind" data-kind=${kind} aria-label=${'Add ' + name.toLowerCase()} @pointerdown=${onDown}
        @click=${onClick}>${icon(kind)}<span aria-hidden="true">${name}</span></button>`;
  });
  const node = html`
    <div class="palette" role="toolbar" aria-label="Add" @keydown=${onKey}>${buttons}</div>`;
  let at = 0;
  setCurrent(0);

  /** Makes a button the one that Tab reaches. */
  function setCurrent(index) {
    at = index;
    buttons.forEach((each, i) => { each.tabIndex = i === at ? 0 : -1; });
  }

  /** Arrows, Home and End move among the buttons. */
  function onKey(event) {
    const to = moveOf(event, {
      ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + COLUMNS, ArrowUp: at - COLUMNS, Home: 0, End: buttons.length - 1,
    });
    if (to >= 0 && to < buttons.length) {
      event.preventDefault();
      event.stopPropagation();
      setCurrent(to);
      buttons[to].focus();
    }
  }

  return { node, focus: () => buttons[at].focus() };
}
