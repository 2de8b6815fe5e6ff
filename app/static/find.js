// Find and replace in the editor.
import { element, button } from './dom.js';

/** A bar above the text: Enter is the next place, Shift+Enter the one before, Escape closes it. */
export function findBar(mirror) {
  const query = element('input', { type: 'search', 'aria-label': 'Find', placeholder: 'Find', autocomplete: 'off', spellcheck: 'false', oninput: first });
  const by = element('input', { type: 'text', 'aria-label': 'Replace with', placeholder: 'Replace with', autocomplete: 'off', spellcheck: 'false' });
  const found = element('span', { class: 'found', role: 'status' });
  const node = element('div', { class: 'find', role: 'search', hidden: true, onkeydown: keys },
    query, button('↑', () => step(true), { class: 'small', 'aria-label': 'Previous place' }),
    button('↓', () => step(false), { class: 'small', 'aria-label': 'Next place' }), found,
    by, button('Replace', replaceOne, { class: 'small' }), button('Replace all', replaceAll, { class: 'small' }),
    button('✕', close, { class: 'small quiet', 'aria-label': 'Close the find bar' }));
  let overlay = null;

  function open() {
    node.hidden = false;
    const selected = mirror.getSelection();
    if (selected && !selected.includes('\n')) {
      query.value = selected;
    }
    query.focus();
    query.select();
    first();
  }

  function close() {
    node.hidden = true;
    mark('');
    mirror.focus();
  }

  function keys(event) {
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
    } else if (event.key === 'Enter' && event.target === query) {
      event.preventDefault();
      step(event.shiftKey);
    } else if (event.key === 'Enter' && event.target === by) {
      event.preventDefault();
      replaceOne();
    }
  }

  function cursor(from) {
    return mirror.getSearchCursor(query.value, from, { caseFold: query.value === query.value.toLowerCase() });
  }

  function places() {
    const all = [];
    for (const it = cursor({ line: 0, ch: 0 }); query.value !== '' && all.length < 10000 && it.findNext();) {
      all.push(it.from());
    }
    return all;
  }

  function first() {
    mark(query.value);
    const at = mirror.getCursor('from');
    select(cursor(at), false, { line: 0, ch: 0 });
  }

  function step(backwards) {
    select(cursor(mirror.getCursor(backwards ? 'from' : 'to')), backwards,
      backwards ? { line: mirror.lastLine() + 1, ch: 0 } : { line: 0, ch: 0 });
  }

  function select(it, backwards, around) {
    if (query.value === '') {
      found.textContent = '';
      return;
    }
    let hit = it.find(backwards) ? it : null;
    if (hit === null) {
      const other = cursor(around);
      hit = other.find(backwards) ? other : null;
    }
    const all = places();
    if (hit === null) {
      found.textContent = 'Not found';
      return;
    }
    mirror.setSelection(hit.from(), hit.to());
    mirror.scrollIntoView({ from: hit.from(), to: hit.to() }, 60);
    found.textContent = 1 + all.findIndex(place => place.line === hit.from().line && place.ch === hit.from().ch) + ' of ' + all.length;
  }

  function replaceOne() {
    const selected = mirror.getSelection();
    const same = query.value === query.value.toLowerCase() ? selected.toLowerCase() === query.value : selected === query.value;
    if (query.value !== '' && same) {
      mirror.replaceSelection(by.value);
    }
    step(false);
  }

  function replaceAll() {
    let changed = 0;
    mirror.operation(() => {
      for (const it = cursor({ line: 0, ch: 0 }); query.value !== '' && it.findNext();) {
        it.replace(by.value);
        changed++;
      }
    });
    found.textContent = changed + ' replaced';
  }

  function mark(text) {
    if (overlay) {
      mirror.removeOverlay(overlay);
    }
    overlay = text === '' ? null : highlighter(text);
    if (overlay) {
      mirror.addOverlay(overlay);
    }
  }

  return { node, open };
}

function highlighter(text) {
  const fold = text === text.toLowerCase();
  return {
    token(stream) {
      const line = fold ? stream.string.toLowerCase() : stream.string;
      const at = line.indexOf(text, stream.pos);
      if (at === stream.pos) {
        stream.pos += text.length;
        return 'searching';
      }
      stream.pos = at < 0 ? stream.string.length : at;
      return null;
    },
  };
}
