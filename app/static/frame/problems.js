// Problems of a draft, most severe first. Similar problems form a group with a count.
import { html, button, link, count } from './dom.js';
import { punctuated } from './form.js';

/** Labels of the levels, as in Problems.java: the draft cannot be published, the email would be broken, the email may look wrong. */
const levels = { refused: 'Blocks publishing', error: 'Error', warning: 'Warning' };
/** Maximum number of places listed per problem. */
const MAX_PLACES = 8;

/**
 * The problems in groups.
 *
 * @param more number of problems not listed
 * @param goTo see {@link groupRow}
 */
export function problemList(problems, more = 0, goTo = undefined) {
  return problems.length === 0 ? html`<p class="good">No problems found.</p>` : html`
    <ul class="checks">
      ${groupsOf(problems).map(group => groupRow(group, goTo))}
      ${more > 0 && html`<li class="hint">and ${more} more</li>`}
    </ul>`;
}

/** Position of a problem's level; the most severe is 0. */
export function severity({ level }) {
  return Object.keys(levels).indexOf(level);
}

/** Class of a group of problems and of their counter. */
export function problemClass(problems) {
  return problems.some(problem => problem.level !== 'warning') ? 'blocking' : 'warns';
}

/** Groups problems of one level that differ only in the text they quote: a list of lists, the most severe first. */
export function groupsOf(problems) {
  const groups = new Map();
  [...problems].sort((one, other) => severity(one) - severity(other)).forEach(problem => {
    const key = problem.level + ' ' + withoutQuote(problem);
    groups.set(key, [...groups.get(key) ?? [], problem]);
  });
  return [...groups.values()];
}

/** The sentence of a problem without the text that it quotes at its beginning, if any. */
function withoutQuote({ sentence, quote = '' }) {
  return sentence.slice(quote.length);
}

/** @param goTo shows a place in the editor; without it, places are plain text */
function groupRow(group, goTo) {
  const [{ level, sentence }] = group;
  const number = group.reduce((sum, { lines, sets }) => sum + Math.max(1, lines.length + (sets?.length ?? 0)), 0);
  const isMixed = group.some(problem => problem.sentence !== sentence);
  return html`
    <li class=${problemClass(group)}>
      <span class="kind">${levels[level]}${number > 1 && html` <span class="times">${number} times</span>`}</span>
      <span class="sentence">${asSentence(isMixed ? '“…”' + withoutQuote(group[0]) : sentence)}</span>
      ${group.map(problem => [
        isMixed && html`<code class="quoted">${withoutMarks(problem.quote)}</code>`,
        placesOf(problem, goTo),
      ])}
    </li>`;
}

const withoutMarks = quote => quote.slice(1, -1);

/** Adds a capital letter and a full stop. */
function asSentence(text) {
  return punctuated(text.charAt(0).toUpperCase() + text.slice(1));
}

/**
 * A problem's places: distinct lines, test data sets, or a shared block.
 *
 * @param goTo shows a place in the editor; without it, places other than a block are plain text
 */
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

/**
 * Invalid test data sets, and names missing from the others, as problems; sets with the same problem share it.
 *
 * @param sets as reported by the server
 */
export function setProblems(sets) {
  const problems = new Map();
  sets.forEach(({ name, missing, moreMissing, error }) => {
    const sentence = error ? `invalid test data: ${error}`
      : `no test data for ${[...missing, ...moreMissing > 0 ? [`${moreMissing} more`] : []].join(', ')}`;
    if (!problems.has(sentence)) {
      problems.set(sentence, { level: 'warning', field: 'samples', sentence, lines: [], sets: [] });
    }
    problems.get(sentence).sets.push(name);
  });
  return [...problems.values()];
}

function placeName({ set, field, line }) {
  if (set) {
    return 'test data ' + set;
  }
  return field === 'subject' ? 'subject' : 'line ' + line;
}

const times = number => number > 1 ? ` ×${number}` : '';

/** A button that shows a place in the editor. @param number occurrences at that place */
export function placeButton(place, goTo, number = 1) {
  const text = placeName(place) + times(number);
  return button(text, () => goTo(place), { class: 'place', 'aria-label': 'Go to ' + text });
}
