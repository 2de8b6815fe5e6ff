// Example values for names missing from a document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed } from '../static/samples/examples.js';

const variable = (name, inner = [], isList = false) => ({ name, isList, inner });

test('a value is guessed from its name', () => {
  const names = ['firstName', 'order_total', 'invoiceUrl', 'is_vip', 'quantity', 'greeting'];
  assert.deepEqual(JSON.parse(completed('{}', names.map(name => variable(name)))), {
    firstName: 'Ada', order_total: '€ 24.00', invoiceUrl: 'https://example.com/', is_vip: true, quantity: 3, greeting: 'Greeting',
  });
});

test('what is there stays, and what it lacks is added, in each row of a list', () => {
  const tree = [variable('user', [variable('name'), variable('email')]), variable('rows', [variable('title'), variable('price')], true)];
  const made = completed('{"user": {"name": "Ben"}, "rows": [{"title": "Tea"}, {"price": 1}, 7]}', tree);
  assert.deepEqual(JSON.parse(made), {
    user: { name: 'Ben', email: 'ada@example.com' },
    rows: [{ title: 'Tea', price: '€ 24.00' }, { price: 1, title: 'Title' }, 7],
  });
});

test('an empty list and null are filled, a name with dots is one name', () => {
  const tree = [variable('rows', [variable('title')], true), variable('user', [variable('name')])];
  assert.deepEqual(JSON.parse(completed('{"rows": [], "user": null}', tree)),
    { rows: [{ title: 'Title' }, { title: 'Title' }], user: { name: 'Ada Lovelace' } });
  assert.deepEqual(JSON.parse(completed('{"user.name": "Ben"}', [variable('user.name')])), { 'user.name': 'Ben' });
});
