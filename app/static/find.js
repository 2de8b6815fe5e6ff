// Find and replace in the editor.
import { html, button } from './dom.js';

/** Maximum number of matches counted. */
const MAX_PLACES = 10_000;
const START = { line: 0, ch: 0 };

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
      ${button('↑', () => step(true), { class: 'small', 'aria-label': 'Previous match' })}
      ${button('↓', () => step(false), { class: 'small', 'aria-label': 'Next match' })}
      ${status}
      ${replacement}
      ${button('Replace', replaceOne, { class: 'small' })}
      ${button('All', replaceAll, { class: 'small', 'aria-label': 'Replace all' })}
      ${button('✕', close, { class: 'small quiet', 'aria-label': 'Close find bar' })}
    </div>`;
  let overlay = null;
  const ignoresCase = () => query.value === query.value.toLowerCase();
  const cursorAt = from => mirror.getSearchCursor(query.value, from, { caseFold: ignoresCase() });

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
    mirror.focus();
  }

  function onKey(event) {
    const run = event.key === 'Escape' ? close
      : event.key === 'Enter' && event.target === query ? () => step(event.shiftKey)
        : event.key === 'Enter' && event.target === replacement ? replaceOne : null;
    if (run) {
      event.preventDefault();
      run();
    }
  }

  function findFirst() {
    mirror.removeOverlay(overlay);
    overlay = highlighter(query.value, ignoresCase());
    mirror.addOverlay(overlay);
    find(mirror.getCursor('from'), false);
  }

  function step(backwards) {
    find(mirror.getCursor(backwards ? 'from' : 'to'), backwards);
  }

  /** Selects the next match, wrapping at the end of the text. */
  function find(from, backwards) {
    const end = { line: mirror.lineCount(), ch: 0 };
    const hit = query.value !== '' && [from, backwards ? end : START].map(cursorAt).find(cursor => cursor.find(backwards));
    if (!hit) {
      status.textContent = query.value === '' ? '' : 'Not found';
      return;
    }
    mirror.setSelection(hit.from(), hit.to());
    mirror.scrollIntoView({ from: hit.from(), to: hit.to() }, 60);
    let number = 0;
    let all = 0;
    for (const cursor = cursorAt(START); all < MAX_PLACES && cursor.findNext();) {
      all++;
      number = cursor.from().line === hit.from().line && cursor.from().ch === hit.from().ch ? all : number;
    }
    status.textContent = `${number} of ${all}`;
  }

  function replaceOne() {
    const selected = mirror.getSelection();
    if (query.value !== '' && (ignoresCase() ? selected.toLowerCase() : selected) === query.value) {
      mirror.replaceSelection(replacement.value);
    }
    step(false);
  }

  function replaceAll() {
    let replaced = 0;
    mirror.operation(() => {
      for (const cursor = cursorAt(START); query.value !== '' && cursor.findNext(); replaced++) {
        cursor.replace(replacement.value);
      }
    });
    status.textContent = replaced + ' replaced';
  }

  return { node, open };
}

function highlighter(text, ignoresCase) {
  return {
    token(stream) {
      const line = ignoresCase ? stream.string.toLowerCase() : stream.string;
      const at = text === '' ? -1 : line.indexOf(text, stream.pos);
      if (at === stream.pos) {
        stream.pos += text.length;
        return 'searching';
      }
      stream.pos = at < 0 ? stream.string.length : at;
      return null;
    },
  };
}
