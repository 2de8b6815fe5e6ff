// Client-side routing: shows pages, handles links, Back and Forward, and warns before unsaved text is lost.
import { html, link } from './dom.js';
import { sentence } from './form.js';
import { accountTitle } from './session.js';

/** Number of pixels of the preceding entry that stay visible. */
const NAVIGATION_MARGIN = 40;
let routes = [];
let shown = {};
let position = 0;
let latest = 0;
let isUndoing = false;

/**
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
  return show();
}

/** True if the current page may be left; asks about unsaved text. */
export async function mayLeave() {
  return !shown.mayLeave || await shown.mayLeave();
}

/** Goes to another page if the current page may be left. */
export async function navigate(address, { replace = false, force = false } = {}) {
  if (!force && !await mayLeave()) {
    return;
  }
  if (!replace) {
    saveState({ scroll: scrollY });
    position++;
  }
  history[replace ? 'replaceState' : 'pushState']({ position }, '', address);
  await show();
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

/** Reloads the current page's data. */
export function reload() {
  return show(false);
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
    if (!await shown.mayLeave()) {
      return;
    }
    shown = { onLeave: shown.onLeave };
    history.go(to - position);
    return;
  }
  position = to;
  await show();
  scrollTo(0, savedState().scroll ?? 0);
}

function onClick(event) {
  const anchor = event.target instanceof Element && event.target.closest('a[href]');
  if (!anchor || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey
      || event.altKey || anchor.target || anchor.hasAttribute('download') || anchor.origin !== location.origin
      || anchor.getAttribute('href').startsWith('#') || !match(anchor.pathname)) {
    return;
  }
  event.preventDefault();
  navigate(anchor.pathname + anchor.search + anchor.hash);
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

// The old page stays until the new one is ready, to avoid flicker; a progress line appears if this takes a while.
async function show(focus = true) {
  const turn = ++latest;
  const main = document.getElementById('main');
  main.setAttribute('aria-busy', 'true');
  const found = match(location.pathname);
  const page = await load(found);
  if (turn !== latest || !page) {
    page?.onLeave?.();
    return;
  }
  shown.onLeave?.();
  shown = page;
  setTitle(page.title);
  document.body.dataset.page = page.kind ?? 'plain';
  main.replaceChildren(page.content);
  main.removeAttribute('aria-busy');
  document.querySelectorAll('#header [data-section]').forEach(anchor => {
    if (anchor.dataset.section === found?.route.section) {
      anchor.setAttribute('aria-current', 'page');
      anchor.closest('nav')?.scrollTo(anchor.offsetLeft - NAVIGATION_MARGIN, 0); // it scrolls in narrow windows
    } else {
      anchor.removeAttribute('aria-current');
    }
  });
  page.onShow?.();
  if (focus) {
    (main.querySelector('[data-focus]') ?? main.querySelector('h1') ?? main).focus({ preventScroll: true });
  }
}

/** Sets the window title, which includes the account if it has a label or the user has several accounts. */
export function setTitle(title) {
  document.title = [title, accountTitle(), 'Stet'].filter(Boolean).join(' · ');
}

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
    return notFound(failure.status === 404 ? ['This item does not exist or was deleted.',
      location.pathname.startsWith('/templates/') && [' ', link('/trash', 'Check the trash')]] : sentence(failure));
  }
}

function notFound(text) {
  return {
    title: 'Not found',
    content: html`
      <section class="empty">
        <h1 tabindex="-1">Page not found</h1>
        <p>${text}</p>
        <p>${link('/', 'View templates')}</p>
      </section>`,
  };
}
