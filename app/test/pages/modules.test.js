// Modules and style sheets of the pages: folders import each other one way, every import exists, and no name stands for two files.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Each folder, what it is for, and the folders that it imports besides `frame`. A folder imports only folders above it. */
const ROOMS = `
  frame    what every page uses: elements, forms, dialogs, routes, the session, differences | none
  preview  rendered emails, selecting and editing in them, and comparing them               | none
  images   images: the page, uploads, the dialog that chooses one, smaller copies            | none
  write    visual writing: the pieces of an email, and the operations on them               | preview images
  samples  test data as fields and as JSON                                                  | none
  editor   the editor page: text, details, saving, recovery and conflicts                   | preview write samples images
  publish  reviews, publishing, history and imports                                         | preview editor
  account  sign-in, users, keys, usage and administration                                   | editor publish images
  list     lists of templates and blocks, the pages of one, and changes of several          | preview editor publish account
  fixture  the test double's controls                                                       | none`;
const rooms = new Map(ROOMS.trim().split('\n').map(row => {
  const [, name, others] = row.match(/^ *([a-z]+) .*\| (.*)$/);
  return [name, others === 'none' ? [] : others.split(' ')];
}));

const folder = new URL('../static/', import.meta.url);
const sources = new Map(['', ...folders().map(room => room + '/')].flatMap(room => readdirSync(new URL(room, folder))
  .filter(name => name.endsWith('.js')).map(name => [room + name, readFileSync(new URL(room + name, folder), 'utf8')])));
const imports = [...sources].flatMap(([name, source]) => [...source.matchAll(/^import (?:\{([^}]*)\} from )?'(\.[^']+)';$/gm)]
  .map(([, names, to]) => ({
    name,
    to: new URL(to, new URL(name, folder)).href.slice(folder.href.length),
    names: (names ?? '').split(',').map(each => each.trim()).filter(Boolean),
  })));

function folders() {
  return readdirSync(folder, { withFileTypes: true }).filter(each => each.isDirectory()).map(each => each.name);
}

/** The folder of a module; empty for `app.js`, which imports all. */
function room(name) {
  return name.includes('/') ? name.split('/')[0] : '';
}

test('imports point the way the arrows do', () => {
  const wrong = imports.filter(({ name, to }) => room(name) !== room(to) && room(name) !== ''
    && room(to) !== 'frame' && !rooms.get(room(name)).includes(room(to)) || room(name) === 'frame' && room(to) !== 'frame');
  assert.deepEqual(wrong.map(({ name, to }) => `${name} imports ${to}`), []);
});

test('the arrows make no circle, and each is used', () => {
  const above = [];
  for (const [name, others] of rooms) {
    assert.deepEqual(others.filter(other => !above.includes(other)), [], name);
    above.push(name);
    assert.deepEqual(others.filter(other => !imports.some(each => room(each.name) === name && room(each.to) === other)), [], name);
  }
});

test('the rooms of the table are the folders', () => {
  assert.deepEqual([...rooms.keys()].sort(), folders().sort());
  assert.deepEqual([...sources.keys()].filter(name => room(name) === ''), ['app.js']);
});

test('the pages link the style sheets of their rooms, in the order of the table', () => {
  const sheets = [...rooms.keys()].map(room => [room, readdirSync(new URL(room, folder)).filter(name => name.endsWith('.css')).sort().reverse()
    .map(name => `${room}/${name}`)]);
  const linked = page => [...readFileSync(new URL(page, folder), 'utf8').matchAll(/"stylesheet" href="[/_a-z]*\/assets\/([^"]+)"/g)].map(([, name]) => name);
  const common = ['frame/style.css', 'frame/pages.css'];
  assert.deepEqual(new Map(sheets).get('frame'), [...common, 'frame/docs.css']);
  const own = sheets.filter(([room]) => !['frame', 'fixture'].includes(room)).flatMap(([, names]) => names);
  assert.deepEqual(linked('index.html'), [...common, ...own]);
  assert.deepEqual(linked('fixture/fixture.html'), [...common, 'fixture/fixture.css']);
});

test('each font size is one of the six', () => {
  const sheets = [...rooms.keys()].flatMap(room => readdirSync(new URL(room, folder)).filter(name => name.endsWith('.css')).map(name => `${room}/${name}`));
  const wrong = sheets.flatMap(name => [...readFileSync(new URL(name, folder), 'utf8').matchAll(/font(?:-size)?: [^;}]*/g)].map(([text]) => text)
    .filter(text => /\d(?:\.\d+)?(?:px|rem|em|%)/.test(text)).map(text => `${name}: ${text}`));
  assert.deepEqual(wrong, []);
  const sizes = [...readFileSync(new URL('frame/style.css', folder), 'utf8').matchAll(/--text-[a-z]+: (\d+)px;/g)].map(([, size]) => Number(size));
  assert.deepEqual(sizes, [12, 13, 14, 16, 20, 28]);
});

test('no two files have one name', () => {
  const names = [...sources.keys()].map(name => name.split('/').at(-1));
  assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
});

test('each import is written so that these tests see it', () => {
  for (const [name, source] of sources) {
    const written = source.match(/^ *import\b(?!\.meta)|\bimport\(|^ *export\b.*\bfrom '/gm) ?? [];
    assert.equal(written.length, imports.filter(each => each.name === name).length, name);
  }
});

test('no circles of files', () => {
  const done = new Set();
  const visit = (name, path) => {
    assert.ok(!path.includes(name), [...path, name].join(' > '));
    if (!done.has(name)) {
      imports.filter(each => each.name === name).forEach(each => visit(each.to, [...path, name]));
      done.add(name);
    }
  };
  assert.ok(imports.length > 100);
  [...sources.keys()].forEach(name => visit(name, []));
});

test('each import is exported, and used', () => {
  for (const { name, to, names } of imports) {
    for (const each of names) {
      assert.match(sources.get(to) ?? '', new RegExp(`^export (?:async )?(?:function\\*?|const|let|class) ${each}\\b`, 'm'), `${name} imports ${each}`);
      const uses = sources.get(name).match(new RegExp(`(?<![\\w$]|[^.]\\.)${each}\\b`, 'g'));
      assert.ok(uses.length > 1, `${name} does not use ${each}`);
    }
  }
});

/** With a mistyped path, `reload` would silently do nothing. */
test('each page that is loaded again or left after a change has a route', () => {
  const routes = [...sources.get('app.js').matchAll(/^ {2}\['(\/[^']*)'/gm)].map(([, path]) => path);
  const paths = [...sources.values()].flatMap(source => [...source.matchAll(/(?:reload\(|PAGE = |from: )'(\/[^']*)'/g)].map(([, path]) => path));
  assert.ok(paths.length > 0);
  assert.deepEqual(paths.filter(path => !routes.includes(path)), []);
});
