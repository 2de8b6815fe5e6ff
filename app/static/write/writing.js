// Visual writing on the email's HTML: the structure, the palette, what lies above the preview, and the operations on pieces. Each operation is
// one minimal edit of the HTML and one undo step; it is verified, and undone if it is not exact.
import { html, button } from '../frame/dom.js';
import { attempt, notify } from '../frame/dialog.js';
import { additions } from './additions.js';
import { canvas } from './canvas.js';
import { NAMES } from './kinds.js';
import { pieceModel } from './model.js';
import { copy, duplicate, move, remove, replaceByBlock, setValue, unwrap, wrap } from './operations.js';
import { operationQueue } from './operationqueue.js';
import { palette } from './palette.js';
import { askForWrap } from './pieceforms.js';
import { pieceKeys } from './piecekeys.js';
import { piecePanel } from './piecepanel.js';
import { texts } from './texts.js';
import { pieceTree } from './tree.js';

/** Number of earlier texts whose chosen piece is remembered, and the length of texts of which only two are. */
const MAX_REMEMBERED = 30;
const LONG = 200_000;

/**
 * @param code       the editor, which has the one undo history
 * @param names      returns the names of the known variables
 * @param chooseBlock asks for a shared block; resolves to its name, or undefined
 * @param readBlock  resolves to the HTML of a shared block
 * @param makeBlock  asks for a name and makes a shared block of HTML; passes on its name
 * @param check      checks the present text at once
 * @param send       sends a message to the preview's frame
 * @param sendPieces sends the pieces to the preview's frame
 * @param editText   starts editing a text of the preview
 * @param showHtml   shows a range of the HTML
 * @param showLine   shows a line of the HTML
 * @param showPane   on narrow screens, shows the preview or the details
 */
export function writing({ code, names, chooseBlock, readBlock, makeBlock, check, send, sendPieces, editText, showHtml, showLine, showPane }) {
  let isOn = false;
  let model = pieceModel(null, '');
  let chosen = -1;
  let wanted = null; // range to choose once its pieces are known
  let remembered = []; // what was chosen in earlier texts, for undo: {text, range}
  let isNew = false; // the chosen piece has just been changed, and is scrolled to once its box is known
  let examples = new Map();
  let rows = new Map();

  const crumbs = html`<nav class="crumbs" aria-label="Position in the email"></nav>`;
  const status = html`<p class="write-status" role="status"></p>`;
  const keys = html`
    <p class="keys-hint">
      <span><kbd>Alt</kbd> <kbd>↑</kbd> <kbd>↓</kbd> move</span> <span><kbd>Ctrl+D</kbd> duplicate</span> <span><kbd>/</kbd> add</span>
      <span><kbd>Ctrl+Z</kbd> undo</span>
    </p>`;
  const kinds = palette({ onAdd: add, onDrag: (event, kind, onStart) => event.pointerType !== 'touch' && above.begin(event, { kind, title: titleOfKind(kind) }, onStart) });
  const tree = pieceTree({ onChoose: choose, rows: name => rows.get(name), isShown: i => !hasBoxes || above.hasBox(i) });
  const panel = piecePanel({
    names, example: name => examples.get(name), onValue: (property, value) => run(given => setValue(...given, { piece: chosen, property, value })),
    onReplace: text => run(given => replace(given[0], model.pieces[chosen], text)), onFormat: formatSelection, onEdit: edit, onClose: () => choose(-1),
    showHtml: i => showHtml(model.pieces[i]), showLine, chooseBlock: onReplaceByBlock,
    onWrap: () => attempt(wrapChosen), onMakeBlock: () => attempt(onMakeBlock),
    onUnwrap: () => run(given => unwrap(...given, { piece: chosen })),
  });
  let above = null;
  let hasBoxes = false;

  /** Adds what lies above the preview. @param stage element with the preview's frames */
  function attach(stage) {
    above = canvas({
      stage, send, onChoose: choose, onDrop,
      acts: [
        { name: 'duplicate', label: 'Duplicate', run: duplicateChosen },
        { name: 'up', label: 'Move up', run: () => step(-1) },
        { name: 'down', label: 'Move down', run: () => step(1) },
        { name: 'delete', label: 'Delete', run: removeChosen },
      ],
    });
  }

  // ---- the pieces

  /**
   * Takes the pieces that a check has found.
   *
   * @param text the text that was checked
   */
  function setFound(found, text) {
    examples = new Map();
    rows = new Map();
    readExamples(found.tree ?? [], '');
    if (text !== code.text()) {
      return; // a newer check is on its way
    }
    if (!found.pieces) {
      if (isOn) {
        check(); // asked before the pieces were shown
      }
      return;
    }
    const isOther = text !== model.text;
    const kept = wanted ?? (isOther ? remembered.find(each => each.text === text)?.range : null) ?? model.pieces[chosen] ?? null;
    const next = pieceModel(found.pieces, text);
    if (!settle(next)) {
      wanted = null; // the pieces are again those of the text before
      return;
    }
    model = next;
    chosen = model.find(kept);
    wanted = null;
    show();
    sendPieces();
    run(null);
  }

  function readExamples(tree, prefix) {
    for (const { name, example, rows: number, inner } of tree) {
      examples.set(prefix + name, example);
      examples.set(name, examples.get(name) ?? example);
      if (number !== undefined) {
        rows.set(name, number);
      }
      readExamples(inner, prefix + name + '.');
    }
  }

  function show() {
    if (isOn) {
      above?.show(model, chosen);
      tree.show(model, chosen);
      panel.show(model, chosen);
      showPath();
    }
  }

  /** The path of the chosen piece, below the preview. */
  function showPath() {
    const path = chosen < 0 ? [] : model.path(chosen);
    crumbs.replaceChildren(...[-1, ...path].map((each, i, all) => i === all.length - 1
      ? html`<span aria-current="true">${each < 0 ? 'Email' : NAMES[model.pieces[each].kind]}</span>`
      : html`<span>${button(each < 0 ? 'Email' : NAMES[model.pieces[each].kind], () => choose(each))}<span class="crumb-mark" aria-hidden="true">›</span></span>`));
  }

  /** @param isSeen true for a piece that the user has clicked in the preview, which then stays where it is */
  function choose(index, isSeen = false) {
    const isOther = index !== chosen;
    chosen = model.pieces[index] ? index : -1;
    above.choose(chosen);
    tree.choose(chosen, tree.hasFocus());
    showPath();
    if (isOther) {
      panel.show(model, chosen);
    }
    if (chosen >= 0 && !isSeen) {
      above.reveal(chosen);
    }
  }

  function say(text, kind = 'done') {
    status.textContent = text;
    if (kind === 'failed') {
      notify(text, 'failed');
    }
  }

  // ---- operations

  const { run, settle } = operationQueue({
    code, check, say, model: () => model,
    onDone(selected) {
      remembered = [{ text: model.text, range: model.pieces[chosen] ?? null }, ...remembered].slice(0, model.text.length > LONG ? 2 : MAX_REMEMBERED);
      isNew = selected !== null;
      wanted = selected;
      chosen = selected === null ? -1 : chosen;
    },
  });
  const words = texts({ code, names, model: () => model, run });
  const adding = additions({ names, chooseBlock, readBlock, model: () => model, chosen: () => chosen, run, say, widthOf: list => above.widthOf(list) });
  const hasChosen = () => model.pieces[chosen] !== undefined;
  const onChosen = operation => run(given => hasChosen() ? operation(given) : { problem: 'Choose a part of the email first.' });

  function duplicateChosen() {
    onChosen(given => duplicate(...given, { piece: chosen }));
  }

  function removeChosen() {
    onChosen(given => remove(...given, { piece: chosen }));
  }

  /** Moves the chosen piece up or down in its list. */
  function step(by) {
    onChosen(given => {
      const at = model.index(chosen);
      const to = by < 0 ? at - 1 : at + 2;
      if (to < 0 || to > model.siblings(chosen).length) {
        say(by < 0 ? 'Already the first.' : 'Already the last.');
        return null;
      }
      return move(...given, { piece: chosen, list: model.pieces[chosen].in, index: to });
    });
  }

  function onDrop(what, list, index) {
    if (what.piece !== undefined) {
      run(given => move(...given, { piece: what.piece, list, index }));
    } else {
      attempt(() => adding.insert(what.kind, { list, index }));
    }
  }

  /** Adds a piece after the chosen one, or at the end. */
  function add(kind) {
    attempt(() => adding.insert(kind));
    showPane('Preview');
  }

  async function wrapChosen() {
    const form = await askForWrap(names());
    if (form) {
      onChosen(given => wrap(...given, { piece: chosen, with: form.with, name: form.name }));
    }
  }

  async function onMakeBlock() {
    const { from, to } = model.pieces[chosen];
    await makeBlock(code.text().slice(from, to), name => onChosen(given => replaceByBlock(...given, { piece: chosen, name })));
  }

  async function onReplaceByBlock() {
    const name = await chooseBlock();
    if (name !== undefined) {
      onChosen(given => replaceByBlock(...given, { piece: chosen, name }));
    }
  }

  /** Replaces a piece's HTML as it was typed. */
  function replace(source, { from, to }, text) {
    return source.slice(from, to) === text ? null : { edits: [{ from, to, text }], select: { from, to: from + text.length }, says: 'Code changed' };
  }

  function edit() {
    const { kind, content } = model.pieces[chosen] ?? {};
    if (content && ['heading', 'text'].includes(kind)) {
      const inside = code.text().slice(...content);
      const lead = /^(?:\s|<[^<>]*>)*/.exec(inside)[0].length;
      editText({ from: content[0] + lead, to: content[0] + Math.max(lead + 1, lead + /^[^<{]*/.exec(inside.slice(lead))[0].trimEnd().length) });
    } else {
      panel.focus();
    }
  }

  /** Formats the selection in the preview. @param as strong, em, a or br */
  function formatSelection(as) {
    send({ kind: 'format', as });
  }

  // ---- keys, copying and pasting

  const keyboard = pieceKeys({
    isOn: () => isOn, hasChosen, isInside: target => node.contains(target) || above?.contains(target), format: formatSelection, undo: code.undo, redo: code.redo,
    acts: { duplicate: duplicateChosen, remove: removeChosen, up: () => step(-1), down: () => step(1), add: focusPalette, edit, leave: () => choose(-1) },
    paste: adding.paste, pasteImage: file => adding.addImage(file),
    copy: () => hasChosen() && model.text === code.text() ? copy(code.text(), model.found, { piece: chosen }) : null,
    onCopied: () => say(`${NAMES[model.pieces[chosen].kind]} copied`),
  });

  function focusPalette() {
    showPane('Text');
    kinds.focus();
  }

  const node = html`
    <div class="writing">
      <h2>Add</h2>${kinds.node}
      <h2>This email</h2>${tree.node}
    </div>`;

  return {
    node, panel, attach, setFound,
    foot: html`<div class="write-foot">${crumbs}${status}${keys}</div>`,
    isOn: () => isOn,
    setOn(on) {
      const isComing = on && !isOn;
      isOn = on;
      above?.setOn(on);
      show();
      if (!on) {
        panel.hide();
      }
      sendPieces();
      if (isComing && model.text !== code.text()) {
        check();
      }
    },
    start: keyboard.start,
    stop() {
      keyboard.stop();
      above?.close();
    },
    /** The preview's hooks. */
    preview: {
      isOn: () => isOn,
      pieces: text => isOn && text === model.text ? { id: 1, ranges: model.ranges() } : { id: 0, ranges: null },
      onScroll: at => above?.setScrolled(at),
      onClick(place, number) {
        const told = model.order[number];
        const block = place?.block !== undefined && model.pieces[told]?.kind === 'block' && model.pieces[told].name === place.block ? told : -1;
        choose(place?.from !== undefined && model.text === code.text() ? model.at(place.from) : block, true);
      },
      onFormat: given => attempt(() => words.onFormat(given)),
      on: {
        boxes({ boxes }) {
          const isFirst = !hasBoxes;
          const before = model.order.filter(above.hasBox).join();
          hasBoxes = true;
          above.setBoxes((Array.isArray(boxes) ? boxes : []).map(box => ({ ...box, piece: model.order[box?.piece] })));
          if (isFirst || model.order.filter(above.hasBox).join() !== before) {
            tree.show(model, chosen); // which pieces are shown has changed
          }
          if (isNew && chosen >= 0) {
            above.reveal(chosen);
          }
          isNew = false;
        },
        over: ({ piece, x, y }) => above.setOver(model.order[piece] ?? -1, { x, y }),
        fileOver: place => above.aimAt(place), fileLeave: () => above.aimAt(null),
        fileDrop(told) {
          const place = above.aimAt(told);
          above.aimAt(null);
          adding.addImage(told.file, place);
        },
        ...keyboard.told,
      },
    },
  };
}

function titleOfKind(kind) {
  return { saved: 'Saved section', block: 'Shared block' }[kind] ?? NAMES[kind];
}
