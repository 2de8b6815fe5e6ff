// Names and values in test data.
import { nodeAt, parseDocument } from './json.js';

const WORDS = new Map([['true', true], ['false', false], ['null', null], ['0', 0]]);

/** Where a path's value is stored; a dotted name may be a single top-level key. */
export function placeIn(data, path) {
  return data && !nodeAt(data, path) && nodeAt(data, [path.join('.')]) ? [path.join('.')] : path;
}

/** Converts a field's text to a value; parses JSON arrays, objects and literals. */
export function typedValue(text) {
  if (/^[[{]/.test(text)) {
    const { node } = parseDocument(`{"value":${text}}`);
    return node?.entries.length === 1 ? JSON.parse(text) : text;
  }
  return WORDS.has(text) ? WORDS.get(text) : text;
}

/** Flattens a tree of variables into dotted names: `order`, `order.number`. */
export function usedNames(tree, before = '') {
  return tree.flatMap(({ name, inner }) => [before + name, ...usedNames(inner, before + name + '.')]);
}
