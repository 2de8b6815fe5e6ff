// Zips: written for a push, and read from a server that may be hostile.

import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { crc32 } from './crc32.mjs';
import { Source } from './files.mjs';
import { Refusal, decode } from './text.mjs';

const MAX_ENTRIES = 100_000;
const MAX_DIRECTORY_BYTES = 8 << 20;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const DEFLATED = 8;
const DATE = 0x21; // 1980-01-01, so that the same files have the same bytes

/** Writes files with ASCII names as a zip. @param write is given a function that adds a file @return length in bytes */
export function writeZip(file, write) {
  const out = openSync(file, 'w', 0o600);
  const directory = [];
  let position = 0;
  const append = (bytes) => {
    for (let at = 0; at < bytes.length;) at += writeSync(out, bytes, at);
    position += bytes.length;
    if (position > 0xffffffff) throw new Refusal('The folder is too large for a zip file; the limit is 4 GiB');
  };
  const add = (path, bytes) => {
    const name = Buffer.from(path);
    const data = bytes.length === 0 ? bytes : deflateRawSync(bytes);
    const method = bytes.length === 0 ? 0 : DEFLATED;
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt16LE(DATE, 8);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(position, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), shared, rest, name]));
    append(Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, name]));
    append(data);
  };
  try {
    write(add);
    if (directory.length === 0) ['templates/', 'blocks/'].forEach((folder) => add(folder, Buffer.alloc(0)));
    const start = position;
    directory.forEach(append);
    const end = Buffer.alloc(END_BYTES);
    end.write('PK\x05\x06', 'latin1');
    end.writeUInt16LE(directory.length, 8);
    end.writeUInt16LE(directory.length, 10);
    end.writeUInt32LE(position - start, 12);
    end.writeUInt32LE(start, 16);
    append(end);
    return position;
  } finally {
    closeSync(out);
  }
}

const CORRUPTED = 'The zip file is corrupted or truncated; create it again';

/** A zip that was opened to read its files. Close it. */
export class ZipReader {
  #file;

  constructor(path) {
    this.#file = openSync(path, 'r');
  }

  close() {
    closeSync(this.#file);
  }

  #read(position, length) {
    const bytes = Buffer.alloc(length);
    if (position < 0 || readSync(this.#file, bytes, 0, length, position) !== length) throw new Refusal(CORRUPTED);
    return bytes;
  }

  /** The account's files in the zip. @throws Refusal if it is not a zip, or a file is misplaced */
  source() {
    const length = fstatSync(this.#file).size;
    const tail = this.#read(length - Math.min(length, END_BYTES + 0xffff), Math.min(length, END_BYTES + 0xffff));
    const end = tail.lastIndexOf('PK\x05\x06', tail.length - END_BYTES, 'latin1');
    if (end < 0 || tail.length < END_BYTES) {
      throw new Refusal(length === 0 ? 'The zip file is empty; add templates or shared blocks' : 'The file is not a zip file or is truncated; create it again');
    }
    if (end + END_BYTES + tail.readUInt16LE(end + 20) !== tail.length) {
      throw new Refusal('The zip file is corrupted (unexpected data after the end); create it again');
    }
    const entries = tail.readUInt16LE(end + 10);
    const bytes = tail.readUInt32LE(end + 12);
    if (entries > MAX_ENTRIES || bytes > MAX_DIRECTORY_BYTES) {
      throw new Refusal(`The zip file has more than ${MAX_ENTRIES} files, or its file names, comments and extra fields are too long in total; split the zip file`);
    }
    const start = length - tail.length + end - bytes;
    const directory = this.#read(start, bytes);
    const shift = start - tail.readUInt32LE(end + 16); // of a zip behind other data
    const source = new Source();
    let at = 0;
    for (let i = 0; i < entries; i++) {
      if (at + ENTRY_BYTES > bytes || directory.readUInt32LE(at) !== 0x02014b50) throw new Refusal(CORRUPTED);
      const name = directory.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + directory.readUInt16LE(at + 28));
      const path = (decode(name) ?? name.toString('latin1')).replaceAll('\\', '/').replace(/^\.\//, '');
      const entry = {
        flags: directory.readUInt16LE(at + 8), method: directory.readUInt16LE(at + 10), sum: directory.readUInt32LE(at + 16),
        packed: directory.readUInt32LE(at + 20), size: directory.readUInt32LE(at + 24), position: directory.readUInt32LE(at + 42) + shift,
      };
      const type = directory.readUInt32LE(at + 38) >>> 16 & 0o170000;
      if (path.endsWith('/') || type === 0o040000) source.addFolder(path.replace(/\/$/, ''));
      else if (type === 0o120000) source.addLink(path);
      else if (type === 0 || type === 0o100000) source.add(path, entry.size, () => this.#unpack(entry, path));
      else source.passOver(path);
      at += ENTRY_BYTES + name.length + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    }
    return source;
  }

  #unpack(entry, path) {
    try {
      const local = this.#read(entry.position, LOCAL_BYTES);
      const data = this.#read(entry.position + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28), entry.packed);
      const bytes = entry.method === 0 ? data : entry.method === DEFLATED && !(entry.flags & 1)
        ? inflateRawSync(data, { maxOutputLength: entry.size + 1 }) : null;
      if (bytes?.length === entry.size && crc32(bytes) === entry.sum) return bytes;
    } catch {
      // rejected below
    }
    throw new Refusal('The file is corrupted or password-protected; create the zip file again').in(path);
  }
}
