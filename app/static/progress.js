// Runs an action on many templates, a few at a time, with a progress dialog.
import { html, button, count } from './dom.js';
import { dialog, notify } from './dialog.js';
import { sentence } from './form.js';
import { reload } from './router.js';

/** Requests in progress, so that a distant server does not make each of them wait for the one before. */
const AT_ONCE = 4;

export const templatePath = id => '/data/templates/' + encodeURIComponent(id);

/**
 * Runs `act` for each template. Stop takes effect after the current requests. Failures do not stop the others and are listed
 * until the dialog is closed.
 *
 * @param act      receives a template; throws on failure
 * @param done     past participle for successes: "published"
 * @param isChange true to reload the page afterwards
 * @return {results, failures, isStopped}; results of successes, and failures, are in the order of the templates
 */
export async function withEach(title, templates, act, done, { isChange = true } = {}) {
  const outcome = { results: [], failures: [], isStopped: false };
  await dialog(title, close => {
    const bar = html`<progress max=${String(templates.length)} value="0" aria-label=${title}></progress>`;
    const status = html`<p role="status" class="hint"></p>`;
    const stop = button('Stop', () => { outcome.isStopped = true; }, { autofocus: true });
    const place = html`<div class="progress">${bar}${status}<div class="actions">${stop}</div></div>`;
    run(templates, act, outcome, (i, name) => {
      bar.value = i;
      status.textContent = name && `${(i + 1).toLocaleString('en')} of ${templates.length.toLocaleString('en')}: ${name}`;
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
  const ends = [];
  let next = 0;
  let ended = 0;

  async function runSome() {
    while (next < templates.length && !outcome.isStopped) {
      const i = next++;
      const template = templates[i];
      onProgress(ended, template.name);
      try {
        ends[i] = { result: await act(template) };
      } catch (failure) {
        ends[i] = { failure: { template, text: sentence(failure) } };
      }
      ended++;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runSome));
  outcome.results = ends.filter(end => !end.failure).map(end => end.result);
  outcome.failures = ends.map(end => end.failure).filter(Boolean);
  outcome.isStopped = outcome.isStopped && next < templates.length; // stopped during the last ones, so nothing was skipped
  onProgress(ended, '');
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

function inWords({ results, failures, isStopped }, templates, word) {
  return `${count(results.length, 'template')} ${word}` + (failures.length > 0 ? `, ${failures.length} failed` : '')
    + (isStopped ? `; stopped with ${templates.length - results.length - failures.length} remaining` : '') + '.';
}
