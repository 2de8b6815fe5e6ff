// The publish dialog. Publishing changes the API's responses, so it first shows the changes and the affected keys.
import { html, button, count } from './dom.js';
import { get, post } from './server.js';
import { confirmed, dialog } from './dialog.js';
import { form, field, sentence } from './form.js';
import { differences } from './difference.js';
import { problemList, setProblems } from './problems.js';
import { change, draftPreview, versionPreview } from './pictures.js';
import { requestNotice } from './request.js';
import { accountLine } from './session.js';
import { relativeTime } from './time.js';

/**
 * Shows the effect of publishing the saved draft. Resolves to the published template, {theirs} on a conflict, or undefined if
 * cancelled.
 *
 * @param goTo shows a place in the editor after the dialog is closed
 */
export async function publish(saved, goTo, { note = '', refusal = null } = {}) {
  const { id, name } = saved;
  const path = '/data/templates/' + encodeURIComponent(id);
  const plan = await get(path + '/publication');
  const isBlocked = plan.problems.some(problem => problem.level === 'refused');
  const errors = plan.problems.filter(problem => problem.level === 'error');
  const difference = plan.next && plan.live && !plan.unchanged && change(await differences(plan.live, plan.next, ['live', 'new']), [
    { name: `Version ${plan.live.number}, which is live`, address: () => versionPreview(id, plan.live.number) },
    { name: 'The draft', address: () => draftPreview(saved) },
  ]);
  const title = isBlocked ? 'Publishing is blocked' : errors.length > 0 ? 'The mail would break' : 'Checks';
  const report = close => html`
    ${accountLine()}
    ${refusal && html`<p class="notice" role="alert">${refusal}</p>`}
    ${requestNotice(plan.request)}
    ${plan.savedBy && html`<p class="hint">The draft was saved last by ${plan.savedBy}, ${relativeTime(plan.savedAt)}.</p>`}
    ${section(title, problemList([...plan.problems, ...setProblems(plan.report?.sets ?? [])], plan.moreProblems,
      place => close({ place })))}
    ${!isBlocked && [
      section('Variables', variables(plan)),
      plan.live && callers(plan.keys),
      section('What changes', changes(plan, difference)),
    ]}`;
  const answer = await dialog('Publish ' + name, close => {
    if (isBlocked || plan.unchanged) {
      return html`
        ${report(close)}
        <div class="actions">
          ${button('Back to the draft', () => close(), { autofocus: true })}
          ${button('Publish', null, { class: 'primary', disabled: true })}
        </div>`;
    }
    const force = errors.length > 0;
    return form(force ? 'Publish anyway…' : 'Publish', async given => {
      if (force && !await confirmErrors(name, errors)) {
        return;
      }
      try {
        close(await post(path + '/publish', { revision: plan.revision, sha256: plan.sha256, note: given.note, force }));
      } catch (failure) {
        if (failure.status !== 409) {
          throw failure;
        }
        const { theirs } = failure.body;
        close(theirs ? { theirs } : { note: given.note, refusal: sentence(failure) });
      }
    }, [report(close), field('note', 'Note', { maxlength: 200, value: note, placeholder: 'for example: new address in the footer' },
      'For the history. Optional.')], button(force ? 'Back to the draft' : 'Cancel', () => close(), { autofocus: force }));
  }, { wide: true });
  if (answer?.place) {
    goTo(answer.place);
    return undefined;
  }
  return answer?.refusal ? publish(saved, goTo, answer) : answer;
}

/** Asks for confirmation and lists the errors; the only good reason to ignore them is literal braces. */
function confirmErrors(name, errors) {
  return confirmed(`Publish ${name} with ${count(errors.length, 'error')}?`, [
    'The caller fills in the mail, and will most likely fail at:', problemList(errors),
    'Publish it only if these braces are meant as text.'], 'Publish anyway', { danger: true, cancel: 'Do not publish' });
}

/** A dialog section with a heading. */
export function section(title, contents) {
  return html`<section class="part"><h3>${title}</h3>${contents}</section>`;
}

function changes({ live, next, unchanged }, difference) {
  return live === null ? html`<p>This is its first version: until now the API answers 404 for it.</p>`
    : unchanged ? html`<p>Nothing: the draft is the same as version ${live.number}, which is live.</p>`
      : live.html === next.html && live.subject === next.subject ? html`
        <p>The served text stays the same. Publishing records the shared blocks of which it is made now, so that it is known where
          they are used.</p>`
      : [html`<p class="hint">Compared with version ${live.number}, which is live.</p>`, difference];
}

function variables({ live, next, report, ...changed }) {
  const isAny = next.variables.length > 0;
  return [
    live !== null && variableChanges(changed),
    isAny ? html`<p>Callers fill in:</p>` : live === null && html`<p>None: callers have nothing to fill in.</p>`,
    variableTree(report.tree),
    next.moreVariables > 0 && html`<p class="hint">and ${count(next.moreVariables, 'more variable')}</p>`,
  ];
}

/** Variables that callers must add, and variables no longer used. */
export function variableChanges({ added, moreAdded, removed, moreRemoved }) {
  if (added.length + removed.length === 0) {
    return html`<p>The same as before: callers need not change.</p>`;
  }
  const row = (kind, names, more) => names.length > 0 && html`
    <p class=${kind}><b>${count(names.length + more, 'variable')} ${kind}: </b>${nameList(names, more)}</p>`;
  return html`
    ${row('added', added, moreAdded)}
    ${row('removed', removed, moreRemoved)}
    <p class="warning">
      ${added.length > 0
        ? 'Change the callers first: until they fill in what is added, their mails go out with an empty or unfilled place.'
        : 'Callers may still send what is removed; it is not used any more.'}
    </p>`;
}

/** The variables as a tree, with examples from the default test data set. */
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

/** Lists names, with a count of those omitted. */
export function nameList(names, more) {
  const all = [...names.map(name => html`<code>${name}</code>`), ...more > 0 ? [`${more} more`] : []];
  return all.flatMap((name, i) => i === 0 ? [name] : [', ', name]);
}

/** @param keys keys that recently fetched the template */
export function callers(keys) {
  return section('Fetched in the last 30 days', keys.length === 0 ? html`<p>By no key.</p>` : html`
    <ul class="plain callers">
      ${keys.map(({ name, start, requests, lastAt }) => html`
        <li>
          <b>${name ?? 'a key that was deleted'}</b> ${start && html`<code>${start}…</code>`} ${count(requests, 'request')},
          last ${relativeTime(lastAt)}
        </li>`)}
    </ul>`);
}

/** Publishes an old version again as a new version, after showing the changes from the live one. */
export async function publishAgain(id, number, live) {
  const path = '/data/templates/' + encodeURIComponent(id) + '/versions/';
  const [old, now] = await Promise.all([get(path + number), live ? get(path + live) : null]);
  const difference = now && change(await differences(now, old, ['live', 'version ' + number]), [
    { name: `Version ${live}, which is live`, address: () => versionPreview(id, live) },
    { name: 'Version ' + number, address: () => versionPreview(id, number) },
  ]);
  return dialog(`Publish version ${number} again`, close => form('Publish again', async ({ note }) => {
    close(await post(path + number + '/publish', { note }));
  }, [
    accountLine(),
    html`<p>Its text becomes a new version and is live at once. The draft stays as it is, and so does the history.</p>`,
    now && [section('Variables', variableChanges(old)), callers(old.keys)],
    difference && section('What changes', difference),
    field('note', 'Note', { maxlength: 200, value: `Version ${number} again` }),
  ], button('Cancel', () => close())), { wide: true });
}
