// Example values guessed from variable names, and documents made from them.
import { changed, nodeAt, parseDocument } from './json.js';
import { placeIn } from './samples.js';

/** The first pattern that matches the name determines the kind of value. */
const GUESSES = [
  [/e-?mail/, 'ada@example.com'],
  [/(image|img|photo|avatar|logo|picture|icon)/, 'https://example.com/image.png'],
  [/(url|uri|link|href|website)/, 'https://example.com/'],
  [/card.*(brand|type)/, 'Visa'],
  [/last_?(four|4|digits)/, '4242'],
  [/(description|product|item|article)/, 'Earl Grey tea, 250 g'],
  [/(company|brand|shop|store|organi[sz]ation|team)/, 'Example Ltd'],
  [/first_?name|firstname/, 'Ada'],
  [/last_?name|surname|family/, 'Lovelace'],
  [/(user|full|customer|recipient|sender)_?name|^name$/, 'Ada Lovelace'],
  [/(price|amount|total|sum|cost|fee|balance|tax|discount)/, '€ 24.00'],
  [/(quantity|qty|count|number_of)/, 3],
  [/(year)/, '2026'],
  [/(date|day|birthday|due|expires)/, '31 January 2026'],
  [/(time|hour)/, '9:00'],
  [/(phone|mobile|fax)/, '+44 20 7946 0018'],
  [/(street|address)/, '12 Harbour Street'],
  [/(city|town)/, 'London'],
  [/(zip|postcode|postal)/, 'SW1A 1AA'],
  [/(country)/, 'United Kingdom'],
  [/(code|token|pin|otp)/, '481 207'],
  [/(^|_)(id|number|no)$/, '1042'],
  [/^(is|has|show|can|should)_/, true],
];
/** Number of example rows per list. */
const ROWS = 2;

/** An example for a variable: a value guessed from its name or, with inner variables, an object; rows of them for a list. */
function example({ name, isList, inner }) {
  const value = () => inner.length === 0 ? guess(name) : Object.fromEntries(inner.map(each => [each.name, example(each)]));
  return isList ? Array.from({ length: ROWS }, value) : value();
}

/** The value that fits a name; its words if none does. */
function guess(name) {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[\s-]+/g, '_').toLowerCase();
  const found = GUESSES.find(([pattern]) => pattern.test(words));
  return found ? found[1] : words.replaceAll('_', ' ').replace(/^./, first => first.toUpperCase());
}

/** Adds an example for each variable that the document lacks. @param text a valid document */
export function completed(text, tree) {
  return completedAt(text, [], tree);
}

/** Adds an example for each of these variables that is missing in the object at a path. */
function completedAt(text, path, variables) {
  return variables.reduce((document, variable) => withExample(document, path, variable), text);
}

/** Adds an example for a variable, or for what is missing in its value. */
function withExample(text, path, variable) {
  const { node } = parseDocument(text);
  const here = [...path, variable.name];
  const place = placeIn(node, here);
  const there = nodeAt(node, place);
  if (!there || there.kind === 'null' || variable.isList && there.items?.length === 0) {
    return changed(text, place, example(variable));
  }
  if (variable.isList) {
    const objects = (there.items ?? []).flatMap((item, i) => item.kind === 'object' ? [i] : []);
    return objects.reduce((document, i) => completedAt(document, [...here, i], variable.inner), text);
  }
  return there.kind === 'object' ? completedAt(text, here, variable.inner) : text;
}
