// Where a command finds its account: --server with a token, or a name in stet.json.

import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TARGETS, isId } from './files.mjs';
import { parseObject } from './json.mjs';
import { usageOf } from './options.mjs';
import { checkSurrogates } from './rules.mjs';
import { Refusal, at, decode, nearest, strip, unusable } from './text.mjs';

const MAX_BYTES = 64 << 10;
const MAX_SECRET_BYTES = 8 << 10;
const FIELDS = ['server', 'account', 'tokenVariable', 'allowHttp'];
const SECRETS = ['token', 'password', 'secret', 'key'];

/** A server's URL without trailing slashes; undefined if it is invalid. */
function httpUrl(text) {
  const url = text.replace(/\/+$/, '');
  const host = '([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\\.)*([A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?|[0-9]+)\\.?|\\[[0-9A-Fa-f:.]+]';
  const path = "(/([A-Za-z0-9_\\-!.~'()*,;:$&+=@/\\u00a1-\\ud7ff]|%[0-9A-Fa-f]{2})*)?";
  const parts = new RegExp(`^https?://(${host})(:(?<port>[0-9]*))?${path}$`, 'i').exec(url);
  return parts && URL.canParse(url) && Number(parts.groups.port ?? 0) <= 65_535 ? url : undefined;
}

function checkToken(token) {
  if (!/^[!-~]+$/.test(token) || token.endsWith('\n')) {
    throw new Refusal('The deploy token has invalid characters. The token must be one line of ASCII.');
  }
  return token;
}

/** A secret without a byte order mark and the final line breaks that editors and shells add. */
function secret(text) {
  return strip(text.replace(/^\ufeff/, '').replace(/[\r\n]+$/, ''));
}

function readToken(config, cwd) {
  const file = config.value('token-file');
  if (file === undefined) return config.value('token');
  let bytes;
  try {
    bytes = readFileSync(file === '-' ? 0 : resolve(cwd, file)).subarray(0, MAX_SECRET_BYTES);
  } catch (error) {
    throw unusable(`Cannot read the file ${file}`, error);
  }
  const text = decode(bytes);
  if (text === null) throw new Refusal(`${file === '-' ? 'Standard input' : `The file ${file}`} is not UTF-8; convert it to UTF-8`);
  return text;
}

/**
 * The server, token and expected account of a command.
 *
 * @param option the option that names an account in stet.json
 * @param folder the command's folder, or undefined
 */
export function targetOf(config, option, folder, cwd) {
  if (config.has(option)) {
    for (const other of ['server', 'account', 'token-file']) {
      if (config.isArgument(other)) throw new Refusal(`--${other} cannot be combined with ${config.nameOf(option)}, which takes the server and the token from ${TARGETS}`);
    }
    return named(config, config.nameOf(option), config.value(option), folder, cwd);
  }
  if (!config.has('server')) throw new Refusal(`"${config.command}" needs ${usageOf('server')}, or ${usageOf(option).replace('TARGET', 'NAME')}`);
  if (config.has('account')) {
    throw new Refusal(`${config.nameOf('account')} applies to the data folder only; with ${config.nameOf('server')}, the deploy token selects the account`);
  }
  const server = httpUrl(config.value('server'));
  if (server === undefined) throw new Refusal(`${config.nameOf('server')} is "${config.value('server')}"; use a URL such as https://mail.example.com`);
  const token = readToken(config, cwd);
  if (token === undefined) throw new Refusal('Set a deploy token with STET_TOKEN or --token-file FILE');
  return { server, token: checkToken(secret(token)), allowHttp: config.has('allow-http') };
}

/** The account with this name in stet.json. @param option how messages name the option */
export function named(config, option, name, folder, cwd) {
  const target = read(option, folder, cwd, name);
  const token = config.environment[target.variable] ?? '';
  if (token === '') throw new Refusal(`Set the deploy token of ${name} in the environment variable ${target.variable}`);
  return { ...target, token: checkToken(secret(token)), expected: target.account === undefined ? undefined : target };
}

function read(option, folder, cwd, name) {
  const places = folder === undefined ? [TARGETS] : [join(folder, TARGETS), TARGETS];
  const path = places.find((each) => statSync(resolve(cwd, each), { throwIfNoEntry: false })?.isFile());
  if (path === undefined) throw new Refusal(`${option} needs the file ${TARGETS}; create it in ${folder === undefined ? 'the working directory' : `${folder} or in the working directory`}`);
  let bytes;
  try {
    bytes = readFileSync(resolve(cwd, path));
  } catch (error) {
    throw unusable(`Cannot read the file ${path}`, error);
  }
  return at(path, () => {
    const targets = targetsOf(bytes);
    if (!targets.has(name)) {
      const meant = nearest(name, targets.keys());
      throw new Refusal(`"${name}" is unknown${meant === undefined ? `; known: ${[...targets.keys()].join(', ')}` : `; did you mean "${meant}"?`}`);
    }
    return targets.get(name);
  });
}

/** All accounts in the file, each of which is checked. */
function targetsOf(bytes) {
  if (bytes.length > MAX_BYTES) throw new Refusal(`The file is ${bytes.length} bytes; the limit is ${MAX_BYTES} (64 KiB)`);
  const text = decode(bytes);
  if (text === null) throw new Refusal('Invalid UTF-8');
  if (text.includes('stet_deploy_')) {
    throw new Refusal('The file contains a deploy token. Revoke the token, and name the environment variable of the new one in "tokenVariable".');
  }
  const root = parseObject(text.replace(/^\ufeff/, ''));
  only(root, '', ['targets']);
  const targets = typed(root, '', 'targets', (value) => value instanceof Map, 'an object');
  if (targets === undefined || targets.size === 0) throw new Refusal('"targets" is missing');
  return new Map([...targets].map(([name, fields]) => [name, targetFrom(name, fields)]));
}

function targetFrom(name, fields) {
  if (!isId(name)) throw new Refusal(`"targets.${name}" is not a valid name; use 1 to 64 letters, digits, - and _, starting with a letter or digit`);
  const path = `targets.${name}.`;
  if (!(fields instanceof Map)) throw new Refusal(`"targets.${name}" must be an object`);
  const word = [...fields.keys()].find((field) => SECRETS.includes(field.toLowerCase()));
  if (word !== undefined) {
    throw new Refusal(`"${path}${word}" must not be in the file; put the token into an environment variable, and name the variable in "tokenVariable"`);
  }
  only(fields, path, FIELDS);
  const given = textFrom(fields, path, 'server');
  if (given === undefined) throw new Refusal(`"${path}server" is missing`);
  const server = httpUrl(given);
  if (server === undefined) throw new Refusal(`"${path}server" is "${given}"; use a URL such as https://mail.example.com`);
  const variable = textFrom(fields, path, 'tokenVariable') ?? 'STET_TOKEN';
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(variable) || variable.endsWith('\n')) {
    throw new Refusal(`"${path}tokenVariable" must be the name of an environment variable, such as STET_TOKEN_STAGING`);
  }
  const account = textFrom(fields, path, 'account');
  if (account !== undefined && strip(account) === '') throw new Refusal(`"${path}account" is empty; enter the account's name, or remove the field`);
  const allowHttp = typed(fields, path, 'allowHttp', (value) => typeof value === 'boolean', 'true or false') ?? false;
  return { server, account, variable, allowHttp };
}

function only(fields, path, known) {
  for (const field of fields.keys()) {
    if (!known.includes(field)) {
      const meant = nearest(field, known);
      throw new Refusal(`"${path}${field}" is not a known field${meant === undefined ? '' : `; did you mean "${meant}"?`}`);
    }
  }
}

function textFrom(fields, path, name) {
  const value = typed(fields, path, name, (given) => typeof given === 'string', 'a string');
  return value === undefined ? undefined : checkSurrogates(`${path}${name}`, value);
}

function typed(fields, path, name, isRight, type) {
  const value = fields.get(name);
  if (value !== undefined && !isRight(value)) throw new Refusal(`"${path}${name}" must be ${type}`);
  return value;
}
