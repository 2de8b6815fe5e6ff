// Client-side routing: shows pages, handles links, Back and Forward, and warns before unsaved text is lost.
import { html, link } from './dom.js';
import { sentence } from './form.js';
import { turns } from './inturn.js';
import { accountTitle } from './session.js';

/** Number of pixels of the preceding entry that stay visible. */
const NAVIGATION_MARGIN = 40;
let routes = [];
/** The current page, as resolved by its route. */
let shown = {};
/** Number of the current history entry, which tells how far a jump goes. */
let position = 0;
const begin = turns();
/** True while a jump in the history is undone, until the user has been asked about unsaved text. */
let isUndoing = false;

/**
 * Shows the page of the current URL, and from now on those of links, Back and Forward.
 *
 * @param table rows of [path with :parts, page, section]. A page resolves to {title, kind, content, isDirty, mayLeave, onShow,
 *              onLeave}; only title and content are required. It resolves to null after navigating elsewhere.
 */
export function start(table) {
  routes = table.map(([address, page, section]) => ({
    pattern: new RegExp('^' + address.replace(/:[a-z]+/g, '([^/]+)') + '$'), page, section,
  }));
  position = history.state?.position ?? 0;
  history.replaceState({ position }, '');
  history.scrollRestoration = 'manual';
  addEventListener('popstate', onPopState);
  addEventListener('beforeunload', event => {
    if (shown.isDirty?.()) {
      event.preventDefault();
    }
  });
  document.addEventListener('click', onClick);
  return showAndFocus();
}

/** Asks about unsaved text, if there is any; resolves to true if the current page may be left. */
export async function mayLeave() {
  return !shown.mayLeave || await shown.mayLeave();
}

/**
 * Goes to another page if the current page may be left.
 *
 * @param replace true to replace the current history entry
 * @param force   true to leave without asking about unsaved text
 * @param from    path of the page that asks after a response; nothing is done if the user has left it meanwhile
 */
export async function navigate(address, { replace = false, force = false, from = location.pathname } = {}) {
  if (location.pathname !== from || !force && !await mayLeave()) {
    return;
  }
  if (!replace) {
    saveState({ scroll: scrollY });
    position++;
  }
  history[replace ? 'replaceState' : 'pushState']({ position }, '', address);
  await showAndFocus();
  scrollTo(0, 0);
}

/** Stores values in the history entry, to restore them on return. */
export function saveState(values) {
  history.replaceState({ ...history.state, ...values }, '');
}

/** Updates the query of the current URL, dropping empty values. */
export function saveQuery(values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString();
  history.replaceState(history.state, '', location.pathname + (query && '?' + query));
}

/** Values stored in the history entry. */
export function savedState() {
  return history.state ?? {};
}

/**
 * Shows a page with new data; does nothing if the user has left it meanwhile. Moves no focus, but an element of the old page that had it is
 * gone.
 *
 * @param path path of the page
 */
export async function reload(path) {
  if (location.pathname === path) {
    await show();
  }
}

async function onPopState(event) {
  if (isUndoing) {
    isUndoing = false;
    return;
  }
  const to = event.state?.position ?? 0;
  if (shown.isDirty?.()) {
    isUndoing = true;
    history.go(position - to);
    if (await mayLeave()) {
      shown = { onLeave: shown.onLeave }; // the next jump asks no more
      history.go(to - position);
    }
    return;
  }
  position = to;
  await showAndFocus();
  scrollTo(0, savedState().scroll ?? 0);
}

function onClick(event) {
  const anchor = event.target instanceof Element && event.target.closest('a[href]');
  if (!anchor || event.defaultPrevented || !isPlain(event)) {
    return;
  }
  if (anchor.getAttribute('href').startsWith('#')) {
    event.preventDefault(); // a history entry for a place of the page would count as leaving the page
    document.getElementById(anchor.hash.slice(1))?.focus();
  } else if (leadsToPage(anchor)) {
    event.preventDefault();
    navigate(anchor.pathname + anchor.search + anchor.hash);
  }
}

/** True for a click that opens a link in the same window. */
function isPlain({ button, metaKey, ctrlKey, shiftKey, altKey }) {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}

function leadsToPage(anchor) {
  return !anchor.target && !anchor.hasAttribute('download') && anchor.origin === location.origin && match(anchor.pathname) !== null;
}

/** The path if it belongs to a page of Stet, otherwise that of the template list; prevents redirects to other sites. */
export function localAddress(address) {
  try {
    const url = new URL(address, location.origin);
    return url.origin === location.origin && match(url.pathname) ? url.pathname + url.search + url.hash : '/';
  } catch {
    return '/';
  }
}

/** The route of a path, with the decoded parts; null if it is no page's. */
function match(path) {
  for (const route of routes) {
    const found = route.pattern.exec(path);
    if (found) {
      try {
        return { route, parts: found.slice(1).map(decodeURIComponent) };
      } catch {
        return null; // invalid UTF-8 matches no page
      }
    }
  }
  return null;
}

async function showAndFocus() {
  if (await show()) {
    const main = document.getElementById('main');
    (main.querySelector('[data-focus]') ?? main.querySelector('h1') ?? main).focus({ preventScroll: true });
  }
}

/**
 * Shows the page of the current URL; false if another page is shown instead. The old page stays until the new one is ready, to
 * avoid flicker; a progress line appears if this takes a while.
 */
async function show() {
  const isLatest = begin();
  const main = document.getElementById('main');
  main.setAttribute('aria-busy', 'true');
  const found = match(location.pathname);
  const page = await load(found);
  if (!isLatest() || !page) {
    page?.onLeave?.();
    return false;
  }
  shown.onLeave?.();
  shown = page;
  setTitle(page.title);
  document.body.dataset.page = page.kind ?? 'plain';
  main.replaceChildren(page.content);
  main.removeAttribute('aria-busy');
  markSection(found?.route.section);
  page.onShow?.();
  return true;
}

/** Marks the section's links in the top bar as current. */
function markSection(section) {
  document.querySelectorAll('#header [data-section]').forEach(anchor => {
    if (anchor.dataset.section === section) {
      anchor.setAttribute('aria-current', 'page');
      anchor.closest('nav')?.scrollTo(anchor.offsetLeft - NAVIGATION_MARGIN, 0); // it scrolls in narrow windows
    } else {
      anchor.removeAttribute('aria-current');
    }
  });
}

/** Sets the window title, which includes the account if it has a label or the user has several accounts. */
export function setTitle(title) {
  document.title = [title, accountTitle(), 'Stet'].filter(Boolean).join(' · ');
}

/** Resolves to the page of a match; a failure, or no match, has a page too. */
async function load(found) {
  if (!found) {
    return notFound('This page does not exist. Check the address.');
  }
  try {
    return await found.route.page(...found.parts);
  } catch (failure) {
    if (failure.status === undefined) {
      console.error(failure);
    }
    return failure.status === 404 ? notFound(['This item does not exist or was deleted.',
      location.pathname.startsWith('/templates/') && [' ', link('/trash', 'Check the trash')]])
      : withoutContent('Page unavailable', sentence(failure));
  }
}

function notFound(text) {
  return withoutContent('Page not found', text);
}

function withoutContent(title, text) {
  return {
    title,
    content: html`
      <section class="empty">
        <h1 tabindex="-1">${title}</h1>
        <p>${text}</p>
        <p>${link('/', 'View templates')}</p>
      </section>`,
  };
}
