// Keys that act on the chosen piece, and copying and pasting it, from this page and from the preview's frame.
import { attempt } from '../frame/dialog.js';
import { copy, openDialog } from '../frame/dom.js';
import { imageOf } from '../images/upload.js';

const FIELDS = 'input, textarea, select, [contenteditable], .CodeMirror';
const FORMATS = { b: 'strong', i: 'em', k: 'a' };
/** Names of the acts, by key. */
const CONTROL_KEYS = new Map([['d', 'duplicate']]);
const ALT_KEYS = new Map([['ArrowUp', 'up'], ['ArrowDown', 'down']]);
const KEYS = new Map([['Delete', 'remove'], ['Backspace', 'remove'], ['/', 'add'], ['Enter', 'edit'], ['F2', 'edit'], ['Escape', 'leave']]);

/** True for combinations that the browser needs: Ctrl+Shift+I opens its tools, Shift+Delete cuts. */
const isForBrowser = ({ key, ctrlKey, metaKey, altKey, shiftKey }) =>
  (ctrlKey || metaKey) && (altKey || shiftKey) || shiftKey && key === 'Delete';

/**
 * @param isOn      returns true while the pieces are shown
 * @param hasChosen returns true if a piece is chosen
 * @param isInside  returns true for elements where the keys apply
 * @param acts      what the keys do: {duplicate, remove, up, down, add, edit, leave}
 * @param format    formats the selection in the preview
 * @param undo      undoes the last change; `redo` repeats it
 * @param chosenPart returns the chosen piece: {html, name of its kind}; null if none is chosen, or its HTML is not known
 * @param onCopied  receives the name of a piece that is now in the clipboard
 * @param paste     receives pasted HTML
 * @param pasteImage receives a pasted image file
 * @return {start, stop, onFrame}: `onFrame` has the listeners for messages of the preview's frame, by kind
 */
export function pieceKeys({ isOn, hasChosen, isInside, acts, format, undo, redo, chosenPart, onCopied, paste, pasteImage }) {
  /** Performs what a key does, if it can. @return true if so */
  function onKey({ key, isControl, isAlt }) {
    const name = (isControl ? CONTROL_KEYS : isAlt ? ALT_KEYS : KEYS).get(key);
    const isPossible = isOn() && name !== undefined && (hasChosen() || name === 'add');
    if (isPossible) {
      acts[name]();
    }
    return isPossible;
  }

  const isOurs = target => isOn() && !openDialog() && !target.closest?.(FIELDS)
    && (target === document.body || isInside(target));

  function onDocumentKey(event) {
    if (event.defaultPrevented || !isOurs(event.target) || event.target.closest?.('[popover]')) {
      return;
    }
    const isControl = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    const isPressed = event.target.closest?.('button') && ['Enter', ' '].includes(event.key);
    if (isControl && !isForBrowser(event) && Object.hasOwn(FORMATS, key)) {
      event.preventDefault();
      format(FORMATS[key]);
    } else if (isControl && ['z', 'y'].includes(key) && event.target !== document.body) { // there, the page's own listener acts
      event.preventDefault();
      (event.shiftKey || key === 'y' ? redo : undo)();
    } else if (!isPressed && !isForBrowser(event) && onKey({ key: isControl ? key : event.key, isControl, isAlt: event.altKey })) {
      event.preventDefault();
    }
  }

  /** Ends copying or cutting a piece that is in the clipboard; it is cut only if it is still the chosen one. @param type copy or cut */
  function finishCopy(type, { html, name }) {
    onCopied(name);
    if (type === 'cut' && chosenPart()?.html === html) {
      acts.remove();
    }
  }

  /** True for copying, cutting or pasting a piece, not the selected text of the page. */
  const isOfPiece = ({ target }) => isOurs(target) && getSelection().isCollapsed;

  function onDocumentCopy(event) {
    const part = isOfPiece(event) ? chosenPart() : null;
    if (part !== null) {
      event.preventDefault();
      event.clipboardData.setData('text/plain', part.html);
      finishCopy(event.type, part);
    }
  }

  function onDocumentPaste(event) {
    if (!isOfPiece(event)) {
      return;
    }
    event.preventDefault();
    const image = imageOf(event.clipboardData);
    if (image) {
      pasteImage(image);
    } else {
      paste(event.clipboardData.getData('text/plain'));
    }
  }

  /** Keys of the frame count only while the user is in it. */
  const isInFrame = () => document.activeElement?.tagName === 'IFRAME';

  /** Copies or cuts the chosen piece for the frame, which does not know it. @param type copy or cut */
  const copyByFrame = type => () => attempt(async () => {
    const part = isInFrame() ? chosenPart() : null;
    if (part !== null) {
      await copy(part.html);
      finishCopy(type, part);
    }
  });

  const listeners = Object.entries({ keydown: onDocumentKey, copy: onDocumentCopy, cut: onDocumentCopy, paste: onDocumentPaste });
  return {
    start: () => listeners.forEach(([type, run]) => document.addEventListener(type, run)),
    stop: () => listeners.forEach(([type, run]) => document.removeEventListener(type, run)),
    onFrame: {
      key: data => isInFrame() && onKey(data),
      copy: copyByFrame('copy'),
      cut: copyByFrame('cut'),
      paste: ({ data }) => isInFrame() && typeof data === 'string' && paste(data),
      filePaste: ({ file }) => isInFrame() && pasteImage(file),
    },
  };
}
