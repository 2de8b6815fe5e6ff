// Documentation pages: marks the current page in the list, and searches all pages, which are fetched on the first key press.
import { command, html, link } from './dom.js';

/** Maximum number of results. */
const MAX_RESULTS = 20;
const list = document.getElementById('pages');
const found = document.getElementById('found');
const field = list.querySelector('input');
let sections; // promise of the sections of all pages; undefined until the first key press

const here = location.pathname === '/docs/README' ? '/docs' : location.pathname;
list.querySelector(`a[href="${CSS.escape(here)}"]`)?.setAttribute('aria-current', 'page');

document.querySelectorAll('main :not(pre) > code').forEach(code => code.replaceWith(command(code.textContent)));

/** The sections of a page: {title, href, text}; the text is in lower case, for the search. */
async function sectionsOf(anchor) {
  const page = new DOMParser().parseFromString(await (await fetch(anchor.href)).text(), 'text/html');
  const all = [];
  for (const element of page.querySelector('main').children) {
    if (element.tagName === 'H1') {
      all.push({ title: anchor.textContent, href: anchor.href, text: '' });
    } else if (/^H[23]$/.test(element.tagName)) {
      const id = element.querySelector('[id]')?.id ?? element.id;
      all.push({ title: `${anchor.textContent}: ${element.textContent}`, href: anchor.href + '#' + id, text: '' });
    }
    if (all.length > 0) {
      all.at(-1).text += ' ' + element.textContent.toLowerCase();
    }
  }
  return all;
}

/** Shows the sections that match the search field. */
async function search() {
  const links = [...list.querySelectorAll('ul:not(#found) a')];
  sections ??= Promise.all(links.map(sectionsOf)).then(pages => pages.flat());
  const all = await sections;
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  show(matching(all, words));
  found.hidden = words.length === 0;
}

/** The sections that contain all words; first those whose titles do. */
function matching(all, words) {
  const inTitle = ({ title }) => words.every(word => title.toLowerCase().includes(word));
  return all.filter(({ text }) => words.every(word => text.includes(word))).sort((one, other) => inTitle(other) - inTitle(one));
}

function show(results) {
  found.replaceChildren(...results.length === 0 ? [html`<li>No results</li>`]
    : results.slice(0, MAX_RESULTS).map(({ title, href }) => html`<li>${link(href, title)}</li>`));
}

field.addEventListener('input', () => search().catch(() => {
  sections = undefined; // retry on the next key press
}));
