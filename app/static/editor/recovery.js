// Stores unsaved text in the browser and offers it when the text is opened again, so that it survives a crash, a reload, the
// end of the session or a replacement. Nothing is restored without asking.
import { html, button } from '../frame/dom.js';
import { attempt, confirmed, dialog } from '../frame/dialog.js';
import { changeView, textPreview } from '../preview/pictures.js';
import { findTexts, removeText, storeText } from './recoverystore.js';
import { account } from '../frame/session.js';
import { fullTime } from '../frame/time.js';

/** Maximum delay before a change is stored. */
const INTERVAL_MILLIS = 2_000;

const ownerOf = ({ email, id }) => email + '\n' + id;

/**
 * Deletes the user's stored texts on sign-out, because others may use this browser. Asks first if there is unsaved text.
 *
 * @return false if the user stays signed in
 */
export async function deleteStoredTexts() {
  const user = account.email + '\n';
  const mine = await findTexts('owner', IDBKeyRange.bound(user, user + '\uffff'));
  const names = [...new Set(mine.filter(record => !record.isReplaced).map(record => record.name))];
  if (names.length > 0 && !await confirmed('Sign out and delete unsaved text?', [
    `Signing out deletes the unsaved text for ${names.join(', ')} from this browser.`,
    'To keep the text, stay signed in and save it.'], 'Sign out and delete', { danger: true, cancel: 'Stay signed in' })) {
    return false;
  }
  await Promise.all(mine.map(record => removeText(record.id)));
  return true;
}

/**
 * Stores an editor's unsaved text, and offers text stored earlier.
 *
 * @param path    URL of the text
 * @param read    returns the editor's text
 * @param saved   returns the last saved text
 * @param isDirty true if the two differ
 * @param isSame  compares two texts
 * @param replace replaces the editor's text
 */
export function recovery({ path, read, saved, isDirty, isSame, replace }) {
  const owner = ownerOf(account);
  const record = (text, more) => ({ owner, path, name: saved().name, revision: saved().revision, at: Date.now(), text, ...more });
  const storing = autosave({ isDirty, record: id => record(read(), { id, isReplaced: false }) });
  const offers = html`<div class="recovered" role="status"></div>`;

  /** Stores a text that is being replaced, and offers it. */
  async function storeReplaced(text) {
    await storeText(record(text, { id: newId(), isReplaced: true }));
    await offer();
  }

  /** Offers the latest unsaved text and the latest replaced text, unless the editor already contains them. */
  async function offer() {
    const news = (await usefulTexts()).filter(({ text }) => !isSame(text, read()));
    const latest = [false, true].map(isReplaced => news.find(one => one.isReplaced === isReplaced)).filter(Boolean);
    if (!storing.isStopped()) {
      offers.replaceChildren(...latest.map(found => notice(found, saved().revision,
        { show: () => show(found), bringBack: () => bringBack(found), hide: () => offers.replaceChildren() })));
    }
  }

  /** The texts of other windows and sessions, newest first. Deletes those that have been saved. */
  async function usefulTexts() {
    const all = (await findTexts('path', [owner, path])).filter(({ id }) => id !== storing.id);
    const isUseful = ({ text }) => !isSame(text, saved());
    all.filter(each => !isUseful(each)).forEach(({ id }) => removeText(id));
    return all.filter(isUseful);
  }

  async function show(found) {
    const now = read();
    const choice = await askAbout(found, await changeView(now, found.text, ['the editor', 'the recovered text'],
      [{ name: 'Editor', ask: () => textPreview(now, saved()) }, { name: 'Recovered text', ask: () => textPreview(found.text, saved()) }]));
    if (choice === 'back') {
      await bringBack(found);
    } else if (choice === 'delete') {
      await removeText(found.id);
      await offer();
    }
  }

  /** Restores a stored text. Unsaved text in the editor is stored first. */
  async function bringBack(found) {
    const before = isDirty() ? read() : null;
    replace(found.text);
    await storing.run();
    await removeText(found.id);
    await (before ? storeReplaced(before) : offer());
  }

  return { node: offers, onChange: storing.soon, onSaved: storing.run, storeReplaced, start: offer, discard: storing.discard, stop: storing.stop };
}

/** Stores changed text at intervals, and deletes it after a save. @param record makes the record, given its id */
function autosave({ isDirty, record }) {
  // One record per window, so that windows do not overwrite each other's text.
  const id = newId();
  let timer = null;
  let isStored = false;
  let isStopped = false;
  let isDiscarded = false;

  async function run() {
    clearTimeout(timer);
    timer = null;
    if (isDiscarded) {
      return;
    }
    if (isDirty()) {
      isStored = true;
      await storeText(record(id));
    } else if (isStored) {
      isStored = false;
      await removeText(id);
    }
  }

  function onHidden() {
    if (document.hidden && timer !== null) {
      run();
    }
  }

  document.addEventListener('visibilitychange', onHidden);
  return {
    id,
    run,
    soon() {
      isDiscarded = false;
      timer ??= setTimeout(run, INTERVAL_MILLIS);
    },
    isStopped: () => isStopped,
    /** Deletes the text, which the user chose to discard, and stores none until it changes again: not when a save ends later. */
    async discard() {
      isDiscarded = true;
      await removeText(id);
    },
    stop() {
      document.removeEventListener('visibilitychange', onHidden);
      isStopped = true;
      run();
    },
  };
}

/** The offer of a stored text. @param found its record @param revision revision of the saved text */
function notice(found, revision, { show, bringBack, hide }) {
  const isOutdated = found.revision !== revision && !found.isReplaced;
  return html`
    <p class="notice with-buttons">
      ${found.isReplaced ? `Your text from ${fullTime(found.at)} was replaced, but this browser still has a copy.`
        : `This browser has unsaved text from ${fullTime(found.at)}.`}
      ${isOutdated && 'A newer version has been saved since.'}
      ${button('Show', () => attempt(show), { class: 'small', 'aria-label': 'Show recovered text' })}
      ${found.isReplaced && button('Restore mine', () => attempt(bringBack), { class: 'small' })}
      ${button('Not now', hide, { class: 'small quiet', 'aria-label': 'Not now, hide recovered text' })}
    </p>`;
}

/** Resolves to 'back', 'delete', or undefined for "not now". */
function askAbout(found, difference) {
  return dialog('Recovered text', close => html`
    <p>“Restore mine” loads the text from ${fullTime(found.at)}, with its subject and test data, into the editor without
      saving it.</p>
    ${difference}
    <div class="actions">
      ${button('Delete', () => close('delete'), { class: 'danger' })}
      ${button('Not now', () => close(), { autofocus: true })}
      ${button('Restore mine', () => close('back'), { class: 'primary' })}
    </div>`, { wide: true });
}

function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, '0')).join('');
}
