// The main menu: the pages, the user's accounts and signing out. Pages with a header of their own show it instead of the top bar.
import { html, button } from '../frame/dom.js';
import { attempt, dialog } from '../frame/dialog.js';
import { menuButton } from '../frame/menu.js';
import { mayLeave, navigate } from '../frame/router.js';
import { account, labelMark, mayAs, switchAccount } from '../frame/session.js';
import { signOut } from './signout.js';

/** Pages that the user may open: {href, text, section}. */
export function pages() {
  const ofAccount = [
    { href: '/', text: 'Templates', section: 'templates' },
    { href: '/blocks', text: 'Shared blocks', section: 'blocks' },
    { href: '/images', text: 'Images', section: 'images' },
    mayAs('owner') && { href: '/keys', text: 'Keys', section: 'keys' },
    { href: '/usage', text: 'Usage', section: 'usage' },
    mayAs('editor') && { href: '/activity', text: 'Activity', section: 'activity' },
    { href: '/users', text: 'Users', section: 'users' },
  ];
  return [
    ...account.id === null ? [] : ofAccount,
    account.administrator && { href: '/installation', text: 'Administration', section: 'installation' },
  ].filter(Boolean);
}

/** The logo as a menu button, and the account's label. */
export function mainMenu() {
  return html`
    <div class="row main-menu">
      ${menuButton(html`<span class="stet">Stet</span>`, () => [
        ...pages(),
        { href: '/account', text: account.email },
        otherAccounts().length > 0 && { text: 'Switch account…', run: () => attempt(chooseAccount) },
        { href: '/docs', text: 'Documentation' },
        { text: 'Sign out', run: onSignOut },
      ], { class: 'bare brand', 'aria-label': 'Stet, main menu' })}
      ${labelMark(account)}
    </div>`;
}

/** The user's other accounts, including suspended ones. */
export function otherAccounts() {
  return account.accounts.filter(each => each.id !== account.id);
}

/** Asks for another account and goes to it. */
export async function chooseAccount() {
  const id = await dialog('Switch account', close => html`
    <ul class="plain choices">
      ${otherAccounts().map(each => html`
        <li>
          ${button([each.name, each.suspended && ' (suspended)', ' ', labelMark(each)], () => close(each.id), { disabled: each.suspended })}
        </li>`)}
    </ul>`);
  if (id !== undefined && await mayLeave()) {
    await moveTo(id);
  }
}

/** Switches to an account and shows its templates. */
export async function moveTo(id) {
  await switchAccount(id);
  document.getElementById('banner').replaceChildren();
  await navigate('/', { force: true });
}

/** Ends this session, unless the user stays on the page. */
export async function onSignOut() {
  if (await mayLeave()) {
    await attempt(() => signOut());
  }
}
