// Links preview and editor: a click selects the source, the cursor is outlined in the preview, and texts, addresses and alt
// texts can be edited in place. An edit changes only the affected characters and can be undone.
//
// preview-frame.js reports clicks and edits. The email in the frame may be hostile, so every place in a message is verified
// against the source.
import { debounce } from '../frame/dom.js';
import { notify } from '../frame/dialog.js';
import { labelChanges, lineForOutlook } from './buttons.js';
import { change, moved, withoutUnseen } from './inplace.js';
import { inspectorBar, sayCopies } from './inspectorbar.js';
import { previewFrames } from './previewframes.js';
import { placeAt, placeOf, shownPart } from './sourceplaces.js';

const CURSOR_DELAY_MILLIS = 60;

/**
 * @param code         the editor; without it, the preview is read-only
 * @param onSave       runs on Ctrl+S in the preview
 * @param goToVariable goes to the test data of the first given name that has test data
 * @param onText       runs before the editor gets the focus
 * @param onPick       without an editor, receives clicks as reported by the frame
 */
export function inspector({ code, onSave, goToVariable, onText, onPick }) {
  const frames = previewFrames(onMessage);
  const bar = inspectorBar({ code, goTo, goToVariable, editText: place => editing.begin(place) });
  const editing = code && textEditing({ code, frames, showBar: place => bar.show(place, [], true) });
  let scrolled = { x: 0, y: 0 };
  let isForcedDark = false;
  let onParsed = () => {};

  code?.onCursor(debounce(CURSOR_DELAY_MILLIS, () => code.hasFocus() && showCursor()));
  code?.onKey({ 'Alt-Enter': chooseAtCursor });

  /**
   * Switches to a new frame, made from a newer source.
   *
   * @param offset     place of the source in the HTML of the preview
   * @param whenParsed runs once the frame's document has been parsed
   */
  function attach(frame, source, offset, whenParsed) {
    frames.add(frame, source, offset);
    onParsed = whenParsed;
    editing?.reset();
  }

  function onReady() {
    frames.send({ kind: 'begin', ...scrolled, forcedDark: isForcedDark });
    if (code?.hasFocus()) {
      showCursor();
    }
    onParsed();
  }

  function showCursor() {
    const at = moved(code.text(), frames.source(), code.cursor());
    frames.send(at === null ? { kind: 'hide' } : { kind: 'show', at });
  }

  function onMessage(data, source, isNewest, reply) {
    if (isNewest && data.kind === 'ready') {
      onReady();
    } else if (isNewest && data.kind === 'scroll') {
      scrolled = { x: Number(data.x) || 0, y: Number(data.y) || 0 };
    } else if (data.kind === 'ask' && !(code && isNewest)) {
      reply({ kind: 'refuse' });
    } else if (onPick && isNewest && data.kind === 'click') {
      onPick(data);
    } else if (code) {
      const actions = {
        click: () => onClick(data, source), ask: () => editing.onAsk(data), edited: () => isNewest && editing.onEdited(data),
        none: () => isNewest && editing.onNone(),
        save: onSave, undo: code.undo, redo: code.redo,
      };
      if (Object.hasOwn(actions, data.kind)) {
        actions[data.kind]();
      }
    }
  }

  function onClick({ source: mark, element, link, isText }, made) {
    const [place, ...elements] = [mark, element, link].map(each => placeOf(each, made, code.text()));
    if (place?.from !== undefined) {
      code.select(place.from, place.to);
    }
    bar.show(place, elements, isText === true);
  }

  /** Outlines the text or element at the cursor in the preview and opens the bar for it. */
  function chooseAtCursor() {
    showCursor();
    const { place, element, isText } = placeAt(code.text(), code.cursor());
    bar.show(place, [element], isText);
    bar.focus();
  }

  function goTo({ from, to }) {
    onText();
    code.select(from, to);
    code.focus();
  }

  return {
    node: bar.node,
    attach,
    /** The newest frame has become visible. */
    shown: () => editing?.onShown(),
    /** Runs once no text is being edited in the preview, because a new frame would discard the edit. */
    whenFree: run => editing ? editing.whenFree(run) : run(),
    setForcedDark(forced) {
      isForcedDark = forced;
      frames.send({ kind: 'begin', forcedDark: forced });
    },
    close: frames.close,
  };
}

/** Edits texts in the preview. @param showBar shows the bar for texts that cannot be edited in the preview */
function textEditing({ code, frames, showBar }) {
  let isEditing = false;
  let isShown = false;
  /** What to edit: {from, to, text}, a place in a source. Kept until a frame answers, because a newer frame can replace the one that was told. */
  let awaited = null;
  let onFree = null;

  function begin({ from, to }) {
    awaited = { from, to, text: code.text() };
    tell();
  }

  /** Tells the newest frame, unless it does not show the whole text. */
  function tell() {
    const [at, end] = [awaited.from, awaited.to].map(place => isShown ? moved(awaited.text, frames.source(), place) : null);
    if (at !== null && end !== null && end - at === awaited.to - awaited.from) {
      frames.send({ kind: 'editAt', at });
    }
  }

  /** The source range that a mark names, if it renders as the frame reports. */
  function partOf({ source: mark, text, keeps }) {
    return shownPart(code.text(), placeOf(mark, frames.source(), code.text()), text, keeps === true);
  }

  function write(part, { text, now, keeps }) {
    const whole = code.text();
    const wanted = keeps === true ? now : withoutUnseen(now, whole.slice(0, part.from), whole.slice(part.to));
    const changed = change(whole.slice(part.from, part.to), wanted, part.how, whole.slice(part.to, part.to + 2));
    if (changed) {
      const own = { from: part.from + changed.from, to: part.from + changed.to, text: changed.text };
      const copies = labelChanges(whole, own, own.text);
      code.edits([own, ...copies.changes]);
      sayCopies('label', copies);
      const line = copies.left.length > 0 ? 0 : lineForOutlook(code.text(), whole.slice(part.from, part.to));
      if (line > 0) {
        notify(`An Outlook-only section, which the preview does not show, still contains the old text (line ${line}). Edit it in the HTML.`);
      }
    }
  }

  return {
    begin,
    reset() {
      isEditing = false;
      isShown = false;
    },
    onShown() {
      isShown = true;
      if (awaited && !document.activeElement.matches('input, select, textarea')) {
        tell();
      } else {
        awaited = null; // typing somewhere else
      }
    },
    /** The frame shows no text at the place it was told to edit. */
    onNone() {
      if (frames.source() === awaited?.text) {
        awaited = null;
      }
    },
    /** The frame asks to edit a text. */
    onAsk(data) {
      awaited = null;
      isEditing = partOf(data) !== null;
      frames.send({ kind: isEditing ? 'edit' : 'refuse' });
      if (isEditing) {
        frames.focus();
      } else {
        showBar(placeOf(data.source, frames.source(), code.text()));
      }
    },
    onEdited(data) {
      isEditing = false;
      const part = typeof data.now === 'string' && typeof data.text === 'string' ? partOf(data) : null;
      if (part) {
        write(part, data);
      }
      onFree?.();
      onFree = null;
    },
    whenFree(run) {
      if (isEditing) {
        onFree = run;
      } else {
        run();
      }
    },
  };
}
