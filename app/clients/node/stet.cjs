// Runs Stet's test double in tests. A single file without dependencies, for Node.js 18 and later, that you can copy. CommonJS, so that
// "import" and "require" both load it, also in Jest. The types are in stet.d.cts.
//
//   import { start } from './stet.cjs'; // or: const { start } = require('./stet.cjs');
//   await using stet = await start('test/stet'); // before Node.js 24: const stet = ..., and stet.stop() at the end
//   await startApp({ templates: stet.baseUrl, key: 'stet-test-key' });
//   await stet.addFault({ status: 500, times: 2 });

'use strict';

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const DATA = 'src/test/stet';
const JARS = [join(__dirname, 'stet.jar'), 'stet.jar', 'target/stet.jar', '/usr/share/stet/stet.jar'];
const START_MS = 30_000;
const STOP_MS = 30_000;
const MAX_ERRORS = 10_000; // characters of output kept for the error message
/** The symbol that `await using` calls, also in Node.js 18.0 to 18.17, where only compiled code can use it. */
const ASYNC_DISPOSE = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');
/** With only the first JIT compiler and the serial collector, short-lived processes start faster. */
const FAST_START = ['-XX:TieredStopAtLevel=1', '-XX:CompileThresholdScaling=5', '-XX:+UseSerialGC', '-Xms64m'];

const READY = /^STET_READY url=(\S+)\r?\n/m;

/** A running test double. It exits on stop(), at the end of an `await using` block, or when this process exits. A control that fails throws an Error with Stet's message. */
class StetFixture {
  #process;
  #ended;
  #stopping = false;
  /** The end of stdout, until the double is ready. A JVM that cannot start reports this there. */
  #output = '';
  /** The end of stderr. */
  #errors = '';

  /** URL of the double, `http://127.0.0.1:PORT`. */
  url;

  constructor(child, ended) {
    this.#process = child;
    this.#ended = ended;
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
    child.stdout.on('data', (text) => { if (!this.url) this.#output = (this.#output + text).slice(-MAX_ERRORS); });
    child.stderr.on('data', (text) => {
      this.#errors = (this.#errors + text).slice(-MAX_ERRORS);
      if (this.url && !this.#stopping) process.stderr.write(text);
    });
    child.stdin.on('error', () => {}); // the double has already exited
  }

  /**
   * Starts a double and waits until it is ready.
   *
   * `data` is the folder of one or more accounts, relative to the working directory, by default src/test/stet; you can pass it instead of
   * an object.
   * `jar` defaults to the path in STET_JAR, or to stet.jar beside this file, in the working directory, in target, or in the
   * installation folder of the Debian package. `java` defaults to the path in JAVA, JAVA_HOME/bin/java, or java on the PATH.
   * `options` are passed to `stet fixture`. An empty string counts as missing.
   */
  static async start(given) {
    const at = new Error();
    const { data, jar, java, options = [], timeoutMs = START_MS } = typeof given === 'string' ? { data: given } : given ?? {};
    const found = jar || process.env.STET_JAR || JARS.find((each) => existsSync(each));
    if (!found) throw failed(at, `stet.jar not found (${JARS.join(', ')}); set "jar" or STET_JAR`);
    const home = process.env.JAVA_HOME;
    const program = java || process.env.JAVA || (home ? join(home, 'bin', 'java') : 'java');
    const child = spawn(program, [...FAST_START, '-jar', found, 'fixture', data || DATA, '--with-parent', ...options], { env: environment() });
    const stet = new StetFixture(child, endOf(child, program));
    const failure = await stet.#startFailure(timeoutMs);
    if (failure) {
      child.kill('SIGKILL');
      throw failed(at, `The test double did not start: ${failure}\n${stet.#output}${stet.#errors}`);
    }
    process.stderr.write(stet.#errors);
    // Do not keep the test process alive if the test does not stop the double. The double exits with the process.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.unref();
    return stet;
  }

  /** Waits until the double is ready. Returns why it is not, or undefined. */
  async #startFailure(timeoutMs) {
    let timer;
    const late = new Promise((resolve) => { timer = setTimeout(resolve, timeoutMs, `it was not ready within ${timeoutMs} ms`); });
    const failure = await Promise.race([this.#ready(), this.#ended, late]);
    clearTimeout(timer);
    return failure;
  }

  #ready() {
    return new Promise((resolve) => {
      this.#process.stdout.on('data', () => {
        const line = this.url ? null : READY.exec(this.#output);
        if (line) {
          this.url = line[1];
          resolve();
        }
      });
    });
  }

  /** Base URL for the app under test, `http://127.0.0.1:PORT/api/v1`. */
  get baseUrl() {
    return `${this.url}/api/v1`;
  }

  /** Stops the double and waits for it to exit; kills it after 30 s. Further calls do nothing. */
  async stop() {
    if (!this.#stopping) {
      this.#stopping = true;
      this.#process.ref();
      this.#process.stdin.end();
    }
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Stops the double at the end of an `await using` block. */
  async [ASYNC_DISPOSE]() {
    await this.stop();
  }

  /** Sends a request to the control at `/_fixture` + path (controls.md). Returns the JSON response, or undefined if it has no body. */
  async control(method, path, body) {
    const at = new Error();
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(`${this.url}/_fixture${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (response.ok) return text ? JSON.parse(text) : undefined;
    let sentence = text;
    try {
      sentence = JSON.parse(text).error ?? text;
    } catch {
      // The response is not JSON.
    }
    throw failed(at, `${method} /_fixture${path}: ${response.status} ${sentence}`);
  }

  /** Restores the initial data, clocks, faults and journal of all accounts or one account. */
  reset(account) {
    return this.control('POST', account === undefined ? '/reset' : `${accountPath(account)}/reset`);
  }

  /** Returns the shared clock or an account's clock. */
  clock(account) {
    return this.control('GET', `/clock${query({ account })}`);
  }

  /**
   * Stops the clock at `{ now }`, starts it at `{ from }`, or sets it ahead by `{ offset }`. `account` selects one account's
   * clock.
   */
  setClock(clock) {
    return this.control('PUT', '/clock', clock);
  }

  /** Moves the clock forward by a duration such as `P30D`. `account` selects one account's clock. */
  advance(by, account) {
    return this.control('POST', '/clock/advance', { by, account });
  }

  /** Moves an account's clock to the start of its next period. */
  advanceToPeriodEnd(account) {
    return this.control('POST', '/clock/advance', { to: 'periodEnd', account });
  }

  /** Resets the shared clock to its initial state, or makes an account use the shared clock again. */
  restartClock(account) {
    return this.control('DELETE', `/clock${query({ account })}`);
  }

  async accounts() {
    return (await this.control('GET', '/accounts')).accounts;
  }

  account(email) {
    return this.control('GET', accountPath(email));
  }

  /** Adds an account; all fields are optional. Returns its email address and a key. */
  addAccount(fields = {}) {
    return this.control('POST', '/accounts', fields);
  }

  /** Changes an account's plan, usage or limits. */
  changeAccount(email, fields) {
    return this.control('PATCH', accountPath(email), fields);
  }

  deleteAccount(email) {
    return this.control('DELETE', accountPath(email));
  }

  async keys(email) {
    return (await this.control('GET', `${accountPath(email)}/keys`)).keys;
  }

  /** Adds a key. `name` and `key` are optional. Returns the key's name and value. */
  addKey(email, fields = {}) {
    return this.control('POST', `${accountPath(email)}/keys`, fields);
  }

  /** Replaces the key called `name`. The old key expires immediately, or after `{ expiresIn }`. Returns the new key. */
  rotateKey(email, name, fields = {}) {
    return this.control('POST', `${accountPath(email)}/keys/${segment(name)}/rotate`, fields);
  }

  deleteKey(email, name) {
    return this.control('DELETE', `${accountPath(email)}/keys/${segment(name)}`);
  }

  template(email, id) {
    return this.control('GET', `${accountPath(email)}/templates/${segment(id)}`);
  }

  /** Writes and publishes a template: name, subject, html. With `publish: false`, only the draft changes. */
  putTemplate(email, id, fields) {
    return this.control('PUT', `${accountPath(email)}/templates/${segment(id)}`, fields);
  }

  deleteTemplate(email, id) {
    return this.control('DELETE', `${accountPath(email)}/templates/${segment(id)}`);
  }

  block(email, name) {
    return this.control('GET', `${accountPath(email)}/blocks/${segment(name)}`);
  }

  putBlock(email, name, html) {
    return this.control('PUT', `${accountPath(email)}/blocks/${segment(name)}`, { html });
  }

  deleteBlock(email, name) {
    return this.control('DELETE', `${accountPath(email)}/blocks/${segment(name)}`);
  }

  image(email, name) {
    return this.control('GET', `${accountPath(email)}/images/${segment(name)}`);
  }

  /** Adds an image or replaces its file, a Buffer or Uint8Array with a PNG, JPEG or GIF. */
  putImage(email, name, file) {
    return this.control('PUT', `${accountPath(email)}/images/${segment(name)}`, { file: Buffer.from(file).toString('base64') });
  }

  deleteImage(email, name) {
    return this.control('DELETE', `${accountPath(email)}/images/${segment(name)}`);
  }

  /** Adds a fault, such as `{ status: 500, times: 2 }` or `{ drop: true }`. Returns its `id` and all active faults. */
  addFault(fault) {
    return this.control('POST', '/faults', fault);
  }

  async faults() {
    return (await this.control('GET', '/faults')).faults;
  }

  deleteFault(id) {
    return this.control('DELETE', `/faults/${id}`);
  }

  /** Deletes all faults, or only the faults of a `bearer`, `account` or `template`. */
  clearFaults(filters = {}) {
    return this.control('DELETE', `/faults${query(filters)}`);
  }

  /** Returns matching requests. With `wait`, waits for this many requests, and throws after `timeoutMs` (by default 5000). */
  async requests(filters = {}) {
    return (await this.control('GET', `/requests${query(filters)}`)).requests;
  }

  /** Returns the last 50 requests and the unmet expectations, with reasons. `text` is a table of them, for a test's output. */
  whatHappened() {
    return this.control('GET', '/what-happened');
  }

  clearRequests(filters = {}) {
    return this.control('DELETE', `/requests${query(filters)}`);
  }

  /** Throws unless the expected requests were received. The error lists the received requests. */
  verify(expectation = {}) {
    return this.control('POST', '/verify', expectation);
  }
}

/** The variables for the double. */
function environment() {
  // Omit STET_* variables such as STET_LISTEN, which are meant for the real service.
  const variables = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STET_')));
  return { ...variables, LC_ALL: 'C.UTF-8' }; // with this locale, Java can open files with any name
}

/** Resolves with the reason when a process has exited or cannot be started. */
function endOf(child, program) {
  return new Promise((resolve) => {
    child.once('error', (failure) => resolve(failure.code === 'ENOENT'
      ? `${program} not found; install Java 17 or later, or set "java" or JAVA` : failure.message));
    child.once('close', (code, signal) => resolve(`it exited with ${signal ?? code}`));
  });
}

/** Returns an error whose stack begins in the test that called this file. `at` was created before the first `await`. */
function failed(at, message) {
  const frames = at.stack.split('\n').slice(1).filter((frame) => !frame.includes(__filename));
  at.message = message;
  at.stack = [`Error: ${message}`, ...frames].join('\n');
  return at;
}

function accountPath(email) {
  return `/accounts/${segment(email)}`;
}

function segment(text) {
  return encodeURIComponent(text);
}

function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Starts a double, as StetFixture.start does. */
function start(given) {
  return StetFixture.start(given);
}

module.exports = { StetFixture, start };
