// Activity page: who did what, with filters and paging.
import { html, button, link, pageHead, table } from '../frame/dom.js';
import { get } from '../frame/server.js';
import { attempt } from '../frame/dialog.js';
import { turns } from '../frame/inturn.js';
import { saveState, savedState } from '../frame/router.js';
import { account } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

/** Kinds of activity whose target is a shared block or an image. */
const ABOUT_BLOCKS = ['block-saved', 'block-deleted'];
/** Kinds whose target is a template that then has a page. */
const ABOUT_TEMPLATES = ['template-created', 'draft-saved', 'template-renamed', 'template-published', 'review-requested',
  'review-request-withdrawn', 'review-link-created', 'review-link-revoked', 'comment-added', 'comment-deleted', 'test-sent',
  'versions-pruned', 'template-restored', 'tags-changed', 'features-changed'];

/** The count of activity that happened once, which goes without saying. */
const ONCE = /^1 (save|sign-in|time)$/;

export async function activityPage() {
  const isOwner = account.role === 'owner';
  const chosen = savedState().filter ?? Object.fromEntries(new URLSearchParams(location.search));
  const begin = turns();
  const user = html`<select id="user" aria-label="User" @change=${() => attempt(filter)}></select>`;
  let sentences = {}; // by kind of activity
  const kind = html`<select id="kind" aria-label="Event" @change=${() => attempt(filter)}></select>`;
  const subject = html`
    <input type="search" id="subject" aria-label="Template, block, key or email" placeholder="Template, block, key or email"
      autocomplete="off" spellcheck="false" value=${chosen.subject ?? ''} @change=${() => attempt(filter)}>`;
  const list = table('list activity', ['When', 'User', 'Event', 'Target', 'Details', ...isOwner ? ['Address'] : []], []);
  const rows = list.querySelector('tbody');
  const end = html`<div class="row end" role="status" tabindex="-1"></div>`;

  async function filter() {
    const given = { user: user.value, kind: kind.value, subject: subject.value.trim() };
    saveState({ filter: given });
    rows.replaceChildren();
    end.replaceChildren(); // otherwise, after a failure, its button would show rows for the earlier filters
    await load(given);
  }

  /** Appends a page of rows, and shows below them whether there are more; resolves to null if another request has been sent since. */
  async function load(given, before = '') {
    const isLatest = begin();
    const found = await get('/data/activity?' + new URLSearchParams({ ...given, before }));
    if (!isLatest()) {
      return null;
    }
    sentences = found.kinds;
    rows.append(...found.rows.map(row));
    list.hidden = rows.childElementCount === 0;
    found.rows.forEach(addUser);
    const hadFocus = end.contains(document.activeElement);
    const more = button('Show older', () => attempt(() => load(given, found.before)), { class: 'small' });
    end.replaceChildren(found.before !== null
      ? html`${found.rows.length === 0 && html`<span class="hint">No matches in this part of the log.</span>`}${more}`
      : html`<span class="hint">${endWords(given)}</span>`);
    if (hadFocus) {
      (more.isConnected ? more : end).focus(); // the pressed button is gone
    }
    return found;
  }

  /** The end of the log, for these filters. */
  function endWords(given) {
    if (rows.childElementCount > 0) {
      return 'End of the activity log.';
    }
    return Object.values(given).some(Boolean) ? 'No matches.' : 'No activity yet.';
  }

  /** Adds a former member to the filter, for example when a row mentions them. @param id null for none */
  function addUser({ user: id, actor }) {
    if (id !== null && ![...user.options].some(({ value }) => value === String(id))) {
      user.append(option(id, actor));
    }
  }

  function row({ at, email, actor, address, kind: event, subject: target, detail }) {
    return html`
      <tr>
        <td class="time">${relativeTime(at)}</td>
        <th scope="row" title=${email}>${actor}</th>
        <td>${sentences[event]}</td>
        <td class="about">${targetLink(event, target)}</td>
        <td class="detail">${ONCE.test(detail) ? '' : detail}</td>
        ${isOwner && html`<td class="address">${address}</td>`}
      </tr>`;
  }

  const first = await load(chosen);
  user.replaceChildren(option('', 'Everyone'), ...first.users.map(({ id, name }) => option(id, name)),
    option(0, 'No signed-in user'));
  first.rows.forEach(addUser);
  addUser({ user: chosen.user || null, actor: 'Former user' }); // of whom these rows have none
  kind.append(option('', 'All events'), ...Object.entries(first.kinds).map(([word, sentence]) => option(word, sentence)));
  user.value = chosen.user ?? '';
  kind.value = chosen.kind ?? '';
  return {
    title: 'Activity',
    content: html`
      ${pageHead('Activity')}
      <p class="lead">
        ${isOwner ? 'Changes and sign-ins in this account.' : 'Reviews, comments, and changes to templates and shared blocks.'}
        Activity is kept for up to 25 months.
      </p>
      <div class="toolbar">${user}${kind}<div class="search">${subject}</div></div>
      ${list}
      ${end}`,
  };
}

/** The target of an activity, if any, as a link if it has a page. */
function targetLink(kind, target) {
  if (!target) {
    return null;
  }
  if (ABOUT_TEMPLATES.includes(kind)) {
    return link('/templates/' + target, target, { class: 'mono' });
  }
  if (ABOUT_BLOCKS.includes(kind)) {
    return link(target.startsWith('images/') ? '/images' : '/blocks/' + target, target, { class: 'mono' });
  }
  return target;
}

function option(value, text) {
  return html`<option value=${String(value)}>${text}</option>`;
}
