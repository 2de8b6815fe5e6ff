// The publish dialog. Publishing changes the API's responses, so the dialog first shows the changes and the affected keys.
import { html, button, count } from '../frame/dom.js';
import { get, post } from '../frame/server.js';
import { confirmed, dialog } from '../frame/dialog.js';
import { form, field, sentence } from '../frame/form.js';
import { problemList, setProblems } from '../frame/problems.js';
import { changeView, draftPreview, versionPreview } from '../preview/pictures.js';
import { requestNotice } from './request.js';
import { accountLine } from '../frame/session.js';
import { relativeTime } from '../frame/time.js';

/** True if a problem of a publication has this level. */
const hasProblem = ({ problems }, level) => problems.some(problem => problem.level === level);

/**
 * Shows the effect of publishing the saved draft, and publishes it if the user confirms. Resolves to {template}, as published, to
 * {theirs} if the draft has changed, or to undefined if cancelled.
 *
 * @param goTo shows a place in the editor after the dialog is closed
 */
export async function publish(saved, goTo) {
  let outcome = await publishOnce(saved, { note: '', refusal: null });
  while (outcome?.again) {
    outcome = await publishOnce(saved, outcome.again);
  }
  if (outcome?.place) {
    goTo(outcome.place);
    return undefined;
  }
  return outcome;
}

/**
 * Opens the publish dialog. Resolves to what ended it, one of {template}, {theirs}, {place} (to be shown in the editor) and {again}
 * (the note and refusal for the next dialog), or to undefined if cancelled.
 *
 * @param note    suggested note
 * @param refusal why the server has not published the draft as shown before, or null
 */
async function publishOnce(saved, { note, refusal }) {
  const { id, name } = saved;
  const path = '/data/templates/' + encodeURIComponent(id);
  const plan = await get(path + '/publication');
  const isBlocked = hasProblem(plan, 'refused');
  const errors = plan.problems.filter(problem => problem.level === 'error');
  const difference = plan.next && plan.live && !plan.unchanged && await changeView(plan.live, plan.next, ['live', 'new'], [
    { name: `Version ${plan.live.number} (live)`, ask: () => versionPreview(id, plan.live.number) },
    { name: 'Draft', ask: () => draftPreview(saved) },
  ]);
  const force = errors.length > 0;

  /** Publishes the draft as shown. Resolves to what ends the dialog; another error is thrown. */
  async function send(noteGiven) {
    try {
      return { template: await post(path + '/publish', { revision: plan.revision, sha256: plan.sha256, note: noteGiven, force }) };
    } catch (failure) {
      if (failure.status !== 409) {
        throw failure;
      }
      const { theirs } = failure.body;
      return theirs ? { theirs } : { again: { note: noteGiven, refusal: sentence(failure) } };
    }
  }

  return dialog('Publish ' + name, close => {
    const goTo = place => close({ place });
    if (isBlocked || plan.unchanged) {
      return html`
        ${report(plan, { difference, refusal, goTo })}
        <div class="actions">
          ${button('Back to draft', () => close(), { autofocus: true })}
          ${button('Publish', null, { class: 'primary', disabled: true })}
        </div>`;
    }
    const noteField = field('note', 'Note', { maxlength: 200, value: note, placeholder: 'e.g. new address in the footer' },
      'Optional. Shown in the history.');
    return form(force ? 'Publish anyway…' : 'Publish', async given => {
      if (!force || await confirmErrors(name, errors)) {
        close(await send(given.note));
      }
    }, report(plan, { difference, refusal, noteField, goTo }), button(force ? 'Back to draft' : 'Cancel', () => close(), { autofocus: force }));
  }, { wide: true });
}

/**
 * The contents of the publish dialog; errors come first.
 *
 * @param difference changes from the live version; false if there are none to show
 * @param refusal    why the server has not published the draft as shown before, or null
 * @param noteField  field for the note; null if the draft cannot be published
 * @param goTo       shows a place in the editor
 */
function report(plan, { difference, refusal, noteField = null, goTo }) {
  const isBlocked = hasProblem(plan, 'refused');
  const hasErrors = hasProblem(plan, 'error');
  const title = isBlocked ? 'Publishing is blocked' : hasErrors ? 'Errors' : 'Checks';
  const problems = [...plan.problems, ...setProblems(plan.report?.sets ?? [])];
  const checks = section(title, problemList(problems, plan.moreProblems, goTo));
  return html`
    ${accountLine()}
    ${refusal && html`<p class="notice" role="alert">${refusal}</p>`}
    ${requestNotice(plan.request)}
    ${plan.savedBy && html`<p class="hint">Draft last saved by ${plan.savedBy}, ${relativeTime(plan.savedAt)}.</p>`}
    ${hasErrors && checks}
    ${!isBlocked && section('What changes', changes(plan, difference))}
    ${noteField}
    ${!hasErrors && checks}
    ${!isBlocked && [section('Variables', variables(plan)), plan.live && callers(plan.keys)]}`;
}

/** Lists the errors and asks for confirmation; resolves to true if confirmed. */
function confirmErrors(name, errors) {
  return confirmed(`Publish ${name} with ${count(errors.length, 'error')}?`, [
    'Your app probably cannot render this email, or recipients will see text that they should not, because of these errors:',
    problemList(errors),
    'Publish only if the characters in these places are literal text.',
  ], 'Publish anyway', { danger: true, cancel: 'Don\'t publish' });
}

/** A part of a dialog, with a heading. */
export function section(title, contents) {
  return html`<section class="part"><h3>${title}</h3>${contents}</section>`;
}

/** The changes of the published text. @param difference from the live version; false if there is none to show */
function changes({ live, next, unchanged }, difference) {
  if (live === null) {
    return html`<p>This is the first version. Until you publish, the API returns 404.</p>`;
  }
  if (unchanged) {
    return html`<p>No changes since version ${live.number} (live).</p>`;
  }
  return live.html === next.html && live.subject === next.subject
    ? html`<p>The published HTML and subject will not change. The new version differs only in the draft or shared blocks stored with it.</p>`
    : [html`<p class="hint">Compared with version ${live.number} (live).</p>`, difference];
}

/** The variables that the app fills in; first, with a live version, what changes in them. */
function variables({ live, next, report, ...changed }) {
  const hasAny = next.variables.length > 0;
  const all = [variableTree(report.tree), next.moreVariables > 0 && html`<p class="hint">and ${count(next.moreVariables, 'more variable')}</p>`];
  if (live === null) {
    return [html`<p>${hasAny ? 'Your app fills in:' : 'No variables to fill in.'}</p>`, all];
  }
  return [variableChanges(changed), hasAny && html`
    <details><summary>${count(next.variables.length + next.moreVariables, 'variable')} that your app fills in</summary>${all}</details>`];
}

/** Variables that callers must add, and variables that become unused. */
export function variableChanges({ added, moreAdded, removed, moreRemoved }) {
  if (added.length + removed.length === 0) {
    return html`<p>No changes. You do not need to update your app.</p>`;
  }
  const row = (kind, names, more) => names.length > 0 && html`
    <p class=${kind}><b>${count(names.length + more, 'variable')} ${kind}: </b>${nameList(names, more)}</p>`;
  return html`
    ${row('added', added, moreAdded)}
    ${row('removed', removed, moreRemoved)}
    <p class="warning">
      ${added.length > 0
        ? 'Update your app first. Otherwise, emails will lack values for the new variables.'
        : 'Removed variables are ignored if your app still provides them.'}
    </p>`;
}

/** The variables as a tree, with examples from the default test data set; false if there are none. */
function variableTree(tree) {
  return tree.length > 0 && html`
    <ul class="plain tree">
      ${tree.map(({ name, isList, rows, example, inner }) => html`
        <li>
          <code>${name}${isList ? '[]' : ''}</code> <span class="hint">${rows === undefined ? example : count(rows, 'row')}</span>
          ${variableTree(inner)}
        </li>`)}
    </ul>`;
}

/** Lists names, with commas. @param more number of names left out */
export function nameList(names, more) {
  const all = [...names.map(name => html`<code>${name}</code>`), ...more > 0 ? [`${more} more`] : []];
  return all.flatMap((name, i) => i === 0 ? [name] : [', ', name]);
}

/** A part of a dialog: the keys that recently fetched the template. */
export function callers(keys) {
  return section('API keys that fetched the template in the last 30 days', keys.length === 0 ? html`<p>No requests.</p>` : html`
    <ul class="plain callers">
      ${keys.map(({ name, start, requests, lastAt }) => html`
        <li>
          <b>${name ?? 'a deleted key'}</b> ${start && html`<code>${start}…</code>`} ${count(requests, 'request')},
          last ${relativeTime(lastAt)}
        </li>`)}
    </ul>`);
}

/**
 * Publishes an old version again as a new version, after showing the changes from the live version. Resolves to the template, or to
 * undefined if cancelled.
 *
 * @param live number of the live version; undefined if unknown
 */
export async function publishAgain(id, number, live) {
  const path = '/data/templates/' + encodeURIComponent(id) + '/versions/';
  const [old, current] = await Promise.all([get(path + number), live ? get(path + live) : null]);
  const difference = current && await changeView(current, old, ['live', 'version ' + number], [
    { name: `Version ${live} (live)`, ask: () => versionPreview(id, live) },
    { name: 'Version ' + number, ask: () => versionPreview(id, number) },
  ]);
  return dialog(`Publish version ${number} again`, close => form('Publish again', async ({ note }) => {
    close(await post(path + number + '/publish', { note }));
  }, [
    accountLine(),
    html`<p>The text of version ${number} goes live as a new version. The draft and earlier versions do not change.</p>`,
    current && [section('Variables', variableChanges(old)), callers(old.keys)],
    difference && section('What changes', difference),
    field('note', 'Note', { maxlength: 200, value: `Version ${number} again` }),
  ], button('Cancel', () => close())), { wide: true });
}
