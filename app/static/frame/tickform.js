// A form about rows, some of which the user ticks.
import { button } from './dom.js';
import { form } from './form.js';

/**
 * A form whose button names the number of ticked rows, and is disabled without any.
 *
 * @param rows     rows with `tick`, a checkbox
 * @param labelFor makes the button's text from the number of ticked rows
 * @param contents of the form
 * @param onSubmit receives the ticked rows and the form's other values
 * @param onCancel runs when the user cancels
 */
export function tickForm({ rows, labelFor, contents, onSubmit, onCancel }) {
  const ticked = () => rows.filter(row => row.tick.checked);
  const node = form('', async given => {
    if (ticked().length > 0) {
      onSubmit(ticked(), given);
    }
  }, contents, button('Cancel', onCancel, { autofocus: true }));
  const submit = node.querySelector('.primary');
  const update = () => {
    submit.textContent = labelFor(ticked().length);
    submit.disabled = ticked().length === 0;
  };
  rows.forEach(row => row.tick.addEventListener('change', update));
  update();
  return node;
}
