// The palette: the kinds of pieces that can be added. A press adds a piece after the chosen one, a drag adds it where it is dropped.
import { html } from '../frame/dom.js';
import { icon } from './icons.js';

/** The kinds in the palette's order. */
export const KINDS = [
  ['heading', 'Heading'], ['text', 'Text'], ['button', 'Button'], ['image', 'Image'], ['imageText', 'Image with text'], ['columns', 'Columns'],
  ['divider', 'Divider'], ['space', 'Space'], ['list', 'List'], ['condition', 'Condition'], ['block', 'Shared block'], ['code', 'Code'], ['saved', 'Copy of a block'],
];

/**
 * @param onAdd  receives the kind to add after the chosen piece
 * @param onDrag receives the pointer event and the kind that it may drag
 */
export function palette({ onAdd, onDrag }) {
  let isDragged = false;
  const buttons = KINDS.map(([kind, name]) => html`
    <button type="button" class="kind" data-kind=${kind} aria-label=${'Add ' + name.toLowerCase()}
      @pointerdown=${event => { isDragged = false; onDrag(event, kind, () => { isDragged = true; }); }}
      @click=${() => isDragged || onAdd(kind)}>${icon(kind)}<span aria-hidden="true">${name}</span></button>`);
  const node = html`
    <div class="palette" role="toolbar" aria-label="Add" @keydown=${onKey}>${buttons}</div>`;
  let at = 0;
  show(0);

  function show(index) {
    at = index;
    buttons.forEach((each, i) => { each.tabIndex = i === at ? 0 : -1; });
  }

  function onKey(event) {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + 3, ArrowUp: at - 3, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined && !event.altKey && to >= 0 && to < buttons.length) {
      event.preventDefault();
      event.stopPropagation();
      show(to);
      buttons[to].focus();
    }
  }

  return { node, focus: () => buttons[at].focus() };
}
