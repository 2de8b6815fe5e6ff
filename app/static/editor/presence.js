// Shows who else has the text open and what others have saved; polls while the page is visible.
import { html, button } from '../frame/dom.js';
import { post } from '../frame/server.js';
import { ownName } from '../frame/session.js';
import { ago, relativeTime } from '../frame/time.js';

const INTERVAL_MILLIS = 10_000;

/**
 * @param path   URL of the text
 * @param noun   kind of the text: "template"
 * @param state  returns {revision, isDirty, isSaving} of the editor
 * @param onShow shows the text saved by another user
 * @return {node, start, show, stop}; `show` shows the latest result again, after the editor's state has changed
 */
export function presence({ path, noun, state, onShow }) {
  const node = html`<div class="presence" role="status"></div>`;
  let asking = null;
  let timer = 0;
  let isOver = false;
  let last = null;
  let shown = '';

  /** Reports that the text is open and asks for others, unless the page is hidden or a request is under way; then again after the interval. */
  async function ask() {
    clearTimeout(timer);
    if (isOver || document.hidden || asking) {
      return;
    }
    asking = new AbortController();
    try {
      last = await post(path + '/presence', { dirty: state().isDirty }, { signal: asking.signal, background: true, quiet: true });
    } catch (failure) {
      last = failure.status === 404 ? { others: [], isGone: true } : null;
    } finally {
      asking = null;
    }
    if (!isOver) {
      show();
      timer = setTimeout(ask, INTERVAL_MILLIS);
    }
  }

  /**
   * Shows the result of the latest poll, unless a save is under way. Unchanged content is not rendered again, to keep the focus; only
   * times are updated.
   */
  function show() {
    const { revision, isSaving } = state();
    if (isSaving) {
      return;
    }
    const isNewer = last?.revision > revision;
    const next = JSON.stringify([last?.others, last?.isGone, isNewer && [last.savedBy, last.savedAt]]);
    if (next !== shown) {
      shown = next;
      node.replaceChildren(...[
        last?.isGone && line(`This ${noun} was deleted. Your text is still here; copy it into a new ${noun}.`),
        last?.others.length > 0 && line(openedBy(last.others)),
        isNewer && line([
          last.savedBy === ownName() ? 'You saved a newer version in another window ' : `${last.savedBy ?? 'Someone'} saved a newer version `,
          last.savedAt && relativeTime(last.savedAt), '. ',
          button('Show', onShow, { class: 'small', 'aria-label': 'Show newer text' }),
        ]),
      ].filter(Boolean));
    }
    node.querySelectorAll('time').forEach(time => { time.textContent = ago(time.dateTime); });
  }

  document.addEventListener('visibilitychange', ask);
  return {
    node,
    start: ask,
    show,
    stop() {
      isOver = true;
      clearTimeout(timer);
      asking?.abort();
      document.removeEventListener('visibilitychange', ask);
    },
  };
}

function line(contents) {
  return html`<p class="notice with-buttons">${contents}</p>`;
}

/** "Ada has this open", "Ada and Ben have this open, Ben with unsaved changes". */
function openedBy(others) {
  const names = some => new Intl.ListFormat('en').format(some.map(other => other.name));
  const dirty = others.filter(other => other.dirty);
  const isOne = others.length === 1;
  return `${names(others)} ${isOne ? 'has' : 'have'} this open`
    + (dirty.length === 0 ? '.' : `, ${isOne ? '' : names(dirty) + ' '}with unsaved changes.`);
}
