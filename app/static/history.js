// Every version that was published; none is ever rewritten.
import { element, button, copyButton } from './dom.js';
import { get, post } from './server.js';
import { attempt, confirmed, dialog, say } from './dialog.js';
import { differences } from './difference.js';
import { publishAgain } from './publish.js';
import { still } from './preview.js';
import { tabs } from './tabs.js';
import { full, size, when } from './time.js';

/**
 * @param template  the template as saved
 * @param read      the text in the editor
 * @param dirty     whether that is unsaved
 * @param adopt     takes a restored draft
 * @param published takes the template after publishing again
 */
export function historyPanel({ template, read, dirty, adopt, published }) {
  const node = element('div', { class: 'history' });
  const path = number => `/data/templates/${encodeURIComponent(template().id)}/versions${number ? '/' + number : ''}`;

  async function load() {
    const found = await attempt(() => get(path()));
    if (found) {
      node.replaceChildren(found.versions.length === 0
        ? element('p', { class: 'empty-line' }, 'Never published. Each publishing is kept here as a version with a number.')
        : element('ol', { class: 'versions' }, found.versions.map(version => row(version, found.versions))));
    }
  }

  function row(version, all) {
    const { number } = version;
    const act = (text, run) => button(text, () => attempt(run), { class: 'small', 'aria-label': `${text} version ${number}` });
    return element('li', { class: version.live ? 'live' : '' },
      element('div', { class: 'row' }, element('b', {}, 'Version ' + number), version.live ? element('span', { class: 'badge live' }, 'live') : null, when(version.publishedAt)),
      version.note ? element('p', { class: 'note' }, version.note) : null,
      element('p', { class: 'hint row' }, size(version.bytes), ' ', element('code', { title: 'SHA-256 ' + version.sha256 }, version.sha256.slice(0, 12) + '…'),
        copyButton(version.sha256, 'the SHA-256 of version ' + number)),
      element('div', { class: 'row' },
        act('View', () => view(version)), act('Difference', () => compare(version, all)),
        act('Restore…', () => restore(number)), act('Publish again…', () => onceMore(number, all))));
  }

  async function view(version) {
    const [{ subject, html, variables, moreVariables }, { preview }] = await Promise.all([
      get(path(version.number)), post(path(version.number) + '/preview')]);
    await dialog(`Version ${version.number}`, () => [
      element('dl', { class: 'facts' },
        element('dt', {}, 'Published'), element('dd', {}, full(version.publishedAt)),
        element('dt', {}, 'Subject'), element('dd', {}, subject || '(no subject)'),
        element('dt', {}, 'Variables'), element('dd', {}, variables.join(', ') + (moreVariables > 0 ? ` and ${moreVariables} more` : '') || 'none'),
        element('dt', {}, 'Size'), element('dd', {}, size(version.bytes)),
        element('dt', {}, 'SHA-256'), element('dd', {}, element('code', { class: 'long' }, version.sha256))),
      tabs('Version ' + version.number, [
        { name: 'Preview', panel: still(preview) },
        { name: 'Source', panel: element('pre', { class: 'source', tabindex: '0', role: 'group', 'aria-label': 'Source' }, html) },
      ]).node,
    ], { wide: true });
  }

  async function compare(version, all) {
    const old = await get(path(version.number));
    const live = all.find(other => other.live);
    const place = element('div', { 'aria-live': 'polite' });
    const against = {
      // Source with source, served text with served text: a draft still has its blocks as {{> tags}}.
      draft: async () => differences(old.draft ?? old, read(), ['version ' + version.number, 'the draft']),
      live: async () => differences(old, await get(path(live.number)), ['version ' + version.number, 'live version ' + live.number]),
    };
    const choose = element('select', { id: 'against', onchange: () => attempt(fill) },
      element('option', { value: 'draft' }, 'the draft'),
      live && !version.live ? element('option', { value: 'live' }, `the live version ${live.number}`) : null);
    async function fill() {
      place.replaceChildren(await against[choose.value]());
    }
    await fill();
    await dialog(`Version ${version.number}: difference`, () => [
      element('div', { class: 'row' }, element('label', { for: 'against' }, 'Compared with'), choose), place], { wide: true });
  }

  async function restore(number) {
    const text = dirty() ? 'The draft has unsaved changes; they would be replaced. Undo in the editor brings them back.'
      : 'The draft becomes the source of this version. What is live does not change until you publish.';
    if (await confirmed(`Restore version ${number} into the draft?`, text, 'Restore', { danger: dirty() })) {
      await restored(number, template().revision);
    }
  }

  async function restored(number, revision) {
    try {
      adopt(await post(path(number) + '/restore', { revision }));
      say(`Version ${number} is in the draft. What is live has not changed.`);
    } catch (failure) {
      if (failure.status !== 409 || !failure.body.theirs) {
        throw failure;
      }
      if (await confirmed('Someone else saved the draft meanwhile', 'Restoring replaces what they saved.', 'Restore all the same', { danger: true })) {
        await restored(number, failure.body.theirs.revision);
      }
    }
  }

  async function onceMore(number, all) {
    const after = await publishAgain(template().id, number, all.find(other => other.live)?.number);
    if (after) {
      published(after);
      await load();
    }
  }

  return { node, load };
}
