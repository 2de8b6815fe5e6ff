// The frame around every page: the bar at the top, the routes, and what happens while the server or the session is gone.
import { element, button, link } from './dom.js';
import { around } from './server.js';
import { start, go, letsGo } from './router.js';
import { account, known, signOut, whenSigned } from './session.js';
import { attempt } from './dialog.js';
import { signIn, signInPage, setUpPage } from './signin.js';
import { templatesPage } from './templates.js';
import { templatePage } from './template.js';
import { blocksPage } from './blocks.js';
import { blockPage } from './block.js';
import { stalePage } from './stale.js';
import { keysPage } from './keys.js';
import { usagePage } from './usage.js';
import { accountPage } from './account.js';

const routes = [
  ['/', inside(templatesPage), 'templates'],
  ['/templates/:id', inside(templatePage), 'templates'],
  ['/blocks', inside(blocksPage), 'blocks'],
  ['/blocks/:id', inside(blockPage), 'blocks'],
  ['/stale', inside(stalePage), 'blocks'],
  ['/keys', inside(keysPage), 'keys'],
  ['/usage', inside(usagePage), 'usage'],
  ['/account', inside(accountPage), 'account'],
  ['/signin', signInPage, ''],
  ['/setup', setUpPage, ''],
];

/** A page for whoever is signed in; anyone else comes back to it after signing in. */
function inside(page) {
  return async (...parts) => {
    if (account === null && !await known()) {
      const here = location.pathname;
      go('/signin' + (here === '/' ? '' : '?to=' + encodeURIComponent(here)), { replace: true });
      return null;
    }
    return page(...parts);
  };
}

function brand() {
  return link('/', element('span', { class: 'stet' }, 'Stet'), { class: 'brand', 'aria-label': 'Stet, templates' });
}

function section(href, name, text) {
  return link(href, text, { 'data-section': name });
}

whenSigned(by => {
  const header = document.getElementById('header');
  header.hidden = by === null;
  if (by === null) {
    header.replaceChildren();
    return;
  }
  header.replaceChildren(
    brand(),
    element('nav', { 'aria-label': 'Main' },
      section('/', 'templates', 'Templates'), section('/blocks', 'blocks', 'Shared blocks'),
      section('/keys', 'keys', 'Keys'), section('/usage', 'usage', 'Usage')),
    element('div', { class: 'who' },
      link('/account', by.email, { 'data-section': 'account', class: 'email', 'aria-label': 'Account ' + by.email }),
      button('Sign out', leave, { class: 'quiet small' })));
});

async function leave() {
  if (await letsGo()) {
    await attempt(() => signOut(false));
  }
}

// One banner for both: as many requests as wait are tried again together.
let waiting = [];

function banner(text, label, act) {
  const place = document.getElementById('banner');
  if (place.firstChild?.dataset?.text !== text) {
    place.replaceChildren(element('div', { class: 'banner', 'data-text': text },
      element('p', {}, text), button(label, act)));
  }
}

function release(again) {
  document.getElementById('banner').replaceChildren();
  const all = waiting;
  waiting = [];
  all.forEach(goOn => goOn(again));
}

around.unreachable = () => new Promise(done => {
  waiting.push(done);
  document.getElementById('main').removeAttribute('aria-busy');
  banner('Cannot reach the server. What you have typed is kept here.', 'Retry', () => release(true));
});

around.reached = () => {
  if (document.querySelector('#banner [data-text^="Cannot"]')) {
    release(true);
  }
};

let signing = null;

around.signedOut = background => {
  if (account === null) {
    location.assign('/signin');
    return new Promise(() => {});
  }
  const again = new Promise(done => { waiting.push(done); });
  const inPlace = () => {
    signing ??= signIn(account.email).finally(() => { signing = null; });
    return signing;
  };
  banner('Your session has ended. What you have typed is kept here.', 'Sign in again',
    async () => { if (await inPlace()) { release(true); } });
  if (background) {
    return again;
  }
  return inPlace().then(done => {
    if (done) {
      release(true);
    }
    return done;
  });
};

start(routes);
