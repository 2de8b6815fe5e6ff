// The rows of a list in test data, edited as a table.
import { html, button, count, table, visuallyHidden } from '../frame/dom.js';
import { changed, nodeAt } from './json.js';
import { nameOf, typedValue } from './samples.js';

/** Maximum number of rows and columns shown; the JSON view shows all. */
const MAX_ROWS = 50;
const MAX_COLUMNS = 12;

/** True if a variable is shown as a table: a list of objects with plain values, and not too many of them. */
export function isTable({ isList, inner }) {
  const arePlain = inner.every(each => each.inner.length === 0 && !each.isList);
  return isList && arePlain && inner.length > 0 && inner.length <= MAX_COLUMNS;
}

/** Shows a value in its field, unless the user is in it. @param value its node in the document; undefined without one */
export function showValue(input, value, document) {
  input.placeholder = value ? 'empty' : 'sample value';
  if (!input.matches(':focus')) {
    input.value = value ? valueText(value, document) : '';
  }
}

function valueText({ kind, value, start, end }, document) {
  return kind === 'text' ? value : document.slice(start, end);
}

/**
 * @param list   the variable
 * @param path   path of its value
 * @param label  full name of the variable, for screen readers
 * @param text   returns the document
 * @param write  receives the changed document
 * @param places returns the place buttons of a column
 * @return {node, refresh}; `refresh(data)` shows the parsed document, or disables the fields if it is undefined
 */
export function sampleTable({ list, path, label, text, write, places }) {
  const names = list.inner.map(each => each.name);
  const about = html`<span class="hint"></span>`;
  const heads = names.map(() => html`<span class="places"></span>`);
  const columns = [
    { name: visuallyHidden('Row') },
    ...names.map((name, i) => ({ name: [html`<code>${name}</code>`, heads[i]] })),
    { name: visuallyHidden('Remove') },
  ];
  const grid = table('sample-rows', columns, []);
  const body = grid.querySelector('tbody');
  const add = button('Add a row', onAdd, { class: 'small', 'aria-label': `Add a row to ${list.name}` });
  let size = 0;
  let cells = [];

  function onAdd() {
    write(changed(text(), [...path, size], Object.fromEntries(names.map(name => [name, '']))));
    cells[Math.min(size, MAX_ROWS) - 1]?.[0].focus();
  }

  function onRemove(i) {
    write(changed(text(), [...path, i], undefined));
    cells[Math.min(i, cells.length - 1)][0].focus();
  }

  /** Makes the row of an item, whose fields are in `cells` from then on. */
  function row(i) {
    cells[i] = names.map(name => html`
      <input type="text" autocomplete="off" spellcheck="false" aria-label="Sample value for ${label}.${name}${i > 0 ? `, row ${i + 1}` : ''}"
        data-variable=${nameOf([...path, name])} @input=${event => write(changed(text(), [...path, i, name], typedValue(event.target.value)))}>`);
    return html`
      <tr>
        <th scope="row">${i + 1}</th>
        ${cells[i].map(input => html`<td>${input}</td>`)}
        <td>${button('✕', () => onRemove(i), { class: 'small quiet', 'aria-label': `Remove row ${i + 1} of ${list.name}` })}</td>
      </tr>`;
  }

  function refresh(data) {
    const items = nodeAt(data, path)?.items ?? [];
    size = items.length;
    const length = Math.max(1, Math.min(size, MAX_ROWS)); // without data, one empty row
    if (length !== cells.length) {
      cells = [];
      body.replaceChildren(...Array.from({ length }, (_, i) => row(i)));
    }
    body.querySelector('button').hidden = size === 0;
    about.textContent = size === 0 ? 'no rows yet' : count(size, 'row') + (size > MAX_ROWS ? `; the first ${MAX_ROWS} are shown below` : '');
    add.disabled = !data || size >= MAX_ROWS;
    heads.forEach((head, i) => head.replaceChildren(...places(names[i])));
    cells.forEach((inputs, i) => inputs.forEach((input, column) => {
      input.disabled = !data || items[i] !== undefined && items[i].kind !== 'object';
      showValue(input, nodeAt(data, [...path, i, names[column]]), text());
    }));
  }

  return {
    refresh,
    node: html`
      <div class="variable">
        <div class="row"><code>${list.name}[]</code>${about}</div>
        <div class="sample-scroll">${grid}</div>
        ${add}
      </div>`,
  };
}
