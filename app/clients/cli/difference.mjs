// Differences between two account folders as a unified diff, from which `patch` rebuilds a file byte for byte.

import { isImage, ofBlock } from './files.mjs';

const CONTEXT = 3;
/** Parts that need a larger table are treated as completely changed. */
const MAX_CELLS = 4_000_000;

/** @param before, after the accounts' files @return path, change and lines of each file that differs */
export function differences(before, there, after, here) {
  const files = [];
  const add = (old, now) => {
    for (const path of union(old, now)) {
      const hunks = hunksOf(linesOf(old.get(path)), linesOf(now.get(path)));
      if (hunks.length > 0) {
        const isOnlyEndings = old.has(path) && now.has(path) && normal(old.get(path)) === normal(now.get(path));
        files.push({
          path, change: !old.has(path) ? 'added' : now.has(path) ? 'changed' : 'removed',
          lines: [...(isOnlyEndings ? ['Only line endings changed:'] : []), `--- ${old.has(path) ? `${there}/${path}` : '/dev/null'}`,
            `+++ ${now.has(path) ? `${here}/${path}` : '/dev/null'}`, ...hunks],
        });
      }
    }
  };
  const block = (account, name) => new Map(account.blocks.has(name) ? [[ofBlock(name), account.block(name).toString()]] : []);
  for (const name of union(before.blocks, after.blocks)) {
    if (before.blocks.get(name) === after.blocks.get(name)) continue;
    if (isImage(name)) {
      const [isNew, isGone] = [!before.blocks.has(name), !after.blocks.has(name)];
      files.push({
        path: name, change: isNew ? 'added' : isGone ? 'removed' : 'changed',
        lines: [`Binary files ${isNew ? '/dev/null' : `${there}/${name}`} and ${isGone ? '/dev/null' : `${here}/${name}`} differ`],
      });
    } else {
      add(block(before, name), block(after, name));
    }
  }
  for (const id of union(before.drafts, after.drafts)) {
    if (before.drafts.get(id)?.digest !== after.drafts.get(id)?.digest) add(before.texts(id), after.texts(id));
  }
  return files;
}

function union(one, other) {
  return [...new Set([...one.keys(), ...other.keys()])].sort();
}

function normal(text) {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}

function linesOf(text) {
  return text ? text.split(/(?<=\n)/) : [];
}

function hunksOf(old, now) {
  const edits = editsOf(old, now);
  const hunks = [];
  const place = [0, 0];
  const advance = ([sign]) => {
    place[0] += sign === '+' ? 0 : 1;
    place[1] += sign === '-' ? 0 : 1;
  };
  for (let i = 0; i < edits.length;) {
    let first = i;
    while (first < edits.length && edits[first][0] === ' ') first++;
    if (first === edits.length) break;
    const begin = Math.max(i, first - CONTEXT);
    let end = first;
    for (let same = 0; end < edits.length && same <= 2 * CONTEXT; end++) same = edits[end][0] === ' ' ? same + 1 : 0;
    while (end > first && edits[end - 1][0] === ' ') end--;
    end = Math.min(edits.length, end + CONTEXT);
    edits.slice(i, begin).forEach(advance);
    const from = [...place];
    const lines = [];
    for (const edit of edits.slice(begin, end)) {
      advance(edit);
      const isEnded = edit[1].endsWith('\n');
      lines.push(edit[0] + (isEnded ? edit[1].slice(0, -1) : edit[1]));
      if (!isEnded) lines.push('\\ No newline at end of file');
    }
    hunks.push(`@@ -${range(from[0], place[0])} +${range(from[1], place[1])} @@`, ...lines);
    i = end;
  }
  return hunks;
}

function range(from, to) {
  return `${to === from ? from : from + 1}${to - from === 1 ? '' : `,${to - from}`}`;
}

/** All lines as kept, removed or added, by the longest common subsequence between the common prefix and suffix. */
function editsOf(old, now) {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let tail = 0;
  while (tail < old.length - start && tail < now.length - start && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const kept = (lines) => lines.map((line) => [' ', line]);
  return [...kept(old.slice(0, start)), ...middle(old.slice(start, old.length - tail), now.slice(start, now.length - tail)),
    ...kept(old.slice(old.length - tail))];
}

function middle(old, now) {
  const isSmall = old.length * now.length <= MAX_CELLS;
  const width = now.length + 1;
  const common = new Int32Array(isSmall ? (old.length + 1) * width : 0);
  for (let i = old.length - 1; isSmall && i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const edits = [];
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (isSmall && i < old.length && j < now.length && old[i] === now[j]) {
      edits.push([' ', old[i++]]);
      j++;
    } else if (i < old.length && (j === now.length || !isSmall || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      edits.push(['-', old[i++]]);
    } else {
      edits.push(['+', now[j++]]);
    }
  }
  return edits;
}
