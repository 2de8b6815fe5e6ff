// Tests of an app whose client is generated from Stet's openapi.json. For stet.cjs, see testing-node.md.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { getHealth, getTemplate, headTemplate } from './stet';
import { client } from './stet/client.gen';
import { StetFixture } from './stet.cjs';

let server: StetFixture;

before(async () => {
  server = await StetFixture.start('data');
  client.setConfig({ baseUrl: server.url, auth: 'stet-test-key' });
});
beforeEach(() => server.reset());
after(() => server?.stop());

test('a template', async () => {
  const { data } = await getTemplate({ path: { id: 'welcome' }, throwOnError: true });
  const template = data as Exclude<typeof data, string>;
  assert.equal(template.id, 'welcome');
  assert.equal(template.html, '<p>Hello {{name}}</p>\n');
  const variables: string[] = template.variables;
  assert.equal(JSON.stringify(variables), '["name"]');
});

test('only its HTML, or only its variables', async () => {
  const html = await getTemplate({ path: { id: 'welcome' }, query: { format: 'html' } });
  assert.equal(html.data, '<p>Hello {{name}}</p>\n');
  const variables = await getTemplate({ path: { id: 'welcome' }, query: { format: 'variables' } });
  assert.deepEqual(variables.data, { variables: ['name'] });
});

test('headers and errors', async () => {
  const { response } = await headTemplate({ path: { id: 'welcome' } });
  assert.match(response!.headers.get('ETag')!, /^"[0-9a-f]{64}"$/);
  const unknown = await getTemplate({ path: { id: 'unknown' } });
  assert.deepEqual([unknown.response!.status, unknown.error], [404, { error: 'Not found' }]);
});

test('the health, at the same address', async () => {
  assert.deepEqual((await getHealth({ throwOnError: true })).data, { status: 'ok' });
});

test('a misspelled field does not compile', async () => {
  // @ts-expect-error: "stauts" is not a field of a fault
  await assert.rejects(server.addFault({ stauts: 500 }), /"stauts"/);
  // @ts-expect-error: "use" is not a field of an account
  await assert.rejects(server.changeAccount('shop@example.com', { use: 1 }), /"use"/);
  // @ts-expect-error: "tmies" is not a field of an expectation
  await assert.rejects(server.verify({ tmies: 1 }), /"tmies"/);
});
