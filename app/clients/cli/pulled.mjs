// Changes made in Stet that pull wrote into the folder: stet-pulled.json.

import { parseObject, writeLines } from './json.mjs';
import { Refusal, decode } from './text.mjs';

function byName(map) {
  return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Reads the file. */
export function pulledOf(bytes) {
  const text = decode(bytes);
  if (text === null) throw new Refusal('Invalid UTF-8');
  const root = parseObject(text);
  return { templates: seenOf(root.get('templates')), blocks: seenOf(root.get('blocks')) };
}

function seenOf(named) {
  const text = (value) => (value === undefined || value === null || value instanceof Map || Array.isArray(value) ? undefined : String(value));
  const seen = named instanceof Map ? [...named].map(([id, each]) => {
    const field = (name) => (each instanceof Map ? text(each.get(name)) : undefined);
    return [id, { draft: field('draft'), files: field('files'), live: field('live') }];
  }) : [];
  return byName(new Map(seen));
}

/** Merges the changes of two pulls. @param isReplaced whether this pull wrote a template's files */
export function mergedPulls(now, earlier, isReplaced) {
  const merged = (one, other, replaced) => new Map([...one].map(([id, seen]) => {
    const before = other.get(id);
    return [id, before === undefined || before.files !== seen.files ? seen
      : { draft: seen.draft ?? (replaced(id) ? undefined : before.draft), files: seen.files, live: seen.live ?? before.live }];
  }));
  return { templates: merged(now.templates, earlier.templates, isReplaced), blocks: merged(now.blocks, earlier.blocks, () => false) };
}

/** The pulled changes as a file, with fields in the order of the Java program. */
export function pulledFile({ templates, blocks }) {
  const ordered = (map) => new Map([...map].map(([id, { draft, live, files }]) => [id, { draft, live, files }]));
  return Buffer.from(writeLines({ templates: ordered(templates), blocks: ordered(blocks) }));
}
