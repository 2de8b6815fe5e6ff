// Tabs: arrow keys, Home and End switch tabs; the Tab key moves into the panel.
import { html } from './dom.js';
import { moveOf } from './movekeys.js';

let lastId = 0;

/**
 * Makes tabs, the first of which is shown.
 *
 * @param all list of {name, panel, open}; `open`, if any, runs each time the tab is shown
 * @return {node, refresh, setCounter, show}; `show(name)` selects a tab, `refresh` runs `open` of the selected one
 */
export function tabs(label, all) {
  const group = 'tabs-' + ++lastId;
  const rows = all.map((tab, i) => {
    const counter = html`<span class="counter"></span>`;
    const head = html`
      <button type="button" role="tab" id="${group}-${i}" aria-controls="${group}-panel-${i}" @click=${() => select(i)}>
        ${tab.name}${counter}
      </button>`;
    const panel = html`
      <div role="tabpanel" id="${group}-panel-${i}" aria-labelledby="${group}-${i}" tabindex="0">${tab.panel}</div>`;
    return { head, panel, counter, tab };
  });
  const node = html`
    <section class="tabs" aria-label=${label}>
      <div role="tablist" aria-label=${label} @keydown=${onKey}>${rows.map(row => row.head)}</div>
      ${rows.map(row => row.panel)}
    </section>`;
  let selected = 0;

  function select(chosen) {
    selected = chosen;
    rows.forEach(({ head, panel }, i) => {
      head.setAttribute('aria-selected', String(i === chosen));
      head.tabIndex = i === chosen ? 0 : -1;
      panel.hidden = i !== chosen;
    });
    refresh();
  }

  function onKey(event) {
    const to = moveOf(event, { ArrowRight: selected + 1, ArrowLeft: selected - 1, Home: 0, End: rows.length - 1 });
    if (to !== undefined) {
      event.preventDefault();
      select((to + rows.length) % rows.length);
      rows[selected].head.focus();
    }
  }

  function refresh() {
    rows[selected].tab.open?.();
  }

  /** Shows a count beside a tab's name; null for none. @param style class of the count */
  function setCounter(name, number, style = '') {
    const { counter } = rows.find(row => row.tab.name === name);
    counter.textContent = number === null ? '' : ' ' + number;
    counter.className = 'counter ' + style;
  }

  select(0);
  return { node, refresh, setCounter, show: name => select(rows.findIndex(row => row.tab.name === name)) };
}
