// Links preview and editor: a click selects the source, the cursor is outlined in the preview, and texts, addresses and alt
// texts can be edited in place. An edit changes only the affected characters and can be undone.
//
// preview-frame.js reports clicks and edits. The email in the frame may be hostile, so every place in a message is verified
// against the source.
import { debounce } from '../frame/dom.js';
import { notify } from '../frame/dialog.js';
import { labelChanges, lineForOutlook } from './buttons.js';
import { change, moved, unitsOf, withoutUnseen } from './inplace.js';
import { inspectorBar, notifyOfCopies } from './inspectorbar.js';
import { previewFrames } from './previewframes.js';
import { placeAt, placeOf, shownPart } from './sourceplaces.js';

const CURSOR_DELAY_MILLIS = 60;

/**
 * @param code         the editor; null for a preview that is read-only
 * @param onSave       runs on Ctrl+S in the preview
 * @param goToVariable goes to the test data of the first given name that has test data
 * @param onText       runs before the editor gets the focus
 * @param onPick       without an editor, receives clicks as reported by the frame
 * @param writing      receives what happens to pieces while they are shown; null without pieces
 * @param onImage      runs when an image file was dropped on the email or pasted into it while no pieces are shown
 */
export function inspector({ code, onSave, goToVariable, onText, onPick = () => {}, writing = null, onImage = () => {} }) {
  const frames = previewFrames(onMessage);
  const bar = inspectorBar({ code, goTo, goToVariable, editText: place => editing.begin(place) });
  const editing = code && textEditing({ code, frames, onFormat: given => writing?.onFormat(given), onRefused });
  let scrolled = { x: 0, y: 0 };
  let isForcedDark = false;
  let onParsed = () => {};

  code?.onCursor(debounce(CURSOR_DELAY_MILLIS, () => code.hasFocus() && showCursor()));
  code?.onKey({ 'Alt-Enter': chooseAtCursor });

  /** Says why a text cannot be edited in the preview, or shows its place. */
  function onRefused(place) {
    if (writing?.isOn()) {
      notify('This text comes from test data or a shared block, or a client shows it differently. Edit it in the HTML.');
    } else {
      bar.show(place, [], true);
    }
  }

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

  /** The newest frame's document has been parsed. */
  function onReady() {
    frames.send({ kind: 'begin', ...scrolled, forcedDark: isForcedDark });
    sendPieces();
    if (code?.hasFocus()) {
      showCursor();
    }
    onParsed();
  }

  /** Sends the frame the pieces of its source, whose boxes it then reports. */
  function sendPieces() {
    if (writing) {
      frames.send({ kind: 'pieces', ranges: writing.pieces(frames.source()) });
    }
  }

  function showCursor() {
    const at = moved(code.text(), frames.source(), code.cursor());
    frames.send(at === null ? { kind: 'hide' } : { kind: 'show', at });
  }

  /** Does what a frame reports or asks for, if it may. @param made the source that the frame was made from */
  function onMessage(data, { source: made, isNewest, reply }) {
    const actions = { ask: () => reply({ kind: 'refuse' }), ...code && actionsOfAny(made), ...isNewest && actionsOfNewest() };
    if (Object.hasOwn(actions, data.kind)) {
      actions[data.kind](data);
    }
  }

  /** Messages that also count from the frame that is shown until a newer one has loaded. */
  function actionsOfAny(made) {
    return { click: data => onClick(data, made), fileDrop: onImage, filePaste: onImage, save: onSave, undo: code.undo, redo: code.redo };
  }

  /** Messages that count only from the newest frame. */
  function actionsOfNewest() {
    return {
      ready: onReady,
      scroll({ x, y }) {
        scrolled = { x: Number(x) || 0, y: Number(y) || 0 };
        writing?.onScroll(scrolled);
      },
      ...code ? { ask: editing.onAsk, edited: editing.onEdited, format: editing.onFormat, none: editing.onNone } : { click: onPick },
      ...writing?.isOn() && writing.on,
    };
  }

  /** Chooses the piece at a click or, without pieces, selects its place in the editor and shows it in the bar. */
  function onClick({ source: mark, element, link, isText, piece }, made) {
    const [place, ...elements] = [mark, element, link].map(each => placeOf(each, made, code.text()));
    if (writing?.isOn()) {
      writing.onClick(place, piece);
      return;
    }
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
    sendPieces,
    /** Sends a message to the newest frame. */
    send: frames.send,
    focus: frames.focus,
    /** Starts editing the text at a place. */
    edit: place => editing.begin(place),
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

/**
 * Edits texts in the preview.
 *
 * @param onRefused receives the place of a text that cannot be edited in the preview, or null
 * @param onFormat  receives a part of a text to format
 */
function textEditing({ code, frames, onRefused, onFormat }) {
  let isEditing = false;
  let isShown = false;
  /**
   * The text to edit: {from, to, text}, a place in a source. Stored until a frame answers, because a newer frame can replace the one that was
   * asked.
   */
  let awaited = null;
  let onFree = null;

  function begin({ from, to }) {
    awaited = { from, to, text: code.text() };
    requestEdit();
  }

  /** Asks the newest frame to edit the awaited text, unless it does not show the whole text. */
  function requestEdit() {
    const [at, end] = [awaited.from, awaited.to].map(place => isShown ? moved(awaited.text, frames.source(), place) : null);
    if (at !== null && end !== null && end - at === awaited.to - awaited.from) {
      frames.send({ kind: 'editAt', at });
    }
  }

  /** The source range that a mark names, if it renders as the frame reports. */
  function partOf({ source: mark, text, keeps }) {
    return shownPart(code.text(), placeOf(mark, frames.source(), code.text()), text, keeps === true);
  }

  /** Writes what was typed in the place of a part of the source, and in a button's copies. */
  function write(part, { now, keeps }) {
    const whole = code.text();
    const wanted = keeps === true ? now : withoutUnseen(now, whole.slice(0, part.from), whole.slice(part.to));
    const changed = change(whole.slice(part.from, part.to), wanted, part.how, whole.slice(part.to, part.to + 2));
    if (changed) {
      const own = { from: part.from + changed.from, to: part.from + changed.to, text: changed.text };
      const copies = labelChanges(whole, own);
      code.edits([own, ...copies.changes]);
      notifyOfCopies('label', copies);
      const line = copies.left.length > 0 ? 0 : lineForOutlook(code.text(), whole.slice(part.from, part.to));
      if (line > 0) {
        notify(`An Outlook-only section, which the preview does not show, still contains the old text (line ${line}). Edit it in the HTML.`);
      }
    }
  }

  /** The place in the source behind a number of characters of a text as shown. @param keeps true if its whitespace is shown as written */
  function placeIn({ from, to }, count, keeps) {
    return from + offsetOf(unitsOf(code.text().slice(from, to), { collapses: keeps !== true }), Number(count) || 0);
  }

  /** The place in the source of an end of a selection; a filled-in value belongs to it as a whole. Null if it is not in the source. */
  function placeOfEnd(end, isStart) {
    const place = placeOf(end.source, frames.source(), code.text());
    const part = place?.kind === 'v' ? place : partOf(end);
    if (part === null) {
      return null;
    }
    const whole = isStart ? part.from : part.to;
    return place.kind === 'v' ? whole : placeIn(part, end.at, end.keeps);
  }

  /** Passes on a part of the text at a place. @param from, to of the part, in characters of the text as shown */
  function format(place, { as, from, to, keeps, html }) {
    const [start, end] = [from, to].map(count => placeIn(place, count, keeps));
    onFormat({ as, from: start, to: Math.max(start, end), html });
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
        requestEdit();
      } else {
        awaited = null; // typing somewhere else
      }
    },
    /** The frame shows no text at the requested place. */
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
        onRefused(placeOf(data.source, frames.source(), code.text()));
      }
    },
    /** The frame has ended an edit: writes it, then shows a preview that waited for it, then formats what was selected. */
    onEdited(data) {
      isEditing = false;
      const part = typeof data.text === 'string' ? partOf(data) : null;
      const tracked = part && code.track(part.from, part.to, { grows: true });
      if (part && typeof data.now === 'string') {
        write(part, data);
      }
      onFree?.();
      onFree = null;
      const place = tracked?.find();
      tracked?.clear();
      if (data.format && place) {
        format(place, { ...data.format, keeps: data.keeps });
      }
    },
    /** A selection that is not in a text being edited; it can begin and end in different texts. */
    onFormat({ as, ends, html }) {
      const places = (ends ?? []).map((end, i) => placeOfEnd(end, i === 0));
      if (places.length === 2 && places.every(place => place !== null)) {
        onFormat({ as, from: places[0], to: Math.max(...places), html });
      } else {
        notify('Select words of one text of the email first.', 'failed');
      }
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

/** The place in a text behind a number of shown characters; its end if it has fewer. */
function offsetOf(units, count) {
  let shown = 0;
  for (const unit of units) {
    if (shown >= count) {
      return unit.from;
    }
    shown += unit.text.length;
  }
  return units.at(-1)?.to ?? 0;
}
