// Performs operations on emails for PieceOperationsTest, which reads their pieces: one JSON request a line, one JSON answer a line.
import { createInterface } from 'node:readline';

const operations = await import(`file://${process.argv[2]}/write/operations.js`);
const KINDS = ['heading', 'text', 'button', 'image', 'divider', 'space', 'columns', 'imageText', 'block', 'condition', 'list'];

/** Applies edits to a source. Those at one place keep their order. */
function apply(source, edits) {
  return edits.map((edit, i) => ({ ...edit, i })).sort((one, other) => other.from - one.from || other.to - one.to || other.i - one.i)
    .reduce((text, { from, to, text: given }) => text.slice(0, from) + given + text.slice(to), source);
}

/** The edits of an operation, after checking that they are exact. */
function exact(html, result) {
  if (result.edits) {
    operations.assertExact(html, result.edits, apply(html, result.edits));
  }
  return result;
}

/** Every move within a list, and every insertion of every kind. */
function all({ html, pieces }) {
  const moves = [];
  const inserts = [];
  pieces.list.forEach((each, list) => {
    for (let index = 0; index <= each.pieces.length; index++) {
      each.pieces.forEach((piece, i) => {
        if (index !== i && index !== i + 1) {
          moves.push({ piece, list, i, to: index > i ? index - 1 : index, ...exact(html, operations.move(html, pieces, { piece, list, index })) });
        }
      });
      inserts.push({ list, index, kinds: KINDS.map(kind => ({ kind, ...exact(html, operations.insert(html, pieces, { kind, list, index, options: { name: 'items' } })) })) });
    }
  });
  return { moves, inserts };
}

/** A random operation that is possible here. */
function step({ html, pieces, seed }) {
  let state = seed;
  const random = count => { // mulberry32
    state = state + 0x6D2B79F5 | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) % count;
  };
  for (let tries = 0; tries < 30; tries++) {
    const list = random(Math.max(1, pieces.list.length));
    const index = random((pieces.list[list]?.pieces.length ?? 0) + 1);
    const piece = random(Math.max(1, pieces.piece.length));
    const one = pieces.piece[piece];
    const [from, to] = [random(one?.content ? one.content[1] - one.content[0] + 1 : 1), random(12)].map((each, i, [begin]) => (one?.content?.[0] ?? 0) + begin + i * each);
    const all = [
      ['insert', { kind: KINDS[random(KINDS.length)], list, index, options: { name: ['items', 'vip', 'user.name'][random(3)] } }],
      ['insert', { kind: KINDS[random(8)], list, index }],
      ['move', { piece, list, index }],
      ['move', { piece, list: one?.in, index: random((pieces.list[one?.in]?.pieces.length ?? 0) + 1) }],
      ['duplicate', { piece }],
      ['remove', { piece }],
      ['wrap', { piece, kind: ['condition', 'list'][random(2)], name: 'vip' }],
      ['unwrap', { piece }],
      ['replaceByBlock', { piece, name: 'footer' }],
      ['setValue', { piece, property: ['link', 'label', 'background', 'color', 'source', 'alt', 'width', 'align', 'padding', 'radius', 'height', 'name'][random(12)],
        value: ['#123456', '12px', 'center', 'https://example.com/?a=1&b="2"', '{{colour}}', '', 'a < b & c'][random(7)] }],
      ['format', { from, to, as: ['strong', 'em', 'a'][random(3)], href: ['https://example.com', 'mailto:ada@example.com'][random(2)] }],
      ['insertVariable', { from, to: from, name: 'user.name' }],
      ['insertHtml', { html: one ? operations.htmlOfPiece(html, pieces, { piece }) : '<p>a</p>', list, index, status: 'Pasted' }],
      ['insertHtml', { html: ['<p>a</p>', '<tr><td>b</td></tr>', '<div><b>c</div>', '{{#if a}}<p>d</p>{{/if}}'][random(4)], list, index }],
    ];
    const [name, options] = all[random(all.length)];
    const isPossible = pieces.piece.length > 0 || ['insert', 'insertHtml'].includes(name);
    if (isPossible && pieces.list.length > 0) {
      const result = exact(html, operations[name](html, pieces, options));
      if (!result.problem && result.edits.length > 0) {
        return { name, options, ...result };
      }
    }
  }
  return { name: 'nothing', edits: [] };
}

const DO = { all, move: each => exact(each.html, operations.move(each.html, each.pieces, each)), steps: ({ steps }) => steps.map(step),
  one: each => exact(each.html, operations[each.name](each.html, each.pieces, each.options)) };

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = DO[request.do](request);
  } catch (failure) {
    answer = { failure: failure.stack };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
