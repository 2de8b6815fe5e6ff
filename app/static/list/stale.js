// Live templates with an older text of a shared block, and bulk publishing of selected templates.
import { html, button, link, count, pageHead, actionsColumn, visuallyHidden } from '../frame/dom.js';
import { get } from '../frame/server.js';
import { attempt, dialog } from '../frame/dialog.js';
import { selection } from './bulk.js';
import { publishMany } from './bulkpublish.js';
import { longTable } from './longtable.js';
import { changeView, draftPreview, versionPreview } from '../preview/pictures.js';
import { problemList } from '../frame/problems.js';
import { templatePath } from '../frame/progress.js';
import { callers, section, variableChanges } from '../publish/publish.js';
import { mayAs } from '../frame/session.js';

const title = 'Outdated blocks';
/** Maximum length of a note in the history, as on the server. */
const MAX_NOTE = 200;

export async function stalePage() {
  const { templates } = await get('/data/stale');
  const head = pageHead('Live templates with outdated blocks');
  if (templates.length === 0) {
    return { title, content: html`
      ${head}
      <section class="empty">
        <p class="mark"><span class="stet">stet</span></p>
        <p>Every live template uses the latest version of its shared blocks.</p>
        <p>${link('/blocks', 'View shared blocks')}</p>
      </section>` };
  }
  const publishButton = button('', () => attempt(onPublish), { class: 'primary' });
  const list = longTable('list stale', [{ name: visuallyHidden('Publish') }, 'Name', 'Outdated blocks', 'Draft', actionsColumn()], {
    make: template => row(template, isChosen => chosen.toggle(template, isChosen)),
    onShown: (template, node) => { node.querySelector('[data-choose]').checked = chosen.has(template); },
  });
  const chosen = selection({ shown: () => templates, onChange: () => {
    const number = chosen.items().length;
    publishButton.textContent = `Publish ${count(number, 'template')}…`;
    publishButton.disabled = number === 0;
    list.update();
  } });

  function onPublish() {
    const note = 'Shared ' + [...new Set(chosen.items().flatMap(template => template.blocks))].join(', ');
    return publishMany(chosen.items(), { note: note.slice(0, MAX_NOTE), selectsNewContract: false });
  }

  list.show(templates);
  chosen.choose(templates.filter(template => !template.draftChanged));
  return { title, onShow: list.measure, content: html`
    ${head}
    <p class="lead">
      These live templates include an older version of a shared block. Publish them again to include the latest version.
    </p>
    ${mayAs('editor') ? html`
      <div class="row stale-bar"><label class="check all">${chosen.every}<span>Select all</span></label>${publishButton}</div>`
      : html`<p class="hint">Ask an editor or owner to publish the templates.</p>`}
    ${list.node}` };
}

function row(template, onTick) {
  const { id, name, blocks, draftChanged } = template;
  return html`
    <tr data-id=${id}>
      <td class="choose">
        ${mayAs('editor')
          ? html`<input type="checkbox" data-choose aria-label="Publish ${name}" @change=${event => onTick(event.target.checked)}>`
          : html`<input type="checkbox" data-choose hidden>` /* for the list, which ticks the box of each row */}
      </td>
      <th scope="row">${link('/templates/' + id, name, { class: 'name' })} <code class="hint">${id}</code></th>
      <td data-label="Outdated blocks"><span class="badge">${blocks.join(', ')}</span></td>
      <td>${draftChanged && html`<span class="warn">other unpublished changes</span>`}</td>
      <td class="acts">
        ${button('Show changes…', () => attempt(() => showChanges(template)),
          { class: 'small', 'aria-label': 'Show changes to ' + name })}
      </td>
    </tr>`;
}

/** Shows how publishing changes a template: its variables, for the keys that fetch it, and its text. */
async function showChanges({ id, name, draftChanged }) {
  const { live, next, problems, moreProblems, keys, ...variables } = await get(templatePath(id) + '/publication');
  const difference = next && await changeView(live, next, ['live', 'new'], [
    { name: `Version ${live.number} (live)`, ask: () => versionPreview(id, live.number) },
    { name: 'New version', ask: async () => draftPreview(await get(templatePath(id))) },
  ]);
  await dialog('Changes to ' + name, close => html`
    ${draftChanged && html`<p class="warning">Publishing this template also publishes the other changes in its draft.</p>`}
    ${problems.length > 0 && section('Checks', problemList(problems, moreProblems))}
    ${next && [section('Variables', variableChanges(variables)), callers(keys), section('What changes', difference)]}
    <div class="actions">${button('Close', () => close(), { class: 'primary', autofocus: true })}</div>`, { wide: true });
}
