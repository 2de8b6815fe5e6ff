// A table that renders rows as they scroll into view; rendering ten thousand rows together would block the browser for several seconds.
import { html, table } from '../frame/dom.js';

/** Number of rows rendered together in one tbody: about one screen. With more, layout takes over 16 ms per key typed in the filter. */
const GROUP_ROWS = 20;
/** Distance from the viewport at which rows are rendered. */
const MARGIN = '1000px 0px';
/** Estimated row height in pixels, until rows are measured. */
const ROW_HEIGHT = 48;

/**
 * Makes the table, which is empty until `show(items)` is called.
 *
 * @param classes    of the table
 * @param columns    as for `table`
 * @param make       makes the row of an item
 * @param onShown    receives an item and its row each time the row is inserted
 * @param attributes of the table
 * @return {node, show, update, measure}; `measure` is called once the table is in the page
 */
export function longTable(classes, columns, { make, onShown = () => {}, ...attributes }) {
  const node = table(classes, columns, [], attributes);
  const head = node.firstElementChild;
  const made = new Map(); // rows by item
  let groups = new Map(); // {from, items, isFilled} by tbody
  let rowHeight = ROW_HEIGHT;
  const observer = new IntersectionObserver(
    entries => entries.filter(entry => entry.isIntersecting).forEach(({ target }) => fill(target)), { rootMargin: MARGIN });

  /** Shows these items in order. */
  function show(items) {
    const focused = node.contains(document.activeElement) ? document.activeElement : null;
    observer.disconnect();
    groups = new Map();
    for (let from = 0; from < items.length; from += GROUP_ROWS) {
      groups.set(html`<tbody>${spacer()}</tbody>`, { from, items: items.slice(from, from + GROUP_ROWS), isFilled: false });
    }
    node.replaceChildren(head, ...groups.keys());
    node.setAttribute('aria-rowcount', items.length + 1);
    resize();
    [...groups.keys()].forEach((group, i) => i === 0 ? fill(group) : observer.observe(group));
    focused?.focus({ preventScroll: true });
  }

  function spacer() {
    return html`<tr class="spacer" aria-hidden="true"><td colspan=${String(columns.length)}></td></tr>`;
  }

  function fill(group) {
    const { from, items } = groups.get(group);
    groups.get(group).isFilled = true;
    observer.unobserve(group);
    group.replaceChildren(...items.map((item, i) => {
      if (!made.has(item)) {
        made.set(item, make(item));
      }
      const row = made.get(item);
      row.setAttribute('aria-rowindex', from + i + 2);
      onShown(item, row);
      return row;
    }));
  }

  /** Reserves space for rows not yet rendered, by the measured height. */
  function measure() {
    const first = groups.keys().next().value; // undefined if the table is empty
    const height = first?.getBoundingClientRect().height;
    if (height > 0) {
      rowHeight = height / groups.get(first).items.length;
      resize();
    }
  }

  function resize() {
    groups.forEach(({ items, isFilled }, group) => {
      if (!isFilled) {
        group.firstChild.firstChild.style.height = items.length * rowHeight + 'px';
      }
    });
  }

  /** Calls `onShown` for each rendered row. */
  function update() {
    groups.forEach(({ items, isFilled }) => isFilled && items.forEach(item => onShown(item, made.get(item))));
  }

  return { node, show, update, measure };
}
