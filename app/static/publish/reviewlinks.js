// Dialog for a template's review links: creates a link, which is shown once, and lists open links and expired links with comments.
import { html, button, copyButton, count } from '../frame/dom.js';
import { get, post, remove } from '../frame/server.js';
import { attempt, dialog } from '../frame/dialog.js';
import { ago } from '../frame/time.js';

/**
 * Shows the dialog.
 *
 * @param target 'draft' or a version number to create a link immediately; null to create none
 */
export async function showReviewLinks({ id, name }, target = null) {
  const template = '/data/templates/' + encodeURIComponent(id);
  const path = template + '/reviews';
  const made = html`<div role="status"></div>`;
  const list = html`<ul class="plain"></ul>`;

  async function load() {
    const { links } = await get(path);
    list.replaceChildren(...links.map(row));
  }

  /** A link, with buttons that revoke it and delete its comments. */
  function row({ id: link, number, madeBy, expired, expiresAt, comments }) {
    const words = `${number === null ? 'Draft' : 'Version ' + number}, created by ${madeBy}, ${expired ? 'expired' : 'expires ' + ago(expiresAt)}`;
    const withComments = (expired ? 'Delete ' : 'Revoke and delete ') + count(comments, 'comment');
    const removeLink = query => attempt(async () => {
      await remove(`${path}/${link}${query}`);
      await load();
      (list.querySelector('button') ?? list.closest('dialog').querySelector('h2')).focus(); // the pressed button is gone
    });
    return html`
      <li class="row">${words}
        ${!expired && button('Revoke', () => removeLink(''), { class: 'small', 'aria-label': 'Revoke: ' + words })}
        ${comments > 0 && button(withComments, () => removeLink('?comments=true'),
          { class: 'small danger', 'aria-label': `${withComments}: ${words}` })}
      </li>`;
  }

  /** Creates a link and shows it. @param text 'draft' or a version number */
  async function make(text) {
    const { url } = await post(text === 'draft' ? path : `${template}/versions/${text}/reviews`);
    made.replaceChildren(html`
      <p>Copy this link now; it is shown only once.</p>
      <p class="row"><code class="review-link">${url}</code>${copyButton(url, 'the link')}</p>`);
    await load();
  }

  await (target === null ? load() : make(target));
  await dialog('Review links for ' + name, close => html`
    <p>Anyone with a review link can view and comment on the linked version or the latest draft for 7 days, without an account.
      Deleting the comments that came with a link also deletes the replies to them.</p>
    ${made}${list}
    <div class="actions">
      ${button('Close', () => close())}
      ${button('Create link to draft', () => attempt(() => make('draft')), { class: 'primary' })}
    </div>`);
}
