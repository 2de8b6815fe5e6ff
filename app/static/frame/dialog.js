// Dialogs and toast messages.
import { html, button, openDialog } from './dom.js';
import { form, sentence } from './form.js';

/** Delay before a progress dialog appears. */
const PROGRESS_DELAY_MILLIS = 150;

/** Duration of a message, in milliseconds: a failure takes longer to read. */
const DURATIONS = { done: 5_000, failed: 12_000 };

let lastId = 0;

/**
 * Opens a modal dialog; `build(close)` returns its content. Resolves to the value passed to `close`, or undefined if dismissed
 * by Escape or the close button. Focus returns to its previous place, if that is still in the page.
 *
 * @param options.closable false if only the content closes the dialog, without a close button and Escape
 */
export function dialog(title, build, { wide = false, closable = true } = {}) {
  return new Promise(done => {
    const before = document.activeElement;
    const id = 'dialog-' + ++lastId;
    let result;
    const close = value => {
      result = value;
      node.close();
    };
    // Also block the key, because browsers let a second Escape through even if the first cancel was prevented.
    const refuse = event => {
      if (!closable && (event.type === 'cancel' || event.key === 'Escape')) {
        event.preventDefault();
      }
    };
    const onClose = () => {
      node.remove();
      if (before?.isConnected) {
        before.focus();
      }
      done(result);
    };
    const node = html`
      <dialog aria-labelledby=${id} class=${wide && 'wide'} @cancel=${refuse} @keydown=${refuse} @close=${onClose}>
        <div class="dialog-head">
          <h2 id=${id} tabindex="-1">${title}</h2>
          ${closable && button('✕', () => close(), { class: 'quiet cross', 'aria-label': 'Close' })}
        </div>
        <div class="dialog-body">${build(close)}</div>
      </dialog>`;
    document.body.append(node);
    node.showModal();
    focusAtTop(node);
  });
}

/** Scrolls to the top and focuses the autofocus element, or the heading if that element is below the fold. */
function focusAtTop(node) {
  const [first, heading] = [node.querySelector('[autofocus]'), node.querySelector('h2')];
  node.scrollTop = 0;
  const isSeen = first && first.getBoundingClientRect().bottom <= node.getBoundingClientRect().bottom;
  (isSeen ? first : heading).focus({ preventScroll: true });
}

/**
 * A dialog with one form. Resolves to the result of `submit`, or true if that is null or undefined; undefined if dismissed, also during
 * `submit`, whose change may be made nevertheless.
 *
 * @param label          text of the button that submits
 * @param submit         as for {@link form}
 * @param options.cancel text of the button that dismisses
 */
export function formDialog(title, label, contents, submit, { danger = false, cancel = 'Cancel', wide = false } = {}) {
  return dialog(title, close => {
    const node = form(label, async (values, it) => close(await submit(values, it) ?? true), contents,
      button(cancel, () => close()));
    if (danger) {
      node.querySelector('.primary').className = 'danger solid';
    }
    return node;
  }, { wide });
}

/** Asks for confirmation; resolves to true if confirmed. @param text a paragraph, or several paragraphs and elements */
export async function confirmed(title, text, label, { danger = false, cancel = 'Cancel' } = {}) {
  return await dialog(title, close => html`
    ${[text].flat().map(part => typeof part === 'string' ? html`<p>${part}</p>` : part)}
    <div class="actions">
      ${button(cancel, () => close(false), { autofocus: true })}
      ${button(label, () => close(true), { class: danger ? 'danger solid' : 'primary' })}
    </div>`) === true;
}

/**
 * Waits for a request, with a progress dialog if it takes a while. Errors are shown in that dialog, because they may be long.
 *
 * @param run     receives the signal that aborts the request
 * @param refused text after an error; empty for none
 * @return result of the request; undefined if aborted or failed
 */
export async function showProgress(title, run, refused = '') {
  const aborter = new AbortController();
  const running = run(aborter.signal);
  const hasSucceeded = running.then(() => true, () => false);
  if (await Promise.race([hasSucceeded, new Promise(done => setTimeout(done, PROGRESS_DELAY_MILLIS))])) {
    return running;
  }
  const value = await dialog(title, close => {
    const place = html`
      <div>
        <progress aria-label=${title}></progress>
        <div class="actions">${button('Stop', () => close(), { autofocus: true })}</div>
      </div>`;
    running.then(close, failure => {
      place.replaceChildren(html`
        <p class="error" role="alert">${sentence(failure)}</p>
        ${refused && html`<p>${refused}</p>`}
        <div class="actions">${button('Close', () => close(), { class: 'primary' })}</div>`);
      place.querySelector('button').focus(); // in the place of Stop
    });
    return place;
  });
  aborter.abort();
  return value;
}

/** Shows a message for a few seconds. @param kind 'done', or 'failed' for an error */
export function notify(text, kind = 'done') {
  const message = html`<p class="toast ${kind}">${text}</p>`;
  // Show the message inside an open dialog, because behind the dialog it would be neither visible nor announced.
  const open = openDialog();
  (open ? statusOf(open) : document.getElementById('status')).replaceChildren(message);
  setTimeout(() => message.remove(), DURATIONS[kind]);
}

/** The dialog's place for messages, which is added on first use. */
function statusOf(open) {
  if (!open.querySelector('.status')) {
    open.append(html`<div class="status" role="status"></div>`);
  }
  return open.querySelector('.status');
}

/** Runs an action and shows any failure as a message. Resolves to its result; undefined after a failure. */
export async function attempt(run) {
  try {
    return await run();
  } catch (failure) {
    if (failure.name !== 'AbortError') {
      if (failure.status === undefined) {
        console.error(failure);
      }
      notify(sentence(failure), 'failed');
    }
    return undefined;
  }
}
