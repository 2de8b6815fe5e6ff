// Finds text in HTML, either exactly or ignoring whitespace and attribute order.

const ATTRIBUTE = String.raw`[^\s=<>/"']+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s<>"']+))?`;
const TAG = new RegExp(String.raw`<([a-zA-Z][^\s<>/]*)((?:\s+${ATTRIBUTE})*)\s*(/?)>`, 'g');

/**
 * The pattern for a text.
 *
 * @param isLoose true to ignore differences in whitespace and attribute order, including whitespace around the text
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

/** Replaces all matches: {text, count}. */
export function replaceMatches(source, pattern, replacement) {
  let count = 0;
  const text = source.replace(pattern, () => {
    count++;
    return replacement;
  });
  return { text, count };
}

/** Matches a tag with its attributes in any order. Each lookahead stops at the next tag, which bounds the work. */
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
