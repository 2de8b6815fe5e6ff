// Filters and sorts the template list. The choice is kept in the URL, so Back restores it.
import { html, button, count, debounce, link } from '../frame/dom.js';
import { get } from '../frame/server.js';
import { sentence } from '../frame/form.js';
import { saveQuery } from '../frame/router.js';

const SEARCH_DELAY_MILLIS = 200;
/** Maximum number of shared blocks shown for a search. */
const MAX_BLOCKS = 10;
/** State filters: label and predicate. */
const states = {
  never: ['Never published', template => template.state === 'never'],
  changed: ['Unpublished changes', template => template.state === 'changed'],
  published: ['Published', template => template.state === 'published'],
  ready: ['Review requested', template => template.request !== null],
};
const collator = new Intl.Collator('en', { numeric: true });
const compareNames = (one, other) => collator.compare(one.name, other.name) || (one.id < other.id ? -1 : 1);
const orders = {
  name: ['Name', compareNames],
  updated: ['Last updated', (one, other) =>
    one.updatedAt < other.updatedAt ? 1 : one.updatedAt > other.updatedAt ? -1 : compareNames(one, other)],
};

/**
 * @param templates all templates of the list
 * @param tags      all tags in use
 * @param onShown   receives the matching templates in order
 */
export function listFilter(templates, tags, onShown) {
  const given = new URLSearchParams(location.search);
  /** Text searched in the browser. */
  const texts = new Map(templates.map(template => [template, [template.name, template.id, ...template.tags].join('\n').toLowerCase()]));
  /** All templates in each order chosen so far. Kept because sorting thousands of names takes longer than a keystroke. */
  const sorted = {};
  let shown = [];
  let searched = null; // the server's results for the current words, or null while waiting
  let aborter = new AbortController();

  const search = html`
    <input type="search" id="search" placeholder="Search names, subjects and HTML" aria-keyshortcuts="/" autocomplete="off"
      spellcheck="false" maxlength="200" value=${given.get('q') ?? ''} @input=${onWords} @change=${() => save()}>`;
  const asked = templates.filter(template => template.request).length;
  const state = select('State', given.get('state'), [['', 'All states'],
    ...Object.entries(states).map(([value, [words]]) => [value,
      words + (value === 'ready' && asked > 0 ? ` (${asked})` : '')])], onChange);
  const tag = tags.length > 0 && select('Tag', given.get('tag'), [['', 'All tags'], ...tags.map(each => [each, each])], onChange);
  const sort = select('Sort', given.get('sort') ?? 'name',
    Object.entries(orders).map(([value, [words]]) => [value, words]), onChange);
  const matches = html`<p class="hint matches" role="status"></p>`;
  const inBlocks = html`<ul class="plain hint in-blocks" aria-label="Shared blocks found"></ul>`;
  const noMatch = html`
    <div class="row no-match" hidden>
      <p class="hint">No matching templates.</p>
      ${button('Show all', showAll, { class: 'small' })}
    </div>`;
  const save = () => search.isConnected && saveQuery({
    q: search.value.trim(), sort: sort.value === 'name' ? '' : sort.value, state: state.value, tag: tag ? tag.value : '',
  });
  /** Waits while the user types, because browsers limit how often a page may change its URL. Leaving the field saves immediately. */
  const saveSoon = debounce(SEARCH_DELAY_MILLIS, save);
  const ask = debounce(SEARCH_DELAY_MILLIS, askServer);

  function onWords() {
    searched = null;
    aborter.abort();
    ask();
    saveSoon();
    show();
  }

  function onChange() {
    save();
    show();
  }

  function showAll() {
    [search, state, tag].filter(Boolean).forEach(each => { each.value = ''; });
    onWords();
    save();
    search.focus();
  }

  const words = () => search.value.toLowerCase().split(/\s+/).filter(Boolean);

  async function askServer() {
    aborter = new AbortController();
    const { signal } = aborter;
    if (words().length === 0) {
      return;
    }
    try {
      const answer = await get('/data/search?q=' + encodeURIComponent(search.value), { signal, quiet: true });
      const all = [...answer.templates, ...answer.live.map(each => ({ ...each, isLive: true }))];
      searched = { found: new Map(all.map(each => [each.id, each])), blocks: answer.blocks, unsearched: answer.unsearched };
    } catch (failure) {
      if (failure.name === 'AbortError') {
        return;
      }
      searched = { refused: sentence(failure) };
    }
    show();
  }

  function show() {
    const present = words();
    const found = searched?.found;
    const [, isOfState] = states[state.value] ?? [];
    sorted[sort.value] ??= [...templates].sort(orders[sort.value][1]);
    shown = sorted[sort.value].filter(template =>
      (found ? found.has(template.id) : present.every(word => texts.get(template).includes(word)))
        && (!isOfState || isOfState(template)) && (!tag || !tag.value || template.tags.includes(tag.value)));
    noMatch.hidden = shown.length > 0;
    matches.textContent = (shown.length === templates.length ? '' : shown.length.toLocaleString('en') + ' of ')
      + count(templates.length, 'template')
      + (searched?.unsearched > 0 ? `; HTML not searched in ${searched.unsearched.toLocaleString('en')}` : '')
      + (searched?.refused ? '. ' + searched.refused : '');
    inBlocks.replaceChildren(...blocksFound(searched?.blocks ?? []));
    onShown(shown);
  }

  if (words().length > 0) {
    askServer();
  }
  return {
    noMatch,
    show,
    shown: () => shown,
    /** Where the words match: {line, text, isLive}; without a line if they are not in the HTML. Undefined before a search. */
    placeOf: template => searched?.found?.get(template.id),
    toolbar: html`
      <div class="toolbar">
        <div class="search">
          <label for="search" class="visually-hidden">Search templates</label>
          ${search}
          <kbd aria-hidden="true">/</kbd>
        </div>
        <div class="row">${state}${tag}${sort}</div>
        ${matches}
        ${inBlocks}
      </div>`,
    byTag(name) {
      tag.value = tag.value === name ? '' : name;
      onChange();
    },
    onKey(event) {
      if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.target.closest?.('input, textarea, select, dialog')) {
        event.preventDefault();
        search.focus();
      }
    },
  };
}

const placeWords = ({ line, text, isLive }) => [isLive && 'live version', line && 'line ' + line].filter(Boolean).join(', ') + (text ? ': ' : '');

/** Shows where a template matches. @param found result of `placeOf` */
export function showPlace(node, found) {
  const shown = node.querySelector('.found');
  const words = found ? placeWords(found) : '';
  const all = words + (found?.text ?? '');
  if ((shown?.dataset.place ?? '') !== all) {
    shown?.remove();
    if (all !== '') {
      node.querySelector('th').append(html`
        <span class="found hint" data-place=${all}>${words}<span class="mono">${found.text ?? ''}</span></span>`);
    }
  }
}

/** The shared blocks that match, as list items. */
function blocksFound(blocks) {
  const items = blocks.slice(0, MAX_BLOCKS).map(each => html`
    <li>${link('/blocks/' + each.id, each.id, { class: 'mono' })}, shared block${each.line && ', '}${placeWords(each)}<span class="mono">${each.text ?? ''}</span></li>`);
  const more = blocks.length - items.length;
  return more > 0 ? [...items, html`<li>and ${count(more, 'more shared block')}</li>`] : items;
}

function select(label, chosen, options, onchange) {
  const node = html`
    <select aria-label=${label} @change=${onchange}>
      ${options.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
    </select>`;
  node.value = options.some(([value]) => value === chosen) ? chosen : options[0][0];
  return node;
}
