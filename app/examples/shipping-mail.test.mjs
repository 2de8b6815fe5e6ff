import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';

let stet;
let url;

before(async () => {
  const jar = process.env.JAR ?? 'target/stet.jar';
  stet = spawn('java', ['-jar', jar, 'fixture', 'app/examples/stet', '--with-parent'], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: stet.stdout })) {
    url = line.match(/^STET_READY url=(.+)$/)?.[1];
    if (url) break;
  }
  assert.ok(url, 'the test double did not start');
});

beforeEach(() => control('POST', '/reset'));

after(async () => {
  const ended = new Promise((resolve) => stet.once('exit', resolve));
  stet.stdin.end();
  await ended;
});

test('fills in the template', async () => {
  assert.equal(await mail('Ada', '7'), '200 <p>Hello Ada, your order 7 is on its way.</p>\n');
  const { requests } = await control('GET', '/requests?template=shipped');
  assert.deepEqual(requests.map((request) => request.status), [200]);
});

test('sees an error of the service', async () => {
  await control('POST', '/faults', { status: 500, times: 1 });
  assert.equal(await mail('Ada', '7'), '500 {"error":"Internal server error"}');
  assert.equal(await mail('Ada', '7'), '200 <p>Hello Ada, your order 7 is on its way.</p>\n');
});

test('runs out of requests until the next period', async () => {
  await control('PATCH', '/accounts/shop@example.com', { used: 100 });
  assert.equal(await mail('Ada', '7'), '429 Plan limit exceeded');
  await control('POST', '/clock/advance', { by: 'P30D' });
  assert.equal(await mail('Ada', '7'), '200 <p>Hello Ada, your order 7 is on its way.</p>\n');
});

async function control(method, path, body) {
  const response = await fetch(`${url}/_fixture${path}`, { method, body: body && JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, text);
  return text && JSON.parse(text);
}

// Stands for the app under test, which is given the base address and the key.
async function mail(name, order) {
  const response = await fetch(`${url}/api/v1/templates/shipped?format=html`, { headers: { Authorization: 'Bearer stet-test-key' } });
  return `${response.status} ${(await response.text()).replace('{{name}}', name).replace('{{order}}', order)}`;
}
