// Which files are accepted as images, and what stays of them: the same rules and bytes as the server's (package stet.images).

import { crc32 } from './crc32.mjs';
import { Refusal } from './text.mjs';

export const IMAGE_BYTES = 2 << 20;
const SIDE = 4_000;
const FRAMES = 500;
const PIXELS = 400_000_000;
const PARTS = 10_000;
const SCANS = 64;
const PNG_KEPT = ['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'bKGD', 'pHYs', 'cICP', 'acTL', 'fcTL', 'fdAT'];
const CONVERT = '; Outlook for Windows does not show it. Convert it to PNG or JPEG';

const starts = (file, at, signature) => file.length - at >= signature.length && file.latin1Slice(at, at + signature.length) === signature;

/** @return type and bytes of an image as the server stores it @throws Refusal */
export function imageOf(file) {
  if (file.length > IMAGE_BYTES) throw new Refusal(`The image is ${file.length} bytes; the limit is ${IMAGE_BYTES} (2 MiB). Save a smaller copy`);
  if (starts(file, 0, '\u0089PNG\r\n\u001a\n')) return png(new Walk('PNG', file));
  if (starts(file, 0, '\u00ff\u00d8\u00ff')) return jpeg(new Walk('JPEG', file));
  if (starts(file, 0, 'GIF87a') || starts(file, 0, 'GIF89a')) return gif(new Walk('GIF', file));
  throw new Refusal(file.length === 0 ? 'The file is empty; choose another file' : other(file));
}

function other(file) {
  const brand = starts(file, 4, 'ftyp') && file.length >= 12 ? file.latin1Slice(8, 12) : '';
  const start = file.latin1Slice(0, Math.min(file.length, 1000)).trimStart();
  if (brand.startsWith('avi')) return `The image is in the AVIF format${CONVERT}`;
  if (brand.startsWith('hei') || brand.startsWith('hev') || brand === 'mif1' || brand === 'msf1') {
    return 'The image is in the HEIC format of phones, which most mail clients do not show. Convert it to JPEG, or set the phone\'s camera to its'
      + ' most compatible format';
  }
  if (starts(file, 0, 'RIFF') && starts(file, 8, 'WEBP')) return `The image is in the WebP format${CONVERT}`;
  if (start.includes('<svg') || start.startsWith('<?xml') || start.startsWith('\u00ef\u00bb\u00bf<')) {
    return 'The image is in the SVG format, which Gmail and Outlook do not show. Export it as PNG, twice as wide as it is shown';
  }
  return 'The file is not a PNG, JPEG or GIF image. Convert it to one of these formats';
}

/** Reads a file's parts in order and copies those that stay. */
class Walk {
  at = 0;
  kept = [];
  width = 0;
  height = 0;
  frames = 0;
  #parts = 0;
  #pixels = 0;

  constructor(type, file) {
    this.type = type;
    this.file = file;
  }

  byte(place) {
    if (place < 0 || place >= this.file.length) throw this.truncated();
    return this.file[place];
  }

  short(place) {
    return this.byte(place) << 8 | this.byte(place + 1);
  }

  long(place) {
    return this.short(place) * 65_536 + this.short(place + 2);
  }

  checkLength(from, bytes) {
    if (bytes > this.file.length - from) throw this.truncated();
  }

  keep(from, to) {
    this.kept.push(this.file.subarray(from, to));
  }

  setSize(wide, high) {
    if (wide > SIDE || high > SIDE) throw new Refusal(`The image has ${wide} x ${high} pixels; the limit is ${SIDE} x ${SIDE}. Save a smaller copy`);
    if (wide === 0 || high === 0) throw this.damaged();
    this.width = wide;
    this.height = high;
  }

  countPart() {
    if (++this.#parts > PARTS) throw new Refusal(`The ${this.type} has more than ${PARTS} parts. Save it again with an image editor`);
  }

  countFrame(wide, high) {
    this.#pixels += wide * high;
    if (++this.frames > FRAMES || this.#pixels > PIXELS) {
      throw new Refusal(`The animation is too long; at most ${FRAMES} pictures, with ${PIXELS / 1e6} million pixels altogether, are allowed.`
        + ' Save a shorter or smaller one');
    }
  }

  truncated() {
    return new Refusal(`The ${this.type} is incomplete. Save or download it again`);
  }

  damaged() {
    return new Refusal(`The ${this.type} is corrupted. Save it again with an image editor`);
  }

  get image() {
    return { type: this.type, bytes: Buffer.concat(this.kept) };
  }
}

// ---- EXIF: only the orientation stays

function orientation(file, from, to) {
  if (to - from < 14) return 1;
  const isLittle = file[from] === 0x49;
  const number = (at, bytes) => (isLittle ? file.readUIntLE(at, bytes) : file.readUIntBE(at, bytes));
  if (file[from] !== file[from + 1] || !isLittle && file[from] !== 0x4d || number(from + 2, 2) !== 42) return 1;
  const directory = number(from + 4, 4);
  if (directory < 8 || directory > to - from - 2) return 1;
  let entry = from + directory + 2;
  const entries = Math.min(200, number(entry - 2, 2));
  for (let i = 0; i < entries && entry + 12 <= to; i++, entry += 12) {
    if (number(entry, 2) === 0x0112 && number(entry + 2, 2) === 3) {
      const value = number(entry + 8, 2);
      return value >= 1 && value <= 8 ? value : 1;
    }
  }
  return 1;
}

function onlyOrientation(value) {
  return Buffer.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0]);
}

// ---- formats

function png(walk) {
  walk.keep(0, 8);
  walk.at = 8;
  let hasData = false;
  let isDataEnded = false;
  for (let isFirst = true, isDone = false; !isDone; isFirst = false) {
    walk.countPart();
    const length = walk.long(walk.at);
    walk.checkLength(walk.at, 12 + length);
    const end = walk.at + 12 + length;
    const data = walk.at + 8;
    const name = walk.file.latin1Slice(walk.at + 4, walk.at + 8);
    const isKept = PNG_KEPT.includes(name);
    if (isFirst !== (name === 'IHDR') || !/^[A-Za-z]{4}$/.test(name) || !isKept && /^[A-Z]/.test(name)) throw walk.damaged();
    if (isKept && crc32(walk.file.subarray(walk.at + 4, end - 4)) !== walk.long(end - 4)) throw walk.damaged();
    isDataEnded ||= hasData && name !== 'IDAT';
    if (name === 'IHDR') {
      if (length !== 13 || !isHeader(walk, data)) throw walk.damaged();
      walk.setSize(walk.long(data), walk.long(data + 4));
    } else if (name === 'IDAT') {
      if (isDataEnded) throw walk.damaged();
      hasData = true;
    } else if (name === 'fcTL') {
      if (length !== 26 || walk.long(data + 4) > walk.width || walk.long(data + 8) > walk.height) throw walk.damaged();
      walk.countFrame(walk.long(data + 4), walk.long(data + 8));
    } else if (name === 'IEND') {
      if (!hasData || length !== 0) throw walk.damaged();
      isDone = true;
    }
    if (isKept) {
      walk.keep(walk.at, end);
    } else if (name === 'eXIf' && !hasData && orientation(walk.file, data, data + length) > 1) {
      const body = Buffer.concat([Buffer.from('eXIf'), onlyOrientation(orientation(walk.file, data, data + length))]);
      const chunk = Buffer.alloc(body.length + 8);
      chunk.writeUInt32BE(body.length - 4, 0);
      body.copy(chunk, 4);
      chunk.writeUInt32BE(crc32(body), body.length + 4);
      walk.kept.push(chunk);
    }
    walk.at = end;
  }
  return walk.image;
}

function isHeader(walk, data) {
  const depths = { 0: [1, 2, 4, 8, 16], 3: [1, 2, 4, 8], 2: [8, 16], 4: [8, 16], 6: [8, 16] }[walk.byte(data + 9)] ?? [];
  return depths.includes(walk.byte(data + 8)) && walk.byte(data + 10) === 0 && walk.byte(data + 11) === 0 && walk.byte(data + 12) <= 1;
}

function jpeg(walk) {
  walk.keep(0, 2);
  walk.at = 2;
  let scans = 0;
  let hasExif = false;
  const keep = (marker, end) => {
    walk.kept.push(Buffer.from([0xff, marker]));
    walk.keep(walk.at, end);
  };
  const keepIf = (start, marker, end) => {
    if (end - walk.at - 2 >= start.length && starts(walk.file, walk.at + 2, start)) keep(marker, end);
  };
  for (let marker = markerOf(walk); marker !== 0xd9; marker = markerOf(walk)) {
    walk.countPart();
    const length = walk.short(walk.at);
    if (length < 2) throw walk.damaged();
    walk.checkLength(walk.at, length);
    const end = walk.at + length;
    if (marker >= 0xc0 && marker <= 0xc2) {
      if (walk.width > 0 || length < 8 || walk.byte(walk.at + 2) !== 8 || ![1, 3, 4].includes(walk.byte(walk.at + 7))) throw walk.damaged();
      walk.setSize(walk.short(walk.at + 5), walk.short(walk.at + 3));
      keep(marker, end);
    } else if (marker === 0xc4 || marker === 0xdb || marker === 0xdd) {
      keep(marker, end);
    } else if (marker === 0xda) {
      if (walk.width === 0) throw walk.damaged();
      if (++scans > SCANS) throw new Refusal(`The JPEG has more than ${SCANS} scans. Save it again with an image editor`);
      keep(marker, end);
    } else if (marker === 0xe0) {
      keepIf('JFIF\0', marker, end);
    } else if (marker === 0xe1) {
      const exif = walk.at + 8;
      const value = !hasExif && exif <= end && starts(walk.file, walk.at + 2, 'Exif\0\0') ? orientation(walk.file, exif, end) : 1;
      if (value > 1) {
        const only = onlyOrientation(value);
        walk.kept.push(Buffer.from([0xff, 0xe1, 0, 8 + only.length]), Buffer.from('Exif\0\0'), only);
        hasExif = true;
      }
    } else if (marker === 0xe2) {
      keepIf('ICC_PROFILE\0', marker, end);
    } else if (marker === 0xee) {
      keepIf('Adobe', marker, end);
    } else if (marker < 0xe0) {
      throw new Refusal('The JPEG is of a kind that browsers do not show. Save it again with an image editor');
    }
    walk.at = end;
    if (marker === 0xda) {
      while (walk.byte(walk.at) !== 0xff || walk.byte(walk.at + 1) === 0 || walk.byte(walk.at + 1) >= 0xd0 && walk.byte(walk.at + 1) < 0xd8) walk.at++;
      walk.keep(end, walk.at);
    }
  }
  if (scans === 0) throw walk.damaged();
  walk.kept.push(Buffer.from([0xff, 0xd9]));
  return walk.image;
}

function markerOf(walk) {
  if (walk.byte(walk.at) !== 0xff) throw walk.damaged();
  while (walk.byte(walk.at) === 0xff) walk.at++;
  const marker = walk.byte(walk.at++);
  if (marker < 0xc0 || marker >= 0xd0 && marker <= 0xd8) throw walk.damaged();
  return marker;
}

function gif(walk) {
  const little = (place) => walk.byte(place) | walk.byte(place + 1) << 8;
  const table = (flags) => ((flags & 0x80) === 0 ? 0 : 3 << (flags & 7) + 1);
  const blocks = () => {
    for (let length = walk.byte(walk.at); length > 0; length = walk.byte(walk.at)) {
      walk.checkLength(walk.at, length + 1);
      walk.at += length + 1;
    }
    walk.at++;
  };
  let control = null;
  walk.checkLength(0, 13);
  walk.setSize(little(6), little(8));
  walk.at = 13 + table(walk.byte(10));
  walk.checkLength(0, walk.at);
  walk.keep(0, walk.at);
  while (walk.byte(walk.at) !== 0x3b) {
    walk.countPart();
    const from = walk.at;
    if (walk.byte(from) === 0x21) {
      const label = walk.byte(from + 1);
      const application = walk.byte(from + 2) === 11 && label === 0xff ? walk.file.latin1Slice(from + 3, from + 14) : '';
      walk.at += 2;
      blocks();
      if (label === 0xf9) {
        if (walk.at - from !== 8) throw walk.damaged();
        control = [from, walk.at];
      } else if (label === 1) {
        control = null;
      } else if (['NETSCAPE2.0', 'ANIMEXTS1.0'].includes(application) && walk.at - from === 19) {
        walk.keep(from, walk.at);
      }
    } else if (walk.byte(from) === 0x2c) {
      const wide = little(from + 5);
      const high = little(from + 7);
      if (little(from + 1) + wide > SIDE || little(from + 3) + high > SIDE || wide === 0 || high === 0) throw walk.damaged();
      walk.countFrame(wide, high);
      walk.at += 10 + table(walk.byte(from + 9));
      const codeSize = walk.byte(walk.at++);
      if (codeSize < 1 || codeSize > 11) throw walk.damaged();
      blocks();
      if (control) walk.keep(...control);
      control = null;
      walk.keep(from, walk.at);
    } else {
      throw walk.damaged();
    }
  }
  if (walk.frames === 0) throw walk.damaged();
  walk.kept.push(Buffer.from([0x3b]));
  return walk.image;
}
