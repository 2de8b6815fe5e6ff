// Dialogs, and the short messages that come and go.
import { html, button } from './dom.js';
import { form, sentence } from './form.js';

/** A dialog with a bar is opened when a request takes longer. */
const PROGRESS_DELAY_MILLIS = 150;

let last = 0;

/**
 * Opens a dialog over the page. `build(close)` makes its contents. Resolves to the value it was closed with, or to undefined
 * when it was left by Escape or its cross. The focus goes back to where it was.
 */
export function dialog(title, build, { wide = false, closable = true } = {}) {
  return new Promise(done => {
    const before = document.activeElement;
    const id = 'dialog-' + ++last;
    let answer;
    const close = value => {
      answer = value;
      node.close();
    };
    // A browser lets a second Escape through although the first one's cancel was refused, so the key is refused too.
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
      done(answer);
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

/** Shows a dialog from its top, with the focus on what is to be used first, or on the heading where that is further down. */
function focusAtTop(node) {
  const [first, heading] = [node.querySelector('[autofocus]'), node.querySelector('h2')];
  node.scrollTop = 0;
  const isSeen = first && first.getBoundingClientRect().bottom <= node.getBoundingClientRect().bottom;
  (isSeen ? first : heading).focus({ preventScroll: true });
}

/** A dialog with one form. It closes with the value of `submit`, or true. */
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

/** A question with two answers; true for the one that acts. */
export async function confirmed(title, text, label, { danger = false, cancel = 'Cancel' } = {}) {
  return await dialog(title, close => html`
    ${[text].flat().map(part => typeof part === 'string' ? html`<p>${part}</p>` : part)}
    <div class="actions">
      ${button(cancel, () => close(false), { autofocus: true })}
      ${button(label, () => close(true), { class: danger ? 'danger solid' : 'primary' })}
    </div>`) === true;
}

/**
 * Waits for a request, with a dialog when it takes long. A refusal is shown there in full, since it may name a file and a field.
 *
 * @param run     gets the signal that ends the request
 * @param refused words behind a refusal
 * @return what the request gave; undefined when it was stopped or refused
 */
export async function showProgress(title, run, refused = '') {
  const aborter = new AbortController();
  const outcome = run(aborter.signal).then(value => ({ value }), failure => ({ failure }));
  const quick = await Promise.race([outcome, new Promise(done => setTimeout(done, PROGRESS_DELAY_MILLIS))]);
  if (quick?.value) {
    return quick.value;
  }
  const value = await dialog(title, close => {
    const place = html`
      <div>
        <progress aria-label=${title}></progress>
        <div class="actions">${button('Stop', () => close(), { autofocus: true })}</div>
      </div>`;
    outcome.then(({ value: given, failure }) => failure
      ? place.replaceChildren(html`
        <p class="error" role="alert">${sentence(failure)}</p>
        ${refused && html`<p>${refused}</p>`}
        <div class="actions">${button('Close', () => close(), { class: 'primary' })}</div>`)
      : close(given));
    return place;
  });
  aborter.abort();
  return value;
}

/** Shows a short message for some seconds. */
export function notify(text, kind = 'done') {
  const message = html`<p class="toast ${kind}">${text}</p>`;
  // A message behind an open dialog is neither seen nor read out, so it is shown in the dialog.
  const open = [...document.querySelectorAll('dialog[open]')].pop();
  (open ? statusOf(open) : document.getElementById('status')).replaceChildren(message);
  setTimeout(() => message.remove(), kind === 'done' ? 5000 : 12000);
}

function statusOf(open) {
  if (!open.querySelector('.status')) {
    open.append(html`<div class="status" role="status"></div>`);
  }
  return open.querySelector('.status');
}

/** Runs an action; its failure is shown as a message, and nothing else changes. */
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
