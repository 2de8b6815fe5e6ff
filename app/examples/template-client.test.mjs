import { after, before, beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';
import { StetFixture } from '../clients/node/stet.cjs';
import { TemplateClient } from './template-client.mjs';

const HELLO = '<p>Hello {{name}}, your order {{order}} is on its way.</p>\n';
const EMAIL = 'shop@example.com';
const LOST = [{ drop: true }, { truncate: true }, { delayMs: 20_000 }, { never: true }, { bytesPerSecond: 1 },
  { status: 500 }, { status: 503 }, { status: 503, retryAfter: 1 }];

let server;
let now;
let client;

before(async () => { server = await StetFixture.start({ data: 'app/examples/stet' }); });
after(() => server?.stop());
beforeEach(async () => {
  await server.reset();
  now = Date.parse('2026-01-31T09:00:00Z');
  client = newClient();
});

function newClient(options) {
  const { baseUrl } = server;
  return new TemplateClient({ baseUrl, key: 'stet-test-key', timeoutMs: 10_000, maxPauseMs: 10, now: () => now, ...options });
}

async function statuses() {
  return (await server.requests()).map((request) => request.status);
}

test('an unchanged template is not sent again', async () => {
  assert.equal(await client.html('shipped'), HELLO);
  assert.equal(await client.html('shipped'), HELLO);
  await server.putTemplate(EMAIL, 'shipped', { html: '<p>2</p>' });
  assert.equal(await client.html('shipped'), '<p>2</p>');
  assert.deepEqual(await statuses(), [200, 304, 200]);
  assert.equal((await client.template('shipped')).subject, 'Your order {{order}}');
});

const LATE = LOST.filter((fault) => fault.delayMs || fault.never || fault.bytesPerSecond);

for (const fault of LOST) {
  test(`an answer that is lost is asked for again: ${JSON.stringify(fault)}`, async () => {
    if (LATE.includes(fault)) client = newClient({ timeoutMs: 500 });
    await server.addFault({ ...fault, times: 1 });
    assert.equal(await client.html('shipped'), HELLO);
  });

  test(`while the service fails the last html is used: ${JSON.stringify(fault)}`, async () => {
    assert.equal(await client.html('shipped'), HELLO);
    if (LATE.includes(fault)) client.timeoutMs = 100;
    await server.addFault(fault);
    assert.equal(await client.html('shipped'), HELLO);
    await assert.rejects(client.html('other'), { status: fault.status ?? 0 });
  });
}

for (const status of [401, 403, 404]) {
  test(`a refusal is not asked again and the last html is forgotten: ${status}`, async () => {
    await client.html('shipped');
    await server.addFault({ status });
    await assert.rejects(client.html('shipped'), { status });
    await assert.rejects(client.html('shipped'), { status });
    assert.deepEqual(await statuses(), [200, status, status]);
  });
}

test('without requests left nobody asks before the period ends', async () => {
  await server.setClock({ now: new Date(now).toISOString() });
  await client.html('shipped');
  await server.changeAccount(EMAIL, { used: 100 });
  assert.equal(await client.html('shipped'), HELLO);
  assert.equal(await client.html('shipped'), HELLO);
  await assert.rejects(client.html('other'), /429 Plan limit exceeded, until 2026-03-02T09:00:00.000Z/);
  assert.deepEqual(await statuses(), [200, 429]);
  now += 31 * 24 * 3600 * 1000;
  await server.setClock({ now: new Date(now).toISOString() });
  assert.equal(await client.html('shipped'), HELLO);
  assert.deepEqual(await statuses(), [200, 429, 304]);
});

test('without a service it says so', async () => {
  client = newClient({ baseUrl: 'http://127.0.0.1:1/api/v1' });
  await assert.rejects(client.html('shipped'), /\/templates\/shipped\?format=html: no answer/);
});
