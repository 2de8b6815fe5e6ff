// Part of the script in a preview: outlines and scrolls to places of the source.
const framePlaces = (() => {
  const {
    attribute, setAttribute, removeAttribute, parentOf, after, rectangle, createRange, createWalker, scroll, isElement, isText, markOf, elementOf,
    lastUpTo,
  } = frameDocument;
  /** Least height in px that is seen of a text or element. */
  const SEEN = 20;

  let shown = null;
  let marks = null;

  /** Outlines an element instead of the one before; null for none. */
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

  /** Outlines and scrolls to the content at or before a place in the draft; without any that is visible, removes the outline. */
  function show(at) {
    marks ??= read();
    let first = lastUpTo(marks, at);
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
    if (bottom < 0 || top > innerHeight - SEEN) {
      scroll(scrollX, Math.max(0, scrollY + top - innerHeight / 3));
    }
  }

  /** The text that begins at a place, or null. */
  function textFrom(at) {
    marks ??= read();
    const mark = marks.find(each => each.from === at && !isElement(each.node));
    const text = mark ? after(mark.node) : null;
    return text && isText(text) ? text : null;
  }

  return {
    outline, show, textFrom,
    /** Marks read during parsing are incomplete. */
    reset() {
      marks = null;
    },
  };
})();
