// What lies above the preview: outlines of pieces, the bar and the grip of the chosen one, and the line where a dragged piece would be
// dropped. The preview's frame tells the boxes; they are drawn, and never trusted for more.
import { html } from '../frame/dom.js';
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
const NUMBERS = ['piece', 'x', 'y', 'width', 'height'];

/**
 * @param stage    the element with the preview's frames
 * @param acts     the actions in the bar: {name, label, run}
 * @param onChoose receives the number of a piece, or -1
 * @param onDrop   receives {kind or piece}, the list and the index where it was dropped
 * @param send     sends a message to the frame
 */
export function canvas({ stage, acts, onChoose, onDrop, send }) {
  let model = null;
  let boxes = new Map();
  let chosen = -1;
  let over = -1;
  let pointer = null; // the place in the email under the pointer
  let pointed = null; // the place that the user has clicked
  let scrolled = { x: 0, y: 0 };
  let isOn = false;

  const hovered = html`<div class="outline over" hidden><span class="outline-name"></span></div>`;
  const outline = html`<div class="outline chosen" hidden></div>`;
  const grip = html`
    <button type="button" class="grip" hidden @pointerdown=${event => drag.begin(event, { piece: chosen })} @keydown=${onGripKey}>
      <span aria-hidden="true">⋮⋮</span></button>`;
  const buttons = acts.map(({ name, label, run }) => html`
    <button type="button" data-act=${name} aria-label=${label} title=${label} @click=${() => run()}>${icon(name)}</button>`);
  const bar = html`<div class="piece-bar" role="toolbar" hidden @keydown=${onBarKey}>${buttons}</div>`;
  const line = html`<div class="drop-line" hidden><span></span></div>`;
  const node = html`<div class="canvas" hidden>${hovered}${outline}${grip}${bar}${line}</div>`;
  stage.append(node);
  const drag = dragging({
    stage, send, titleOf: ({ title, piece }) => title ?? NAMES[model.pieces[piece].kind],
    aim(x, y, own) {
      const target = showTarget(x, y, own);
      paint();
      return target;
    },
    onEnd(what, target) {
      showTarget(null);
      paint();
      if (target && !target.isSame) {
        onDrop(what, target.list, target.index);
      }
    },
  });
  buttons.forEach((each, i) => { each.tabIndex = i === 0 ? 0 : -1; });
  const observer = new ResizeObserver(paint);
  observer.observe(stage);

  const frame = () => [...stage.querySelectorAll('iframe')].filter(each => !each.classList.contains('coming')).at(-1) ?? stage.querySelector('iframe');

  /** A box of the email as px of the stage. */
  function placed({ x, y, width, height }) {
    const shown = frame();
    if (!shown) {
      return null;
    }
    const [at, around] = [shown.getBoundingClientRect(), stage.getBoundingClientRect()];
    const scale = shown.offsetWidth > 0 ? at.width / shown.offsetWidth : 1;
    return { left: at.left - around.left + (x - scrolled.x) * scale, top: at.top - around.top + (y - scrolled.y) * scale, width: width * scale, height: height * scale };
  }

  /** The box of a piece; of a repeated piece, the one that the user pointed at, or the first. */
  function boxOf(i, at = pointed) {
    const all = boxes.get(i) ?? [];
    const near = at && all.find(({ x, y, width, height }) => at.x >= x && at.x <= x + width && at.y >= y && at.y <= y + height);
    const box = near || all[0];
    return box ? placed(box) : null;
  }

  const larger = ({ left, top, width, height }) => ({ left: left - AROUND, top: top - AROUND, width: width + 2 * AROUND, height: height + 2 * AROUND });

  function put(element, { left, top, width, height }) {
    Object.assign(element.style, { left: left + 'px', top: top + 'px', ...width !== undefined && { width: width + 'px', height: height + 'px' } });
    element.hidden = false;
  }

  function paint() {
    node.hidden = !isOn;
    [hovered, outline, grip, bar].forEach(each => { each.hidden = true; });
    if (!isOn || model === null) {
      return;
    }
    const around = over >= 0 && over !== chosen && !drag.isOn() ? boxOf(over, pointer) : null;
    if (around) {
      put(hovered, larger(around));
      hovered.dataset.kind = model.pieces[over].kind;
      hovered.firstChild.textContent = NAMES[model.pieces[over].kind];
    }
    const box = chosen >= 0 ? boxOf(chosen) : null;
    if (!box || box.top > stage.clientHeight || box.top + box.height < 0) {
      return;
    }
    put(outline, larger(box));
    outline.dataset.kind = model.pieces[chosen].kind;
    if (drag.isOn()) {
      return;
    }
    paintTools(box);
  }

  function paintTools(box) {
    const { clientWidth: width, clientHeight: height } = stage;
    grip.setAttribute('aria-label', `Drag ${NAMES[model.pieces[chosen].kind].toLowerCase()}`);
    grip.hidden = false;
    const side = grip.offsetWidth;
    const middle = Math.min(Math.max(box.top + box.height / 2, side / 2), height - side / 2);
    const isBeside = box.left - side - GAP >= 2;
    put(grip, { left: box.left - side - GAP, top: middle - grip.offsetHeight / 2 });
    bar.hidden = false;
    bar.setAttribute('aria-label', NAMES[model.pieces[chosen].kind] + ' actions');
    const root = boxOf(model.path(chosen)[0]) ?? box;
    const edge = Math.max(root.left + root.width, box.left + box.width) + GAP;
    bar.classList.toggle('upright', edge + UPRIGHT_WIDTH <= width); // beside the email, it covers nothing
    if (bar.classList.contains('upright')) {
      put(bar, { left: edge, top: Math.max(2, Math.min(box.top - AROUND, height - bar.offsetHeight - 2)) });
      return;
    }
    const above = box.top - bar.offsetHeight - AROUND - 1;
    const below = box.top + box.height + AROUND + 1;
    const at = {
      left: Math.max(4, Math.min(box.left + box.width + AROUND, width - 4) - bar.offsetWidth),
      top: above >= 2 ? above : below + bar.offsetHeight <= height ? below : 2,
    };
    put(bar, at);
    if (!isBeside) { // in front of the bar, where it covers no words
      put(grip, { left: Math.max(2, at.left - side - 4), top: Math.max(2, at.top + bar.offsetHeight - grip.offsetHeight) });
    }
  }

  // ---- dragging

  /** Shows the place under the pointer that accepts a dragged piece, or a new one. @param x, y px of the stage; null for none */
  function showTarget(x, y, own) {
    const target = x === null ? null : nearestPlace({ model, boxOf, x, y, own });
    line.hidden = true;
    if (target) {
      const { left, top, width, name } = target;
      put(line, { left: Math.max(0, left), top: top - 2, width: Math.min(width, stage.clientWidth - left), height: 4 });
      line.firstChild.textContent = name;
    }
    return target;
  }

  // ---- keys

  function onBarKey(event) {
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined && !event.altKey) {
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
    show(next, index) {
      if (next !== model) {
        drag.cancel(); // its number may be another piece's now
      }
      model = next;
      chosen = index;
      over = -1;
      node.setAttribute('aria-busy', 'true'); // until the frame tells the boxes
      paint();
    },
    choose(index) {
      chosen = index;
      pointed = pointer;
      paint();
    },
    /** @param told the boxes as the frame tells them, with numbers of the model's pieces */
    setBoxes(told) {
      boxes = new Map();
      for (const box of Array.isArray(told) ? told : []) {
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
      const wide = frame()?.offsetWidth >= DESKTOP_WIDTH ? model.lists[list].pieces.flatMap(i => boxes.get(i) ?? []).map(({ width }) => Math.floor(width)) : [];
      return Math.max(0, ...wide);
    },
    setOver(index, at) {
      over = model?.pieces[index] ? index : -1;
      pointer = over >= 0 && Number.isFinite(at.x) && Number.isFinite(at.y) ? { x: at.x, y: at.y } : pointer;
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
      if (at && (at.top < 30 || at.top + Math.min(at.height, 120) > stage.clientHeight - 50)) {
        send({ kind: 'scrollTo', y: Math.max(0, box.y - 80) });
      }
    },
    /** Shows the line where a file over a place of the email would be added; null without one. @return {list, index}, or null */
    aimAt(told) {
      const at = isOn && model && Number.isFinite(told?.x) && Number.isFinite(told?.y) ? placed({ x: told.x, y: told.y, width: 0, height: 0 }) : null;
      const target = showTarget(at?.left ?? null, at?.top);
      return target && { list: target.list, index: target.index };
    },
    /** Starts a drag at a pressed pointer, once pieces are known. */
    begin: (event, what, onStart) => model !== null && drag.begin(event, what, onStart),
    contains: target => node.contains(target),
    close() {
      observer.disconnect();
      drag.close();
    },
  };
}
