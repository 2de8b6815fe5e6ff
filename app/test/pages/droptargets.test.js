import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestPlace } from '../static/write/droptargets.js';
import { pieceModel } from '../static/write/model.js';

/** A heading, a section with a text and an empty list, and a row of a table in it. */
const MODEL = pieceModel({
  list: [{ in: -1, form: 'blocks', pieces: [0, 1] }, { in: 1, form: 'blocks', pieces: [2] }, { in: 1, form: 'rows', pieces: [3] }],
  piece: [
    { kind: 'heading', in: 0, from: 0, to: 10 }, { kind: 'section', in: 0, from: 10, to: 90 },
    { kind: 'text', in: 1, from: 20, to: 40 }, { kind: 'columns', in: 2, from: 50, to: 80 },
  ],
}, ' '.repeat(100));
const BOXES = [[0, 40], [40, 200], [40, 100], [140, 200]].map(([top, bottom]) => ({ left: 100, width: 400, top, height: bottom - top }));

function near(x, y, own, boxes = BOXES) {
  const place = nearestPlace({ model: MODEL, boxOf: piece => boxes[piece], x, y, own });
  return place && [place.name, place.list, place.index, place.isSame];
}

test('the nearest place above or below a piece', () => {
  assert.deepEqual(near(200, 10, -1), ['Email', 0, 0, false]);
  assert.deepEqual(near(200, 95, -1), ['Section', 1, 1, false]);
});

test('of two places at one height, the inner one', () => {
  assert.deepEqual(near(200, 40, -1), ['Section', 1, 0, false]);
});

test('a piece stays among those of its form, and outside itself', () => {
  assert.deepEqual(near(200, 150, 2), ['Section', 1, 1, true]);
  assert.deepEqual(near(200, 95, 1), ['Email', 0, 1, true]);
  assert.deepEqual(near(200, 95, 3), ['Section', 2, 0, true]);
});

test('a list without shown pieces has a place in the middle of what holds it', () => {
  assert.deepEqual(near(200, 119, -1, [BOXES[0], BOXES[1], null, null]), ['Section', 1, 0, false]);
});

test('nothing is near a pointer far beside or below the email', () => {
  assert.equal(near(561, 40, -1), null);
  assert.deepEqual(near(559, 40, -1), ['Section', 1, 0, false]);
  assert.equal(near(200, 361, -1), null);
});
