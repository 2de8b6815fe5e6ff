// Characters that differences label because nobody sees them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unseenIn } from '../static/frame/unseen.js';

const rows = [
  // a whole line
  ['a\u00a0b\u200bc', {}, '1 3'],
  ['a b  ', {}, '3'],
  ['a b \r', {}, '3 4'],
  ['\ta', {}, '0'],
  ['a b', {}, ''],
  // a part of a line: a space before the next word is seen
  ['order ', { isWhole: false }, ''],
  ['free ', { isWhole: false, isChanged: true }, ''],
  ['free\u00a0', { isWhole: false, isChanged: true }, '4'],
  ['free ', { isWhole: true, isChanged: true }, '4'],
  // only spaces have changed
  [' ', { isWhole: false, isChanged: true }, '0'],
  ['  ', { isWhole: false, isChanged: true }, '0'],
  [' ', { isWhole: false }, ''],
];
for (const [text, options, places] of rows) {
  test(`the unseen characters of ${JSON.stringify(text)} ${JSON.stringify(options)}`, () =>
    assert.equal(unseenIn(text, options).map(({ at }) => at).join(' '), places));
}
