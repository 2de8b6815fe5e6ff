// Modules of the pages: no import cycles, and every import exists.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const folder = new URL('../static/', import.meta.url);
const sources = new Map(readdirSync(folder).filter(name => name.endsWith('.js'))
  .map(name => [name, readFileSync(new URL(name, folder), 'utf8')]));
const imports = [...sources].flatMap(([name, source]) => [...source.matchAll(/^import (?:\{([^}]*)\} from )?'\.\/([^']+)';$/gm)]
  .map(([, names, to]) => ({ name, to, names: (names ?? '').split(',').map(each => each.trim()).filter(Boolean) })));

test('no circles', () => {
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
      assert.match(sources.get(to) ?? '', new RegExp(`^export (?:async )?(?:function|const|let|class) ${each}\\b`, 'm'), `${name} imports ${each}`);
      const uses = sources.get(name).match(new RegExp(`(?<![\\w$]|[^.]\\.)${each}\\b`, 'g'));
      assert.ok(uses.length > 1, `${name} does not use ${each}`);
    }
  }
});
