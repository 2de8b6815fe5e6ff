// The panes of the desk: the text, the preview beside it with a bar between, and the tabs, which fold.
import { html, button } from './dom.js';
import { keep, recall, splitter } from './splitter.js';

const LEAST_WIDTH = 320;

/**
 * @param write the text
 * @param view  the preview, with a place for more buttons
 * @param side  the tabs
 */
export function panes(write, view, side) {
  const node = html`<div class="desk"></div>`;
  const split = splitter({ panes: node, label: 'the preview', least: LEAST_WIDTH, key: 'stet-preview-width' });
  const folder = button('', () => fold(!node.classList.contains('folded')), { class: 'small quiet' });
  node.append(write, split.node, view.node, side.node);
  view.tools.append(folder);
  fold(recall('stet-side') === 'folded');

  /** Hides or shows the tabs, so that the text and the mail have the room. */
  function fold(isFolded) {
    node.classList.toggle('folded', isFolded);
    folder.textContent = isFolded ? 'Show details' : 'Hide details';
    folder.setAttribute('aria-expanded', String(!isFolded));
    keep('stet-side', isFolded ? 'folded' : null);
  }

  return { node, fold, start: split.start, stop: split.stop };
}
