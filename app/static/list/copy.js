// Copies templates to another of the user's accounts: choose the account, review the plan, copy.
import { html, count } from '../frame/dom.js';
import { post } from '../frame/server.js';
import { formDialog, notify, showProgress } from '../frame/dialog.js';
import { choice } from '../frame/form.js';
import { conflictsOf, publishing, summary } from '../publish/import.js';
import { account, accountLine, labelMark, mayAs } from '../frame/session.js';

/** Accounts that the user can copy to. */
export function otherAccounts() {
  return account.accounts.filter(each => each.id !== account.id && !each.suspended);
}

/** @param templates list of {id, name} */
export async function copyTemplates(templates) {
  const [others, what] = [otherAccounts(), templates.length === 1 ? templates[0].name : count(templates.length, 'template')];
  const chosen = others.length === 1 ? others[0] : await formDialog(`Copy ${what} to another account`, 'Continue', [
    accountLine(),
    choice('account', 'To', others.map(each => ({ value: String(each.id), label: [each.name, ' ', labelMark(each)] })), String(others[0].id)),
  ], given => others.find(each => String(each.id) === given.account));
  if (!chosen) {
    return;
  }
  const send = (options, more) => post('/data/copies/' + chosen.id, { templates: templates.map(each => each.id), ...options }, more);
  const plan = await showProgress('Comparing with ' + chosen.name, signal => send({ dryRun: true }, { signal }), 'Nothing was changed.');
  if (!plan) {
    return;
  }
  const done = await formDialog(`Copy ${what} to ${chosen.name}?`, 'Copy', html`
    ${accountLine(chosen)}
    <p>This copies the saved drafts with their test data and the shared blocks they include. Nothing has changed yet. Changes
      in <b>${chosen.name}</b>:</p>
    ${summary(plan)}
    ${mayAs('editor', chosen)
      ? publishing(plan, () => send({ dryRun: true, publish: true }), 'Also publish templates that are live in the source account', 'there')
      : conflictsOf(plan, 'there')}`,
  given => send({ publish: given.publish === true, overwrite: given.overwrite === true }), { wide: true });
  if (done) {
    const published = done.published.length > 0 ? `, ${done.published.length.toLocaleString('en')} published` : '';
    notify(`Copied to ${chosen.name}: ${done.created.length.toLocaleString('en')} new, ${done.changed.length.toLocaleString('en')} changed${published}.`);
  }
}
