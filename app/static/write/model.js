// The pieces of an email as the server has found them, with what surrounds each. Places are characters of the text they were found in.
import { NAMES } from './kinds.js';

/** Kinds that show an email's contents by themselves. */
const WORDS = new Set(['heading', 'text', 'button', 'image']);

/**
 * @param found the server's answer: {list, piece, fixed, problem}
 * @param text  the text that the pieces were found in
 */
export function pieceModel(found, text) {
  const { list: lists = [], piece: pieces = [], fixed = [], problem = null } = found ?? {};
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

  /** The innermost piece that contains a range, or -1. */
  function at(from, to = from + 1) {
    let best = -1;
    pieces.forEach((piece, i) => {
      if (piece.from <= from && to <= piece.to && (best < 0 || piece.to - piece.from <= pieces[best].to - pieces[best].from)) {
        best = i;
      }
    });
    return best;
  }

  /** The list with the email's contents, or -1: from the largest list on, that of a section with words that is larger than all beside it. */
  function main() {
    const size = ({ from, to }) => to - from;
    let list = roots.reduce((best, each) => best < 0 || size(lists[each]) > size(lists[best]) ? each : best, -1);
    for (let next = list; next !== undefined && next >= 0;) {
      list = next;
      const all = lists[list].pieces.reduce((sum, i) => sum + size(pieces[i]), 0);
      const most = lists[list].pieces.find(i => pieces[i].kind === 'section' && size(pieces[i]) > all / 2);
      next = inside[most]?.find(each => lists[each].pieces.some(i => WORDS.has(pieces[i].kind)));
    }
    return list;
  }

  return {
    lists, pieces, fixed, problem, text, roots, inside, order, parent, path, at, main,
    /** The server's answer, for the operations. */
    found: { list: lists, piece: pieces, fixed },
    /** The place of a piece in its list. */
    index: i => lists[pieces[i].in].pieces.indexOf(i),
    siblings: i => lists[pieces[i].in].pieces,
    /** The piece with exactly this range; else the innermost that begins there, the outermost in the range, or the innermost around its begin. -1 if there is none. */
    find(range) {
      if (!range) {
        return -1;
      }
      const exact = pieces.findIndex(piece => piece.from === range.from && piece.to === range.to);
      const around = at(range.from);
      const within = pieces[around]?.from === range.from ? -1 : order.find(i => pieces[i].from >= range.from && pieces[i].to <= range.to) ?? -1;
      return [exact, within].find(each => each >= 0) ?? around;
    },
    /** Ranges for the preview, in order, each with the number of the piece around it in this order. */
    ranges() {
      const place = new Map(order.map((i, n) => [i, n]));
      return order.map(i => ({
        from: pieces[i].from, to: pieces[i].to, parent: parent(i) < 0 ? -1 : place.get(parent(i)), isList: pieces[i].kind === 'list',
        block: pieces[i].kind === 'block' ? pieces[i].name : null,
      }));
    },
    lines: i => [pieces[i].from, pieces[i].to].map((place, n) => text.slice(0, n === 0 ? place : Math.max(place - 1, 0)).split('\n').length),
  };
}

/** True for a condition that shows its part without a value: {{#unless}} or {{^}}. */
export function isInverse({ kind, label }) {
  return kind === 'condition' && /^\{\{~?\s*(?:#\s*unless\b|\^)/.test(label);
}

/** The title of a piece: its words, or the name of its kind. */
export function titleOf(piece) {
  const { kind, label, name } = piece;
  return kind === 'block' ? name : kind === 'condition' ? (isInverse(piece) ? 'Unless ' : 'If ') + name : kind === 'list' ? 'Each of ' + name : label || NAMES[kind];
}
