import { after, before, beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';
import { StetFixture } from '../clients/node/stet.mjs';

let stet;

before(async () => {
  stet = await StetFixture.start({ data: 'app/examples/stet' });
});

beforeEach(() => stet.reset());

after(() => stet?.stop());

test('fills in the template', async () => {
  assert.equal(await mail('Ada', '7'), '200 <p>Hello Ada, your order 7 is on its way.</p>\n');
  const requests = await stet.requests({ template: 'shipped' });
  assert.deepEqual(requests.map((request) => request.status), [200]);
});

test('sees an error of the service', async () => {
  await stet.addFault({ status: 500, times: 1 });
  assert.equal(await mail('Ada', '7'), '500 {"error":"Internal server error"}');
  assert.equal(await mail('Ada', '7'), '200 <p>Hello Ada, your order 7 is on its way.</p>\n');
});

test('runs out of requests until the next period', async () => {
  await stet.changeAccount('shop@example.com', { used: 100 });
  assert.equal(await mail('Ada', '7'), '429 Plan limit exceeded');
  await stet.advance('P30D');
  assert.equal(await mail('Ada', '7'), '200 <p>Hello Ada, your order 7 is on its way.</p>\n');
});

// Stands for the app under test, which is given the base address and the key.
async function mail(name, order) {
  const headers = { Authorization: 'Bearer stet-test-key' };
  const response = await fetch(`${stet.baseUrl}/templates/shipped?format=html`, { headers });
  return `${response.status} ${(await response.text()).replace('{{name}}', name).replace('{{order}}', order)}`;
}
