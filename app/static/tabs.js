// Tabs: arrow keys, Home and End go from one to the next; Tab goes on into the panel.
import { element } from './dom.js';

let last = 0;

/** @param tabs of {name, panel, open}: `open` runs whenever its tab is shown */
export function tabs(label, all) {
  const group = 'tabs-' + ++last;
  const list = element('div', { role: 'tablist', 'aria-label': label, onkeydown: keys });
  const rows = all.map((tab, i) => {
    const counter = element('span', { class: 'counter' });
    const head = element('button', { type: 'button', role: 'tab', id: `${group}-${i}`, 'aria-controls': `${group}-panel-${i}`,
      onclick: () => select(i) }, tab.name, counter);
    const panel = element('div', { role: 'tabpanel', id: `${group}-panel-${i}`, 'aria-labelledby': head.id, tabindex: '0' }, tab.panel);
    list.append(head);
    return { head, panel, counter, tab };
  });
  const node = element('section', { class: 'tabs', 'aria-label': label }, list, rows.map(row => row.panel));

  function select(chosen, focus = false) {
    rows.forEach(({ head, panel }, i) => {
      head.setAttribute('aria-selected', String(i === chosen));
      head.tabIndex = i === chosen ? 0 : -1;
      panel.hidden = i !== chosen;
    });
    if (focus) {
      rows[chosen].head.focus();
    }
    rows[chosen].tab.open?.();
  }

  function keys(event) {
    const now = rows.findIndex(row => row.head.getAttribute('aria-selected') === 'true');
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      select((to + rows.length) % rows.length, true);
    }
  }

  select(0);
  return {
    node,
    select: name => select(all.findIndex(tab => tab.name === name)),
    selected: () => rows.find(row => !row.panel.hidden).tab.name,
    /** A number beside a tab's name; null for none. */
    counted(name, number, kind = '') {
      const { counter } = rows[all.findIndex(tab => tab.name === name)];
      counter.textContent = number === null ? '' : ' ' + number;
      counter.className = 'counter ' + kind;
    },
  };
}
