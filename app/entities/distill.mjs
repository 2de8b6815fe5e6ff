// Writes names.txt, the named character references of HTML (HTML standard, 13.5), from two npm packages:
//   npm install character-entities@2.0.2 character-entities-legacy@3.0.0; node distill.mjs node_modules
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const load = name => import(resolve(process.argv[2], name, 'index.js'));
const { characterEntities } = await load('character-entities');
const bare = new Set((await load('character-entities-legacy')).characterEntitiesLegacy);
// A name without ";" also stands for the name with it.
const lines = Object.entries(characterEntities).map(([name, text]) =>
  `${name}${bare.has(name) ? '' : ';'} ${[...text].map(c => c.codePointAt(0).toString(16)).join(' ')}\n`);
writeFileSync(new URL('names.txt', import.meta.url), lines.sort().join(''));
