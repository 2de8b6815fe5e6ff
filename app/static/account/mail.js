// Which emails Stet sends to the user, on the account page, and the queue, on the administration page.
import { html, button, card, count } from '../frame/dom.js';
import { get, put } from '../frame/server.js';
import { attempt, notify } from '../frame/dialog.js';
import { checkbox, form, sentence } from '../frame/form.js';
import { requestConfirmation } from '../publish/sendtest.js';
import { account, mayAs } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

/** @param own {confirmed, pending, choices} from the server */
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

/** The mail server and the emails that it has not taken. */
export async function queueCard() {
  const { server, waiting, lastSentAt, mails } = await get('/data/mail/queue');
  return html`
    <section class="card">
      <h2>Email</h2>
      ${server === null
        ? html`<p>Stet sends no emails. To turn on emails to users, start Stet with <code>--smtp</code>.</p>` : html`
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
      <p class="hint"><a href="/docs/email">How to set up and test the mail server</a></p>
    </section>`;
}

const kinds = { reset: 'password reset', 'reset-link': 'password-reset link', password: 'changed password', address: 'confirmation', 'two-factor': 'changed two-factor authentication', notice: 'changed address', invitation: 'invitation', review: 'review request', test: 'test' };

function row({ kind, email, account: name, createdAt, state, tries, dueAt, outcome }) {
  return html`
    <li>
      <b>${kinds[kind][0].toUpperCase() + kinds[kind].slice(1)}</b> to ${email || 'an address to look up'}${name && ` (${name})`}, ${relativeTime(createdAt)}:
      ${state === 'failed' ? 'failed' : state === 'sending' ? 'sending' : tries === 0 ? 'waiting' : ['next attempt ', relativeTime(dueAt)]}.
      ${outcome && html`<span class="hint">${sentence({ message: outcome })}</span>`}
    </li>`;
}
