// Keys that act on the chosen piece, and copying and pasting it, from this page and from the preview's frame.
import { attempt } from '../frame/dialog.js';
import { imageOf } from '../images/upload.js';

const FIELDS = 'input, textarea, select, [contenteditable], .CodeMirror';
const FORMATS = { b: 'strong', i: 'em', k: 'a' };
/** Names of the acts, by key. */
const CONTROL_KEYS = new Map([['d', 'duplicate']]);
const ALT_KEYS = new Map([['ArrowUp', 'up'], ['ArrowDown', 'down']]);
const KEYS = new Map([['Delete', 'remove'], ['Backspace', 'remove'], ['/', 'add'], ['Enter', 'edit'], ['F2', 'edit'], ['Escape', 'leave']]);

/**
 * @param isOn      returns true while the pieces are shown
 * @param hasChosen returns true if a piece is chosen
 * @param isInside  returns true for elements where the keys apply
 * @param acts      what the keys do: {duplicate, remove, up, down, add, edit, leave}
 * @param format    formats the selection in the preview
 * @param undo      undoes the last change; `redo` repeats it
 * @param copy      returns the HTML of the chosen piece, or null
 * @param onCopied  runs once it is in the clipboard
 * @param paste     receives pasted HTML
 * @param pasteImage receives a pasted image file
 * @return {start, stop, onFrame}: `onFrame` has the listeners for messages of the preview's frame, by kind
 */
export function pieceKeys({ isOn, hasChosen, isInside, acts, format, undo, redo, copy, onCopied, paste, pasteImage }) {
  /** @return true if the key was used */
  function onKey({ key, isControl, isAlt }) {
    const name = (isControl ? CONTROL_KEYS : isAlt ? ALT_KEYS : KEYS).get(key);
    const isPossible = isOn() && name !== undefined && (hasChosen() || name === 'add');
    if (isPossible) {
      acts[name]();
    }
    return isPossible;
  }

  const isOurs = target => isOn() && !document.querySelector('dialog[open]') && !target.closest?.(FIELDS)
    && (target === document.body || isInside(target));

  function onDocumentKey(event) {
    if (event.defaultPrevented || !isOurs(event.target) || event.target.closest?.('[popover]')) {
      return;
    }
    const isControl = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    const isPressed = event.target.closest?.('button') && ['Enter', ' '].includes(event.key);
    if (isControl && !event.altKey && Object.hasOwn(FORMATS, key)) {
      event.preventDefault();
      format(FORMATS[key]);
    } else if (isControl && 'zy'.includes(key) && event.target !== document.body) { // there, the page's own listener acts
      event.preventDefault();
      (event.shiftKey || key === 'y' ? redo : undo)();
    } else if (!isPressed && onKey({ key: isControl ? key : event.key, isControl, isAlt: event.altKey })) {
      event.preventDefault();
    }
  }

  /**
   * Copies or cuts the chosen piece.
   *
   * @param type  copy or cut
   * @param write puts text into the clipboard
   * @return true if there was one
   */
  function onCopy(type, write) {
    const text = copy();
    if (text === null) {
      return false;
    }
    write(text);
    onCopied();
    if (type === 'cut') {
      acts.remove();
    }
    return true;
  }

  function onDocumentClipboard(event) {
    if (!isOurs(event.target) || !getSelection().isCollapsed) {
      return;
    }
    if (event.type === 'paste') {
      event.preventDefault();
      const image = imageOf(event.clipboardData);
      if (image) {
        pasteImage(image);
      } else {
        paste(event.clipboardData.getData('text/plain'));
      }
    } else if (onCopy(event.type, text => event.clipboardData.setData('text/plain', text))) {
      event.preventDefault();
    }
  }

  /** Keys of the frame count only while the user is in it. */
  const isInFrame = () => document.activeElement?.tagName === 'IFRAME';
  const byFrame = name => () => isInFrame() && onCopy(name, text => attempt(() => navigator.clipboard.writeText(text)));

  return {
    start() {
      document.addEventListener('keydown', onDocumentKey);
      ['copy', 'cut', 'paste'].forEach(name => document.addEventListener(name, onDocumentClipboard));
    },
    stop() {
      document.removeEventListener('keydown', onDocumentKey);
      ['copy', 'cut', 'paste'].forEach(name => document.removeEventListener(name, onDocumentClipboard));
    },
    onFrame: {
      key: data => isInFrame() && onKey(data),
      copy: byFrame('copy'),
      cut: byFrame('cut'),
      paste: ({ data }) => isInFrame() && typeof data === 'string' && paste(data),
      filePaste: ({ file }) => isInFrame() && pasteImage(file),
    },
  };
}
