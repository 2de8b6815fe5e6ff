// The mail as it will look, filled with the sample values. It is shown at an address of its own, in a frame that may
// do nothing: its text never enters this page.
import { element, button, calmly } from './dom.js';
import { post } from './server.js';
import { sentence } from './form.js';

/** A mail laid out for a desktop is this wide; a narrower pane shows it smaller, not narrower. */
const desktop = 720;
const mobile = 375;

/**
 * @param read    gives the {subject, html, samples} to show
 * @param checked gets what the server found in them
 */
export function preview({ read, checked, subject = true }) {
  const line = element('p', { class: 'inbox-subject' });
  const note = element('p', { class: 'preview-note', role: 'status' });
  const stage = element('div', { class: 'stage' });
  const head = element('div', { class: 'pane-head' },
    element('h2', {}, 'Preview'),
    toggle('Width', ['Desktop', 'Mobile'], chosen => { width = chosen; place(); }),
    toggle('Page', ['Light', 'Dark'], chosen => { scheme = chosen; place(); }));
  const node = element('section', { class: 'pane preview', 'aria-label': 'Preview' }, head,
    subject && element('div', { class: 'inbox' }, element('span', { class: 'inbox-dot', 'aria-hidden': 'true' }), line),
    note, stage);
  let width = 'Desktop';
  let scheme = 'Light';
  let frame = null;
  let address = null;
  let giveUp = null;
  let left = false;
  const sizes = new ResizeObserver(place);
  sizes.observe(stage);

  async function check() {
    if (left) {
      return;
    }
    giveUp?.abort();
    const mine = giveUp = new AbortController();
    try {
      const result = await post('/data/check', read(), { background: true, signal: mine.signal });
      if (mine.signal.aborted) {
        return;
      }
      note.textContent = result.cut ? 'The preview is cut: with the sample values the mail gets too long to be shown whole.' : '';
      line.textContent = result.subject === '' ? '(no subject)' : result.subject;
      line.classList.toggle('none', result.subject === '');
      show(result.preview);
      checked(result);
    } catch (failure) {
      if (!mine.signal.aborted) {
        note.textContent = 'This preview is not up to date: ' + sentence(failure);
      }
    }
  }

  // Each preview is a new frame: a frame that goes on to another address would add to the browser's history.
  function show(next) {
    if (next === address) {
      return;
    }
    address = next;
    const before = frame;
    stage.querySelectorAll('iframe.coming').forEach(late => late.remove());
    const coming = element('iframe', { class: 'coming', sandbox: '', src: next, title: 'Preview of the mail', referrerpolicy: 'no-referrer' });
    coming.addEventListener('load', () => {
      if (coming.isConnected && address === next) {
        before?.remove();
        coming.classList.remove('coming');
      }
    });
    frame = coming;
    place();
    stage.append(coming);
  }

  function place() {
    if (frame === null) {
      return;
    }
    const wide = width === 'Mobile' ? Math.min(mobile, stage.clientWidth) : Math.max(desktop, stage.clientWidth);
    const scale = Math.min(1, stage.clientWidth / wide);
    frame.style.width = wide + 'px';
    frame.style.height = stage.clientHeight / scale + 'px';
    frame.style.transform = scale < 1 ? `scale(${scale})` : '';
    frame.style.left = width === 'Mobile' ? Math.max(0, (stage.clientWidth - wide) / 2) + 'px' : '0';
    frame.style.colorScheme = scheme.toLowerCase();
    stage.dataset.scheme = scheme.toLowerCase();
  }

  function leave() {
    left = true;
    sizes.disconnect();
    giveUp?.abort();
  }

  return { node, now: check, soon: calmly(300, check), leave };
}

function toggle(label, names, chosen) {
  const buttons = names.map((name, i) => button(name, () => {
    buttons.forEach(one => one.setAttribute('aria-pressed', String(one === buttons[i])));
    chosen(name);
  }, { 'aria-pressed': String(i === 0), class: 'small' }));
  return element('div', { class: 'toggle', role: 'group', 'aria-label': label }, buttons);
}

/** A frame that shows one text at an address the server gave, for the history. */
export function still(address) {
  return element('iframe', { class: 'still', sandbox: '', src: address, title: 'Preview of the mail', referrerpolicy: 'no-referrer' });
}
