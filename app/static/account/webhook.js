// The account's webhook, which owners can set, test and remove.
import { html, button, card } from '../frame/dom.js';
import { get, post, put, remove } from '../frame/server.js';
import { attempt, confirmed, formDialog, notify } from '../frame/dialog.js';
import { field } from '../frame/form.js';
import { submitSeen } from '../frame/seen.js';
import { accountLine } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

/** Interval between requests for the result of a test. */
const POLL_MILLIS = 1_000;
/** A test takes up to 10 seconds, plus the time for messages of other accounts. */
const MAX_POLLS = 20;

export async function webhookCard() {
  const content = html`<div></div>`;
  const status = html`<p role="status"></p>`;
  let { webhook } = await get('/data/webhook'); // null if none is set
  let isTesting = false;

  /** Renders the card. If one of its buttons has the focus, that goes to the first new button, as the old ones are gone. */
  function show() {
    const hasFocus = content.contains(document.activeElement);
    if (webhook) {
      showState();
    }
    content.replaceChildren(html`
      ${webhook ? html`<p><code class="webhook-url">${webhook.url}</code></p>` : html`
        <p>Posts a message to Slack, Mattermost or a compatible chat service, for example when a review is requested or
          a version is published. <a href="/docs/working-together#webhook">What is sent</a></p>`}
      ${webhook && status}
      <div class="row">
        ${webhook ? [
          button('Change…', () => attempt(change), { 'aria-label': 'Change the webhook' }),
          button('Send a test', () => attempt(test)),
          button('Remove…', () => attempt(removeWebhook), { 'aria-label': 'Remove the webhook' }),
        ] : button('Set up…', () => attempt(change), { 'aria-label': 'Set up a webhook' })}
      </div>`);
    if (hasFocus) {
      content.querySelector('button').focus();
    }
  }

  /** Shows the last delivery. The buttons stay, so that the focus does. */
  function showState() {
    status.className = webhook.failure ? 'warning' : 'hint';
    status.replaceChildren(...[state()].flat());
  }

  /** The last delivery, in words: a text, or a list of texts and nodes. */
  function state() {
    const { failure, pending, triedAt } = webhook;
    if (triedAt === null) {
      return pending ? 'Sending…' : 'No messages sent yet.';
    }
    return failure ? ['Last delivery failed ', relativeTime(triedAt), ': ', failure, pending ? '. Stet will retry.' : '.']
      : ['Last delivery succeeded ', relativeTime(triedAt), '.'];
  }

  async function change() {
    const changed = await formDialog('Webhook', 'Save', [accountLine(),
      field('url', 'URL', { value: webhook?.url ?? '', type: 'url', maxlength: 500, required: true, autofocus: true, spellcheck: 'false',
        placeholder: 'https://hooks.example.com/services/1' }, 'The URL of an incoming webhook. Treat the URL as a secret.'),
    ], submitSeen({ url: webhook?.url ?? null }, ({ url }) => url ?? 'no webhook', given => put('/data/webhook', given)));
    if (changed) {
      webhook = changed.webhook;
      notify('Webhook saved.');
      show();
    }
  }

  /** Sends a test and shows its result. Clicks meanwhile do nothing. */
  async function test() {
    if (!isTesting) {
      isTesting = true;
      await sendTest().finally(() => { isTesting = false; });
    }
  }

  /** Sends a test and shows its result, unless the user changes or removes the webhook meanwhile. */
  async function sendTest() {
    const tested = webhook;
    await post('/data/webhook/test', {});
    status.textContent = 'Sending…';
    const found = await resultOf(tested).catch(failure => {
      if (webhook === tested) {
        showState(); // as before the test
      }
      throw failure;
    });
    if (webhook !== tested) {
      return;
    }
    webhook = found;
    if (webhook === null) { // removed in another window
      show();
    } else {
      showState();
    }
  }

  /** Waits for the webhook's next delivery, which is the test. Resolves to the webhook, as it is if that takes too long; null once it is removed. */
  async function resultOf(tested) {
    let found = tested;
    for (let polls = 0; polls < MAX_POLLS && content.isConnected && webhook === tested && found?.triedAt === tested.triedAt; polls++) {
      await new Promise(done => setTimeout(done, POLL_MILLIS));
      ({ webhook: found } = await get('/data/webhook', { quiet: true }));
    }
    return found;
  }

  async function removeWebhook() {
    if (await confirmed('Remove the webhook?', [accountLine(), 'Stet will stop posting messages to this URL.'], 'Remove', { danger: true })) {
      await remove('/data/webhook');
      webhook = null;
      notify('Webhook removed.');
      show();
    }
  }

  show();
  return card('Webhook', content);
}
