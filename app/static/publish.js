// Publishing changes what callers get, so it says beforehand what will change, for whom.
import { element, button, count } from './dom.js';
import { get, post } from './server.js';
import { confirmed, dialog } from './dialog.js';
import { form, field, sentence } from './form.js';
import { differences } from './difference.js';
import { problemList } from './panels.js';
import { when } from './time.js';

/** Shows what publishing the saved draft would do; answers the template as it is then, {theirs}, or nothing. */
export async function publish({ id, name }, { note = '', refusal = null } = {}) {
  const path = '/data/templates/' + encodeURIComponent(id);
  const it = await get(path + '/publication');
  const refused = it.problems.some(problem => problem.level === 'refused');
  const errors = it.problems.filter(problem => problem.level === 'error');
  const difference = it.next && it.live && !it.unchanged
    ? await differences(it.live, it.next, ['live', 'new']) : null;
  const answer = await dialog('Publish ' + name, close => {
    const report = [
      refusal && element('p', { class: 'notice', role: 'alert' }, refusal),
      section(refused ? 'Publishing is blocked' : errors.length > 0 ? 'The mail would break' : 'Checks',
        problemList(it.problems, it.moreProblems)),
      !refused && variables(it),
      !refused && it.live && callers(it.keys),
      !refused && section('What changes', changes(it, difference)),
    ];
    if (refused || it.unchanged) {
      return [report, element('div', { class: 'actions' },
        button('Back to the draft', () => close(), { autofocus: true }),
        button('Publish', null, { class: 'primary', disabled: true }))];
    }
    const force = errors.length > 0;
    return form(force ? 'Publish anyway…' : 'Publish', async given => {
      if (force && !await anyway(name, errors)) {
        return;
      }
      try {
        close(await post(path + '/publish', { revision: it.revision, sha256: it.sha256, note: given.note, force }));
      } catch (failure) {
        if (failure.status === 409 && failure.body.theirs) {
          close({ theirs: failure.body.theirs });
          return;
        }
        if (failure.status === 409) {
          close({ note: given.note, refusal: sentence(failure) });
          return;
        }
        throw failure;
      }
    }, [report, field('note', 'Note', { maxlength: 200, value: note, placeholder: 'for example: new address in the footer' }, 'For the history. Optional.')],
    button(force ? 'Back to the draft' : 'Cancel', () => close(), { autofocus: force }));
  }, { wide: true });
  return answer?.refusal ? publish({ id, name }, answer) : answer;
}

/** Asks once more, naming the errors: braces that are meant as text are the only good reason. */
function anyway(name, errors) {
  return confirmed(`Publish ${name} with ${count(errors.length, 'error')}?`, [
    'The caller fills in the mail, and will most likely fail at:', problemList(errors),
    'Publish it only if these braces are meant as text.'], 'Publish anyway', { danger: true, cancel: 'Do not publish' });
}

function section(title, ...contents) {
  return element('section', { class: 'part' }, element('h3', {}, title), contents);
}

function changes(it, difference) {
  if (it.live === null) {
    return element('p', {}, 'This is its first version: until now the API answers 404 for it.');
  }
  return it.unchanged
    ? element('p', {}, `Nothing: the draft is the same as version ${it.live.number}, which is live.`)
    : [element('p', { class: 'hint' }, `Compared with version ${it.live.number}, which is live.`), difference];
}

function variables(it) {
  const names = (list, more) => [...list.map(name => element('code', {}, name)), ...more > 0 ? [`${more} more`] : []];
  if (it.live === null) {
    const all = it.next?.variables ?? [];
    return section('Variables', element('p', {}, all.length
      ? ['Callers fill in ', spaced(names(all, it.next.moreVariables)), '.'] : 'None: callers have nothing to fill in.'));
  }
  if (it.added.length + it.removed.length === 0) {
    return section('Variables', element('p', {}, 'The same as before: callers need not change.'));
  }
  return section('Variables',
    it.added.length > 0 && element('p', { class: 'added' }, element('b', {}, count(it.added.length + it.moreAdded, 'variable') + ' added: '), spaced(names(it.added, it.moreAdded))),
    it.removed.length > 0 && element('p', { class: 'removed' }, element('b', {}, count(it.removed.length + it.moreRemoved, 'variable') + ' removed: '), spaced(names(it.removed, it.moreRemoved))),
    element('p', { class: 'warning' }, it.added.length > 0
      ? 'Change the callers first: until they fill in what is added, their mails go out with an empty or unfilled place.'
      : 'Callers may still send what is removed; it is not used any more.'));
}

function spaced(nodes) {
  return nodes.flatMap((node, i) => i === 0 ? [node] : [', ', node]);
}

function callers(keys) {
  return section('Fetched in the last 30 days', keys.length === 0
    ? element('p', {}, 'By no key.')
    : element('ul', { class: 'plain callers' }, keys.map(key => element('li', {},
      element('b', {}, key.name ?? 'a key that was deleted'), ' ', key.start && element('code', {}, key.start + '…'), ` ${count(key.requests, 'request')}, last `, when(key.lastAt)))));
}

/** Publishes an old version again, as a new one; the dialog shows what that changes in what is live. */
export async function publishAgain(id, number, live) {
  const path = '/data/templates/' + encodeURIComponent(id) + '/versions/';
  const [old, now] = await Promise.all([get(path + number), live ? get(path + live) : null]);
  const difference = now ? await differences(now, old, ['live', 'version ' + number]) : null;
  return dialog(`Publish version ${number} again`, close => form('Publish again', async given => {
    close(await post(path + number + '/publish', { note: given.note }));
  }, [
    element('p', {}, `Its text becomes a new version and is live at once. The draft stays as it is, and so does the history.`),
    difference && section('What changes', difference),
    field('note', 'Note', { maxlength: 200, value: `Version ${number} again` }),
  ], button('Cancel', () => close())), { wide: true });
}

