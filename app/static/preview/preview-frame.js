// The last part of the only script in a preview: reports clicks and edits to the page, and highlights what the page requests. It runs before
// the email's content.
(() => {
  'use strict';
  const { name, attribute, attributeOf, closest, isElement, isText, markOf, sourceOf, elementOf, textAt, selection, scroll, post } = frameDocument;
  const { parent: outer } = window;
  const root = document.documentElement;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet];

  const STYLE = `
    [${attribute}-shown] { outline: 2px solid #1c62c4 !important; outline-offset: -2px !important; }
    stet-text { white-space: pre-wrap !important; outline: 2px solid #d8432b !important; outline-offset: 2px !important;
      user-select: text !important; -webkit-user-select: text !important; cursor: text !important; min-width: 1ch !important; }`;
  const FORCED_DARK = 'img, video, [background] { filter: invert(1) hue-rotate(180deg) !important; }';
  sheet.replaceSync(STYLE);

  /** Several images that load together make one report. */
  const BOXES_DELAY_MILLIS = 10;
  /** Maximum number of characters in the messages about a clicked text, and about pasted text. */
  const MAX_REPORTED = 200;
  const MAX_PASTED = 200_000;

  let place = null; // scroll target, until the email has loaded or the user scrolls
  let pieces = null; // ranges of the pieces whose boxes the page wants
  let over = null; // number of the piece under the pointer
  let isAsked = false; // boxes will be sent in the next frame

  const { boxes, pieceOf, reset } = pieceBoxes;
  const { ask, edit, finish, reportFormat } = frameTexts;
  const { outline, show } = framePlaces;

  /** Keeps clicks, submits and drags from the email, except for clicks in its fields; reports a click. */
  function onClick(event) {
    const target = event.target;
    if (!isElement(target) || frameTexts.contains(target)) {
      return;
    }
    const link = closest(target, 'a, area');
    if (link || !closest(target, 'label, input, select, summary, textarea')) {
      event.preventDefault();
    }
    event.stopImmediatePropagation();
    if (event.type !== 'click') {
      return;
    }
    const text = textAt(event);
    reportClick(text && elementOf(text) ? text : target, link);
  }

  /** Reports a click on a node. @param link the link around it, or null */
  function reportClick(node, link) {
    const element = elementOf(node);
    post({
      kind: 'click', source: sourceOf(node), isText: isText(node), text: textOf(node).trim().slice(0, MAX_REPORTED),
      element: element && markOf(element), link: link && markOf(link), piece: pieceOf(node),
    });
    outline(pieces ? null : element);
  }

  // ---- pieces: the page draws their outlines above this frame

  /** Reports the boxes of the pieces, once for several changes at a time. */
  function reportBoxes() {
    if (pieces && !isAsked) {
      isAsked = true;
      setTimeout(() => {
        isAsked = false;
        if (pieces) {
          post({ kind: 'boxes', boxes: boxes(pieces) });
        }
      }, BOXES_DELAY_MILLIS);
    }
  }

  /** Reports the piece under the pointer, if it is another one than before. */
  function onOver(event) {
    if (pieces && !frameTexts.isEdited()) {
      const piece = isElement(event.target) ? pieceOf(event.target) : null;
      if (piece !== over) {
        over = piece;
        post({ kind: 'over', piece, x: event.clientX + scrollX, y: event.clientY + scrollY });
      }
    }
  }

  /** A text, or an image's alt text or file name; empty for other elements. */
  function textOf(node) {
    if (isText(node)) {
      return node.data;
    }
    const alternative = isElement(node) && attributeOf(node, 'alt')?.trim();
    const address = isElement(node) && attributeOf(node, 'src');
    return alternative || (address ? fileOf(address) || 'img' : '');
  }

  /** The file name in a URL; empty without one, as in a data URL. */
  function fileOf(address) {
    return address.startsWith('data:') ? '' : address.split(/[?#]/, 1)[0].split('/').pop();
  }

  function onDoubleClick(event) {
    const node = textAt(event);
    if (node && !frameTexts.isAsked()) {
      ask(node, event.clientX, event.clientY);
    }
  }

  const FORMATS = { b: 'strong', i: 'em', k: 'a' };
  /** Keys that act on the chosen piece; the page has what they do. */
  const CONTROL_KEYS = ['d'];
  const ALT_KEYS = ['ArrowUp', 'ArrowDown'];
  const KEYS = ['Delete', 'Backspace', 'Escape', '/', 'Enter', 'F2'];

  /** True for combinations that the browser needs, as in piecekeys.js. */
  const isForBrowser = ({ key, ctrlKey, metaKey, altKey, shiftKey }) =>
    (ctrlKey || metaKey) && (altKey || shiftKey) || shiftKey && key === 'Delete';

  /** Reports a key that acts on the chosen piece, such as Ctrl+D. */
  function reportKey(event) {
    const isControl = event.ctrlKey || event.metaKey;
    const key = isControl ? event.key.toLowerCase() : event.key;
    const keys = isControl ? CONTROL_KEYS : event.altKey ? ALT_KEYS : KEYS;
    if (keys.includes(key) && !isForBrowser(event)) {
      event.preventDefault();
      post({ kind: 'key', key, isControl, isAlt: !isControl && event.altKey });
    }
  }

  /**
   * Rich text that is pasted into an edited text goes to the page, which cleans it. Copying without a selection, cutting and pasting are of the
   * chosen piece, which only the page knows.
   */
  function onClipboard(event) {
    const isPaste = event.type === 'paste';
    if (frameTexts.isEdited()) {
      const rich = isPaste ? event.clipboardData.getData('text/html') : '';
      if (rich !== '') {
        event.preventDefault();
        reportFormat('paste', { html: rich.slice(0, MAX_PASTED) });
      }
    } else if (pieces && (isPaste || selection().isCollapsed)) {
      event.preventDefault();
      post({ kind: event.type, data: isPaste ? event.clipboardData.getData('text/plain').slice(0, MAX_PASTED) : null });
    }
  }

  function onKey(event) {
    const isControl = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (frameTexts.isEdited() && !event.isComposing && (key === 'escape' || key === 'enter')) {
      event.preventDefault();
      onEndKey(event);
    } else if (isControl && !isForBrowser(event) && pieces && Object.hasOwn(FORMATS, key)) {
      event.preventDefault();
      reportFormat(FORMATS[key]);
    } else if (isControl && key === 's') {
      event.preventDefault();
      finish(true);
      post({ kind: 'save' });
    } else if (isControl && (key === 'z' || key === 'y') && !frameTexts.isAsked()) {
      event.preventDefault();
      post({ kind: event.shiftKey || key === 'y' ? 'redo' : 'undo' });
    } else if (pieces && !frameTexts.isAsked()) {
      reportKey(event);
    }
  }

  /** Ends a line or the editing of a text. */
  function onEndKey({ key, shiftKey }) {
    if (key === 'Enter' && shiftKey && pieces) {
      reportFormat('br');
    } else {
      finish(key === 'Enter');
    }
  }

  /** The page's messages, by kind. */
  const ACTIONS = {
    begin({ x, y, forcedDark }) {
      sheet.replaceSync(forcedDark ? STYLE + FORCED_DARK : STYLE);
      if (x !== undefined) {
        place = { x, y };
        scroll(x, y);
      }
    },
    show: ({ at }) => show(at),
    hide: () => outline(null),
    edit() {
      if (frameTexts.isAsked() && !frameTexts.isEdited()) {
        edit();
      }
    },
    pieces({ ranges }) {
      pieces = ranges;
      reset();
      over = null;
      outline(null);
      reportBoxes();
    },
    scrollBy: ({ y }) => scroll(scrollX, scrollY + y),
    scrollTo: ({ y }) => scroll(scrollX, y),
    format: ({ as }) => reportFormat(as),
    refuse: () => frameTexts.refuse(),
    editAt({ at }) {
      const text = framePlaces.textFrom(at);
      if (text) {
        ask(text);
      } else {
        post({ kind: 'none' });
      }
    },
  };

  function onMessage(event) {
    if (event.source === outer) {
      event.stopImmediatePropagation();
      ACTIONS[event.data.kind]?.(event.data);
    }
  }

  addEventListener('message', onMessage, true);
  for (const type of ['click', 'auxclick', 'submit', 'dragstart']) {
    addEventListener(type, onClick, true);
  }
  addEventListener('dblclick', onDoubleClick, true);
  addEventListener('keydown', onKey, true);
  addEventListener('wheel', () => { place = null; }, { capture: true, passive: true });
  for (const type of ['copy', 'cut', 'paste']) {
    addEventListener(type, onClipboard, true);
  }
  addEventListener('pointermove', onOver, { capture: true, passive: true });
  root.addEventListener('pointerleave', () => {
    over = null;
    post({ kind: 'over', piece: null, x: 0, y: 0 });
  });
  addEventListener('resize', reportBoxes);
  addEventListener('load', reportBoxes, true); // also of images
  addEventListener('scroll', () => post({ kind: 'scroll', x: scrollX, y: scrollY }), true);
  addEventListener('DOMContentLoaded', () => {
    framePlaces.reset();
    post({ kind: 'ready' });
  }, { once: true });
  addEventListener('load', () => {
    if (place) {
      scroll(place.x, place.y);
      place = null;
    }
  }, { once: true });
})();
