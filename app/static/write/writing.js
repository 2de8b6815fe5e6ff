// Visual writing on the email's HTML: the structure, the palette, what lies above the preview, and the operations on pieces. Each operation is
// one minimal edit of the HTML and one undo step; it is verified, and undone if it is not exact.
import { html, button } from '../frame/dom.js';
import { attempt, notify } from '../frame/dialog.js';
import { additions } from './additions.js';
import { canvas } from './canvas.js';
import { NAMES } from './kinds.js';
import { pieceModel } from './model.js';
import { duplicate, htmlOfPiece, move, remove, replaceByBlock, replaceHtml, setValue, unwrap, wrap } from './operations.js';
import { operationQueue } from './operationqueue.js';
import { palette } from './palette.js';
import { askForWrap } from './pieceforms.js';
import { pieceKeys } from './piecekeys.js';
import { piecePanel } from './piecepanel.js';
import { texts } from './texts.js';
import { pieceTree } from './tree.js';

/** Number of earlier texts whose chosen piece is remembered; of texts longer than this, there are fewer. */
const MAX_REMEMBERED = 30;
const LONG = 200_000;
const MAX_LONG_REMEMBERED = 2;

/**
 * @param code       the editor, which has the one undo history
 * @param names      returns the names of the known variables
 * @param chooseBlock asks for a shared block; resolves to its name, or undefined
 * @param readBlock  resolves to the HTML of a shared block
 * @param makeBlock  asks for a name and makes a shared block of HTML; its second argument receives the name
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
  let model = pieceModel({}, null);
  let chosen = -1;
  let wanted = null; // range to choose once its pieces are known
  let remembered = []; // what was chosen in earlier texts, for undo: {text, range}
  let isToReveal = false; // an operation has chosen a piece, which is scrolled to once its box is known
  let examples = new Map();
  let rows = new Map();

  const crumbs = html`<nav class="crumbs" aria-label="Position in the email"></nav>`;
  const status = html`<p class="write-status" role="status"></p>`;
  const keys = html`
    <p class="keys-hint">
      <span><kbd>Alt</kbd> <kbd>↑</kbd> <kbd>↓</kbd> move</span> <span><kbd>Ctrl+D</kbd> duplicate</span> <span><kbd>/</kbd> add</span>
      <span><kbd>Ctrl+Z</kbd> undo</span>
    </p>`;
  const kinds = palette({ onAdd: add, onDrag: dragNew });
  const tree = pieceTree({ onChoose: choose, rows: name => rows.get(name), isShown: i => !hasBoxes || above.hasBox(i) });
  const panel = piecePanel({
    names, example: name => examples.get(name), onValue: (property, value) => run(given => setValue(...given, { piece: chosen, property, value })),
    onReplace: text => run(given => replaceHtml(...given, { piece: chosen, html: text })), onFormat: formatSelection, onEdit: edit,
    onClose: () => choose(-1), showHtml: i => showHtml(model.pieces[i]), showLine, onUseBlock: () => attempt(onReplaceByBlock),
    onWrap: () => attempt(wrapChosen), onMakeBlock: () => attempt(onMakeBlock),
    onUnwrap: () => run(given => unwrap(...given, { piece: chosen })),
  });
  let above = null; // the canvas, once there is a stage
  let hasBoxes = false;

  /** Adds what lies above the preview. @param stage element with the preview's frames */
  function attach(stage) {
    above = canvas({
      stage, send, onChoose: choose, onMove: moveTo,
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
   * Receives the result of a check.
   *
   * @param found {tree, pieces}: the variables with their test data and, if they were requested, the pieces
   * @param text  the text that was checked
   */
  function setFound(found, text) {
    examples = new Map();
    rows = new Map();
    readExamples(found.tree ?? [], '');
    if (text !== code.text()) {
      return; // a newer check is on its way
    }
    if (found.pieces) {
      setModel(pieceModel(found.pieces, text));
    } else if (isOn) {
      check(); // asked before the pieces were shown
    }
  }

  /** Shows the pieces of a text, and performs the operations that wait for them. The same piece stays chosen, or the one that an operation wants. */
  function setModel(next) {
    const before = next.text === model.text ? null : remembered.find(each => each.text === next.text)?.range;
    const range = wanted ?? before ?? model.pieces[chosen] ?? null; // of the piece to choose
    wanted = null;
    if (verify(next)) { // otherwise, the text and its pieces are again those before
      model = next;
      chosen = model.find(range);
      show();
      sendPieces();
      runWaiting();
    }
  }

  /** Adds the test data of variables by their names and by their paths, and the numbers of rows of lists by their names. */
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
    const path = [-1, ...chosen < 0 ? [] : model.path(chosen)];
    const nameOf = piece => piece < 0 ? 'Email' : NAMES[model.pieces[piece].kind];
    const mark = () => html`<span class="crumb-mark" aria-hidden="true">›</span>`;
    crumbs.replaceChildren(
      ...path.slice(0, -1).map(piece => html`<span>${button(nameOf(piece), () => choose(piece))}${mark()}</span>`),
      html`<span aria-current="true">${nameOf(path.at(-1))}</span>`);
  }

  /** The piece that was clicked, or -1. @param reported the piece by the frame: for parts of a shared block, which are not in the text */
  function pieceAt(place, reported) {
    if (place?.from !== undefined) {
      return model.text === code.text() ? model.at(place.from) : -1;
    }
    const piece = model.pieces[reported];
    return piece?.kind === 'block' && piece.name === place?.block ? reported : -1;
  }

  /** Draws the boxes of the pieces. @param boxes as the frame reports them, with numbers in the order of the pieces' ranges */
  function setBoxes(boxes) {
    const shown = () => model.order.filter(above.hasBox).join();
    const before = hasBoxes ? shown() : null;
    hasBoxes = true;
    above.setBoxes(boxes.map(box => ({ ...box, piece: model.order[box?.piece] })));
    if (shown() !== before) {
      tree.show(model, chosen);
    }
  }

  /**
   * Chooses a piece, and scrolls to it.
   *
   * @param index  its number; -1 for none
   * @param isSeen true for a piece that the user has clicked in the preview, which then stays where it is
   */
  function choose(index, isSeen = false) {
    const isOther = index !== chosen;
    chosen = model.pieces[index] ? index : -1;
    above.choose(chosen);
    tree.choose(chosen);
    showPath();
    if (isOther) {
      panel.show(model, chosen);
    }
    if (chosen >= 0 && !isSeen) {
      above.reveal(chosen);
    }
  }

  /** Shows a sentence below the preview. @param kind 'failed' to notify of it as well, if something could not be done */
  function showStatus(text, kind = 'done') {
    status.textContent = text;
    if (kind === 'failed') {
      notify(text, 'failed');
    }
  }

  // ---- operations

  const { run, runWaiting, verify } = operationQueue({
    code, check, showStatus, model: () => model,
    onDone(selected) {
      const most = model.text.length > LONG ? MAX_LONG_REMEMBERED : MAX_REMEMBERED;
      remembered = [{ text: model.text, range: model.pieces[chosen] ?? null }, ...remembered].slice(0, most);
      isToReveal = selected !== null;
      wanted = selected;
      chosen = selected === null ? -1 : chosen;
    },
  });
  const words = texts({ code, names, model: () => model, run });
  const adding = additions({
    names, chooseBlock, readBlock, model: () => model, chosen: () => chosen, run, showStatus, widthOf: list => above.widthOf(list),
  });
  const hasChosen = () => model.pieces[chosen] !== undefined;
  const onChosen = operation => run(given => hasChosen() ? operation(given) : { problem: 'Choose a part of the email first.' });

  function duplicateChosen() {
    onChosen(given => duplicate(...given, { piece: chosen }));
  }

  function removeChosen() {
    onChosen(given => remove(...given, { piece: chosen }));
  }

  /** Moves the chosen piece up or down in its list; says so if it is already at that end. @param by -1 for up, 1 for down */
  function step(by) {
    onChosen(given => {
      const at = model.index(chosen);
      const to = by < 0 ? at - 1 : at + 2;
      if (to < 0 || to > model.siblings(chosen).length) {
        showStatus(by < 0 ? 'Already the first.' : 'Already the last.');
        return null;
      }
      return move(...given, { piece: chosen, list: model.pieces[chosen].in, index: to });
    });
  }

  /** Moves a dragged piece, unless the email has changed, whose pieces may have other numbers. @param place {list, index} */
  function moveTo(piece, place) {
    const { text } = model;
    run(given => given[0] === text ? move(...given, { piece, ...place }) : { problem: 'The email has changed. Drag the part again.' });
  }

  /** Drags a new piece from the palette. Touch scrolls the palette. */
  function dragNew(event, { kind, name }, onStart) {
    if (event.pointerType !== 'touch') {
      above.begin(event, { title: name, piece: -1, drop: place => attempt(() => adding.insert(kind, place)) }, onStart);
    }
  }

  /** Adds a piece after the chosen one, or at the end. */
  function add(kind) {
    attempt(() => adding.insert(kind));
    showPane('Preview');
  }

  /** Asks how to wrap the chosen piece, and does it. */
  async function wrapChosen() {
    const form = await askForWrap(names());
    if (form) {
      onChosen(given => wrap(...given, { piece: chosen, kind: form.kind, name: form.name }));
    }
  }

  /** Makes a shared block of the chosen piece, and shows it in its place. */
  async function onMakeBlock() {
    const { from, to } = model.pieces[chosen];
    await makeBlock(model.text.slice(from, to), name => onChosen(given => replaceByBlock(...given, { piece: chosen, name })));
  }

  /** Asks for a shared block, and shows it in the place of the chosen piece. */
  async function onReplaceByBlock() {
    const name = await chooseBlock();
    if (name !== undefined) {
      onChosen(given => replaceByBlock(...given, { piece: chosen, name }));
    }
  }

  /** Starts editing the chosen piece, once its place is known: its words in the preview, or else its first field. */
  function edit() {
    run(([source]) => {
      const { kind, content } = model.pieces[chosen] ?? {};
      if (content && ['heading', 'text'].includes(kind)) {
        editText(firstWords(source, content));
      } else {
        panel.focus();
      }
      return null;
    });
  }

  /** Formats the selection in the preview. @param as strong, em, a or br */
  function formatSelection(as) {
    send({ kind: 'format', as });
  }

  // ---- keys, copying and pasting

  const keyboard = pieceKeys({
    isOn: () => isOn, hasChosen, isInside: target => node.contains(target) || above?.contains(target),
    format: formatSelection, undo: code.undo, redo: code.redo,
    acts: {
      duplicate: duplicateChosen, remove: removeChosen, up: () => step(-1), down: () => step(1), add: focusPalette, edit, leave: () => choose(-1),
    },
    paste: adding.paste, pasteImage: file => adding.addImage(file),
    chosenPart: () => hasChosen() && model.text === code.text()
      ? { html: htmlOfPiece(code.text(), model.found, { piece: chosen }), name: NAMES[model.pieces[chosen].kind] } : null,
    onCopied: name => showStatus(`${name} copied`),
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
      /** The ranges of the pieces of a text; null while they are not shown, or if it is not the text that was checked. */
      pieces: text => isOn && text === model.text ? model.ranges() : null,
      onScroll: at => above?.setScrolled(at),
      onClick(place, number) {
        choose(pieceAt(place, model.order[number]), true);
      },
      onFormat: given => attempt(() => words.onFormat(given)),
      on: {
        boxes({ boxes }) {
          setBoxes(Array.isArray(boxes) ? boxes : []);
          if (isToReveal && chosen >= 0) {
            above.reveal(chosen);
          }
          isToReveal = false;
        },
        over: ({ piece, x, y }) => above.setOver(model.order[piece] ?? -1, { x, y }),
        fileOver: place => above.aimAt(place), fileLeave: () => above.hideTarget(),
        fileDrop({ file, ...at }) {
          const place = above.aimAt(at);
          above.hideTarget();
          adding.addImage(file, place);
        },
        ...keyboard.onFrame,
      },
    },
  };
}

/** The place of a piece's first words, without the tags around them. */
function firstWords(source, [begin, end]) {
  const inside = source.slice(begin, end);
  const lead = /^(?:\s|<[^<>]*>)*/.exec(inside)[0].length;
  const words = /^[^<{]*/.exec(inside.slice(lead))[0].trimEnd();
  return { from: begin + lead, to: begin + lead + Math.max(1, words.length) };
}
