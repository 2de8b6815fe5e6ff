// Comments and replies on a draft or version: the list that members and guests see, and the editor's tab.
import { html, button } from '../frame/dom.js';
import { get, post, put, remove } from '../frame/server.js';
import { attempt, confirmed, formDialog, notify } from '../frame/dialog.js';
import { form } from '../frame/form.js';
import { relativeTime } from '../frame/time.js';

let lastId = 0;

/** Input for a comment or reply. */
export function commentField(label, { autofocus = false } = {}) {
  const id = 'comment-' + ++lastId;
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <textarea id=${id} name="text" rows="3" maxlength="2000" aria-describedby="${id}-error"
        autofocus=${autofocus}></textarea>
      <p class="error" id="${id}-error" data-error="text"></p>
    </div>`;
}

/**
 * Shows the comments, unresolved comments first. The focus stays on the same button of a comment, else goes to its first button; if the comment is
 * gone, to the field for a new one.
 *
 * @param comments {id, replyTo, by, guest, at, number, text, quote, lost, resolvedAt, resolvedBy}; `replyTo` is null for a comment
 *                 that is no reply, `number` for one on the draft, and `lost` is true if its place has been edited
 * @param actsOf   makes a comment's buttons
 */
export function showComments(list, comments, actsOf) {
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const id = focused?.closest('li').dataset.comment;
  list.replaceChildren(commentList(comments, actsOf));
  if (focused) {
    const buttons = [...list.querySelectorAll(`[data-comment="${id}"] button`)];
    (buttons.find(one => one.textContent === focused.textContent) ?? buttons[0] ?? list.parentNode.querySelector('textarea')).focus();
  }
}

/** The comments with their replies, or that there are none. */
function commentList(comments, actsOf) {
  const first = comments.filter(each => each.replyTo === null);
  const sorted = [...first.filter(each => !each.resolvedAt), ...first.filter(each => each.resolvedAt)];
  return sorted.length === 0 ? html`<p class="empty-line">No comments yet.</p>` : html`
    <ul class="plain comments">
      ${sorted.map(each => html`
        <li data-comment=${each.id} class=${each.resolvedAt ? 'resolved' : ''}>
          ${each.quote && html`<blockquote>${each.quote}</blockquote>`}
          ${each.lost && html`<p class="hint">The text has changed.</p>`}
          ${words(each)}
          ${comments.filter(reply => reply.replyTo === each.id).map(reply => html`<div class="answer">${words(reply)}</div>`)}
          <div class="row">
            ${each.resolvedAt
              && html`<span class="hint">Resolved${each.resolvedBy && ' by ' + each.resolvedBy} ${relativeTime(each.resolvedAt)}</span>`}
            ${actsOf(each)}
          </div>
        </li>`)}
    </ul>`;
}

/** The author and text of a comment or reply. */
function words({ by, guest, at, number, text }) {
  return [
    html`<p class="hint"><b>${by}</b>${guest && ' (guest, unverified name)'}${number !== null && ', on version ' + number}, ${relativeTime(at)}</p>`,
    html`<p class="said">${text}</p>`,
  ];
}

/** Asks for a reply to a comment; resolves to the result of `send`. @param send receives {text} */
export const askForReply = (comment, send) => formDialog('Reply to ' + comment.by, 'Reply', [
  html`<blockquote>${comment.text}</blockquote>`, commentField('Your reply', { autofocus: true })], send);

/**
 * The comments tab of a template.
 *
 * @param path       URL of the comments
 * @param saved      returns the last saved text
 * @param track      tracks a range of that text through the edits in the editor
 * @param goTo       shows a place in the editor
 * @param setCounter receives the number of open comments, or null
 */
export function commentsPanel({ path, saved, track, goTo, setCounter }) {
  const list = html`<div></div>`;
  const own = form('Comment', async (values, it) => {
    show(await post(path, values));
    it.reset();
  }, commentField('New comment'));
  const node = html`<div>${list}${own}</div>`;
  let shows = 0; // number of lists shown
  /** Marks in the editor of the comments' places. */
  let tracked = [];
  /** True if the editor has the draft to which the places refer. */
  let isCurrent = true;

  /** Loads the comments and shows them; loads them again if a list, which may be newer or older, was shown in the meantime. */
  async function load() {
    const before = shows;
    const found = await attempt(() => get(path));
    if (found && shows === before) {
      show(found);
    } else if (found) {
      await load();
    }
  }

  /** @param revision the draft's revision, to which the places refer */
  function show({ revision, comments }) {
    shows++;
    tracked.forEach(({ mark }) => mark.clear());
    isCurrent = revision === saved().revision;
    const placed = isCurrent ? comments.filter(each => each.place !== null) : [];
    tracked = placed.map(({ id, place, placeEnd }) => ({ id, mark: track(place, placeEnd) })).filter(({ mark }) => mark);
    setCounter(comments.filter(each => each.replyTo === null && !each.resolvedAt).length || null);
    showComments(list, comments, acts);
  }

  /** The buttons of a comment. */
  function acts(comment) {
    const mark = tracked.find(({ id }) => id === comment.id)?.mark;
    const line = mark?.find()?.line;
    const act = (text, run, label = text) =>
      button(text, () => attempt(run), { class: 'small', 'aria-label': `${label} comment by ${comment.by}` });
    return [
      !isCurrent && comment.place !== null && html`<span class="hint">To see its line, load the latest draft.</span>`,
      line && button('Line ' + line, () => {
        const found = mark.find();
        if (found) {
          goTo(found);
        } else {
          notify('The text has changed.', 'failed');
        }
      }, { class: 'small' }),
      act('Reply', async () => {
        const found = await askForReply(comment, values => post(path, { ...values, replyTo: comment.id }));
        if (found) {
          show(found);
        }
      }, 'Reply to'),
      act(comment.resolvedAt ? 'Reopen' : 'Resolve', async () => show(await put(path + '/' + comment.id, { resolved: !comment.resolvedAt }))),
      act('Delete', async () => {
        if (await confirmed('Delete this comment?', 'The comment and its replies will be deleted for everyone.', 'Delete', { danger: true })) {
          show(await remove(path + '/' + comment.id));
        }
      }),
    ];
  }

  return { node, load };
}
