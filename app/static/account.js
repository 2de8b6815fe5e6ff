// The account: its plan, its password, its sessions, and its templates as files.
import { element, button, link, count } from './dom.js';
import { get, post, put } from './server.js';
import { ask, attempt, confirmed, dialog, say } from './dialog.js';
import { form, field, checkbox, sentence } from './form.js';
import { account, signOut } from './session.js';
import { plans } from './signin.js';

export async function accountPage() {
  const [usage, keys] = await Promise.all([get('/data/usage'), get('/data/keys')]);
  return {
    title: 'Account',
    content: [
      element('div', { class: 'head' }, element('h1', { tabindex: '-1' }, 'Account'), element('p', { class: 'lead' }, account.email)),
      element('div', { class: 'columns' }, planCard(usage.limit, keys.limit), filesCard(), passwordCard(), sessionsCard()),
    ],
  };
}

function card(title, ...contents) {
  return element('section', { class: 'card' }, element('h2', {}, title), contents);
}

// The limits in force: an operator may have given the account its own.
function planCard(requests, keys) {
  const gives = account.plan === 'none' ? plans.none
    : `${count(requests, 'request')} ${account.plan === 'free' ? 'every 30 days' : 'a month'}, ${count(keys, 'API key')}`;
  return card('Plan',
    element('p', {}, element('b', { class: 'plan' }, account.plan), ': ' + gives + '.'),
    element('p', { class: 'hint' }, 'Whoever runs this server changes the plan and its limits: ',
      element('code', {}, 'java -jar stet.jar account plan ' + account.email + ' pro'), '.'),
    element('p', {}, link('/usage', 'See what is used')));
}

function passwordCard() {
  return card('Password', form('Change the password', async (given, node) => {
    await put('/data/password', { current: given.current, password: given.password });
    node.reset();
    say('The password is changed; all other sessions have ended.');
  }, [
    element('input', { type: 'email', autocomplete: 'username', value: account.email, readonly: true, hidden: true }),
    field('current', 'Current password', { type: 'password', autocomplete: 'current-password', required: true }),
    field('password', 'New password', { type: 'password', autocomplete: 'new-password', required: true }, 'At least 8 characters.'),
  ]));
}

function sessionsCard() {
  return card('Sessions',
    element('p', {}, 'Signs out every browser that is signed in to this account, this one too.'),
    button('Sign out everywhere…', async () => {
      if (await confirmed('Sign out everywhere?', 'Every session of this account ends now. API keys go on working.', 'Sign out everywhere')) {
        await attempt(() => signOut(true));
      }
    }));
}

function filesCard() {
  const file = element('input', { type: 'file', accept: '.zip,application/zip', class: 'unseen', id: 'import-file', tabindex: '-1',
    'aria-label': 'Zip file to import', onchange: () => take(file) });
  return card('Templates as files',
    element('p', {}, 'All templates and shared blocks as a zip, in the format of the command line: drafts, subjects and sample values, made for Git.'),
    element('div', { class: 'row' },
      link('/data/export', 'Export zip', { class: 'button', download: '' }),
      button('Import zip…', () => file.click()), file));
}

async function take(input) {
  const zip = input.files[0];
  input.value = '';
  if (!zip) {
    return;
  }
  const plan = await working('Reading ' + zip.name, () => post('/data/import?dryRun=true', zip));
  if (!plan) {
    return;
  }
  const result = await ask('Import ' + zip.name + '?', 'Import', [
    element('p', {}, 'Nothing is changed yet. This import would do the following:'),
    summary(plan),
    checkbox('publish', 'Publish what changes, too'),
  ], async (given, node) => {
    node.prepend(element('progress', { 'aria-label': 'Importing' }));
    try {
      return await post('/data/import' + (given.publish ? '?publish=true' : ''), zip);
    } finally {
      node.querySelector('progress').remove();
    }
  });
  if (result) {
    await dialog('Imported', close => [summary(result), result.published?.length
      ? element('p', {}, count(result.published.length, 'template') + ' published.') : null,
    element('div', { class: 'actions' }, link('/', 'To the templates', { class: 'button', onclick: () => close() }),
      button('Close', () => close(), { class: 'primary', autofocus: true }))]);
  }
}

function summary(plan) {
  const row = (name, ids) => [element('dt', {}, name), element('dd', {}, ids.length === 0 ? 'none'
    : [count(ids.length, 'file') + ': ', element('span', { class: 'ids' }, ids.join(', '))])];
  return element('dl', { class: 'facts' },
    row('New templates', plan.created), row('Changed drafts', plan.changed), row('Shared blocks', plan.blocks),
    element('dt', {}, 'Unchanged'), element('dd', {}, count(plan.unchanged, 'template')),
    plan.passedOver.length ? [element('dt', {}, 'Passed over'), element('dd', {}, element('span', { class: 'ids' }, plan.passedOver.join(', ')))] : null);
}

/** Runs, with a bar over the page when it takes long; a refusal is shown whole, since it names the file and the field. */
async function working(title, run) {
  const outcome = run().then(value => ({ value }), failure => ({ failure }));
  const quick = await Promise.race([outcome, new Promise(done => setTimeout(done, 150))]);
  if (quick?.value) {
    return quick.value;
  }
  return dialog(title, close => {
    const place = element('div', {}, element('progress', { 'aria-label': title }));
    outcome.then(({ value, failure }) => failure
      ? place.replaceChildren(element('p', { class: 'error', role: 'alert' }, sentence(failure)), element('p', {}, 'Nothing was changed.'),
        element('div', { class: 'actions' }, button('Close', () => close(), { class: 'primary' })))
      : close(value));
    return place;
  });
}
