// Edits of a button are repeated in its copies for Outlook. ButtonsTest reads the same table of cases.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const entities = { amp: '&', nbsp: '\u00a0', rarr: '→' };
globalThis.document = {
  createElement: () => ({
    set innerHTML(source) {
      this.textContent = source.replace(/&(#\d+|[a-z]+);/g, (all, name) => name.startsWith('#')
        ? String.fromCodePoint(Number(name.slice(1))) : entities[name] ?? all);
    },
  }),
};
const { copiesOf } = await import('../static/preview/buttoncopies.js');
const { coloursOf, labelChanges, lineForOutlook, linkChanges } = await import('../static/preview/buttons.js');

const applied = (source, changes) => [...changes].sort((one, other) => other.from - one.from)
  .reduce((text, { from, to, text: now }) => text.slice(0, from) + now + text.slice(to), source);
const cases = readFileSync(new URL('buttons.txt', import.meta.url), 'utf8').split(/^=== /m).slice(1)
  .map(shape => [shape.slice(0, shape.indexOf('\n')), shape.slice(shape.indexOf('\n') + 1)]);
const isNoCopy = ([name]) => name.startsWith('no copy: ');
const shapes = cases.filter(each => !isNoCopy(each));
const times = (source, pattern) => source.match(pattern)?.length ?? 0;

for (const [name, source] of shapes) {
  const at = source.indexOf('<a id="shown"');
  const end = source.indexOf('</a>', at);

  test(`${name}: its link`, () => {
    const { changes, lines, left } = linkChanges(source, at, 'https://example.com/new?a=1&b=2');
    const after = applied(source, changes);
    const hidden = after.replace(/<a id="shown"[^>]*>/, '');
    assert.ok(changes.length >= 1 && left.length === 0 && lines.length >= 1);
    assert.ok(!/example\.com\/old|\{\{url\}\}/.test(hidden), hidden);
    assert.match(hidden, /https:\/\/example\.com\/new\?a=1&(?:amp;)?b=2/);
    assert.equal(after.replace(/href=(["'])[^"']*\1/gi, ''), source.replace(/href=(["'])[^"']*\1/gi, ''), 'nothing else changes');
  });

  test(`${name}: its label`, () => {
    const from = at + [...source.slice(at, end).matchAll(/Show\s+me/g)].at(-1).index;
    const to = from + /^Show\s+me/.exec(source.slice(from))[0].length;
    const { changes, left } = labelChanges(source, { from, to, text: 'Tea &amp; toast' });
    const after = applied(source, [{ from, to, text: 'Tea &amp; toast' }, ...changes]);
    assert.equal(left.length, 0);
    assert.ok(!/Show(?:\s|&nbsp;)+me/.test(after), after);
    const number = /^the link is the content|around its label/.test(name) ? 1 : name.startsWith('two copies') ? 3 : 2;
    assert.equal(times(after, /Tea &amp; toast/g), number);
    assert.deepEqual(copiesOf(after).length, copiesOf(source).length);
  });

  test(`${name}: its colours`, () => {
    const colours = coloursOf(source, at);
    assert.deepEqual(colours.map(({ kind, colour }) => [kind, colour]), [['background', '#556270'], ['text', '#ffffff']]);
    const after = applied(source, colours.flatMap(({ kind, places }) => places.map(place => ({ ...place, text: kind === 'text' ? '#000001' : '#ff0000' }))));
    assert.ok(!/#556270|#fff/i.test(after), after);
  });

  test(`${name}: a copy that differs stays`, () => {
    const changed = source.slice(0, at) + source.slice(at, end).replace(/href="[^"]*"/, 'href="https://example.com/between"') + source.slice(end);
    const { changes, left } = linkChanges(changed, at, 'https://example.com/new');
    assert.deepEqual([changes, left.length], [[], copiesOf(source).filter(({ shown }) => shown.at === at).length]);
  });
}

test('the colour of a cell with other text for Outlook stays', () => {
  const cells = text => `<!--[if mso]><table><tr><td bgcolor="#556270">${text}<a href="u">Go</a></td></tr></table><![endif]--><a href="u" style="background:#556270">Go</a>`;
  const numberOfPlaces = source => coloursOf(source, source.lastIndexOf('<a '))[0].places.length;
  assert.deepEqual([cells(''), cells('From '), cells('{{name}}'), cells('<a href="v">Or</a>')].map(numberOfPlaces), [2, 1, 1, 1]);
});

for (const [name, source] of cases.filter(isNoCopy)) {
  test(name, () => assert.deepEqual(copiesOf(source), []));
}

test('words in a condition of a label change in the copy with the same condition', () => {
  const label = word => `{{#if x}}${word}{{else}}See{{/if}}`;
  const source = word => `<!--[if mso]><v:rect href="https://a">${label(word)}</v:rect><![endif]-->`;
  const link = `<a href="https://a">${label('Buy')}</a>`;
  const from = (source('Buy') + link).lastIndexOf('Buy');
  const { changes } = labelChanges(source('Buy') + link, { from, to: from + 3, text: 'Get' });
  assert.equal(applied(source('Buy') + link, changes), source('Get') + link);
});

test('many parts take linear time', () => {
  const source = shapes.map(([, shape]) => shape).join('').repeat(300) + '<!--[if mso]><v:rect href="a">'.repeat(100_000) + '<a href="x">'.repeat(100_000) + '<!--[if mso]><style><![endif]-->'.repeat(50_000) + '{{!-- '.repeat(100_000) + '<a '.repeat(100_000);
  assert.ok(copiesOf(source).length >= 3_000);
});

test('a part for Outlook with the same text', () => {
  assert.equal(lineForOutlook('<p>Hi</p>\n<!--[if mso]>\n<p>\n Fish &amp; chips</p>\n<![endif]-->', 'Fish & chips'), 4);
  assert.equal(lineForOutlook('<p>Hi</p>', 'Hi'), 0);
});
