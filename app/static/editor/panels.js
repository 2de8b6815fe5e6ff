// Editor tabs for a draft's shared blocks, and for the requests that fetch the template.
import { html, button, link, copyButton } from '../frame/dom.js';
import { attempt } from '../frame/dialog.js';
import { turns } from '../frame/inturn.js';
import { get } from '../frame/server.js';
import { placeButton } from '../frame/problems.js';
import { account } from '../frame/session.js';

/** The shared blocks of a text: {node, show}. @param goTo shows a place in the text */
export function blocksPanel(goTo) {
  const list = html`<div></div>`;
  const node = html`
    <div>
      <p class="hint">
        Add a shared block with a tag such as <code>{{&gt; footer}}</code>. Publishing copies the block's content into the email.
        ${link('/blocks', 'All shared blocks')}
      </p>
      ${list}
    </div>`;

  /** @param stale names of blocks that are outdated in the live version */
  function show(blocks, stale) {
    list.replaceChildren(blocks.length === 0 ? html`<p class="empty-line">No shared blocks in this text.</p>` : html`
      <ul class="plain">
        ${blocks.map(({ name, exists, line }) => html`
          <li class="row">
            ${exists ? link('/blocks/' + name, name, { class: 'mono' })
              : html`<span><code>${name}</code> <span class="badge bad">does not exist</span></span>`}
            ${line && placeButton({ line }, goTo)}
            ${stale.includes(name) && html`<span class="badge">older version live</span>`}
          </li>`)}
      </ul>`);
  }

  return { node, show };
}

/** A curl command that fetches a template. @param query of its URL, with "?"; empty for none */
export function curlLine(id, query, key = 'YOUR_API_KEY') {
  const base = account.baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '') + '/api/v1';
  return `curl -H "Authorization: Bearer ${key}" "${base}/templates/${id}${query}"`;
}

/** The type of the live version's data in each language; loaded when opened. */
function typesPanel(id) {
  const languages = { ts: 'TypeScript', java: 'Java', python: 'Python', go: 'Go' };
  const shown = html`<div aria-live="polite"></div>`;
  const begin = turns();
  const show = lang => attempt(async () => {
    const isLatest = begin();
    const { types, emails } = await get(`/data/templates/${encodeURIComponent(id)}/types?lang=${lang}`);
    if (!isLatest()) {
      return;
    }
    shown.replaceChildren(emails === 0 ? html`<p class="empty-line">Types appear once the template is published.</p>` : html`
      <div class="curl">
        <div class="row"><h4>${languages[lang]}</h4>${copyButton(types, `the type in ${languages[lang]}`)}</div>
        <pre tabindex="0" role="group" aria-label="Type in ${languages[lang]}">${types}</pre>
      </div>`);
  });
  return html`
    <div>
      <h3>Type of the data</h3>
      <p class="hint">
        Copy it into your app so that a renamed variable does not compile, or let <a href="/docs/types"><code>types</code></a> write one file for all
        emails.
      </p>
      <div class="row">${Object.entries(languages).map(([lang, name]) => button(name, () => show(lang), { class: 'small' }))}</div>
      ${shown}
    </div>`;
}

/** The requests that fetch a template, and the types of its data. */
export function apiPanel(id) {
  const rows = [['JSON', ''], ['HTML only', '?format=html'], ['Variables only', '?format=variables']];
  return html`
    <div>
      ${rows.map(([name, query]) => {
        const line = curlLine(id, query);
        return html`
          <div class="curl">
            <div class="row"><h3>${name}</h3>${copyButton(line, 'curl: ' + name)}</div>
            <pre tabindex="0" role="group" aria-label="curl: ${name}">${line}</pre>
          </div>`;
      })}
      ${typesPanel(id)}
      <p class="hint">Create an API key under ${link('/keys', 'Keys')}. Keep the key on your own server, never in a web page or an app.</p>
    </div>`;
}
