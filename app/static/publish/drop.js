// Reads dropped or chosen files for an import: a zip, a folder or single files. The server decides what they are.
import { refusal } from '../frame/form.js';
import { zip } from './zip.js';

/** Maximum number of files of an import. */
const MAX_FILES = 20_000;
/** Maximum size of an import, as on the server. */
const MAX_BYTES = 64 << 20;
/** Paths of hidden files and of folders that other programs make. */
const FOREIGN = /(^|\/)(\.|node_modules\/|__MACOSX\/)/;
/** Templates, shared blocks and their data. */
const TEXT = /\.(html?|hbs|handlebars|mustache|json)$/i;
/** Imported with the HTML that they belong to. */
const IMAGE = /\.(png|jpe?g|gif)$/i;

/**
 * Files of a drop, including those in folders: {path, file}. Must be called inside the drop event.
 *
 * @throws an error for the user if there are too many
 */
export async function droppedFiles(transfer) {
  const items = [...transfer.items].filter(item => item.kind === 'file');
  const entries = items.map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) {
    return [...transfer.files].map(file => ({ path: file.name, file }));
  }
  const files = [];
  for await (const file of filesIn(entries)) {
    files.push(file);
    refuseMany(files);
  }
  return files;
}

/** @throws an error for the user if there are too many files */
function refuseMany(files) {
  if (files.length > MAX_FILES) {
    throw refusal(`Too many files (limit: ${MAX_FILES.toLocaleString('en')}). Import only the folder that contains your templates`);
  }
}

/** The files among the entries, and in their folders. */
async function* filesIn(entries) {
  for (const entry of entries) {
    const path = entry.fullPath.replace(/^\//, '');
    if (FOREIGN.test(path + (entry.isDirectory ? '/' : ''))) {
      continue;
    }
    if (entry.isFile) {
      yield { path, file: await new Promise((done, failed) => entry.file(done, failed)) };
    } else {
      yield* filesInFolder(entry.createReader());
    }
  }
}

/** The files of a folder. The browser reads it in parts, the last of which is empty. */
async function* filesInFolder(reader) {
  for (;;) {
    const entries = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (entries.length === 0) {
      return;
    }
    yield* filesIn(entries);
  }
}

/** Files chosen in a file dialog. */
export function chosenFiles(input) {
  return [...input.files].map(file => ({ path: file.webkitRelativePath || file.name, file }))
    .filter(({ path }) => !FOREIGN.test(path));
}

/**
 * Makes the zip to upload.
 *
 * @return {name, zip, ignored}; `name` is that of the file or folder, or a number of files; `ignored` lists the paths of files that
 *         are not sent
 * @throws an error for the user if there is nothing to import, or too much
 */
export async function toImport(files) {
  const zips = files.filter(({ path }) => /\.zip$/i.test(path));
  const texts = files.filter(({ path }) => TEXT.test(path));
  if (zips.length === 1 && texts.length === 0) {
    const [{ path, file }] = zips;
    return { name: path, zip: file.slice(0, file.size, 'application/zip'), ignored: pathsWithout(files, zips) };
  }
  if (zips.length > 0) {
    throw refusal('Import one zip file at a time, without other files');
  }
  if (texts.length === 0) {
    throw refusal('Nothing to import. Choose a .zip, .html or .json file');
  }
  const read = files.filter(({ path }) => TEXT.test(path) || IMAGE.test(path));
  refuseMany(read);
  if (read.reduce((sum, { file }) => sum + file.size, 0) > MAX_BYTES) {
    throw refusal(`These files exceed ${MAX_BYTES >> 20} MiB. Import fewer files at a time, or use the command line`);
  }
  const contents = [];
  for (const { path, file } of read) {
    contents.push({ path, bytes: new Uint8Array(await file.arrayBuffer()) });
  }
  return { name: nameOf(texts), zip: zip(contents), ignored: pathsWithout(files, read) };
}

const pathsWithout = (files, sent) => files.filter(each => !sent.includes(each)).map(({ path }) => path);

/** The path of the only text, the folder of the first one, or a number of files. */
function nameOf(texts) {
  const [{ path }] = texts;
  if (texts.length === 1) {
    return path;
  }
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : `${texts.length} files`;
}
