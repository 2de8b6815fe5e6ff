// Places in a source: at the cursor, and the names that a tag means.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesAt, placeAt } from '../static/preview/sourceplaces.js';

/** The source of the text or element at the cursor, which | stands for; null if there is none. */
function chosen(marked) {
  const text = marked.replace('|', '');
  const { place, isText } = placeAt(text, marked.indexOf('|'));
  return place && [isText ? 'text' : 'element', text.slice(place.from, place.to)];
}

const cursors = [
  ['<p>He|llo</p>', ['text', 'Hello']],
  ['<p>Hello|</p>', ['text', 'Hello']],
  ['<p>a</p> b| <p>c</p>', ['text', 'b ']],
  ['<p cla|ss="x">a</p>', ['element', '<p class="x">']],
  ['|<p>a</p>', ['element', '<p>']],
  ['He|llo {{name}} <b>you</b>', ['text', 'Hello {{name}} ']],
  ['|Hello', ['text', 'Hello']],
  ['|', null],
  ['<!-- a| -->', null],
];

for (const [marked, expected] of cursors) {
  test(`the place at the cursor in ${marked}`, () => assert.deepEqual(chosen(marked), expected));
}

const names = [
  ['{{#if order}}{{#each items}}{{title}}{{/each}}{{/if}}', ['title', 'items', 'order']],
  ['{{#a}}{{/a}}{{title}}', ['title']],
  ['{{#if a}}{{^}}{{title}}{{/if}}', ['title', 'a']],
  ['{{#if a}}x{{^}}y{{/if}}{{title}}', ['title']],
  ['{{^a}}{{this.title}}{{/a}}', ['title', 'a']],
];

for (const [text, expected] of names) {
  test(`the names of the title in ${text}`, () => {
    const [tag] = /\{\{(?:this\.)?title\}\}/.exec(text);
    const from = text.indexOf(tag);
    assert.deepEqual(namesAt(text, { from, to: from + tag.length }), expected);
  });
}
