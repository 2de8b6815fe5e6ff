// Signing in, in place too, and the first account.
import { element, link } from './dom.js';
import { post } from './server.js';
import { dialog } from './dialog.js';
import { form, field, choice } from './form.js';
import { go, inside } from './router.js';
import { account, fresh, known, signedIn } from './session.js';

/** What a plan gives (api.md, Quota). */
export const plans = {
  free: '100 requests every 30 days, 1 API key',
  pro: '5,000 requests a month, 5 API keys',
  none: 'no active plan: requests are answered with 403',
};

function card(title, ...contents) {
  return element('section', { class: 'card gate' },
    element('p', { class: 'mark' }, element('span', { class: 'stet' }, 'Stet')),
    element('h1', { tabindex: '-1' }, title), contents);
}

function password(label, attributes, hint) {
  return field('password', label, { type: 'password', required: true, ...attributes }, hint);
}

export async function signInPage() {
  const to = inside(new URLSearchParams(location.search).get('to') ?? '/');
  if (account !== null || await known()) {
    go(to, { replace: true });
    return null;
  }
  const contents = fresh
    ? [element('p', {}, 'There is no account on this server yet. Open the set-up link that it printed when it started; '
        + 'it creates the first account.')]
    : [form('Sign in', async given => {
        signedIn(await post('/data/session', { email: given.email, password: given.password }, { asks: true }));
        await go(to, { replace: true, force: true });
      }, [
        field('email', 'E-mail', { type: 'email', autocomplete: 'username', required: true, 'data-focus': true }),
        password('Password', { autocomplete: 'current-password' }),
      ])];
  return { title: 'Sign in', kind: 'gate', content: card('Sign in', contents) };
}

export function setUpPage() {
  const token = decodeURIComponent(location.hash.slice(1));
  const contents = token === ''
    ? [element('p', {}, 'The link is not complete: it ends in # and a token. Copy all of it from the screen of the server.'),
       element('p', {}, link('/signin', 'Sign in instead'))]
    : [element('p', { class: 'lead' }, 'This creates the first account on this server. It is yours: you choose its plan.'),
       form('Create the account', async given => {
         signedIn(await post('/data/setup', { token, email: given.email, password: given.password, plan: given.plan }, { asks: true }));
         await go('/', { replace: true, force: true });
       }, [
         field('email', 'E-mail', { type: 'email', autocomplete: 'username', required: true, 'data-focus': true }),
         password('Password', { autocomplete: 'new-password' }, 'At least 8 characters. A few words are easier to remember than signs.'),
         choice('plan', 'Plan', [
           { value: 'free', label: 'Free', hint: plans.free },
           { value: 'pro', label: 'Pro', hint: plans.pro },
         ], 'pro'),
         element('p', { class: 'error', 'data-error': 'token' }),
       ])];
  return { title: 'Set up', kind: 'gate', content: card('Set up Stet', contents) };
}

/** Signs in over the page that is open; true when done. The account stays the one whose text is on the page. */
export async function signIn(email) {
  return await dialog('Sign in again', close => [
    element('p', {}, 'Your session has ended. After signing in, the page goes on where it was.'),
    form('Sign in', async given => {
      signedIn(await post('/data/session', { email, password: given.password }, { asks: true }));
      close(true);
    }, [
      field('email', 'E-mail', { type: 'email', value: email, readonly: true, autocomplete: 'username' }),
      password('Password', { autocomplete: 'current-password', autofocus: true }),
    ]),
  ]) === true;
}
