// Administration page: server state and accounts.
import { html, breakable, button, card, command, link, count, pageHead, table, copyField, numberColumn, actionsColumn, debounce } from '../frame/dom.js';
import { get, post, put, remove } from '../frame/server.js';
import { formDialog, attempt, confirmed, dialog, notify } from '../frame/dialog.js';
import { field, choice, numberIn } from '../frame/form.js';
import { reload, saveState, savedState } from '../frame/router.js';
import { submitSeen } from '../frame/seen.js';
import { account } from '../frame/session.js';
import { queueCard } from './mail.js';
import { NEARLY_USED, plans } from './plans.js';
import { relativeTime, size } from '../frame/time.js';

const PAGE = '/installation';

const SEARCH_DELAY_MILLIS = 250;
/** Use of storage, as a part of its limit, from which the list shows it. */
const NEARLY_FULL = 0.9;

export async function installationPage() {
  const search = html`
    <input type="search" aria-label="Search accounts" placeholder="Search by name or owner" autocomplete="off" spellcheck="false"
      value=${savedState().search ?? ''} @input=${debounce(SEARCH_DELAY_MILLIS, () => attempt(find))}>`;
  const place = html`<div></div>`;
  const load = () => get('/data/installation' + (search.value ? '?q=' + encodeURIComponent(search.value) : ''));
  const [first, mail] = await Promise.all([load(), queueCard()]);
  place.replaceChildren(accountList(first));

  async function find() {
    if (!search.isConnected) { // the user has left the page
      return;
    }
    saveState({ search: search.value });
    const asked = search.value;
    const found = await load();
    if (asked === search.value) {
      place.replaceChildren(accountList(found));
    }
  }

  return {
    title: 'Administration',
    content: html`
      ${pageHead('Administration', button('New account…', () => attempt(addAccount), { class: 'primary' }))}
      ${first.failing && html`<p class="notice bad" role="alert">Service failing: ${first.failing}.</p>`}
      <div class="columns">${stateCard(first)}${backupsCard(first.backups)}${imagesCard()}${mail}</div>
      <h2>Accounts</h2>
      <div class="toolbar"><div class="search">${search}</div></div>
      ${place}`,
  };
}

function stateCard({ version, jdk, failing, sizes }) {
  return card('State', html`
    <dl class="facts">
      <dt>Health</dt><dd>${failing ?? 'ok'}</dd>
      <dt>Version</dt><dd>Stet ${version} on Java ${jdk} (<a href="/docs/changes">what's new</a>)</dd>
      <dt>Database</dt><dd>${size(sizes.database)}, log ${size(sizes.log)}</dd>
      <dt>Free disk</dt><dd>${size(sizes.free)}</dd>
    </dl>`);
}

/** @param backups null if there are no automatic backups */
function backupsCard(backups) {
  return card('Backups', html`
    ${backups === null
      ? html`<p>Automatic backups are off. To turn on backups, start Stet with ${command('--backup-dir')}.</p>`
      : html`
        <dl class="facts">
          <dt>Last backup</dt>
          <dd>
            ${backups.last ? relativeTime(backups.last) : 'none yet'}
            ${backups.late && [' ', html`<span class="badge bad">late</span>`]}
          </dd>
          <dt>Interval</dt><dd>${interval(backups.every)}</dd>
        </dl>`}
    <p class="hint"><a href="/docs/backup#restore">How to restore a backup</a></p>`);
}

/** The card whose button tests whether the address that emails contain leads to this server's images. */
function imagesCard() {
  const result = html`<div role="status"></div>`;
  const tryIt = async () => {
    result.replaceChildren(html`<p class="hint">Loading…</p>`);
    const { address, problem } = await post('/data/installation/images').catch(failure => {
      result.replaceChildren();
      throw failure;
    });
    const shown = address && link(address, new URL(address).host, { target: '_blank', rel: 'noopener' });
    result.replaceChildren(problem === null
      ? html`<p>This server loaded an image from ${shown}. Open it on a phone without Wi-Fi, too.</p>`
      : html`<p class="error">${problem}.</p>`);
  };
  return card('Images in emails', html`
    <p>Recipients load images from the address in ${command('--images-url')}.</p>
    <p>${button('Try it', () => attempt(tryIt), { class: 'small' })}</p>
    ${result}
    <p class="hint"><a href="/docs/proxies#images">How to set the address</a></p>`);
}

/** A duration in days or hours if that leaves nothing, otherwise in rounded minutes: "2 days", "36 hours", "90 minutes". */
function interval(seconds) {
  if (seconds % 86_400 === 0) {
    return count(seconds / 86_400, 'day');
  }
  return seconds % 3_600 === 0 ? count(seconds / 3_600, 'hour') : count(Math.round(seconds / 60), 'minute');
}

function accountList({ accounts, moreAccounts }) {
  if (accounts.length === 0) {
    return html`<p class="hint">No matching accounts.</p>`;
  }
  return html`
    <div>
      ${table('list accounts', ['Account', 'Plan', ...['Used', 'Users', 'Templates', 'Size'].map(numberColumn), 'Last request', actionsColumn()],
        accounts.map(row))}
      ${moreAccounts && html`<p class="hint">Not all accounts are shown. Search to find other accounts.</p>`}
    </div>`;
}

/**
 * The part of a limit that is used: "85%"; false unless it is nearly used up.
 *
 * @param from          part of the limit from which it is shown
 * @param options.words text before it
 * @param options.isBad false for a badge that does not stand out
 */
function useBadge(used, limit, from, { words = '', isBad = true } = {}) {
  return limit > 0 && used >= from * limit
    && [' ', html`<span class="badge ${isBad ? 'bad' : ''}">${words}${Math.floor(100 * used / limit)}%</span>`];
}

/** "126.9 KiB of 1.0 GiB", which is broken only before "of". */
const useOf = (used, limit) => html`<span class="amount">${used}</span> <span class="amount">of ${limit}</span>`;

function row(one) {
  const act = (verb, run) => button(verb + '…', () => attempt(() => run(one)),
    { class: 'small quiet', 'aria-label': `${verb} ${one.name}` });
  return html`
    <tr class=${one.suspended ? 'ending' : ''}>
      <th scope="row">
        <span class="name">${breakable(one.name)}</span>
        ${one.suspended && [' ', html`<span class="badge bad">suspended</span>`]}
      </th>
      <td data-label="Plan">${one.plan}</td>
      <td class="number" data-label="Used">
        ${useOf(one.used.toLocaleString('en'), one.requests.toLocaleString('en'))}
        ${useBadge(one.used, one.requests, NEARLY_USED, { isBad: one.used >= one.requests })}
      </td>
      <td class="number" data-label="Users">${one.users}</td>
      <td class="number" data-label="Templates">${one.templates.toLocaleString('en')}</td>
      <td class="number" data-label="Size">
        ${useOf(size(one.bytes), size(one.storage))}
        ${useBadge(one.bytes, one.storage, NEARLY_FULL)}${useBadge(one.imageBytes, one.images, NEARLY_FULL, { words: 'images ' })}
      </td>
      <td class="time" data-label="Last request">${one.lastRequestAt ? relativeTime(one.lastRequestAt) : 'never'}</td>
      <td class="acts">
        ${one.users === 0 && act('Invite', invite)}${act('Plan', changePlan)}${act('Rename', rename)}
        ${one.suspended ? act('Resume', resume) : act('Suspend', suspend)}${act('Delete', deleteAccount)}
      </td>
    </tr>`;
}

function planChoice(chosen) {
  return choice('plan', 'Plan', ['free', 'pro', 'none'].map(plan => ({ value: plan, label: plan, hint: plans[plan] })), chosen);
}

const nameField = name => field('name', 'Name', { maxlength: 200, required: true, autofocus: true, value: name });

/** Only if the server sends emails. */
const ownerField = () => account.mail && field('email', 'Owner\'s email', { type: 'email', autocomplete: 'off' },
  'Optional. Stet also emails the invitation to this address.');

async function addAccount() {
  const made = await formDialog('New account', 'Create', [
    nameField(''),
    planChoice('free'),
    ownerField(),
  ], given => post('/data/accounts', { name: given.name, plan: given.plan, email: given.email }));
  if (made) {
    await showInvitation(made);
  }
}

/** Invites an owner to an account without users, for example because the first invitation has expired. */
async function invite(one) {
  const text = 'The account has no users. A new invitation replaces any earlier invitation for an owner.';
  const made = await formDialog(`Invite an owner to ${one.name}?`, 'Invite', [html`<p>${text}</p>`, ownerField()],
    ({ email }) => post(`/data/accounts/${one.id}/invitation`, { email }));
  if (made) {
    await showInvitation(made);
  }
}

async function showInvitation({ name, link, mailed }) {
  const address = account.baseUrl + link;
  await dialog('Invite the owner', close => html`
    <p><b>${name}</b> has no owner yet.
      ${mailed ? 'The invitation is also on its way by email.' : 'Send this link to the account\'s future owner.'}
      The link is shown only once, works once and expires in 72 hours.</p>
    ${copyField(address, 'Invitation', 'the invitation')}
    <div class="actions">${button(mailed ? 'Done' : 'I\'ve sent it', () => close(true), { class: 'primary' })}</div>`, { closable: false });
  await reload(PAGE);
}

async function changePlan(one) {
  const limit = (name, label, own, hint) => field(name, label, { inputmode: 'numeric', value: own ?? '' }, hint);
  const [ofPlan, ofServer] = ['Leave empty to use the plan\'s limit.', 'Leave empty to use the server\'s default limit.'];
  const words = ({ plan, requests, keys, storage, images }) => `plan ${plan}, ${requests ?? 'default'} requests, ${keys ?? 'default'} API keys, `
    + `${storage ?? 'default'} bytes, ${images ?? 'default'} bytes of images`;
  const shown = { plan: one.plan, requests: one.ownRequests, keys: one.ownKeys, storage: one.ownStorage, images: one.ownImages };
  const done = await formDialog('Plan of ' + one.name, 'Change', [
    planChoice(one.plan),
    limit('requests', 'Requests per period', one.ownRequests, ofPlan),
    limit('keys', 'API keys', one.ownKeys, ofPlan),
    limit('storage', 'Storage in bytes', one.ownStorage, ofServer),
    limit('images', 'Images in bytes', one.ownImages, `${size(one.imageBytes)} of ${size(one.images)} used. ${ofServer}`),
  ], submitSeen(shown, words, ({ plan, requests, keys, storage, images, seen }) => put(`/data/accounts/${one.id}/plan`,
    { plan, requests: numberIn(requests), keys: numberIn(keys), storage: numberIn(storage), images: numberIn(images), seen })));
  if (done) {
    notify(one.name + ' updated.');
    await reload(PAGE);
  }
}

async function rename(one) {
  if (await formDialog('Rename ' + one.name, 'Rename', nameField(one.name),
    submitSeen({ name: one.name }, ({ name }) => `“${name}”`, given => put(`/data/accounts/${one.id}/name`, given)))) {
    await reload(PAGE);
  }
}

async function suspend(one) {
  const text = 'Until you resume the account, nobody can use it, and its API requests return 403. Nothing is deleted.';
  if (await confirmed(`Suspend ${one.name}?`, text, 'Suspend', { danger: true })) {
    await post(`/data/accounts/${one.id}/suspend`);
    await reload(PAGE);
  }
}

async function resume(one) {
  if (await confirmed(`Resume ${one.name}?`, 'Users will regain access, and API keys will work again.', 'Resume')) {
    await post(`/data/accounts/${one.id}/resume`);
    await reload(PAGE);
  }
}

async function deleteAccount(one) {
  const done = await formDialog(`Delete ${one.name}?`, 'Delete', [
    html`
      <p class="warning">This permanently deletes the account's ${count(one.templates, 'template')}, shared blocks, API keys, deploy tokens
        and usage data. Users who belong to no other account are also deleted, except administrators and users without a password.
        Requests with the account's keys will fail with 401.</p>`,
    field('name', `Type ${one.name} to confirm`, { required: true, autofocus: true }),
  ], ({ name }) => remove(`/data/accounts/${one.id}?name=${encodeURIComponent(name)}`), { danger: true });
  if (done) {
    notify(one.name + ' deleted.');
    await reload(PAGE);
  }
}
