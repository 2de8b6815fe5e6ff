// Keeps text that the server does not have in the browser, and offers it when the text is opened again. A crash, a reload or a
// lost session then costs nothing, and neither does taking another text in its place. Nothing is put back without being asked for.
import { html, button } from './dom.js';
import { attempt, confirmed, dialog } from './dialog.js';
import { differences } from './difference.js';
import { account } from './session.js';
import { fullTime } from './time.js';

/** Texts that are kept in the browser; the oldest goes first. */
const MAX_TEXTS = 20;
/** Characters of one text; a longer one is not kept. */
const MAX_CHARACTERS = 4_000_000;
const MAX_AGE_DAYS = 30;
/** Longest time between a change and its keeping. */
const INTERVAL_MILLIS = 2_000;
const MILLIS_A_DAY = 86_400_000;

/**
 * A record is {id, owner, path, name, isReplaced, revision, at, text}; `at` in milliseconds since 1970.
 *
 * @returns the database, or null in a browser that keeps nothing
 */
let opened = null;
function open() {
  opened ??= new Promise(done => {
    const request = indexedDB.open('stet', 1);
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore('texts', { keyPath: 'id' });
      store.createIndex('at', 'at');
      store.createIndex('path', ['owner', 'path']);
      store.createIndex('owner', 'owner');
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => done(null);
  }).catch(() => null);
  return opened;
}

/** Runs one transaction; resolves to the result of the request that `run` returns, or to undefined where nothing can be kept. */
async function inStore(mode, run) {
  const database = await open();
  return database && new Promise(done => {
    const transaction = database.transaction('texts', mode);
    const asked = run(transaction.objectStore('texts'));
    transaction.oncomplete = () => done(asked?.result);
    transaction.onabort = () => done(undefined);
  });
}

function put(record) {
  if (JSON.stringify(record.text).length > MAX_CHARACTERS) {
    return remove(record.id);
  }
  return inStore('readwrite', store => {
    store.put(record);
    const byTime = store.index('at').getAllKeys();
    byTime.onsuccess = () => byTime.result.slice(0, -MAX_TEXTS).forEach(id => store.delete(id));
  });
}

function remove(id) {
  return inStore('readwrite', store => store.delete(id));
}

/** The texts of an index's key, the latest first. Those that are too old are removed. */
async function find(index, key) {
  const all = await inStore('readonly', store => store.index(index).getAll(key)) ?? [];
  const oldest = Date.now() - MAX_AGE_DAYS * MILLIS_A_DAY;
  all.filter(record => record.at < oldest).forEach(record => remove(record.id));
  return all.filter(record => record.at >= oldest).sort((one, other) => other.at - one.at);
}

const person = () => account.email + '\n';
const ownerOf = ({ email, id }) => email + '\n' + id;

/**
 * Asks before signing out, as this removes what the person has kept in this browser: others may use it after them.
 *
 * @returns whether the person goes on
 */
export async function forgetKept() {
  const mine = await find('owner', IDBKeyRange.bound(person(), person() + '\uffff'));
  const names = [...new Set(mine.filter(record => !record.isReplaced).map(record => record.name))];
  if (names.length > 0 && !await confirmed('Sign out and delete unsaved text?', [
    `This browser keeps text of yours that is not saved: ${names.join(', ')}. Signing out deletes it here.`,
    'Stay signed in to open and save it.'], 'Sign out and delete it', { danger: true, cancel: 'Stay signed in' })) {
    return false;
  }
  await Promise.all(mine.map(record => remove(record.id)));
  return true;
}

/**
 * Keeps the text of one editor.
 *
 * @param path    address of the text
 * @param read    gives the text in the editor
 * @param saved   gives the text as the server has it
 * @param isDirty whether the two differ
 * @param isSame  compares two texts
 * @param replace puts a text into the editor
 */
export function keeper({ path, read, saved, isDirty, isSame, replace }) {
  const node = html`<div class="kept" role="status"></div>`;
  const owner = ownerOf(account);
  // Each window keeps a text of its own, so that two of them do not replace each other's.
  const own = newId();
  let timer = null;
  let isKept = false;
  let isOver = false;

  const record = (text, more) => ({ owner, path, name: saved().name, revision: saved().revision, at: Date.now(), text, ...more });

  /** Keeps the text within the interval. */
  function onChange() {
    timer ??= setTimeout(keep, INTERVAL_MILLIS);
  }

  /** Keeps the text now, or forgets it once it is saved. */
  async function keep() {
    clearTimeout(timer);
    timer = null;
    if (isDirty()) {
      isKept = true;
      await put(record(read(), { id: own, isReplaced: false }));
    } else if (isKept) {
      isKept = false;
      await remove(own);
    }
  }

  function onHidden() {
    if (document.hidden && timer !== null) {
      keep();
    }
  }

  /** Keeps a text that another one takes the place of, and offers it. */
  async function keepReplaced(text) {
    await put(record(text, { id: newId(), isReplaced: true }));
    await offer();
  }

  /** Offers the latest unsaved text and the latest replaced one that the editor does not have. */
  async function offer() {
    const all = (await find('path', [owner, path])).filter(({ id }) => id !== own);
    const useful = all.filter(({ text }) => !isSame(text, saved()));
    all.filter(one => !useful.includes(one)).forEach(({ id }) => remove(id));
    const news = useful.filter(({ text }) => !isSame(text, read()));
    const latest = [false, true].map(isReplaced => news.find(one => one.isReplaced === isReplaced)).filter(Boolean);
    if (!isOver) {
      node.replaceChildren(...latest.map(notice));
    }
  }

  function notice(kept) {
    const isMoved = kept.revision !== saved().revision && !kept.isReplaced;
    return html`
      <p class="notice around">
        ${kept.isReplaced ? `Your text of ${fullTime(kept.at)} was replaced, and is kept in this browser.`
          : `Text that you typed until ${fullTime(kept.at)} was not saved. It is kept in this browser.`}
        ${isMoved && 'Another text was saved since.'}
        ${button('Show', () => attempt(() => show(kept)), { class: 'small', 'aria-label': 'Show the kept text' })}
        ${kept.isReplaced && button('Bring mine back', () => attempt(() => bringBack(kept)), { class: 'small' })}
        ${button('Not now', () => node.replaceChildren(), { class: 'small quiet', 'aria-label': 'Hide the kept text' })}
      </p>`;
  }

  async function show(kept) {
    const difference = await differences(read(), kept.text, ['the editor', 'the kept text']);
    const choice = await dialog('Text kept in this browser', close => html`
      <p>Typed until ${fullTime(kept.at)}. “Bring mine back” puts all of it into the editor, with its subject and test data.
        Saving it is up to you.</p>
      ${difference}
      <div class="actions">
        ${button('Delete it', () => close('delete'), { class: 'danger' })}
        ${button('Not now', () => close(), { autofocus: true })}
        ${button('Bring mine back', () => close('back'), { class: 'primary' })}
      </div>`, { wide: true });
    if (choice === 'back') {
      await bringBack(kept);
    } else if (choice === 'delete') {
      await remove(kept.id);
      await offer();
    }
  }

  /** Puts a kept text into the editor. Unsaved text that was there is kept in its turn. */
  async function bringBack(kept) {
    const before = isDirty() ? read() : null;
    replace(kept.text);
    await keep();
    await remove(kept.id);
    await (before ? keepReplaced(before) : offer());
  }

  document.addEventListener('visibilitychange', onHidden);
  return {
    node,
    onChange,
    onSaved: keep,
    keepReplaced,
    start: offer,
    /** Forgets the text in the editor: the person leaves it on purpose. */
    async discard() {
      isOver = true;
      clearTimeout(timer);
      await remove(own);
    },
    stop() {
      document.removeEventListener('visibilitychange', onHidden);
      if (!isOver) {
        isOver = true;
        keep();
      }
    },
  };
}

function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, '0')).join('');
}
