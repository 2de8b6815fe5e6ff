// Drags a piece, or a kind of the palette, over the preview. The email scrolls while the pointer is at its top or bottom.
import { html } from '../frame/dom.js';

/** Distance in px that a pointer moves before it drags. */
const LEAST_DRAG = 5;
/** Distance in px between the pointer and the name of what is dragged. */
const GHOST_RIGHT = 14;
const GHOST_BELOW = 10;
/** Height in px of the zones at the top and bottom that scroll the email, and the px scrolled at a time. */
const SCROLL_ZONE = 44;
const SCROLL_STEP = 14;
const SCROLL_MILLIS = 30;
const ENDS = ['pointerup', 'pointercancel', 'lostpointercapture'];

/**
 * Drags {title, piece, drop}: `piece` is -1 for a new piece, and `drop` receives the place where it was dropped.
 *
 * @param stage the element with the preview's frames
 * @param aim   shows the place for a drop; receives px of the stage, null outside, and the number of the dragged piece; returns the place
 * @param onEnd receives what was dragged, and the place where it was dropped; null if it was not
 * @param send  sends a message to the frame
 */
export function dragging({ stage, aim, onEnd, send }) {
  const ghost = html`<div class="ghost" hidden aria-hidden="true"></div>`;
  let drag = null;
  document.body.append(ghost);

  /** Waits at a pressed pointer for the move that starts a drag. @param onStart runs once the pointer has moved */
  function begin(event, dragged, onStart = () => {}) {
    if (event.button !== 0 || drag) {
      return;
    }
    const held = event.currentTarget;
    const end = isDropped => {
      held.removeEventListener('pointermove', onMove);
      ENDS.forEach(type => held.removeEventListener(type, onPointerEnd));
      document.removeEventListener('keydown', onKey, true);
      finish(isDropped);
    };
    const onPointerEnd = ({ type }) => end(type === 'pointerup');
    const onKey = key => {
      if (key.key === 'Escape') {
        key.preventDefault();
        key.stopPropagation();
        end(false);
      }
    };
    held.setPointerCapture(event.pointerId);
    drag = { dragged, x: event.clientX, y: event.clientY, isOn: false, target: null, onStart, timer: null, end };
    held.addEventListener('pointermove', onMove);
    ENDS.forEach(type => held.addEventListener(type, onPointerEnd));
    document.addEventListener('keydown', onKey, true);
  }

  function onMove({ clientX, clientY }) {
    if (!drag.isOn && Math.hypot(clientX - drag.x, clientY - drag.y) < LEAST_DRAG) {
      return;
    }
    if (!drag.isOn) {
      start();
    }
    Object.assign(drag, { x: clientX, y: clientY });
    Object.assign(ghost.style, { left: clientX + GHOST_RIGHT + 'px', top: clientY + GHOST_BELOW + 'px' });
    aimAgain();
    scroll();
  }

  function start() {
    drag.isOn = true;
    drag.onStart();
    stage.classList.add('dragged'); // the frame under the pointer would capture its events
    ghost.textContent = drag.dragged.title;
    ghost.hidden = false;
  }

  /** Aims at what is now under the pointer. */
  function aimAgain() {
    if (drag?.isOn) {
      const { left, top, width, height } = stage.getBoundingClientRect();
      const [x, y] = [drag.x - left, drag.y - top];
      const isOver = x >= 0 && y >= 0 && x <= width && y <= height;
      drag.target = aim(isOver ? { x, y } : null, drag.dragged.piece);
    }
  }

  /** Scrolls the email as long as the pointer is at its top or bottom. */
  function scroll() {
    clearTimeout(drag.timer);
    const { top, bottom } = stage.getBoundingClientRect();
    const isAt = edge => Math.abs(drag.y - edge) < SCROLL_ZONE;
    if (isAt(top) || isAt(bottom)) {
      send({ kind: 'scrollBy', y: isAt(top) ? -SCROLL_STEP : SCROLL_STEP });
      drag.timer = setTimeout(() => drag?.isOn && scroll(), SCROLL_MILLIS);
    }
  }

  /** Ends the drag, or the wait for one. */
  function finish(isDropped) {
    const { dragged, target, timer, isOn } = drag;
    clearTimeout(timer);
    drag = null;
    stage.classList.remove('dragged');
    ghost.hidden = true;
    onEnd(dragged, isDropped && isOn ? target : null);
  }

  const cancel = () => drag?.end(false);
  return {
    begin, aimAgain, cancel,
    isOn: () => drag?.isOn === true,
    close: () => {
      cancel();
      ghost.remove();
    },
  };
}
