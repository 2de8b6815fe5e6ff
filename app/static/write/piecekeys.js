// Keys that act on the chosen piece, and copying and pasting it, from this page and from the preview's frame.
import { attempt } from '../frame/dialog.js';
import { imageOf } from '../images/upload.js';

const FIELDS = 'input, textarea, select, [contenteditable], .CodeMirror';
const FORMATS = { b: 'strong', i: 'em', k: 'a' };

/**
 * @param isOn      returns true while the pieces are shown
 * @param hasChosen returns true if a piece is chosen
 * @param isInside  returns true for elements where the keys apply
 * @param acts      what the keys do: {duplicate, remove, up, down, add, edit, leave}
 * @param format    formats the selection in the preview
 * @param copy      returns the HTML of the chosen piece, or null
 * @param paste     receives pasted HTML
 * @param pasteImage receives a pasted image file
 */
export function pieceKeys({ isOn, hasChosen, isInside, acts, format, undo, redo, copy, onCopied, paste, pasteImage }) {
  /** @return true if the key was used */
  function onKey({ key, isControl, isAlt }) {
    const name = isControl ? { d: 'duplicate' }[key]
      : isAlt ? { ArrowUp: 'up', ArrowDown: 'down' }[key]
        : { Delete: 'remove', Backspace: 'remove', '/': 'add', Enter: 'edit', F2: 'edit', Escape: 'leave' }[key];
    if (!isOn() || !name || !hasChosen() && name !== 'add') {
      return false;
    }
    acts[name]();
    return true;
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
    } else if (isControl && 'zy'.includes(key) && event.target !== document.body) {
      event.preventDefault();
      (event.shiftKey || key === 'y' ? redo : undo)();
    } else if (!isPressed && onKey({ key: isControl ? key : event.key, isControl, isAlt: event.altKey })) {
      event.preventDefault();
    }
  }

  /** @param write puts text into the clipboard */
  function onCopy(name, write) {
    const text = copy();
    if (text !== null) {
      write(text);
      onCopied();
      if (name === 'cut') {
        acts.remove();
      }
    }
    return text !== null;
  }

  function onDocumentClipboard(event) {
    if (!isOurs(event.target) || !getSelection().isCollapsed) {
      return;
    }
    if (event.type === 'paste' && imageOf(event.clipboardData)) {
      event.preventDefault();
      pasteImage(imageOf(event.clipboardData));
    } else if (event.type === 'paste') {
      event.preventDefault();
      paste(event.clipboardData.getData('text/plain'));
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
    /** Receives the messages of the preview's frame. */
    told: {
      key: data => isInFrame() && onKey(data),
      copy: byFrame('copy'),
      cut: byFrame('cut'),
      paste: ({ data }) => isInFrame() && typeof data === 'string' && paste(data),
      filePaste: ({ file }) => isInFrame() && pasteImage(file),
    },
  };
}
