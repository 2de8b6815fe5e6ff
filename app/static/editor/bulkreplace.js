// Replaces text in several drafts and shared blocks: previews each match, saves each text once, and can undo everything.
import { html, count } from '../frame/dom.js';
import { get, put } from '../frame/server.js';
import { confirmed, dialog, formDialog, notify } from '../frame/dialog.js';
import { checkbox, refusal, textArea } from '../frame/form.js';
import { hasSubject, unfolding } from '../frame/difference.js';
import { changeView, textPreview } from '../preview/pictures.js';
import { templatePath, withEach } from '../frame/progress.js';
import { accountLine } from '../frame/session.js';
import { tickForm } from '../frame/tickform.js';
import { patternOf, replaceInSlices } from './textpattern.js';

/** Maximum length of the search text. */
const MAX_CHARACTERS = 20_000;

/** Asks what to replace in these drafts, and also in shared blocks if the user wants it, and replaces it. */
export async function replaceInMany(templates) {
  const wanted = await formDialog(`Replace in ${count(templates.length, 'draft')}`, 'Find', [
    accountLine(),
    textArea('find', 'Find', '', { autofocus: true, required: true, maxlength: MAX_CHARACTERS }),
    textArea('replacement', 'Replace with'),
    checkbox('isLoose', 'Ignore whitespace and attribute order'),
    checkbox('withBlocks', 'Also search all shared blocks'),
  ], given => {
    if ((given.isLoose ? given.find.trim() : given.find) === '') {
      throw refusal('Enter the text to find', 'find');
    }
    return given;
  });
  if (wanted) {
    const blocks = wanted.withBlocks ? (await get('/data/blocks')).blocks.map(blockText) : [];
    await replaceIn([...templates.map(templateText), ...blocks], wanted, { isList: true });
  }
}

/** Replaces text with the tag of the shared block made from it, in all templates except the open one. */
export async function replaceInOthers(find, replacement) {
  if (find.length > MAX_CHARACTERS) {
    notify(`The selection is too long to search for in other templates. Select at most ${count(MAX_CHARACTERS, 'character')}.`, 'failed');
    return;
  }
  const { templates } = await get('/data/templates');
  const others = templates.filter(({ id }) => location.pathname !== '/templates/' + id);
  await replaceIn(others.map(templateText), { find, replacement, isLoose: true });
}

/** Texts to search: {id, name, path, read}, where `read` picks from the saved text what is searched and saved. */
const templateText = ({ id, name }) => ({
  id, name, path: templatePath(id),
  read: ({ subject, html: source, samples, defaultSamples }) => ({ subject, html: source, samples, defaultSamples }),
});
const blockText = ({ name }) => ({
  id: 'shared block', name, path: '/data/blocks/' + encodeURIComponent(name), read: ({ html: source }) => ({ html: source }),
});

/** Searches texts, and replaces where the user wants it. @param isList true on the template list, which is then reloaded */
async function replaceIn(texts, wanted, { isList = false } = {}) {
  const found = await search(texts, wanted);
  if (found === null) {
    return;
  }
  if (found.length === 0) {
    notify('No matches found.');
    return;
  }
  const chosen = await askWhere(found);
  if (!chosen) {
    return;
  }
  const save = async (text, revision, given) => ({ ...text, revision: (await put(text.path, { revision, ...given })).revision });
  const options = { isChange: isList, noun: 'text' };
  const { results: done } = await withEach('Replacing', chosen, text => save(text, text.revision, text.after), { done: 'changed', ...options });
  if (done.length > 0 && await confirmed('Replaced', `${count(done.length, 'text')} saved. `
    + 'Live versions do not change until you publish.', 'Undo', { cancel: 'Done' })) {
    await withEach('Undoing', done, text => save(text, text.revision, text.before), { done: 'restored', ...options });
  }
}

/** The texts with matches, each with its `before`, `after` and number of `places`; null if the user has stopped the search. */
async function search(texts, { find, replacement, isLoose }) {
  const pattern = patternOf(find, { isLoose });
  const inSubject = patternOf(find, { isLoose, isPlain: true });
  const { isStopped, results } = await withEach('Searching', texts, async text => {
    const { revision, templates, ...saved } = await get(text.path);
    const before = text.read(saved);
    const body = await replaceInSlices(before.html, pattern, replacement);
    const subject = hasSubject(before) ? await replaceInSlices(before.subject, inSubject, replacement) : { count: 0 };
    const places = body.count + subject.count;
    if (places === 0) {
      return null; // so that only the texts with matches are kept
    }
    return { ...text, revision, templates, before, after: { ...before, html: body.text, ...hasSubject(before) && { subject: subject.text } }, places };
  }, { done: 'searched', isChange: false, noun: 'text' });
  return isStopped ? null : results.filter(Boolean);
}

/** Resolves to the ticked texts, or undefined if cancelled. */
function askWhere(found) {
  const rows = found.map(text => {
    const { name, id, places, before, after } = text;
    const tick = html`<input type="checkbox" aria-label="Replace in ${name}" checked>`;
    const { opener, place } = unfolding(name, 'difference', () => changeView(before, after, ['now', 'new'],
      [{ name: 'Now', ask: () => textPreview(before, text) }, { name: 'New', ask: () => textPreview(after, text) }]));
    return { text, tick, node: html`
      <li class="card part">
        <div class="row">${tick}<b>${name}</b> <code>${id}</code> <span class="hint">${count(places, 'place')}</span>${opener}</div>
        ${place}
      </li>` };
  });
  return dialog('Matches found', close => tickForm({
    rows,
    labelFor: number => 'Replace in ' + count(number, 'text'),
    contents: html`<ul class="plain publications">${rows.map(row => row.node)}</ul>`,
    onSubmit: ticked => close(ticked.map(row => row.text)),
    onCancel: () => close(),
  }), { wide: true });
}
