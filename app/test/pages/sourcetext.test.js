import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeLines } from '../static/write/sourcetext.js';

/** A source without the whole lines of `<p>x</p>`. */
function without(source) {
  const from = source.indexOf('<p>x</p>');
  const range = wholeLines(source, { from, to: from + '<p>x</p>'.length });
  return source.slice(0, range.from) + source.slice(range.to);
}

for (const length of [0, 1, 199, 200, 201, 5_000]) {
  const spaces = ' '.repeat(length);
  test(`what follows ${length} spaces on the line stays`, () => {
    assert.equal(without(`<td>\n<p>x</p>${spaces}</td>\n`), `<td>\n${spaces}</td>\n`);
  });
}

test('a line of its own goes with its spaces and its end, also the last', () => {
  assert.equal(without('<td>\n  <p>x</p> \t\r\n</td>\n'), '<td>\n</td>\n');
  assert.equal(without('<td>\n  <p>x</p>  '), '<td>\n');
});
