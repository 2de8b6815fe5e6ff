// Hand-written JSON: error positions, and edits of single values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, formatted, nodeAt, parseDocument } from '../static/samples/json.js';

const errors = [
  ['', 1, 1, 'the document is empty; enter at least {}'],
  ['[1]', 1, 1, 'test data must be a JSON object that starts with {'],
  ['{"a": 1,}', 1, 8, 'remove the comma before }'],
  ['{\n  "a" 1\n}', 2, 7, 'missing colon after "a"'],
  ['{"a": Ada}', 1, 7, 'put double quotes around Ada'],
  ["{\"a\": 'x'}", 1, 7, 'use double quotes for strings: "Ada"'],
  ['{"a": "x\n"}', 1, 7, 'this string has no closing double quote'],
  ['{"a": 1, "a": 2}', 1, 10, 'duplicate name "a"'],
  ['{"a": [1', 1, 7, '[ is never closed'],
  ['{"a": 123456789012345678901}', 1, 7, 'numbers can have at most 20 characters; write this number as a string in double quotes'],
  ['{"a": ' + '['.repeat(20) + ']'.repeat(20) + '}', 1, 26, 'nested more than 20 levels deep'],
  ['{} x', 1, 4, 'unexpected text after the end of the document'],
  ['{', 1, 1, '{ is never closed'],
  ['{"a"', 1, 5, 'missing colon after "a"'],
  ['{a: 1}', 1, 2, 'expected a name in double quotes'],
  ['{"a": 1\r\n "b": 2}', 2, 2, 'missing comma or } before "'],
  ['{\n "a": [1, 2\n}', 3, 1, 'missing comma or ] before }'],
  ['{"a":"\\q"}', 1, 7, 'a backslash must be followed by one of " \\ / b f n r t u'],
  ['{"a":01}', 1, 6, 'invalid number; write it as a string in double quotes'],
  ['{"a": 👋}', 1, 7, 'missing value before 👋'],
  ['{"a": 1 👋}', 1, 9, 'missing comma or } before 👋'],
];

for (const [text, line, column, sentence] of errors) {
  test(`the error of ${JSON.stringify(text).slice(0, 40)}`, () => {
    assert.deepEqual(parseDocument(text), { error: { line, column, sentence } });
  });
}

test('a document of each kind of value', () => {
  const { node } = parseDocument('{"text": "\\u00e9\\n", "number": -1.5e3, "flag": true, "nothing": null, "list": [{"a": 1}, []]}');
  assert.equal(nodeAt(node, ['text']).value, 'é\n');
  assert.equal(nodeAt(node, ['number']).value, -1500);
  assert.equal(nodeAt(node, ['flag']).value, true);
  assert.equal(nodeAt(node, ['nothing']).kind, 'null');
  assert.equal(nodeAt(node, ['list', 0, 'a']).value, 1);
  assert.equal(nodeAt(node, ['list', 2]), undefined);
});

const changes = [
  ['{ "a" : 1.0, "b":2 }', ['b'], 'x', '{ "a" : 1.0, "b":"x" }'],
  ['{"a": 1}', ['b'], true, '{"a": 1,\n  "b": true}'],
  ['{"a": 1, "b": 2}', ['a'], undefined, '{"b": 2}'],
  ['{"a": 1, "b": 2}', ['b'], undefined, '{"a": 1}'],
  ['{"a": 1}', ['c'], undefined, '{"a": 1}'],
  ['{"a": {"b": 1}}', ['a', 'b'], [], '{"a": {"b": []}}'],
  ['{"a": 1}', ['a', 'b'], 2, '{"a": {"b":2}}'],
  ['{"rows": [1, 2]}', ['rows', 1], 3, '{"rows": [1, 3]}'],
  ['{"rows": {}}', ['rows', 0], 3, '{"rows": {}}'],
];

for (const [text, path, value, expected] of changes) {
  test(`${text} with ${path.join('.')} as ${JSON.stringify(value)}`, () => {
    const made = changed(text, path, value);
    assert.equal(made.replace(/\s+/g, ''), expected.replace(/\s+/g, ''));
    assert.ok(parseDocument(made).node);
  });
}

const layouts = [
  ['{}\n', ['name'], 'Ada', '{\n  "name": "Ada"\n}\n'],
  ['{\n  "a": 1\n}\n', ['b', 'c'], 2, '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n'],
  ['{\n  "a": 1\n}', ['items', 0, 'price'], '3', '{\n  "a": 1,\n  "items": [\n    {\n      "price": "3"\n    }\n  ]\n}'],
  ['{ "a": {"b": 1.50} }', ['a', 'c'], true, '{ "a": {"b": 1.50, "c": true} }'],
  ['{ "a": 1.50, "b": 2 }', ['a'], undefined, '{ "b": 2 }'],
  ['{\n  "a": 1,\n  "b": 2\n}', ['b'], undefined, '{\n  "a": 1\n}'],
  ['{\n\t"items": [\n\t\t{"x": 1}\n\t]\n}', ['items', 0, 'y'], 'z', '{\n\t"items": [\n\t\t{"x": 1, "y": "z"}\n\t]\n}'],
  ['{"a":"x"}', ['a', 'b'], '"', '{"a":{"b":"\\""}}'],
];

for (const [text, path, value, expected] of layouts) {
  test(`the layout of ${JSON.stringify(text)} with ${path.join('.')}`, () => assert.equal(changed(text, path, value), expected));
}

test('all other characters stay as they are written', () => {
  assert.equal(changed('{\r\n\t"a":1.00,\r\n\t"b" : "\\u0041"\r\n}', ['a'], 2), '{\r\n\t"a":2,\r\n\t"b" : "\\u0041"\r\n}');
});

test('formatting keeps numbers and escapes, and leaves a wrong document', () => {
  assert.equal(formatted('{"\\u0061":1.00,"b":["\\u0041",{}],"c":{"d":[]}}'),
    '{\n  "\\u0061": 1.00,\n  "b": [\n    "\\u0041",\n    {}\n  ],\n  "c": {\n    "d": []\n  }\n}\n');
  assert.equal(formatted('{"a":'), '{"a":');
});
