// Runs an action on many templates, a few at a time, with a progress dialog.
import { html, button, count } from './dom.js';
import { dialog, notify } from './dialog.js';
import { punctuated, sentence } from './form.js';
import { reload } from './router.js';

/** Number of concurrent requests; several, so that requests to a distant server do not wait for each other. */
const AT_ONCE = 4;
/** Maximum number of templates in one request, as on the server. */
const MAX_LIST = 100;
/** Number of concurrent requests with a list; the server processes one at a time. */
const LISTS_AT_ONCE = 2;

/** The URL of a template's data. */
export const templatePath = id => '/data/templates/' + encodeURIComponent(id);

/**
 * Runs `act` for each template. Stop takes effect after the current requests. Failures do not stop the others and are listed
 * until the dialog is closed.
 *
 * @param act              receives a template; throws on failure
 * @param options.done     past participle for successes: "published"
 * @param options.noun     what the result counts, in the singular; templates by default
 * @param options.isChange false to leave the page as it is; true, the default, to report the result and reload the page
 * @return {results, failures, isStopped}; results of successes, and failures {template, text}, are in the order of the templates
 */
export function withEach(title, templates, act, options) {
  return withLists(title, templates, { size: 1, atOnce: AT_ONCE, send: async ([template]) => {
    try {
      return [{ result: await act(template) }];
    } catch (failure) {
      return [{ failure: { template, text: sentence(failure) } }];
    }
  } }, options);
}

/**
 * Like `withEach`, but with few requests.
 *
 * @param act receives up to 100 templates; resolves to the server's results for the first of them, at least one; a result with
 *            `error` is a failure
 * @return the same; each result is {template, result}
 */
export function withMany(title, templates, act, options) {
  return withLists(title, templates, { size: MAX_LIST, atOnce: LISTS_AT_ONCE, send: async list => {
    try {
      return (await act(list)).map((result, i) => result.error === undefined ? { result: { template: list[i], result } }
        : { failure: { template: list[i], text: punctuated(result.error) } });
    } catch (failure) {
      // A 500 concerns only the first template, so the others are tried again.
      const failed = failure.status === 500 ? list.slice(0, 1) : list;
      return failed.map(template => ({ failure: { template, text: sentence(failure) } }));
    }
  } }, options);
}

/** Runs the requests with a progress dialog. @param requests {size, atOnce, send}, see {@link run} */
async function withLists(title, templates, requests, { done, noun = 'template', isChange = true }) {
  const inWords = ({ results, failures, isStopped }) => `${count(results.length, noun)} ${done}`
    + (failures.length > 0 ? `, ${failures.length} failed` : '')
    + (isStopped ? `; stopped with ${templates.length - results.length - failures.length} remaining` : '') + '.';
  const { pathname } = location;
  let ending = null; // promise of the outcome
  await dialog(title, close => {
    const bar = html`<progress max=${String(templates.length)} value="0" aria-label=${title}></progress>`;
    const status = html`<p role="status" class="hint"></p>`;
    const stopper = new AbortController();
    const stop = button('Stop', () => stopper.abort(), { autofocus: true });
    const place = html`<div class="progress">${bar}${status}<div class="actions">${stop}</div></div>`;
    const onProgress = (ended, name) => {
      bar.value = ended;
      status.textContent = `${(ended + 1).toLocaleString('en')} of ${templates.length.toLocaleString('en')}: ${name}`;
    };
    ending = run(templates, requests, stopper.signal, onProgress);
    ending.then(outcome => {
      if (outcome.failures.length === 0) {
        close();
      } else {
        showFailures(place, inWords(outcome), outcome.failures, () => close());
      }
    });
    return place;
  }, { closable: false });
  const outcome = await ending;
  if (isChange) {
    if (outcome.failures.length === 0) {
      notify(inWords(outcome));
    }
    await reload(pathname);
  }
  return outcome;
}

/**
 * Sends the requests. Resolves to the outcome, as for {@link withEach}.
 *
 * @param size       maximum number of templates of a request
 * @param atOnce     number of concurrent requests
 * @param send       receives templates; resolves to {result} or {failure} of the first of them, at least one
 * @param stop       signal after which no further request is sent
 * @param onProgress receives the number of templates that have ended, and the name of the next
 */
async function run(templates, { size, atOnce, send }, stop, onProgress) {
  const ends = [];
  const parts = []; // [from, to] of the parts not yet started
  for (let from = 0; from < templates.length; from += size) {
    parts.push([from, Math.min(templates.length, from + size)]);
  }
  let ended = 0;

  async function sendParts() {
    while (parts.length > 0 && !stop.aborted) {
      const [from, to] = parts.shift();
      onProgress(ended, templates[from].name);
      const some = await send(templates.slice(from, to));
      some.forEach((end, i) => { ends[from + i] = end; });
      ended += some.length;
      if (from + some.length < to) {
        parts.unshift([from + some.length, to]);
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sendParts));
  return {
    results: ends.filter(end => end && !end.failure).map(end => end.result),
    failures: ends.map(end => end?.failure).filter(Boolean),
    isStopped: ended < templates.length,
  };
}

function showFailures(place, text, failures, close) {
  place.replaceChildren(html`
    <p role="alert">${text}</p>
    <ul class="plain failures">
      ${failures.map(({ template, text: why }) => html`
        <li><b>${template.name}</b> <code>${template.id}</code> <span class="error">${why}</span></li>`)}
    </ul>
    <div class="actions">${button('Close', close, { class: 'primary', autofocus: true })}</div>`);
  place.querySelector('[autofocus]').focus({ preventScroll: true });
}
