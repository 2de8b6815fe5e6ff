// Live templates that carry an older text of a shared block: each one's difference, and publishing the ticked ones.
import { html, link, count, pageHead } from './dom.js';
import { get, post } from './server.js';
import { notify } from './dialog.js';
import { field, form, sentence } from './form.js';
import { differences, unfolding } from './difference.js';
import { problemRow } from './panels.js';
import { change, draftPreview, versionPreview } from './pictures.js';
import { callers, variableChanges } from './publish.js';
import { reload } from './router.js';
import { mayAs } from './session.js';

const title = 'Older blocks';

export async function stalePage() {
  const { templates } = await get('/data/stale');
  const head = pageHead('Older blocks in live templates');
  if (templates.length === 0) {
    return { title, content: html`
      ${head}
      <section class="empty">
        <p class="mark"><span class="stet">stet</span></p>
        <p>Every live template carries the present text of its shared blocks.</p>
        <p>${link('/blocks', 'To the shared blocks')}</p>
      </section>` };
  }
  const rows = templates.map(row);
  const possible = () => rows.filter(one => !one.tick.disabled);
  const ticked = () => possible().filter(one => one.tick.checked);
  const every = html`<input type="checkbox" @change=${() => {
    possible().forEach(one => { one.tick.checked = every.checked; });
    showCount();
  }}>`;
  const progress = html`<progress max="1" value="0" hidden aria-label="Publishing"></progress>`;
  const status = html`<p role="status" class="hint"></p>`;
  const note = 'Shared ' + [...new Set(templates.flatMap(one => one.blocks))].join(', ');
  const publishing = form('Publish', given => publishTicked(given.note), [
    field('note', 'Note for each', { maxlength: 200, value: note }), progress, status,
  ]);
  const publishButton = publishing.querySelector('.primary');

  function showCount() {
    const number = ticked().length;
    publishButton.textContent = 'Publish ' + count(number, 'template');
    publishButton.disabled = number === 0;
    every.checked = number === possible().length && number > 0;
    every.indeterminate = number > 0 && number < possible().length;
  }

  // One after the other: a published template stays published when a later one fails.
  async function publishTicked(note) {
    const all = ticked();
    let failed = 0;
    progress.hidden = false;
    progress.max = all.length;
    progress.value = 0;
    for (const [i, { template, tick, showResult }] of all.entries()) {
      const { id, name, revision, sha256 } = template;
      status.textContent = `Publishing ${i + 1} of ${all.length}: ${name}`;
      try {
        const after = await post(`/data/templates/${encodeURIComponent(id)}/publish`, { revision, sha256, note });
        showResult(`Version ${after.published.number} is live`, 'good');
        tick.checked = false;
        tick.disabled = true;
      } catch (failure) {
        failed++;
        showResult('Not published: ' + sentence(failure), 'error');
      }
      progress.value = i + 1;
    }
    showCount();
    status.textContent = `${count(all.length - failed, 'template')} published` + (failed ? `, ${failed} not.` : '.');
    if (rows.every(one => one.isPublished())) {
      notify(status.textContent);
      await reload();
    }
  }

  rows.forEach(one => one.tick.addEventListener('change', showCount));
  showCount();
  return { title, content: html`
    ${head}
    <p class="lead">
      These were published before a block was changed, and stand as they were. Publishing them takes the present text in.
    </p>
    ${mayAs('editor') ? html`<label class="check all">${every}<span>All that can be published</span></label>`
      : html`<p class="hint">Editors and owners of the account publish them.</p>`}
    <ul class="plain stale">${rows.map(one => one.node)}</ul>
    ${mayAs('editor') && html`<section class="card">${publishing}</section>`}` };
}

function row(template) {
  const { id, name, live, next, blocks, draftChanged, added, removed, keys } = template;
  const isContractChanged = next !== null && added.length + removed.length > 0;
  const blocking = template.problems.filter(problem => problem.level !== 'warning');
  const canPublish = next !== null && blocking.length === 0;
  const tick = html`<input type="checkbox" aria-label="Publish ${name}" disabled=${!canPublish}>`;
  tick.checked = canPublish && !draftChanged && !isContractChanged;
  const result = html`<span class="result" role="status"></span>`;
  const { opener, place } = unfolding(name, async () => change(await differences(live, next, ['live', 'new']), [
    { name: `Version ${live.number}, which is live`, address: () => versionPreview(id, live.number) },
    { name: 'The new version', address: async () => draftPreview(await get('/data/templates/' + encodeURIComponent(id))) },
  ]));
  return {
    template,
    tick,
    isPublished: () => result.classList.contains('good'),
    showResult(text, kind) {
      result.textContent = text;
      result.className = 'result ' + kind;
    },
    node: html`
      <li class="card">
        <div class="row">
          ${mayAs('editor') && tick}
          <h2>${link('/templates/' + id, name)}</h2>
          <code>${id}</code>
          <span class="badge">older ${blocks.join(', ')}</span>
          ${canPublish && opener}
          ${result}
        </div>
        ${draftChanged && html`
          <p class="warning">
            Its draft has other unpublished changes; publishing takes them along. Look at the difference first.
          </p>`}
        ${isContractChanged && html`<div class="contract">${variableChanges(template)}${callers(keys)}</div>`}
        ${blocking.length > 0 && html`<ul class="checks">${blocking.map(problem => problemRow(problem))}</ul>`}
        ${place}
      </li>`,
  };
}
