// Three-way merge by lines: two texts and their common base.

/** Texts with more changed lines are not merged, because merging takes quadratic time. */
const MAX_CHANGED_LINES = 1000;

/** Begins of elements that are compared on their own if two users changed one line. */
const PIECES = /(?=<(?:p|h[1-6]|li|tr|td|th|div|table|ul|ol|section|hr|br)\b)/i;

/**
 * Splits the texts at each change from the base. Changes conflict only if they touch: two users may change adjacent lines, or
 * different elements of one line. If one side changed the line ends of its text, all texts are compared with these.
 *
 * @param Diff jsdiff
 * @return parts in order: {kind, line, base, mine, theirs}; each side is an array of lines with line endings. `line` is the
 *         first line in the base, from 1. The kind is 'same', 'mine' or 'theirs' (changed on one side), 'both' (same change on
 *         both sides) or 'conflict'. Null if one side added and removed more than 1,000 lines.
 */
export function merge(Diff, base, mine, theirs) {
  const parts = mergedPieces(Diff, ...withLineEnds(base, mine, theirs).map(linesOf));
  return parts && parts.flatMap(part => part.kind !== 'conflict' ? [part] : finer(Diff, part));
}

/** A conflict as parts of elements, if that leaves less in conflict. */
function finer(Diff, part) {
  const sides = [part.base, part.mine, part.theirs].map(lines => lines.flatMap(line => line.split(PIECES)));
  const parts = sides.every(pieces => pieces.length > 1) && mergedPieces(Diff, ...sides);
  if (!parts || parts.length === 1) {
    return [part];
  }
  let line = part.line;
  return parts.map(each => {
    const placed = { ...each, line };
    line += each.base.join('').split('\n').length - 1;
    return placed;
  });
}

/** The parts, as for {@link merge}, of texts that have been split into lines or pieces. */
function mergedPieces(Diff, base, mine, theirs) {
  const [mineChanges, theirChanges] = [mine, theirs].map(pieces => changes(Diff, base, pieces));
  if (!mineChanges || !theirChanges) {
    return null;
  }
  const parts = [];
  let at = 0;
  for (let m = 0, t = 0; m < mineChanges.length || t < theirChanges.length;) {
    const begin = Math.min(mineChanges[m]?.from ?? Infinity, theirChanges[t]?.from ?? Infinity);
    const [firstOfMine, firstOfTheirs] = [m, t];
    let end = begin;
    // Each change that touches the stretch extends it, and may so bring the other side's next change into touch.
    for (;;) {
      if (touches(mineChanges[m], begin, end)) {
        end = Math.max(end, mineChanges[m].to);
        m++;
      } else if (touches(theirChanges[t], begin, end)) {
        end = Math.max(end, theirChanges[t].to);
        t++;
      } else {
        break;
      }
    }
    parts.push(unchanged(base, at, begin), changed(begin, base.slice(begin, end),
      applied(base, begin, end, mineChanges.slice(firstOfMine, m)), applied(base, begin, end, theirChanges.slice(firstOfTheirs, t))));
    at = end;
  }
  return [...parts, unchanged(base, at, base.length)].filter(part => part.kind !== 'same' || part.base.length > 0);
}

/** True if a change, which begins at or after `begin`, overlaps [begin, end). Insertions also touch what is next to them. */
function touches(change, begin, end) {
  if (change === undefined || change.from > end) {
    return false;
  }
  const isInsertion = change.from === change.to;
  return change.from < end || isInsertion || begin === end;
}

/** The texts with the line ends of the side that changed them. */
function withLineEnds(base, mine, theirs) {
  const wantsCrlf = isCrlf(mine) !== isCrlf(base) ? isCrlf(mine) : isCrlf(theirs);
  const withWanted = text => wantsCrlf ? text.replace(/\r?\n/g, '\r\n') : text.replace(/\r\n/g, '\n');
  return [base, mine, theirs].map(text => isCrlf(text) === wantsCrlf ? text : withWanted(text));
}

/** True if most lines end with CR and LF. */
export function isCrlf(text) {
  return (text.match(/\r\n/g) ?? []).length * 2 > (text.match(/\n/g) ?? []).length;
}

/** Parts for single-line texts, such as subjects. */
export function mergeLine(base, mine, theirs) {
  return [changed(0, [base], [mine], [theirs])];
}

/**
 * The merged text.
 *
 * @param choices one per part: 'base', 'mine', 'theirs' or 'both' (mine before theirs)
 */
export function merged(parts, choices) {
  const lineEnd = isCrlf(parts.flatMap(part => [...part.mine, ...part.theirs]).join('')) ? '\r\n' : '\n';
  return parts.map((part, i) => choices[i] === 'both' ? joined(part.mine, part.theirs, lineEnd) : part[choices[i]].join('')).join('');
}

/** The automatic choice for a part; undefined for a conflict. */
export function choiceOf({ kind }) {
  return { same: 'base', mine: 'mine', theirs: 'theirs', both: 'mine' }[kind];
}

/** The lines of a text, each with its end. */
function linesOf(text) {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The changes of a text: base lines [from, to) were replaced by `lines`. Null if there are too many. */
function changes(Diff, base, lines) {
  const parts = Diff.diffArrays(base, lines, { maxEditLength: MAX_CHANGED_LINES });
  const found = [];
  let at = 0;
  if (!parts) {
    return null;
  }
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      at += value.length;
      continue;
    }
    if (found.at(-1)?.to !== at) {
      found.push({ from: at, to: at, lines: [] });
    }
    if (removed) {
      at += value.length;
      found.at(-1).to = at;
    } else {
      found.at(-1).lines.push(...value);
    }
  }
  return found;
}

/** The base lines [begin, end) after these changes. */
function applied(base, begin, end, replacements) {
  const lines = [];
  let at = begin;
  for (const change of replacements) {
    lines.push(...base.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  return [...lines, ...base.slice(at, end)];
}

/** The part of the base lines [from, to), which neither side changed. */
function unchanged(base, from, to) {
  const lines = base.slice(from, to);
  return { kind: 'same', line: from + 1, base: lines, mine: lines, theirs: lines };
}

/** A part whose sides may differ. @param from index of its first line in the base */
function changed(from, base, mine, theirs) {
  return { kind: kindOf(...[base, mine, theirs].map(lines => lines.join(''))), line: from + 1, base, mine, theirs };
}

function kindOf(base, mine, theirs) {
  if (mine === theirs) {
    return mine === base ? 'same' : 'both';
  }
  if (theirs === base) {
    return 'mine';
  }
  return mine === base ? 'theirs' : 'conflict';
}

/** Both sides, each on lines of its own. */
function joined(mine, theirs, lineEnd) {
  const [first, second] = [mine.join(''), theirs.join('')];
  return first && second && !first.endsWith('\n') ? first + lineEnd + second : first + second;
}
