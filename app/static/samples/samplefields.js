// A text's variables as a tree of fields for test data.
import { html, button, count } from '../frame/dom.js';
import { changed, nodeAt } from './json.js';
import { placeButton } from '../frame/problems.js';
import { nameOf, placeIn, typedValue, usedNames } from './samples.js';
import { isTable, sampleTable, showValue } from './sampletable.js';

/** Maximum number of unused names listed. */
const MAX_UNUSED = 30;

/** The findings before the first check, which are not reported as such. */
export const NOT_CHECKED = { variables: [], tree: [], moreVariables: 0 };

/**
 * @param text  returns the document
 * @param node  returns the parsed document; undefined while it is invalid
 * @param write receives the changed document
 * @param goTo  shows a place in the text
 * @return {node, show, select}: `show` receives the server's findings, `select` the names of a variable, as for selectField
 */
export function sampleFields({ text, node: data, write, goTo }) {
  const list = html`<div class="variables"></div>`;
  let found = NOT_CHECKED;
  let rows = [];
  let shape = null;
  /** Index of the place last shown, by variable. */
  const lastPlaces = new Map();
  const placesAt = path => placesOf(found.variables, path, goTo, lastPlaces);

  /** Shows the values. Rows are rebuilt only if the names change, so that a field being edited keeps the focus. */
  function show(findings) {
    found = findings;
    const unused = unusedNames();
    const isEmpty = found !== NOT_CHECKED && found.tree.length + unused.length === 0;
    const next = JSON.stringify([found.tree.map(shapeOf), unused, found.moreVariables, isEmpty]);
    if (next !== shape) {
      shape = next;
      rows = [];
      list.replaceChildren(html`
        ${isEmpty && html`<p class="empty-line">No variables yet. Add a tag such as {{name}} where your app should fill in a value.</p>`}
        ${found.tree.map(variable => branch(variable, [], ''))}
        ${found.moreVariables > 0 && html`<p class="hint">and ${count(found.moreVariables, 'more variable')}</p>`}
        ${unused.slice(0, MAX_UNUSED).map(name => leaf(name, [name], name, true))}
        ${unused.length > MAX_UNUSED && html`<p class="hint">and ${count(unused.length - MAX_UNUSED, 'more name')} not used</p>`}`);
    }
    rows.forEach(row => row(data()));
  }

  /**
   * The fields of a variable and its inner variables.
   *
   * @param path   path of the value around it; in a list, 0 stands for its first row
   * @param before names of the variables around it, as a label
   */
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
      about.textContent = isList ? rowsIn(value) : '';
      places.replaceChildren(...placesAt(here));
    });
    return html`
      <div class="variable">
        <div class="row"><code>${name}${isList ? '[]' : ''}</code>${about}${places}</div>
        <div class="inner">${inner.map(each => branch(each, isList ? [...here, 0] : here, label + '.'))}</div>
      </div>`;
  }

  /** The field of a value. @param label full name, for screen readers @param isUnused true for a name that no tag uses */
  function leaf(name, path, label, isUnused) {
    const places = html`<span class="places"></span>`;
    const input = html`
      <input type="text" autocomplete="off" spellcheck="false" aria-label="Sample value for ${label}" data-variable=${nameOf(path)}
        @input=${() => write(changed(text(), placeIn(data(), path), typedValue(input.value)))}>`;
    rows.push(document => {
      const value = document && nodeAt(document, placeIn(document, path));
      input.disabled = !document;
      places.replaceChildren(...isUnused && found !== NOT_CHECKED ? [html`<span class="hint">not used </span>`, removeButton(name)] : placesAt(path));
      showValue(input, value, text());
    });
    return html`<div class="variable"><div class="row"><code>${name}</code>${places}</div>${input}</div>`;
  }

  function removeButton(name) {
    const remove = () => {
      write(changed(text(), [name], undefined));
      [...list.querySelectorAll('input')].at(-1)?.focus(); // the pressed button is gone
    };
    return button('Remove', remove, { class: 'small quiet', 'aria-label': 'Remove the sample value for ' + name });
  }

  function unusedNames() {
    const used = new Set(usedNames(found.tree));
    return found.moreVariables > 0 ? [] : (data()?.entries ?? []).map(each => each.name).filter(name => !used.has(name));
  }

  return { node: list, show, select: names => selectField(list, names) };
}

/** The variable at a path as its tags name it; in a section, they name it without what is around it, or with `this`. Undefined for none. */
function variableAt(variables, path) {
  const own = path.at(-1);
  return [nameOf(path), own, 'this.' + own].map(name => variables.find(each => each.name === name)).find(each => each);
}

/**
 * An array with the button that leads to the only place of a variable in the text or, at each press, to the next of several; with a hint if no
 * place is known; empty for an unknown variable.
 *
 * @param path       as for nameOf
 * @param lastPlaces index of the place last shown, by variable; changed by a press
 */
function placesOf(variables, path, goTo, lastPlaces) {
  const variable = variableAt(variables, path);
  if (!variable) {
    return [];
  }
  const { name, places, morePlaces } = variable;
  const words = count(places.length + morePlaces, 'place');
  if (places.length === 0) {
    return [html`<span class="hint">${morePlaces > 0 ? words : 'in a shared block'}</span>`];
  }
  if (places.length + morePlaces === 1) {
    return [placeButton(places[0], goTo)];
  }
  const goToNext = () => {
    const next = ((lastPlaces.get(name) ?? -1) + 1) % places.length;
    lastPlaces.set(name, next);
    goTo(places[next]);
  };
  return [button(words, goToNext, { class: 'place', 'aria-label': `${name} is used in ${words}; go to the next occurrence` })];
}

/**
 * Selects the field of a value, else of an enclosing section; does nothing if there is none.
 *
 * @param names name in the tag, then names of the enclosing sections, innermost first
 */
function selectField(list, [own, ...sections]) {
  const fields = [...list.querySelectorAll('input')];
  const fieldOf = name => fields.find(each => each.dataset.variable === name);
  const withOwn = sections.map((_, i) => [...sections.slice(0, sections.length - i).reverse(), own].join('.'));
  const alone = sections.map((_, i) => sections.slice(i).reverse().join('.')); // a.b.c, a.b and a, for the sections c, b and a
  [...withOwn, own, ...alone, ...sections].map(fieldOf).find(each => each)?.select();
}

/** Says how many rows a list has. @param value its node; undefined without one */
function rowsIn(value) {
  if (!value?.items) {
    return 'no rows yet';
  }
  return value.items.length === 1 ? '1 row' : `${value.items.length} rows; the first row is shown below`;
}

const shapeOf = ({ name, isList, inner }) => [name, isList, inner.map(shapeOf)];
