// Three-way merge. Finds differences by longest common subsequence; the pages use jsdiff (NothingTypedIsLostTest).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceOf, merge, mergeLine, merged } from '../static/frame/merge.js';

/** Replaces jsdiff's `diffArrays` with a longest common subsequence. */
function diffArrays(before, after, { maxEditLength }) {
  const length = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      length[i][j] = before[i] === after[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  if (before.length + after.length - 2 * length[0][0] > maxEditLength) {
    return undefined;
  }
  const parts = [];
  const add = (kind, value) => {
    if (parts.at(-1)?.kind !== kind) {
      parts.push({ kind, added: kind === 'added', removed: kind === 'removed', value: [] });
    }
    parts.at(-1).value.push(value);
  };
  for (let i = 0, j = 0; i < before.length || j < after.length;) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      add('same', before[i++]);
      j++;
    } else if (i < before.length && (j === after.length || length[i + 1][j] >= length[i][j + 1])) {
      add('removed', before[i++]);
    } else {
      add('added', after[j++]);
    }
  }
  return parts;
}

const Diff = { diffArrays };
const kinds = parts => parts.filter(part => part.kind !== 'same').map(part => part.kind + ' ' + part.line).join(', ');
const text = (parts, conflicts = 'mine') => merged(parts, parts.map(part => choiceOf(part) ?? conflicts));

const rows = [
  // base, mine, theirs, the changes, the text with mine for conflicts
  ['a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\n', 'mine 1, theirs 4', 'A\nb\nc\nD\n'],
  ['a\nb\nc\n', 'A\nb\nc\n', 'x\nb\nc\n', 'conflict 1', 'A\nb\nc\n'],
  ['a\nb\nc\n', 'A\nb\nc\n', 'a\nB\nc\n', 'mine 1, theirs 2', 'A\nB\nc\n'],
  ['<p>a</p>\n<p>b</p>\n', '<p>a</p>\n<p>B</p>\n', '<p>A</p>\n<p>b</p>\n', 'theirs 1, mine 2', '<p>A</p>\n<p>B</p>\n'],
  ['a\nb\nc\n', 'A\nX\nb\nc\n', 'a\nB\nY\nc\n', 'mine 1, theirs 2', 'A\nX\nB\nY\nc\n'],
  ['<p>a</p><p>b</p>', '<p>A</p><p>b</p>', '<p>a</p><p>B</p>', 'mine 1, theirs 1', '<p>A</p><p>B</p>'],
  ['x\n<td>a</td><td>b</td>\ny', 'x\n<td>A</td><td>b</td>\ny', 'x\n<td>a</td><td>B</td>\ny', 'mine 2, theirs 2', 'x\n<td>A</td><td>B</td>\ny'],
  ['<p>a</p><p>b</p>', '<p>A</p><p>b</p>', '<p>x</p><p>B</p>', 'conflict 1', '<p>A</p><p>b</p>'],
  ['a\nb\nc\n', 'a\nc\n', 'a\nb\nC\n', 'mine 2, theirs 3', 'a\nC\n'],
  ['a\nb\nc\n', 'a\nb\nC\n', 'a\nc\n', 'theirs 2, mine 3', 'a\nC\n'],
  ['a\nb\nc\n', 'A\nb\nc\n', 'a\r\nb\r\nc\r\n', 'mine 1', 'A\r\nb\r\nc\r\n'],
  ['a\nb\nc\n', 'a\r\nb\r\nc\r\n', 'a\nb\nC\n', 'theirs 3', 'a\r\nb\r\nC\r\n'],
  ['a\r\nb\r\n', 'a\nb\n', 'a\r\nb\r\nc\r\n', 'theirs 3', 'a\nb\nc\n'],
  ['a\nb\n', 'a\r\nb\r\n', 'a\r\nB\r\n', 'theirs 2', 'a\r\nB\r\n'],
  ['a\nb\n', 'A\nb\n', 'a\r\nx\r\n', 'mine 1, theirs 2', 'A\r\nx\r\n'],
  ['a\nb\n', 'a', 'a\r\nb\r\n', 'mine 1', 'a'],
  ['a\nb\nc\n', 'A\nb\nc\n', 'A\nb\nc\n', 'both 1', 'A\nb\nc\n'],
  ['a\nb\nc\n', 'a\nc\n', 'a\nb\nc\nd\n', 'mine 2, theirs 4', 'a\nc\nd\n'],
  ['a\nb\nc\n', 'a\nb\n', 'a\nb\nc\nd\n', 'conflict 3', 'a\nb\n'],
  ['a\nb\nc\nd\ne\n', 'a\nB\nc\nD\ne\n', 'a\nx\ny\nz\ne\n', 'conflict 2', 'a\nB\nc\nD\ne\n'],
  ['', 'a', 'b', 'conflict 1', 'a'],
  ['a', 'a\nb', 'a', 'mine 1', 'a\nb'],
  ['a\r\nb\r\nc\r\n', 'a\r\nb\r\nC\r\n', 'A\r\nb\r\nc\r\n', 'theirs 1, mine 3', 'A\r\nb\r\nC\r\n'],
  ['a\n', 'a\n', 'a\n', '', 'a\n'],
];
for (const [base, mine, theirs, places, expected] of rows) {
  test(JSON.stringify([base, mine, theirs]), () => {
    const parts = merge(Diff, base, mine, theirs);
    assert.equal(kinds(parts), places);
    assert.equal(text(parts), expected);
  });
}

test('a choice for each place', () => {
  const parts = merge(Diff, 'a\nb', 'a\nmine', 'a\ntheirs');
  assert.deepEqual(['base', 'mine', 'theirs', 'both'].map(choice => text(parts, choice)),
    ['a\nb', 'a\nmine', 'a\ntheirs', 'a\nmine\ntheirs']);
});

test('both sides are on lines that end like the others', () => {
  assert.equal(text(merge(Diff, 'a\r\nb', 'a\r\nmine', 'a\r\ntheirs'), 'both'), 'a\r\nmine\r\ntheirs');
});

test('the side that changed nothing gives the other one, whatever changed', () => {
  let seed = 7;
  const random = below => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor(seed / 65536) % below;
  };
  const edited = lines => lines.flatMap(line => [[line], [line], [line], [], ['x' + random(3)], [line, 'y' + random(3)]][random(6)]);
  for (let round = 0; round < 500; round++) {
    const lines = Array.from({ length: random(12) }, () => 'l' + random(4));
    const [base, mine, theirs] = [lines, edited(lines), edited(lines)].map(each => each.map(line => line + '\n').join(''));
    assert.equal(text(merge(Diff, base, mine, base)), mine);
    assert.equal(text(merge(Diff, base, base, theirs)), theirs);
    assert.equal(text(merge(Diff, base, mine, mine)), mine);
    const parts = merge(Diff, base, mine, theirs);
    assert.equal(merged(parts, parts.map(() => 'base')), base);
    assert.equal(merged(parts, parts.map(() => 'mine')), mine);
    assert.equal(merged(parts, parts.map(() => 'theirs')), theirs);
  }
});

test('two people who change different lines never conflict, and both changes stay', () => {
  for (let round = 0; round < 64; round++) {
    const base = Array.from({ length: 6 }, (_, i) => `<p>${i}</p>`);
    for (const end of ['\n', '\r\n', '']) {
      const side = (letter, bits) => base.map((line, i) => bits >> i & 1 ? line.replace('</', letter + '</') : line).map(line => line + end).join('');
      const parts = merge(Diff, side('', 0), side('m', round), side('t', 63 - round));
      assert.equal(parts.filter(part => part.kind === 'conflict').length, 0);
      assert.equal(text(parts), base.map((line, i) => line.replace('</', (round >> i & 1 ? 'm' : 't') + '</') + end).join(''));
    }
  }
});

test('too many changed lines are not merged', () => {
  const many = word => Array.from({ length: 600 }, (_, i) => word + i + '\n').join('');
  assert.equal(merge(Diff, many('a'), many('b'), many('a')), null);
});

test('subjects', () => {
  assert.equal(merged(mergeLine('a', 'a', 'b'), ['theirs']), 'b');
  assert.deepEqual(['a', 'b', 'c'].map(theirs => mergeLine('a', 'b', theirs)[0].kind), ['mine', 'both', 'conflict']);
});
