// An account's folder in the file system.

import {
  existsSync, linkSync, copyFileSync, lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync, openSync, closeSync,
  readSync, constants,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { FOLDERS, Shape, WRITTEN, Source, isForeign } from './files.mjs';
import { Refusal, unusable } from './text.mjs';

const STAGE = '.stet-export-';
const MAX_BYTES = 8 << 20;

/** A path as it is shown: without doubled or trailing slashes. */
export function shownPath(path) {
  return path.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '');
}

export function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A folder's entries, sorted by the bytes of their names. Their paths are bytes, because names need not be UTF-8. */
function list(folder) {
  if (!isFolder(folder)) {
    throw new Refusal(statSync(folder, { throwIfNoEntry: false }) ? `${folder} is not a folder` : `Folder ${folder} not found`);
  }
  return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }).sort((a, b) => Buffer.compare(a.name, b.name))
    .map((entry) => ({ entry, name: entry.name.toString(), file: Buffer.concat([Buffer.from(folder), Buffer.from(sep), entry.name]) }));
}

/** Opens a folder of Stet's files to push. @throws Refusal for another system's files, which only the Java program converts */
export function openToPush(given) {
  const folder = shownPath(given);
  if (statSync(folder, { throwIfNoEntry: false })?.isFile()) {
    throw new Refusal(`${folder} is a file. This client reads folders; the Java program also reads zip files and single templates.`);
  }
  const shape = new Shape();
  addAll(folder, '', shape);
  if (shape.isForeign) {
    throw new Refusal(`${folder} has no templates/ID.html. Only the Java program converts the files of other systems; convert them once, then pull.`);
  }
  return openFolder(folder);
}

/** Opens a folder of Stet's files. Symbolic links, which could point to any file, are rejected. */
export function openFolder(folder) {
  const source = new Source();
  addAll(shownPath(folder), '', source);
  return source;
}

function addAll(directory, prefix, listing) {
  for (const { entry, name, file } of list(directory)) {
    const path = prefix + name;
    if (isForeign(path)) {
      listing.passOver(path + (entry.isDirectory() ? '/' : ''));
    } else if (entry.isSymbolicLink()) {
      listing.addLink(path);
    } else if (entry.isFile()) {
      listing.add(path, statSync(file).size, () => read(file, path));
    } else if (entry.isDirectory()) {
      listing.addFolder(path);
      addAll(file, `${path}/`, listing);
    } else {
      listing.passOver(path);
    }
  }
}

function read(file, path) {
  let descriptor;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const bytes = Buffer.alloc(Math.min(MAX_BYTES + 1, statSync(file).size + 1));
    let length = 0;
    for (let more = 1; more > 0 && length < bytes.length; length += more) more = readSync(descriptor, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } catch (error) {
    if (error.code === 'ENOENT') throw new Refusal('The file was removed while it was being read; try again').in(path);
    if (error.code === 'EACCES') throw new Refusal('The file cannot be read; check its permissions').in(path);
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Writes files into a folder, which changes only in `commit`, after all files were written to a temporary folder in it. A new folder
 * appears by one rename. A crash during a commit leaves each file either old or new, never partial.
 */
export class FolderTarget {
  #folder;
  #isNew;
  #stage;
  #written = new Set();
  #staged = new Set();
  #deleted = new Set();

  /** @throws Refusal if the path of a template, block or image is not a regular file */
  constructor(given) {
    const folder = shownPath(given);
    this.#folder = folder;
    this.#isNew = statSync(folder, { throwIfNoEntry: false }) === undefined;
    if (!this.#isNew && !isFolder(folder)) throw new Refusal(`${folder} is not a folder`);
    for (const name of WRITTEN) {
      checkIsNoLink(join(folder, name), name);
      if (existsSync(join(folder, name)) && !isFolder(join(folder, name))) throw new Refusal('This is not a folder').in(name);
    }
    for (const [path, file] of this.#files()) {
      checkIsNoLink(file, path);
      if (/\.(html|json|png|jpe?g|gif)$/.test(path) && existsSync(file) && !statSync(file).isFile()) throw new Refusal('This is not a file').in(path);
    }
    let there = resolve(folder);
    while (!existsSync(there)) there = dirname(there);
    try {
      deleteStages(there);
      this.#stage = join(there, `${STAGE}${process.pid}-${process.hrtime.bigint()}`);
      FOLDERS.forEach((name) => mkdirSync(join(this.#stage, name), { recursive: true }));
    } catch (error) {
      throw unusable(`Cannot write to the folder ${folder}`, error);
    }
  }

  /** All files in the folders of templates, blocks and images, by path. */
  #files() {
    const files = new Map();
    WRITTEN.filter((name) => isFolder(join(this.#folder, name))).forEach((name) => addFiles(join(this.#folder, name), `${name}/`, files));
    return files;
  }

  write(path, content) {
    if (this.#isNew || !holds(join(this.#folder, path), content)) {
      mkdirSync(dirname(join(this.#stage, path)), { recursive: true });
      writeFileSync(join(this.#stage, path), content, { flag: 'wx' });
      this.#staged.add(path);
    }
    this.#written.add(path);
  }

  /** Deletes a file during the commit. */
  delete(path) {
    this.#deleted.add(path);
  }

  /** Keeps a file unchanged. */
  keep(path) {
    this.#written.add(path);
  }

  commit() {
    if (this.#isNew) {
      mkdirSync(dirname(resolve(this.#folder)), { recursive: true });
      renameSync(this.#stage, this.#folder);
      return;
    }
    const moved = [];
    try {
      FOLDERS.forEach((name) => mkdirSync(join(this.#folder, name), { recursive: true }));
      for (const path of this.#staged) {
        const file = join(this.#folder, path);
        mkdirSync(dirname(file), { recursive: true });
        if (existsSync(file)) linkOrCopy(file, this.#before(path));
        moved.push(path);
        renameSync(join(this.#stage, path), file);
      }
      for (const path of this.#deleted) {
        mkdirSync(dirname(this.#before(path)), { recursive: true });
        renameSync(join(this.#folder, path), this.#before(path));
        moved.push(path);
      }
    } catch (error) {
      moved.forEach((path) => this.#putBack(path));
      throw error;
    }
  }

  /** Path of a file's backup, which is kept until the commit is complete. */
  #before(path) {
    return join(this.#stage, `${path}.before`);
  }

  #putBack(path) {
    if (existsSync(this.#before(path))) renameSync(this.#before(path), join(this.#folder, path));
    else rmSync(join(this.#folder, path), { force: true });
  }

  close() {
    rmSync(this.#stage, { recursive: true, force: true });
  }

  get changed() {
    return this.#staged.size + this.#deleted.size;
  }

  /** Files in the template and block folders that were not written, except hidden files. */
  others() {
    return [...this.#files().keys()].filter((path) => !this.#written.has(path) && !path.includes('/.'));
  }
}

/** Deletes the temporary folders of commands that were killed. */
function deleteStages(folder) {
  for (const { name } of readdirSync(folder, { withFileTypes: true })) {
    const process = /^\.stet-export-([0-9]+)-[0-9]+$/.exec(name)?.[1];
    if (process && (process.length > 9 || !isRunning(Number(process)))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  if (pid === process.pid) return false; // a restarted container may have the same process ID
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function addFiles(directory, prefix, files) {
  for (const { entry, name, file } of list(directory)) {
    const path = prefix + name;
    if (path.endsWith('.samples') && entry.isDirectory()) addFiles(file, `${path}/`, files);
    else files.set(path, file);
  }
}

function checkIsNoLink(file, path) {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Refusal('This is a symbolic link, which exports do not follow; replace it with a file or folder').in(path);
  }
}

function linkOrCopy(file, copy) {
  mkdirSync(dirname(copy), { recursive: true });
  try {
    linkSync(file, copy);
  } catch {
    copyFileSync(file, copy); // this file system has no links
  }
}

function holds(file, bytes) {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return (found?.isFile() ?? false) && found.size === bytes.length && readFileSync(file).equals(bytes);
}
