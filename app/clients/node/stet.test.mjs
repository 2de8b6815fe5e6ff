import { after, before, beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StetFixture, start } from './stet.cjs';

const data = 'app/examples/stet';
const email = 'shop@example.com';
let stet;

before(async () => { stet = await StetFixture.start({ data }); });
beforeEach(() => stet.reset());
after(() => stet?.stop());

async function get(id, key = 'stet-test-key') {
  const response = await fetch(`${stet.baseUrl}/templates/${id}?format=html`, { headers: { Authorization: `Bearer ${key}` } });
  return `${response.status} ${await response.text()}`;
}

test('clocks stand, move on and run', async () => {
  assert.deepEqual(await stet.setClock({ now: '2026-02-01T00:00:00Z' }), { now: '2026-02-01T00:00:00.000Z' });
  assert.equal((await stet.advance('P1D')).now, '2026-02-02T00:00:00.000Z');
  assert.equal((await stet.advance('P1D', email)).now, '2026-02-03T00:00:00.000Z');
  assert.equal((await stet.clock()).now, '2026-02-02T00:00:00.000Z');
  assert.equal((await stet.clock(email)).now, '2026-02-03T00:00:00.000Z');
  assert.equal((await stet.advanceToPeriodEnd(email)).now, '2026-03-02T09:00:00.000Z');
  await stet.restartClock(email);
  assert.equal((await stet.clock(email)).now, '2026-02-02T00:00:00.000Z');
  assert.equal((await stet.setClock({ offset: 'P30D' })).offset, 'PT720H');
  await stet.restartClock();
  assert.equal((await stet.clock()).offset, 'PT0S');
});

test('accounts, templates and blocks are written', async () => {
  const added = await stet.addAccount({ plan: 'pro', templates: { one: { html: '<p>1</p>' } } });
  assert.equal(await get('one', added.key), '200 <p>1</p>');
  assert.equal((await stet.changeAccount(email, { used: 7 })).used, 7);
  assert.equal((await stet.account(email)).used, 7);
  await stet.putBlock(email, 'footer', '<i>f</i>');
  assert.equal((await stet.putTemplate(email, 'new', { html: '{{> footer}}' })).published, true);
  assert.equal(await get('new'), '200 <i>f</i>');
  assert.equal((await stet.template(email, 'new')).served.html, '<i>f</i>');
  assert.equal((await stet.block(email, 'footer')).html, '<i>f</i>');
  await stet.deleteTemplate(email, 'new');
  await stet.deleteBlock(email, 'footer');
  assert.match(await get('new'), /^404/);
  assert.deepEqual((await stet.accounts()).map((each) => each.email), [email, added.email]);
  await stet.deleteAccount(added.email);
  assert.match(await get('one', added.key), /^401/);
});

test('images are written', async () => {
  const dot = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64');
  const written = await stet.putImage(email, 'dot.gif', dot);
  assert.deepEqual([written.name, written.bytes, written.width], ['dot.gif', dot.length, 1]);
  assert.deepEqual(await stet.image(email, 'dot.gif'), written);
  assert.deepEqual((await stet.account(email)).images, ['dot.gif']);
  assert.deepEqual(Buffer.from(await (await fetch(stet.url + written.path)).arrayBuffer()), dot);
  await stet.deleteImage(email, 'dot.gif');
  await assert.rejects(stet.image(email, 'dot.gif'), /404/);
});

test('keys are added, rotated and deleted', async () => {
  const { email: own } = await stet.addAccount({ plan: 'pro', templates: { one: { html: '1' } } });
  const second = await stet.addKey(own, { name: 'second', key: 'a-second-key' });
  assert.deepEqual(second, { name: 'second', key: 'a-second-key' });
  const third = await stet.rotateKey(own, 'second', { expiresIn: 'P1D' });
  assert.equal(await get('one', second.key) + await get('one', third.key), '200 1200 1');
  assert.deepEqual((await stet.keys(own)).map((each) => each.expiresAt === null), [true, false, true]);
  await stet.deleteKey(own, 'second');
  assert.match(await get('one', third.key), /^401/);
});

test('one account is reset', async () => {
  const own = await stet.addAccount({ plan: 'pro', templates: { one: { html: '1' } } });
  await stet.changeAccount(email, { used: 7 });
  await stet.deleteTemplate(own.email, 'one');
  await stet.addFault({ account: own.email, status: 500 });
  await stet.addFault({ account: email, status: 500 });
  await stet.reset(own.email);
  assert.equal(await get('one', own.key), '200 1');
  assert.equal((await stet.account(email)).used, 7);
  assert.equal((await stet.faults()).length, 1);
});

test('faults and the journal', async () => {
  await stet.addFault({ status: 503, template: 'shipped', times: 2 });
  assert.match(await get('shipped'), /^503 /);
  assert.equal((await stet.faults())[0].times, 1);
  const { id } = await stet.addFault({ status: 502, type: 'text/html', body: '<h1>Bad gateway</h1>' });
  await stet.deleteFault(id);
  await stet.clearFaults({ template: 'shipped' });
  assert.match(await get('shipped'), /^200/);
  assert.deepEqual((await stet.requests({ template: 'shipped', wait: 2 })).map((each) => each.status), [503, 200]);
  assert.equal((await stet.requests({ status: 200, account: email })).length, 1);
  await stet.verify({ template: 'shipped', status: 200, times: 1 });
  await assert.rejects(stet.verify({ template: 'shipped', never: true }), /POST \/_fixture\/verify: 417 [^]*shipped/);
  await stet.clearRequests();
  assert.deepEqual(await stet.requests(), []);
});

test('what happened is told with reasons', async () => {
  await get('shiped');
  await assert.rejects(stet.verify({ template: 'shipped' }));
  const { events, text } = await stet.whatHappened();
  assert.deepEqual(events.map(({ kind, asked, key, status, reason }) => [kind, asked, key, status, reason]), [
    ['request', 'GET /api/v1/templates/shiped?format=html', `tests of ${email}`, 404, '"shiped" is unknown; did you mean "shipped"?'],
    ['expectation', 'at least 1 request with template "shipped"', null, null, 'there was none'],
  ]);
  assert.match(text, /1 +GET [^]*\n  Expected at least 1 request/);
});

test('a refused control says why', async () => {
  await assert.rejects(stet.addFault({ status: 500, statsu: 1 }), /POST \/_fixture\/faults: 400 .*"statsu"/);
});

test('a failure points to the test', async () => {
  const here = new RegExp(`\n +at [^\n]*${basename(import.meta.url)}:`);
  const calls = [() => stet.verify({ times: 1 }), () => stet.verify({ template: 'shipped', times: 1 }), () => stet.requests({ status: 1 }),
    () => StetFixture.start({ data: 'none' })];
  for (const call of calls) {
    const { stack, message } = await call().then(() => assert.fail('it succeeded'), (error) => error);
    assert.match(stack.slice(stack.indexOf(message) + message.length).split('\n').slice(0, 2).join('\n'), here);
  }
});

test('CommonJS loads it, also for Jest', () => {
  assert.equal(createRequire(import.meta.url)('./stet.cjs').StetFixture, StetFixture);
  assert.equal(createRequire(import.meta.url)('./stet.cjs').start, start);
});

test('"await using" stops it, also after a failure', async () => {
  const other = await start({ data });
  await other[Symbol.asyncDispose]();
  await assert.rejects(other.reset());
  await other[Symbol.asyncDispose]();
});

// Only Node.js 24 and later can parse the statement.
const canUse = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], { input: 'await using a = null;' }).status === 0;
test('the statement "await using" stops it', { skip: !canUse && 'needs Node.js 24' }, () => {
  const script = `import { start } from ${JSON.stringify(new URL('./stet.cjs', import.meta.url).href)};
    let kept;
    try {
      await using stet = await start(${JSON.stringify(data)});
      kept = stet;
      throw new Error('of the test');
    } catch (error) {
      console.log(error.message, await kept.reset().then(() => 'it runs', () => 'it is stopped'));
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(stdout, 'of the test it is stopped\n', stderr);
});

test('a zero is sent', async () => {
  await stet.verify({ times: 0 });
  await get('shipped');
  await assert.rejects(stet.verify({ times: 0 }), /Expected no requests/);
  await assert.rejects(stet.verify({ atMost: 0 }), /Expected no requests/);
  await assert.rejects(stet.addFault({ status: 500, times: 0 }), /"times"/);
  await assert.rejects(stet.clearFaults({ account: '' }), /404 Account/);
  await stet.addFault({ status: 503, body: '', times: 1 });
  assert.equal(await get('shipped'), '503 ');
});

test('an empty setting is a missing one', async () => {
  const nothing = new RegExp(`Folder ${process.cwd()}/src/test/stet not found`);
  await assert.rejects(start(''), nothing);
  await assert.rejects(start({ data: '', jar: '', java: '' }), nothing);
  const { JAVA, STET_JAR } = process.env;
  Object.assign(process.env, { JAVA: '', STET_JAR: '' });
  try {
    await assert.rejects(start(), nothing);
  } finally {
    for (const [name, value] of Object.entries({ JAVA, STET_JAR })) {
      if (value === undefined) delete process.env[name]; else process.env[name] = value;
    }
  }
});

test('a start that fails says why', async () => {
  process.env.JAVA_TOOL_OPTIONS = '-Xmx8m';
  await assert.rejects(StetFixture.start({ data }), /did not start: it exited with 1\n[^]*heap size/);
  delete process.env.JAVA_TOOL_OPTIONS;
  await assert.rejects(StetFixture.start({ data: 'no-such-folder' }), /did not start: it exited with 1\n[^]*no-such-folder/);
  await assert.rejects(StetFixture.start('no-such-folder'), new RegExp(`Folder ${process.cwd()}/no-such-folder not found`));
  await assert.rejects(StetFixture.start({ data, java: 'no-such-java' }), /did not start: no-such-java not found; install Java/);
  await assert.rejects(start(), new RegExp(`Folder ${process.cwd()}/src/test/stet not found`));
});

test('a URL that arrives in two pieces is read whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stet-'));
  const java = join(folder, 'java');
  writeFileSync(java, "#!/bin/sh\nprintf 'STET_READY url=http://127.0.0.1:80'; sleep 0.2; echo 80; exec cat > /dev/null\n", { mode: 0o700 });
  const other = await start({ data, java });
  await other.stop();
  rmSync(folder, { recursive: true });
  assert.equal(other.url, 'http://127.0.0.1:8080');
});

test('stopping twice is fine, and then nothing listens', async () => {
  const other = await StetFixture.start({ data });
  await other.stop();
  await other.stop();
  await assert.rejects(other.reset());
});
