// Preview of the email, filled with test data. It loads from a separate URL into a sandboxed frame in which only Stet's script
// runs; its content never enters this page.
import { html, debounce, toggle } from '../frame/dom.js';
import { post } from '../frame/server.js';
import { sentence } from '../frame/form.js';
import { inboxLine } from './inbox.js';

/** Desktop layout width in pixels; narrower panes scale the email down. */
const DESKTOP_WIDTH = 600;
const MOBILE_WIDTH = 375;
const CHECK_DELAY_MILLIS = 120;
/** A new preview replaces the old one once it has loaded with its images, or this long after its text was parsed. */
const IMAGES_DELAY_MILLIS = 500;
/** On phones, the email gets the phone layout. */
const TELEPHONE = '(max-width: 600px)';

const askCheck = (draft, options) => post('/data/check', draft, options);

/**
 * @param read       returns the {subject, html, samples} to show
 * @param ask        requests a preview of that text from the server; the second argument are the request's options
 * @param onChecked  receives the server's findings and the text that was checked
 * @param hasSubject true if there is a subject to show
 * @param onRead     receives the text about to be shown
 * @param inspecting the inspector, which links preview and editor
 * @return {node, tools, stage, update, updateSoon, close}: `tools` is for further buttons, `stage` has the frames, `update` requests a
 *         preview at once, and `updateSoon` as soon as it has not been called for a moment
 */
export function preview({ read, ask = askCheck, onChecked, hasSubject, inspecting, onRead = () => {} }) {
  let width = matchMedia(TELEPHONE).matches ? 'Mobile' : 'Desktop';
  let scheme = 'Light';
  const inbox = inboxLine();
  const note = html`<p class="preview-note" role="status"></p>`;
  const stage = html`<div class="stage"></div>`;
  const tools = html`<div class="row tools"></div>`;
  const node = html`
    <section class="pane preview" aria-label="Preview">
      <div class="pane-head">
        <h2>Preview</h2>
        ${toggle('Width', ['Desktop', 'Mobile'], width, setWidth).node}
        ${toggle('Colour scheme', ['Light', 'Dark', 'Forced dark'], scheme, setScheme).node}
        ${tools}
      </div>
      ${hasSubject && inbox.node}
      ${note}
      ${stage}
      ${inspecting.node}
    </section>`;
  let frame = null;
  let address = null;
  let running = null;
  let isClosed = false;
  /** Number of requested previews; the stage is busy until the last requested preview is shown. */
  let asked = 0;
  const observer = new ResizeObserver(place);
  observer.observe(stage);

  /** Marks the stage as busy. @return the number of the preview that is awaited */
  function setBusy() {
    stage.setAttribute('aria-busy', 'true');
    return ++asked;
  }

  /** A preview is shown, or cannot be; if it is the last one requested, the stage is no longer busy. */
  function setShown(number) {
    if (number === asked) {
      stage.removeAttribute('aria-busy');
    }
  }

  /** Requests a preview of the present text. An earlier request is aborted. */
  async function check() {
    if (isClosed) {
      return;
    }
    const number = setBusy();
    running?.abort();
    const aborter = new AbortController();
    running = aborter;
    try {
      const draft = read();
      onRead(draft);
      const result = await ask(draft, { background: true, signal: aborter.signal });
      if (aborter.signal.aborted) {
        return;
      }
      note.textContent = notesOn(result).join(' ');
      inbox.show(result);
      inspecting.whenFree(() => show(result.preview, { text: draft.html, offset: result.offset ?? 0 }, number));
      onChecked(result, draft);
    } catch (failure) {
      if (!aborter.signal.aborted) {
        note.textContent = 'Could not update the preview: ' + sentence(failure);
        setShown(number);
      }
    }
  }

  /**
   * Shows a preview. Each preview gets a new frame, because navigating a frame would add to the browser's history.
   *
   * @param source     {text, offset}: the source that the preview was made from, and its place in the preview's HTML
   * @param number     sequence number of the preview
   * @param isScripted false after an email navigated its frame away, which it cannot do without scripts
   */
  function show(next, source, number, isScripted = true) {
    if (next === address && isScripted || isClosed) {
      setShown(number);
      return;
    }
    address = next;
    stage.querySelectorAll('iframe.coming').forEach(late => late.remove());
    const coming = previewFrame(next, { class: 'coming', ...isScripted && { sandbox: 'allow-scripts' } });
    const reveal = () => {
      if (coming.isConnected && address === next && coming.classList.contains('coming')) {
        stage.querySelectorAll('iframe:not(.coming)').forEach(shown => shown.remove()); // earlier frames may never have loaded
        coming.classList.remove('coming');
        inspecting.shown();
        setShown(number);
      }
    };
    coming.addEventListener('load', () => {
      if (coming.dataset.isLoaded) { // the email navigated away
        coming.remove();
        frame = null;
        show(next, source, number, false);
        return;
      }
      coming.dataset.isLoaded = 'true';
      reveal();
    });
    frame = coming;
    inspecting.attach(coming, source.text, source.offset, () => setTimeout(reveal, IMAGES_DELAY_MILLIS));
    place();
    stage.append(coming);
  }

  function setWidth(chosen) {
    width = chosen;
    place();
  }

  function setScheme(chosen) {
    scheme = chosen;
    inspecting.setForcedDark(scheme === 'Forced dark');
    place();
  }

  /** Lays out the frame: in its width, scaled to the stage, and in its colours. */
  function place() {
    if (frame === null) {
      return;
    }
    const isMobile = width === 'Mobile';
    const wide = isMobile ? Math.min(MOBILE_WIDTH, stage.clientWidth) : Math.max(DESKTOP_WIDTH, stage.clientWidth);
    const scale = Math.min(1, stage.clientWidth / wide);
    frame.style.width = wide + 'px';
    frame.style.height = stage.clientHeight / scale + 'px';
    frame.style.transform = scale < 1 ? `scale(${scale})` : '';
    frame.style.left = isMobile ? Math.max(0, (stage.clientWidth - wide) / 2) + 'px' : '0';
    frame.style.colorScheme = scheme === 'Dark' ? 'dark' : 'light';
    stage.dataset.scheme = scheme.toLowerCase().replace(' ', '-');
  }

  function close() {
    isClosed = true;
    observer.disconnect();
    running?.abort();
    inspecting.close();
  }

  const checkSoon = debounce(CHECK_DELAY_MILLIS, check);

  function updateSoon() {
    setBusy();
    checkSoon();
  }

  return { node, tools, stage, update: check, updateSoon, close };
}

/** A frame for a preview at the URL given by the server. */
export function previewFrame(address, attributes) {
  return html`
    <iframe src=${address} title="Email preview" referrerpolicy="no-referrer" ${{ sandbox: true, ...attributes }}></iframe>`;
}

/** Sentences about what a preview does not show as it is, or at all. */
function notesOn({ cut, marked, lost, helpers = [] }) {
  const notes = [];
  if (cut) {
    notes.push('The preview is truncated because the rendered email is too long.');
  } else if (!marked) {
    notes.push('You cannot select elements in the preview because the email is too large.');
  }
  if (lost) {
    notes.push(lostNote(lost));
  }
  if (helpers.length > 0) {
    notes.push(helpersNote(helpers));
  }
  return notes;
}

/** @param lost the first place where HTML is not closed, as the server names it */
export const lostNote = lost => `A part of this email is lost in every mail client (${lost}).`;

/** @param helpers helpers of the app, which the preview cannot run */
function helpersNote(helpers) {
  return `The preview cannot run your app's helpers (${helpers.join(', ')}): it always shows the first branch of their sections, `
    + 'and their other tags as written.';
}
