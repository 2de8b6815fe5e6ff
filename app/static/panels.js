// The tabs beside the editor: variables, blocks, checks, and the requests that fetch the template.
import { html, button, link, count, copyButton } from './dom.js';
import { account } from './session.js';

/** The levels of a problem, the worst first: there is nothing to publish, the mail will break, it may look wrong. */
const levels = { refused: 'Blocks publishing', error: 'Error', warning: 'Warning' };
/** Places of one variable or problem that are listed, at most. */
const MAX_PLACES = 8;

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

/** The lines of a problem, each of them once. */
function linesOf({ field, lines }, goTo) {
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

const placeName = place => place.field === 'subject' ? 'subject' : 'line ' + place.line;

function placeButton(place, goTo) {
  return button(placeName(place), () => goTo(place), { class: 'place', 'aria-label': 'Go to ' + placeName(place) });
}

/**
 * The names that the caller fills in, each with its places and a value for the preview.
 *
 * @param onSample gets the name and the value that was typed
 * @param isSaved  whether the values are saved with the text
 */
export function variablesPanel({ goTo, onSample, isSaved }) {
  const list = html`<div class="variables"></div>`;
  const node = html`
    <div>
      <p class="hint">
        What your server fills in. Sample values are for the preview${isSaved ? ', and are saved with the draft' : ''};
        for a section, write JSON: <code>[{"name": "Tea"}]</code>
      </p>
      ${list}
    </div>`;
  const rows = new Map();
  let shown = null;

  /** @param more how many variables there are beside those listed */
  function show(variables, samples, more) {
    const used = new Set(variables.map(variable => variable.name));
    const unused = more > 0 ? [] : Object.keys(samples).filter(name => !used.has(name));
    variables.forEach(variable => {
      const row = rowOf(variable.name);
      row.places.replaceChildren(...places(variable));
      row.tree.textContent = variable.tree ?? '';
      row.tree.hidden = !variable.tree;
    });
    unused.forEach(name => {
      rowOf(name).places.replaceChildren(html`<span class="hint">not used </span>`, removeButton(name));
      rowOf(name).tree.hidden = true;
    });
    for (const [name, { input }] of rows) {
      if (input !== document.activeElement) {
        input.value = samples[name] ?? '';
      }
    }
    // Rows are moved only when the names change, so that the focus stays where one types.
    const names = [...used, ...unused];
    const next = [...names, more].join('\0');
    if (next !== shown) {
      shown = next;
      list.replaceChildren(names.length === 0
        ? html`<p class="empty-line">No variables: write {{name}} where your server fills something in.</p>`
        : html`
          ${names.map(name => rowOf(name).node)}
          ${more > 0 && html`<p class="hint">and ${count(more, 'more variable')}</p>`}`);
    }
  }

  function rowOf(name) {
    if (!rows.has(name)) {
      const places = html`<span class="places"></span>`;
      const input = html`
        <input id="sample-${rows.size}" type="text" autocomplete="off" spellcheck="false" placeholder="sample value"
          aria-label="Sample value of ${name}" @input=${() => onSample(name, input.value)}>`;
      const tree = html`<p class="hint mono" hidden></p>`;
      const node = html`<div class="variable"><div class="row"><code>${name}</code>${places}</div>${tree}${input}</div>`;
      rows.set(name, { input, places, tree, node });
    }
    return rows.get(name);
  }

  function places({ places, morePlaces }) {
    if (places.length === 0) {
      return [html`<span class="hint">${morePlaces > 0 ? count(morePlaces, 'place') : 'in a shared block'}</span>`];
    }
    const more = morePlaces + Math.max(0, places.length - MAX_PLACES);
    return [...places.slice(0, MAX_PLACES).map(place => placeButton(place, goTo)), more > 0 ? ` and ${more} more` : ''];
  }

  function removeButton(name) {
    return button('Remove', () => {
      rowOf(name).input.value = '';
      onSample(name, '');
    }, { class: 'small quiet', 'aria-label': 'Remove the sample of ' + name });
  }

  /** Leads to the sample of the first of some names that has one. */
  function goToSample(names) {
    const found = names.flatMap(name => [name, name.split('.')[0]]).map(name => rows.get(name)).find(row => row?.node.isConnected);
    (found ?? [...rows.values()][0])?.input.select();
  }

  return { node, show, goToSample };
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
