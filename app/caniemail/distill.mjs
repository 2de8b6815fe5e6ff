// Converts the data of caniemail.com, from the npm package caniemail, to support.tsv. The output is deterministic:
//
//   npm pack caniemail@2.0.2 && tar xzf caniemail-2.0.2.tgz
//   node app/caniemail/distill.mjs package > app/caniemail/support.tsv
//
// A client row has an id, a name and the tested platforms. A feature row has an id, a title, how it appears in a mail, and its support:
// a word per client with a letter per platform in the order above, y (yes), n (no), a (partial) or - (unknown). The last column lists
// the versions of Outlook for Windows that the letter covers.
import { readFileSync } from 'node:fs';

const folder = process.argv[2];
const { version } = JSON.parse(readFileSync(folder + '/package.json', 'utf8'));
const { last_update_date: updated, data } = JSON.parse(readFileSync(folder + '/data/caniemail.json', 'utf8'));

const sides = ['top', 'right', 'bottom', 'left'];
const logical = ['block', 'inline'].flatMap(axis => [axis, axis + '-start', axis + '-end']);
const all = (before, names, after = '') => names.map(name => `property:${before}${name}${after}`);

/** Forms that the title does not reveal, by feature id. */
const special = {
  'css-animation': all('animation', ['', '-delay', '-direction', '-duration', '-fill-mode', '-iteration-count', '-name',
    '-play-state', '-timing-function']),
  'css-at-media-device-pixel-ratio': ['media:-webkit-device-pixel-ratio', 'media:-webkit-min-device-pixel-ratio',
    'media:-webkit-max-device-pixel-ratio'],
  'css-at-media-hover': ['media:hover', 'media:any-hover'],
  'css-block-inline-size': ['property:block-size', 'property:inline-size'],
  'css-border': [...all('border', ['', '-width', '-style', '-color']),
    ...sides.flatMap(side => all('border-' + side, ['', '-width', '-style', '-color']))],
  'css-border-image': all('border-image', ['', '-source', '-slice', '-width', '-outset', '-repeat']),
  'css-border-inline-block': all('border-', ['inline', 'block']),
  'css-border-inline-block-individual': all('border-', ['inline-start', 'inline-end', 'block-start', 'block-end']),
  'css-border-inline-block-longhand': ['-width', '-style', '-color'].flatMap(part => all('border-', logical, part)),
  'css-border-radius': ['property:border-radius', ...all('border-', ['top-left', 'top-right', 'bottom-right', 'bottom-left'], '-radius')],
  'css-border-radius-logical': all('border-', ['start-start', 'start-end', 'end-start', 'end-end'], '-radius'),
  'css-color-scheme': ['property:color-scheme'],
  'css-column-count': ['property:column-count'],
  'css-column-layout-properties': all('column', ['s', '-fill', '-rule', '-rule-color', '-rule-style', '-rule-width', '-span', '-width']),
  'css-comments': ['other:css-comment'],
  'css-font': ['property:font'],
  'css-gap': ['property:gap', 'property:column-gap', 'property:row-gap'],
  'css-grid-template': all('grid-template', ['', '-areas', '-columns', '-rows']),
  'css-important': ['word:!important'],
  'css-inert-attribute': ['attribute:inert'],
  'css-inset': all('inset', ['', ...logical.map(name => '-' + name)]),
  'css-intrinsic-size': ['word:fit-content', 'word:min-content', 'word:max-content'],
  'css-left-right-top-bottom': all('', sides),
  'css-margin': all('margin', ['', ...sides.map(side => '-' + side)]),
  'css-margin-block-start-end': all('margin-block-', ['start', 'end']),
  'css-margin-inline-block': all('margin-', ['inline', 'block']),
  'css-margin-inline-start-end': all('margin-inline-', ['start', 'end']),
  'css-modern-color': ['lch', 'oklch', 'lab', 'oklab'].map(name => 'function:' + name),
  'css-nesting': ['other:nesting'],
  'css-outline': all('outline', ['', '-color', '-style', '-width']),
  'css-overflow': all('overflow', ['', '-x', '-y', '-block', '-inline']),
  'css-padding': all('padding', ['', ...sides.map(side => '-' + side)]),
  'css-padding-block-start-end': all('padding-block-', ['start', 'end']),
  'css-padding-inline-block': all('padding-', ['inline', 'block']),
  'css-padding-inline-start-end': all('padding-inline-', ['start', 'end']),
  'css-pseudo-class-lang': ['pseudo:lang'],
  'css-scroll-snap': all('scroll-snap', ['-type', '-align', '-stop']),
  'css-selector-adjacent-sibling': ['selector:adjacent'],
  'css-selector-attribute': ['selector:attribute'],
  'css-selector-chaining': ['selector:chained'],
  'css-selector-child': ['selector:child'],
  'css-selector-class': ['selector:class'],
  'css-selector-descendant': ['selector:descendant'],
  'css-selector-general-sibling': ['selector:sibling'],
  'css-selector-grouping': ['selector:group'],
  'css-selector-id': ['selector:id'],
  'css-selector-type': ['selector:type'],
  'css-selector-universal': ['selector:universal'],
  'css-sytem-ui': ['system-ui', 'ui-serif', 'ui-sans-serif', 'ui-rounded', 'ui-monospace'].map(name => 'word:' + name),
  'css-text-emphasis': all('text-emphasis', ['', '-color', '-style']),
  'css-transition': all('transition', ['', '-delay', '-duration', '-property', '-timing-function']),
  'css-unit-calc': ['function:calc'],
  'css-unit-initial': ['word:initial'],
  'css-variables': ['function:var', 'other:custom-property'],
  'html-address': ['element:address'],
  'html-anchor-links': ['link:#'],
  'html-comments': ['other:html-comment'],
  'html-doctype': ['other:doctype'],
  'html-h1-h6': [1, 2, 3, 4, 5, 6].map(level => 'element:h' + level),
  'html-image-maps': ['element:map', 'attribute:usemap'],
  'html-link': ['element:link[rel=stylesheet]'],
  'html-lists': ['element:ul', 'element:ol', 'element:dl'],
  'html-mailto-links': ['link:mailto'],
  'html-meta-color-scheme': ['element:meta[name=color-scheme]'],
  'html-semantics': ['article', 'aside', 'details', 'figcaption', 'figure', 'footer', 'header', 'main', 'mark', 'nav', 'section',
    'summary', 'time'].map(name => 'element:' + name),
  'html-srcset': ['attribute:srcset', 'attribute:sizes'],
  'html-svg': ['element:svg'],
  'image-apng': ['image:apng'],
  'image-avif': ['image:avif'],
  'image-base64': ['image:data'],
  'image-bmp': ['image:bmp'],
  'image-gif': ['image:gif'],
  'image-heif': ['image:heif', 'image:heic'],
  'image-ico': ['image:ico'],
  'image-jpg': ['image:jpg', 'image:jpeg'],
  'image-mp4': ['image:mp4'],
  'image-png': ['image:png'],
  'image-svg': ['image:svg'],
  'image-tiff': ['image:tiff', 'image:tif'],
  'image-webp': ['image:webp'],
};
/** Not features of HTML, but of delivery or image encoding. */
const leftOut = ['amp', 'bimi', 'image-hdr'];

function looksOf({ slug, title: given, category }) {
  const title = given.trim();
  const found = pattern => title.match(pattern)?.slice(1);
  const [name, value] = found(/^@media \(([a-z-]+)\)$/)?.map(feature => 'media:' + feature)
    ?? found(/^@([a-z-]+)$/)?.map(rule => 'at:' + rule)
    ?? found(/^::?([a-z-]+)(?:\(\))?$/)?.map(pseudo => 'pseudo:' + pseudo)
    ?? found(/^([a-z-]+)\(\)$/)?.map(call => 'function:' + call)
    ?? found(/^(\S+) unit$/)?.map(unit => 'unit:' + unit)
    ?? found(/^(\S+) attribute$/)?.map(attribute => 'attribute:' + attribute)
    ?? found(/^<([a-z]+)>(?: element)?$/)?.map(element => 'element:' + element)
    ?? (category === 'css' ? found(/^([a-z-]+)(?: property)?$/)?.map(property => 'property:' + property) : undefined) ?? [];
  const pair = found(/^<(\w+) (\w+)="(\w+)"> element$/);
  const declaration = found(/^([a-z-]+): ?([a-z-]+)$/);
  const looks = special[slug] ?? (pair ? [`element:${pair[0]}[${pair[1]}=${pair[2]}]`]
    : declaration ? [`value:${declaration.join(':')}`] : name && value === undefined ? [name] : []);
  if (looks.length === 0) {
    throw new Error(`What does ${slug} look like: ${title}?`);
  }
  return looks;
}

/** Version order: years and months are text; Outlook for Mac from 16.1 on follows its year-based versions. */
const order = stat => stat.split(/[.-]/).map(Number);
const isMacVersion = stat => /^1[6-9]\./.test(stat);
function byAge(one, other) {
  const [a, b] = [order(one), order(other)];
  return isMacVersion(one) - isMacVersion(other) || a[0] - b[0] || (a[1] ?? 0) - (b[1] ?? 0);
}

const features = data.filter(({ slug }) => !leftOut.includes(slug)).sort((one, other) => one.slug < other.slug ? -1 : 1);

/** One name per program, several for Outlook. The new Outlook for Windows shares its engine with Outlook.com. */
const platforms = [...new Set(features.flatMap(({ stats }) =>
  Object.entries(stats).flatMap(([family, each]) => Object.keys(each).map(platform => `${family}.${platform}`))))].sort();
const names = { 'apple-mail': 'Apple Mail', aol: 'AOL', gmail: 'Gmail', gmx: 'GMX', hey: 'HEY', sfr: 'SFR', 'web-de': 'WEB.DE',
  'outlook-windows': 'Outlook for Windows', 'outlook-com': 'new Outlook (Outlook.com)', 'outlook-macos': 'Outlook for Mac',
  'outlook-mobile': 'Outlook for phones', 'outlook-windows-mail': 'Windows Mail', 'yahoo': 'Yahoo Mail', 'free-fr': 'Free.fr',
  'ionos-1and1': 'IONOS', laposte: 'Laposte.net', 'mail-ru': 'Mail.ru', protonmail: 'Proton Mail', rainloop: 'RainLoop',
  'samsung-email': 'Samsung Email', 't-online-de': 'T-Online', 'wp-pl': 'WP.pl', fastmail: 'Fastmail', orange: 'Orange',
  thunderbird: 'Thunderbird' };
const platformNames = { 'desktop-webmail': 'web', 'mobile-webmail': 'mobile web', 'outlook-com': 'web', ios: 'iOS', android: 'Android',
  macos: 'macOS', windows: 'Windows', 'windows-mail': 'Windows' };
const clients = new Map();
for (const platform of platforms) {
  const [family, device] = platform.split('.');
  const id = family !== 'outlook' ? family : ['ios', 'android'].includes(device) ? 'outlook-mobile'
    : device === 'outlook-com' ? device : 'outlook-' + device;
  clients.set(id, [...clients.get(id) ?? [], platform]);
}

function letters(stats, client) {
  const [family, platform] = client.split('.');
  const versions = Object.entries(stats[family]?.[platform] ?? {}).sort(([one], [other]) => byAge(one, other))
    .map(([number, status]) => [number, { y: 'y', n: 'n', a: 'a' }[status.trim()[0].toLowerCase()] ?? '-']);
  const letter = versions.at(-1)?.[1] ?? '-';
  const same = versions.slice(versions.findLastIndex(([, other]) => other !== letter) + 1).map(([number]) => number);
  return { letter, from: same[0], to: same.at(-1) };
}

const lines = features.map(feature => {
  const { from, to } = letters(feature.stats, 'outlook.windows');
  const years = [...new Set([from, to])].filter(year => /^\d{4}$/.test(year ?? '')).join('-');
  return ['feature', feature.slug, feature.title.trim(), looksOf(feature).join(' '),
    [...clients.values()].map(each => each.map(client => letters(feature.stats, client).letter).join('')).join(' '), years].join('\t');
});
console.log([`caniemail\t${version}\t${updated.slice(0, 10)}`,
  ...[...clients].map(([id, each]) => ['client', id, names[id], ...each.map(platform => platformNames[platform.split('.')[1]])].join('\t')),
  ...lines].join('\n'));
