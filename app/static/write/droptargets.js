// Where a dragged piece can be dropped: above or below a piece of a list of the same form.
import { NAMES } from './kinds.js';

/** Largest distance in px between the pointer and a place, and between the pointer and the side of a place. */
const MAX_DISTANCE = 160;
const MAX_OUTSIDE = 60;
/** Of two places at one height, the inner one is nearer: by this many px for each piece around it. */
const NEARER_INSIDE = 0.5;

/**
 * The nearest place that accepts a dragged piece, or null.
 *
 * @param boxOf returns the box of a piece in px of the stage; null if it is not shown
 * @param x, y  the pointer, in px of the stage
 * @param own   the number of the dragged piece; -1 for a new one
 * @return {list, index, name, isSame, top, left, width}: `name` is that of what holds the list, `isSame` is true where the piece is already
 */
export function nearestPlace({ model, boxOf, x, y, own }) {
  let nearest = null;
  let least = MAX_DISTANCE;
  model.lists.forEach((_, list) => {
    if (accepts(model, list, own)) {
      const depth = depthOf(model, list);
      for (const place of placesIn(model, boxOf, list)) {
        const distance = distanceTo(place, x, y) - depth * NEARER_INSIDE;
        if (distance < least) {
          nearest = place;
          least = distance;
        }
      }
    }
  });
  if (nearest === null) {
    return null;
  }
  const { in: holder, pieces } = model.lists[nearest.list];
  const isSame = pieces.includes(own) && [model.index(own), model.index(own) + 1].includes(nearest.index);
  return { ...nearest, name: holder < 0 ? 'Email' : NAMES[model.pieces[holder].kind], isSame };
}

/** True if a piece can be moved to a list: one of the same form that is not inside the piece. Every list accepts a new piece. */
function accepts(model, list, own) {
  if (own < 0) {
    return true;
  }
  const { form, in: holder } = model.lists[list];
  const isInside = holder >= 0 && model.path(holder).includes(own);
  return form === model.lists[model.pieces[own].in].form && !isInside;
}

/** Number of pieces around a list. */
function depthOf(model, list) {
  const { in: holder } = model.lists[list];
  return holder < 0 ? 0 : model.path(holder).length;
}

/** The places above and below each shown piece of a list; if none is shown, one in the middle of the piece that holds the list, if that is shown. */
function placesIn(model, boxOf, list) {
  const { pieces, in: holder } = model.lists[list];
  const shown = pieces.map((piece, index) => ({ box: boxOf(piece), index })).filter(({ box }) => box !== null);
  const around = shown.length === 0 && holder >= 0 ? boxOf(holder) : null;
  if (around) {
    return [{ list, index: 0, top: around.top + around.height / 2, left: around.left, width: around.width }];
  }
  return shown.flatMap(({ box: { top, height, left, width }, index }) => [
    { list, index, top, left, width },
    { list, index: index + 1, top: top + height, left, width },
  ]);
}

/** Distance in px between the pointer and a place; infinite if the pointer is too far beside it. */
function distanceTo({ top, left, width }, x, y) {
  const outside = Math.max(0, left - x, x - left - width);
  return outside > MAX_OUTSIDE ? Infinity : Math.abs(y - top) + outside;
}
