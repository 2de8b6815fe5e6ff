// Stores texts in IndexedDB. A record is {id, owner, path, name, isReplaced, revision, at, text}; `at` is in milliseconds since
// 1970. Without a database, nothing is stored or found.

/** Maximum number of texts; the oldest texts are deleted first. */
const MAX_TEXTS = 20;
/** Longer texts are not stored. */
const MAX_CHARACTERS = 4_000_000;
const MAX_AGE_DAYS = 30;
const MILLIS_A_DAY = 86_400_000;

let opened = null;

/** Resolves to the database, or null if it is unavailable. */
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

/** Runs a transaction. Resolves to the result of the request that `run` returns; undefined if it is aborted, null without a database. */
async function transact(mode, run) {
  const database = await open();
  return database && new Promise(done => {
    const transaction = database.transaction('texts', mode);
    const request = run(transaction.objectStore('texts'));
    transaction.oncomplete = () => done(request?.result);
    transaction.onabort = () => done(undefined);
  });
}

/** Stores a text in the place of the record with its id, and deletes the oldest of too many; deletes that record if the text is too long. */
export function storeText(record) {
  if (JSON.stringify(record.text).length > MAX_CHARACTERS) {
    return removeText(record.id);
  }
  return transact('readwrite', store => {
    store.put(record);
    const byTime = store.index('at').getAllKeys();
    byTime.onsuccess = () => byTime.result.slice(0, -MAX_TEXTS).forEach(id => store.delete(id));
  });
}

export function removeText(id) {
  return transact('readwrite', store => store.delete(id));
}

/** Finds texts by index key, newest first. Deletes expired texts. */
export async function findTexts(index, key) {
  const all = await transact('readonly', store => store.index(index).getAll(key)) ?? [];
  const oldest = Date.now() - MAX_AGE_DAYS * MILLIS_A_DAY;
  all.filter(record => record.at < oldest).forEach(record => removeText(record.id));
  return all.filter(record => record.at >= oldest).sort((one, other) => other.at - one.at);
}
