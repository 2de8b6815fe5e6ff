// Which emails Stet sends to the user, on the account page, and the queue, on the administration page.
import { html, button, card, command, count } from '../frame/dom.js';
import { get, put } from '../frame/server.js';
import { attempt, notify } from '../frame/dialog.js';
import { checkbox, form, punctuated } from '../frame/form.js';
import { requestConfirmation } from '../publish/sendtest.js';
import { account, mayAs } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

/**
 * Whether the user's address is confirmed, and which emails they want.
 *
 * @param pending address that replaces the user's once it is confirmed, or null
 * @param choices {tests, reviews}; null without an account
 */
export function mailCard({ confirmed, pending, choices }) {
  return card('Emails from Stet', html`
    ${pending && html`<p class="warning">Open the link in the email to ${pending} to use that address.</p>`}
    ${confirmed ? html`<p>Stet sends emails to <b>${account.email}</b>.</p>` : html`
      <p class="warning">${account.email} is not confirmed. Until it is, you cannot reset your password by email or receive tests.</p>
      <div class="row">${button('Send confirmation', () => attempt(() => requestConfirmation(account.email)))}</div>`}
    ${choices && form('Save', async ({ tests, reviews = choices.reviews }) => {
      await put('/data/mail/choices', { tests, reviews });
      notify('Saved.');
    }, [
      mayAs('editor') && checkbox('reviews', `Email me when a review is requested in ${account.accountName}`, choices.reviews),
      checkbox('tests', `Other users of ${account.accountName} may send me tests`, choices.tests),
    ])}`);
}

/** The mail server and the emails that have not been sent. */
export async function queueCard() {
  const { server, waiting, lastSentAt, mails } = await get('/data/mail/queue');
  return card('Email', html`
    ${server === null
      ? html`<p>Stet sends no emails. To turn on emails to users, start Stet with ${command('--smtp')}.</p>` : html`
        <dl class="facts">
          <dt>Mail server</dt><dd>${server}</dd>
          <dt>Last sent</dt><dd>${lastSentAt ? relativeTime(lastSentAt) : 'none this week'}</dd>
          <dt>Queue</dt><dd>${count(waiting, 'email')}</dd>
        </dl>`}
    ${mails.length > 0 && html`
      <details>
        <summary>${count(mails.length, 'email')} not sent</summary>
        <ul class="plain unsent">${mails.map(row)}</ul>
      </details>`}
    <p class="hint"><a href="/docs/email">How to set up and test the mail server</a></p>`);
}

/** Names of the kinds of emails. */
const KINDS = {
  reset: 'Password reset',
  'reset-link': 'Password-reset link',
  password: 'Changed password',
  address: 'Confirmation',
  'two-factor': 'Changed two-factor authentication',
  notice: 'Changed address',
  invitation: 'Invitation',
  review: 'Review request',
  test: 'Test',
};

function row({ kind, email, account: accountName, createdAt, state, tries, dueAt, outcome }) {
  return html`
    <li>
      <b>${KINDS[kind]}</b> to ${email || 'an address to look up'}${accountName && ` (${accountName})`}, ${relativeTime(createdAt)}:
      ${stateWords({ state, tries, dueAt })}.
      ${outcome && html`<span class="hint">${punctuated(outcome)}</span>`}
    </li>`;
}

/** The state of an unsent email: a text, or a list of texts and nodes. */
function stateWords({ state, tries, dueAt }) {
  if (state === 'failed' || state === 'sending') {
    return state;
  }
  return tries === 0 ? 'waiting' : ['next attempt ', relativeTime(dueAt)];
}
