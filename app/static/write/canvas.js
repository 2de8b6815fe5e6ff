// What lies above the preview: outlines of pieces, the bar and the grip of the chosen one, and the line where a dragged piece would be
// dropped. The preview's frame reports the boxes; they are drawn, and never trusted for more.
import { html } from '../frame/dom.js';
import { moveOf } from '../frame/movekeys.js';
import { dragging } from './dragging.js';
import { nearestPlace } from './droptargets.js';
import { icon } from './icons.js';
import { NAMES } from './kinds.js';

const GAP = 8;
/** Width in px of an email. */
const DESKTOP_WIDTH = 600;
/** Width in px of the bar beside the email. */
const UPRIGHT_WIDTH = 48;
/** Distance in px between a piece and its outline. */
const AROUND = 3;
/** Least distance in px between the tools and the edges of the stage, and between the grip and the bar above a piece. */
const EDGE = 2;
const BESIDE_BAR = 4;
/** Height in px of the line where a piece would be dropped. */
const LINE_HEIGHT = 4;
/** A piece is seen if it begins below the first px and, up to this height, ends above the last px of the stage. */
const SEEN_BELOW = 30;
const SEEN_ABOVE = 50;
const SEEN_HEIGHT = 120;
/** Distance in px between the top of the stage and a piece that was scrolled to. */
const REVEALED_AT = 80;
const NUMBERS = ['piece', 'x', 'y', 'width', 'height'];

/**
 * @param stage    the element with the preview's frames
 * @param acts     the actions in the bar: {name, label, run}
 * @param onChoose receives the number of a piece, or -1
 * @param onMove   receives the number of a dragged piece, and the {list, index} where it was dropped
 * @param send     sends a message to the frame
 */
export function canvas({ stage, acts, onChoose, onMove, send }) {
  let model = null;
  let boxes = new Map();
  let chosen = -1;
  let over = -1;
  let hoveredAt = null; // the place in the email where the pointer entered a piece
  let clickedAt = null; // that place when a piece was last chosen
  let scrolled = { x: 0, y: 0 };
  let isOn = false;

  const hovered = html`<div class="outline over" hidden><span class="outline-name"></span></div>`;
  const outline = html`<div class="outline chosen" hidden></div>`;
  const grip = html`
    <button type="button" class="grip" hidden @pointerdown=${onGrip} @keydown=${onGripKey}>
      <span aria-hidden="true">⋮⋮</span></button>`;
  const buttons = acts.map(({ name, label, run }) => html`
    <button type="button" data-act=${name} aria-label=${label} title=${label} @click=${() => run()}>${icon(name)}</button>`);
  const bar = html`<div class="piece-bar" role="toolbar" hidden @keydown=${onBarKey}>${buttons}</div>`;
  const line = html`<div class="drop-line" hidden><span></span></div>`;
  const node = html`<div class="canvas" hidden>${hovered}${outline}${grip}${bar}${line}</div>`;
  stage.append(node);
  const drag = dragging({
    stage, send,
    aim(pointer, own) {
      const target = showTarget(pointer, own);
      paint();
      return target;
    },
    onEnd(dragged, target) {
      hideTarget();
      paint();
      if (target && !target.isSame) {
        dragged.drop({ list: target.list, index: target.index });
      }
    },
  });
  buttons.forEach((each, i) => { each.tabIndex = i === 0 ? 0 : -1; });
  const observer = new ResizeObserver(paint);
  observer.observe(stage);

  /** The frame that is shown; before the first one is, the one that is coming. */
  const frame = () => [...stage.querySelectorAll('iframe:not(.coming)')].at(-1) ?? stage.querySelector('iframe');

  /** A box of the email in px of the stage; null before there is a frame. */
  function placed({ x, y, width, height }) {
    const shown = frame();
    if (!shown) {
      return null;
    }
    const [at, around] = [shown.getBoundingClientRect(), stage.getBoundingClientRect()];
    const scale = shown.offsetWidth > 0 ? at.width / shown.offsetWidth : 1;
    return {
      left: at.left - around.left + (x - scrolled.x) * scale, top: at.top - around.top + (y - scrolled.y) * scale,
      width: width * scale, height: height * scale,
    };
  }

  /** The box of a piece in px of the stage, or null; of a repeated piece, the box at a place of the email, else the first. */
  function boxOf(i, at = clickedAt) {
    const all = boxes.get(i) ?? [];
    const near = at && all.find(({ x, y, width, height }) => at.x >= x && at.x <= x + width && at.y >= y && at.y <= y + height);
    const box = near ?? all[0];
    return box ? placed(box) : null;
  }

  const nameOf = i => NAMES[model.pieces[i].kind];

  function larger({ left, top, width, height }) {
    return { left: left - AROUND, top: top - AROUND, width: width + 2 * AROUND, height: height + 2 * AROUND };
  }

  /** Moves an element, and shows it. */
  function put(element, { left, top }) {
    Object.assign(element.style, { left: left + 'px', top: top + 'px' });
    element.hidden = false;
  }

  /** Gives an element the place and size of a box, and shows it. */
  function putBox(element, box) {
    Object.assign(element.style, { width: box.width + 'px', height: box.height + 'px' });
    put(element, box);
  }

  /** Shows what belongs above the preview as it now is, and hides all else. */
  function paint() {
    node.hidden = !isOn;
    [hovered, outline, grip, bar].forEach(each => { each.hidden = true; });
    if (isOn && model !== null) {
      paintHovered();
      paintChosen();
    }
  }

  /** Shows the outline and the name of the piece under the pointer, unless it is the chosen one or a piece is dragged. */
  function paintHovered() {
    const box = over >= 0 && over !== chosen && !drag.isOn() ? boxOf(over, hoveredAt) : null;
    if (box) {
      putBox(hovered, larger(box));
      hovered.dataset.kind = model.pieces[over].kind;
      hovered.firstChild.textContent = nameOf(over);
    }
  }

  /** Shows the outline and the tools of the chosen piece, unless it is scrolled away. */
  function paintChosen() {
    const box = chosen >= 0 ? boxOf(chosen) : null;
    if (!box || box.top > stage.clientHeight || box.top + box.height < 0) {
      return;
    }
    putBox(outline, larger(box));
    outline.dataset.kind = model.pieces[chosen].kind;
    if (!drag.isOn()) {
      paintGrip(box);
      paintBar(box);
    }
  }

  /** Shows the grip beside a piece, in the middle of its height. */
  function paintGrip(box) {
    grip.setAttribute('aria-label', `Drag ${nameOf(chosen).toLowerCase()}`);
    grip.hidden = false; // it has a size only while it is shown
    const side = grip.offsetWidth;
    const middle = Math.min(Math.max(box.top + box.height / 2, side / 2), stage.clientHeight - side / 2);
    put(grip, { left: box.left - side - GAP, top: middle - grip.offsetHeight / 2 });
  }

  /** Shows the bar beside the email, where it covers nothing; without room, above or below the piece. */
  function paintBar(box) {
    const { clientWidth: width, clientHeight: height } = stage;
    bar.hidden = false; // it has a size only while it is shown
    bar.setAttribute('aria-label', nameOf(chosen) + ' actions');
    const root = boxOf(model.path(chosen)[0]) ?? box;
    const edge = Math.max(root.left + root.width, box.left + box.width) + GAP;
    const isUpright = edge + UPRIGHT_WIDTH <= width;
    bar.classList.toggle('upright', isUpright);
    if (isUpright) {
      put(bar, { left: edge, top: Math.max(EDGE, Math.min(box.top - AROUND, height - bar.offsetHeight - EDGE)) });
      return;
    }
    const above = box.top - bar.offsetHeight - AROUND - 1;
    const below = box.top + box.height + AROUND + 1;
    const free = [above, below].find(top => top >= EDGE && top + bar.offsetHeight <= height);
    const at = {
      left: Math.max(BESIDE_BAR, Math.min(box.left + box.width + AROUND, width - BESIDE_BAR) - bar.offsetWidth), top: free ?? EDGE,
    };
    put(bar, at);
    if (box.left - grip.offsetWidth - GAP < EDGE) { // no room beside the piece: in front of the bar, where it covers no words
      const left = Math.max(EDGE, at.left - grip.offsetWidth - BESIDE_BAR);
      put(grip, { left, top: Math.max(EDGE, at.top + bar.offsetHeight - grip.offsetHeight) });
    }
  }

  // ---- dragging

  function onGrip(event) {
    const piece = chosen;
    drag.begin(event, { title: nameOf(piece), piece, drop: place => onMove(piece, place) });
  }

  /**
   * Shows the place near the pointer that accepts a dragged piece, or that there is none.
   *
   * @param pointer {x, y} in px of the stage, or null
   * @param own     the number of the dragged piece; -1 for a new one
   * @return the place, as nearestPlace returns it, or null
   */
  function showTarget(pointer, own) {
    const target = pointer && nearestPlace({ model, boxOf, ...pointer, own });
    hideTarget();
    if (target) {
      const { left, top, width, name } = target;
      const shown = Math.min(width, stage.clientWidth - left);
      putBox(line, { left: Math.max(0, left), top: top - LINE_HEIGHT / 2, width: shown, height: LINE_HEIGHT });
      line.firstChild.textContent = name;
    }
    return target;
  }

  function hideTarget() {
    line.hidden = true;
  }

  // ---- keys

  function onBarKey(event) {
    const at = buttons.indexOf(document.activeElement);
    const to = moveOf(event, { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 });
    if (to !== undefined) {
      event.preventDefault();
      const next = buttons[(to + buttons.length) % buttons.length];
      buttons.forEach(each => { each.tabIndex = each === next ? 0 : -1; });
      next.focus();
    }
  }

  function onGripKey(event) {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault(); // the keys that move are Alt and an arrow, as the status line says
    }
  }

  return {
    /** Shows or hides everything above the preview. */
    setOn(on) {
      isOn = on;
      paint();
    },
    /** Shows the pieces of a model, whose boxes the frame is to report. @param index number of the chosen piece; -1 for none */
    show(next, index) {
      if (next !== model) {
        drag.cancel(); // its number may be another piece's now
      }
      model = next;
      chosen = index;
      over = -1;
      node.setAttribute('aria-busy', 'true'); // until the frame reports the boxes
      paint();
    },
    choose(index) {
      chosen = index;
      clickedAt = hoveredAt;
      paint();
    },
    /** @param reported the boxes as the frame reports them, with numbers of the model's pieces; undefined for the frame's other pieces */
    setBoxes(reported) {
      boxes = new Map();
      for (const box of reported) {
        if (NUMBERS.every(name => Number.isFinite(box?.[name])) && model?.pieces[box.piece]) {
          boxes.set(box.piece, [...boxes.get(box.piece) ?? [], box]);
        }
      }
      node.removeAttribute('aria-busy');
      paint();
    },
    hasBox: i => boxes.has(i),
    /** Width in px of the widest piece of a list, in an email as wide as on a desktop; 0 if it is not known. */
    widthOf(list) {
      const isDesktop = frame()?.offsetWidth >= DESKTOP_WIDTH;
      const shown = isDesktop ? model.lists[list].pieces.flatMap(i => boxes.get(i) ?? []) : [];
      return Math.max(0, ...shown.map(({ width }) => Math.floor(width)));
    },
    /** Marks the piece under the pointer, which entered it at {x, y} as the frame reports it. @param index its number; -1 for none */
    setOver(index, { x, y }) {
      over = model?.pieces[index] ? index : -1;
      if (over >= 0 && Number.isFinite(x) && Number.isFinite(y)) {
        hoveredAt = { x, y };
      }
      paint();
    },
    setScrolled(at) {
      scrolled = at;
      paint();
      drag.aimAgain();
    },
    /** Scrolls the email so that a piece is seen. */
    reveal(index) {
      const box = boxes.get(index)?.[0];
      const at = box && placed(box);
      if (at && (at.top < SEEN_BELOW || at.top + Math.min(at.height, SEEN_HEIGHT) > stage.clientHeight - SEEN_ABOVE)) {
        send({ kind: 'scrollTo', y: Math.max(0, box.y - REVEALED_AT) });
      }
    },
    /** Shows the line where a file would be added. @param at {x, y} in the email, as the frame reports it @return {list, index}, or null */
    aimAt({ x, y }) {
      const at = isOn && model && Number.isFinite(x) && Number.isFinite(y) ? placed({ x, y, width: 0, height: 0 }) : null;
      const target = showTarget(at && { x: at.left, y: at.top }, -1);
      return target && { list: target.list, index: target.index };
    },
    hideTarget,
    /** Starts a drag at a pressed pointer, once pieces are known. @param dragged as for dragging.js */
    begin: (event, dragged, onStart) => model !== null && drag.begin(event, dragged, onStart),
    contains: target => node.contains(target),
    close() {
      observer.disconnect();
      drag.close();
    },
  };
}
