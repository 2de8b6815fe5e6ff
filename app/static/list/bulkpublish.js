// Publishes several templates after showing what would change in each.
import { html, button, link, count } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { dialog } from '../frame/dialog.js';
import { field, form } from '../frame/form.js';
import { unfolding } from '../frame/difference.js';
import { changeOrNew, draftPreview, versionPreview } from '../preview/pictures.js';
import { problemList, severity } from '../frame/problems.js';
import { nameList, section } from '../publish/publish.js';
import { templatePath, withLists } from '../frame/progress.js';
import { accountLine } from '../frame/session.js';

/**
 * @param note     suggested history note
 * @param isForAll also preselects templates whose callers would have to change
 */
export async function publishMany(templates, { note = '', isForAll = true } = {}) {
  const outcome = await withLists('Checking the drafts', templates,
    async list => (await post('/data/comparisons', { templates: list.map(({ id }) => id) })).results, 'checked', { isChange: false });
  if (outcome.isStopped || outcome.results.length === 0) {
    return;
  }
  const given = await askWhich(outcome.results.map(({ template, result }) => publicationRow(template, result, isForAll)), note);
  if (given) {
    const chosen = new Map(given.ticked.map(one => [one.template, one.plan]));
    await withLists('Publishing', [...chosen.keys()], async list => (await post('/data/publications', {
      note: given.note,
      templates: list.map(template => ({ id: template.id, revision: chosen.get(template).revision, sha256: chosen.get(template).sha256 })),
    })).results, 'published');
  }
}

/** Resolves to {note, ticked}, or undefined if cancelled. */
function askWhich(rows, note) {
  const ticked = () => rows.filter(one => one.isPossible && one.tick.checked);
  return dialog(`Publish ${count(rows.length, 'template')}`, close => {
    const node = form('Publish', async given => {
      if (ticked().length > 0) {
        close({ note: given.note, ticked: ticked() });
      }
    }, [
      accountLine(),
      problemsByMail(rows),
      html`<ul class="plain publications">${rows.map(one => one.node)}</ul>`,
      field('note', 'Note for each version', { maxlength: 200, value: note }, 'Optional. Shown in the history.'),
    ], button('Cancel', () => close(), { autofocus: true }));
    const submit = node.querySelector('.primary');
    const showCount = () => {
      submit.textContent = 'Publish ' + count(ticked().length, 'template');
      submit.disabled = ticked().length === 0;
    };
    rows.forEach(one => one.tick.addEventListener('change', showCount));
    showCount();
    return node;
  }, { wide: true });
}

/** The problems of all emails: emails with errors first, then emails with only warnings. */
function problemsByMail(rows) {
  const levelOf = ({ plan }) => Math.min(...plan.problems.map(severity));
  const some = rows.filter(({ plan }) => plan.problems.length > 0).sort((one, other) => levelOf(one) - levelOf(other));
  return section('Checks', some.length === 0 ? problemList([]) : html`
    <ul class="plain by-mail">
      ${some.map(({ template: { id, name }, plan }) => html`
        <li>${link('/templates/' + encodeURIComponent(id), name)}${problemList(plan.problems, plan.moreProblems)}</li>`)}
    </ul>`);
}

function publicationRow(template, plan, isForAll) {
  const { id, name } = template;
  const { number } = plan;
  const blocking = plan.problems.filter(problem => problem.level !== 'warning');
  const isPossible = plan.sha256 !== null && blocking.length === 0 && !plan.unchanged;
  const tick = html`<input type="checkbox" aria-label="Publish ${name}" disabled=${!isPossible}>`;
  tick.checked = isPossible && (isForAll || plan.added.length + plan.removed.length === 0);
  const { opener, place } = unfolding(name, number === null ? 'text' : 'difference', async () => {
    const { live, next } = await get(templatePath(id) + '/publication');
    return changeOrNew(live, next, ['live', 'new'], [
      { name: `Version ${number} (live)`, ask: () => versionPreview(id, number) },
      { name: 'Draft', ask: async () => draftPreview(await get(templatePath(id))) },
    ]);
  });
  const names = (kind, list, more) => list.length > 0 && html`
    <p class=${kind}>${count(list.length + more, 'variable')} ${kind}: ${nameList(list, more)}</p>`;
  return {
    template,
    plan,
    tick,
    isPossible,
    node: html`
      <li class="card part">
        <div class="row">
          ${tick}
          <b>${name}</b> <code>${id}</code>
          <span class="hint">
            ${plan.unchanged ? `no changes since live version ${number}`
              : !isPossible ? 'cannot be published' : number === null ? 'first version' : `replaces version ${number}`}
          </span>
          ${isPossible && opener}
        </div>
        ${number !== null && [names('added', plan.added, plan.moreAdded), names('removed', plan.removed, plan.moreRemoved)]}
        ${isPossible && plan.keys.length > 0 && html`
          <p class="hint">
            API keys used to fetch the template in the last 30 days: ${plan.keys.map(key => key.name ?? 'a deleted key').join(', ')}.
          </p>`}
        ${place}
      </li>`,
  };
}
