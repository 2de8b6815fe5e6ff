// The editor page's panes: writing, preview, and details at the side. The writing pane shows the email's pieces or its HTML; HTML has a
// bar for its width. Narrow screens show one pane at a time.
import { html, button, toggle } from '../frame/dom.js';
import { account } from '../frame/session.js';
import { splitter, storeSetting, storedSetting } from './splitter.js';

const LEAST_WIDTH = 320;
const NAMES = ['Text', 'Preview', 'Details'];

/**
 * @param write   the writing pane: its node and head
 * @param pieces  the part of the writing pane with the email's pieces
 * @param view    the preview pane, with space for more buttons
 * @param chosen  the pane for the chosen piece, which takes the place of the tabs
 * @param side    the tabs
 * @param onText  runs when the HTML is shown again
 * @param onWrite receives true when the pieces are shown, false when the HTML is shown
 * @return {node, showDetails, start, stop, showText, show}
 */
export function panes({ write, pieces, view, chosen, side, onText, onWrite }) {
  const node = html`<div class="panes"></div>`;
  const key = 'stet-html ' + account.email;
  const split = splitter({ panes: node, label: 'the preview', least: LEAST_WIDTH, key: 'stet-preview-width' });
  const folder = button('', () => setFolded(!node.classList.contains('folded')), { class: 'small quiet folder' });
  const first = NAMES.includes(storedSetting('stet-pane')) ? storedSetting('stet-pane') : 'Preview';
  const switcher = toggle('Show', NAMES, first, name => {
    storeSetting('stet-pane', name);
    show(name);
  });
  const sides = html`<div class="side">${chosen.node}${side.node}</div>`;
  const all = [write.node, view.node, sides];
  const modes = toggle('Edit as', ['Write', 'HTML'], 'HTML', name => {
    storeSetting(key, name === 'HTML' ? 'shown' : null);
    setMode(name);
  });
  write.head.querySelector('h2').replaceWith(modes.node);
  write.head.after(pieces.node);
  switcher.node.classList.add('switcher');
  node.append(switcher.node, write.node, split.node, view.node, sides);
  // Keep the focused pane visible when the window becomes narrow.
  all.forEach((pane, i) => pane.addEventListener('focusin', () => show(NAMES[i])));
  view.tools.append(folder);
  setFolded(storedSetting('stet-side') === 'folded');
  setMode(storedSetting(key) === null ? 'Write' : 'HTML');
  show(first);

  /** @param name Write or HTML */
  function setMode(name) {
    const isHtml = name === 'HTML';
    const isComing = isHtml && node.dataset.mode !== 'html';
    node.dataset.mode = name.toLowerCase();
    modes.press(name);
    onWrite(!isHtml);
    if (isComing) {
      onText();
    }
  }

  /** On narrow screens, switches to a pane. */
  function show(name) {
    const isComing = name === 'Text' && !write.node.checkVisibility();
    node.dataset.shown = name;
    switcher.press(name);
    if (isComing) {
      onText();
    }
  }

  /** Shows the tabs, expanding them if collapsed. */
  function showDetails() {
    setFolded(false);
    show('Details');
    chosen.hide();
  }

  /** Collapses or expands the tabs. */
  function setFolded(isFolded) {
    node.classList.toggle('folded', isFolded);
    folder.textContent = isFolded ? 'Show details' : 'Hide details';
    folder.setAttribute('aria-expanded', String(!isFolded));
    storeSetting('stet-side', isFolded ? 'folded' : null);
  }

  return {
    node, showDetails, start: split.start, stop: split.stop,
    /** Shows the HTML. */
    showText() {
      setMode('HTML');
      show('Text');
    },
    /** On narrow screens, shows a pane. @param name Text, Preview or Details */
    show,
  };
}
