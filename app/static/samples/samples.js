// Names and values in test data.
import { nodeAt, parseDocument } from './json.js';

/** Literals: as strings, false, null and 0 would count as true in a condition. Other numbers can be strings. */
const WORDS = new Map([['true', true], ['false', false], ['null', null], ['0', 0]]);

/** Where a path's value is stored, or would be; a dotted name may be a single top-level key. @param data undefined while it is invalid */
export function placeIn(data, path) {
  const dotted = [path.join('.')];
  return data && !nodeAt(data, path) && nodeAt(data, dotted) ? dotted : path;
}

/** The name of the value at a path, with the names around it: `order.number`. @param path may have 0 for the first row of a list */
export const nameOf = path => path.filter(step => step !== 0).join('.');

/** Converts a field's text to a value; parses JSON arrays, objects and some literals. */
export function typedValue(text) {
  if (/^[[{]/.test(text)) {
    const { node } = parseDocument(`{"value":${text}}`);
    return node?.entries.length === 1 ? JSON.parse(text) : text; // more than one if the text ends the object, as in "[],"a":[]"
  }
  return WORDS.has(text) ? WORDS.get(text) : text;
}

/** Flattens a tree of variables into dotted names: `order`, `order.number`. */
export function usedNames(tree, before = '') {
  return tree.flatMap(({ name, inner }) => [before + name, ...usedNames(inner, before + name + '.')]);
}
