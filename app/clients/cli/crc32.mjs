// The checksum of zips and PNG files.

import { crc32 as fastCrc32 } from 'node:zlib';

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let sum = n;
  for (let i = 0; i < 8; i++) sum = sum & 1 ? sum >>> 1 ^ 0xedb88320 : sum >>> 1;
  return sum;
});

/** Node.js has this function since 20.15. */
export const crc32 = fastCrc32 ?? ((bytes) => {
  let sum = ~0;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff] ^ sum >>> 8;
  return ~sum >>> 0;
});
