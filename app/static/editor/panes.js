// The editor page's panes: text, preview and collapsible tabs, with a bar between text and preview. Narrow screens show one
// pane at a time.
import { html, button, toggle } from '../frame/dom.js';
import { keep, recall, splitter } from './splitter.js';

const LEAST_WIDTH = 320;
const NAMES = ['Text', 'Preview', 'Details'];

/**
 * @param write  the text pane
 * @param view   the preview pane, with space for more buttons
 * @param side   the tabs and their node
 * @param onText runs when the text pane is shown again
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
  // Keep the focused pane visible when the window becomes narrow.
  all.forEach((pane, i) => pane.addEventListener('focusin', () => show(NAMES[i])));
  view.tools.append(folder);
  fold(recall('stet-side') === 'folded');
  show(chosen);

  /** On narrow screens, switches to a pane. */
  function show(name) {
    const isComing = name === 'Text' && !write.checkVisibility();
    node.dataset.shown = name;
    switcher.press(name);
    if (isComing) {
      onText();
    }
  }

  /** Shows the tabs, expanding them if collapsed. */
  function showDetails() {
    fold(false);
    show('Details');
  }

  /** Collapses or expands the tabs. */
  function fold(isFolded) {
    node.classList.toggle('folded', isFolded);
    folder.textContent = isFolded ? 'Show details' : 'Hide details';
    folder.setAttribute('aria-expanded', String(!isFolded));
    keep('stet-side', isFolded ? 'folded' : null);
  }

  return { node, showText: () => show('Text'), showDetails, start: split.start, stop: split.stop };
}
