// Filters and sorts the template list. The choice is in the URL, so Back restores it.
import { html, button, count, debounce } from './dom.js';
import { get } from './server.js';
import { sentence } from './form.js';
import { saveQuery } from './router.js';

const SEARCH_DELAY_MILLIS = 200;
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
  const noMatch = html`
    <div class="row no-match" hidden>
      <p class="hint">No matching templates.</p>
      ${button('Show all', showAll, { class: 'small' })}
    </div>`;
  const save = () => search.isConnected && saveQuery({
    q: search.value.trim(), sort: sort.value === 'name' ? '' : sort.value, state: state.value, tag: tag ? tag.value : '',
  });
  /** Waits while the user types, because browsers limit how often a page may change its URL. Leaving the field saves at once. */
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
      const { templates, unsearched } = await get('/data/search?q=' + encodeURIComponent(search.value), { signal, quiet: true });
      searched = { found: new Map(templates.map(each => [each.id, each])), unsearched };
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
    const [, compare] = orders[sort.value];
    shown = templates.filter(template =>
      (found ? found.has(template.id) : present.every(word => texts.get(template).includes(word)))
        && (!isOfState || isOfState(template)) && (!tag || !tag.value || template.tags.includes(tag.value))).sort(compare);
    noMatch.hidden = shown.length > 0;
    matches.textContent = (shown.length === templates.length ? '' : shown.length.toLocaleString('en') + ' of ')
      + count(templates.length, 'template')
      + (searched?.unsearched > 0 ? `; HTML not searched in ${searched.unsearched.toLocaleString('en')}` : '')
      + (searched?.refused ? '. ' + searched.refused : '');
    onShown(shown);
  }

  if (words().length > 0) {
    askServer();
  }
  return {
    noMatch,
    show,
    shown: () => shown,
    /** Where the words match in a template's HTML: {line, text}, both possibly null; undefined before a search. */
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

/** Shows the matching HTML line. @param found result of `placeOf` */
export function showPlace(node, found) {
  const place = node.querySelector('.found');
  if (place?.dataset.text !== (found?.text ?? undefined)) {
    place?.remove();
    if (found?.text) {
      node.querySelector('th').append(html`
        <span class="found hint" data-text=${found.text}>line ${found.line}: <span class="mono">${found.text}</span></span>`);
    }
  }
}

function select(label, chosen, options, onchange) {
  const node = html`
    <select aria-label=${label} @change=${onchange}>
      ${options.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
    </select>`;
  node.value = options.some(([value]) => value === chosen) ? chosen : options[0][0];
  return node;
}
