// The frame around every page: top bar, routes, and a banner while the server is unreachable or the session has ended.
import { html, button, link } from './frame/dom.js';
import { hooks, get } from './frame/server.js';
import { start, navigate, reload, mayLeave } from './frame/router.js';
import { account, labelMark, resumeByProxy, loadSession, setAccount, switchAccount, onAccountChange } from './frame/session.js';
import { chooseAccount, moveTo, onSignOut, otherAccounts, pages } from './account/mainmenu.js';
import { attempt } from './frame/dialog.js';
import { signInAgain, signInPage, setUpPage } from './account/signin.js';
import { templatesPage } from './list/templates.js';
import { templatePage } from './list/template.js';
import { blocksPage } from './list/blocks.js';
import { blockPage } from './list/block.js';
import { imagesPage } from './images/imagespage.js';
import { stalePage } from './list/stale.js';
import { trashPage } from './list/trash.js';
import { keysPage } from './account/keys.js';
import { usagePage } from './account/usage.js';
import { accountPage } from './account/account.js';
import { securityPage } from './account/access.js';
import { activityPage } from './account/activity.js';
import { blockPreviewPage, templatePreviewPage } from './preview/previewpage.js';
import { usersPage } from './account/users.js';
import { confirmPage, forgotPage, joinPage, resetPage } from './account/links.js';
import { reviewPage } from './publish/review.js';
import { installationPage } from './account/installation.js';
import './frame/shortcuts.js';
import './frame/strayfiles.js';

const routes = [
  ['/', signedIn(templatesPage), 'templates'],
  ['/templates', signedIn(templatesPage), 'templates'],
  ['/templates/:id', signedIn(templatePage), 'templates'],
  ['/templates/:id/preview', signedIn(templatePreviewPage), 'templates'],
  ['/blocks', signedIn(blocksPage), 'blocks'],
  ['/blocks/:id', signedIn(blockPage), 'blocks'],
  ['/blocks/:id/preview', signedIn(blockPreviewPage), 'blocks'],
  ['/images', signedIn(imagesPage), 'images'],
  ['/stale', signedIn(stalePage), 'blocks'],
  ['/trash', signedIn(trashPage), 'templates'],
  ['/keys', signedIn(keysPage), 'keys'],
  ['/usage', signedIn(usagePage), 'usage'],
  ['/activity', signedIn(activityPage), 'activity'],
  ['/users', signedIn(usersPage), 'users'],
  ['/account', signedIn(accountPage, { inAccount: false }), 'account'],
  ['/security', signedIn(securityPage, { inAccount: false }), 'account'],
  ['/installation', signedIn(installationPage, { inAccount: false }), 'installation'],
  ['/signin', signInPage, ''],
  ['/setup', setUpPage, ''],
  ['/join', joinPage, ''],
  ['/reset', resetPage, ''],
  ['/forgot', forgotPage, ''],
  ['/confirm', confirmPage, ''],
  ['/review', reviewPage, ''],
];

/**
 * A page that requires sign-in; after signing in, the user returns to it, without the fragment. Goes to the security page instead
 * if the account requires two-factor authentication that the user has not set up.
 *
 * @param page      makes the page, as for {@link start}
 * @param inAccount true if the page needs an account
 */
function signedIn(page, { inAccount = true } = {}) {
  return async (...parts) => {
    if (account === null && !await loadSession()) {
      const here = location.pathname + location.search;
      navigate('/signin' + (here === '/' ? '' : '?to=' + encodeURIComponent(here)), { replace: true });
      return null;
    }
    try {
      return await (inAccount && account.id === null ? noAccountPage() : page(...parts));
    } catch (failure) {
      if (!failure.body?.twoFactor) {
        throw failure;
      }
      navigate('/security', { replace: true });
      return null;
    }
  };
}

/** Page for a user who has no account or was removed from the current account. */
function noAccountPage() {
  const others = account.accounts.filter(each => !each.suspended);
  return {
    title: 'No account',
    content: html`
      <section class="empty">
        <h1 tabindex="-1">${others.length > 0 ? 'Choose an account' : 'You do not belong to any account'}</h1>
        <p>${others.length > 0 ? 'Select an account to continue.' : withoutAccounts()}</p>
        <div class="row">${others.map(({ id, name }) => button(name, () => attempt(() => moveTo(id))))}</div>
        <p>${link('/account', 'Your profile, password and sessions')}</p>
      </section>`,
  };
}

/** Says what a user can do who has no account but suspended ones. */
function withoutAccounts() {
  const { length } = account.accounts;
  return length === 0 ? 'Ask an account owner for an invitation link and open it in this browser.'
    : `${length === 1 ? 'Your account is' : 'All your accounts are'} suspended. Contact an administrator.`;
}

/** Button in the top bar that switches between the user's accounts; false if there is no other account. */
function accountSwitch() {
  const name = account.accountName ?? 'No account';
  return otherAccounts().length > 0 && button(name, () => attempt(chooseAccount),
    { class: 'small switch', 'aria-haspopup': 'dialog', 'aria-label': name + ', switch account' });
}

onAccountChange(() => {
  if (account?.id !== waitingAccount) {
    waitingAccount = account?.id;
    waiting = []; // requests of another account are never sent
  }
  const header = document.getElementById('header');
  header.hidden = account === null;
  header.dataset.colour = account?.colour ?? 'none';
  header.replaceChildren(account === null ? '' : html`
    <a href="/" class="brand" aria-label="Stet, templates"><span class="stet">Stet</span></a>
    <nav aria-label="Main">
      ${pages().map(({ href, text, section }) => link(href, text, { 'data-section': section }))}
    </nav>
    <div class="who">
      ${account.id !== null && labelMark(account)}
      ${accountSwitch()}
      ${account.unconfirmed && link('/account', 'Confirm your email address', { class: 'small unconfirmed' })}
      ${link('/account', account.email, { 'data-section': 'account', class: 'email', 'aria-label': 'Account ' + account.email })}
      ${button('Sign out', onSignOut, { class: 'quiet small' })}
    </div>`);
});

const KEPT = 'Your text is kept in this browser.';
const UNREACHABLE = `Cannot reach the server. ${KEPT}`;
/** Interval between checks while the server is unreachable. */
const SERVER_CHECK_MILLIS = 3_000;

/** Functions that resolve the waiting requests' promises: true sends a request again. All are sent again together. */
let waiting = [];
/** ID of the account that the waiting requests are for; undefined or null without an account. */
let waitingAccount;

/** The text of the banner; undefined without a banner. */
const bannerText = () => document.getElementById('banner').firstChild?.dataset?.text;

/**
 * Shows a banner in place of any other; does nothing if it is shown already.
 *
 * @param acts pairs of a button label and its action
 */
function showBanner(text, ...acts) {
  if (bannerText() !== text) {
    document.getElementById('banner').replaceChildren(html`
      <div class="banner" data-text=${text}><p>${text}</p>${acts.map(([label, act]) => button(label, act))}</div>`);
  }
}

/** Removes the banner and sends the waiting requests again. */
function sendAgain() {
  document.getElementById('banner').replaceChildren();
  const all = waiting;
  waiting = [];
  all.forEach(resend => resend(true));
}

let isPolling = false;

/** Polls the server while the banner says that it is unreachable, unless that is going on already; then sends the waiting requests again. */
async function awaitServer() {
  if (isPolling) {
    return;
  }
  isPolling = true;
  do {
    await new Promise(done => setTimeout(done, SERVER_CHECK_MILLIS));
  } while (bannerText() === UNREACHABLE && !await isReachable());
  isPolling = false;
  hooks.onReached();
}

async function isReachable() {
  const response = await fetch('/healthz', { cache: 'no-store' }).catch(() => null);
  return response?.ok === true;
}

hooks.onUnreachable = () => new Promise(done => {
  waiting.push(done);
  document.getElementById('main').removeAttribute('aria-busy');
  showBanner(UNREACHABLE, ['Retry', sendAgain]);
  awaitServer();
});

hooks.onReached = () => {
  if (bannerText() === UNREACHABLE) {
    sendAgain();
  }
};

let signingIn = null; // promise of a sign-in that has begun

/** Renews the session over the open page, and sends the waiting requests again; resolves to true if that succeeded. */
async function signInHere() {
  signingIn ??= (async () => await resumeByProxy() || signInAgain(account.email))().finally(() => { signingIn = null; });
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
  showBanner(`Your session has expired. ${KEPT}`, ['Sign in again', signInHere]);
  return background ? sentAgain : signInHere();
};

/**
 * Handles an error that may be due to a changed role, a removal, a suspended account or an account switch in another window.
 * Shows a banner that names the cause, if there is one. The page stays open. After a switch, waits until the user switches back and then
 * resolves to true, to send the request again; otherwise resolves to false.
 */
hooks.onRefused = async () => {
  const present = await get('/data/session');
  const here = present.accounts.find(each => each.id === account.id);
  const elsewhere = ['Continue…', () => attempt(leavePage)];
  if (!here) {
    showBanner(`You no longer belong to ${account.accountName}. ${KEPT}`, elsewhere);
  } else if (here.suspended) {
    showBanner(`${here.name} is suspended. Contact an administrator. ${KEPT}`, elsewhere);
  } else if (present.id !== account.id) {
    const name = present.accountName ?? 'no account';
    showBanner(`You switched to ${name} in another window. ${KEPT}`,
      ['Back to ' + here.name, () => attempt(async () => {
        await switchAccount(account.id);
        sendAgain();
      })], ['Go to ' + name, () => attempt(leavePage)]);
    document.getElementById('main').removeAttribute('aria-busy');
    return new Promise(done => { waiting.push(done); });
  } else if (present.role !== account.role) {
    setAccount(present);
    showBanner(`Your role in ${present.accountName} is now ${present.role}. ${KEPT}`, ['Reload the page', async () => {
      if (await mayLeave()) {
        document.getElementById('banner').replaceChildren();
        await reload(location.pathname);
      }
    }]);
  }
  return false;
};

/** Goes to the user's current account, or lets them choose one. Requests still waiting are never sent. */
async function leavePage() {
  if (await mayLeave()) {
    document.getElementById('banner').replaceChildren();
    waiting = []; // also if the account is the same, but suspended
    await loadSession();
    await navigate('/', { force: true });
  }
}

start(routes);
