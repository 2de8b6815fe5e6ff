// Source changes for in-place edits. A table replaces the browser's entity decoder; InPlaceTest uses the real one.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0', mdash: '—' };
globalThis.document = {
  createElement: () => ({
    set innerHTML(source) {
      this.textContent = source.replace(/&(#\d+|[a-z]+);/g, (all, name) => name.startsWith('#')
        ? String.fromCodePoint(Number(name.slice(1))) : entities[name] ?? all);
    },
  }),
};
const { attributeChange, change, moved, startTag, withoutUnseen } = await import('../static/preview/inplace.js');

const applied = (source, { from, to, text }) => source.slice(0, from) + text + source.slice(to);

const changes = [
  ['Tea &amp; milk', 'Tea & coffee', 'Tea &amp; coffee'],
  ['a &mdash; b&nbsp;c', 'a — b\u00a0cd', 'a &mdash; b&nbsp;cd'],
  ['a\n  b c', 'a b d', 'a\n  b d'],
  ['a', '<b> & "c"', '&lt;b&gt; &amp; "c"'],
  ['Hi', 'Hi {{name}}', 'Hi {{name}}'],
  ['Hi', 'Hi {{name', 'Hi &#123;&#123;name'],
  ['👋 a', '👍 a', '👍 a'],
  ['Hello', '', ''],
];

for (const [source, wanted, expected] of changes) {
  test(`${JSON.stringify(source)} is made to show ${JSON.stringify(wanted)}`, () => {
    assert.equal(applied(source, change(source, wanted, { collapses: true })), expected);
  });
}

const attributes = [
  ['<img src="a">', 'alt', 'A "cup"', '<img alt="A &#34;cup&#34;" src="a">'],
  ['<img alt="x" src=a>', 'src', 'b c', '<img alt="x" src="b c">'],
  ['<a {{#if b}}class="c"{{/if}} href="{{url}}?a">', 'href', '{{url}}?b', '<a {{#if b}}class="c"{{/if}} href="{{url}}?b">'],
  ['<a href = "{{t ">"}}" id=b>', 'id', 'c', '<a href = "{{t ">"}}" id="c">'],
];

for (const [tag, name, value, expected] of attributes) {
  test(`${tag} with ${name} of ${value}`, () => assert.equal(applied(tag, attributeChange(tag, 0, name, value)), expected));
}

test('what is no change', () => {
  assert.equal(change('a', 'a'), null);
  assert.equal(attributeChange('<a href="x"', 0, 'href', 'y'), null);
  assert.equal(attributeChange('<a>', 0, 'href', ''), null);
});

test('a tag with its attributes', () => {
  const { name, attributes: [first, second], end } = startTag('x<IMG alt src=\'a\'>', 1);
  assert.deepEqual([name, first.name, first.quote, second.name, second.quote, end], ['img', 'alt', null, 'src', "'", 18]);
  assert.equal(startTag('x<b>', 0), null);
});

test('a place after an edit before it, behind it, and around it', () => {
  assert.equal(moved('abcdef', 'abXcdef', 4), 5);
  assert.equal(moved('abcdef', 'abcdeX', 1), 1);
  assert.equal(moved('abcdef', 'abXf', 3), null);
});

test('whitespace that would not be shown', () => {
  assert.equal(withoutUnseen(' a ', '<td class="x">', '</td>'), 'a');
  assert.equal(withoutUnseen(' a ', 'x<b>', '<i>'), ' a ');
});
