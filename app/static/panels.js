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
  return problems.length === 0 ? html`<p class="good">No problems found.</p>` : html`
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

/** The lines of a problem, each of them once; of test data the names of the sets. */
function linesOf({ field, lines, sets = [] }, goTo) {
  const numbers = new Map();
  lines.forEach(line => numbers.set(line, (numbers.get(line) ?? 0) + 1));
  const shown = [...numbers].slice(0, MAX_PLACES);
  const more = numbers.size - shown.length;
  return [
    ...sets.map(set => goTo ? placeButton({ field, set }, goTo) : html`<span class="place">${placeName({ set })}</span>`),
    ...shown.map(([line, number]) => goTo ? placeButton({ field, line }, goTo, number)
      : html`<span class="place">${placeName({ field, line })}${times(number)}</span>`),
    more > 0 && html`<span class="hint">and ${count(more, 'more line')}</span>`];
}

/** Names that sets of test data lack, as problems: those that lack the same are one. @param sets as the server reports them */
export function setProblems(sets) {
  const problems = new Map();
  sets.forEach(({ name, missing, moreMissing, error }) => {
    const sentence = error ? `the test data cannot be used: ${error}`
      : `the test data has no value for ${[...missing, ...moreMissing > 0 ? [`${moreMissing} more`] : []].join(', ')}`;
    if (!problems.has(sentence)) {
      problems.set(sentence, { level: 'warning', field: 'samples', sentence, lines: [], sets: [] });
    }
    problems.get(sentence).sets.push(name);
  });
  return [...problems.values()];
}

const placeName = place => place.set ? 'test data ' + place.set : place.field === 'subject' ? 'subject' : 'line ' + place.line;

const times = number => number > 1 ? ` ×${number}` : '';

/** @param number times that the problem is at the place */
export function placeButton(place, goTo, number = 1) {
  return button(placeName(place) + times(number), () => goTo(place),
    { class: 'place', 'aria-label': `Go to ${placeName(place)}${number > 1 ? `, ${number} times` : ''}` });
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

/** A command that fetches a template. */
export function curlLine(id, query, key = 'YOUR_API_KEY') {
  const base = account.baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '') + '/api/v1';
  return `curl -H "Authorization: Bearer ${key}" "${base}/templates/${id}${query}"`;
}

/** The requests that fetch a template. */
export function apiPanel(id) {
  const rows = [['As JSON', ''], ['The HTML alone', '?format=html'], ['The variables alone', '?format=variables']];
  return html`
    <div>
      <p class="row">Id <code>${id}</code>${copyButton(id, 'the id')}</p>
      ${rows.map(([name, query]) => {
        const line = curlLine(id, query);
        return html`
          <div class="curl">
            <div class="row"><h3>${name}</h3>${copyButton(line, 'curl: ' + name)}</div>
            <pre tabindex="0" role="group" aria-label="curl: ${name}">${line}</pre>
          </div>`;
      })}
      <p class="hint">A key comes from ${link('/keys', 'Keys')}. Keep it on your server: never in a web page or an app.</p>
    </div>`;
}
