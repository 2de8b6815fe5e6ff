// Finds a text in HTML: exactly, or also where whitespace or the order of attributes differs.

const ATTRIBUTE = String.raw`[^\s=<>/"']+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s<>"']+))?`;
const TAG = new RegExp(String.raw`<([a-zA-Z][^\s<>/]*)((?:\s+${ATTRIBUTE})*)\s*(/?)>`, 'g');

/**
 * The pattern that finds a text.
 *
 * @param isLoose whether whitespace and the order of a tag's attributes may differ; whitespace around the text is then ignored
 */
export function patternOf(text, isLoose) {
  if (!isLoose) {
    return new RegExp(escaped(text), 'g');
  }
  const wanted = text.trim();
  let pattern = '';
  let at = 0;
  for (const tag of wanted.matchAll(TAG)) {
    pattern += spaced(wanted.slice(at, tag.index)) + tagPattern(tag);
    at = tag.index + tag[0].length;
  }
  pattern += spaced(wanted.slice(at));
  return new RegExp(pattern.replaceAll('>\\s+<', '>\\s*<').replaceAll('><', '>\\s*<'), 'g');
}

/** Replaces each match of a pattern by a text: {text, count}. */
export function replaceMatches(source, pattern, replacement) {
  let count = 0;
  const text = source.replace(pattern, () => {
    count++;
    return replacement;
  });
  return { text, count };
}

/** A tag with the same attributes in any order. Each search for an attribute ends at the next tag, so no byte is read often. */
function tagPattern([whole, name, attributes, slash]) {
  const all = attributes.match(new RegExp(ATTRIBUTE, 'g')) ?? [];
  return all.length < 2 ? spaced(whole)
    : `<${escaped(name)}` + all.map(each => `(?=[^<>]*?\\s${spaced(each)}(?=[\\s/>]))`).join('')
      + `(?:\\s+${ATTRIBUTE}){${all.length}}\\s*${slash}>`;
}

function spaced(text) {
  return text.split(/\s+/).map(escaped).join('\\s+');
}

function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
