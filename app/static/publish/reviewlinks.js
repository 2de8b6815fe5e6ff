// Dialog for a template's review links: creates a link, which is shown once, and lists open links and expired links with comments.
import { html, button, copyButton, count } from '../frame/dom.js';
import { get, post, remove } from '../frame/server.js';
import { attempt, dialog } from '../frame/dialog.js';
import { ago } from '../frame/time.js';

/** @param makes 'draft' or a version number to create a link immediately */
export async function showReviewLinks({ id, name }, makes = null) {
  const template = '/data/templates/' + encodeURIComponent(id);
  const path = template + '/reviews';
  const made = html`<div role="status"></div>`;
  const list = html`<ul class="plain"></ul>`;

  async function load() {
    const { links } = await get(path);
    list.replaceChildren(...links.map(link => {
      const both = (link.expired ? 'Delete ' : 'Revoke and delete ') + count(link.comments, 'comment');
      const what = (link.number === null ? 'Draft' : 'Version ' + link.number) + ', created by ' + link.madeBy
        + (link.expired ? ', expired' : ', expires ' + ago(link.expiresAt));
      const revoke = query => attempt(async () => {
        await remove(path + '/' + link.id + query);
        await load();
      });
      return html`
        <li class="row">${what}
          ${!link.expired && button('Revoke', () => revoke(''), { class: 'small', 'aria-label': 'Revoke: ' + what })}
          ${link.comments > 0 && button(both, () => revoke('?comments=true'), {
            class: 'small danger', 'aria-label': `${both}: ${what}`,
          })}</li>`;
    }));
  }

  async function make(what) {
    const { url } = await post(what === 'draft' ? path : `${template}/versions/${what}/reviews`);
    made.replaceChildren(html`
      <p>Copy this link now; it is shown only once.</p>
      <p class="row"><code class="review-link">${url}</code>${copyButton(url, 'the link')}</p>`);
    await load();
  }

  await (makes === null ? load() : make(makes));
  await dialog('Review links for ' + name, close => html`
    <p>Anyone with a review link can view and comment on the linked version or the latest draft for 7 days, without an account.
      Deleting the comments that came with a link also deletes the replies to them.</p>
    ${made}${list}
    <div class="actions">${button('Close', () => close())}${button('Create link to draft', () => attempt(() => make('draft')), { class: 'primary' })}</div>`);
}
