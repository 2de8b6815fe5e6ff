// Publishes several templates after showing what would change in each.
import { html, link, count } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { dialog } from '../frame/dialog.js';
import { field } from '../frame/form.js';
import { unfolding } from '../frame/difference.js';
import { changeOrNew, draftPreview, versionPreview } from '../preview/pictures.js';
import { problemList, severity } from '../frame/problems.js';
import { nameList, section } from '../publish/publish.js';
import { templatePath, withMany } from '../frame/progress.js';
import { accountLine } from '../frame/session.js';
import { tickForm } from '../frame/tickform.js';

/**
 * Publishes the templates that the user selects in a dialog.
 *
 * @param note               suggested history note
 * @param selectsNewContract true to preselect also the templates whose variables change, so that callers have to change
 */
export async function publishMany(templates, { note = '', selectsNewContract = true } = {}) {
  const outcome = await withMany('Checking the drafts', templates,
    async list => (await post('/data/comparisons', { templates: list.map(({ id }) => id) })).results, { done: 'checked', isChange: false });
  if (outcome.isStopped || outcome.results.length === 0) {
    return;
  }
  const given = await askWhich(outcome.results.map(({ template, result }) => publicationRow(template, result, selectsNewContract)), note);
  if (given) {
    const plans = new Map(given.ticked.map(({ template, plan }) => [template, plan]));
    await withMany('Publishing', [...plans.keys()], async list => (await post('/data/publications', {
      note: given.note,
      templates: list.map(template => ({ id: template.id, revision: plans.get(template).revision, sha256: plans.get(template).sha256 })),
    })).results, { done: 'published' });
  }
}

/** Resolves to {note, ticked}, with the selected rows, or undefined if cancelled. */
function askWhich(rows, note) {
  return dialog(`Publish ${count(rows.length, 'template')}`, close => tickForm({
    rows,
    labelFor: number => 'Publish ' + count(number, 'template'),
    contents: [
      accountLine(),
      problemsByEmail(rows),
      html`<ul class="plain publications">${rows.map(row => row.node)}</ul>`,
      field('note', 'Note for each version', { maxlength: 200, value: note }, 'Optional. Shown in the history.'),
    ],
    onSubmit: (ticked, given) => close({ note: given.note, ticked }),
    onCancel: () => close(),
  }), { wide: true });
}

/** The problems of all emails: emails with errors first, then emails with only warnings. */
function problemsByEmail(rows) {
  const levelOf = ({ plan }) => Math.min(...plan.problems.map(severity));
  const some = rows.filter(({ plan }) => plan.problems.length > 0).sort((one, other) => levelOf(one) - levelOf(other));
  return section('Checks', some.length === 0 ? problemList([]) : html`
    <ul class="plain by-mail">
      ${some.map(({ template: { id, name }, plan }) => html`
        <li>${link('/templates/' + encodeURIComponent(id), name)}${problemList(plan.problems, plan.moreProblems)}</li>`)}
    </ul>`);
}

/** A row of the dialog: {template, plan, tick, node}. `tick` is its checkbox, disabled if the draft cannot be published. */
function publicationRow(template, plan, selectsNewContract) {
  const { id, name } = template;
  const { number } = plan;
  const isPossible = plan.sha256 !== null && !plan.unchanged && plan.problems.every(problem => problem.level === 'warning');
  const tick = html`<input type="checkbox" aria-label="Publish ${name}" disabled=${!isPossible}>`;
  tick.checked = isPossible && (selectsNewContract || plan.added.length + plan.removed.length === 0);
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
    node: html`
      <li class="card part">
        <div class="row">
          ${tick}
          <b>${name}</b> <code>${id}</code>
          <span class="hint">${effectOf(plan, isPossible)}</span>
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

function effectOf({ unchanged, number }, isPossible) {
  if (unchanged) {
    return `no changes since live version ${number}`;
  }
  if (!isPossible) {
    return 'cannot be published';
  }
  return number === null ? 'first version' : `replaces version ${number}`;
}
