// Names and values of test data.
import { nodeAt, parseDocument } from './json.js';

const WORDS = new Map([['true', true], ['false', false], ['null', null], ['0', 0]]);

/** Where the value of a path is: a name with dots may be one name at the top. */
export function placeIn(data, path) {
  return data && !nodeAt(data, path) && nodeAt(data, [path.join('.')]) ? [path.join('.')] : path;
}

/** The value of a text in a field: an array, object or word of JSON stands for itself. */
export function typedValue(text) {
  if (/^[[{]/.test(text)) {
    const { node } = parseDocument(`{"value":${text}}`);
    return node?.entries.length === 1 ? JSON.parse(text) : text;
  }
  return WORDS.has(text) ? WORDS.get(text) : text;
}

/** The names of a tree of variables, each with those that it is in: `order`, `order.number`. */
export function usedNames(tree, before = '') {
  return tree.flatMap(({ name, inner }) => [before + name, ...usedNames(inner, before + name + '.')]);
}
