// Publishing changes what callers get, so it says beforehand what will change, for whom.
import { element, button, count } from './dom.js';
import { get, post } from './server.js';
import { dialog } from './dialog.js';
import { form, field, sentence } from './form.js';
import { differences } from './difference.js';
import { problemRow } from './panels.js';
import { when } from './time.js';

/** Shows what publishing the saved draft would do; answers the template as it is then, {theirs}, or nothing. */
export async function publish({ id, name }, { note = '', refusal = null } = {}) {
  const path = '/data/templates/' + encodeURIComponent(id);
  const it = await get(path + '/publication');
  const blocking = it.problems.filter(problem => problem.blocking);
  const difference = it.next && it.live && !it.unchanged
    ? await differences(it.live, it.next, ['live', 'new']) : null;
  const answer = await dialog('Publish ' + name, close => {
    const report = [
      refusal && element('p', { class: 'notice', role: 'alert' }, refusal),
      section(blocking.length ? 'Publishing is blocked' : 'Checks', it.problems.length === 0
        ? element('p', { class: 'good' }, 'Nothing to complain about.')
        : element('ul', { class: 'checks' }, [...blocking, ...it.problems.filter(problem => !problem.blocking)].map(problem => problemRow(problem)))),
      blocking.length === 0 && variables(it),
      blocking.length === 0 && it.live && callers(it.keys),
      blocking.length === 0 && section('What changes', changes(it, difference)),
    ];
    if (blocking.length > 0 || it.unchanged) {
      return [report, element('div', { class: 'actions' },
        button('Back to the draft', () => close(), { autofocus: true }),
        button('Publish', null, { class: 'primary', disabled: true }))];
    }
    return form('Publish', async given => {
      try {
        close(await post(path + '/publish', { revision: it.revision, sha256: it.sha256, note: given.note }));
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
    button('Cancel', () => close()));
  }, { wide: true });
  return answer?.refusal ? publish({ id, name }, answer) : answer;
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
  const names = list => list.map(name => element('code', {}, name));
  if (it.live === null) {
    const all = it.next?.variables ?? [];
    return section('Variables', element('p', {}, all.length
      ? ['Callers fill in ', spaced(names(all)), '.'] : 'None: callers have nothing to fill in.'));
  }
  if (it.added.length + it.removed.length === 0) {
    return section('Variables', element('p', {}, 'The same as before: callers need not change.'));
  }
  return section('Variables',
    it.added.length > 0 && element('p', { class: 'added' }, element('b', {}, count(it.added.length, 'variable') + ' added: '), spaced(names(it.added))),
    it.removed.length > 0 && element('p', { class: 'removed' }, element('b', {}, count(it.removed.length, 'variable') + ' removed: '), spaced(names(it.removed))),
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

