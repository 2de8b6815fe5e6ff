// The email's structure as a tree. Arrow keys, Home and End move in it; the focused piece is the chosen one.
import { html, count } from '../frame/dom.js';
import { moveOf } from '../frame/movekeys.js';
import { icon } from './icons.js';
import { NAMES } from './kinds.js';
import { titleOf } from './model.js';

/** Maximum number of parts listed that only the HTML can change. */
const MAX_FIXED = 20;

/**
 * @param onChoose receives the number of the chosen piece
 * @param rows     returns the number of rows of test data of a list by its name, or undefined
 * @param isShown  returns false for a piece that the preview does not show
 */
export function pieceTree({ onChoose, rows: rowsOfData, isShown }) {
  const node = html`<ul class="pieces" role="tree" aria-label="This email" @keydown=${onKey} @click=${onClick}></ul>`;
  const hints = html`<div class="fixed-parts"></div>`;
  const closed = new Set(); // begins of pieces whose inner pieces are hidden
  let model = null;
  let chosen = -1;
  let drawn = { shape: null, rows: [] };

  /** Shows the pieces of a model. */
  function show(next, index) {
    model = next;
    chosen = index;
    openAroundChosen();
    draw();
    showHints();
  }

  /** Marks the chosen piece, opening what contains it. The focus follows it if it is in the tree. */
  function choose(index) {
    chosen = index;
    if (openAroundChosen()) {
      draw();
    } else {
      mark(hasFocus());
    }
  }

  /** Opens the pieces that contain the chosen one. @return false if all were open */
  function openAroundChosen() {
    const hidden = chosen < 0 ? [] : model.path(chosen).slice(0, -1).map(each => model.pieces[each].from).filter(from => closed.has(from));
    hidden.forEach(from => closed.delete(from));
    return hidden.length > 0;
  }

  /** Draws the tree. Only the rows that have changed are drawn again as long as the pieces lie in each other as before. */
  function draw() {
    const hadFocus = hasFocus();
    const rows = rowsOf(model.roots, 1);
    const shape = rows.map(({ i, level, kind, isOpen }) => [i, level, kind, isOpen].join()).join(' ');
    if (shape === drawn.shape) {
      redraw(rows);
    } else {
      node.replaceChildren(...nested(rows));
    }
    drawn = { shape, rows };
    mark(hadFocus);
  }

  /** Draws the rows whose words have changed. */
  function redraw(rows) {
    const all = items();
    for (const [n, row] of rows.entries()) {
      if (row.words !== drawn.rows[n].words) {
        all[n].firstElementChild.replaceWith(line(row));
        all[n].setAttribute('aria-label', row.words);
      }
    }
  }

  /** Says why there are no pieces, once that is known, and lists the parts that cannot be changed here. */
  function showHints() {
    const none = model.problem ?? 'This email has no sections that can be edited here. Add one above, or edit the HTML.';
    hints.replaceChildren(html`
      ${model.text !== null && model.pieces.length === 0 && html`<p class="hint">${none}</p>`}
      ${model.fixed.length > 0 && html`
        <p class="hint">Only the HTML can change:</p>
        <ul class="plain hint">${model.fixed.slice(0, MAX_FIXED).map(({ line: number, why }) => html`<li>Line ${number}: ${why}</li>`)}</ul>`}`);
  }

  /** The visible rows of these lists, from top to bottom; `isOpen` is undefined for a piece without inner pieces. */
  function rowsOf(lists, level) {
    return lists.flatMap(list => model.lists[list].pieces).flatMap(i => {
      const { kind, from, name } = model.pieces[i];
      const title = titleOf(model.pieces[i]);
      const isOpen = model.inside[i].some(list => model.lists[list].pieces.length > 0) ? !closed.has(from) : undefined;
      const absent = isShown(i) ? '' : 'not shown with this test data';
      const number = kind === 'list' ? rowsOfData(name) : undefined;
      const kindName = title === NAMES[kind] ? '' : NAMES[kind].toLowerCase();
      const more = number === undefined ? kindName : count(number, 'row');
      const row = { i, level, kind, title, more, absent, isOpen, words: [title, more, absent].filter(Boolean).join(', ') };
      return [row, ...isOpen ? rowsOf(model.inside[i], level + 1) : []];
    });
  }

  /** Rows as items, each with the rows below it that are of a deeper level. */
  function nested(rows) {
    const found = [];
    for (let n = 0; n < rows.length;) {
      let end = n + 1;
      while (end < rows.length && rows[end].level > rows[n].level) {
        end++;
      }
      const { i, level, words, isOpen } = rows[n];
      found.push(html`
        <li role="treeitem" data-piece=${i} aria-level=${level} aria-selected="false" tabindex="-1"
          aria-expanded=${isOpen !== undefined && String(isOpen)} aria-label=${words}>
          ${line(rows[n])}${end > n + 1 && html`<ul role="group">${nested(rows.slice(n + 1, end))}</ul>`}
        </li>`);
      n = end;
    }
    return found;
  }

  /** A row's line; its words, which may be cut off, are also its tooltip. */
  function line({ kind, title, more, absent, isOpen, words }) {
    const fold = isOpen === undefined ? html`<span class="fold-mark"></span>`
      : html`<span class="fold-mark" data-fold aria-hidden="true">${isOpen ? '▾' : '▸'}</span>`;
    return html`
      <div class="${absent ? 'row-of absent' : 'row-of'}" data-kind=${kind} title=${words}>
        ${fold}${icon(kind)}<b>${title}</b><small>${more}</small>
      </div>`;
  }

  const hasFocus = () => node.contains(document.activeElement);
  const items = () => [...node.querySelectorAll('[role=treeitem]')];
  const itemOf = index => node.querySelector(`[data-piece="${index}"]`);

  /** Marks the row of the chosen piece. @param isFocused true to give it, or the first row if no piece is chosen, the focus */
  function mark(isFocused) {
    items().forEach(each => {
      each.tabIndex = -1;
      each.setAttribute('aria-selected', 'false');
    });
    const found = itemOf(chosen);
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

  /** Shows or hides the pieces inside a piece. If the chosen one would be hidden, the piece itself is chosen. */
  function setOpen(index, isOpen) {
    const { from } = model.pieces[index];
    if (isOpen) {
      closed.delete(from);
    } else {
      if (chosen !== index && model.path(chosen).includes(index)) {
        onChoose(index);
      }
      closed.add(from);
    }
    draw();
    itemOf(index)?.focus();
  }

  function onClick(event) {
    const found = event.target.closest('[role=treeitem]');
    if (found && event.target.closest('[data-fold]')) {
      setOpen(Number(found.dataset.piece), found.getAttribute('aria-expanded') !== 'true');
    } else if (found) {
      found.focus({ preventScroll: true });
      onChoose(Number(found.dataset.piece));
    }
  }

  function onKey(event) {
    const here = event.target.closest('[role=treeitem]');
    if (!here) {
      return;
    }
    const all = items();
    const at = all.indexOf(here);
    const expanded = here.getAttribute('aria-expanded'); // null without inner pieces
    const piece = Number(here.dataset.piece);
    const goTo = each => {
      if (each) {
        each.focus({ preventScroll: true });
        onChoose(Number(each.dataset.piece));
      }
    };
    const move = moveOf(event, {
      ArrowDown: () => goTo(all[at + 1]), ArrowUp: () => goTo(all[at - 1]), Home: () => goTo(all[0]), End: () => goTo(all.at(-1)),
      ArrowRight() {
        if (expanded === 'false') {
          setOpen(piece, true);
        } else if (expanded === 'true') {
          goTo(all[at + 1]);
        }
      },
      ArrowLeft() {
        if (expanded === 'true') {
          setOpen(piece, false);
        } else {
          goTo(here.parentElement.closest('[role=treeitem]'));
        }
      },
      ' ': () => goTo(here),
    });
    if (move) {
      event.preventDefault();
      event.stopPropagation();
      move();
    }
  }

  return { node: html`<div class="structure">${node}${hints}</div>`, show, choose };
}
