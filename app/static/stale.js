// Live templates that carry an older text of a shared block: what would change, and publishing the ticked ones.
import { element, button, link, count } from './dom.js';
import { get, post } from './server.js';
import { say } from './dialog.js';
import { field, form, sentence } from './form.js';
import { differences } from './difference.js';
import { problemRow } from './panels.js';
import { again } from './router.js';

export async function stalePage() {
  const { templates } = await get('/data/stale');
  const head = element('div', { class: 'head' }, element('h1', { tabindex: '-1' }, 'Older blocks in live templates'));
  if (templates.length === 0) {
    return { title: 'Older blocks', content: [head, element('section', { class: 'empty' },
      element('p', { class: 'mark' }, element('span', { class: 'stet' }, 'stet')),
      element('p', {}, 'Every live template carries the present text of its shared blocks.'), element('p', {}, link('/blocks', 'To the shared blocks')))] };
  }
  const rows = templates.map(row);
  const possible = rows.filter(one => !one.tick.disabled);
  const every = element('input', { type: 'checkbox', onchange: () => { possible.forEach(one => { one.tick.checked = every.checked; }); counted(); } });
  const progress = element('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Publishing' });
  const told = element('p', { role: 'status', class: 'hint' });
  const publishing = form('Publish', given => publishTicked(given.note), [
    field('note', 'Note for each', { maxlength: 200, value: 'Shared ' + [...new Set(templates.flatMap(one => one.blocks))].join(', ') }),
    progress, told,
  ]);
  const main = publishing.querySelector('.primary');

  function counted() {
    const ticked = possible.filter(one => one.tick.checked).length;
    main.textContent = 'Publish ' + count(ticked, 'template');
    main.disabled = ticked === 0;
    every.checked = ticked === possible.length && ticked > 0;
    every.indeterminate = ticked > 0 && ticked < possible.length;
  }

  // One after the other: what is published stays published, whatever becomes of the next.
  async function publishTicked(note) {
    const ticked = possible.filter(one => one.tick.checked);
    let failed = 0;
    progress.hidden = false;
    progress.max = ticked.length;
    progress.value = 0;
    for (const [i, one] of ticked.entries()) {
      told.textContent = `Publishing ${i + 1} of ${ticked.length}: ${one.template.name}`;
      try {
        const after = await post(`/data/templates/${encodeURIComponent(one.template.id)}/publish`, { revision: one.template.revision, sha256: one.template.sha256, note });
        one.result(`Version ${after.published.number} is live`, 'good');
        one.tick.checked = false;
        one.tick.disabled = true;
      } catch (failure) {
        failed++;
        one.result('Not published: ' + sentence(failure), 'error');
      }
      progress.value = i + 1;
    }
    possible.splice(0, possible.length, ...possible.filter(one => !one.tick.disabled));
    counted();
    told.textContent = `${count(ticked.length - failed, 'template')} published` + (failed ? `, ${failed} not.` : '.');
    if (failed === 0 && possible.length === 0 && rows.every(one => one.done())) {
      say(told.textContent);
      await again();
    }
  }

  rows.forEach(one => one.tick.addEventListener('change', counted));
  counted();
  return {
    title: 'Older blocks',
    content: [head,
      element('p', { class: 'lead' }, 'These were published before a block was changed, and stand as they were. Publishing them takes the present text in.'),
      element('label', { class: 'check all' }, every, element('span', {}, 'All that can be published')),
      element('ul', { class: 'plain stale' }, rows.map(one => one.node)),
      element('section', { class: 'card' }, publishing)],
  };
}

function row(template) {
  const blocking = template.problems.filter(problem => problem.level !== 'warning');
  const possible = template.next !== null && blocking.length === 0;
  const tick = element('input', { type: 'checkbox', 'aria-label': 'Publish ' + template.name, disabled: !possible });
  tick.checked = possible && !template.draftChanged;
  const result = element('span', { class: 'result', role: 'status' });
  const place = element('div', { class: 'unfolded', hidden: true });
  const opener = button('Show difference', async () => {
    if (place.firstChild === null) {
      place.append(await differences(template.live, template.next, ['live', 'new']));
    }
    place.hidden = !place.hidden;
    opener.textContent = place.hidden ? 'Show difference' : 'Hide difference';
    opener.setAttribute('aria-label', opener.textContent + ' of ' + template.name);
    opener.setAttribute('aria-expanded', String(!place.hidden));
  }, { class: 'small', 'aria-expanded': 'false', 'aria-label': 'Show difference of ' + template.name });
  let done = false;
  return {
    template,
    tick,
    done: () => done,
    result(text, kind) {
      done = kind === 'good';
      result.textContent = text;
      result.className = 'result ' + kind;
    },
    node: element('li', { class: 'card' },
      element('div', { class: 'row' },
        tick, element('h2', {}, link('/templates/' + template.id, template.name)), element('code', {}, template.id),
        element('span', { class: 'badge' }, 'older ' + template.blocks.join(', ')), possible ? opener : null, result),
      template.draftChanged ? element('p', { class: 'warning' }, 'Its draft has other unpublished changes; publishing takes them along. Look at the difference first.') : null,
      blocking.length ? element('ul', { class: 'checks' }, blocking.map(problem => problemRow(problem))) : null,
      place),
  };
}
