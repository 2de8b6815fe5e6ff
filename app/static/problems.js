// The problems of a draft, the worst first. Equal ones are one group with a count.
import { html, button, link, count } from './dom.js';

/** The levels of a problem: there is nothing to publish, the mail will break, it may look wrong. */
const levels = { refused: 'Blocks publishing', error: 'Error', warning: 'Warning' };
/** Places of one variable or problem that are listed, at most. */
export const MAX_PLACES = 8;

/** @param more how many there are beside those listed */
export function problemList(problems, more = 0, goTo = undefined) {
  return problems.length === 0 ? html`<p class="good">No problems found.</p>` : html`
    <ul class="checks">
      ${groupsOf(problems).map(group => groupRow(group, goTo))}
      ${more > 0 && html`<li class="hint">and ${more} more</li>`}
    </ul>`;
}

/** The class of a counter of problems. */
export function problemClass(problems) {
  return problems.some(problem => problem.level !== 'warning') ? 'blocking' : 'warns';
}

/** Problems that say the same, but for the text that they quote: {problems, kind}. */
export function groupsOf(problems) {
  const order = Object.keys(levels);
  const groups = new Map();
  [...problems].sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level)).forEach(problem => {
    const key = problem.level + ' ' + kindOf(problem);
    groups.set(key, [...groups.get(key) ?? [], problem]);
  });
  return [...groups.values()];
}

/** The sentence without the text that it begins with in quotes. */
function kindOf({ sentence }) {
  return sentence.replace(/^"[^]*?"(?= (?:is|looks|gives|has|closes|stands)\b)/, '');
}

/** @param goTo shows a place in the editor; without it the places are only named */
function groupRow(group, goTo) {
  const [{ level, sentence }] = group;
  const number = group.reduce((sum, { lines, sets }) => sum + Math.max(1, lines.length + (sets?.length ?? 0)), 0);
  const isMixed = group.some(problem => problem.sentence !== sentence);
  return html`
    <li class=${problemClass(group)}>
      <span class="kind">${levels[level]}${number > 1 && html` <span class="times">${number} times</span>`}</span>
      <span class="sentence">${capitalized(isMixed ? '“…”' + kindOf(group[0]) : sentence)}</span>
      ${group.map(problem => [
        isMixed && html`<code class="quoted">${quoteOf(problem)}</code>`,
        placesOf(problem, goTo),
      ])}
    </li>`;
}

/** The text that a sentence begins with in quotes. */
function quoteOf(problem) {
  return problem.sentence.slice(1, problem.sentence.length - kindOf(problem).length - 1);
}

function capitalized(sentence) {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1) + (/[.!?]$/.test(sentence) ? '' : '.');
}

/** The lines of a problem, each of them once; of test data the names of the sets; of a block a link to it. */
export function placesOf({ field, block, lines, sets = [] }, goTo) {
  if (block) {
    return link('/blocks/' + block, `block ${block}, line ${lines[0]}`, { class: 'place' });
  }
  const numbers = new Map();
  lines.forEach(line => numbers.set(line, (numbers.get(line) ?? 0) + 1));
  const shown = [...numbers].slice(0, MAX_PLACES);
  const more = numbers.size - shown.length;
  const places = [...sets.map(set => [{ field, set }, 1]), ...shown.map(([line, number]) => [{ field, line }, number])];
  return [
    ...places.map(([place, number]) => goTo ? placeButton(place, goTo, number)
      : html`<span class="place">${placeName(place)}${times(number)}</span>`),
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
