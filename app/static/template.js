// A template's details: its draft in the editor with a live preview, and everything about it in tabs beside.
import { element, button, link } from './dom.js';
import { get, put } from './server.js';
import { attempt, dialog, say } from './dialog.js';
import { field, form, sentence } from './form.js';
import { go } from './router.js';
import { when } from './time.js';
import { editor } from './editor.js';
import { preview } from './preview.js';
import { tabs } from './tabs.js';
import { checksPanel, variablesPanel, blocksPanel, apiPanel, problemMark } from './panels.js';
import { historyPanel } from './history.js';
import { publish } from './publish.js';
import { settled } from './conflict.js';
import { stateMark, staleMark, idWithCopy, duplicated, deleted } from './templates.js';

export async function templatePage(id) {
  const path = '/data/templates/' + encodeURIComponent(id);
  let saved = await get(path);
  let samples = { ...saved.samples };
  let saving = null;

  const subject = element('input', { id: 'subject', type: 'text', value: saved.subject, autocomplete: 'off', maxlength: 998,
    'aria-describedby': 'subject-error', oninput: changed });
  const htmlError = element('p', { class: 'error', role: 'alert' });
  const subjectError = element('p', { class: 'error', id: 'subject-error' });
  const code = await editor({ label: 'HTML of the mail', text: saved.html, change: changed });

  const checks = checksPanel(toPlace);
  const variables = variablesPanel({ toPlace, sampled });
  const blocks = blocksPanel(code.line);
  const history = historyPanel({ template: () => saved, read, dirty, adopt: replaced, published });
  const side = tabs('About this template', [
    { name: 'Variables', panel: variables.node },
    { name: 'Blocks', panel: blocks.node },
    { name: 'Checks', panel: checks.node },
    { name: 'History', panel: history.node, open: history.load },
    { name: 'API', panel: apiPanel(id) },
  ]);
  const view = preview({
    read,
    checked(result) {
      variables.show(result.variables, samples, result.moreVariables);
      blocks.show(result.blocks, saved.stale);
      checks.show(result.problems, result.moreProblems);
      side.counted('Variables', result.variables.length + result.moreVariables);
      side.counted('Blocks', result.blocks.length || null);
      side.counted('Checks', result.problems.length + result.moreProblems || null, problemMark(result.problems));
    },
  });

  const header = element('header', { class: 'details' });
  const clashing = element('div', {});
  const word = element('span', { class: 'saved', role: 'status' });
  const saveButton = button('Save draft', () => attempt(save), { 'aria-keyshortcuts': 'Control+S', title: 'Ctrl+S' });
  const publishButton = button('Publish…', () => attempt(publishing), { class: 'primary' });
  show();

  function read() {
    return { subject: subject.value, html: code.text(), samples };
  }

  function dirty() {
    return subject.value !== saved.subject || !code.isClean() || !sameSamples(samples, saved.samples);
  }

  function changed() {
    subjectError.textContent = '';
    htmlError.textContent = '';
    tell();
    view.soon();
  }

  function sampled(name, value) {
    samples = { ...samples, [name]: value };
    if (value === '') {
      delete samples[name];
    }
    changed();
  }

  function toPlace({ field: where, line }) {
    return where === 'subject' ? subject.focus() : code.line(line);
  }

  function tell() {
    const open = dirty();
    word.replaceChildren(...(open ? ['Unsaved changes'] : ['Saved ', when(saved.updatedAt)]));
    word.classList.toggle('open', open);
  }

  function show() {
    header.replaceChildren(
      element('div', { class: 'row title' },
        link('/', 'Templates', { class: 'crumb' }),
        element('h1', { tabindex: '-1' }, saved.name), button('Rename', rename, { class: 'small quiet rename' }),
        stateMark(saved.state), staleMark(saved.stale)),
      element('div', { class: 'row about' }, idWithCopy(id), word,
        button('Duplicate…', () => attempt(() => duplicated(saved)), { class: 'small quiet' }),
        button('Delete…', () => attempt(async () => { if (await deleted(saved)) { await go('/', { force: true }); } }), { class: 'small quiet' })),
      element('div', { class: 'row main-acts' }, saveButton, publishButton));
    document.title = saved.name + ' · Stet';
    tell();
  }

  /** Takes what the server holds now; the text in the editor stays. */
  function adopt(template) {
    saved = template;
    show();
    if (side.selected() === 'History') {
      history.load();
    }
  }

  /** Takes the server's text too. */
  function replaced(template) {
    subject.value = template.subject;
    code.replace(template.html);
    code.clean();
    samples = { ...template.samples };
    adopt(template);
    view.now();
  }

  function rename() {
    const done = () => {
      show();
      header.querySelector('.rename').focus();
    };
    const inPlace = form('Rename', async given => {
      about(await put(path + '/name', { name: given.name }));
      done();
    }, [field('name', 'Name', { value: saved.name, maxlength: 200, required: true },
      'The name is live: the API answers with it at once.')], button('Cancel', done));
    inPlace.className = 'renaming';
    inPlace.addEventListener('keydown', event => {
      if (event.key === 'Escape') {
        done();
      }
    });
    header.querySelector('.title').replaceChildren(inPlace);
    inPlace.elements.name.select();
  }

  /** Takes what is said about the template, not its text: another editor's save must still be noticed by ours. */
  function about(template) {
    const same = template.subject === saved.subject && template.html === saved.html && sameSamples(template.samples, saved.samples);
    const { subject: words, html, samples: values } = saved;
    adopt({ ...template, subject: words, html, samples: values, revision: same ? template.revision : saved.revision });
  }

  /** True when the server has the text. */
  function save() {
    // One after the other: a save asked for while another runs takes what was typed since.
    const mine = (saving ?? Promise.resolve()).catch(() => null).then(() => keep(saved.revision))
      .finally(() => { saving = saving === mine ? null : saving; });
    saving = mine;
    return mine;
  }

  async function keep(revision) {
    if (!dirty()) {
      tell();
      return true;
    }
    const mine = read();
    const generation = code.generation();
    saveButton.setAttribute('aria-disabled', 'true');
    try {
      const template = await put(path, { revision, ...mine });
      code.clean(generation);
      clashing.replaceChildren();
      adopt(template);
      return true;
    } catch (failure) {
      if (failure.status === 409) {
        return await resolve(mine, generation, failure.body.theirs);
      }
      if (failure.field === 'subject') {
        subjectError.textContent = sentence(failure);
        subject.focus();
        return false;
      }
      if (failure.field === 'html' || failure.status === 413) {
        htmlError.textContent = 'Not saved: ' + sentence(failure);
        return false;
      }
      if (failure.status === 404) {
        htmlError.textContent = 'Not saved: this template was deleted meanwhile. Your text is still here; copy it into a new one.';
        return false;
      }
      throw failure;
    } finally {
      saveButton.removeAttribute('aria-disabled');
    }
  }

  function resolve(mine, generation, theirs) {
    return settled({
      theirs, mine, clashing,
      same: theirs.subject === mine.subject && theirs.html === mine.html && sameSamples(theirs.samples, mine.samples),
      keep: () => keep(theirs.revision),
      adopt() {
        code.clean(generation);
        adopt(theirs);
      },
      take: () => replaced(theirs),
      again: () => resolve(read(), code.generation(), theirs),
    });
  }

  async function publishing() {
    if (!await save()) {
      return;
    }
    const outcome = await publish(saved);
    if (outcome?.theirs) {
      replaced(outcome.theirs);
      say('The draft changed meanwhile; it is shown now, and nothing was published.', 'failed');
    } else if (outcome) {
      published(outcome);
    }
  }

  function published(template) {
    about(template);
    say(`Version ${template.published.number} of ${template.name} is live.`);
    view.soon();
  }

  async function guard() {
    if (!dirty()) {
      return true;
    }
    const choice = await dialog('Leave with unsaved changes?', close => [
      element('p', {}, 'The draft of ' + saved.name + ' has changes that are not saved.'),
      element('div', { class: 'actions' },
        button('Stay', () => close('stay'), { autofocus: true }),
        button('Leave without saving', () => close('leave'), { class: 'danger' }),
        button('Save and leave', () => close('save'), { class: 'primary' })),
    ]);
    return choice === 'leave' || choice === 'save' && await attempt(save) === true;
  }

  const keys = event => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) {
        attempt(save);
      }
    }
  };
  document.addEventListener('keydown', keys);
  const ticking = setInterval(tell, 30000);

  return {
    title: saved.name,
    kind: 'desk',
    content: [header, clashing,
      element('div', { class: 'desk' },
        element('section', { class: 'pane write', 'aria-label': 'Draft' },
          element('div', { class: 'pane-head' }, element('h2', {}, 'Draft'), button('Find', () => code.find(), { class: 'small quiet', title: 'Ctrl+F' })),
          element('div', { class: 'subject' }, element('label', { for: 'subject' }, 'Subject'), subject, subjectError),
          htmlError, code.node),
        view.node, side.node)],
    dirty,
    guard,
    ready() {
      code.seen();
      view.now();
    },
    leave() {
      document.removeEventListener('keydown', keys);
      clearInterval(ticking);
      view.leave();
    },
  };
}

function sameSamples(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every(name => one[name] === other[name]);
}
