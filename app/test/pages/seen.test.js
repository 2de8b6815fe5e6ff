// Forms for settings: what they send, and what they say if somebody else was first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { submitSeen } from '../static/frame/seen.js';
import { setAccount } from '../static/frame/session.js';

setAccount({ userName: 'Ada', email: 'ada@example.com' });

test('the value that somebody else has set is shown before it is replaced', async () => {
  const sent = [];
  const submit = submitSeen({ url: null }, ({ url }) => url ?? 'none', async given => {
    sent.push(given);
    if (sent.length === 1) {
      throw Object.assign(new Error('changed'), { body: { theirs: { value: { url: 'b' }, by: 'Eve', at: null } } });
    }
    return 'done';
  });
  await assert.rejects(submit({ url: 'a' }), { message: 'Eve changed this in the meantime. It is now: b. To replace it, click the button again' });
  assert.equal(await submit({ url: 'a' }), 'done');
  assert.deepEqual(sent, [{ url: 'a', seen: { url: null } }, { url: 'a', seen: { url: 'b' } }]);
});

test('other errors stay as they are', async () => {
  await assert.rejects(submitSeen({}, String, async () => { throw new Error('no'); })({}), { message: 'no' });
});
