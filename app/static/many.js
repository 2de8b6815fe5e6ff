// Many templates at once: chosen in the list, and published, exported, tagged or deleted one request after the other.
import { html, button, link, count } from './dom.js';
import { get, post, put, remove } from './server.js';
import { attempt, confirmed, dialog, formDialog, notify, showProgress } from './dialog.js';
import { field, form, sentence } from './form.js';
import { differences, unfolding } from './difference.js';
import { saveFile } from './download.js';
import { problemRow } from './panels.js';
import { nameList } from './publish.js';
import { reload } from './router.js';
import { mayAs } from './session.js';
import { tagsOf } from './tags.js';

/** Templates named in a question; the others are counted. */
const MAX_NAMED = 10;
const MONTH_MILLIS = 30 * 86_400_000;
const path = id => '/data/templates/' + encodeURIComponent(id);

/** The bar by which templates of the list are chosen. @param rows by id: {template, node} */
export function choice(rows, tags) {
  let last = null;
  const every = html`<input type="checkbox" @change=${onEvery}>`;
  const status = html`<span class="hint" role="status"></span>`;
  const acts = html`
    <span class="row">
      ${mayAs('editor') && button('Publish…', () => attempt(() => publishMany(chosen())), { class: 'small' })}
      ${button('Export', () => attempt(() => exportMany(chosen())), { class: 'small' })}
      ${button('Tag…', () => attempt(() => tagMany(chosen(), tags)), { class: 'small' })}
      ${mayAs('owner') && button('Delete…', () => attempt(() => deleteMany(chosen())), { class: 'small danger' })}
    </span>`;
  const bar = html`
    <div class="choosing" role="group" aria-label="Chosen templates">
      <label class="check">${every}<span>Select all shown</span></label>
      ${status}
      ${acts}
    </div>`;
  const box = node => node.querySelector('[data-choose]');
  const shown = () => [...rows.values()].filter(({ node }) => !node.hidden);
  const chosen = () => shown().filter(({ node }) => box(node).checked).map(({ template }) => template);

  function onEvery() {
    shown().forEach(({ node }) => { box(node).checked = every.checked; });
    showCount();
  }

  /** Shift chooses a stretch of rows, as in other lists. */
  function onChoice(event) {
    const node = event.target.closest('tr');
    if (event.shiftKey && last !== null && !last.hidden) {
      const nodes = [...node.parentNode.children].filter(each => !each.hidden);
      const [from, to] = [nodes.indexOf(last), nodes.indexOf(node)].sort((one, other) => one - other);
      nodes.slice(from, to + 1).forEach(each => { box(each).checked = event.target.checked; });
    }
    last = node;
    showCount();
  }

  /** A row that a filter hides is not chosen any more. */
  function showCount() {
    rows.forEach(({ node }) => { box(node).checked &&= !node.hidden; });
    const number = chosen().length;
    every.checked = number > 0 && number === shown().length;
    every.indeterminate = number > 0 && !every.checked;
    status.textContent = number === 0 ? '' : number.toLocaleString('en') + ' chosen';
    acts.hidden = number === 0;
  }

  showCount();
  return { bar, onChoice, showCount };
}

/**
 * Does something with each template, one request after the other, in a dialog that shows the progress. Stop ends it after the
 * request under way; a failure is noted, and the rest goes on. The report of failures stays until it is closed.
 *
 * @param act       gets a template; what it throws is its failure
 * @param done      words for those that succeeded: "published"
 * @param isChange  whether there is something to load anew afterwards
 * @return {done, failures, isStopped}
 */
async function withEach(title, templates, act, done, { isChange = true } = {}) {
  const outcome = { done: 0, failures: [], isStopped: false };
  await dialog(title, close => {
    const bar = html`<progress max=${String(templates.length)} value="0" aria-label=${title}></progress>`;
    const status = html`<p role="status" class="hint"></p>`;
    const place = html`
      <div class="progress">
        ${bar}${status}
        <div class="actions">${button('Stop', () => { outcome.isStopped = true; }, { autofocus: true })}</div>
      </div>`;
    (async () => {
      for (const [i, template] of templates.entries()) {
        if (outcome.isStopped) {
          break;
        }
        status.textContent = `${i + 1} of ${templates.length}: ${template.name}`;
        try {
          await act(template);
          outcome.done++;
        } catch (failure) {
          outcome.failures.push({ template, text: sentence(failure) });
        }
        bar.value = i + 1;
      }
      outcome.isStopped &&= outcome.done + outcome.failures.length < templates.length;
      if (outcome.failures.length === 0) {
        close();
        return;
      }
      place.replaceChildren(html`
        <p role="alert">${inWords(outcome, templates, done)}</p>
        <ul class="plain failures">
          ${outcome.failures.map(({ template, text }) => html`
            <li><b>${template.name}</b> <code>${template.id}</code> <span class="error">${text}</span></li>`)}
        </ul>
        <div class="actions">${button('Close', () => close(), { class: 'primary', autofocus: true })}</div>`);
      place.querySelector('[autofocus]').focus();
    })();
    return place;
  }, { closable: false });
  if (isChange) {
    if (outcome.failures.length === 0) {
      notify(inWords(outcome, templates, done));
    }
    await reload();
  }
  return outcome;
}

function inWords({ done, failures, isStopped }, templates, word) {
  return `${count(done, 'template')} ${word}` + (failures.length > 0 ? `, ${failures.length} not` : '')
    + (isStopped ? `; stopped before the other ${templates.length - done - failures.length}` : '') + '.';
}

function named(templates) {
  const more = templates.length - MAX_NAMED;
  const names = templates.slice(0, MAX_NAMED).map(each => each.name).join(', ');
  return html`<p class="ids">${names}${more > 0 && ` and ${more} more`}</p>`;
}

// ---- exported and deleted

async function exportMany(templates) {
  const ids = templates.map(each => each.id);
  const zip = await showProgress('Exporting ' + count(ids.length, 'template'), signal =>
    post('/data/export', { templates: ids }, { asBlob: true, signal }));
  if (zip) {
    saveFile(zip, 'stet.zip');
  }
}

async function deleteMany(templates) {
  const published = templates.filter(each => each.state !== 'never').length;
  const recent = templates.filter(each => each.fetchedAt && Date.now() - Date.parse(each.fetchedAt) < MONTH_MILLIS).length;
  if (await confirmed(`Delete ${count(templates.length, 'template')}?`, [
    named(templates),
    'They go into the trash for 30 days, from where they can be restored with their history.',
    ...published > 0 ? [html`
      <p class=${recent > 0 ? 'warning' : ''}>
        ${count(published, 'of them is published', 'of them are published')}: their requests are answered with 404.
        ${recent > 0 && `${count(recent, 'was', 'were')} fetched in the last 30 days.`}
      </p>`] : []], 'Delete', { danger: true })) {
    await withEach('Deleting', templates, ({ id }) => remove(path(id)), 'in the trash');
  }
}

// ---- tagged

async function tagMany(templates, tags) {
  const present = [...new Set(templates.flatMap(each => each.tags))].sort();
  const change = await formDialog('Tag ' + count(templates.length, 'template'), 'Save', [
    named(templates),
    field('add', 'Add', { autofocus: true, list: 'all-tags', spellcheck: 'false', placeholder: 'shop, autumn' },
      'Tags with commas between them. They are for finding templates here, and the API does not tell them.'),
    html`<datalist id="all-tags">${tags.map(tag => html`<option value=${tag}></option>`)}</datalist>`,
    present.length > 0 && html`
      <fieldset class="choice">
        <legend>Remove</legend>
        ${present.map((tag, i) => html`<label class="check"><input type="checkbox" name="remove-${i}"><span>${tag}</span></label>`)}
      </fieldset>`,
    html`<p class="error" data-error="tags"></p>`,
  ], given => {
    const add = tagsOf(given.add);
    const gone = present.filter((tag, i) => given['remove-' + i]);
    if (add.length + gone.length === 0) {
      throw Object.assign(new Error('There is no tag to add or remove'), { status: 422, field: 'add' });
    }
    return { add, remove: gone };
  });
  if (change) {
    await withEach('Tagging', templates, ({ id }) => put(path(id) + '/tags', change), 'tagged');
  }
}

// ---- published

/** Shows first what publishing each of them would change, as the dialog of one does. */
async function publishMany(templates) {
  const plans = [];
  const looked = await withEach('Looking at the drafts', templates, async template => {
    const { live, next, ...plan } = await get(path(template.id) + '/publication');
    plans.push({ template, plan, number: live?.number ?? null, canPublish: next !== null });
  }, 'looked at', { isChange: false });
  if (looked.isStopped || plans.length === 0) {
    return;
  }
  const rows = plans.map(publicationRow);
  const possible = rows.filter(one => one.isPossible);
  const given = await dialog(`Publish ${count(plans.length, 'template')}`, close => {
    const node = form('Publish', async ({ note }) => {
      const ticked = possible.filter(one => one.tick.checked);
      if (ticked.length > 0) {
        close({ note, ticked });
      }
    }, [
      html`<ul class="plain publications">${rows.map(one => one.node)}</ul>`,
      field('note', 'Note for each', { maxlength: 200 }, 'For the history. Optional.'),
    ], button('Cancel', () => close(), { autofocus: true }));
    const submit = node.querySelector('.primary');
    const showCount = () => {
      const number = possible.filter(one => one.tick.checked).length;
      submit.textContent = 'Publish ' + count(number, 'template');
      submit.disabled = number === 0;
    };
    possible.forEach(one => one.tick.addEventListener('change', showCount));
    showCount();
    return node;
  }, { wide: true });
  if (given) {
    const chosen = new Map(given.ticked.map(one => [one.template, one.plan]));
    await withEach('Publishing', [...chosen.keys()], template => {
      const { revision, sha256 } = chosen.get(template);
      return post(path(template.id) + '/publish', { revision, sha256, note: given.note });
    }, 'published');
  }
}

function publicationRow({ template, plan, number, canPublish }) {
  const { id, name } = template;
  const blocking = plan.problems.filter(problem => problem.level !== 'warning');
  const warnings = plan.problems.length - blocking.length;
  const isPossible = canPublish && blocking.length === 0 && !plan.unchanged;
  const tick = html`<input type="checkbox" aria-label="Publish ${name}" disabled=${!isPossible}>`;
  tick.checked = isPossible;
  const { opener, place } = unfolding(name, async () => {
    const { live, next } = await get(path(id) + '/publication');
    return differences(live ?? { subject: '', html: '' }, next, ['live', 'new']);
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
            ${plan.unchanged ? `as version ${number}, which is live: nothing to publish`
              : !isPossible ? 'cannot be published' : number === null ? 'its first version' : `after version ${number}`}
          </span>
          ${warnings > 0 && link('/templates/' + id, count(warnings, 'warning'), { class: 'badge' })}
          ${isPossible && opener}
        </div>
        ${number !== null && [names('added', plan.added, plan.moreAdded), names('removed', plan.removed, plan.moreRemoved)]}
        ${isPossible && plan.keys.length > 0 && html`
          <p class="hint">
            Fetched in the last 30 days with ${plan.keys.map(key => key.name ?? 'a key that was deleted').join(', ')}.
          </p>`}
        ${blocking.length > 0 && html`<ul class="checks">${blocking.map(problem => problemRow(problem))}</ul>`}
        ${place}
      </li>`,
  };
}
