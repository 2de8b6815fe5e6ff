// Account page: plan, name, import and export, and the user's own name, email and password.
import { html, button, link, card, command, count, pageHead } from '../frame/dom.js';
import { get, put } from '../frame/server.js';
import { formDialog, attempt, notify, showProgress } from '../frame/dialog.js';
import { form, field, choice, newPasswordField } from '../frame/form.js';
import { saveFile } from '../frame/download.js';
import { chosenFiles } from '../publish/drop.js';
import { importFiles } from '../publish/import.js';
import { reload } from '../frame/router.js';
import { submitSeen } from '../frame/seen.js';
import { account, accountLine, labelMark, setAccount } from '../frame/session.js';
import { securityCard, revokeLinksBox } from './access.js';
import { planName, plans } from './plans.js';
import { relativeTime } from '../frame/time.js';
import { brandCard } from './brand.js';
import { mailCard } from './mail.js';
import { webhookCard } from './webhook.js';

/** The account and the user's own settings, without those that the user's role may not change; the server enforces the rights. */
export async function accountPage() {
  const isOwner = account.role === 'owner';
  const [usage, keys, backups, webhook, brand, mail] = await Promise.all([
    account.id !== null && get('/data/usage'), isOwner && get('/data/keys'), isOwner && get('/data/backups'), isOwner && webhookCard(),
    account.id !== null && brandCard(), get('/data/mail/own'),
  ]);
  return {
    title: 'Account',
    content: html`
      ${pageHead('Account', html`
        <p class="lead">${account.id !== null && ['Account: ', html`<b>${account.accountName}</b>`, ', signed in as ']}${account.email}</p>`)}
      <div class="columns">
        ${usage && [planCard(usage.limit, keys?.limit), filesCard(backups), brand, webhook]}
        ${userCard()}${mail.on && mailCard(mail)}${passwordCard()}${securityCard()}
      </div>`,
  };
}

/**
 * The plan, with the limits in force, which an administrator may have changed.
 *
 * @param requests maximum number of requests in a period
 * @param keys     maximum number of API keys; undefined if the user is no owner
 */
function planCard(requests, keys) {
  const isOwner = account.role === 'owner';
  const period = account.plan === 'free' ? 'every 30 days' : 'per month';
  const limits = account.plan === 'none' ? plans.none
    : count(requests, 'request') + ' ' + period + (keys === undefined ? '' : ', ' + count(keys, 'API key'));
  return card('Plan', html`
    <p>
      ${account.accountName}: <b>${planName(account.plan)}</b>, ${limits}. Your role: ${account.role}.
      ${labelMark(account)}
      ${isOwner && [' ', button('Name and label…', () => attempt(changeAccount), { class: 'small quiet' })]}
    </p>
    ${isOwner && html`
      <p class="hint">
        An administrator can change the plan and its limits with ${command(`java -jar stet.jar account plan ${shellWord(account.accountName)} pro`)}.
      </p>`}
    <p>${link('/usage', 'View usage')}</p>`);
}

/** A word of a shell command, in quotes if necessary. */
function shellWord(text) {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Colours of labels. */
const colours = ['red', 'orange', 'green', 'blue', 'purple', 'grey'];

async function changeAccount() {
  const changed = await formDialog('Account name and label', 'Save', [accountLine(),
    field('name', 'Name', { value: account.accountName, maxlength: 200, required: true, autofocus: true },
      'On the command line, identify the account by this name or by the first owner\'s email address.'),
    field('label', 'Label', { value: account.label, maxlength: 30, placeholder: 'e.g. Production' },
      'Optional. Shown at the top of every page and in confirmation dialogs.'),
    choice('colour', 'Colour', [{ value: '', label: 'None' },
      ...colours.map(colour => ({ value: colour, label: labelMark({ label: colour, colour }) }))], account.colour ?? ''),
  ], submitSeen({ name: account.accountName, label: account.label, colour: account.colour },
    ({ name, label, colour }) => `name “${name}”, ${label ? `label “${label}”` : 'no label'}, ${colour ?? 'no'} colour`,
    ({ name, label, colour, seen }) => put('/data/account', { name, label, colour, seen })));
  if (changed) {
    setAccount(changed);
    await reload('/account');
  }
}

/** The user's name and email. Sends the current password only if the email changes. */
function userCard() {
  return card('You', form('Save', async ({ name, email, current }) => {
    const isNewEmail = email !== account.email;
    setAccount(await put('/data/user', { name, email, ...isNewEmail && { current } }));
    const isPending = isNewEmail && account.email !== email; // until the new address is confirmed
    notify(isPending ? `Open the link in the email to ${email}. Until then, you sign in as before.` : 'Saved.');
    await reload('/account');
  }, [
    field('name', 'Name', { value: account.userName, maxlength: 100, autocomplete: 'name' },
      'Shown to other users and in the history.'),
    field('email', 'Email', { type: 'email', value: account.email, autocomplete: 'username', required: true }),
    field('current', 'Password', { type: 'password', autocomplete: 'current-password' }, 'Required only to change your email.'),
  ]));
}

function passwordCard() {
  return card('Password', form('Change password', async (given, node) => {
    const { current, password, revoke = false } = given;
    await put('/data/password', { current, password, revoke });
    node.reset();
    notify('Password changed. You were signed out of all other sessions.' + (revoke ? ' The links you created were revoked.' : ''));
  }, [
    html`<input type="email" autocomplete="username" value=${account.email} readonly hidden>`,
    field('current', 'Current password', { type: 'password', autocomplete: 'current-password', required: true }),
    newPasswordField('New password'),
    revokeLinksBox(),
  ]));
}

/** Export and, for owners, import. @param backups of the server; null if they are off, false if the user is no owner */
function filesCard(backups) {
  const importZip = async () => {
    const files = chosenFiles(input);
    input.value = ''; // so that choosing the same file again is a change
    await importFiles(files);
  };
  const input = html`
    <input type="file" accept=".zip,application/zip" class="visually-hidden" id="import-file" tabindex="-1"
      aria-label="Zip file to import" @change=${() => attempt(importZip)}>`;
  return card('Templates as files', html`
    <p>Download all templates (drafts, subjects and test data) and shared blocks as a zip file, in the format that the
      export command uses. To change them in Git and push them back, start with the pull command instead.</p>
    <div class="row">
      ${exportLink()}
      ${account.role === 'owner' && [button('Import zip…', () => input.click()), input]}
    </div>
    ${backups?.every && html`
      <p class="hint">Last server backup: ${backups.last ? relativeTime(backups.last) : 'none yet'}.</p>`}`);
}

/** A link that downloads everything as a zip; unlike a plain link, it retries while the server is busy. */
function exportLink() {
  return link('/data/export', 'Export zip', { class: 'button', download: 'stet.zip', '@click': event => {
    event.preventDefault();
    attempt(exportZip);
  } });
}

async function exportZip() {
  const zip = await showProgress('Exporting all templates', signal => get('/data/export', { asBlob: true, signal }));
  if (zip) {
    saveFile(zip, 'stet.zip');
  }
}
