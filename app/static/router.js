// Which page an address shows; links, back and forward without loading anew; and the word of a page with unsaved text.
import { element } from './dom.js';
import { sentence } from './form.js';

let routes = [];
let shown = {};
let position = 0;
let turn = 0;
let undoing = false;

/** @param table rows of [address with :parts, page, section]; a page answers {title, content, guard, leave} */
export function start(table) {
  routes = table.map(([address, page, section]) => ({
    pattern: new RegExp('^' + address.replace(/:[a-z]+/g, '([^/]+)') + '$'), page, section,
  }));
  position = history.state?.position ?? 0;
  history.replaceState({ position }, '');
  history.scrollRestoration = 'manual';
  addEventListener('popstate', back);
  addEventListener('beforeunload', event => {
    if (shown.dirty?.()) {
      event.preventDefault();
    }
  });
  document.addEventListener('click', follow);
  return show();
}

/** Whether the page that is shown lets go: it asks when it has unsaved text. */
export async function letsGo() {
  return !shown.guard || await shown.guard();
}

/** Goes to another page, if the one that is shown lets go. */
export async function go(address, { replace = false, force = false } = {}) {
  if (!force && !await letsGo()) {
    return;
  }
  if (!replace) {
    remember({ scroll: scrollY });
    position++;
  }
  history[replace ? 'replaceState' : 'pushState']({ position }, '', address);
  await show();
  scrollTo(0, 0);
}

/** Keeps something with the present address, for when one comes back to it. */
export function remember(what) {
  history.replaceState({ ...history.state, ...what }, '');
}

/** What was kept with the present address. */
export function remembered() {
  return history.state ?? {};
}

/** Shows the present address once more, from what the server says now. */
export function again() {
  return show(false);
}

async function back(event) {
  if (undoing) {
    undoing = false;
    return;
  }
  const to = event.state?.position ?? 0;
  if (shown.guard && shown.dirty?.()) {
    undoing = true;
    history.go(position - to);
    if (!await shown.guard()) {
      return;
    }
    shown = { leave: shown.leave };
    history.go(to - position);
    return;
  }
  position = to;
  await show();
  scrollTo(0, remembered().scroll ?? 0);
}

function follow(event) {
  const anchor = event.target instanceof Element && event.target.closest('a[href]');
  if (!anchor || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey
      || event.altKey || anchor.target || anchor.hasAttribute('download') || anchor.origin !== location.origin
      || anchor.getAttribute('href').startsWith('#') || !match(anchor.pathname)) {
    return;
  }
  event.preventDefault();
  go(anchor.pathname + anchor.search + anchor.hash);
}

/** The address as one of a page here; the list for whatever else, such as one that leads elsewhere. */
export function inside(address) {
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
        return null; // a part that is no UTF-8 names nothing
      }
    }
  }
  return null;
}

// The page before stays until the next is ready, so that nothing flashes; a line at the top runs if it takes long.
async function show(focus = true) {
  const mine = ++turn;
  const main = document.getElementById('main');
  main.setAttribute('aria-busy', 'true');
  const found = match(location.pathname);
  let page;
  try {
    page = found ? await found.route.page(...found.parts) : missing('There is no page at this address.');
  } catch (failure) {
    if (failure.status === undefined) {
      console.error(failure);
    }
    page = missing(failure.status === 404 ? 'It does not exist, or it was deleted.' : sentence(failure));
  }
  if (mine !== turn || !page) {
    page?.leave?.();
    return;
  }
  shown.leave?.();
  shown = page;
  document.title = page.title + ' · Stet';
  document.body.dataset.page = page.kind ?? 'plain';
  main.replaceChildren(...[page.content].flat());
  main.removeAttribute('aria-busy');
  document.querySelectorAll('#header [data-section]').forEach(anchor => {
    if (anchor.dataset.section === found?.route.section) {
      anchor.setAttribute('aria-current', 'page');
    } else {
      anchor.removeAttribute('aria-current');
    }
  });
  page.ready?.();
  if (focus) {
    (main.querySelector('[data-focus]') ?? main.querySelector('h1') ?? main).focus({ preventScroll: true });
  }
}

function missing(text) {
  return {
    title: 'Not found',
    content: element('section', { class: 'empty' },
      element('h1', { tabindex: '-1' }, 'Nothing here'), element('p', {}, text),
      element('p', {}, element('a', { href: '/' }, 'To the templates'))),
  };
}
