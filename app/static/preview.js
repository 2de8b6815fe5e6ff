// The mail as it will look, filled with the sample values. It is shown at its own address, in a frame that may do nothing:
// its text never enters this page.
import { html, button, debounce } from './dom.js';
import { post } from './server.js';
import { sentence } from './form.js';

/** Width in pixels of a mail laid out for a desktop; a narrower pane shows it smaller, not narrower. */
const DESKTOP_WIDTH = 720;
const MOBILE_WIDTH = 375;
const CHECK_DELAY_MILLIS = 300;

/**
 * @param read       the {subject, html, samples} to show
 * @param onChecked  gets the server's findings in them
 * @param hasSubject whether there is a subject to show
 */
export function preview({ read, onChecked, hasSubject }) {
  const subject = html`<p class="inbox-subject"></p>`;
  const note = html`<p class="preview-note" role="status"></p>`;
  const stage = html`<div class="stage"></div>`;
  const node = html`
    <section class="pane preview" aria-label="Preview">
      <div class="pane-head">
        <h2>Preview</h2>
        ${toggle('Width', ['Desktop', 'Mobile'], chosen => { width = chosen; place(); })}
        ${toggle('Page', ['Light', 'Dark'], chosen => { scheme = chosen; place(); })}
      </div>
      ${hasSubject && html`<div class="inbox"><span class="inbox-dot" aria-hidden="true"></span>${subject}</div>`}
      ${note}
      ${stage}
    </section>`;
  let width = 'Desktop';
  let scheme = 'Light';
  let frame = null;
  let address = null;
  let running = null;
  let isClosed = false;
  const observer = new ResizeObserver(place);
  observer.observe(stage);

  async function check() {
    if (isClosed) {
      return;
    }
    running?.abort();
    const mine = running = new AbortController();
    try {
      const result = await post('/data/check', read(), { background: true, signal: mine.signal });
      if (mine.signal.aborted) {
        return;
      }
      note.textContent = result.cut ? 'The preview is cut: with the sample values the mail gets too long to be shown whole.' : '';
      subject.textContent = result.subject === '' ? '(no subject)' : result.subject;
      subject.classList.toggle('none', result.subject === '');
      show(result.preview);
      onChecked(result);
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
    const coming = previewFrame(next, { class: 'coming' });
    coming.addEventListener('load', () => {
      if (coming.dataset.isLoaded) { // a link with a target of its own has led it away
        coming.remove();
        address = null;
        show(next);
        return;
      }
      coming.dataset.isLoaded = 'true';
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
    const wide = width === 'Mobile' ? Math.min(MOBILE_WIDTH, stage.clientWidth) : Math.max(DESKTOP_WIDTH, stage.clientWidth);
    const scale = Math.min(1, stage.clientWidth / wide);
    frame.style.width = wide + 'px';
    frame.style.height = stage.clientHeight / scale + 'px';
    frame.style.transform = scale < 1 ? `scale(${scale})` : '';
    frame.style.left = width === 'Mobile' ? Math.max(0, (stage.clientWidth - wide) / 2) + 'px' : '0';
    frame.style.colorScheme = scheme.toLowerCase();
    stage.dataset.scheme = scheme.toLowerCase();
  }

  function close() {
    isClosed = true;
    observer.disconnect();
    running?.abort();
  }

  return { node, update: check, updateSoon: debounce(CHECK_DELAY_MILLIS, check), close };
}

function toggle(label, names, chosen) {
  const buttons = names.map((name, i) => button(name, () => {
    buttons.forEach(one => one.setAttribute('aria-pressed', String(one === buttons[i])));
    chosen(name);
  }, { 'aria-pressed': String(i === 0), class: 'small' }));
  return html`<div class="toggle" role="group" aria-label=${label}>${buttons}</div>`;
}

/** A frame that shows a preview at the address that the server gave. */
export function previewFrame(address, attributes) {
  return html`<iframe sandbox src=${address} title="Preview of the mail" referrerpolicy="no-referrer" ${attributes}></iframe>`;
}
