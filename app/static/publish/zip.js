// Makes an uncompressed zip (APPNOTE.TXT, 4.3) for imports.

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const UTF8_NAMES = 0x0800;
const STORED = 0; // the method: uncompressed
/** 1980-01-01, the earliest date that a zip can store. */
const DAY = 0x21;

/** CRC-32 of each byte. */
const sums = Uint32Array.from({ length: 256 }, (_, i) => {
  let sum = i;
  for (let bit = 0; bit < 8; bit++) {
    sum = sum & 1 ? 0xedb88320 ^ (sum >>> 1) : sum >>> 1;
  }
  return sum;
});

function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum = sums[(sum ^ byte) & 0xff] ^ (sum >>> 8);
  }
  return ~sum >>> 0;
}

/** The numbers as bytes, the lowest first. @param numbers pairs of a value and its size in bytes (2 or 4) */
function record(...numbers) {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [, bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [value, bytes] of numbers) {
    view[bytes === 2 ? 'setUint16' : 'setUint32'](at, value, true);
    at += bytes;
  }
  return view.buffer;
}

/** Makes a zip. @param files at most 65,535 of {path, bytes} */
export function zip(files) {
  const contents = [];
  const directory = [];
  let at = 0;
  let directoryBytes = 0;
  for (const { path, bytes } of files) {
    const name = new TextEncoder().encode(path);
    const about = [[VERSION, 2], [UTF8_NAMES, 2], [STORED, 2], [0, 2], [DAY, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4],
      [name.length, 2], [0, 2]];
    const head = record([LOCAL, 4], ...about);
    const entry = record([CENTRAL, 4], [VERSION, 2], ...about, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]);
    contents.push(head, name, bytes);
    directory.push(entry, name);
    at += head.byteLength + name.length + bytes.length;
    directoryBytes += entry.byteLength + name.length;
  }
  const end = record([END, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [directoryBytes, 4], [at, 4], [0, 2]);
  return new Blob([...contents, ...directory, end], { type: 'application/zip' });
}
