// Requests to publish a draft: a writer asks, and whoever may publish sees it.
import { html, button } from './dom.js';
import { post, remove } from './server.js';
import { formDialog, notify } from './dialog.js';
import { field } from './form.js';
import { accountLine } from './session.js';
import { relativeTime } from './time.js';

const path = id => `/data/templates/${encodeURIComponent(id)}/request`;

/** Asks for the publication of the saved draft. Resolves to the template, or to undefined. */
export async function askForPublication({ id, name, request, state, stale }) {
  if (state === 'published' && stale.length === 0) {
    notify('There is nothing to publish: the draft is the same as the live version.', 'failed');
    return undefined;
  }
  const template = await formDialog('Ready to publish ' + name, 'Ask for publication', [
    accountLine(),
    html`<p>The editors and owners of the account see it in the list of templates, and publish the draft as it is then.</p>`,
    field('note', 'Note',
      { maxlength: 200, value: request?.note ?? '', autofocus: true, placeholder: 'for example: for the sale on Friday' },
      'For whoever publishes it. Optional.'),
  ], ({ note }) => post(path(id), { note }));
  if (template) {
    notify('Asked for the publication of ' + name + '.');
  }
  return template;
}

/** Resolves to the template without its request. */
export async function withdrawRequest({ id }) {
  const template = await remove(path(id));
  notify('The request is withdrawn.');
  return template;
}

/** "Ben asked for publication 5 minutes ago: …"; nothing without a request. @param onWithdraw or null */
export function requestNotice(request, onWithdraw = null) {
  return request && html`
    <p class="notice request">
      <b>${request.by || 'Somebody'}</b> asked for publication ${relativeTime(request.at)}${note(request)}
      ${request.savedSince && html`<span> The draft was saved since.</span>`}
      ${onWithdraw && [' ', button('Withdraw', onWithdraw, { class: 'small', 'aria-label': 'Withdraw the request' })]}
    </p>`;
}

/** The mark in the list of templates. */
export function requestMark(request) {
  return request && html`
    <span class="badge live" title="${request.by} asked for publication${note(request)}">ready to publish</span>`;
}

function note(request) {
  return request.note ? `: “${request.note}”` : '.';
}
