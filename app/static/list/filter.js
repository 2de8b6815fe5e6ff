// Filters and sorts the template list. The choice is kept in the URL, so Back restores it.
import { html, button, count, debounce, link } from '../frame/dom.js';
import { get } from '../frame/server.js';
import { sentence } from '../frame/form.js';
import { saveQuery } from '../frame/router.js';

const SEARCH_DELAY_MILLIS = 200;
/** Maximum number of shared blocks shown for a search. */
const MAX_BLOCKS = 10;
/** State filters: label and predicate. */
const STATES = {
  never: ['Never published', template => template.state === 'never'],
  changed: ['Unpublished changes', template => template.state === 'changed'],
  published: ['Published', template => template.state === 'published'],
  ready: ['Review requested', template => template.request !== null],
};
const collator = new Intl.Collator('en', { numeric: true });
const compareNames = (one, other) => collator.compare(one.name, other.name) || (one.id < other.id ? -1 : 1);
/** Orders: label and comparison. */
const ORDERS = {
  name: ['Name', compareNames],
  updated: ['Last updated', (one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt) || compareNames(one, other)],
};

/**
 * The search field and the filters above the list.
 *
 * @param templates all templates of the list
 * @param tags      all tags in use
 * @param onShown   receives the matching templates in order
 * @return {noMatch, show, shown, placeOf, toolbar, byTag, onKey}; `toolbar` and `noMatch` are elements, `shown()` returns the
 *         matching templates
 */
export function listFilter(templates, tags, onShown) {
  const given = new URLSearchParams(location.search);
  /** Text searched in the browser. */
  const texts = new Map(templates.map(template => [template, [template.name, template.id, ...template.tags].join('\n').toLowerCase()]));
  /** All templates in each order chosen so far. Kept because sorting thousands of names takes longer than a keystroke. */
  const sorted = {};
  let shown = [];
  /** The server's results for the current words: {found, blocks, unsearched, error}, or null while waiting. */
  let searched = null;
  let aborter = new AbortController();

  const search = html`
    <input type="search" id="search" placeholder="Search names, subjects and HTML" aria-keyshortcuts="/" autocomplete="off"
      spellcheck="false" maxlength="200" value=${given.get('q') ?? ''} @input=${onWords} @change=${() => save()}>`;
  const requested = templates.filter(template => template.request).length;
  const state = select('State', given.get('state'), [['', 'All states'],
    ...Object.entries(STATES).map(([value, [label]]) => [value,
      label + (value === 'ready' && requested > 0 ? ` (${requested})` : '')])], onChange);
  const tag = tags.length > 0 && select('Tag', given.get('tag'), [['', 'All tags'], ...tags.map(each => [each, each])], onChange);
  const sort = select('Sort', given.get('sort') ?? 'name',
    Object.entries(ORDERS).map(([value, [label]]) => [value, label]), onChange);
  const matches = html`<p class="hint matches" role="status"></p>`;
  const inBlocks = html`<ul class="plain hint in-blocks" aria-label="Shared blocks found"></ul>`;
  const noMatch = html`
    <div class="row no-match" hidden>
      <p class="hint">No matching templates.</p>
      ${button('Show all', showAll, { class: 'small' })}
    </div>`;
  const { pathname } = location;
  /** Keeps the choice in the URL, unless the user has left the list or the next page is loading. */
  const save = () => search.isConnected && location.pathname === pathname && saveQuery({
    q: search.value.trim(), sort: sort.value === 'name' ? '' : sort.value, state: state.value, tag: tag ? tag.value : '',
  });
  /** Waits while the user types, because browsers limit how often a page may change its URL. Leaving the field saves immediately. */
  const saveSoon = debounce(SEARCH_DELAY_MILLIS, save);
  const askSoon = debounce(SEARCH_DELAY_MILLIS, ask);

  function onWords() {
    searched = null;
    aborter.abort();
    askSoon();
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

  /** Has the server search the words in subjects, HTML and shared blocks, and shows what it found; a failure is shown too. */
  async function ask() {
    aborter = new AbortController();
    const { signal } = aborter;
    if (words().length === 0) {
      return;
    }
    try {
      const results = await get('/data/search?q=' + encodeURIComponent(search.value), { signal, quiet: true });
      const all = [...results.templates, ...results.live.map(each => ({ ...each, isLive: true }))];
      searched = { found: new Map(all.map(each => [each.id, each])), blocks: results.blocks, unsearched: results.unsearched, error: '' };
    } catch (failure) {
      if (failure.name === 'AbortError') {
        return;
      }
      searched = { found: null, blocks: [], unsearched: 0, error: sentence(failure) };
    }
    show();
  }

  /** The test whether a template matches the words; until the server has answered, by its name, ID and tags. */
  function wordTest() {
    const present = words();
    const found = searched?.found;
    return found ? template => found.has(template.id) : template => present.every(word => texts.get(template).includes(word));
  }

  function show() {
    const isFound = wordTest();
    const [, isOfState = () => true] = STATES[state.value] ?? [];
    const isTagged = template => !tag || tag.value === '' || template.tags.includes(tag.value);
    sorted[sort.value] ??= [...templates].sort(ORDERS[sort.value][1]);
    shown = sorted[sort.value].filter(template => isFound(template) && isOfState(template) && isTagged(template));
    noMatch.hidden = shown.length > 0;
    matches.textContent = (shown.length === templates.length ? '' : shown.length.toLocaleString('en') + ' of ')
      + count(templates.length, 'template')
      + (searched?.unsearched > 0 ? `; HTML not searched in ${searched.unsearched.toLocaleString('en')}` : '')
      + (searched?.error ? '. ' + searched.error : '');
    inBlocks.replaceChildren(...blocksFound(searched?.blocks ?? []));
    onShown(shown);
  }

  if (words().length > 0) {
    ask();
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
    /** Shows the templates with a tag, or all if these are shown already. */
    byTag(name) {
      tag.value = tag.value === name ? '' : name;
      onChange();
    },
    /** For key presses anywhere on the page: a slash moves the focus to the search field. */
    onKey(event) {
      if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.target.closest?.('input, textarea, select, dialog')) {
        event.preventDefault();
        search.focus();
      }
    },
  };
}

/** "live version, line 2: ", before the text of a place. */
function placeWords({ line, text, isLive }) {
  return [isLive && 'live version', line && 'line ' + line].filter(Boolean).join(', ') + (text ? ': ' : '');
}

/** Shows in a row where its template matches; what it shows already stays, because all rows are updated at each key. @param found result of `placeOf` */
export function showPlace(row, found) {
  const shown = row.querySelector('.found');
  const words = found ? placeWords(found) : '';
  const place = words + (found?.text ?? '');
  if ((shown?.dataset.place ?? '') === place) {
    return;
  }
  shown?.remove();
  if (place !== '') {
    row.querySelector('th').append(html`
      <span class="found hint" data-place=${place}>${words}<span class="mono">${found.text ?? ''}</span></span>`);
  }
}

/** The shared blocks that match, as list items. */
function blocksFound(blocks) {
  const items = blocks.slice(0, MAX_BLOCKS).map(each => html`
    <li>
      ${link('/blocks/' + each.id, each.id, { class: 'mono' })}, shared block${each.line && ', '}${placeWords(each)}
      <span class="mono">${each.text ?? ''}</span>
    </li>`);
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
