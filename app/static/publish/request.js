// Review requests: a writer requests a review of a draft; users who may publish it see the request.
import { html, button } from '../frame/dom.js';
import { post, remove } from '../frame/server.js';
import { attempt, formDialog, notify } from '../frame/dialog.js';
import { checkbox, field } from '../frame/form.js';
import { showReviewLinks } from './reviewlinks.js';
import { submitSeen } from '../frame/seen.js';
import { accountLine } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

const path = id => `/data/templates/${encodeURIComponent(id)}/request`;

/**
 * Requests a review of the saved draft, and creates a review link if the user wants one. Resolves to the template; undefined if the
 * user cancels or the draft is what is live.
 */
export async function requestReview({ id, name, request, state, stale }) {
  if (state === 'published' && stale.length === 0) {
    notify('Nothing to review; the draft matches the live version.', 'failed');
    return undefined;
  }
  let makesLink = false;
  const words = ({ note }) => note ? `“${note}”` : 'a request without a note';
  const template = await formDialog('Request review of ' + name, 'Request review', [
    accountLine(),
    html`<p>Editors and owners see the request in the template list and can publish the latest draft.</p>`,
    field('note', 'Note',
      { maxlength: 200, value: request?.note ?? '', autofocus: true, placeholder: 'e.g. for the sale on Friday' },
      'Optional. Shown with the request.'),
    checkbox('link', 'Also create a review link for someone without an account'),
  ], submitSeen({ note: request?.note ?? null }, words, ({ note, link, seen }) => {
    makesLink = link;
    return post(path(id), { note, seen });
  }));
  if (template) {
    notify('Review of ' + name + ' requested.');
    if (makesLink) {
      await attempt(() => showReviewLinks({ id, name }, 'draft')); // without a link, the review is requested all the same
    }
  }
  return template;
}

/** Resolves to the template without its request. */
export async function withdrawRequest({ id }) {
  const template = await remove(path(id));
  notify('Review request withdrawn.');
  return template;
}

/**
 * "Ben requested a review 5 minutes ago: …"; null without a request.
 *
 * @param onWithdraw withdraws the request; null for no such button
 */
export function requestNotice(request, onWithdraw = null) {
  return request && html`
    <p class="notice request">
      <b>${requesterOf(request)}</b> requested a review ${relativeTime(request.at)}${noteWords(request)}
      ${request.savedSince && html`<span> The draft has changed since the request.</span>`}
      ${onWithdraw && [' ', button('Withdraw', onWithdraw, { class: 'small', 'aria-label': 'Withdraw request' })]}
    </p>`;
}

/** Badge for a template in the list; null without a request. */
export function requestMark(request) {
  return request && html`
    <span class="badge live" title="${requesterOf(request)} requested a review${noteWords(request)}">review requested</span>`;
}

/** The user who requested a review, whose account may have been deleted. */
const requesterOf = ({ by }) => by || 'Someone';

/** The end of a sentence about a request: its note, or only a full stop. */
function noteWords({ note }) {
  return note ? `: “${note}”` : '.';
}
