// Names and values in test data, and the source positions of preview markers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocument } from '../static/samples/json.js';
import { placeIn, typedValue, usedNames } from '../static/samples/samples.js';

test('a text in a field that is JSON stands for it', () => {
  const values = ['true', 'null', '0', '[1]', '{"a": 1}', '[1', '01', 'true ', '{"a": 1}, "b": {'];
  assert.deepEqual(values.map(typedValue), [true, null, 0, [1], { a: 1 }, '[1', '01', 'true ', '{"a": 1}, "b": {']);
});

test('a name with dots may be one name', () => {
  const { node } = parseDocument('{"a.b": 1, "c": {"d": 2}}');
  assert.deepEqual([placeIn(node, ['a', 'b']), placeIn(node, ['c', 'd']), placeIn(node, ['e', 'f'])], [['a.b'], ['c', 'd'], ['e', 'f']]);
});

test('the names of a tree', () => {
  assert.deepEqual(usedNames([{ name: 'a', inner: [{ name: 'b', inner: [] }] }, { name: 'c', inner: [] }]), ['a', 'a.b', 'c']);
});
