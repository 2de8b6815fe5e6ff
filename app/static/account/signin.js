// Sign-in, also as a dialog over the current page, and set-up of the first account.
import { html, button, count, gate, link } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { dialog } from '../frame/dialog.js';
import { codeField } from './access.js';
import { plans } from './plans.js';
import { form, field, choice, newPasswordField, sentence } from '../frame/form.js';
import { navigate, reload, localAddress } from '../frame/router.js';
import { account, hasProxy, needsSetup, proxyRefusal, resume, loadSession, setAccount, signInByProxy } from '../frame/session.js';

/** Limits of the plan for one's own apps, which set-up offers. */
const OWN_LIMITS = { requests: 1_000_000, keys: 20 };

function emailField(attributes) {
  return field('email', 'Email', { type: 'email', autocomplete: 'username', ...attributes });
}

function passwordField(attributes) {
  return field('password', 'Password', { type: 'password', autocomplete: 'current-password', required: true, ...attributes });
}

export async function signInPage() {
  const to = localAddress(new URLSearchParams(location.search).get('to') ?? '/') + location.hash;
  if (account !== null || await loadSession()) {
    navigate(to, { replace: true });
    return null;
  }
  const mail = !needsSetup && await get('/data/mail', { quiet: true, throws401: true }).catch(() => null);
  const contents = needsSetup
    ? html`
      <p>This server has no accounts yet. To create the first account, open the set-up link printed when the
        server started.</p>`
    : [byProxy(to), form('Sign in', async (given, node) => {
      setAccount(await newSession(given.email, given, node));
      await navigate(to, { replace: true, force: true });
    }, [
      emailField({ required: true, 'data-focus': true }),
      passwordField(),
      hiddenCode(),
    ]), mail?.on && html`<p>${link('/forgot', 'Forgot password?', { class: 'forgot' })}</p>`];
  return { title: 'Sign in', kind: 'gate', content: gate('Sign in', contents) };
}

/** For a user signed in by a proxy: a button to continue, or the reason why the server rejected the user. */
function byProxy(to) {
  if (proxyRefusal) {
    return html`<p class="error" role="alert">${sentence(proxyRefusal)}</p>`;
  }
  return hasProxy && html`
    <p>${button('Sign in with single sign-on', async () => {
      if (await signInByProxy()) {
        await navigate(to, { replace: true, force: true });
      } else {
        await reload('/signin');
      }
    }, { class: 'primary' })}</p>`;
}

/** The code field, shown once the server asks for a code. */
function hiddenCode() {
  const node = codeField();
  node.hidden = true;
  return node;
}

/**
 * Signs in; resolves to the session. With two-factor authentication, the form then asks for a code, and a second request sends
 * password and code.
 *
 * @param node the form, with a {@link hiddenCode}
 */
async function newSession(email, { password, code }, node) {
  try {
    return await post('/data/session', { email, password, ...code && { code } }, { throws401: true });
  } catch (failure) {
    if (failure.field === 'code') {
      node.elements.code.closest('.field').hidden = false;
    }
    throw failure;
  }
}

export async function setUpPage() {
  const token = location.hash.slice(1);
  const isUsed = account !== null || await loadSession() || !needsSetup;
  return { title: 'Set up', kind: 'gate', content: gate('Set up Stet', isUsed ? usedSetUp() : setUp(token)) };
}

function usedSetUp() {
  return html`
    <p>This server already has an account, so this link no longer works.</p>
    <p>${account ? link('/', 'View templates') : link('/signin', 'Sign in')}</p>`;
}

/** @param token empty if the link is incomplete */
function setUp(token) {
  return token === '' ? html`
    <p>This link is incomplete. Copy the whole link, including the part after #, from the server's output or log.</p>
    <p>${link('/signin', 'Sign in instead')}</p>` : html`
    <p class="lead">Create the first account on this server. You run this server, so you choose the plan and its limits.</p>
    ${setUpForm(token)}`;
}

function setUpForm(token) {
  return form('Create account', async ({ name, email, password, plan }) => {
    const limits = plan === 'own' ? { plan: 'pro', ...OWN_LIMITS } : { plan };
    setAccount(await post('/data/setup', { token, name, email, password, ...limits }, { throws401: true }));
    await navigate('/', { replace: true, force: true });
  }, [
    field('name', 'Account name', { maxlength: 200, required: true, 'data-focus': true, placeholder: 'e.g. Harbour Books' },
      'Your team or project. You can rename the account later.'),
    emailField({ required: true }),
    newPasswordField('Password'),
    choice('plan', 'Plan', [
      { value: 'own', label: 'For your own apps', hint: `${count(OWN_LIMITS.requests, 'request')} per month, ${count(OWN_LIMITS.keys, 'API key')}` },
      { value: 'pro', label: 'Pro', hint: plans.pro },
      { value: 'free', label: 'Free', hint: plans.free },
    ], 'own'),
    html`<p class="error" data-error="token"></p>`,
  ]);
}

/** Renews the session in a dialog over the open page, which keeps its account; resolves to true when done. */
export async function signInAgain(address) {
  return await dialog('Sign in again', close => html`
    <p>Your session has expired. Sign in to continue where you left off.</p>
    ${form('Sign in', async (given, node) => {
      await resume(await newSession(address, given, node));
      close(true);
    }, [
      emailField({ value: address, readonly: true }),
      passwordField({ autofocus: true }),
      hiddenCode(),
    ])}`) === true;
}
