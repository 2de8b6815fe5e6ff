// The page behind a review link: a draft or version for guests without an account. The secret is in the URL fragment, which
// browsers never send.
import { html, button, gate, link } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { unfolding } from '../frame/difference.js';
import { changeOrNew } from '../preview/pictures.js';
import { askForReply, commentField, showComments } from './comments.js';
import { attempt, notify } from '../frame/dialog.js';
import { field, form, sentence } from '../frame/form.js';
import { inspector } from '../preview/inspector.js';
import { preview } from '../preview/preview.js';
import { relativeTime } from '../frame/time.js';
import { sendTest } from './sendtest.js';

/** Place of a click in the source, as the preview reports it: its kind, begin and end. */
const PLACE = /^[etv] (\d{1,9}) (\d{1,9})$/;
/** Maximum length of the text that a comment quotes, as on the server. */
const MAX_QUOTE = 200;

/** The page for an incomplete or invalid link. @param text says why */
const failedPage = text => ({
  title: 'Review',
  kind: 'gate',
  content: gate('Review', [html`<p class="error" role="alert">${text}</p>`, html`<p>${link('/', 'Sign in')}</p>`]),
});

/** True if the server sends emails and a signed-in user with an account has opened the link; guests cannot send tests. */
async function mayTest() {
  const session = await get('/data/session', { throws401: true, quiet: true }).catch(() => null);
  return session?.mail === true && session.id !== null;
}

/** The page of the link in the address: a review, or why there is none. */
export async function reviewPage() {
  const secret = location.hash.slice(1);
  if (secret === '') {
    return failedPage('This link is incomplete. Copy the whole link, including the part after #.');
  }
  const ask = (more, options) => post('/data/review', { secret, ...more }, { throws401: true, ...options });
  let review;
  try {
    review = await ask({});
  } catch (failure) {
    if (failure.status !== 422 && failure.status !== 429) {
      throw failure;
    }
    return failedPage(sentence(failure));
  }
  return pageOf(review, {
    ask,
    sendComment: (path, more) => post(path, { secret, ...more }, { throws401: true }),
    sendTo: given => post('/data/review/tests', { secret, ...given }),
  });
}

/**
 * The page of a valid link.
 *
 * @param ask         requests the review, with further fields of the request and its options
 * @param sendComment sends a comment or reply to a path
 * @param sendTo      sends a test, as for sendTest
 */
async function pageOf(review, { ask, sendComment, sendTo }) {
  const text = review.pushed ? 'this preview' : review.number === null ? 'the draft' : 'version ' + review.number;
  const about = review.pushed ? `A preview of ${review.pushed}, pushed by ${review.madeBy}. Comment where you found the link.`
    : `${review.madeBy} invites you to review ${text}.`;
  const sets = html`
    <label>Test data <select @change=${() => view.update()}>
      ${review.samples.map(name => html`<option value=${name} selected=${name === review.chosen}>${name}</option>`)}
    </select></label>`;
  const chosen = () => sets.querySelector('select').value;
  const comments = review.pushed ? null : guestComments(review, sendComment);
  const view = preview({
    read: () => ({ html: '' }),
    ask: (draft, options) => ask({ chosen: chosen() }, options),
    onChecked: found => comments?.show(found.comments, found.revision),
    hasSubject: true,
    inspecting: inspector({ code: null, onPick: comments?.pick ?? (() => { }) }),
  });
  const comparison = unfolding(review.name, 'changes from the live version', async () => {
    const { shown, live } = await ask({ compare: true });
    return changeOrNew(live, shown, ['the live version', text], [
      { name: 'Live version', ask: async () => ({ preview: (await ask({ compare: true, chosen: chosen() })).livePreview }) },
      { name: text.replace(/^./, letter => letter.toUpperCase()), ask: () => ask({ chosen: chosen() }) },
    ]);
  });
  const askForTest = () => sendTest({ what: text, sets: review.samples, chosen: chosen(), send: sendTo });
  const testButton = comments !== null && await mayTest() && button('Send test…', () => attempt(askForTest));
  return {
    title: 'Review of ' + review.name,
    kind: 'editor',
    content: html`
      <header class="details review-head">
        <div class="row title"><h1 tabindex="-1">${review.name}</h1></div>
        <p class="hint">${about} This link expires ${relativeTime(review.expiresAt)}.</p>
        <div class="row">${review.samples.length > 1 && sets}${review.hasLive && comparison.opener}${testButton}</div>
        ${comparison.place}
      </header>
      <div class="only-preview reviewed">${view.node}${comments?.node}</div>`,
    onShow: () => view.update(),
    onLeave: () => view.close(),
  };
}

/**
 * Comments by guests and members, and a form for a new comment.
 *
 * @param first the review: its comments, and the revision of a draft
 * @param send  sends to a path, with the link's secret
 * @return {node, show, pick}
 */
function guestComments(first, send) {
  let { revision } = first; // of the draft in the preview
  const path = '/data/review/comments';
  const list = html`<div></div>`;
  const about = html`<p class="about" role="status"></p>`;
  let picked = {}; // {quote, place, placeEnd, revision} of the clicked text; empty for a general comment
  const commentForm = form('Comment', async ({ name, text }) => {
    show((await send(path, { name, text, ...picked })).comments);
    commentForm.elements.text.value = '';
    pick(null);
    notify('Comment sent.');
  }, [
    about,
    field('name', 'Your name', { maxlength: 100, autocomplete: 'name' }),
    commentField('Comment'),
    html`<p class="error" data-error="secret"></p>`,
  ]);

  /** Attaches the next comment to the clicked text; null for a general comment. */
  function pick(click) {
    const [, place, placeEnd] = PLACE.exec(click?.source ?? '') ?? [];
    picked = {
      ...click?.text && { quote: String(click.text).slice(0, MAX_QUOTE) },
      ...click?.text && place && revision && { place: Number(place), placeEnd: Number(placeEnd), revision },
    };
    const clear = button('✕', onClear, { class: 'small quiet', 'aria-label': 'Make this a general comment' });
    about.replaceChildren(picked.quote ? html`<span>About “${picked.quote}” ${clear}</span>`
      : 'In the preview, click text or an image to comment on it.');
  }

  function onClear() {
    pick(null);
    commentForm.elements.text.focus(); // the pressed button is gone
  }

  /** Shows the comments. @param shown revision of the draft that the preview now shows; without it, the preview has not changed */
  function show(comments, shown = revision) {
    revision = shown;
    showComments(list, comments, comment => comment.resolvedAt ? null : button('Reply', () => attempt(async () => {
      const found = await askForReply(comment, ({ text }) => send(path, { name: commentForm.elements.name.value, text, replyTo: comment.id }));
      if (found) {
        show(found.comments);
      }
    }), { class: 'small', 'aria-label': 'Reply to comment by ' + comment.by }));
  }

  pick(null);
  show(first.comments);
  return { node: html`<section class="pane guest-comments" aria-label="Comments"><h2>Comments</h2>${list}${commentForm}</section>`, show, pick };
}
