// Version history. Published versions never change.
import { html, button, copy } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { attempt, confirmed, dialog, notify } from '../frame/dialog.js';
import { wordsFor } from '../editor/conflict.js';
import { turns } from '../frame/inturn.js';
import { menuButton } from '../frame/menu.js';
import { publishAgain } from './publish.js';
import { showReviewLinks } from './reviewlinks.js';
import { sendTestEntry } from './sendtest.js';
import { changeView, draftPreview, versionPreview } from '../preview/pictures.js';
import { previewFrame } from '../preview/preview.js';
import { mayAs } from '../frame/session.js';
import { tabs } from '../frame/tabs.js';
import { fullTime, size, relativeTime } from '../frame/time.js';

/**
 * The history tab of a template.
 *
 * @param template    returns the saved template
 * @param read        returns the editor's text
 * @param isDirty     true if the editor's text is unsaved
 * @param onRestored  receives the template after its draft is restored from a version
 * @param onPublished receives the template after a version is published again
 */
export function historyPanel({ template, read, isDirty, onRestored, onPublished }) {
  const node = html`<div class="history"></div>`;
  const path = number => `/data/templates/${encodeURIComponent(template().id)}/versions${number ? '/' + number : ''}`;

  const begin = turns();

  /** Shows the newest versions. Older versions are loaded on demand because a template may have thousands. */
  async function load() {
    const isLatest = begin();
    const versions = [];
    const list = html`<ol class="versions"></ol>`;
    const end = html`<div class="row end"></div>`;

    /** Adds a page of versions. @param before number above those of the page; undefined for the newest */
    async function append(before) {
      const found = await get(path() + (before ? '?before=' + before : ''));
      versions.push(...found.versions);
      const rows = found.versions.map(version => row(version, versions));
      list.append(...rows);
      const older = button('Show older', async () => {
        older.disabled = true;
        await attempt(() => append(found.before));
        older.disabled = false;
      }, { class: 'small' });
      end.replaceChildren(...found.before ? [older] : []);
      if (before && !found.before) {
        rows[0]?.querySelector('button, a')?.focus(); // the pressed button is gone
      } else if (before) {
        older.focus();
      }
      return found;
    }

    if (await attempt(() => append()) && isLatest()) {
      node.replaceChildren(...versions.length === 0
        ? [html`<p class="empty-line">Not published yet. Published versions will appear here.</p>`] : [list, end]);
    }
  }

  /** @param versions all versions loaded so far */
  function row(version, versions) {
    const { number, live, publishedAt, publishedBy, note, bytes, sha256 } = version;
    return html`
      <li class=${live ? 'live' : ''}>
        <div class="row">
          <b>Version ${number}</b>
          ${live && html`<span class="badge live">live</span>`}
          ${relativeTime(publishedAt)}${publishedBy && html`<span class="by">by ${publishedBy}</span>`}
        </div>
        ${note && html`<p class="note">${note}</p>`}
        <div class="row">
          <span class="hint">${size(bytes)} <code title="SHA-256 ${sha256}">${sha256.slice(0, 8)}…</code></span>
          <span class="row acts">
            ${button('View', () => attempt(() => view(version)), { class: 'small', 'aria-label': 'View version ' + number })}
            ${menuButton('More', () => menuItems(version, versions), { class: 'small', 'aria-label': 'More actions for version ' + number })}
          </span>
        </div>
      </li>`;
  }

  /** The actions on a version, as for menuButton. */
  function menuItems({ number, live, sha256 }, versions) {
    const again = () => publishOnceMore(number, versions.find(version => version.live));
    return [
      { text: 'Compare…', run: () => attempt(() => compare(number, versions)) },
      { text: 'Restore…', run: () => attempt(() => confirmRestore(number)) },
      sendTestEntry(() => ({
        what: 'version ' + number,
        sets: Object.keys(template().samples).sort(),
        chosen: template().defaultSamples,
        send: given => post(path(number) + '/tests', given),
      })),
      { text: 'Review link…', run: () => attempt(() => showReviewLinks(template(), number)) },
      mayAs('editor') && { text: 'Publish again…', run: () => attempt(again), reason: live && 'Already live' },
      { text: 'Copy SHA-256', run: () => attempt(async () => {
        await copy(sha256);
        notify('Copied the SHA-256 of version ' + number + '.');
      }) },
    ];
  }

  /** Shows a version in a dialog. */
  async function view({ number, publishedAt, publishedBy, bytes, sha256 }) {
    const [version, { preview }] = await Promise.all([get(path(number)), post(path(number) + '/preview')]);
    const variables = version.variables.join(', ') + (version.moreVariables > 0 ? ` and ${version.moreVariables} more` : '');
    await dialog(`Version ${number}`, () => html`
      <dl class="facts">
        <dt>Published</dt><dd>${fullTime(publishedAt)}${publishedBy && ` by ${publishedBy}`}</dd>
        <dt>Subject</dt><dd>${version.subject || '(no subject)'}</dd>
        <dt>Variables</dt><dd>${variables || 'none'}</dd>
        <dt>Size</dt><dd>${size(bytes)}</dd>
        <dt>SHA-256</dt><dd><code>${sha256}</code></dd>
      </dl>
      ${tabs('Version ' + number, [
        { name: 'Preview', panel: filledPreview(number, preview) },
        { name: 'Source', panel: html`<pre class="source" tabindex="0" role="group" aria-label="Source">${version.html}</pre>` },
      ]).node}`, { wide: true });
  }

  /**
   * Preview of a version, filled with one of the current sets of test data.
   *
   * @param first the preview with the default set
   */
  function filledPreview(number, first) {
    const { samples, defaultSamples } = template();
    const place = html`<div>${previewFrame(first, { class: 'still' })}</div>`;
    const fill = async () => {
      const chosen = select.value;
      const { preview } = await post(path(number) + '/preview', { chosen });
      if (chosen === select.value) { // another set may have been chosen in the meantime
        place.replaceChildren(previewFrame(preview, { class: 'still' }));
      }
    };
    const select = html`
      <select id="shown-set" @change=${() => attempt(fill)}>
        ${Object.keys(samples).sort().map(name => html`<option value=${name} selected=${name === defaultSamples}>${name}</option>`)}
      </select>`;
    return html`
      <div>
        ${Object.keys(samples).length > 1 && html`<p class="row"><label for="shown-set">Test data</label>${select}</p>`}
        ${place}
      </div>`;
  }

  /** Compares a version with another version or the draft. */
  async function compare(number, versions) {
    const place = html`<div aria-live="polite"></div>`;
    const select = (id, chosen) => html`
      <select id=${id} @change=${() => attempt(fill)}>
        <option value="draft" selected=${chosen === 'draft'}>the draft</option>
        ${versions.map(each => html`
          <option value=${each.number} selected=${chosen === each.number}>version ${each.number}${each.live && ', live'}</option>`)}
      </select>`;
    const [from, to] = [select('compared', number), select('against', 'draft')];

    async function fill() {
      const chosen = [from.value, to.value];
      const names = chosen.map(value => value === 'draft' ? 'the draft' : 'version ' + value);
      const texts = await Promise.all(chosen.map(value => value === 'draft' ? read() : get(path(value))));
      // Compares like with like: a draft contains {{> block}} tags, so it is compared with the draft of the version.
      const [before, after] = chosen.includes('draft') ? texts.map(text => text.draft ?? text) : texts;
      const view = await changeView(before, after, names, chosen.map((value, i) => ({
        name: names[i], ask: () => value === 'draft' ? draftPreview(read()) : versionPreview(template().id, value),
      })));
      if (chosen[0] === from.value && chosen[1] === to.value) { // others may have been chosen in the meantime
        place.replaceChildren(view);
      }
    }
    await fill();
    await dialog(`Compare version ${number}`, () => html`
      <div class="row"><label for="compared">From</label>${from}<label for="against">Compared with</label>${to}</div>
      ${place}`, { wide: true });
  }

  /** Restores a version as the draft if the user confirms. */
  async function confirmRestore(number) {
    const text = isDirty()
      ? 'Restoring replaces the draft and your unsaved changes. To undo, choose “Restore mine” above the editor.'
      : 'Restoring replaces the draft with this version. The live version does not change until you publish.';
    if (await confirmed(`Restore version ${number} as draft?`, text, 'Restore', { danger: isDirty() })) {
      await restore(number, template().revision);
    }
  }

  /** Restores a version as the draft; asks again if the draft is no longer the given revision. */
  async function restore(number, revision) {
    try {
      onRestored(await post(path(number) + '/restore', { revision }));
      notify(`Version ${number} restored as draft. The live version has not changed.`);
    } catch (failure) {
      if (failure.status !== 409 || !failure.body.theirs) {
        throw failure;
      }
      if (await confirmed(wordsFor(failure.body.theirs).title, 'Restoring replaces the saved draft.', 'Restore anyway',
        { danger: true })) {
        await restore(number, failure.body.theirs.revision);
      }
    }
  }

  /** Publishes a version again if the user confirms. @param live the live version; undefined if it is not loaded */
  async function publishOnceMore(number, live) {
    const published = await publishAgain(template().id, number, live?.number);
    if (published) {
      onPublished(published);
      await load();
    }
  }

  return { node, load };
}
