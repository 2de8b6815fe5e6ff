// Find and replace in the editor.
import { html, button, debounce } from '../frame/dom.js';
import { patternOf, placesOf } from './textpattern.js';

/** Maximum number of matches highlighted. */
const MAX_PLACES = 10_000;
/** Distance in px between a match and the edge of the editor. */
const MARGIN = 60;
/** Matches are highlighted again once the text has not changed for this long. */
const HIGHLIGHT_MILLIS = 250;
const NOTHING_KNOWN = { text: null, query: null, places: [] };

/** The search bar: Enter finds the next match, Shift+Enter the previous one, Escape closes it. */
export function findBar(mirror) {
  const query = html`
    <input type="search" aria-label="Find" placeholder="Find" autocomplete="off" spellcheck="false" @input=${findFirst}>`;
  const replacement = html`
    <input type="text" aria-label="Replace with" placeholder="Replace with" autocomplete="off" spellcheck="false">`;
  const status = html`<span class="found" role="status"></span>`;
  const node = html`
    <div class="find" role="search" hidden @keydown=${onKey}>
      ${query}
      ${button('↑', findPrevious, { class: 'small', 'aria-label': 'Previous match' })}
      ${button('↓', findNext, { class: 'small', 'aria-label': 'Next match' })}
      ${status}
      ${replacement}
      ${button('Replace', replaceOne, { class: 'small' })}
      ${button('All', replaceAll, { class: 'small', 'aria-label': 'Replace all' })}
      ${button('✕', close, { class: 'small quiet', 'aria-label': 'Close find bar' })}
    </div>`;
  let overlay = null;
  const pattern = () => patternOf(query.value, { ignoresCase: query.value === query.value.toLowerCase() });
  /** The matches in a text, kept until the text or the query changes. */
  let known = NOTHING_KNOWN;

  function open() {
    node.hidden = false;
    const selected = mirror.getSelection();
    if (selected && !selected.includes('\n')) {
      query.value = selected;
    }
    query.focus();
    query.select();
    findFirst();
  }

  function close() {
    node.hidden = true;
    mirror.removeOverlay(overlay);
    known = NOTHING_KNOWN; // the next search highlights them again
    mirror.focus();
  }

  function onKey(event) {
    const run = actionOf(event);
    if (run) {
      event.preventDefault();
      run();
    }
  }

  /** Returns the action of a key; undefined for other keys, and for those that only end the composition of a character. */
  function actionOf({ key, target, shiftKey, isComposing }) {
    if (isComposing) {
      return undefined;
    }
    if (key === 'Escape') {
      return close;
    }
    if (key === 'Enter' && target === query) {
      return shiftKey ? findPrevious : findNext;
    }
    return key === 'Enter' && target === replacement ? replaceOne : undefined;
  }

  /** The query's places, as the preview shows the text: an entity is its character. New ones are highlighted. */
  function places() {
    const text = mirror.getValue();
    if (known.text !== text || known.query !== query.value) {
      known = { text, query: query.value, places: query.value === '' ? [] : placesOf(text, pattern()) };
      highlight();
    }
    return known.places;
  }

  function highlight() {
    mirror.removeOverlay(overlay);
    overlay = highlighter(known.text, known.places);
    mirror.addOverlay(overlay);
  }

  function findFirst() {
    find('from');
  }

  function findNext() {
    find('to');
  }

  function findPrevious() {
    find('from', { isBackwards: true });
  }

  /**
   * Selects the match at or after an end of the selection, or the one before it, wrapping at the ends of the text; shows its number.
   *
   * @param end 'from' or 'to'
   */
  function find(end, { isBackwards = false } = {}) {
    const from = mirror.indexFromPos(mirror.getCursor(end));
    const all = places();
    if (all.length === 0) {
      status.textContent = query.value === '' ? '' : 'Not found';
      return;
    }
    const near = isBackwards ? all.findLastIndex(place => place.to <= from) : all.findIndex(place => place.from >= from);
    const number = near >= 0 ? near : isBackwards ? all.length - 1 : 0;
    const [head, tail] = [all[number].from, all[number].to].map(index => mirror.posFromIndex(index));
    mirror.setSelection(head, tail);
    mirror.scrollIntoView({ from: head, to: tail }, MARGIN);
    status.textContent = `${number + 1} of ${all.length}`;
  }

  /** Replaces the match that is selected, if one is, and selects the next. */
  function replaceOne() {
    const [from, to] = ['from', 'to'].map(end => mirror.indexFromPos(mirror.getCursor(end)));
    if (places().some(place => place.from === from && place.to === to)) {
      mirror.replaceSelection(replacement.value);
    }
    findNext();
  }

  function replaceAll() {
    const all = places();
    mirror.operation(() => [...all].reverse().forEach(({ from, to }) => // from the end, so that the places before stay where they are
      mirror.replaceRange(replacement.value, mirror.posFromIndex(from), mirror.posFromIndex(to))));
    status.textContent = all.length + ' replaced';
  }

  mirror.on('changes', debounce(HIGHLIGHT_MILLIS, () => node.hidden || places()));
  return { node, open };
}

/** The editor's overlay that highlights places in a text. */
function highlighter(text, places) {
  const lines = new Map();
  let line = 0;
  let start = 0;
  for (const { from, to } of places.slice(0, MAX_PLACES)) {
    for (let end = text.indexOf('\n', start); end >= 0 && end < from; end = text.indexOf('\n', start)) {
      line++;
      start = end + 1;
    }
    if (!lines.has(line)) {
      lines.set(line, []);
    }
    lines.get(line).push({ from: from - start, to: to - start });
  }
  return {
    token(stream) {
      const ranges = lines.get(stream.lineOracle.line) ?? [];
      const range = ranges.find(each => each.to > stream.pos);
      const isInside = range && range.from <= stream.pos;
      stream.pos = Math.min(stream.string.length, isInside ? range.to : range ? range.from : Infinity);
      return isInside ? 'searching' : null;
    },
  };
}
