// What lies above the preview: outlines of pieces, the bar and the grip of the chosen one, and the line where a dragged piece would be
// dropped. The preview's frame tells the boxes; they are drawn, and never trusted for more.
import { html } from '../frame/dom.js';
import { icon } from './icons.js';
import { NAMES } from './kinds.js';

/** Distance in px that a pointer moves before it drags. */
const LEAST_DRAG = 5;
/** Height in px of the zones at the top and bottom that scroll the email during a drag, and the px scrolled at a time. */
const SCROLL_ZONE = 44;
const SCROLL_STEP = 14;
/** Largest distance in px between the pointer and the place of a drop. */
const MAX_DISTANCE = 160;
/** Largest distance in px between the pointer and the side of a place. */
const MAX_OUTSIDE = 60;
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
  let drag = null;
  let isOn = false;

  const hovered = html`<div class="outline over" hidden><span class="outline-name"></span></div>`;
  const outline = html`<div class="outline chosen" hidden></div>`;
  const grip = html`
    <button type="button" class="grip" hidden @pointerdown=${event => begin(event, { piece: chosen })} @keydown=${onGripKey}>
      <span aria-hidden="true">⋮⋮</span></button>`;
  const buttons = acts.map(({ name, label, run }) => html`
    <button type="button" data-act=${name} aria-label=${label} title=${label} @click=${() => run()}>${icon(name)}</button>`);
  const bar = html`<div class="piece-bar" role="toolbar" hidden @keydown=${onBarKey}>${buttons}</div>`;
  const line = html`<div class="drop-line" hidden><span></span></div>`;
  const ghost = html`<div class="ghost" hidden aria-hidden="true"></div>`;
  const node = html`<div class="canvas" hidden>${hovered}${outline}${grip}${bar}${line}</div>`;
  stage.append(node);
  document.body.append(ghost);
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
    const around = over >= 0 && over !== chosen && !drag?.isOn ? boxOf(over, pointer) : null;
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
    if (drag?.isOn) {
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

  /** Starts a drag at a pressed pointer. @param onStart runs once the pointer has moved */
  function begin(event, what, onStart = () => {}) {
    if (event.button !== 0 || drag || model === null) {
      return;
    }
    const held = event.currentTarget;
    const move = next => onMove(next);
    const end = next => {
      held.removeEventListener('pointermove', move);
      held.removeEventListener('pointerup', end);
      held.removeEventListener('pointercancel', end);
      document.removeEventListener('keydown', cancel, true);
      finish(next.type === 'pointerup');
    };
    const cancel = key => {
      if (key.key === 'Escape') {
        key.preventDefault();
        key.stopPropagation();
        end({ type: 'pointercancel' });
      }
    };
    drag = { what, x: event.clientX, y: event.clientY, isOn: false, target: null, onStart, timer: null };
    held.setPointerCapture(event.pointerId);
    held.addEventListener('pointermove', move);
    held.addEventListener('pointerup', end);
    held.addEventListener('pointercancel', end);
    document.addEventListener('keydown', cancel, true);
  }

  function onMove({ clientX, clientY }) {
    if (!drag.isOn && Math.hypot(clientX - drag.x, clientY - drag.y) < LEAST_DRAG) {
      return;
    }
    if (!drag.isOn) {
      drag.isOn = true;
      drag.onStart();
      stage.classList.add('dragged'); // the frame under the pointer would capture its events
      ghost.textContent = drag.what.title ?? NAMES[model.pieces[drag.what.piece].kind];
      ghost.hidden = false;
    }
    Object.assign(drag, { clientX, clientY });
    Object.assign(ghost.style, { left: clientX + 14 + 'px', top: clientY + 10 + 'px' });
    aim();
    scrollSoon();
  }

  function aim() {
    const around = stage.getBoundingClientRect();
    const [x, y] = [drag.clientX - around.left, drag.clientY - around.top];
    drag.target = x < 0 || y < 0 || x > around.width || y > around.height ? null : nearest(x, y, drag.what.piece);
    showLine(drag.target);
    paint();
  }

  function showLine(target) {
    line.hidden = true;
    if (target) {
      put(line, target.line);
      line.firstChild.textContent = target.name;
    }
  }

  /** Scrolls the email while the pointer is at its top or bottom. */
  function scrollSoon() {
    clearTimeout(drag.timer);
    const around = stage.getBoundingClientRect();
    const step = drag.clientY < around.top + SCROLL_ZONE && drag.clientY > around.top - SCROLL_ZONE ? -SCROLL_STEP
      : drag.clientY > around.bottom - SCROLL_ZONE && drag.clientY < around.bottom + SCROLL_ZONE ? SCROLL_STEP : 0;
    if (step !== 0) {
      send({ kind: 'scrollBy', y: step });
      drag.timer = setTimeout(() => drag?.isOn && scrollSoon(), 30);
    }
  }

  /** The nearest place that accepts a dragged piece, or a new one: between two pieces of a list of the same form. */
  function nearest(x, y, own) {
    const places = model.lists.map((_, list) => list).filter(list => accepts(list, own)).flatMap(placesIn);
    const best = places.map(place => ({ ...place, distance: distance(place, x, y) }))
      .reduce((nearest, each) => each.distance < (nearest?.distance ?? MAX_DISTANCE) ? each : nearest, null);
    if (best === null) {
      return null;
    }
    const { list, index, top, left, width } = best;
    const holder = model.lists[list].in;
    return {
      list, index, name: holder < 0 ? 'Email' : NAMES[model.pieces[holder].kind],
      isSame: model.lists[list].pieces.includes(own) && [model.index(own), model.index(own) + 1].includes(index),
      line: { left: Math.max(0, left), top: top - 2, width: Math.min(width, stage.clientWidth - left), height: 4 },
    };
  }

  /** True if a list may take a piece: one of its form that does not contain the list itself. Each takes a new one. */
  function accepts(list, own) {
    const { form, in: holder } = model.lists[list];
    return own === undefined || form === model.lists[model.pieces[own].in].form && !(holder >= 0 && model.path(holder).includes(own));
  }

  /** The places above and below each shown piece of a list; in the middle of what holds an empty one. */
  function placesIn(list) {
    const { pieces, in: holder } = model.lists[list];
    const shown = pieces.map((piece, i) => ({ box: boxOf(piece), i })).filter(({ box }) => box);
    const around = shown.length === 0 && holder >= 0 ? boxOf(holder) : null;
    return around ? [{ list, index: 0, top: around.top + around.height / 2, left: around.left, width: around.width }]
      : shown.flatMap(({ box: { top, height, left, width }, i }) => [{ list, index: i, top, left, width }, { list, index: i + 1, top: top + height, left, width }]);
  }

  /** The distance of a pointer from a place. Of two places at one height, the inner one is nearer. */
  function distance({ list, top, left, width }, x, y) {
    const outside = Math.max(0, left - x, x - left - width);
    return Math.abs(y - top) + (outside > MAX_OUTSIDE ? MAX_DISTANCE : outside) - depth(list) * 0.5;
  }

  const depth = list => model.lists[list].in < 0 ? 0 : model.path(model.lists[list].in).length;

  function finish(isDropped) {
    const { isOn: wasOn, target, what, timer } = drag;
    clearTimeout(timer);
    drag = null;
    stage.classList.remove('dragged');
    line.hidden = true;
    ghost.hidden = true;
    paint();
    if (isDropped && wasOn && target && !target.isSame) {
      onDrop(what, target.list, target.index);
    }
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
      if (drag?.isOn) {
        aim();
      }
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
      const target = at && nearest(at.left, at.top);
      showLine(target);
      return target && { list: target.list, index: target.index };
    },
    begin,
    contains: target => node.contains(target),
    close() {
      observer.disconnect();
      ghost.remove();
    },
  };
}
