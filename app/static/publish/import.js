// Imports files after showing the plan with all differences.
import { html, button, link, count, openDialog } from '../frame/dom.js';
import { post } from '../frame/server.js';
import { attempt, dialog, formDialog, showProgress } from '../frame/dialog.js';
import { checkbox } from '../frame/form.js';
import { difference, newText, unfolding } from '../frame/difference.js';
import { changeView, draftPreview } from '../preview/pictures.js';
import { chosenFiles, droppedFiles, toImport } from './drop.js';
import { turns } from '../frame/inturn.js';
import { reload } from '../frame/router.js';
import { accountLine } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

/** Maximum number of changes listed per page. */
const PAGE_ROWS = 100;
/** Maximum number of ignored files listed. */
const MAX_IGNORED = 10;

/**
 * Accepts files dropped anywhere on the page, or chosen with the button.
 *
 * @return the button, and onLeave, which stops accepting drops
 */
export function dropPlace() {
  const overlay = html`<div class="drop-overlay" hidden><p>Drop a .zip file, a folder or .html files to import</p></div>`;
  const listening = new AbortController();
  let depth = 0; // number of elements entered and not left, each inside the one before
  const setDepth = number => {
    depth = number;
    overlay.hidden = depth <= 0;
  };
  const onFiles = (type, run) => document.addEventListener(type, event => {
    if (event.dataTransfer?.types.includes('Files') && !openDialog()) {
      run(event);
    }
  }, { signal: listening.signal });
  onFiles('dragenter', () => setDepth(depth + 1));
  onFiles('dragleave', () => setDepth(depth - 1));
  onFiles('dragover', event => event.preventDefault());
  onFiles('drop', event => {
    event.preventDefault();
    setDepth(0);
    const files = droppedFiles(event.dataTransfer);
    attempt(async () => importFiles(await files));
  });
  document.body.append(overlay);
  return {
    button: button('Import…', () => attempt(chooseFiles)),
    onLeave: () => {
      listening.abort();
      overlay.remove();
    },
  };
}

/** Asks for files and imports them. */
async function chooseFiles() {
  const files = await dialog('Import templates', close => {
    const input = (id, label, attributes) => html`
      <input type="file" id=${id} class="visually-hidden" tabindex="-1" aria-label=${label} ${attributes}
        @change=${event => close(chosenFiles(event.target))}>`;
    const some = input('import-files', 'Files to import', { multiple: true, accept: '.zip,.html,.htm,.hbs,.handlebars,.mustache,.json' });
    const folder = input('import-folder', 'Folder to import', { webkitdirectory: true });
    return html`
      <p>Choose a .zip file or folder exported from Stet or another system, or any .html, .hbs or .mustache files. For .html files, the
        path becomes the template ID. You can also drop files onto the template list.</p>
      <p>You can review every change before importing.</p>
      ${some}${folder}
      <div class="actions">
        ${button('Choose folder…', () => folder.click())}
        ${button('Files…', () => some.click(), { class: 'primary', autofocus: true })}
      </div>`;
  });
  if (files) {
    await importFiles(files);
  }
}

/** Imports files after the user has confirmed the plan, then shows the result and the page with the new data. */
export async function importFiles(files) {
  const { pathname } = location;
  const { name, zip, ignored } = await toImport(files);
  const send = (values, options) => post('/data/import?' + new URLSearchParams(values), zip, options);
  const plan = await showProgress('Reading ' + name, signal => send({ dryRun: 'true' }, { signal }), 'Nothing was changed.');
  const result = plan && await importPlanned({ name, zip, ignored }, plan, send);
  if (result) {
    await showImported(result);
    if (pathname !== '/account') { // a reload would clear that page's forms
      await reload(pathname);
    }
  }
}

/**
 * Imports after the user has confirmed the plan.
 *
 * @param send sends the import, given {dryRun, publish, overwrite}, each 'true' or missing
 */
function importPlanned({ name, zip, ignored }, plan, send) {
  const differenceOf = values => post('/data/import/difference?' + new URLSearchParams(values), zip);
  return formDialog('Import ' + name + '?', 'Import', html`
    ${accountLine()}
    <p>Nothing has changed yet. This import will make the following changes:</p>
    ${summary(plan, ignored)}
    ${plan.notices && html`<div class="hint part"><ul class="plain notices">${plan.notices.map(each => html`<li>${each}</li>`)}</ul></div>`}
    ${changesOf(plan, differenceOf)}
    ${publishing(plan, () => send({ dryRun: 'true', publish: 'true' }), 'Also publish new templates and templates whose live version would change')}`,
  async (given, node) => {
    const progress = html`<progress aria-label="Importing"></progress>`;
    node.prepend(progress);
    try {
      return await send({ ...given.publish && { publish: 'true' }, ...given.overwrite && { overwrite: 'true' } });
    } finally {
      progress.remove();
    }
  }, { wide: true });
}

/** Shows the result of an import. */
function showImported(result) {
  return dialog('Imported', close => html`
    ${summary(result)}
    ${publishedOf(result)}
    <div class="actions">
      ${link('/', 'View templates', { class: 'button', '@click': () => close() })}
      ${button('Close', () => close(), { class: 'primary', autofocus: true })}
    </div>`);
}

/** The plan or result of an import or copy, as numbers and IDs. @param ignored paths of files that were not sent */
export function summary(plan, ignored = []) {
  const allIgnored = [...plan.ignored, ...ignored.slice(0, MAX_IGNORED),
    ...(ignored.length > MAX_IGNORED ? [`${ignored.length - MAX_IGNORED} more`] : [])];
  const ids = list => html`<span class="ids">${list.join(', ')}</span>`;
  const row = (name, list, noun) => html`
    <dt>${name}</dt><dd>${list.length === 0 ? 'none' : [count(list.length, noun) + ': ', ids(list)]}</dd>`;
  return html`
    <dl class="facts">
      ${row('New templates', plan.created, 'template')}
      ${row('Changed drafts', plan.changed, 'draft')}
      ${row('Shared blocks', plan.blocks, 'block')}
      <dt>Unchanged</dt><dd>${plan.unchanged === 0 ? 'none' : count(plan.unchanged, 'template')}</dd>
      ${allIgnored.length > 0 && html`<dt>Ignored</dt><dd>${ids(allIgnored)}</dd>`}
    </dl>`;
}

/**
 * Changes made since the last import or push, which are overwritten only on request; false if there are none.
 *
 * @param place where the changes were made: here or there
 */
export function conflictsOf({ conflicts = [] }, place = 'here') {
  const words = { made: `was created ${place} and last changed`, changed: `was changed ${place}`,
    published: `has a different live version, published ${place}` };
  return conflicts.length > 0 && html`
    <div class="warning part conflicts">
      <p>${count(conflicts.length, 'item')} would overwrite changes made ${place}:</p>
      <ul class="plain">${conflicts.slice(0, PAGE_ROWS).map(({ id, what, by, at }) => html`
        <li><code>${id}</code> ${words[what]}${by && ` by ${by}`} ${at && relativeTime(at)}</li>`)}</ul>
      ${conflicts.length > PAGE_ROWS && html`<p>And ${conflicts.length - PAGE_ROWS} more.</p>`}
      ${checkbox('overwrite', 'Overwrite these changes')}
    </div>`;
}

/**
 * The plan's conflicts, and a checkbox to publish. Ticking the box loads the plan for publishing, which may have other conflicts; if that
 * fails, the box is cleared again.
 *
 * @param load  returns the plan that publishes
 * @param place see {@link conflictsOf}
 * @return nodes
 */
export function publishing(plan, load, label, place) {
  const node = html`<div></div>`;
  const show = given => node.replaceChildren(...[publishedOf(given, 'will be published'), conflictsOf(given, place)].filter(Boolean));
  const box = checkbox('publish', label);
  const begin = turns();
  box.addEventListener('change', async ({ target }) => {
    const isLatest = begin();
    node.inert = true; // the checkboxes refer to the plan being replaced
    const chosen = target.checked ? await attempt(load) : plan;
    if (isLatest()) {
      target.checked = target.checked && chosen !== undefined;
      show(chosen ?? plan);
      node.inert = false;
    }
  });
  show(plan);
  return [node, box];
}

/** The publications and the warnings; false if there are none. @param words text after the number of templates */
function publishedOf({ published, variables = {}, warnings = [] }, words = 'published') {
  return (published.length > 0 || warnings.length > 0) && html`
    <div class="part published">
      ${published.length > 0 && html`
        <p>${count(published.length, 'template')} ${words}.</p>
        <ul class="plain">${published.slice(0, PAGE_ROWS).map(id => html`<li><code>${id}</code>${changedUse(variables[id])}</li>`)}</ul>`}
      ${published.length > PAGE_ROWS && html`<p>And ${published.length - PAGE_ROWS} more.</p>`}
      ${warnings.length > 0 && html`<ul class="plain warning">${warnings.slice(0, PAGE_ROWS).map(each => html`<li>${each}</li>`)}</ul>`}
    </div>`;
}

/** " now uses a; no longer uses b, c"; empty if callers need not change. */
function changedUse({ added = [], removed = [] } = {}) {
  return [['now uses', added], ['no longer uses', removed]].filter(([, names]) => names.length > 0)
    .map(([verb, names]) => ` ${verb} ${names.join(', ')}`).join(';');
}

/**
 * All changes, false if there are none; the differences load on demand.
 *
 * @param load resolves to {before, after}, given {template} or {block}
 */
function changesOf(plan, load) {
  const all = [
    ...plan.changed.map(name => ({ kind: 'template', name, words: 'changed', isNew: false })),
    ...plan.blocks.map(name => ({ kind: 'block', name, words: 'shared block', isNew: false })),
    ...plan.created.map(name => ({ kind: 'template', name, words: 'new', isNew: true })),
  ];
  const list = html`<ul class="plain import-changes"></ul>`;
  const more = button('', showMore, { class: 'small' });
  const place = html`<div class="part">${list}${more}</div>`;

  function showMore() {
    const from = list.childElementCount;
    const hadFocus = document.activeElement === more;
    list.append(...all.slice(from, from + PAGE_ROWS).map(each => changeRow(each, load)));
    const left = all.length - list.childElementCount;
    more.textContent = `Show ${Math.min(left, PAGE_ROWS)} more of ${left}`;
    more.hidden = left === 0;
    if (hadFocus && more.hidden) {
      list.children[from].querySelector('button').focus();
    }
  }

  showMore();
  return all.length > 0 && place;
}

/** A change, whose difference or text unfolds. @param load see {@link changesOf} */
function changeRow({ kind, name, words, isNew }, load) {
  const { opener, place } = unfolding(name, isNew ? 'text' : 'difference', async () => {
    const { before, after } = await load({ [kind]: name });
    return before ? changeOf(kind, before, after) : newText(after);
  });
  return html`<li><div class="row"><code>${name}</code> <span class="hint">${words}</span> ${opener}</div>${place}</li>`;
}

/** The differences of a template or block from what is imported. */
async function changeOf(kind, before, after) {
  const names = ['here', 'files'];
  const [fieldsBefore, fieldsAfter] = [before, after].map(each => JSON.stringify({ ...each, html: undefined, subject: undefined }, null, 2));
  const previewOf = (name, { subject = '', html: source, samples }) => ({ name, ask: () => draftPreview({ subject, html: source, samples }) });
  return html`
    <div>
      ${kind === 'template' && fieldsBefore !== fieldsAfter
        && [html`<h3>Name, test data and other fields</h3>`, await difference(fieldsBefore, fieldsAfter, names)]}
      ${await changeView(before, after, names, [previewOf('Here', before), previewOf('Files', after)])}
    </div>`;
}
