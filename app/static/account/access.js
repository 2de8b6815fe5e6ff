// Account security: sessions and two-factor authentication.
import { html, svg, button, link, card, copyButton, count, pageHead, table, actionsColumn } from '../frame/dom.js';
import { get, post, put, remove } from '../frame/server.js';
import { formDialog, attempt, confirmed, dialog, notify } from '../frame/dialog.js';
import { checkbox, field } from '../frame/form.js';
import { reload } from '../frame/router.js';
import { qrCode } from '../frame/library.js';
import { account } from '../frame/session.js';
import { signOut } from './signout.js';
import { relativeTime } from '../frame/time.js';

const PAGE = '/security';

/** With fewer recovery codes left, the page warns. */
const FEW_CODES = 3;
/** Space around a QR code that cameras need, in squares (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** The security card of the account page. */
export function securityCard() {
  return card('Security', html`
    <p>${link('/security', 'Sessions and two-factor authentication')}</p>
    <p>You can sign out of every browser, including this one.</p>
    ${signOutEverywhere()}`);
}

/** Works without an account, so that users whose account requires two-factor authentication can set it up. */
export async function securityPage() {
  const [{ sessions }, factor] = await Promise.all([get('/data/sessions'), get('/data/two-factor')]);
  return {
    title: 'Security',
    content: html`
      ${pageHead('Security', html`<p class="lead">${account.email}</p>`)}
      ${factor.required && !factor.on && factor.password && html`
        <p class="warning">You must set up two-factor authentication before you can access ${account.accountName}.</p>`}
      <div class="columns">${factorCard(factor)}${account.role === 'owner' && requiredCard(factor)}</div>
      <section class="part">
        <h2>Where you are signed in</h2>
        ${table('list sessions', ['Browser', 'Address', 'Last used', 'Signed in', actionsColumn()], sessions.map(row))}
        <p class="hint">Browser names are self-reported and may be wrong. Sessions expire after a day of
          inactivity and never last longer than 30 days.</p>
        ${signOutEverywhere()}
      </section>`,
  };
}

// ---- sessions

function row({ id, browser, address, createdAt, seenAt, proxy, current }) {
  return html`
    <tr>
      <th scope="row">
        <span class="name">${browser}</span>
        ${current && [' ', html`<span class="badge live">this browser</span>`]}
        ${proxy && [' ', html`<span class="badge">single sign-on</span>`]}
      </th>
      <td class="id" data-label="Address">${address || 'unknown'}</td>
      <td class="time" data-label="Last used">${relativeTime(seenAt)}</td>
      <td class="time" data-label="Signed in">${relativeTime(createdAt)}</td>
      <td class="acts">
        ${!current && button('Sign out', () => attempt(async () => {
          await remove('/data/sessions/' + id);
          notify('Session ended.');
          await reload(PAGE);
        }), { class: 'small quiet', 'aria-label': `Sign out ${browser}` })}
      </td>
    </tr>`;
}

function signOutEverywhere() {
  return button('Sign out everywhere…', async () => {
    const given = await formDialog('Sign out everywhere?', 'Sign out everywhere', [
      html`<p>You will be signed out of every browser. API keys and deploy tokens keep working.</p>`, revokeLinksBox()], values => values);
    if (given) {
      await attempt(() => signOut('/data/sessions' + (given.revoke ? '?revoke=true' : '')));
    }
  });
}

/**
 * A checkbox to revoke the user's links also, because an intruder could have created links in the user's session. False for users
 * who cannot create links; every member can create review links.
 */
export function revokeLinksBox() {
  return (account.administrator || account.accounts.length > 0)
    && checkbox('revoke', 'Also revoke the invitation, password-reset and review links I created', true);
}

// ---- two-factor authentication

/** The user's own two-factor authentication. */
function factorCard({ on, recoveryCodes, password }) {
  if (!password) {
    return card('Two-factor authentication', html`
      <p>You sign in with single sign-on, so your identity provider handles two-factor authentication.</p>`);
  }
  return card('Two-factor authentication', on
    ? html`
      <p><b>On.</b> Signing in requires a code from your authenticator app.</p>
      <p class=${recoveryCodes < FEW_CODES ? 'warning' : 'hint'}>${count(recoveryCodes, 'recovery code')} left.</p>
      <div class="row">
        ${button('New recovery codes…', () => attempt(renewCodes))}
        ${button('Turn off…', () => attempt(turnOff), { class: 'danger' })}
      </div>`
    : html`
      <p><b>Off.</b> Require a code from an authenticator app when you sign in, so that a stolen password alone is not enough.</p>
      ${button('Set up…', () => attempt(setUp), { class: 'primary' })}`);
}

async function setFactorRequired(isRequired) {
  await put('/data/two-factor/required', { required: isRequired });
  notify(isRequired ? 'Two-factor authentication is now required.' : 'Two-factor authentication is no longer required.');
  await reload(PAGE);
}

/** For owners: whether everyone in the account has to use two-factor authentication. */
function requiredCard({ required }) {
  return card('For everyone', html`
    <p>${required ? html`Everyone in <b>${account.accountName}</b> who signs in with a password must use two-factor authentication.`
      : html`Require two-factor authentication for everyone in <b>${account.accountName}</b>. Users without
        two-factor authentication must set it up before they can continue. Users who sign in with single sign-on are exempt.`}</p>
    ${required
      ? button('Stop requiring', () => attempt(() => setFactorRequired(false)))
      : button('Require…', async () => {
        if (await confirmed('Require two-factor authentication for everyone?',
          'Everyone who signs in with a password will need two-factor authentication to use this account.', 'Require')) {
          await attempt(() => setFactorRequired(true));
        }
      })}`);
}

/** Field for the present password; the hidden email tells password managers whose it is. */
const passwordField = () => [
  html`<input type="email" autocomplete="username" value=${account.email} readonly hidden>`,
  field('password', 'Password', { type: 'password', autocomplete: 'current-password', required: true, autofocus: true }),
];

/** Field for a code of two-factor authentication. */
export const codeField = () => field('code', 'Code', { autocomplete: 'one-time-code', spellcheck: 'false', required: true },
  'The six-digit code from your authenticator app, or a recovery code.');

/** Turns on the user's two-factor authentication, in two steps; a code from the app proves that it has the key. */
async function setUp() {
  const begun = await formDialog('Set up two-factor authentication', 'Continue', passwordField(),
    ({ password }) => post('/data/two-factor', { password }));
  if (!begun) {
    return;
  }
  const picture = qrDrawing(await qrCode(begun.uri));
  const done = await formDialog('Set up two-factor authentication', 'Turn on', [
    html`<p>Scan this QR code with your authenticator app, or enter the key below.</p>`,
    html`<div class="qr">${picture}</div>`,
    html`
      <div class="secret">
        <input type="text" class="mono" readonly value=${begun.secret.replaceAll('-', ' ')} aria-label="Key" spellcheck="false"
          @focus=${event => event.target.select()}>
        ${copyButton(begun.secret.replaceAll('-', ''), 'the key', { class: '' })}
      </div>`,
    // Unlike codeField, without recovery codes, which do not exist yet.
    field('code', 'Code', { autocomplete: 'one-time-code', inputmode: 'numeric', required: true, autofocus: true },
      'The six-digit code from your authenticator app.'),
  ], ({ code }) => put('/data/two-factor', { code }));
  if (done) {
    await showCodes(done.recoveryCodes);
  }
}

/** Draws a QR code. @param size number of squares of a side */
function qrDrawing({ size, isDark }) {
  const squares = [];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (isDark(y, x)) {
        squares.push(`M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z`);
      }
    }
  }
  const side = size + 2 * QUIET_ZONE;
  return svg`
    <svg viewBox="0 0 ${side} ${side}" role="img" aria-label="QR code for the key below" shape-rendering="crispEdges">
      <path d=${squares.join('')}></path>
    </svg>`;
}

/**
 * Shows recovery codes, which cannot be shown again. Only the button closes the dialog, so that nobody dismisses it by
 * accident.
 */
async function showCodes(codes) {
  await dialog('Your recovery codes', close => html`
    <p>If you cannot use your authenticator app, sign in with one of these codes. Each code works once. Store the codes
      somewhere you can reach without your phone; they will not be shown again.</p>
    <ul class="codes mono">${codes.map(code => html`<li>${code}</li>`)}</ul>
    <div class="actions">
      ${copyButton(codes.join('\n'), 'the recovery codes', { class: '' })}
      ${button('I\'ve saved them', () => close(true), { class: 'primary' })}
    </div>`, { closable: false });
  await reload(PAGE);
}

async function renewCodes() {
  const done = await formDialog('New recovery codes', 'Create new codes',
    [html`<p>Your current recovery codes will stop working.</p>`, passwordField(), codeField()],
    ({ password, code }) => post('/data/two-factor/codes', { password, code }));
  if (done) {
    await showCodes(done.recoveryCodes);
  }
}

async function turnOff() {
  const done = await formDialog('Turn off two-factor authentication', 'Turn off',
    [html`<p>You will need only your password to sign in.</p>`, passwordField(), codeField()],
    ({ password, code }) => post('/data/two-factor/off', { password, code }), { danger: true });
  if (done) {
    notify('Two-factor authentication is off.');
    await reload(PAGE);
  }
}
