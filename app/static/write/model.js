// The pieces of an email as the server has found them, with what surrounds each. Places are characters of the text they were found in.
import { NAMES } from './kinds.js';

/** Kinds that show an email's contents by themselves. */
const WORDS = new Set(['heading', 'text', 'button', 'image']);

/**
 * @param found the server's answer: {list, piece, fixed, problem}
 * @param text  the text that the pieces were found in; null before the first check
 */
export function pieceModel(found, text) {
  const { list: lists = [], piece: pieces = [], fixed = [], problem = null } = found;
  const inside = pieces.map(() => []);
  const roots = [];
  lists.forEach((list, i) => (list.in < 0 ? roots : inside[list.in] ?? roots).push(i));
  const order = pieces.map((_, i) => i).sort((one, other) => pieces[one].from - pieces[other].from || pieces[other].to - pieces[one].to);

  const parent = i => lists[pieces[i].in]?.in ?? -1;

  /** A piece and all that contain it, outermost first. */
  function path(i) {
    const all = [];
    for (let each = i; each >= 0; each = parent(each)) {
      all.unshift(each);
    }
    return all;
  }

  /** The innermost piece that contains the character at a place, or -1. */
  function at(place) {
    let best = -1;
    pieces.forEach((piece, i) => {
      if (piece.from <= place && place < piece.to && (best < 0 || piece.to - piece.from <= pieces[best].to - pieces[best].from)) {
        best = i;
      }
    });
    return best;
  }

  const size = ({ from, to }) => to - from;

  /** The list with the email's contents, -1 if there is none: the largest list or, as long as a section with words is most of it, that section's. */
  function main() {
    let list = roots.reduce((best, each) => best < 0 || size(lists[each]) > size(lists[best]) ? each : best, -1);
    let next = list < 0 ? undefined : mainWithin(list);
    while (next !== undefined) {
      list = next;
      next = mainWithin(list);
    }
    return list;
  }

  /** The list with words in the section that is more than half of a list; undefined if there is none. */
  function mainWithin(list) {
    const all = lists[list].pieces.reduce((sum, i) => sum + size(pieces[i]), 0);
    const most = lists[list].pieces.find(i => pieces[i].kind === 'section' && size(pieces[i]) > all / 2);
    return inside[most]?.find(each => lists[each].pieces.some(i => WORDS.has(pieces[i].kind)));
  }

  return {
    lists, pieces, fixed, problem, text, roots, inside, order, parent, path, at, main,
    /** The server's answer, for the operations. */
    found: { list: lists, piece: pieces, fixed },
    /** The place of a piece in its list. */
    index: i => lists[pieces[i].in].pieces.indexOf(i),
    /** The pieces of a piece's list. */
    siblings: i => lists[pieces[i].in].pieces,
    /**
     * The piece with exactly this range; else the innermost that begins there, the outermost in the range, or the innermost around its begin.
     *
     * @param range {from, to} or null
     * @return -1 if there is none
     */
    find(range) {
      if (range === null) {
        return -1;
      }
      const exact = pieces.findIndex(piece => piece.from === range.from && piece.to === range.to);
      if (exact >= 0) {
        return exact;
      }
      const around = at(range.from);
      const within = order.find(i => pieces[i].from >= range.from && pieces[i].to <= range.to);
      return pieces[around]?.from === range.from ? around : within ?? around;
    },
    /** Ranges for the preview, in order, each with the number of the piece around it in this order. */
    ranges() {
      const place = new Map(order.map((i, n) => [i, n]));
      return order.map(i => ({
        from: pieces[i].from, to: pieces[i].to, parent: parent(i) < 0 ? -1 : place.get(parent(i)), isList: pieces[i].kind === 'list',
        block: pieces[i].kind === 'block' ? pieces[i].name : null,
      }));
    },
    /** The first and the last line of a piece, from 1. */
    lines: i => [pieces[i].from, pieces[i].to - 1].map(place => text.slice(0, place).split('\n').length),
  };
}

/** True for a condition that shows its part without a value: {{#unless}} or {{^}}. */
export function isInverse({ kind, label }) {
  return kind === 'condition' && /^\{\{~?\s*(?:#\s*unless\b|\^)/.test(label);
}

/** The title of a piece: its words, or the name of its kind. */
export function titleOf(piece) {
  const { kind, label, name } = piece;
  switch (kind) {
    case 'block':
      return name;
    case 'condition':
      return (isInverse(piece) ? 'Unless ' : 'If ') + name;
    case 'list':
      return 'Each of ' + name;
    default:
      return label || NAMES[kind];
  }
}
