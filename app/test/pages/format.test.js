// Indenting an email changes only leading whitespace and is idempotent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reindent } from '../static/editor/format.js';

const rows = [
  ['<table>\n<tr>\n<td>a</td>\n</tr>\n</table>', '<table>\n  <tr>\n    <td>a</td>\n  </tr>\n</table>'],
  ['{{#if a}}\n<p>x</p>\n{{else}}\n<br>\n{{/if}}', '{{#if a}}\n  <p>x</p>\n{{else}}\n  <br>\n{{/if}}'],
  ['<ul>\n<li>a\n<li>b\n</ul>', '<ul>\n  <li>a\n  <li>b\n</ul>'],
  ['<div>\n<pre>\n a\n  b</pre>\n</div>', '<div>\n  <pre>\n a\n  b</pre>\n</div>'],
  ['<div>\n<a title="one\n two">x</a>\n</div>', '<div>\n  <a title="one\n two">x</a>\n</div>'],
  ['<div>\r\n<p>x</p>\r\n</div>', '<div>\r\n  <p>x</p>\r\n</div>'],
  ['</div>\n<p>x', '</div>\n<p>x'],
  ['<constructor>\n<p>x\n</constructor>', '<constructor>\n  <p>x\n</constructor>'],
];

for (const [source, expected] of rows) {
  test(JSON.stringify(source), () => {
    assert.equal(reindent(source), expected);
    assert.equal(reindent(expected), expected);
    assert.equal(reindent(source).replace(/^[ \t]+/gm, ''), source.replace(/^[ \t]+/gm, ''));
  });
}

test('a mail that shows its whitespace, and one that is very long, are left as they are', () => {
  assert.equal(reindent('<p style="white-space: pre">\n a</p>'), null);
  assert.equal(reindent('x'.repeat(500_001)), null);
  assert.notEqual(reindent('<p style="white-space: pre-line">\n a</p>'), null);
});

test('a hostile mail takes no more than linear time', () => {
  for (const part of ['<a ', '<a "', '{{#a', '<!--', '</b>', '<li>', '{{#a}}\n', '"\n']) {
    const begin = process.cpuUsage().user;
    reindent(part.repeat(Math.floor(40_000 / part.length)));
    assert.ok(process.cpuUsage().user - begin < 10_000_000, part);
  }
});
