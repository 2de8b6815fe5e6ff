// A menu button: arrow keys, Home, End and first letters move between items; Escape and Tab close the menu.
import { html } from './dom.js';
import { moveOf } from './movekeys.js';

/** Distance in pixels from the button and from the window's edge. */
const GAP = 4;
let lastId = 0;

/**
 * A menu button.
 *
 * @param label content of the button
 * @param items returns the items on each opening: {text, run, href, target, isDanger, keys, reason}, or false to omit an item.
 *              With `href`, an item is a link; with `reason`, it is disabled and shows why. `keys` names its shortcut.
 */
export function menuButton(label, items, attributes = {}) {
  const id = 'menu-' + ++lastId;
  const opener = html`
    <button type="button" aria-haspopup="menu" aria-expanded="false" aria-controls=${id} @click=${toggle} @keydown=${onOpenerKey}
      ${attributes}>${label}</button>`;
  const menu = html`
    <div role="menu" id=${id} popover="auto" class="menu" aria-label=${attributes['aria-label'] ?? label} @keydown=${onKey}
      @toggle=${onToggle}></div>`;
  let wasOpen = false;
  // Pressing the button closes an open menu before the click event arrives.
  opener.addEventListener('pointerdown', () => { wasOpen = menu.matches(':popover-open'); });

  /** Closes an open menu; opens a closed one, unless the same press of a pointer has closed it. A key press has no detail. */
  function toggle({ detail }) {
    if (menu.matches(':popover-open')) {
      close();
    } else if (!wasOpen || detail === 0) {
      open(0);
    }
  }

  function open(index) {
    menu.replaceChildren(...items().filter(Boolean).map(item));
    menu.showPopover();
    place(menu);
    focus(index);
  }

  function item({ text, run, href, target, isDanger, keys, reason }) {
    const shown = [
      html`<span>${text}</span>`, keys && html`<kbd aria-hidden="true">${keys}</kbd>`, reason && html`<small>${reason}</small>`,
    ];
    const more = {
      class: isDanger ? 'danger' : null, target: target ?? null, 'aria-disabled': reason ? 'true' : null,
      'aria-keyshortcuts': keys?.replace('Ctrl', 'Control'),
    };
    const choose = event => {
      if (reason) {
        event.preventDefault();
        return;
      }
      close();
      run?.(event);
    };
    return href && !reason ? html`<a role="menuitem" tabindex="-1" href=${href} ${more} @click=${choose}>${shown}</a>`
      : html`<button type="button" role="menuitem" tabindex="-1" ${more} @click=${choose}>${shown}</button>`;
  }

  function close() {
    menu.hidePopover();
    opener.focus();
  }

  function onToggle(event) {
    opener.setAttribute('aria-expanded', String(event.newState === 'open'));
  }

  function focus(index) {
    const all = [...menu.children];
    all.at(index % all.length)?.focus();
  }

  function onOpenerKey(event) {
    const index = moveOf(event, { ArrowDown: 0, ArrowUp: -1 });
    if (index !== undefined) {
      event.preventDefault();
      open(index);
    }
  }

  function onKey(event) {
    const all = [...menu.children];
    const here = all.indexOf(document.activeElement);
    const to = moveOf(event, { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: -1 });
    if (to !== undefined) {
      event.preventDefault();
      focus(to);
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.stopPropagation();
      if (event.key === 'Escape') {
        event.preventDefault();
      }
      close();
    } else if (event.key.length === 1 && event.key !== ' ' && !event.altKey && !event.ctrlKey && !event.metaKey) {
      const begins = node => node.textContent.toLowerCase().startsWith(event.key.toLowerCase());
      [...all.slice(here + 1), ...all.slice(0, here + 1)].find(begins)?.focus();
    }
  }

  return html`<span class="has-menu">${opener}${menu}</span>`;
}

/** The open menu of a part of the page; null without one. A browser shows one at a time. */
const openMenu = part => part.querySelector('.menu:popover-open');

/** Places a menu below its button, or above if there is more room, within the window. */
function place(menu) {
  const at = menu.previousElementSibling.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const isBelow = at.bottom + GAP + height <= innerHeight || at.top < innerHeight - at.bottom;
  menu.style.left = Math.max(GAP, Math.min(at.right - width, innerWidth - width - GAP)) + 'px';
  menu.style.top = Math.max(GAP, isBelow ? at.bottom + GAP : at.top - GAP - height) + 'px';
}

/**
 * Closes the open menu, if any, of a part of the page that is about to be moved: moving it would close it without an event. Its button gets the
 * focus.
 */
export function closeMenu(part) {
  openMenu(part)?.hidePopover();
}

addEventListener('resize', () => {
  const menu = openMenu(document);
  if (menu) {
    place(menu);
  }
});
