// Reads dropped or chosen files for an import: a zip, a folder or single files. The server decides what they are.
import { refusal } from '../frame/form.js';
import { zip } from './zip.js';

const MAX_FILES = 20_000;
/** Maximum size of an import, as on the server. */
const MAX_BYTES = 64 << 20;
const FOREIGN = /(^|\/)(\.|node_modules\/|__MACOSX\/)/;
const TEXT = /\.(html?|hbs|handlebars|mustache|json)$/i;
/** Imported with the HTML that they belong to. */
const IMAGE = /\.(png|jpe?g|gif)$/i;

/** Files of a drop, including those in folders: {path, file}. Must be called inside the drop event. */
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
      throw refusal(`Too many files (limit: ${MAX_FILES.toLocaleString('en')}). Drop only the folder that contains your templates`);
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

/** Files chosen in a file dialog. */
export function chosenFiles(input) {
  return [...input.files].map(file => ({ path: file.webkitRelativePath || file.name, file }))
    .filter(({ path }) => !FOREIGN.test(path));
}

/**
 * Makes the zip to upload.
 *
 * @return {name, zip, ignored}; `ignored` lists the paths of files that cannot be templates
 */
export async function toImport(files) {
  const zips = files.filter(({ path }) => /\.zip$/i.test(path));
  const texts = files.filter(({ path }) => TEXT.test(path));
  if (zips.length === 1 && texts.length === 0) {
    return { name: zips[0].path, zip: zips[0].file.slice(0, zips[0].file.size, 'application/zip'), ignored: [] };
  }
  if (zips.length > 0) {
    throw refusal('Import one zip file at a time, without other files');
  }
  if (texts.length === 0) {
    throw refusal('Nothing to import. Choose a .zip, .html or .json file');
  }
  const read = files.filter(({ path }) => TEXT.test(path) || IMAGE.test(path));
  if (read.reduce((sum, { file }) => sum + file.size, 0) > MAX_BYTES) {
    throw refusal(`These files exceed ${MAX_BYTES >> 20} MiB. Import fewer files at a time, or use the command line`);
  }
  const first = texts[0].path;
  const name = texts.length === 1 ? first : first.includes('/') ? first.slice(0, first.indexOf('/')) : `${texts.length} files`;
  const contents = [];
  for (const { path, file } of read) {
    contents.push({ path, bytes: new Uint8Array(await file.arrayBuffer()) });
  }
  return { name, zip: zip(contents), ignored: files.filter(each => !read.includes(each)).map(({ path }) => path) };
}
