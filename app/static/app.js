// The frame around every page: the bar at the top, the routes, and the banner while the server or the session is gone.
import { html, button, link } from './dom.js';
import { hooks } from './server.js';
import { start, navigate, mayLeave } from './router.js';
import { account, loadSession, signOut, onAccountChange } from './session.js';
import { attempt } from './dialog.js';
import { signInAgain, signInPage, setUpPage } from './signin.js';
import { templatesPage } from './templates.js';
import { templatePage } from './template.js';
import { blocksPage } from './blocks.js';
import { blockPage } from './block.js';
import { stalePage } from './stale.js';
import { keysPage } from './keys.js';
import { usagePage } from './usage.js';
import { accountPage } from './account.js';
import { installationPage } from './installation.js';

const routes = [
  ['/', signedIn(templatesPage), 'templates'],
  ['/templates/:id', signedIn(templatePage), 'templates'],
  ['/blocks', signedIn(blocksPage), 'blocks'],
  ['/blocks/:id', signedIn(blockPage), 'blocks'],
  ['/stale', signedIn(stalePage), 'blocks'],
  ['/keys', signedIn(keysPage), 'keys'],
  ['/usage', signedIn(usagePage), 'usage'],
  ['/account', signedIn(accountPage), 'account'],
  ['/installation', signedIn(installationPage), 'installation'],
  ['/signin', signInPage, ''],
  ['/setup', setUpPage, ''],
];

/** A page for an account; anyone else comes back to it after signing in. */
function signedIn(page) {
  return async (...parts) => {
    if (account === null && !await loadSession()) {
      const here = location.pathname;
      navigate('/signin' + (here === '/' ? '' : '?to=' + encodeURIComponent(here)), { replace: true });
      return null;
    }
    return page(...parts);
  };
}

onAccountChange(() => {
  const header = document.getElementById('header');
  header.hidden = account === null;
  header.replaceChildren(account === null ? '' : html`
    <a href="/" class="brand" aria-label="Stet, templates"><span class="stet">Stet</span></a>
    <nav aria-label="Main">
      <a href="/" data-section="templates">Templates</a>
      <a href="/blocks" data-section="blocks">Shared blocks</a>
      <a href="/keys" data-section="keys">Keys</a>
      <a href="/usage" data-section="usage">Usage</a>
      ${account.operator && link('/installation', 'Installation', { 'data-section': 'installation' })}
    </nav>
    <div class="who">
      ${link('/account', account.email, { 'data-section': 'account', class: 'email', 'aria-label': 'Account ' + account.email })}
      ${button('Sign out', onSignOut, { class: 'quiet small' })}
    </div>`);
});

async function onSignOut() {
  if (await mayLeave()) {
    await attempt(() => signOut(false));
  }
}

// All requests that wait are sent again together.
let waiting = [];

function showBanner(text, label, act) {
  const place = document.getElementById('banner');
  if (place.firstChild?.dataset?.text !== text) {
    place.replaceChildren(html`<div class="banner" data-text=${text}><p>${text}</p>${button(label, act)}</div>`);
  }
}

function sendAgain() {
  document.getElementById('banner').replaceChildren();
  const all = waiting;
  waiting = [];
  all.forEach(goOn => goOn(true));
}

hooks.onUnreachable = () => new Promise(done => {
  waiting.push(done);
  document.getElementById('main').removeAttribute('aria-busy');
  showBanner('Cannot reach the server. What you have typed is kept here.', 'Retry', sendAgain);
});

hooks.onReached = () => {
  if (document.querySelector('#banner [data-text^="Cannot"]')) {
    sendAgain();
  }
};

let signingIn = null;

async function signInHere() {
  signingIn ??= signInAgain(account.email).finally(() => { signingIn = null; });
  const done = await signingIn;
  if (done) {
    sendAgain();
  }
  return done;
}

hooks.onSignedOut = background => {
  if (account === null) {
    location.assign('/signin');
    return new Promise(() => {});
  }
  const sentAgain = new Promise(done => { waiting.push(done); });
  showBanner('Your session has ended. What you have typed is kept here.', 'Sign in again', signInHere);
  return background ? sentAgain : signInHere();
};

start(routes);
