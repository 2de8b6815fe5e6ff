#!/usr/bin/env node
// The program "stet-cli". Only this file exits the process.

import { writeSync } from 'node:fs';
import { run } from './main.mjs';

/** Writes all of a text to a descriptor, also to a full pipe. */
function writer(descriptor) {
  return (text) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeSync(descriptor, bytes, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  };
}

process.exitCode = await run(process.argv.slice(2), process.env,
  { out: writer(1), err: writer(2), isTerminal: process.stdin.isTTY && process.stdout.isTTY });
