// Part of the script in a preview: the text that is edited in place, and the selected words to format.
const frameTexts = (() => {
  const { createElement, createText, createRange, createWalker, selection, isText, sourceOf, caretAt, shownText, flat, post } = frameDocument;

  let edited = null; // the text that is or will be edited: {node, x, y}, its parts and, once it is, {span, around}

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
    if (texts.length === 0) {
      return null;
    }
    const [first, last] = [texts[0], texts.at(-1)];
    return [
      { node: first, offset: first === startContainer ? startOffset : 0 },
      { node: last, offset: last === endContainer ? endOffset : last.data.length },
    ];
  }

  /** An end of the selection, as {source, text, keeps, at}: `at` counts characters of the text as reported. */
  function reportedEnd({ node, offset }) {
    const { lead, core, text, keeps } = shownText(node);
    return { source: sourceOf(node), text, keeps, at: flat(core.slice(0, Math.max(0, offset - lead.length)), keeps).length };
  }

  /**
   * Asks the page to format the selected part of a text, to break a line or to insert HTML at the cursor. A text that is being edited is
   * written first. `from` and `to` count characters of the text as reported.
   *
   * @param as   strong, em, a, br, variable or paste
   * @param more further properties of the message: {html} for paste
   */
  function reportFormat(as, more = {}) {
    if (edited?.span) {
      const { anchorNode, anchorOffset, focusNode, focusOffset } = selection();
      const [from, to] = [lengthTo(anchorNode, anchorOffset), lengthTo(focusNode, focusOffset)].sort((one, other) => one - other);
      finish(true, { as, from, to, ...more });
      return;
    }
    post({ kind: 'format', as, ends: selectedEnds()?.map(reportedEnd) ?? null, ...more });
  }

  /** Number of characters of the edited text before a place in it. */
  function lengthTo(node, offset) {
    const range = createRange();
    range.selectNodeContents(edited.span);
    range.setEnd(node, offset);
    return range.toString().length;
  }

  /** Asks whether a text appears unchanged in the source. @param x, y where the caret is to be; undefined to select all */
  function ask(node, x, y) {
    edited = { node, x, y, ...shownText(node) };
    post({ kind: 'ask', source: sourceOf(node), text: edited.text, keeps: edited.keeps });
  }

  /** Begins to edit the text that was asked for. */
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

  /**
   * Ends the editing.
   *
   * @param isApplied false to discard what was typed
   * @param format what to do with a part of the text, once written; undefined for nothing
   */
  function finish(isApplied, format) {
    if (!edited?.span) {
      return;
    }
    const { span, node, lead, text, rest, keeps, around } = edited;
    const source = sourceOf(span);
    const typed = span.textContent.replaceAll('\u00a0', char => text.includes(char) ? char : ' ');
    edited = null;
    const isChanged = isApplied && typed !== text;
    around.forEach(each => each.remove());
    span.replaceWith(isChanged ? createText(lead + typed + rest) : node); // one node again, which can be edited again
    post({ kind: 'edited', source, text, now: isChanged ? typed : null, keeps, ...format && { format } });
  }

  return {
    ask, edit, finish, reportFormat,
    /** True from asking for a text until it is written. */
    isAsked: () => edited !== null,
    /** True while a text is edited. */
    isEdited: () => Boolean(edited?.span),
    contains: node => Boolean(edited?.span?.contains(node)),
    refuse() {
      edited = null;
    },
  };
})();
