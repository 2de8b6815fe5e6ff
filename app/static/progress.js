// Runs an action on many templates sequentially, with a progress dialog.
import { html, button, count } from './dom.js';
import { dialog, notify } from './dialog.js';
import { sentence } from './form.js';
import { reload } from './router.js';

export const templatePath = id => '/data/templates/' + encodeURIComponent(id);

/**
 * Runs `act` for each template. Stop takes effect after the current request. Failures do not stop the others and are listed
 * until the dialog is closed.
 *
 * @param act      receives a template; throws on failure
 * @param done     past participle for successes: "published"
 * @param isChange true to reload the page afterwards
 * @return {done, failures, isStopped}
 */
export async function withEach(title, templates, act, done, { isChange = true } = {}) {
  const outcome = { done: 0, failures: [], isStopped: false };
  await dialog(title, close => {
    const bar = html`<progress max=${String(templates.length)} value="0" aria-label=${title}></progress>`;
    const status = html`<p role="status" class="hint"></p>`;
    const stop = button('Stop', () => { outcome.isStopped = true; }, { autofocus: true });
    const place = html`<div class="progress">${bar}${status}<div class="actions">${stop}</div></div>`;
    run(templates, act, outcome, (i, name) => {
      bar.value = i;
      status.textContent = name && `${i + 1} of ${templates.length}: ${name}`;
    }).then(() => outcome.failures.length === 0 ? close() : showFailures(place, inWords(outcome, templates, done), outcome, close));
    return place;
  }, { closable: false });
  if (isChange) {
    if (outcome.failures.length === 0) {
      notify(inWords(outcome, templates, done));
    }
    await reload();
  }
  return outcome;
}

async function run(templates, act, outcome, onProgress) {
  for (const [i, template] of templates.entries()) {
    if (outcome.isStopped) {
      return;
    }
    onProgress(i, template.name);
    try {
      await act(template);
      outcome.done++;
    } catch (failure) {
      outcome.failures.push({ template, text: sentence(failure) });
    }
  }
  outcome.isStopped = false; // stopped during the last request, so no template was skipped
  onProgress(templates.length, '');
}

function showFailures(place, text, { failures }, close) {
  place.replaceChildren(html`
    <p role="alert">${text}</p>
    <ul class="plain failures">
      ${failures.map(({ template, text: why }) => html`
        <li><b>${template.name}</b> <code>${template.id}</code> <span class="error">${why}</span></li>`)}
    </ul>
    <div class="actions">${button('Close', () => close(), { class: 'primary', autofocus: true })}</div>`);
  place.querySelector('[autofocus]').focus({ preventScroll: true });
}

function inWords({ done, failures, isStopped }, templates, word) {
  return `${count(done, 'template')} ${word}` + (failures.length > 0 ? `, ${failures.length} failed` : '')
    + (isStopped ? `; stopped with ${templates.length - done - failures.length} remaining` : '') + '.';
}
