// Part of the script in a preview: where the pieces of the email are.
const pieceBoxes = (() => {
  const { createWalker, createRange, markOf, isElement, isText, parentOf, after, rectangle, lastUpTo } = frameDocument;
  /** Maximum number of boxes reported, and of pieces inside each other. */
  const MAX_BOXES = 5_000;
  const MAX_DEPTH = 60;

  let ranges = []; // the pieces, in order: {from, to, parent, isList, block}
  let owners = null; // innermost piece of each marked node

  /**
   * The boxes of the pieces, in px of the document: {piece, x, y, width, height}, an entry for each time that a piece is shown. A repeated
   * piece begins again at its first mark; a list is one box around all its rows. `pieceOf` then knows these pieces.
   */
  function boxes(inOrder) {
    ranges = inOrder;
    owners = new Map();
    const open = new Map(); // the present entry of each piece
    const all = [];
    for (const { node, from, block } of marked()) {
      const inner = block ? blockAt(block, from) : innermost(from);
      if (inner < 0) {
        continue;
      }
      const owner = isElement(node) ? node : after(node);
      if (owner) {
        owners.set(owner, inner);
      }
      const box = boxOf(node);
      for (let i = inner, depth = 0; i >= 0 && depth < MAX_DEPTH; i = ranges[i].parent, depth++) {
        const present = open.get(i);
        const isRepeated = present && !ranges[i].isList && !block && from === present.first;
        if (!present || isRepeated) {
          const entry = { piece: i, first: from, box: null };
          open.set(i, entry);
          all.push(entry);
        }
        if (box) {
          open.get(i).box = joined(open.get(i).box, box);
        }
      }
    }
    return all.filter(entry => entry.box).slice(0, MAX_BOXES).map(({ piece, box }) => ({
      piece, x: box.left + scrollX, y: box.top + scrollY, width: box.right - box.left, height: box.bottom - box.top,
    }));
  }

  /**
   * The marked nodes in order: {node, from, block}. A node of a shared block has the block's name, and the last place of the draft before it. Leaves
   * out elements of a shared block that are around parts of the draft.
   */
  function marked() {
    const found = [];
    const around = new Set();
    const walker = createWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT);
    let from = -1;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const mark = markOf(node);
      const begins = mark && /^[etv] (\d+) \d+$/.exec(mark);
      const block = mark && /^b (.+)$/.exec(mark);
      if (begins) {
        from = Number(begins[1]);
        found.push({ node, from, block: null });
        for (let each = parentOf(node); each && !around.has(each); each = parentOf(each)) {
          around.add(each);
        }
      } else if (block) {
        found.push({ node, from, block: block[1] });
      }
    }
    return found.filter(({ node, block }) => !block || !around.has(node));
  }

  /** The innermost piece that contains a place, or -1. Ranges are in order of their begins, outer ones first. */
  function innermost(place) {
    let at = lastUpTo(ranges, place);
    while (at >= 0 && ranges[at].to <= place) {
      at = ranges[at].parent;
    }
    return at;
  }

  /** The shared block of this name at or after a place, else its first one; -1 if there is none. */
  function blockAt(name, place) {
    const next = ranges.findIndex(range => range.block === name && range.from >= place);
    return next >= 0 ? next : ranges.findIndex(range => range.block === name);
  }

  /** The box of an element, or of the text after a comment; null if it is not seen. */
  function boxOf(node) {
    let box;
    if (isElement(node)) {
      box = rectangle(node);
    } else if (after(node) && isText(after(node))) {
      const range = createRange();
      range.selectNode(after(node));
      box = range.getBoundingClientRect();
    }
    return box && box.width + box.height > 0 ? box : null;
  }

  const joined = (one, other) => one === null ? other : {
    left: Math.min(one.left, other.left), top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right), bottom: Math.max(one.bottom, other.bottom),
  };

  /** The innermost piece of a node; null if there is none or `boxes` has not been called since the last reset. */
  function pieceOf(node) {
    for (let each = node; owners && each && each !== document; each = parentOf(each)) {
      if (owners.has(each)) {
        return owners.get(each);
      }
    }
    return null;
  }

  return {
    boxes, pieceOf,
    reset() {
      owners = null;
    },
  };
})();
