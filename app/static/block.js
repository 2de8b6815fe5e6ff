// A shared block in the editor, with what uses it.
import { element, button, link, count, copyButton } from './dom.js';
import { get, put } from './server.js';
import { attempt, dialog } from './dialog.js';
import { sentence } from './form.js';
import { go } from './router.js';
import { when } from './time.js';
import { editor } from './editor.js';
import { preview } from './preview.js';
import { tabs } from './tabs.js';
import { checksPanel, variablesPanel, blocksPanel, problemMark } from './panels.js';
import { settled } from './conflict.js';
import { blockDeleted } from './blocks.js';

export async function blockPage(name) {
  const path = '/data/blocks/' + encodeURIComponent(name);
  let saved = await get(path);
  let samples = {};
  let saving = null;

  const code = await editor({ label: 'HTML of the block', text: saved.html, change: changed });
  const toPlace = ({ line }) => code.line(line);
  const checks = checksPanel(toPlace);
  const variables = variablesPanel({ toPlace, kept: false, sampled: (variable, value) => {
    samples = { ...samples, [variable]: value };
    view.soon();
  } });
  const blocks = blocksPanel(code.line);
  const users = element('div', {});
  const side = tabs('About this block', [
    { name: 'Used by', panel: users },
    { name: 'Variables', panel: variables.node },
    { name: 'Blocks', panel: blocks.node },
    { name: 'Checks', panel: checks.node },
  ]);
  const view = preview({
    subject: false,
    read: () => ({ subject: '', html: code.text(), samples }),
    checked(result) {
      variables.show(result.variables, samples, result.moreVariables);
      blocks.show(result.blocks, []);
      // A block has no subject, so nothing can be wrong with it.
      const problems = result.problems.filter(problem => problem.field !== 'subject');
      checks.show(problems, result.moreProblems);
      side.counted('Variables', result.variables.length + result.moreVariables || null);
      side.counted('Blocks', result.blocks.length || null);
      side.counted('Checks', problems.length + result.moreProblems || null, problemMark(problems));
    },
  });
  const header = element('header', { class: 'details' });
  const older = element('div', {});
  const clashing = element('div', {});
  const refusal = element('p', { class: 'error', role: 'alert' });
  const word = element('span', { class: 'saved', role: 'status' });
  show();

  function dirty() {
    return !code.isClean();
  }

  function changed() {
    refusal.textContent = '';
    tell();
    view.soon();
  }

  function tell() {
    word.replaceChildren(...(dirty() ? ['Unsaved changes'] : ['Saved ', when(saved.updatedAt)]));
    word.classList.toggle('open', dirty());
  }

  function show() {
    const tag = `{{> ${name}}}`;
    header.replaceChildren(
      element('div', { class: 'row title' }, link('/blocks', 'Shared blocks', { class: 'crumb' }), element('h1', { tabindex: '-1', class: 'mono' }, name)),
      element('div', { class: 'row about' }, element('span', { class: 'id' }, element('code', {}, tag), ' ', copyButton(tag, 'the tag ' + tag)), word,
        button('Delete…', () => attempt(async () => { if (await blockDeleted(name)) { await go('/blocks', { force: true }); } }), { class: 'small quiet' })),
      element('div', { class: 'row main-acts' }, button('Save', () => attempt(save), { class: 'primary', 'aria-keyshortcuts': 'Control+S', title: 'Ctrl+S' })));
    older.replaceChildren(...(saved.stale.length === 0 ? [] : [element('p', { class: 'notice' },
      `${count(saved.stale.length, 'live template carries', 'live templates carry')} an older text of this block: ${saved.stale.join(', ')}. `,
      link('/stale', 'Review and publish'))]));
    users.replaceChildren(...list('Templates', saved.templates, '/templates/'), ...list('Blocks', saved.blocks, '/blocks/'),
      ...(saved.templates.length + saved.blocks.length === 0 ? [element('p', { class: 'empty-line' }, 'Nothing uses it yet.')] : []));
    side.counted('Used by', saved.templates.length + saved.blocks.length || null);
    tell();
  }

  function list(title, names, address) {
    return names.length === 0 ? [] : [element('h3', {}, title),
      element('ul', { class: 'plain' }, names.map(one => element('li', { class: 'row' }, link(address + one, one, { class: 'mono' }),
        address === '/templates/' && saved.stale.includes(one) ? element('span', { class: 'badge' }, 'older one is live') : null)))];
  }

  function save() {
    // One after the other: a save asked for while another runs takes what was typed since.
    const mine = (saving ?? Promise.resolve()).catch(() => null).then(() => keep(saved.revision))
      .finally(() => { saving = saving === mine ? null : saving; });
    saving = mine;
    return mine;
  }

  async function keep(revision) {
    if (!dirty()) {
      return true;
    }
    const html = code.text();
    const generation = code.generation();
    try {
      saved = await put(path, { revision, html });
      code.clean(generation);
      clashing.replaceChildren();
      refusal.textContent = '';
      show();
      return true;
    } catch (failure) {
      if (failure.status === 409) {
        return resolve(html, generation, failure.body.theirs);
      }
      if (failure.status === 422 || failure.status === 413) {
        refusal.textContent = 'Not saved: ' + sentence(failure);
        return false;
      }
      throw failure;
    }
  }

  function resolve(html, generation, theirs) {
    const adopt = () => {
      code.clean(generation);
      saved = theirs;
      show();
    };
    return settled({
      theirs, mine: { html }, same: theirs.html === html, clashing, adopt,
      keep: () => keep(theirs.revision),
      take() {
        code.replace(theirs.html);
        generation = code.generation();
        adopt();
      },
      again: () => resolve(code.text(), code.generation(), theirs),
    });
  }

  async function guard() {
    if (!dirty()) {
      return true;
    }
    const choice = await dialog('Leave with unsaved changes?', close => [
      element('p', {}, 'The block ' + name + ' has changes that are not saved.'),
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

  return {
    title: name,
    kind: 'desk',
    content: [header, older, clashing,
      element('div', { class: 'desk' },
        element('section', { class: 'pane write', 'aria-label': 'Block' },
          element('div', { class: 'pane-head' }, element('h2', {}, 'Block'), button('Find', () => code.find(), { class: 'small quiet', title: 'Ctrl+F' })),
          refusal, code.node),
        view.node, side.node)],
    dirty,
    guard,
    ready() {
      code.seen();
      view.now();
    },
    leave() {
      document.removeEventListener('keydown', keys);
      view.leave();
    },
  };
}
