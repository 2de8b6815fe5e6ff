// Requests with a deploy token to a server, which may be another one than meant, behind a broken proxy, or hostile. Each response has a
// limit on its time and its size, and all its values are checked.
//
// 200, 409 ─────────────────────────────────► reply
// 503 ──────────────────────────────────────► sent again, up to 5 times
// {"error": "..."} with another status ─────► Refusal (exit code 1)
// 500, anything else, late, too long, lost ─► Failure (exit code 2)

import { lookup } from 'node:dns/promises';
import { closeSync, createReadStream, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { KINDS } from './files.mjs';
import { JsonNumber, parseObject, write } from './json.mjs';
import { timestamp } from './rules.mjs';
import { Failure, Refusal, decode, encodable, printable } from './text.mjs';
import { ZipReader, writeZip } from './zip.mjs';

const MAX_JSON_BYTES = 16 << 20;
const MAX_ZIP_BYTES = 4 * 1024 ** 3;
const CONNECT_MS = 10_000;
/** Maximum time for a request and its response, including time queued behind the account's other requests. */
const TIMEOUT_MINUTES = 5;
/** A long response may take longer if its average speed is at least this, in bytes per millisecond. */
const MIN_SPEED = 16.384;
const POLL_MS = 50;
const MAX_TRIES = 5;
const MAX_PAUSE_SECONDS = 10;
const MAX_CHARACTERS = 2_000;
const NO_STET = '; is this a Stet server?';
const MAY_BE_SAVED = 'The files may have been saved. Run the command again; it sends only what is missing.';
const MAY_BE_ROLLED_BACK = 'The template may have been rolled back. Check its history before you run the command again.';

function shown(text) {
  const safe = printable(text);
  return safe.length <= MAX_CHARACTERS ? safe : `${safe.slice(0, MAX_CHARACTERS)}…`;
}

function query(parameters) {
  const encoded = (text) => encodeURIComponent(encodable(String(text))).replace(/%20/g, '+').replace(/[!'()~]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return Object.entries(parameters).map(([name, value]) => `${name}=${encoded(value)}`).sort().join('&');
}

/** The body of a reply if it is a JSON object, otherwise an empty object. */
function jsonOf({ file }) {
  try {
    return statSync(file).size > MAX_JSON_BYTES ? new Map() : parseObject(decode(readFileSync(file)) ?? '');
  } catch (error) {
    if (error instanceof Refusal) return new Map();
    throw error;
  }
}

/** Stet's error; undefined for another program's response. */
function errorOf(reply) {
  const error = jsonOf(reply).get('error');
  return typeof error === 'string' ? shown(error) : undefined;
}

/** Seconds to wait according to Retry-After; 1 for a date or anything else that is no number of seconds. */
function pauseSeconds(retryAfter = '') {
  return !/^[0-9]+$/.test(retryAfter) ? 1 : retryAfter.length > 9 ? MAX_PAUSE_SECONDS : Math.min(Number(retryAfter), MAX_PAUSE_SECONDS);
}

async function isLoopback(host) {
  try {
    const { address } = await lookup(host.replace(/^\[|]$/g, ''));
    return address.startsWith('127.') || address === '::1';
  } catch {
    return false;
  }
}

/** An account on a server. Close it. */
export class ServerAccount {
  #server;
  #token;
  #context;
  #folder = mkdtempSync(join(tmpdir(), 'stet-'));
  #known;
  /** What is unknown of an earlier attempt or request, whatever the next response is; or empty. */
  #unknown = '';
  /** The account that the token must belong to, and how messages name the token; undefined for any account. */
  #expected;
  account = '';
  label;

  constructor({ server, token, expected }, context) {
    this.#server = server;
    this.#token = token;
    this.#expected = expected;
    this.#context = context;
  }

  /** @param given server, token, allowHttp and expected @param context err, now and sleep */
  static async open(given, context) {
    const url = new URL(given.server);
    if (url.protocol !== 'https:' && !given.allowHttp && !await isLoopback(url.hostname)) {
      throw new Refusal(`The token would be sent to ${given.server} unencrypted. Use https or --allow-http.`);
    }
    return new ServerAccount(given, context);
  }

  close() {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get name() {
    return `${printable(this.label === undefined ? this.account : `${this.label} (${this.account})`)} at ${this.#server}`;
  }

  /** Whether both have the same account at the same address. Call state() of both first. */
  isSameAccountAs(other) {
    return new URL(this.#server).href === new URL(other.#server).href && this.account === other.account;
  }

  async state() {
    const ask = { method: 'GET', path: '/push', maxBytes: MAX_JSON_BYTES };
    const reply = await this.#send(ask);
    const state = this.#checked(ask, reply, stateOf);
    if (this.#expected !== undefined && state.account !== this.#expected.account) {
      throw new Refusal(`The token in ${this.#expected.variable} belongs to the account ${printable(state.account)}; set the token of ${this.#expected.account}`);
    }
    this.account = state.account;
    this.label = state.label;
    return state;
  }

  async checkRoom(files) {
    this.#known = await this.state();
    files.checkRoom(this.#known);
  }

  /** Sends the differences from the server's state. Retries if the state changes before the differences arrive. */
  async push(files, options) {
    const path = `/push?${query(options)}`;
    for (let left = MAX_TRIES; ; left--) {
      const state = this.#known ?? await this.state();
      this.#known = undefined;
      const zip = join(this.#folder, 'zip');
      const bytes = writeZip(zip, (add) => addDifferences(files, state, add));
      this.#context.err.line(`Sending ${bytes} bytes to ${this.name}`);
      const ask = { method: 'POST', path, body: zip, bytes, maxBytes: MAX_JSON_BYTES, unknown: options.dryRun ? '' : MAY_BE_SAVED };
      const reply = await this.#send(ask);
      const json = jsonOf(reply);
      const error = errorOf(reply);
      if (!isTrue(json.get('outdated'))) {
        if (json.has('error') && !json.has('created')) {
          throw error === undefined ? this.#unexpected(ask, reply) : this.#refused(error);
        }
        return this.#checked(ask, reply, planOf);
      }
      if (left === 1) throw this.#refused(error ?? 'the account keeps changing; try again');
    }
  }

  /** Checks the account before the first request that does not need the state. */
  async #checkAccount() {
    if (this.#expected !== undefined && this.account === '') await this.state();
  }

  /** Ends the previews of a name. @return the number of emails that they showed */
  async endPreviews(name) {
    await this.state(); // names the account
    const sent = /^\.{1,2}$/.test(name) ? `${name} ` : name; // a URL would lose dots alone; either is no name
    const ask = { method: 'DELETE', path: `/push/previews/${encodeURIComponent(encodable(sent))}`, maxBytes: MAX_JSON_BYTES };
    return this.#checked(ask, await this.#send(ask), (json) => {
      required((json.get('ended') ?? null) !== null);
      return integer(json.get('ended'));
    });
  }

  /** The account's files. Calls `use` with them and deletes them afterwards. */
  async pull(published, use) {
    await this.#checkAccount();
    const ask = { method: 'GET', path: `/pull?published=${published}`, maxBytes: MAX_ZIP_BYTES };
    const reply = await this.#send(ask, 'pulled');
    if (reply.status !== 200) throw this.#unexpected(ask, reply);
    const zip = new ZipReader(reply.file);
    try {
      let source;
      try {
        source = zip.source();
      } catch (error) {
        throw error instanceof Refusal ? new Failure(`${this.#unexpected(ask, reply).message} (${error.message})`) : error;
      }
      return await use(source);
    } finally {
      zip.close();
    }
  }

  /** @param to a version number or undefined @return version and of */
  async rollBack(template, to, note) {
    const ask = {
      method: 'POST', path: `/push/templates/${encodeURIComponent(template)}/rollback?${query(to === undefined ? { note } : { note, to })}`,
      bytes: 0, maxBytes: MAX_JSON_BYTES, unknown: MAY_BE_ROLLED_BACK, isOnce: true,
    };
    await this.#checkAccount();
    const reply = await this.#send(ask);
    const error = errorOf(reply);
    if (error !== undefined) throw this.#refused(error);
    return this.#checked(ask, reply, (json) => {
      const done = { version: integer(json.get('version')), of: integer(json.get('of')) };
      required(done.version >= 1 && done.of >= 1);
      return done;
    });
  }

  /** The types of the live versions' data: a source file and the number of emails. */
  async types(lang, name) {
    await this.#checkAccount();
    const ask = { method: 'GET', path: `/push/types?${query({ lang, package: name })}`, maxBytes: MAX_JSON_BYTES };
    return this.#checked(ask, await this.#send(ask), (json) => ({ emails: integer(json.get('emails')), types: someText(json.get('types')) }));
  }

  #checked(ask, reply, read) {
    try {
      return read(jsonOf(reply));
    } catch (error) {
      throw error instanceof WrongValue ? this.#unexpected(ask, reply) : error;
    }
  }

  #unexpected(ask, { status, headers }) {
    const redirect = Math.trunc(status / 100) === 3 && headers.location !== undefined ? `, a redirect to ${shown(headers.location)}` : '';
    const encoding = headers['content-encoding'];
    const compressed = encoding !== undefined && encoding.toLowerCase() !== 'identity' ? `, compressed with ${shown(encoding)}` : '';
    return new Failure(`${this.#server}: unexpected response with status ${status}${redirect}${compressed}${NO_STET}${this.#after(ask)}`);
  }

  #refused(error) {
    return new Refusal(this.#afterEarlier(`${this.#server}: ${error}`));
  }

  #after({ unknown }) {
    const sentence = unknown || this.#unknown;
    return sentence && ` ${sentence}`;
  }

  /** A sentence about a request that was not carried out, with what is unknown of earlier ones. */
  #afterEarlier(sentence) {
    return this.#unknown ? `${sentence}${sentence.endsWith('.') ? '' : '.'} ${this.#unknown}` : sentence;
  }

  async #send(ask, file = 'reply') {
    for (let left = MAX_TRIES; ; left--) {
      const reply = await this.#receive(ask, join(this.#folder, file));
      if (reply.status === 200 || reply.status === 409) return reply;
      const error = errorOf(reply); // undefined for a proxy's error, after which the server may still execute the request
      if (reply.status === 503 && left > 1 && (error !== undefined || !ask.isOnce)) {
        if (error === undefined) this.#unknown = ask.unknown || this.#unknown;
        await this.#context.sleep(1_000 * pauseSeconds(reply.headers['retry-after']));
      } else if (error !== undefined) {
        throw reply.status < 500 ? this.#refused(error) : new Failure(this.#afterEarlier(`${this.#server}: ${error}`));
      } else {
        throw this.#unexpected(ask, reply);
      }
    }
  }

  /** Follows no redirects, because the token must not reach another server. */
  #receive(ask, file) {
    const url = new URL(this.#server + ask.path);
    const headers = { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/zip' };
    if (ask.bytes !== undefined) headers['Content-Length'] = ask.bytes;
    return new Promise((resolve, reject) => {
      let isConnected = false;
      let received = 0;
      let out;
      let isOver = false;
      const started = this.#context.now();
      const request = (url.protocol === 'https:' ? https : http).request(url, { method: ask.method, headers, agent: false });
      const end = (settle, result) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(connecting);
        clearInterval(watching);
        request.destroy();
        if (out !== undefined) closeSync(out);
        settle(result);
      };
      const fail = (sentence) => end(reject, new Failure(`${this.#server}: ${sentence}${this.#after(ask)}`));
      const notConnected = () => end(reject, new Failure(this.#afterEarlier(`Cannot connect to ${this.#server}`)));
      const lost = (error) => (isConnected ? fail(`the connection failed before a complete response arrived (${shown(error.message)}).`)
        : notConnected());
      const connecting = setTimeout(notConnected, CONNECT_MS);
      const watching = setInterval(() => {
        if (this.#context.now() > started + TIMEOUT_MINUTES * 60_000 + received / MIN_SPEED) {
          fail(`no complete response within ${TIMEOUT_MINUTES} minutes.`);
        }
      }, POLL_MS);
      request.on('socket', (socket) => socket.once('connect', () => {
        isConnected = true;
        clearTimeout(connecting);
      }));
      request.on('error', lost);
      request.on('response', (response) => {
        try {
          out = openSync(file, 'w', 0o600);
        } catch (error) {
          end(reject, error);
          return;
        }
        response.on('data', (slice) => {
          received += slice.length;
          if (received > ask.maxBytes) {
            fail(`the response is longer than ${ask.maxBytes / 1024 ** 2} MiB${NO_STET}`);
          } else if (!isOver) {
            try {
              for (let at = 0; at < slice.length;) at += writeSync(out, slice, at);
            } catch (error) {
              end(reject, error); // the disk, not the server
            }
          }
        });
        response.on('error', lost);
        response.on('close', () => lost(new Error('closed')));
        response.on('end', () => {
          if (response.complete) end(resolve, { status: response.statusCode, headers: response.headers, file });
          else lost(new Error('closed'));
        });
      });
      if (ask.body === undefined) request.end();
      else pipeline(createReadStream(ask.body), request, () => { }); // errors of the request are handled above
    });
  }
}

/** Adds the files of what differs from the account's version, and the digests of the rest. */
function addDifferences(files, state, add) {
  const same = (ours, theirs) => new Map([...ours].filter(([id, digest]) => theirs.get(id) === digest).sort(([a], [b]) => (a < b ? -1 : 1)));
  const templates = same(files.digests(), state.templates);
  const blocks = same(files.blocks, state.blocks);
  for (const { path, kind, name } of files.paths()) {
    const isSent = kind === KINDS.BLOCK || kind === KINDS.IMAGE ? !blocks.has(name) : kind === KINDS.PULLED || kind !== KINDS.ACCOUNT && kind !== KINDS.UNCHANGED && !templates.has(name);
    if (isSent) add(path, files.file(path));
  }
  if (templates.size > 0 || blocks.size > 0) {
    const unpublished = [...templates.keys()].filter((id) => !files.drafts.get(id).published);
    add(KINDS.UNCHANGED.path(), Buffer.from(write({ templates, unpublished, blocks })));
  }
}

// ---- values of a response, read as leniently as the Java program reads them

class WrongValue extends Error {
}

function required(isRight) {
  if (!isRight) throw new WrongValue();
}

function text(value) {
  if (value === undefined || value === null) return null;
  required(typeof value === 'string' || typeof value === 'boolean' || value instanceof JsonNumber);
  return String(value);
}

function someText(value) {
  const read = text(value);
  required(read !== null);
  return read;
}

function integer(value) {
  if (value === undefined || value === null) return 0;
  const number = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value instanceof JsonNumber ? Math.trunc(Number(value.text)) : NaN;
  required(number >= -(2 ** 31) && number < 2 ** 31);
  return number;
}

function list(value, read) {
  required(Array.isArray(value));
  return value.map(read);
}

function map(value, read) {
  required(value instanceof Map);
  return new Map([...value].map(([name, each]) => [name, read(each)]));
}

function optional(value, read, otherwise) {
  return value === undefined || value === null ? otherwise : read(value);
}

function time(value) {
  if (value === undefined || value === null) return null;
  required(typeof value === 'string');
  const read = timestamp(value);
  required(read !== undefined);
  return read;
}

function oneOf(value, words) {
  required(words.includes(value));
  return value;
}

function conflictOf(value) {
  required(value instanceof Map);
  return {
    kind: someText(value.get('kind')), id: someText(value.get('id')),
    what: oneOf(value.get('what'), ['made', 'changed', 'published', 'rolled-back']), by: text(value.get('by')), at: time(value.get('at')),
  };
}

function lastOf(value) {
  required(value instanceof Map);
  const last = { how: oneOf(value.get('how'), ['seed', 'import', 'push', 'copy']), at: time(value.get('at')), by: text(value.get('by')), note: someText(value.get('note')) };
  required(last.at !== null);
  return last;
}

function stateOf(json) {
  return {
    account: someText(json.get('account')), label: text(json.get('label')) ?? undefined, last: optional(json.get('last'), lastOf),
    templates: map(json.get('templates'), someText), blocks: map(json.get('blocks'), someText), changed: list(json.get('changed'), conflictOf),
  };
}

/** A link that cannot end a link in Markdown. */
function link(value) {
  const read = someText(value);
  required(/^https?:\/\/[A-Za-z0-9._~:/?#@!$&*+,;=%[\]-]+$/.test(read));
  return read;
}

function variablesOf(value) {
  required(value instanceof Map);
  return { added: optional(value.get('added'), (names) => list(names, someText), []), removed: optional(value.get('removed'), (names) => list(names, someText), []) };
}

function planOf(json) {
  const texts = (name) => optional(json.get(name), (values) => list(values, someText), []);
  return {
    created: list(json.get('created'), someText), changed: list(json.get('changed'), someText), unchanged: integer(json.get('unchanged')),
    blocks: list(json.get('blocks'), someText), published: list(json.get('published'), someText),
    conflicts: optional(json.get('conflicts'), (values) => list(values, conflictOf), []),
    overwritten: optional(json.get('overwritten'), (values) => list(values, conflictOf), []),
    pruned: texts('pruned'), prunedBlocks: texts('prunedBlocks'),
    prunedReviewLinks: optional(json.get('prunedReviewLinks'), (values) => map(values, integer), new Map()),
    variables: optional(json.get('variables'), (values) => map(values, variablesOf), new Map()), warnings: texts('warnings'),
    previews: optional(json.get('previews'), (values) => map(values, link), new Map()),
  };
}

function isTrue(value) {
  return value === true || value === 'true' || value instanceof JsonNumber && Math.trunc(Number(value.text)) !== 0;
}

