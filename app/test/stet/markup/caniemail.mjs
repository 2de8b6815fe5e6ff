// Prints the npm package caniemail's findings: for each email, its file name, then a line per title and client with n or a.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [folder, ...files] = process.argv.slice(2);
const { caniemail } = await import(pathToFileURL(folder + '/node_modules/caniemail/dist/index.js'));
const clients = ['apple-mail.*', 'gmail.*', 'outlook.windows', 'outlook.outlook-com', 'samsung-email.*', 'yahoo.*'];
for (const file of files) {
  const { issues } = caniemail({ clients, html: readFileSync(file, 'utf8') });
  console.log('file\t' + file);
  for (const [kind, found] of [['n', issues.errors], ['a', issues.warnings]]) {
    found.forEach((list, client) => new Set(list.map(({ title }) => title.trim())).forEach(title => console.log([title, client, kind].join('\t'))));
  }
}
