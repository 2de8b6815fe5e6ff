// The account: its plan and name, and its templates as files; and the person's own name, e-mail and password.
import { html, button, link, count, pageHead } from './dom.js';
import { get, post, put } from './server.js';
import { formDialog, attempt, dialog, notify } from './dialog.js';
import { form, field, checkbox, sentence } from './form.js';
import { reload } from './router.js';
import { account, setAccount } from './session.js';
import { securityCard } from './access.js';
import { plans } from './signin.js';
import { planName, relativeTime } from './time.js';

/** A dialog with a bar is opened when a request takes longer. */
const PROGRESS_DELAY_MILLIS = 150;
/** A browser has begun to save the file by then. */
const REVOKE_DELAY_MILLIS = 60_000;

/** The server refuses the parts of the account that are not for the person's role, and they are not shown. */
export async function accountPage() {
  const isOwner = account.role === 'owner';
  const [usage, keys, backups] = await Promise.all([
    account.id !== null && get('/data/usage'), isOwner && get('/data/keys'), isOwner && get('/data/backups'),
  ]);
  return {
    title: 'Account',
    content: html`
      ${pageHead('Account', html`<p class="lead">${account.email}</p>`)}
      <div class="columns">
        ${usage && [planCard(usage.limit, keys?.limit), filesCard(backups)]}
        ${personCard()}${passwordCard()}${securityCard()}
      </div>`,
  };
}

function card(title, contents) {
  return html`<section class="card"><h2>${title}</h2>${contents}</section>`;
}

// The limits in force: an operator may have given the account its own.
function planCard(requests, keys) {
  const isOwner = account.role === 'owner';
  const period = account.plan === 'free' ? 'every 30 days' : 'a month';
  const limits = account.plan === 'none' ? plans.none
    : count(requests, 'request') + ' ' + period + (keys === undefined ? '' : ', ' + count(keys, 'API key'));
  const command = /^[\w.@+-]+$/.test(account.account) ? account.account : `'${account.account.replaceAll("'", "'\\''")}'`;
  return card('Plan', html`
    <p>
      ${account.account}: <b>${planName(account.plan)}</b>, ${limits}. You are its ${account.role}.
      ${isOwner && [' ', button('Rename…', () => attempt(renameAccount), { class: 'small quiet' })]}
    </p>
    ${isOwner && html`
      <p class="hint">
        Whoever runs this server changes the plan and its limits: <code>java -jar stet.jar account plan ${command} pro</code>.
      </p>`}
    <p>${link('/usage', 'See what is used')}</p>`);
}

async function renameAccount() {
  const renamed = await formDialog('Rename the account', 'Rename',
    field('name', 'Name', { value: account.account, maxlength: 200, required: true, autofocus: true },
      'Commands take it, or the first owner\'s e-mail.'), ({ name }) => put('/data/account', { name }));
  if (renamed) {
    setAccount(renamed);
    await reload();
  }
}

/** The present password is asked for where the e-mail is another one. */
function personCard() {
  return card('You', form('Save', async given => {
    const isMoving = given.email !== account.email;
    setAccount(await put('/data/person', { name: given.name, email: given.email, ...(isMoving && { current: given.current }) }));
    notify('Saved.');
    await reload();
  }, [
    field('name', 'Name', { value: account.name, maxlength: 100, autocomplete: 'name' },
      'Shown to the others, and in the history.'),
    field('email', 'E-mail', { type: 'email', value: account.email, autocomplete: 'username', required: true }),
    field('current', 'Password', { type: 'password', autocomplete: 'current-password' }, 'For another e-mail only.'),
  ]));
}

function passwordCard() {
  return card('Password', form('Change the password', async (given, node) => {
    await put('/data/password', { current: given.current, password: given.password });
    node.reset();
    notify('The password is changed; all other sessions have ended.');
  }, [
    html`<input type="email" autocomplete="username" value=${account.email} readonly hidden>`,
    field('current', 'Current password', { type: 'password', autocomplete: 'current-password', required: true }),
    field('password', 'New password', { type: 'password', autocomplete: 'new-password', required: true },
      'At least 8 characters.'),
  ]));
}

function filesCard(backups) {
  const input = html`
    <input type="file" accept=".zip,application/zip" class="visually-hidden" id="import-file" tabindex="-1"
      aria-label="Zip file to import" @change=${() => importZip(input)}>`;
  return card('Templates as files', html`
    <p>All templates and shared blocks as a zip, in the format of the command line: drafts, subjects and test data,
      made for Git.</p>
    <div class="row">
      ${exportLink('Export zip', { class: 'button' })}
      ${account.role === 'owner' && [button('Import zip…', () => input.click()), input]}
    </div>
    ${backups?.every && html`<p class="hint backup">Last backup of this server: ${backups.last ? relativeTime(backups.last) : 'none yet'}.</p>`}`);
}

/** A link to the zip of everything. A busy server is asked again, which a plain link does not do. */
export function exportLink(text, attributes = {}) {
  return link('/data/export', text, { download: 'stet.zip', '@click': event => {
    event.preventDefault();
    attempt(exportZip);
  }, ...attributes });
}

async function exportZip() {
  notify('Preparing the zip…');
  const address = URL.createObjectURL(await get('/data/export', { asBlob: true }));
  const anchor = link(address, '', { download: 'stet.zip', hidden: true });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY_MILLIS);
}

async function importZip(input) {
  const zip = input.files[0];
  input.value = '';
  const plan = zip && await showProgress('Reading ' + zip.name, () => post('/data/import?dryRun=true', zip));
  if (!plan) {
    return;
  }
  const result = await formDialog('Import ' + zip.name + '?', 'Import', html`
    <p>Nothing is changed yet. This import would do the following:</p>
    ${summary(plan)}
    ${checkbox('publish', 'Publish what changes, too')}`,
  async (given, node) => {
    const progress = html`<progress aria-label="Importing"></progress>`;
    node.prepend(progress);
    try {
      return await post('/data/import' + (given.publish ? '?publish=true' : ''), zip);
    } finally {
      progress.remove();
    }
  });
  if (result) {
    await dialog('Imported', close => html`
      ${summary(result)}
      ${result.published?.length > 0 && html`<p>${count(result.published.length, 'template')} published.</p>`}
      <div class="actions">
        ${link('/', 'To the templates', { class: 'button', '@click': () => close() })}
        ${button('Close', () => close(), { class: 'primary', autofocus: true })}
      </div>`);
  }
}

function summary(plan) {
  const ids = list => html`<span class="ids">${list.join(', ')}</span>`;
  const row = (name, list) => html`
    <dt>${name}</dt><dd>${list.length === 0 ? 'none' : [count(list.length, 'file') + ': ', ids(list)]}</dd>`;
  return html`
    <dl class="facts">
      ${row('New templates', plan.created)}
      ${row('Changed drafts', plan.changed)}
      ${row('Shared blocks', plan.blocks)}
      <dt>Unchanged</dt><dd>${count(plan.unchanged, 'template')}</dd>
      ${plan.passedOver.length > 0 && html`<dt>Passed over</dt><dd>${ids(plan.passedOver)}</dd>`}
    </dl>`;
}

/** Waits with a dialog when it takes long. A refusal is shown in full there, since it names the file and the field. */
async function showProgress(title, run) {
  const outcome = run().then(value => ({ value }), failure => ({ failure }));
  const quick = await Promise.race([outcome, new Promise(done => setTimeout(done, PROGRESS_DELAY_MILLIS))]);
  if (quick?.value) {
    return quick.value;
  }
  return dialog(title, close => {
    const place = html`<div><progress aria-label=${title}></progress></div>`;
    outcome.then(({ value, failure }) => failure
      ? place.replaceChildren(html`
        <p class="error" role="alert">${sentence(failure)}</p>
        <p>Nothing was changed.</p>
        <div class="actions">${button('Close', () => close(), { class: 'primary' })}</div>`)
      : close(value));
    return place;
  });
}
