// Text search: exact, and ignoring whitespace and attribute order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patternOf, replaceMatches } from '../static/textpattern.js';

const rows = [
  // text, source, matches when exact, matches when loose
  ['<p>a</p>', 'x<p>a</p>y<p>a</p>', 2, 2],
  ['<p>a b</p>', '<p>a\n  b</p>', 0, 1],
  ['<tr><td>a</td></tr>', '<tr>\n  <td>a</td>\n</tr>', 0, 1],
  ['<tr>\n<td>a</td></tr>', '<tr><td>a</td></tr>', 0, 1],
  ['<a href="x" class="y">b</a>', '<a class="y"  href="x">b</a>', 0, 1],
  ['<a href="x" class="y">b</a>', '<a class="y" href="x" id="z">b</a>', 0, 0],
  ['<a href="x" class="y">b</a>', '<a class="y" href="xx">b</a>', 0, 0],
  ['<img src="a.png" alt="A b" />', '<img alt="A  b" src="a.png"/>', 0, 1],
  ['<td width=10 {{#if a}}x{{/if}}>', '<td width=10  {{#if a}}x{{/if}}>', 0, 1],
  [' a ', 'a', 0, 1],
  ['a.b*', 'aXbb', 0, 0],
  ['$& (a|b) [c] {{> footer}}', 'x $& (a|b) [c] {{> footer}} y', 1, 1],
  ['ab', 'a b', 0, 0],
];
for (const [text, source, exact, loose] of rows) {
  test(JSON.stringify([text, source]), () => {
    assert.deepEqual([false, true].map(isLoose => replaceMatches(source, patternOf(text, isLoose), '$&').count), [exact, loose]);
  });
}

test('what replaces a text is literal', () => {
  assert.deepEqual(replaceMatches('a-a', patternOf('a', false), '$&{{> b}}'), { text: '$&{{> b}}-$&{{> b}}', count: 2 });
});

for (const hostile of ['<a ', '<a href="x" ', '<a href="x', ' ', '<a>', '> ', "<a href='", '<a x=']) {
  test(`2 MiB of ${JSON.stringify(hostile)} are read in linear time`, () => {
    const time = kib => {
      const source = hostile.repeat(kib * 1024 / hostile.length);
      const begin = process.cpuUsage().user;
      replaceMatches(source, patternOf('<a href="x" class="y" id="z">b c</a>', true), '');
      return process.cpuUsage().user - begin;
    };
    time(64);
    assert.ok(time(2048) < 64 * Math.max(time(128), 2000), 'sixteen times the text takes more than four times as long a byte');
  });
}
