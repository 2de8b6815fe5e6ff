// Values of forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberIn } from '../static/frame/form.js';

test('a number is read only from a number', () => {
  assert.deepEqual(['', ' ', '0', ' 12 ', '-1', '1,000', 'many', 'Infinity'].map(numberIn), [null, null, 0, 12, -1, '1,000', 'many', 'Infinity']);
});
