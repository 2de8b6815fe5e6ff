// The panes of the editor page: the text, the preview beside it with a bar between, and the tabs, which fold. On a narrow screen there
// is room for one of them, and buttons choose which.
import { html, button, toggle } from './dom.js';
import { keep, recall, splitter } from './splitter.js';

const LEAST_WIDTH = 320;
const NAMES = ['Text', 'Preview', 'Details'];

/**
 * @param write  the text
 * @param view   the preview, with a place for more buttons
 * @param side   the tabs, with their node
 * @param onText runs when the text is shown again
 */
export function panes(write, view, side, onText) {
  const node = html`<div class="panes"></div>`;
  const split = splitter({ panes: node, label: 'the preview', least: LEAST_WIDTH, key: 'stet-preview-width' });
  const folder = button('', () => fold(!node.classList.contains('folded')), { class: 'small quiet folder' });
  const chosen = NAMES.includes(recall('stet-pane')) ? recall('stet-pane') : 'Preview';
  const switcher = toggle('Show', NAMES, chosen, name => {
    keep('stet-pane', name);
    show(name);
  });
  const all = [write, view.node, side.node];
  switcher.node.classList.add('switcher');
  node.append(switcher.node, write, split.node, view.node, side.node);
  // The pane with the focus stays when the window gets narrow.
  all.forEach((pane, i) => pane.addEventListener('focusin', () => show(NAMES[i])));
  view.tools.append(folder);
  fold(recall('stet-side') === 'folded');
  show(chosen);

  /** Shows one of the panes, where there is room for one. */
  function show(name) {
    const isComing = name === 'Text' && !write.checkVisibility();
    node.dataset.shown = name;
    switcher.press(name);
    if (isComing) {
      onText();
    }
  }

  /** Shows the tabs, also where they are folded. */
  function showDetails() {
    fold(false);
    show('Details');
  }

  /** Hides or shows the tabs, so that the text and the mail have the room. */
  function fold(isFolded) {
    node.classList.toggle('folded', isFolded);
    folder.textContent = isFolded ? 'Show details' : 'Hide details';
    folder.setAttribute('aria-expanded', String(!isFolded));
    keep('stet-side', isFolded ? 'folded' : null);
  }

  return { node, showText: () => show('Text'), showDetails, start: split.start, stop: split.stop };
}
