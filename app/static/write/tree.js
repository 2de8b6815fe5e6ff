// The email's structure as a tree. Arrow keys, Home and End move in it; the focused piece is the chosen one.
import { html, count } from '../frame/dom.js';
import { icon } from './icons.js';
import { NAMES } from './kinds.js';
import { titleOf } from './model.js';

/**
 * @param onChoose receives the number of the chosen piece
 * @param rows     returns the number of rows of test data of a list, or undefined
 * @param isShown  returns false for a piece that the preview does not show
 */
export function pieceTree({ onChoose, rows, isShown }) {
  const node = html`<ul class="pieces" role="tree" aria-label="This email" @keydown=${onKey} @click=${onClick}></ul>`;
  const note = html`<div class="fixed-parts"></div>`;
  const closed = new Set(); // begins of pieces whose inner pieces are hidden
  let model = null;
  let chosen = -1;

  function show(next, index) {
    const hadFocus = node.contains(document.activeElement);
    model = next;
    chosen = index;
    node.replaceChildren(...model.roots.flatMap(list => model.lists[list].pieces).map(each => item(each, 1)));
    note.replaceChildren(html`
      ${model.pieces.length === 0 && html`<p class="hint">${model.problem ?? 'This email has no sections that can be edited here. Add one above, or edit the HTML.'}</p>`}
      ${model.fixed.length > 0 && html`
        <p class="hint">Only the HTML can change:</p>
        <ul class="plain hint">${model.fixed.slice(0, 20).map(({ line, why }) => html`<li>Line ${line}: ${why}</li>`)}</ul>`}`);
    choose(index, hadFocus);
  }

  function item(i, level) {
    const piece = model.pieces[i];
    const inner = model.inside[i].flatMap(list => model.lists[list].pieces);
    const title = titleOf(piece);
    const isOpen = !closed.has(piece.from);
    const absent = isShown(i) ? '' : 'not shown with this test data';
    const more = piece.kind === 'list' && rows(piece.name) !== undefined ? count(rows(piece.name), 'row')
      : title === NAMES[piece.kind] ? '' : NAMES[piece.kind].toLowerCase();
    return html`
      <li role="treeitem" data-piece=${i} aria-level=${level} aria-selected="false" tabindex="-1" aria-expanded=${inner.length > 0 && String(isOpen)}
        aria-label=${[title, more, absent].filter(Boolean).join(', ')}>
        <div class="${absent ? 'row-of absent' : 'row-of'}" data-kind=${piece.kind}>
          ${inner.length > 0 ? html`<span class="fold-mark" data-fold aria-hidden="true">${isOpen ? '▾' : '▸'}</span>` : html`<span class="fold-mark"></span>`}
          ${icon(piece.kind)}<b>${title}</b><small>${more}</small>
        </div>
        ${inner.length > 0 && isOpen && html`<ul role="group">${inner.map(each => item(each, level + 1))}</ul>`}
      </li>`;
  }

  const items = () => [...node.querySelectorAll('[role=treeitem]')];
  const itemOf = index => node.querySelector(`[data-piece="${index}"]`);

  /** Marks the chosen piece, opening what contains it. */
  function choose(index, isFocused = false) {
    chosen = index;
    const hidden = index < 0 ? [] : model.path(index).slice(0, -1).filter(each => closed.has(model.pieces[each].from));
    if (hidden.length > 0) {
      hidden.forEach(each => closed.delete(model.pieces[each].from));
      show(model, index);
      return;
    }
    items().forEach(each => {
      each.tabIndex = -1;
      each.setAttribute('aria-selected', 'false');
    });
    const found = itemOf(index);
    const first = found ?? items()[0];
    if (first) {
      first.tabIndex = 0;
    }
    found?.setAttribute('aria-selected', 'true');
    found?.querySelector('.row-of').scrollIntoView({ block: 'nearest' });
    if (isFocused) {
      first?.focus({ preventScroll: true });
    }
  }

  function fold(index, isOpen) {
    closed[isOpen ? 'delete' : 'add'](model.pieces[index].from);
    show(model, chosen);
    itemOf(index)?.focus();
  }

  function onClick(event) {
    const found = event.target.closest('[role=treeitem]');
    if (found && event.target.closest('[data-fold]')) {
      fold(Number(found.dataset.piece), found.getAttribute('aria-expanded') !== 'true');
    } else if (found) {
      found.focus({ preventScroll: true });
      onChoose(Number(found.dataset.piece));
    }
  }

  function onKey(event) {
    const here = event.target.closest('[role=treeitem]');
    if (!here || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const all = items();
    const at = all.indexOf(here);
    const state = here.getAttribute('aria-expanded');
    const goTo = each => {
      if (each) {
        each.focus({ preventScroll: true });
        onChoose(Number(each.dataset.piece));
      }
    };
    const actions = {
      ArrowDown: () => goTo(all[at + 1]), ArrowUp: () => goTo(all[at - 1]), Home: () => goTo(all[0]), End: () => goTo(all.at(-1)),
      ArrowRight: () => state === 'false' ? fold(Number(here.dataset.piece), true) : state === 'true' && goTo(all[at + 1]),
      ArrowLeft: () => state === 'true' ? fold(Number(here.dataset.piece), false) : goTo(here.parentElement.closest('[role=treeitem]')),
      ' ': () => goTo(here),
    };
    if (Object.hasOwn(actions, event.key)) {
      event.preventDefault();
      event.stopPropagation();
      actions[event.key]();
    }
  }

  return { node: html`<div class="structure">${node}${note}</div>`, show, choose, focus: () => (itemOf(chosen) ?? items()[0])?.focus(), hasFocus: () => node.contains(document.activeElement) };
}
