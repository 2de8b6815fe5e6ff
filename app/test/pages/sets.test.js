// Test data sets: concurrent changes by two users, and editing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeName, haveSameSets, mergeSets, testSets } from '../static/samples/sets.js';

const sets = (samples, defaultSamples = Object.keys(samples)[0]) => ({ samples, defaultSamples });

test('a set that one side has changed is as that side has it', () => {
  const merged = mergeSets(sets({ a: '1', b: '1' }), sets({ a: '2', b: '1' }), sets({ a: '1', b: '3', c: '4' }));
  assert.deepEqual(merged, { samples: { a: '2', b: '3', c: '4' }, defaultSamples: 'a', copies: [] });
});

test('a set that both sides have changed is kept twice, under a name that is free', () => {
  const merged = mergeSets(sets({ a: '1' }), sets({ a: '2', 'a-2': 'x' }), sets({ a: '3' }));
  assert.deepEqual(merged, { samples: { a: '2', 'a-2': 'x', 'a-3': '3' }, defaultSamples: 'a', copies: ['a-3'] });
});

test('a set that one side deleted and the other changed stays', () => {
  assert.deepEqual(mergeSets(sets({ a: '1', b: '1' }), sets({ a: '1' }), sets({ a: '1', b: '2' })).samples, { a: '1', b: '2' });
  assert.deepEqual(mergeSets(sets({ a: '1', b: '1' }), sets({ a: '1' }), sets({ a: '1', b: '1' })).samples, { a: '1' });
});

test('the default is one that there is', () => {
  assert.equal(mergeSets(sets({ a: '1', b: '1' }), sets({ b: '1' }), sets({ a: '1', b: '1' }, 'a')).defaultSamples, 'b');
});

for (const name of ['constructor', 'toString', 'valueOf']) {
  test(`a set can be named ${name}`, () => {
    const [without, with1, with2] = [sets({ a: '1' }), sets({ a: '1', [name]: '1' }, name), sets({ a: '1', [name]: '2' }, name)];
    assert.deepEqual(mergeSets(without, with1, without), { samples: { a: '1', [name]: '1' }, defaultSamples: name, copies: [] });
    assert.deepEqual(mergeSets(with1, without, with1), { samples: { a: '1' }, defaultSamples: 'a', copies: [] });
    assert.deepEqual(mergeSets(without, with1, with2).samples, { a: '1', [name]: '1', [name + '-2']: '2' });
    assert.ok(!haveSameSets(sets({ b: '1' }), sets({ [name]: '1' })));
    const edited = testSets(with1, () => {});
    edited.remove();
    assert.deepEqual([edited.text(name), edited.read()], [undefined, without]);
  });
}

test('free names', () => {
  assert.equal(freeName('lena', {}), 'lena-2');
  assert.equal(freeName('x'.repeat(64), {}), 'x'.repeat(60) + '-2');
});

test('comparing', () => {
  assert.ok(haveSameSets({}, { samples: {} }));
  assert.ok(!haveSameSets(sets({ a: '1' }), sets({ a: '2' })));
  assert.ok(!haveSameSets(sets({ a: '1', b: '1' }, 'a'), sets({ a: '1', b: '1' }, 'b')));
});

test('a user adds, writes, renames and removes', () => {
  let changes = 0;
  const all = testSets({}, () => { changes++; });
  all.write('{"a": 1}');
  assert.deepEqual(all.read(), { samples: { default: '{"a": 1}' }, defaultSamples: 'default' });
  all.add('lena', '{}');
  all.makeDefault();
  all.rename('lena-b');
  assert.deepEqual([all.names(), all.chosen(), all.defaultName()], [['default', 'lena-b'], 'lena-b', 'lena-b']);
  all.remove();
  assert.deepEqual([all.names(), all.chosen(), all.defaultName(), changes], [['default'], 'default', 'default', 5]);
});

test('a document with an error is sent to be saved as it is, and checked as it last was', () => {
  const all = testSets(sets({ a: '{"x": 1}' }), () => {});
  all.readUsable();
  all.write('{"x": ');
  assert.deepEqual([all.read().samples.a, all.readUsable().samples.a], ['{"x": ', '{"x": 1}']);
  assert.equal(all.firstInvalid().name, 'a');
});

test('a set that is renamed while it has an error is checked as it last was', () => {
  const all = testSets(sets({ a: '{"x": 1}' }), () => {});
  all.readUsable();
  all.write('{"x": ');
  all.rename('b');
  assert.deepEqual(all.readUsable(), { samples: { b: '{"x": 1}' }, defaultSamples: 'b', chosen: 'b' });
});
