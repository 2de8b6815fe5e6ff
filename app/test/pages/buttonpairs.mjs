// Counts the differences between buttons and their copies, for ButtonPairsTest: reads a JSON list of sources, writes one line for each.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

globalThis.document = {
  createElement: () => ({
    set innerHTML(source) {
      this.textContent = source.replace(/&nbsp;/g, '\u00a0').replace(/&amp;/g, '&');
    },
  }),
};
const [, , preview, input] = process.argv;
const { copiesOf } = await import(pathToFileURL(preview + '/buttoncopies.js'));
const { shownText } = await import(pathToFileURL(preview + '/inplace.js'));

const plain = text => text.replace(/[\s\u00a0]+/g, ' ').replace(/(\{\{[{~]?) | ([}~]?\}\})/g, '$1$2').trim();

for (const source of JSON.parse(readFileSync(input, 'utf8'))) {
  const address = ({ tag }) => {
    const { from, to } = tag.attributes.find(({ name }) => name === 'href');
    return plain(shownText(source.slice(from, to), { isAttribute: true }));
  };
  const label = ({ texts }) => plain(texts.map(({ from, to }) => shownText(source.slice(from, to), { collapses: true })).join(''));
  const pairs = copiesOf(source);
  const links = pairs.filter(({ shown, copy }) => address(shown) !== address(copy)).length;
  const labels = pairs.filter(({ shown, copy }) => label(shown) !== '' && label(copy) !== '' && label(shown) !== label(copy)).length;
  console.log(links + ' ' + labels);
}
