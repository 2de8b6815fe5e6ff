// Text search: exact, and ignoring whitespace and attribute order.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const entities = { amp: '&', lt: '<', gt: '>', nbsp: '\u00a0', uuml: 'ü', ouml: 'ö', szlig: 'ß', eacute: 'é', rsquo: '’', shy: '\u00ad', zwj: '\u200d' };
globalThis.document = {
  createElement: () => ({
    set innerHTML(source) {
      this.textContent = source.replace(/&(#\d+|[a-z]+);/g, (all, name) => name.startsWith('#')
        ? String.fromCodePoint(Number(name.slice(1))) : entities[name] ?? all);
    },
  }),
};
const { matches, patternOf, placesOf, replaceInSlices } = await import('../static/editor/textpattern.js');

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
    assert.deepEqual([false, true].map(isLoose => placesOf(source, patternOf(text, { isLoose })).length), [exact, loose]);
  });
}

test('what replaces a text is literal', async () => {
  assert.deepEqual(await replaceInSlices('a-a', patternOf('a'), '$&{{> b}}'), { text: '$&{{> b}}-$&{{> b}}', count: 2 });
});

const umlauts = 'Gr&uuml;&szlig;e von M&uuml;ller &amp; S&ouml;hne';
const shownRows = [
  // text, source, the source with each match in brackets
  ['Müller', umlauts, 'Gr&uuml;&szlig;e von [M&uuml;ller] &amp; S&ouml;hne'],
  ['von M&#252;ller & S', umlauts, 'Gr&uuml;&szlig;e [von M&uuml;ller &amp; S]&ouml;hne'],
  ['ü', umlauts, 'Gr[&uuml;]&szlig;e von M[&uuml;]ller &amp; S&ouml;hne'],
  ['don’t', 'don&rsquo;t don&#8217;t don’t don\'t', '[don&rsquo;t] [don&#8217;t] [don’t] don\'t'],
  ['10 kg', '10&nbsp;kg 10\u00a0kg 10 kg', '[10&nbsp;kg] [10\u00a0kg] [10 kg]'],
  ['Caf\u00e9', 'Cafe\u0301 Caf\u00e9 Cafe', '[Cafe\u0301] [Caf\u00e9] Cafe'],
  ['Cafe\u0301', 'Cafe&#769; Caf&eacute;', '[Cafe&#769;] [Caf&eacute;]'],
  ['e', 'e\u0301e', 'e\u0301[e]'],
  ['\ud55c', '\u1112\u1161\u11ab', '[\u1112\u1161\u11ab]'],
  ['cooperate', 'co&shy;oper\u00adate', '[co&shy;oper\u00adate]'],
  ['\u200b', 'a\u200bb&#8203;c', 'a[\u200b]b[&#8203;]c'],
  ['na\u200bme', 'na\u200bme name', '[na\u200bme] name'],
  ['a < b', '<p>a &lt; b</p>a < b', '<p>[a &lt; b]</p>[a < b]'],
  ['<p>', '&lt;p&gt;<p>', '&lt;p&gt;[<p>]'],
  ['{{name}}', '&#123;&#123;name}}{{name}}', '&#123;&#123;name}}[{{name}}]'],
  ['?a=1&copy=2', '<a href="?a=1&copy=2">©=2', '<a href="[?a=1&copy=2]">©=2'],
  ['a\nb', 'a\r\nb a\nb a\rb', '[a\r\nb] [a\nb] [a\rb]'],
  ['👩‍💻', 'x👩‍💻&#128105;&zwj;&#128187;', 'x[👩‍💻][&#128105;&zwj;&#128187;]'],
];
for (const [text, source, expected] of shownRows) {
  test(`what the preview shows: ${JSON.stringify([text, source])}`, () => {
    const parts = [];
    let at = 0;
    for (const { from, to } of placesOf(source, patternOf(text))) {
      parts.push(source.slice(at, from), '[', source.slice(from, to), ']');
      at = to;
    }
    assert.equal(parts.join('') + source.slice(at), expected);
  });
}

test('a subject has no entities', () => {
  assert.equal(placesOf('M&uuml;ller', patternOf('Müller', { isPlain: true })).length, 0);
  assert.equal(placesOf('M&uuml;ller', patternOf('M&uuml;ller', { isPlain: true })).length, 1);
});

test('the replacement has the line ends of the text', async () => {
  const crlf = '<p>one</p>\r\n<p>Old\r\nfooter</p>\r\n<p>end</p>\r\n';
  const expected = '<p>one</p>\r\n<p>New</p>\r\n<p>footer</p>\r\n<p>end</p>\r\n';
  for (const isLoose of [false, true]) {
    for (const find of ['<p>Old\nfooter</p>', '<p>Old\r\nfooter</p>']) {
      for (const replacement of ['<p>New</p>\n<p>footer</p>', '<p>New</p>\r\n<p>footer</p>']) {
        assert.deepEqual(await replaceInSlices(crlf, patternOf(find, { isLoose }), replacement), { text: expected, count: 1 });
      }
    }
  }
  assert.equal((await replaceInSlices('a\nb\n', patternOf('a\r\nb'), 'c\nd')).text, 'c\nd\n');
  assert.equal((await replaceInSlices('a\nb\n', patternOf('a'), 'c\r\nd')).text, 'c\nd\nb\n');
});

test('a search that pauses finds all places', async () => {
  const source = '<tr><td>a &amp; b</td></tr>\r\n'.repeat(20_000);
  const pattern = patternOf('<td>a & b</td>', { isLoose: true });
  const text = source.replaceAll('<td>a &amp; b</td>', 'x\r\ny');
  assert.deepEqual(await replaceInSlices(source, pattern, 'x\ny'), { text, count: 20_000 });
});

/** Steps of a whole search. */
function stepsOf(source, pattern) {
  const search = matches(source, pattern);
  let step = search.next();
  while (!step.done) {
    step = search.next();
  }
  return step.value.steps;
}

const row = '<tr>\n  <td style="color:red" class="a">Tea &amp; milk</td>\n  <td>1</td>\n</tr>\n';
for (const hostile of ['<a ', '<a href="x" ', '<a href="x', ' ', '<a>', '> ', "<a href='", '<a x=', 'a', 'e\u0301', '\u0301', '&', '&amp;', '\r', '<a b c ', row]) {
  test(`512 KiB of ${JSON.stringify(hostile)} take a constant number of steps a character`, () => {
    const source = hostile.repeat(512 * 1024 / hostile.length);
    const texts = ['<a href="x" class="y" id="z">b c</a>', hostile.repeat(19_000 / hostile.length) + '!', (row.repeat(200) + '<b>').slice(0, 20_000)];
    for (const text of texts) {
      for (const isLoose of [false, true]) {
        const steps = stepsOf(source, patternOf(text, { isLoose }));
        assert.ok(steps <= 5 * source.length, `${steps} steps for ${source.length} characters`);
      }
    }
  });
}
