// Colours as they are written in emails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrastOf, hexOf } from '../static/write/colours.js';

const written = [
  ['#FA0', '#ffaa00'], ['fa0', '#ffaa00'], [' #2455C3 ', '#2455c3'], ['2455c3', '#2455c3'], ['rgb(36, 85, 195)', '#2455c3'],
  ['rgba(36 85 195 / 1.0)', '#2455c3'], ['rgba(36, 85, 195, 0.5)', null], ['Navy', '#000080'], ['1px solid #2455c3', '#2455c3'],
  ['#2455c380', null], ['{{colour}}', null], ['', null],
];

for (const [text, hex] of written) {
  test(`${JSON.stringify(text)} is ${hex}`, () => assert.equal(hexOf(text), hex));
}

test('contrast is from 1 to 21', () => {
  assert.deepEqual([contrastOf('#123456', '#123456'), contrastOf('#000000', '#ffffff'), contrastOf('#ffffff', '#000000')], [1, 21, 21]);
});
