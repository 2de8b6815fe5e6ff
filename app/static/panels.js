// The tabs beside the editor: blocks, checks, and the requests that fetch the template.
import { html, button, link, count, copyButton } from './dom.js';
import { account } from './session.js';

/** The levels of a problem, the worst first: there is nothing to publish, the mail will break, it may look wrong. */
const levels = { refused: 'Blocks publishing', error: 'Error', warning: 'Warning' };
/** Places of one variable or problem that are listed, at most. */
export const MAX_PLACES = 8;

/** @param more how many there are beside those listed */
export function problemList(problems, more = 0, goTo = undefined) {
  const order = Object.keys(levels);
  const sorted = [...problems].sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
  return problems.length === 0 ? html`<p class="good">Nothing to complain about.</p>` : html`
    <ul class="checks">
      ${sorted.map(problem => problemRow(problem, goTo))}
      ${more > 0 && html`<li class="hint">and ${more} more</li>`}
    </ul>`;
}

/** The class of a counter of problems. */
export function problemClass(problems) {
  return problems.some(problem => problem.level !== 'warning') ? 'blocking' : 'warns';
}

/** @param goTo shows a place in the editor; without it the places are only named */
export function problemRow(problem, goTo) {
  const { level, sentence } = problem;
  return html`
    <li class=${problemClass([problem])}>
      <span class="kind">${levels[level]}</span>
      <span class="sentence">${sentence.charAt(0).toUpperCase() + sentence.slice(1) + (/[.!?]$/.test(sentence) ? '' : '.')}</span>
      ${problem.block
        ? link('/blocks/' + problem.block, `block ${problem.block}, line ${problem.lines[0]}`, { class: 'place' })
        : linesOf(problem, goTo)}
    </li>`;
}

/** The lines of a problem, each of them once; of test data the name of the set. */
function linesOf({ field, lines, set }, goTo) {
  if (set) {
    return goTo ? placeButton({ field, set }, goTo) : html`<span class="place">${placeName({ set })}</span>`;
  }
  const times = new Map();
  lines.forEach(line => times.set(line, (times.get(line) ?? 0) + 1));
  const shown = [...times].slice(0, MAX_PLACES);
  const more = times.size - shown.length;
  return [
    ...shown.map(([line, number]) => [
      goTo ? placeButton({ field, line }, goTo) : html`<span class="place">${placeName({ field, line })}</span>`,
      number > 1 && html`<span class="hint">× ${number}</span>`]),
    more > 0 && html`<span class="hint">and ${count(more, 'more line')}</span>`];
}

/** Names that a set of test data lacks, as problems. @param sets as the server reports them */
export function setProblems(sets) {
  return sets.map(({ name, missing, moreMissing, error }) => ({ level: 'warning', field: 'samples', set: name, lines: [],
    sentence: error ? `the test data cannot be used: ${error}`
      : `the test data has no value for ${[...missing, ...moreMissing > 0 ? [`${moreMissing} more`] : []].join(', ')}` }));
}

const placeName = place => place.set ? 'test data ' + place.set : place.field === 'subject' ? 'subject' : 'line ' + place.line;

export function placeButton(place, goTo) {
  return button(placeName(place), () => goTo(place), { class: 'place', 'aria-label': 'Go to ' + placeName(place) });
}

/** The shared blocks that a text includes. */
export function blocksPanel(goTo) {
  const list = html`<div></div>`;
  const node = html`
    <div>
      <p class="hint">
        A shared block is written <code>{{&gt; footer}}</code> and taken in when you publish.
        ${link('/blocks', 'All shared blocks')}
      </p>
      ${list}
    </div>`;

  /** @param stale names of the blocks of which an older text is live */
  function show(blocks, stale) {
    list.replaceChildren(blocks.length === 0 ? html`<p class="empty-line">No shared blocks in this draft.</p>` : html`
      <ul class="plain">
        ${blocks.map(({ name, exists, line }) => html`
          <li class="row">
            ${exists ? link('/blocks/' + name, name, { class: 'mono' })
              : html`<span><code>${name}</code> <span class="badge bad">does not exist</span></span>`}
            ${line && placeButton({ line }, goTo)}
            ${stale.includes(name) && html`<span class="badge">older one is live</span>`}
          </li>`)}
      </ul>`);
  }

  return { node, show };
}

/** The requests that fetch a template. */
export function apiPanel(id) {
  const base = account.baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '') + '/api/v1';
  const rows = [['As JSON', ''], ['The HTML alone', '?format=html'], ['The variables alone', '?format=variables']];
  return html`
    <div>
      <p class="row">Id <code>${id}</code>${copyButton(id, 'the id')}</p>
      ${rows.map(([name, query]) => {
        const line = `curl -H "Authorization: Bearer YOUR_API_KEY" "${base}/templates/${id}${query}"`;
        return html`
          <div class="curl">
            <div class="row"><h3>${name}</h3>${copyButton(line, 'curl: ' + name)}</div>
            <pre tabindex="0" role="group" aria-label="curl: ${name}">${line}</pre>
          </div>`;
      })}
      <p class="hint">A key comes from ${link('/keys', 'Keys')}. Keep it on your server: never in a web page or an app.</p>
    </div>`;
}
