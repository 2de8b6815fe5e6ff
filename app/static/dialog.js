// Dialogs and the short messages that come and go.
import { element, button } from './dom.js';
import { form, sentence } from './form.js';

let last = 0;

/**
 * Opens a dialog over the page. `build(close)` gives its contents. Answers what it was closed with, and undefined
 * when it was left by Escape or its cross; the focus goes back to where it was.
 */
export function dialog(title, build, { wide = false, closable = true, kind = '' } = {}) {
  return new Promise(done => {
    const before = document.activeElement;
    const id = 'dialog-' + ++last;
    const node = element('dialog', { 'aria-labelledby': id, class: (wide ? 'wide ' : '') + kind });
    let answer;
    const close = value => {
      answer = value;
      node.close();
    };
    node.append(
      element('div', { class: 'dialog-head' },
        element('h2', { id, tabindex: '-1' }, title),
        closable && button('✕', () => close(), { class: 'quiet cross', 'aria-label': 'Close' })),
      element('div', { class: 'dialog-body' }, build(close)));
    // A browser lets a second Escape through although the first one's cancel was refused, so the key is refused too.
    const stays = event => {
      if (!closable && (event.type === 'cancel' || event.key === 'Escape')) {
        event.preventDefault();
      }
    };
    node.addEventListener('cancel', stays);
    node.addEventListener('keydown', stays);
    node.addEventListener('close', () => {
      node.remove();
      if (before?.isConnected) {
        before.focus();
      }
      done(answer);
    });
    document.body.append(node);
    node.showModal();
    (node.querySelector('[autofocus]') ?? node.querySelector('h2')).focus();
  });
}

/** A dialog with one form; it closes with what `submit` answers. */
export function ask(title, label, contents, submit, { danger = false, cancel = 'Cancel', ...options } = {}) {
  return dialog(title, close => {
    const node = form(label, async (values, it) => close(await submit(values, it) ?? true), contents,
      button(cancel, () => close()));
    if (danger) {
      node.querySelector('.primary').className = 'danger solid';
    }
    return node;
  }, options);
}

/** A question with two answers; true for the one that does it. */
export async function confirmed(title, text, label, { danger = false, cancel = 'Cancel' } = {}) {
  return await dialog(title, close => [
    ...[text].flat().map(part => typeof part === 'string' ? element('p', {}, part) : part),
    element('div', { class: 'actions' },
      button(cancel, () => close(false), { autofocus: true }),
      button(label, () => close(true), { class: danger ? 'danger solid' : 'primary' })),
  ]) === true;
}

/** Says in passing what was done. */
export function say(text, kind = 'done') {
  const message = element('p', { class: 'toast ' + kind }, text);
  // What is behind an open dialog is neither seen nor read out, so there it is said within.
  const open = [...document.querySelectorAll('dialog[open]')].pop();
  (open ? place(open) : document.getElementById('status')).replaceChildren(message);
  setTimeout(() => message.remove(), kind === 'done' ? 5000 : 12000);
}

function place(open) {
  if (!open.querySelector('.status')) {
    open.append(element('div', { class: 'status', role: 'status' }));
  }
  return open.querySelector('.status');
}

/** Runs what a button does; a failure is said, and nothing else changes. */
export async function attempt(run) {
  try {
    return await run();
  } catch (failure) {
    if (failure.name === 'AbortError') {
      return undefined;
    }
    if (failure.status === undefined) {
      console.error(failure);
    }
    say(sentence(failure), 'failed');
    return undefined;
  }
}
