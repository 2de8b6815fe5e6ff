// Finding, changing and adding the preheader in an email's source. A table replaces the browser's entity decoder.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const entities = { amp: '&', lt: '<', gt: '>', nbsp: '\u00a0', zwnj: '\u200c' };
globalThis.document = {
  createElement: () => ({
    set innerHTML(source) {
      this.textContent = source.replace(/&(#\d+|[a-z]+);/g, (all, name) => name.startsWith('#')
        ? String.fromCodePoint(Number(name.slice(1))) : entities[name] ?? all);
    },
  }),
};
const { preheaderOf, preheaderChange } = await import('../static/editor/preheader.js');

const found = [
  ['<body><div style="display:none">Fish &amp; chips</div>Hi', 'Fish & chips'],
  ['<html><head><title>A</title><style>p { }</style></head>\n<body class="x">\n<!-- a --><span class="preheader">{{name}}, hi &nbsp;&zwnj;</span>', '{{name}}, hi'],
  ['<p hidden>a</p>b', 'a'],
  ['{{> header}}<div hidden>b</div>', 'b'],
  ['<!--[if mso]><p>a</p><![endif]-->{{!-- note --}}<div style="max-height:0; overflow:hidden">b</div>', 'b'],
  ['<div style="font-size:1px;color:#fff">\n  a b\n  c\n</div>', 'a b c'],
  ['<div style="DISPLAY: none"></div>', ''],
];
for (const [source, text] of found) {
  test(`the preheader of ${source}`, () => assert.equal(preheaderOf(source).text, text));
}

for (const source of ['', '<p>a</p>', 'a<div style="display:none">b</div>', '<img hidden>a', '<!-- <p hidden>a</p>',
  '<div style="max-height:10px">a</div>', '<style>display:none']) {
  test(`no preheader in ${source}`, () => assert.equal(preheaderOf(source), null));
}

test('one with elements in it is not changed', () => {
  assert.equal(preheaderOf('<div hidden>a <b>b</b></div>').text, null);
  assert.equal(preheaderChange('<div hidden>a <b>b</b></div>', 'c'), null);
});

const applied = (source, { from, to, text }) => source.slice(0, from) + text + source.slice(to);
const padding = '&#847;&zwnj;&nbsp;'.repeat(50);
const added = text => `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${text}${padding}</div>`;
const changes = [
  ['<div hidden>Fish &amp; chips &nbsp;</div>Hi', 'Fish & peas', '<div hidden>Fish &amp; peas&nbsp;</div>Hi'],
  ['<div hidden></div>Hi', '<b> {{name}}', '<div hidden>&lt;b&gt; {{name}}</div>Hi'],
  ['<div hidden>a</div>Hi', '', '<div hidden></div>Hi'],
  ['<html><body class="a">\n<p>Hi', 'a', `<html><body class="a">\n${added('a')}\n<p>Hi`],
  ['{{> header}}\n<p>Hi', 'a', `{{> header}}\n${added('a')}\n<p>Hi`],
  ['<p>Hi', 'a & b', `${added('a &amp; b')}\n<p>Hi`],
];
// The body tag that mail clients read: not one in a comment, a style sheet, a title or an attribute.
const mso = '<!--[if mso]><body class="mso"><![endif]-->';
for (const head of [mso, '<!-- <body> -->', '{{!-- <body> --}}', '{{! <body> }}', '<style>/* <body> */</style>', '<title><body></title>',
  '<meta content="<body>">', '<script>"<body>"</script>', '<!--[if mso]>\n<body>\n<p hidden>a</p><![endif]-->', '<textarea><body></textarea>']) {
  changes.push([`${head}<body class="a"><p>Hi`, 'a', `${head}<body class="a">\n${added('a')}<p>Hi`]);
}
changes.push([`<html><head><title>x</title></head>${mso}<!--[if !mso]><!--><body class="no-padding"><!--<![endif]--><p>Hello</p></body></html>`, 'a',
  `<html><head><title>x</title></head>${mso}<!--[if !mso]><!--><body class="no-padding"><!--<![endif]-->\n${added('a')}<p>Hello</p></body></html>`]);
changes.push(['<head><!-- </head> --></head><p>Hi', 'a', `<head><!-- </head> --></head>\n${added('a')}<p>Hi`]);
for (const [source, wanted, expected] of changes) {
  test(`${source} gets the preheader ${JSON.stringify(wanted)}`, () => {
    const made = applied(source, preheaderChange(source, wanted));
    assert.equal(made, expected);
    assert.equal(preheaderOf(made).text, wanted);
  });
}

for (const part of ['<!--', '<style>', '{{', '{{!--', '<a b="', '<', '</style', '<!-->', '<body ', '<!--[if mso]><body>']) {
  test(`2 MiB of ${part} take linear time`, { timeout: 30_000 }, () => {
    preheaderChange(part.repeat((2 << 20) / part.length), 'a');
  });
}

test('one that is typed key by key', () => {
  let source = '<p>Hi';
  for (let length = 1; length <= 'Dear {{name}}, a & b'.length; length++) {
    source = applied(source, preheaderChange(source, 'Dear {{name}}, a & b'.slice(0, length)) ?? { from: 0, to: 0, text: '' });
  }
  assert.equal(source, `${added('Dear {{name}}, a &amp; b')}\n<p>Hi`);
});

test('nothing is added for no text, and nothing changed for the same', () => {
  assert.equal(preheaderChange('<p>Hi', ''), null);
  assert.equal(preheaderChange('<div hidden>a</div>', 'a'), null);
});
