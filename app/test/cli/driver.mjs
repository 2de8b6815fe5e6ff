// Runs commands of the npm client for tests, one after the other in one process. Each line on stdin is a command, or the time in
// milliseconds while a command runs, or null at its end; each line on stdout is a result.

import { createInterface } from 'node:readline';
import { run } from '../../clients/cli/main.mjs';

let now = 0;
createInterface({ input: process.stdin }).on('line', async (line) => {
  const given = JSON.parse(line);
  if (typeof given === 'number') {
    now = given;
    return;
  }
  let out = '';
  let err = '';
  const code = await run(given.args, given.environment, {
    out: (text) => { out += text; }, err: (text) => { err += text; }, now: () => now,
  });
  process.stdout.write(`${JSON.stringify({ code, out, err })}\n`);
}).on('close', () => process.exit());
