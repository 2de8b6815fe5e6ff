import { after, before, beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';
import { StetFixture } from '../clients/node/stet.cjs';

let server;

before(async () => {
  server = await StetFixture.start({ data: 'app/examples/stet' });
});

beforeEach(() => server.reset());

after(() => server?.stop());

test('fills in the template', async () => {
  assert.equal(await mail('Ada', '7'), '200 <p>Hello Ada, your order 7 is on its way.</p>\n');
  const requests = await server.requests({ template: 'shipped' });
  assert.deepEqual(requests.map((request) => request.status), [200]);
});

test('sees an error of the service', async () => {
  await server.addFault({ status: 500, times: 1 });
  assert.equal(await mail('Ada', '7'), '500 {"error":"Internal server error"}');
  assert.equal(await mail('Ada', '7'), '200 <p>Hello Ada, your order 7 is on its way.</p>\n');
});

test('runs out of requests until the next period', async () => {
  await server.changeAccount('shop@example.com', { used: 100 });
  assert.equal(await mail('Ada', '7'), '429 Plan limit exceeded');
  await server.advance('P30D');
  assert.equal(await mail('Ada', '7'), '200 <p>Hello Ada, your order 7 is on its way.</p>\n');
});

// Represents the app under test, which is configured with the base URL and the key.
async function mail(name, order) {
  const headers = { Authorization: 'Bearer stet-test-key' };
  const response = await fetch(`${server.baseUrl}/templates/shipped?format=html`, { headers });
  return `${response.status} ${(await response.text()).replace('{{name}}', name).replace('{{order}}', order)}`;
}
