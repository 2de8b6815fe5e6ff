// A text's variables as a tree of fields for test data.
import { html, button, count } from '../frame/dom.js';
import { changed, nodeAt } from './json.js';
import { placeButton } from '../frame/problems.js';
import { placeIn, typedValue, usedNames } from './samples.js';
import { isTable, sampleTable } from './sampletable.js';

/** Maximum number of unused names listed. */
const MAX_UNUSED = 30;

/**
 * @param text  returns the document
 * @param node  returns the parsed document; undefined while it is invalid
 * @param write receives the changed document
 * @param goTo  shows a place in the text
 */
export function sampleFields({ text, node: data, write, goTo }) {
  const list = html`<div class="variables"></div>`;
  let found = { variables: [], tree: [], moreVariables: 0 };
  let rows = [];
  let shape = null;
  /** Index of the place last shown, by variable. */
  const lastPlaces = new Map();
  const placesAt = path => placesOf(found.variables, path, goTo, lastPlaces);

  /** Shows the values. Rows are rebuilt only if the names change, so that a field being edited keeps the focus. */
  function show(findings) {
    found = findings;
    const unused = unusedNames();
    const next = JSON.stringify([found.tree.map(shapeOf), unused, found.moreVariables]);
    if (next !== shape) {
      shape = next;
      rows = [];
      list.replaceChildren(html`
        ${found.tree.length + unused.length === 0
          && html`<p class="empty-line">No variables yet. Add a tag such as {{name}} where your app should fill in a value.</p>`}
        ${found.tree.map(variable => branch(variable, [], ''))}
        ${found.moreVariables > 0 && html`<p class="hint">and ${count(found.moreVariables, 'more variable')}</p>`}
        ${unused.slice(0, MAX_UNUSED).map(name => leaf(name, [name], name, true))}
        ${unused.length > MAX_UNUSED && html`<p class="hint">and ${count(unused.length - MAX_UNUSED, 'more name')} not used</p>`}`);
    }
    rows.forEach(row => row(data()));
  }

  function branch(variable, path, before) {
    const { name, isList, inner } = variable;
    const here = [...path, name];
    const label = before + name + (isList ? '[]' : '');
    if (isTable(variable)) {
      const rowsOf = sampleTable({ list: variable, path: here, label, text, write,
        places: column => placesAt([...here, 0, column]) });
      rows.push(rowsOf.refresh);
      return rowsOf.node;
    }
    if (inner.length === 0) {
      return leaf(name + (isList ? '[]' : ''), here, label, false);
    }
    const about = html`<span class="hint"></span>`;
    const places = html`<span class="places"></span>`;
    rows.push(document => {
      const value = nodeAt(document, here);
      about.textContent = !isList ? '' : !value?.items ? 'no rows yet' : value.items.length === 1 ? '1 row'
        : `${value.items.length} rows; the first row is shown below`;
      places.replaceChildren(...placesAt(here));
    });
    return html`
      <div class="variable">
        <div class="row"><code>${name}${isList ? '[]' : ''}</code>${about}${places}</div>
        <div class="inner">${inner.map(each => branch(each, isList ? [...here, 0] : here, label + '.'))}</div>
      </div>`;
  }

  function leaf(name, path, label, isUnused) {
    const places = html`<span class="places"></span>`;
    const input = html`
      <input type="text" autocomplete="off" spellcheck="false" aria-label="Sample value for ${label}"
        @input=${() => write(changed(text(), placeIn(data(), path), typedValue(input.value)))}>`;
    rows.push(document => {
      const value = document && nodeAt(document, placeIn(document, path));
      input.disabled = !document;
      input.placeholder = value ? 'empty' : 'sample value';
      places.replaceChildren(...isUnused ? [html`<span class="hint">not used </span>`, removeButton(name)] : placesAt(path));
      if (!input.matches(':focus')) {
        input.value = !value ? '' : value.kind === 'text' ? value.value : text().slice(value.start, value.end);
      }
    });
    return html`<div class="variable"><div class="row"><code>${name}</code>${places}</div>${input}</div>`;
  }

  function removeButton(name) {
    return button('Remove', () => write(changed(text(), [name], undefined)),
      { class: 'small quiet', 'aria-label': 'Remove the sample value for ' + name });
  }

  function unusedNames() {
    const used = new Set(usedNames(found.tree));
    return found.moreVariables > 0 ? [] : (data()?.entries ?? []).map(each => each.name).filter(name => !used.has(name));
  }

  return { node: list, show, select: names => selectField(list, names) };
}

/** A button for the places of a variable in the text; each press goes to the next place. */
function placesOf(variables, path, goTo, lastPlaces) {
  const names = path.filter(step => step !== 0);
  const last = names[names.length - 1];
  const variable = [names.join('.'), last, 'this.' + last].map(name => variables.find(each => each.name === name)).find(each => each);
  if (!variable) {
    return [];
  } else if (variable.places.length === 0) {
    const words = variable.morePlaces > 0 ? count(variable.morePlaces, 'place') : 'in a shared block';
    return [html`<span class="hint">${words}</span>`];
  }
  if (variable.places.length + variable.morePlaces === 1) {
    return [placeButton(variable.places[0], goTo)];
  }
  const words = count(variable.places.length + variable.morePlaces, 'place');
  const goToNext = () => {
    const last = lastPlaces.get(variable.name) ?? -1;
    const next = (last + 1) % variable.places.length;
    lastPlaces.set(variable.name, next);
    goTo(variable.places[next]);
  };
  return [button(words, goToNext, { class: 'place', 'aria-label': `${variable.name} is used in ${words}; go to the next occurrence` })];
}

/**
 * Selects the field of a value or of the enclosing section.
 *
 * @param names name in the tag, then names of the enclosing sections, innermost first
 */
function selectField(list, [own, ...sections]) {
  const fields = [...list.querySelectorAll('input')];
  const at = name => fields.find(each => each.ariaLabel.slice('Sample value for '.length).replaceAll('[]', '') === name);
  const within = sections.map((_, i) => [...sections.slice(0, sections.length - i).reverse(), own].join('.'));
  const outer = sections.map((_, i) => sections.slice(i).reverse().join('.'));
  [...within, own, ...outer, ...sections].map(at).find(each => each)?.select();
}

const shapeOf = ({ name, isList, inner }) => [name, isList, inner.map(shapeOf)];
