// Where a dragged piece can be dropped: above or below a piece of a list of the same form.
import { NAMES } from './kinds.js';

/** Largest distance in px between the pointer and a place, and between the pointer and the side of a place. */
const MAX_DISTANCE = 160;
const MAX_OUTSIDE = 60;

/**
 * The nearest place that accepts a dragged piece, or null.
 *
 * @param boxOf returns the box of a piece in px of the stage; null if it is not shown
 * @param own   the number of the dragged piece; undefined for a new one
 * @return {list, index, name, isSame, top, left, width}: `name` is that of what holds the list, `isSame` is true where the piece is already
 */
export function nearestPlace({ model, boxOf, x, y, own }) {
  const places = model.lists.map((_, list) => list).filter(list => accepts(model, list, own)).flatMap(list => placesIn(model, boxOf, list))
    .map(place => ({ ...place, distance: distance(model, place, x, y) }));
  const nearest = places.reduce((best, each) => each.distance < (best?.distance ?? MAX_DISTANCE) ? each : best, null);
  if (nearest === null) {
    return null;
  }
  const { in: holder, pieces } = model.lists[nearest.list];
  return {
    ...nearest, name: holder < 0 ? 'Email' : NAMES[model.pieces[holder].kind],
    isSame: pieces.includes(own) && [model.index(own), model.index(own) + 1].includes(nearest.index),
  };
}

/** True if a list may take a piece: one of its form that is not inside it. Each takes a new one. */
function accepts(model, list, own) {
  const { form, in: holder } = model.lists[list];
  return own === undefined || form === model.lists[model.pieces[own].in].form && !(holder >= 0 && model.path(holder).includes(own));
}

/** The places above and below each shown piece of a list; in the middle of what holds an empty one. */
function placesIn(model, boxOf, list) {
  const { pieces, in: holder } = model.lists[list];
  const shown = pieces.map((piece, i) => ({ box: boxOf(piece), i })).filter(({ box }) => box);
  const around = shown.length === 0 && holder >= 0 ? boxOf(holder) : null;
  return around ? [{ list, index: 0, top: around.top + around.height / 2, left: around.left, width: around.width }]
    : shown.flatMap(({ box: { top, height, left, width }, i }) => [{ list, index: i, top, left, width }, { list, index: i + 1, top: top + height, left, width }]);
}

/** The distance of a pointer from a place. Of two places at one height, the inner one is nearer. */
function distance(model, { list, top, left, width }, x, y) {
  const outside = Math.max(0, left - x, x - left - width);
  const holder = model.lists[list].in;
  const depth = holder < 0 ? 0 : model.path(holder).length;
  return Math.abs(y - top) + (outside > MAX_OUTSIDE ? MAX_DISTANCE : outside) - depth * 0.5;
}
