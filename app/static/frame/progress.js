// Runs an action on many templates, a few at a time, with a progress dialog.
import { html, button, count } from './dom.js';
import { dialog, notify } from './dialog.js';
import { sentence } from './form.js';
import { reload } from './router.js';

/** Number of concurrent requests; several, so that requests to a distant server do not wait for each other. */
const AT_ONCE = 4;
/** Maximum number of templates per list, as on the server, and number of concurrent lists; the server processes one at a time. */
const LIST = 100;
const LISTS_AT_ONCE = 2;

export const templatePath = id => '/data/templates/' + encodeURIComponent(id);

/**
 * Runs `act` for each template. Stop takes effect after the current requests. Failures do not stop the others and are listed
 * until the dialog is closed.
 *
 * @param act      receives a template; throws on failure
 * @param done     past participle for successes: "published"
 * @param isChange true to reload the page afterwards
 * @param noun     what the result counts, in the singular; templates by default
 * @return {results, failures, isStopped}; results of successes, and failures, are in the order of the templates
 */
export const withEach = (title, templates, act, done, options) => withParts(title, templates, 1, AT_ONCE, async ([template]) => {
  try {
    return [{ result: await act(template) }];
  } catch (failure) {
    return [{ failure: { template, text: sentence(failure) } }];
  }
}, done, options);

/**
 * Like `withEach`, but with few requests.
 *
 * @param act receives up to 100 templates; resolves to the server's results for the first of them, at least one; a result with
 *            `error` is a failure
 * @return the same; each result is {template, result}
 */
export const withLists = (title, templates, act, done, options) => withParts(title, templates, LIST, LISTS_AT_ONCE, async list => {
  try {
    return (await act(list)).map((result, i) => result.error === undefined ? { result: { template: list[i], result } }
      : { failure: { template: list[i], text: sentence({ message: result.error }) } });
  } catch (failure) {
    // A 500 concerns only the first template, so the others are tried again.
    return list.slice(0, failure.status === 500 ? 1 : list.length).map(template => ({ failure: { template, text: sentence(failure) } }));
  }
}, done, options);

async function withParts(title, templates, size, atOnce, act, done, { isChange = true, noun = 'template' } = {}) {
  const outcome = { results: [], failures: [], isStopped: false };
  await dialog(title, close => {
    const bar = html`<progress max=${String(templates.length)} value="0" aria-label=${title}></progress>`;
    const status = html`<p role="status" class="hint"></p>`;
    const stop = button('Stop', () => { outcome.isStopped = true; }, { autofocus: true });
    const place = html`<div class="progress">${bar}${status}<div class="actions">${stop}</div></div>`;
    run(templates, size, atOnce, act, outcome, (i, name) => {
      bar.value = i;
      status.textContent = name && `${(i + 1).toLocaleString('en')} of ${templates.length.toLocaleString('en')}: ${name}`;
    }).then(() => outcome.failures.length === 0 ? close() : showFailures(place, inWords(outcome, templates, noun, done), outcome, close));
    return place;
  }, { closable: false });
  if (isChange) {
    if (outcome.failures.length === 0) {
      notify(inWords(outcome, templates, noun, done));
    }
    await reload();
  }
  return outcome;
}

/** @param act receives a part of the templates; resolves to {result} or {failure} for the first of them */
async function run(templates, size, atOnce, act, outcome, onProgress) {
  const ends = [];
  const parts = []; // [from, to] of the parts not yet started
  for (let from = 0; from < templates.length; from += size) {
    parts.push([from, Math.min(templates.length, from + size)]);
  }
  let ended = 0;

  async function runSome() {
    while (parts.length > 0 && !outcome.isStopped) {
      const [from, to] = parts.shift();
      onProgress(ended, templates[from].name);
      const some = await act(templates.slice(from, to));
      some.forEach((end, i) => { ends[from + i] = end; });
      ended += some.length;
      if (from + some.length < to) {
        parts.unshift([from + some.length, to]);
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runSome));
  outcome.results = ends.filter(end => end && !end.failure).map(end => end.result);
  outcome.failures = ends.map(end => end?.failure).filter(Boolean);
  outcome.isStopped = outcome.isStopped && ended < templates.length; // if stopped during the last templates, nothing was skipped
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

function inWords({ results, failures, isStopped }, templates, noun, word) {
  return `${count(results.length, noun)} ${word}` + (failures.length > 0 ? `, ${failures.length} failed` : '')
    + (isStopped ? `; stopped with ${templates.length - results.length - failures.length} remaining` : '') + '.';
}
