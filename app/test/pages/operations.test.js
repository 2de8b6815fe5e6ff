// Operations on pieces whose text the user has typed. PieceEditsTest tries the others with the pieces that the server finds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceHtml } from '../static/write/operations.js';

const typed = [
  ['<p>a</p>', '<p>a</p>', null],
  ['<p>\r\na</p>', '<p>\na</p>', null],
  ['<p>a</p>', '<p>b</p>', [{ from: 2, to: 10, text: '<p>b</p>' }]],
  ['<p>\r\na</p>', '<p>\nb</p>', [{ from: 2, to: 12, text: '<p>\nb</p>' }]],
];

for (const [own, html, edits] of typed) {
  test(`${JSON.stringify(own)} is replaced by ${JSON.stringify(html)}`, () => {
    const result = replaceHtml('x ' + own, { piece: [{ from: 2, to: 2 + own.length }] }, { piece: 0, html });
    assert.deepEqual(result && result.edits, edits);
  });
}
