// Part of the script in a preview, the first: functions of the document, saved before the email's content comes, because its elements can
// shadow them by name, and what the marks of the source say.
const frameDocument = (() => {
  const unbound = method => Function.prototype.call.bind(method);
  const getter = (type, name) => unbound(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  const { document } = window;
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
  document.currentScript.remove();
  /** Distance in px between the pointer and a text that it is on. */
  const NEAR = 2;

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

  /** The node, if it is an element with a mark, or the nearest such element around it; null if there is none. */
  function elementOf(node) {
    let each = node;
    while (each && !(isElement(each) && markOf(each))) {
      each = parentOf(each);
    }
    return each;
  }

  /** The {node, offset} at a point of the window, or null. */
  function caretAt(x, y) {
    if (rangeAt) {
      const range = rangeAt(x, y);
      return range && { node: range.startContainer, offset: range.startOffset };
    }
    const position = positionAt?.(x, y) ?? null;
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
    const near = [...box.getClientRects()].some(each => event.clientX >= each.left - NEAR && event.clientX <= each.right + NEAR
      && event.clientY >= each.top - NEAR && event.clientY <= each.bottom + NEAR);
    return near ? node : null;
  }

  /**
   * A text node in parts: {lead, core, text, rest, keeps}. `lead` and `rest` are the whitespace around it, `core` is without it, `text` is
   * `core` as it is shown. `keeps` is true if its whitespace is shown as written.
   */
  function shownText(node) {
    const keeps = styleOf(parentOf(node)).whiteSpace.startsWith('pre');
    const [, lead, core, rest] = /^(\s*)([^]*?)(\s*)$/.exec(node.data);
    return { lead, core, text: flat(core, keeps), rest, keeps };
  }

  /** A text with whitespace as it is shown. @param keeps true if that is as written */
  const flat = (text, keeps) => keeps ? text : text.replace(/[ \t\n\r\f]+/g, ' ');

  /** Index of the last of these ranges, which are in order, that begins at or before a place; -1 if there is none. */
  function lastUpTo(ranges, place) {
    let low = 0;
    for (let high = ranges.length; low < high;) {
      const middle = low + high >> 1;
      if (ranges[middle].from <= place) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  return {
    name, attribute, setAttribute, removeAttribute, attributeOf, closest, parentOf, after, rectangle, createElement, createText, createRange,
    createWalker, selection, scroll, isElement, isText, markOf, sourceOf, elementOf, caretAt, textAt, shownText, flat, lastUpTo,
    post: message => window.parent.postMessage({ stet: name, ...message }, '*'),
  };
})();
