// Files for an import: what is sent of them, and what is ignored.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { toImport } = await import('../static/publish/drop.js');

const files = (...paths) => paths.map(path => ({ path, file: new Blob(['x']) }));

test('files beside a single zip are ignored', async () => {
  const { name, ignored } = await toImport(files('logo.png', 'mails.zip', 'notes.txt'));
  assert.deepEqual([name, ignored], ['mails.zip', ['logo.png', 'notes.txt']]);
});

test('templates are sent with their images, other files are ignored', async () => {
  const { name, zip, ignored } = await toImport(files('shop/a.html', 'shop/a.png', 'shop/b.json', 'shop/notes.txt'));
  const sent = new TextDecoder().decode(await zip.arrayBuffer());
  assert.deepEqual(['a.html', 'a.png', 'b.json', 'notes.txt'].filter(each => sent.includes('shop/' + each)), ['a.html', 'a.png', 'b.json']);
  assert.deepEqual([name, ignored], ['shop', ['shop/notes.txt']]);
});

test('at most 20,000 files are sent; others beside them do not count', async () => {
  const many = files(...Array.from({ length: 20_000 }, (_, i) => i + '.html'));
  const other = files('notes.txt');
  assert.deepEqual((await toImport([...many, ...other])).ignored, ['notes.txt']);
  await assert.rejects(toImport([...many, ...files('one.html')]), { message: /^Too many files \(limit: 20,000\)/ });
});

const refused = [
  [['a.zip', 'b.zip'], /^Import one zip file at a time/],
  [['a.zip', 'b.html'], /^Import one zip file at a time/],
  [['a.png'], /^Nothing to import/],
  [[], /^Nothing to import/],
];

for (const [paths, message] of refused) {
  test(`nothing is imported of ${paths.join(', ') || 'no files'}`, async () => {
    await assert.rejects(toImport(files(...paths)), { message });
  });
}
