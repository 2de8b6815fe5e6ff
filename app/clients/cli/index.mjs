// The same commands for programs.

import { run } from './main.mjs';

/** Runs a command, such as `stet(['push', 'mails', '--json'])`. See index.d.ts. */
export async function stet(args, { env = process.env, cwd = process.cwd() } = {}) {
  let out = '';
  let err = '';
  const code = await run(args, env, { out: (text) => { out += text; }, err: (text) => { err += text; }, cwd });
  return { code, out, err };
}
