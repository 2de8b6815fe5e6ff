// Documentation pages: marks the current page in the list, and searches all pages, which are fetched on the first key press.
const MOST = 20;
const list = document.getElementById('pages');
const found = document.getElementById('found');
const field = list.querySelector('input');
let sections;

const here = location.pathname === '/docs/README' ? '/docs' : location.pathname;
list.querySelector(`a[href="${CSS.escape(here)}"]`)?.setAttribute('aria-current', 'page');

/** Headings of a page, with their URLs and the text below them. */
async function read(link) {
  const page = new DOMParser().parseFromString(await (await fetch(link.href)).text(), 'text/html');
  const parts = [];
  for (const part of page.querySelector('main').children) {
    if (/^H[1-3]$/.test(part.tagName)) {
      const id = part.querySelector('[id]')?.id ?? part.id;
      const title = part.tagName === 'H1' ? link.textContent : `${link.textContent}: ${part.textContent}`;
      parts.push({ title, href: link.href + (part.tagName === 'H1' ? '' : '#' + id), text: '' });
    }
    if (parts.length > 0) {
      parts[parts.length - 1].text += ' ' + part.textContent.toLowerCase();
    }
  }
  return parts;
}

async function search() {
  const links = [...list.querySelectorAll('ul:not(#found) a')];
  sections ??= Promise.all(links.map(read)).then(pages => pages.flat());
  const all = await sections;
  const words = field.value.toLowerCase().split(/\s+/).filter(word => word !== '');
  const inTitle = section => words.every(word => section.title.toLowerCase().includes(word));
  const matching = words.length === 0 ? [] : all.filter(section => words.every(word => section.text.includes(word)));
  matching.sort((one, other) => inTitle(other) - inTitle(one));
  found.replaceChildren(...matching.slice(0, MOST).map(({ title, href }) => {
    const link = document.createElement('a');
    link.href = href;
    link.textContent = title;
    const item = document.createElement('li');
    item.append(link);
    return item;
  }));
  if (words.length > 0 && matching.length === 0) {
    found.textContent = 'No results';
  }
  found.hidden = words.length === 0;
}

field.addEventListener('input', () => search().catch(() => {
  sections = undefined; // retry on the next key press
}));
