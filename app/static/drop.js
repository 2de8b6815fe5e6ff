// Dropped or chosen files, read as the files of an import: a zip, an account's folder, or html files from anywhere.
import { zip } from './zip.js';

const MAX_FILES = 20_000;
/** Bytes of an import, at most; the server takes no more. */
const MAX_BYTES = 64 << 20;
const FOREIGN = /(^|\/)(\.|node_modules\/|__MACOSX\/)/;
const IN_ACCOUNT = /(^|\/)(templates|blocks)\/[^/]+\.html$/;

/** A refusal in a sentence, shown like the server's. */
function refusal(sentence) {
  return Object.assign(new Error(sentence), { status: 422 });
}

/** The files of a drop, those in folders too: {path, file}. To be called in the drop's own event. */
export async function droppedFiles(transfer) {
  const items = [...transfer.items].filter(item => item.kind === 'file');
  const entries = items.map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  const files = entries.length > 0 ? [] : [...transfer.files].map(file => ({ path: file.name, file }));
  for (const entry of entries) {
    await walk(entry, files);
  }
  return files;
}

async function walk(entry, files) {
  const path = entry.fullPath.replace(/^\//, '');
  if (FOREIGN.test(path + (entry.isDirectory ? '/' : ''))) {
    return;
  }
  if (entry.isFile) {
    if (files.length === MAX_FILES) {
      throw refusal(`These are more than ${MAX_FILES.toLocaleString('en')} files: drop the folder of the templates alone`);
    }
    files.push({ path, file: await new Promise((done, failed) => entry.file(done, failed)) });
    return;
  }
  const reader = entry.createReader();
  for (let some; some = await new Promise((done, failed) => reader.readEntries(done, failed)), some.length > 0;) {
    for (const each of some) {
      await walk(each, files);
    }
  }
}

/** The files that were chosen in a dialog. */
export function chosenFiles(input) {
  return [...input.files].map(file => ({ path: file.webkitRelativePath || file.name, file }))
    .filter(({ path }) => !FOREIGN.test(path));
}

/**
 * Makes the zip that is sent for the files.
 *
 * @param ids of the account's templates
 * @return {name, zip, keep, renamed}: keep, whether name, subject and so on of a template without a JSON file stay; renamed, pairs
 *         of a path and the id that its name became
 */
export async function toImport(files, ids) {
  const zips = files.filter(({ path }) => /\.zip$/i.test(path));
  const texts = files.filter(({ path }) => /\.(html?|json)$/i.test(path));
  if (zips.length === 1 && texts.length === 0) {
    return { name: zips[0].path, zip: zips[0].file.slice(0, zips[0].file.size, 'application/zip'), keep: false, renamed: [] };
  }
  if (zips.length > 0) {
    throw refusal('Import one zip at a time, without other files');
  }
  if (!texts.some(({ path }) => /\.html?$/i.test(path))) {
    throw refusal('There is nothing to import: no zip and no .html file');
  }
  if (texts.reduce((sum, { file }) => sum + file.size, 0) > MAX_BYTES) {
    throw refusal(`These files have more than ${MAX_BYTES >> 20} MiB: import them in parts, or on the command line`);
  }
  const first = texts[0].path;
  const name = texts.length === 1 ? first : first.includes('/') ? first.slice(0, first.indexOf('/')) : `${texts.length} files`;
  const isAccount = texts.some(({ path }) => IN_ACCOUNT.test(path));
  const { placed, renamed } = isAccount ? { placed: texts.filter(({ path }) => isOfAccount(path)), renamed: [] }
    : asTemplates(texts, ids);
  const read = [];
  for (const { path, file, bytes } of placed) {
    read.push({ path, bytes: bytes ?? new Uint8Array(await file.arrayBuffer()) });
  }
  return { name, zip: zip(read), keep: !isAccount, renamed };
}

/** Html beside an account's folder, such as a report, is no template; html in another folder of it is refused by the server. */
function isOfAccount(path) {
  return /(^|\/)(templates\/([^/]+\.samples\/)?|blocks\/)[^/]+$/.test(path) || /(^|\/)account\.json$/.test(path);
}

/** Html files from anywhere become templates of their names. A JSON file beside one is its template's. */
function asTemplates(texts, ids) {
  const pages = texts.filter(({ path }) => /\.html?$/i.test(path));
  const base = path => path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  const stem = path => path.replace(/\.[^.]+$/, '');
  const isTwice = name => pages.filter(({ path }) => idOf(base(path)) === name).length > 1;
  const jsons = new Map(texts.filter(({ path }) => /\.json$/i.test(path)).map(each => [stem(each.path), each.file]));
  const placed = [];
  const renamed = [];
  const taken = new Set();
  for (const { path, file } of pages) {
    const id = isTwice(idOf(base(path))) ? idOf(stem(path)) : idOf(base(path));
    if (id === '' || taken.has(id)) {
      throw refusal(id === '' ? `${path}: the name has no letter or digit for an id`
        : `Two of the files would be the template ${id}`);
    }
    taken.add(id);
    placed.push({ path: `templates/${id}.html`, file });
    if (jsons.has(stem(path))) {
      placed.push({ path: `templates/${id}.json`, file: jsons.get(stem(path)) });
    } else if (id !== base(path)) {
      renamed.push([path, id]);
      if (!ids.includes(id)) {
        const json = JSON.stringify({ name: base(path).slice(0, 200) });
        placed.push({ path: `templates/${id}.json`, bytes: new TextEncoder().encode(json) });
      }
    }
  }
  return { placed, renamed };
}

/** An id that reads like a name: "Welcome mail" is Welcome-mail. */
function idOf(name) {
  return name.normalize('NFKD').replace(/\p{M}/gu, '').replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[-_]+/, '').slice(0, 64)
    .replace(/-+$/, '');
}
