// Times, sizes and shares as pages show them: no amount is rounded up to a whole one of the next unit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ago, share, size } from '../static/frame/time.js';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

for (const [before, text] of [
  [0, 'just now'], [44.9 * SECOND, 'just now'], [45 * SECOND, '45 seconds ago'], [59.4 * SECOND, '59 seconds ago'],
  [59.6 * SECOND, '1 minute ago'], [59.99 * SECOND, '1 minute ago'], [89 * SECOND, '1 minute ago'],
  [59.4 * MINUTE, '59 minutes ago'], [59.6 * MINUTE, '1 hour ago'], [23.4 * HOUR, '23 hours ago'], [23.6 * HOUR, 'yesterday'],
  [30.4 * DAY, '30 days ago'], [11.4 * 30.44 * DAY, '11 months ago'], [11.6 * 30.44 * DAY, 'last year'],
  [-59.6 * SECOND, 'in 1 minute'], [-59.6 * MINUTE, 'in 1 hour'], [-23.6 * HOUR, 'tomorrow'],
]) {
  test(`${before / SECOND} seconds are "${text}"`, () => assert.equal(ago(new Date(NOW - before).toISOString(), NOW), text));
}

for (const [bytes, text] of [
  [0, '0 B'], [1023, '1023 B'], [1024, '1.0 KiB'], [1536, '1.5 KiB'], [1048524, '1023.9 KiB'], [1048525, '1.00 MiB'], [1048575, '1.00 MiB'],
  [1048576, '1.00 MiB'], [1073736581, '1023.99 MiB'], [1073736583, '1.0 GiB'], [1073741823, '1.0 GiB'], [5 * 2 ** 30, '5.0 GiB'],
]) {
  test(`${bytes} bytes are ${text}`, () => assert.equal(size(bytes), text));
}

for (const [part, whole, text] of [
  [0, 0, '0%'], [0, 5000, '0%'], [1, 5000, 'under 0.1%'], [4, 5000, 'under 0.1%'], [5, 5000, '0.1%'], [21, 500, '4.2%'], [9.96, 100, '9.9%'], [10, 100, '10%'],
  [4999, 5000, '99%'], [5000, 5000, '100%'],
]) {
  test(`${part} of ${whole} are ${text}`, () => assert.equal(share(part, whole), text));
}
