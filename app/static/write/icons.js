// Drawings of the kinds of pieces.
import { svg } from '../frame/dom.js';

const PATHS = {
  heading: 'M4 3h14M11 3v13', text: 'M2 4h18M2 9h18M2 14h11', divider: 'M2 9h18', space: 'M6 2h10M6 16h10M11 5v8',
  list: 'M4 4h3M4 9h3M4 14h3M10 4h9M10 9h9M10 14h9', condition: 'M11 2l8 7-8 7-8-7z', code: 'M7 4L2 9l5 5M15 4l5 5-5 5',
  saved: 'M4 2h14v14l-7-4-7 4z', button: 'M5 5h12a3 3 0 0 1 3 3v3a3 3 0 0 1-3 3H5a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3z',
  image: 'M4 2h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2zM3 14l6-6 4 4 3-2 4 4',
  columns: 'M3 2h6a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zM13 2h6a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1z',
  imageText: 'M3 3h6v12H3zM13 5h7M13 9h7M13 13h5', section: 'M3 3h16v12H3zM3 8h16',
  duplicate: 'M8 6h10v10H8zM5 12H4V2h10v1', up: 'M11 15V3M6 8l5-5 5 5', down: 'M11 3v12M6 10l5 5 5-5', delete: 'M5 5h12M9 5V3h4v2M7 5l1 11h6l1-11',
  block: 'M3 6V5a2 2 0 0 1 2-2h1M9 3h4M16 3h1a2 2 0 0 1 2 2v1M19 8v3M19 12v1a2 2 0 0 1-2 2h-1M13 15H9M6 15H5a2 2 0 0 1-2-2v-1M3 10V8',
};

/** The drawing of a kind of piece or of an action; that of HTML for others. */
export function icon(kind) {
  return svg`<svg class="icon" viewBox="0 0 22 18" width="22" height="18" aria-hidden="true"><path d="${PATHS[kind] ?? PATHS.code}"/></svg>`;
}
