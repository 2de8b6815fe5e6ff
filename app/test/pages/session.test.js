// Sign-in by a proxy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyRefusal, signInByProxy } from '../static/frame/session.js';

test('a sign-in that succeeds ends the refusal of an earlier one', async () => {
  const responses = [Response.json({ error: 'Unknown user' }, { status: 403 }), Response.json({ id: 1, email: 'ada@example.com' })];
  globalThis.fetch = async () => responses.shift();
  assert.equal(await signInByProxy(), false);
  assert.equal(proxyRefusal.message, 'Unknown user');
  assert.equal(await signInByProxy(), true);
  assert.equal(proxyRefusal, null);
});
