// What stands in the tabs beside the editor: variables, blocks, checks, and how to fetch the template.
import { element, button, link, count, copyButton } from './dom.js';
import { account } from './session.js';

/** What a problem means, the worst first: there is nothing to publish, the mail will break, it may look wrong. */
const levels = { refused: 'Blocks publishing', error: 'Error', warning: 'Warning' };

/** Problems, the worst first; a click goes to the place. */
export function checksPanel(toPlace) {
  const node = element('div', {});
  return { node, show: (problems, more) => node.replaceChildren(problemList(problems, more, toPlace)) };
}

/** @param more how many there are beside those listed */
export function problemList(problems, more = 0, toPlace = undefined) {
  const order = Object.keys(levels);
  const sorted = [...problems].sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level));
  return problems.length === 0
    ? element('p', { class: 'good' }, 'Nothing to complain about.')
    : element('ul', { class: 'checks' }, sorted.map(problem => problemRow(problem, toPlace)),
      more > 0 ? element('li', { class: 'hint' }, `and ${more} more`) : null);
}

/** How the number of problems is marked. */
export function problemMark(problems) {
  return problems.some(problem => problem.level !== 'warning') ? 'blocking' : 'warns';
}

/** @param toPlace goes to a line; without it the place is words only */
export function problemRow(problem, toPlace) {
  const place = problem.block ? `block ${problem.block}, line ${problem.line}`
    : problem.field === 'subject' ? 'subject' : 'line ' + problem.line;
  return element('li', { class: problemMark([problem]) },
    element('span', { class: 'kind' }, levels[problem.level]),
    element('span', { class: 'sentence' }, capital(problem.sentence)),
    problem.block ? link('/blocks/' + problem.block, place, { class: 'place' })
      : toPlace ? button(place, () => toPlace(problem), { class: 'place', 'aria-label': 'Go to ' + place })
        : element('span', { class: 'place' }, place));
}

function capital(sentence) {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1) + (/[.!?]$/.test(sentence) ? '' : '.');
}

/** The names the caller fills in, each with its places and a value to preview it with. */
export function variablesPanel({ toPlace, sampled, kept = true }) {
  const list = element('div', { class: 'variables' });
  const node = element('div', {}, element('p', { class: 'hint' }, 'What your server fills in. Sample values are for the preview'
    + (kept ? ', and are saved with the draft' : '') + '; for a section, write JSON: ', element('code', {}, '[{"name": "Tea"}]')), list);
  const rows = new Map();
  let order = '';

  /** @param more how many variables there are beside those listed */
  function show(variables, samples, more) {
    const used = new Set(variables.map(variable => variable.name));
    const left = more > 0 ? [] : Object.keys(samples).filter(name => !used.has(name));
    for (const { name, places, morePlaces } of variables) {
      placed(name, places, true, morePlaces);
    }
    left.forEach(name => placed(name, [], false, 0));
    for (const [name, { input }] of rows) {
      if (input !== document.activeElement) {
        input.value = samples[name] ?? '';
      }
    }
    // Rows are moved only when the names change, so that the focus stays where one types.
    const names = [...variables.map(variable => variable.name), ...left];
    const shown = [...names, more].join('\0');
    if (shown !== order || list.firstChild === null) {
      order = shown;
      list.replaceChildren(...names.length
        ? [...names.map(name => row(name).node), more > 0 ? element('p', { class: 'hint' }, `and ${count(more, 'more variable')}`) : '']
        : [element('p', { class: 'empty-line' }, 'No variables: write {{name}} where your server fills something in.')]);
    }
  }

  function row(name) {
    if (!rows.has(name)) {
      const id = 'sample-' + rows.size;
      const input = element('input', { id, type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: 'sample value',
        'aria-label': 'Sample value of ' + name, oninput: () => sampled(name, input.value) });
      const places = element('span', { class: 'places' });
      rows.set(name, { input, places, node: element('div', { class: 'variable' },
        element('div', { class: 'row' }, element('code', {}, name), places), input) });
    }
    return rows.get(name);
  }

  function placed(name, places, used, more) {
    const { places: at, input } = row(name);
    const others = more + Math.max(0, places.length - 8);
    at.replaceChildren(...places.length === 0 && more > 0 ? [element('span', { class: 'hint' }, count(more, 'place'))]
      : places.length === 0 && used ? [element('span', { class: 'hint' }, 'in a shared block')]
      : places.length === 0 ? [element('span', { class: 'hint' }, 'not used '), button('Remove', () => { input.value = ''; sampled(name, ''); },
        { class: 'small quiet', 'aria-label': 'Remove the sample of ' + name })]
      : places.slice(0, 8).map(place => {
        const words = place.field === 'subject' ? 'subject' : 'line ' + place.line;
        return button(words, () => toPlace(place), { class: 'place', 'aria-label': 'Go to ' + words });
      }), others > 0 ? ` and ${others} more` : '');
  }

  return { node, show };
}

/** The shared blocks a draft takes in. */
export function blocksPanel(toLine) {
  const list = element('div', {});
  const node = element('div', {}, element('p', { class: 'hint' }, 'A shared block is written ', element('code', {}, '{{> footer}}'),
    ' and taken in when you publish. ', link('/blocks', 'All shared blocks')), list);
  function show(blocks, stale) {
    list.replaceChildren(blocks.length === 0
      ? element('p', { class: 'empty-line' }, 'No shared blocks in this draft.')
      : element('ul', { class: 'plain' }, blocks.map(block => element('li', { class: 'row' },
        block.exists ? link('/blocks/' + block.name, block.name, { class: 'mono' })
          : element('span', {}, element('code', {}, block.name), ' ', element('span', { class: 'badge bad' }, 'does not exist')),
        block.line ? button('line ' + block.line, () => toLine(block.line), { class: 'place', 'aria-label': 'Go to line ' + block.line }) : null,
        stale.includes(block.name) ? element('span', { class: 'badge' }, 'older one is live') : null))));
  }
  return { node, show };
}

/** How to fetch it. */
export function apiPanel(id) {
  const base = account.baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '') + '/api/v1';
  const rows = [['As JSON', ''], ['The HTML alone', '?format=html'], ['The variables alone', '?format=variables']];
  return element('div', {},
    element('p', { class: 'row' }, 'Id ', element('code', {}, id), copyButton(id, 'the id')),
    rows.map(([name, query]) => {
      const line = `curl -H "Authorization: Bearer YOUR_API_KEY" "${base}/templates/${id}${query}"`;
      return element('div', { class: 'curl' },
        element('div', { class: 'row' }, element('h3', {}, name), copyButton(line, 'curl: ' + name)),
        element('pre', { tabindex: '0', role: 'group', 'aria-label': 'curl: ' + name }, line));
    }),
    element('p', { class: 'hint' }, 'A key comes from ', link('/keys', 'Keys'), '. Keep it on your server: never in a web page or an app.'));
}
