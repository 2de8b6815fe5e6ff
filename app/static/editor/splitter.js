// A splitter between two panes: drag it, or use arrow keys, Home and End; a double click restores the default.
import { html } from '../frame/dom.js';
import { moveOf } from '../frame/movekeys.js';

const STEP = 24;

/**
 * @param panes element containing the splitter and both panes; its style --split is set to the width in px
 * @param label name of the pane after the splitter, which is resized
 * @param least minimum width of either pane in px
 * @param key   storage key for the width
 * @return {node, start, stop}; between `start` and `stop`, the splitter reports the width as it changes with the window
 */
export function splitter({ panes, label, least, key }) {
  const node = html`
    <div class="splitter" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of ${label}"
      @pointerdown=${onDown} @keydown=${onKey} @dblclick=${() => set(null)}></div>`;
  const observer = new ResizeObserver(show);

  const before = () => node.previousElementSibling;
  const behind = () => node.nextElementSibling;
  const width = () => behind().getBoundingClientRect().width;
  const most = () => width() + before().getBoundingClientRect().width - least;

  /** Sets the width in px; null for the style sheet's default. */
  function set(wanted) {
    if (wanted === null) {
      panes.style.removeProperty('--split');
      storeSetting(key, null);
    } else {
      const next = Math.round(Math.max(least, Math.min(wanted, most())));
      panes.style.setProperty('--split', next + 'px');
      storeSetting(key, next);
    }
    show();
  }

  function show() {
    if (node.isConnected && before() && behind()) {
      node.setAttribute('aria-valuemin', String(least));
      node.setAttribute('aria-valuemax', String(Math.round(Math.max(least, most()))));
      node.setAttribute('aria-valuenow', String(Math.round(width())));
      node.setAttribute('aria-valuetext', Math.round(width()) + ' pixels');
    }
  }

  function onDown(down) {
    if (down.button !== 0) {
      return;
    }
    const start = width();
    const move = event => set(start + down.clientX - event.clientX);
    const end = () => {
      node.removeEventListener('pointermove', move);
      panes.classList.remove('dragged');
    };
    panes.classList.add('dragged'); // a frame under the pointer would capture its events
    node.setPointerCapture(down.pointerId);
    node.addEventListener('pointermove', move);
    node.addEventListener('lostpointercapture', end, { once: true });
  }

  function onKey(event) {
    const step = event.shiftKey ? STEP * 4 : STEP;
    const to = moveOf(event, { ArrowLeft: width() + step, ArrowRight: width() - step, Home: most(), End: least });
    if (to !== undefined) {
      event.preventDefault();
      set(to);
    }
  }

  const stored = Number(storedSetting(key));
  if (stored >= least) {
    panes.style.setProperty('--split', stored + 'px');
  }
  return {
    node,
    start: () => observer.observe(panes),
    stop: () => observer.disconnect(),
  };
}

/** Stores a setting in the browser; null removes it. Without storage, the setting lasts as long as the page. */
export function storeSetting(key, value) {
  try {
    if (value === null) {
      localStorage.removeItem(key);
    } else {
      localStorage.setItem(key, String(value));
    }
  } catch {
    // The page works without storage.
  }
}

/** Reads a stored setting, or null. */
export function storedSetting(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
