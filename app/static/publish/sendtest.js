// Dialog that sends a test email to the user's own mailbox, or to a member who chose to receive tests.
import { html, button } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { attempt, dialog, notify } from '../frame/dialog.js';
import { form, punctuated } from '../frame/form.js';
import { account } from '../frame/session.js';
import { ago } from '../frame/time.js';

/** Interval between requests for the state of a test while it is sent. */
const POLL_MILLIS = 1_000;
/** The same while it waits for its next attempt. */
const WAITING_POLL_MILLIS = 5_000;

/** An entry for a menu; false if the server sends no emails. @param test returns what {@link sendTest} takes */
export function sendTestEntry(test) {
  return account.mail === true && { text: 'Send test…', run: () => attempt(() => sendTest(test())) };
}

/**
 * Opens the dialog, with a form if any address is confirmed. If the user's is not, the dialog offers to confirm it.
 *
 * @param what   what is sent, such as "the draft"
 * @param sets   names of the sets of test data, in order
 * @param chosen name of the set to offer first
 * @param send   sends the test, given {chosen, to}; returns its state
 */
export async function sendTest({ what, sets, chosen, send }) {
  const { email, confirmed, recipients } = await get('/data/tests');
  await dialog('Send a test', () => recipients.length === 0 ? confirmationOffer(email) : [
    !confirmed && confirmationOffer(email), sendForm({ what, sets, chosen, send, recipients }),
  ]);
}

/** A button that sends the email which confirms an address. */
function confirmationOffer(email) {
  const node = html`
    <div>
      <p>Stet sends tests only to confirmed addresses, and ${email} is not confirmed yet.</p>
      <div class="row">${button('Send confirmation', () => attempt(async () => {
        await requestConfirmation(email);
        node.replaceChildren(html`<p role="status">Open the link in the email to ${email}, then come back.</p>`);
      }), { class: 'primary' })}</div>
    </div>`;
  return node;
}

/** Sends the email that confirms the user's present address. */
export async function requestConfirmation(email) {
  await post('/data/mail/confirmation');
  notify('Sent a link to ' + email + '.');
}

/** The form, which shows the state of the test that it has sent. @param recipients {id, self, name, email} of the confirmed addresses */
function sendForm({ what, sets, chosen, send, recipients }) {
  const state = html`<div class="test-state" role="status"></div>`;
  const select = (name, label, options, selected) => html`
    <div class="field">
      <label for="test-${name}">${label}</label>
      <select name=${name} id="test-${name}">
        ${options.map(([value, text]) => html`<option value=${value} selected=${value === selected}>${text}</option>`)}
      </select>
      <p class="error" data-error=${name}></p>
    </div>`;
  const node = form('Send', async ({ to, set }) => {
    const sent = await send({ to: Number(to), ...sets.length > 0 && { chosen: set } });
    await follow(sent, state, node);
  }, [
    html`<p>Sends ${what} as an email with “[Test]” before its subject.</p>`,
    select('to', 'To', recipients.map(each => [each.id, addressee(each)]), recipients[0].id),
    sets.length > 0 && select('set', 'Test data', sets.map(each => [each, each]), chosen),
    state,
  ]);
  return node;
}

function addressee({ self, name, email }) {
  if (self) {
    return email + ' (you)';
  }
  return name ? `${name}, ${email}` : email;
}

/**
 * Shows the state of a test until it is sent or has failed, or the dialog is closed.
 *
 * @param place element for the state
 * @param node  the form, which is in the page while the dialog is open
 */
async function follow(test, place, node) {
  let shown = test;
  for (;;) {
    place.replaceChildren(html`<p class=${['failed', 'dropped'].includes(shown.state) ? 'error' : 'hint'}>${words(shown)}</p>`);
    if (shown.state !== 'waiting' && shown.state !== 'sending') {
      return;
    }
    await new Promise(done => setTimeout(done, isRetry(shown) ? WAITING_POLL_MILLIS : POLL_MILLIS));
    if (!node.isConnected) {
      return;
    }
    shown = await get('/data/tests/' + test.id, { quiet: true }).catch(() => shown);
  }
}

/** True if an attempt to send the test has failed and Stet will try again. */
const isRetry = ({ state, tries }) => state === 'waiting' && tries > 0;

/** The state of a test as a sentence. @param outcome the mail server's reply or the reason of a failure; null before the first attempt */
function words({ email, state, tries, dueAt, outcome }) {
  const result = outcome ? punctuated(outcome) : '';
  switch (state) {
    case 'sent': return `Sent to ${email}. The mail server replied: ${result}`;
    case 'failed': return `Not sent to ${email}. ${result}`;
    case 'dropped': return `Not sent to ${email}, because ${result}`;
    default: return isRetry({ state, tries }) ? `${result} Stet tries again ${ago(dueAt)}; you can close this dialog.` : `Sending to ${email}…`;
  }
}
