// The main menu: the pages, the user's accounts and signing out. Pages with a header of their own show it instead of the top bar.
import { html, button } from '../frame/dom.js';
import { attempt, dialog } from '../frame/dialog.js';
import { menuButton } from '../frame/menu.js';
import { mayLeave, navigate } from '../frame/router.js';
import { account, labelMark, mayAs, switchAccount } from '../frame/session.js';
import { signOut } from './signout.js';

/** Pages that the user may open: {href, text, section}. */
export function pages() {
  return [
    account.id !== null && { href: '/', text: 'Templates', section: 'templates' },
    account.id !== null && { href: '/blocks', text: 'Shared blocks', section: 'blocks' },
    account.id !== null && { href: '/images', text: 'Images', section: 'images' },
    account.id !== null && account.role === 'owner' && { href: '/keys', text: 'Keys', section: 'keys' },
    account.id !== null && { href: '/usage', text: 'Usage', section: 'usage' },
    account.id !== null && mayAs('editor') && { href: '/activity', text: 'Activity', section: 'activity' },
    account.id !== null && { href: '/users', text: 'Users', section: 'users' },
    account.administrator && { href: '/installation', text: 'Administration', section: 'installation' },
  ].filter(Boolean);
}

/** The menu behind the logo, and the account's label. */
export function mainMenu() {
  return html`
    <div class="row main-menu">
      ${menuButton(html`<span class="stet">Stet</span>`, () => [
        ...pages(),
        { href: '/account', text: account.email },
        otherAccounts().length > 0 && { text: 'Switch account…', run: () => attempt(chooseAccount) },
        { href: '/docs', text: 'Documentation' },
        { text: 'Sign out', run: onSignOut },
      ], { class: 'bare brand', 'aria-label': 'Main menu' })}
      ${labelMark(account)}
    </div>`;
}

/** The user's other accounts. */
export function otherAccounts() {
  return account.accounts.filter(each => each.id !== account.id);
}

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

export async function moveTo(id) {
  await switchAccount(id);
  document.getElementById('banner').replaceChildren();
  await navigate('/', { force: true });
}

export async function onSignOut() {
  if (await mayLeave()) {
    await attempt(() => signOut());
  }
}
