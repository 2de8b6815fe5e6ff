// The only script in a preview: reports clicks and edits to the page, and highlights what the page requests. It runs before the
// email's content and saves the document functions it needs, because elements of an email can shadow them by name.
(() => {
  'use strict';
  const unbound = method => Function.prototype.call.bind(method);
  const getter = (type, name) => unbound(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  const { document, parent: outer } = window;
  const name = document.currentScript.dataset.name;
  const attribute = 'data-' + name;
  const attributeOf = unbound(Element.prototype.getAttribute);
  const setAttribute = unbound(Element.prototype.setAttribute);
  const removeAttribute = unbound(Element.prototype.removeAttribute);
  const closest = unbound(Element.prototype.closest);
  const parentOf = getter(Node, 'parentNode');
  const before = getter(Node, 'previousSibling');
  const after = getter(Node, 'nextSibling');
  const typeOf = getter(Node, 'nodeType');
  const rectangle = unbound(Element.prototype.getBoundingClientRect);
  const createElement = document.createElement.bind(document);
  const createText = document.createTextNode.bind(document);
  const createRange = document.createRange.bind(document);
  const createWalker = document.createTreeWalker.bind(document);
  const selection = document.getSelection.bind(document);
  const rangeAt = document.caretRangeFromPoint?.bind(document);
  const positionAt = document.caretPositionFromPoint?.bind(document);
  const styleOf = window.getComputedStyle.bind(window);
  const scroll = window.scrollTo.bind(window);
  const command = document.execCommand.bind(document);
  const root = document.documentElement;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet];
  document.currentScript.remove();

  const STYLE = `
    [${attribute}-shown] { outline: 2px solid #1c62c4 !important; outline-offset: -2px !important; }
    stet-text { white-space: pre-wrap !important; outline: 2px solid #d8432b !important; outline-offset: 2px !important;
      user-select: text !important; -webkit-user-select: text !important; cursor: text !important; min-width: 1ch !important; }`;
  const FORCED_DARK = 'img, video, [background] { filter: invert(1) hue-rotate(180deg) !important; }';
  sheet.replaceSync(STYLE);

  /** Several images that load together make one report. */
  const BOXES_DELAY_MILLIS = 10;

  let edited = null; // {span, node, text}: the text that is or will be edited
  let shown = null;
  let marks = null;
  let place = null; // scroll target, until the email has loaded or the user scrolls
  let pieces = null; // {id, ranges}: the pieces whose boxes the page wants
  let over = null; // the marked element under the pointer
  let isAsked = false; // boxes will be sent in the next frame

  const say = message => outer.postMessage({ stet: name, ...message }, '*');
  const isElement = node => typeOf(node) === Node.ELEMENT_NODE;
  const isText = node => typeOf(node) === Node.TEXT_NODE;

  /** The mark of an element or comment, or null. */
  function markOf(node) {
    if (isElement(node)) {
      return attributeOf(node, attribute);
    }
    const isOurs = typeOf(node) === Node.COMMENT_NODE && node.data.startsWith(name + ' ');
    return isOurs ? node.data.slice(name.length + 1) : null;
  }

  /** The mark for a node's source: the mark of the node, of the preceding text or value, or of an ancestor. */
  function sourceOf(node) {
    for (let each = node; each && each !== document; each = parentOf(each)) {
      const own = isElement(each) ? markOf(each) : null;
      if (own) {
        return own;
      }
      for (let sibling = before(each); sibling; sibling = before(sibling)) {
        const mark = markOf(sibling);
        if (mark && isElement(sibling)) {
          break;
        }
        if (mark) {
          return mark;
        }
      }
    }
    return null;
  }

  const { boxes, pieceOf, reset } = pieceBoxes({ createWalker, createRange, markOf, isElement, isText, parentOf, after, rectangle });

  /** The nearest element with a mark. */
  function elementOf(node) {
    let each = node;
    while (each && !(isElement(each) && markOf(each))) {
      each = parentOf(each);
    }
    return each;
  }

  function caretAt(x, y) {
    if (rangeAt) {
      const range = rangeAt(x, y);
      return range && { node: range.startContainer, offset: range.startOffset };
    }
    const position = positionAt?.(x, y);
    return position && { node: position.offsetNode, offset: position.offset };
  }

  /** The text under the pointer, or null. */
  function textAt(event) {
    const node = caretAt(event.clientX, event.clientY)?.node;
    if (!node || !isText(node) || node.data.trim() === '') {
      return null;
    }
    const box = createRange();
    box.selectNodeContents(node);
    const near = [...box.getClientRects()].some(each => event.clientX >= each.left - 2 && event.clientX <= each.right + 2
      && event.clientY >= each.top - 2 && event.clientY <= each.bottom + 2);
    return near ? node : null;
  }

  function onClick(event) {
    const target = event.target;
    if (!isElement(target) || edited?.span?.contains(target)) {
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
    tell(text && elementOf(text) ? text : target, link);
  }

  function tell(node, link) {
    const element = elementOf(node);
    say({
      kind: 'click', source: sourceOf(node), isText: isText(node), text: textOf(node).trim().slice(0, 200), element: element && markOf(element),
      link: link && markOf(link), piece: pieceOf(node),
    });
    outline(pieces ? null : element);
  }

  // ---- pieces: the page draws their outlines above this frame

  function tellBoxes() {
    if (pieces && !isAsked) {
      isAsked = true;
      setTimeout(() => {
        isAsked = false;
        if (pieces) {
          say({ kind: 'boxes', id: pieces.id, boxes: boxes(pieces.ranges), height: root.scrollHeight });
        }
      }, BOXES_DELAY_MILLIS);
    }
  }

  function onOver(event) {
    if (pieces && !edited?.span) {
      const piece = isElement(event.target) ? pieceOf(event.target) : null;
      if (piece !== over) {
        over = piece;
        say({ kind: 'over', id: pieces.id, piece, x: event.clientX + scrollX, y: event.clientY + scrollY });
      }
    }
  }

  /** The two ends of the selection in texts, in order: [{node, offset}]; null if nothing is selected. */
  function selectedEnds() {
    if (selection().isCollapsed || selection().rangeCount === 0) {
      return null;
    }
    const range = selection().getRangeAt(0);
    const { startContainer, startOffset, endContainer, endOffset } = range;
    const texts = [];
    const walker = createWalker(range.commonAncestorContainer, NodeFilter.SHOW_TEXT);
    for (let node = isText(walker.root) ? walker.root : walker.nextNode(); node; node = walker.nextNode()) {
      const isOutside = node === startContainer && startOffset === node.data.length || node === endContainer && endOffset === 0;
      if (!isOutside && range.intersectsNode(node) && node.data.trim() !== '') {
        texts.push(node);
      }
    }
    const [first, last] = [texts[0], texts.at(-1)];
    return first ? [{ node: first, offset: first === startContainer ? startOffset : 0 }, { node: last, offset: last === endContainer ? endOffset : last.data.length }] : null;
  }

  /** An end of the selection, as {source, text, keeps, at}: `at` counts characters of the text as told. */
  function toldEnd({ node, offset }) {
    const keeps = styleOf(parentOf(node)).whiteSpace.startsWith('pre');
    const flat = text => keeps ? text : text.replace(/[ \t\n\r\f]+/g, ' ');
    const [, lead, core] = /^(\s*)([^]*?)\s*$/.exec(node.data);
    return { source: sourceOf(node), text: flat(core), keeps, at: flat(core.slice(0, Math.max(0, offset - lead.length))).length };
  }

  /**
   * Tells the page to format the selected part of a text, to break a line or to insert HTML at the cursor. A text that is being edited is
   * written first. `from` and `to` count characters of the text as told.
   */
  function tellFormat(as, more = {}) {
    if (edited?.span) {
      const { anchorNode, anchorOffset, focusNode, focusOffset } = selection();
      const [from, to] = [[anchorNode, anchorOffset], [focusNode, focusOffset]].map(([node, offset]) => {
        const range = createRange();
        range.selectNodeContents(edited.span);
        range.setEnd(node, offset);
        return range.toString().length;
      }).sort((one, other) => one - other);
      finish(true, { as, from, to, ...more });
      return;
    }
    say({ kind: 'format', as, ends: selectedEnds()?.map(toldEnd) ?? null, ...more });
  }

  /** A text, or an image's alt text or file name. */
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
    if (node && !edited) {
      ask(node, event.clientX, event.clientY);
    }
  }

  /** Asks whether a text appears unchanged in the source. */
  function ask(node, x, y) {
    const keeps = styleOf(parentOf(node)).whiteSpace.startsWith('pre');
    const [, lead, core, rest] = /^(\s*)([^]*?)(\s*)$/.exec(node.data);
    const text = keeps ? core : core.replace(/[ \t\n\r\f]+/g, ' ');
    edited = { node, lead, text, rest, keeps, x, y };
    say({ kind: 'ask', source: sourceOf(node), text, keeps });
  }

  function edit() {
    const { node, lead, text, rest, x, y } = edited;
    const span = createElement('stet-text');
    span.append(text);
    try {
      span.contentEditable = 'plaintext-only';
    } catch {
      span.contentEditable = 'true';
    }
    span.setAttribute('role', 'textbox');
    span.setAttribute('aria-label', 'Email text');
    span.spellcheck = false;
    Object.assign(edited, { span, around: [createText(lead), createText(rest)] });
    node.replaceWith(edited.around[0], span, edited.around[1]);
    span.focus();
    const caret = x === undefined ? null : caretAt(x, y);
    if (caret && span.contains(caret.node)) {
      selection().collapse(caret.node, caret.offset);
    } else {
      selection().selectAllChildren(span);
    }
    span.addEventListener('blur', () => finish(true));
  }

  /** @param format what to do with a part of the text, once written */
  function finish(isKept, format) {
    if (!edited?.span) {
      return;
    }
    const { span, node, lead, text, rest, keeps, around } = edited;
    const source = sourceOf(span);
    const now = span.textContent.replaceAll('\u00a0', char => text.includes(char) ? char : ' ');
    edited = null;
    const isChanged = isKept && now !== text;
    around.forEach(each => each.remove());
    span.replaceWith(isChanged ? createText(lead + now + rest) : node); // one node again, which can be edited again
    say({ kind: 'edited', source, text, now: isChanged ? now : null, keeps, ...format && { format: { ...format, text: now } } });
  }

  const FORMATS = { b: 'strong', i: 'em', k: 'a' };
  /** Keys that act on the chosen piece. */
  const KEYS = ['Delete', 'Backspace', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Escape', '/', 'Enter', 'F2'];

  /** Tells a key that acts on the chosen piece. */
  function tellKey(event) {
    const isControl = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (isControl && 'dxcv'.includes(key) && key.length === 1) {
      if (key === 'd') {
        event.preventDefault();
        say({ kind: 'key', key, isControl, isAlt: false });
      }
    } else if (KEYS.includes(event.key) && !isControl && (event.altKey || !/^Arrow/.test(event.key))) {
      event.preventDefault();
      say({ kind: 'key', key: event.key, isControl: false, isAlt: event.altKey });
    }
  }

  /** Copying without a selection copies the chosen piece, which only the page knows. */
  function onClipboard(event) {
    if (edited?.span) {
      if (event.type === 'paste') {
        const rich = event.clipboardData.getData('text/html');
        if (rich !== '') {
          event.preventDefault();
          tellFormat('paste', { html: rich.slice(0, 200_000) });
        }
      }
    } else if (pieces && (event.type === 'paste' || selection().isCollapsed)) {
      event.preventDefault();
      say({ kind: event.type, data: event.type === 'paste' ? event.clipboardData.getData('text/plain').slice(0, 200_000) : null });
    }
  }

  function onKey(event) {
    if (edited?.span && !event.isComposing && (event.key === 'Escape' || event.key === 'Enter')) {
      event.preventDefault();
      if (event.key === 'Enter' && event.shiftKey && pieces) {
        tellFormat('br');
      } else {
        finish(event.key === 'Enter');
      }
    } else if ((event.ctrlKey || event.metaKey) && !event.altKey && pieces && Object.hasOwn(FORMATS, event.key.toLowerCase())) {
      event.preventDefault();
      tellFormat(FORMATS[event.key.toLowerCase()]);
    } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
      event.preventDefault();
      finish(true);
      say({ kind: 'save' });
    } else if ((event.ctrlKey || event.metaKey) && /^[zy]$/i.test(event.key) && !edited) {
      event.preventDefault();
      say({ kind: event.shiftKey || event.key === 'y' ? 'redo' : 'undo' });
    } else if (pieces && !edited) {
      tellKey(event);
    }
  }

  function outline(element) {
    if (shown) {
      removeAttribute(shown, attribute + '-shown');
    }
    shown = element;
    if (shown) {
      setAttribute(shown, attribute + '-shown', '');
    }
  }

  /** All marks that refer to the draft, in order: {from, to, node}. */
  function read() {
    const walker = createWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT);
    const found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const mark = markOf(node);
      const numbers = mark && /^[etv] (\d+) (\d+)$/.exec(mark);
      if (numbers) {
        found.push({ from: Number(numbers[1]), to: Number(numbers[2]), node });
      }
    }
    return found.sort((one, other) => one.from - other.from);
  }

  /** Outlines and scrolls to the content at or before a place in the draft. */
  function show(at) {
    marks ??= read();
    let low = 0;
    for (let high = marks.length; low < high;) {
      const middle = low + high >> 1;
      if (marks[middle].from <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    let first = low - 1;
    while (first > 0 && marks[first - 1].from === marks[first].from) {
      first--; // the first repetition in a section
    }
    const node = marks[first]?.node;
    const element = node && elementOf(isElement(node) ? node : parentOf(node));
    const box = element && rectangle(element);
    if (!box || box.width + box.height === 0) {
      outline(null);
      return;
    }
    outline(element);
    const text = isElement(node) ? null : after(node);
    const range = createRange();
    range.selectNode(text ?? node);
    const { top, bottom } = text ? range.getBoundingClientRect() : box;
    if (bottom < 0 || top > innerHeight - 20) {
      scroll(scrollX, Math.max(0, scrollY + top - innerHeight / 3));
    }
  }

  function onMessage(event) {
    if (event.source !== outer) {
      return;
    }
    event.stopImmediatePropagation();
    const { kind, at, x, y, forcedDark, id, ranges, as, text: typed } = event.data;
    if (kind === 'begin') {
      sheet.replaceSync(forcedDark ? STYLE + FORCED_DARK : STYLE);
      if (x !== undefined) {
        place = { x, y };
        scroll(x, y);
      }
    } else if (kind === 'show') {
      show(at);
    } else if (kind === 'hide') {
      outline(null);
    } else if (kind === 'edit') {
      if (edited && !edited.span) {
        edit();
      }
    } else if (kind === 'pieces') {
      pieces = ranges === null ? null : { id, ranges };
      reset();
      over = null;
      outline(null);
      tellBoxes();
    } else if (kind === 'scrollBy') {
      scroll(scrollX, scrollY + y);
    } else if (kind === 'scrollTo') {
      scroll(scrollX, y);
    } else if (kind === 'format') {
      tellFormat(as);
    } else if (kind === 'type') {
      if (edited?.span) {
        command('insertText', false, typed);
      }
    } else if (kind === 'refuse') {
      edited = null;
    } else if (kind === 'editAt') {
      marks ??= read();
      const text = after(marks.find(mark => mark.from === at && !isElement(mark.node))?.node ?? document);
      if (text && isText(text)) {
        ask(text);
      } else {
        say({ kind: 'none' });
      }
    }
  }

  imageFiles({ isElement, closest, isEdited: () => Boolean(edited?.span), say });
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
    say({ kind: 'over', id: pieces?.id, piece: null, x: 0, y: 0 });
  });
  addEventListener('resize', tellBoxes);
  addEventListener('load', tellBoxes, true); // also of images
  addEventListener('scroll', () => say({ kind: 'scroll', x: scrollX, y: scrollY }), true);
  addEventListener('DOMContentLoaded', () => {
    marks = null; // marks read during parsing are incomplete
    say({ kind: 'ready' });
  }, { once: true });
  addEventListener('load', () => {
    if (place) {
      scroll(place.x, place.y);
      place = null;
    }
  }, { once: true });
})();
