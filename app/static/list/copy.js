// Copies templates to another of the user's accounts: choose the account, review the plan, copy.
import { html, count } from '../frame/dom.js';
import { post } from '../frame/server.js';
import { formDialog, notify, showProgress } from '../frame/dialog.js';
import { choice } from '../frame/form.js';
import { conflictsOf, publishing, summary } from '../publish/import.js';
import { account, accountLine, labelMark, mayAs } from '../frame/session.js';

/** Accounts that the user can copy to: all others that are not suspended. */
export function copyTargets() {
  return account.accounts.filter(each => each.id !== account.id && !each.suspended);
}

/** Asks for the account, shows the plan and copies. @param templates list of {id, name} */
export async function copyTemplates(templates) {
  const subject = templates.length === 1 ? templates[0].name : count(templates.length, 'template');
  const target = await chooseTarget(subject);
  if (!target) {
    return;
  }
  const send = (given, options) => post('/data/copies/' + target.id, { templates: templates.map(({ id }) => id), ...given }, options);
  const plan = await showProgress('Comparing with ' + target.name, signal => send({ dryRun: true }, { signal }), 'Nothing was changed.');
  const result = plan && await copyPlanned(subject, target, plan, send);
  if (result) {
    const { created, changed, published } = result;
    const number = ids => ids.length.toLocaleString('en');
    notify(`Copied to ${target.name}: ${number(created)} new, ${number(changed)} changed`
      + (published.length === 0 ? '' : `, ${number(published)} published`) + '.');
  }
}

/** The only other account, or the one that the user chooses; undefined if cancelled. */
async function chooseTarget(subject) {
  const targets = copyTargets();
  return targets.length === 1 ? targets[0] : formDialog(`Copy ${subject} to another account`, 'Continue', [
    accountLine(),
    choice('account', 'To', targets.map(each => ({ value: String(each.id), label: [each.name, ' ', labelMark(each)] })), String(targets[0].id)),
  ], given => targets.find(each => String(each.id) === given.account));
}

/**
 * Copies after the user has confirmed the plan. Resolves to the result, or undefined if cancelled.
 *
 * @param subject name of the template, or a number of templates
 * @param send    sends the copy, given {dryRun, publish, overwrite}
 */
function copyPlanned(subject, target, plan, send) {
  return formDialog(`Copy ${subject} to ${target.name}?`, 'Copy', html`
    ${accountLine(target)}
    <p>This copies the saved drafts with their test data and the shared blocks they include. Nothing has changed yet. Changes
      in <b>${target.name}</b>:</p>
    ${summary(plan)}
    ${mayAs('editor', target)
      ? publishing(plan, () => send({ dryRun: true, publish: true }), 'Also publish templates that are live in the source account', 'there')
      : conflictsOf(plan, 'there')}`,
  given => send({ publish: given.publish === true, overwrite: given.overwrite === true }), { wide: true });
}
