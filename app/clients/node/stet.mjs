// Runs Stet's test double in tests, for Node.js 18 and later. A single file without dependencies, to copy into your project; the
// types are in stet.d.mts.
//
//   const server = await StetFixture.start({ data: 'test/stet' });
//   await startApp({ templates: server.baseUrl, key: 'stet-test-key' });
//   await server.addFault({ status: 500, times: 2 });
//   ...
//   await server.stop();

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const JARS = [fileURLToPath(new URL('stet.jar', import.meta.url)), 'stet.jar', 'target/stet.jar', '/usr/share/stet/stet.jar'];
const STOP_MS = 30_000;
const MAX_ERRORS = 10_000; // characters of stderr kept for the error message
/** Short-lived processes start faster with only the first JIT compiler and the serial collector. */
const FAST_START = ['-XX:TieredStopAtLevel=1', '-XX:CompileThresholdScaling=5', '-XX:+UseSerialGC', '-Xms64m'];

/** A running test double; it exits with this process at the latest. Rejected controls throw an Error with Stet's message. */
export class StetFixture {
  #process;
  #ended;
  #stopping = false;

  /** URL of the double, `http://127.0.0.1:PORT`. */
  url;

  constructor(process, ended) {
    this.#process = process;
    this.#ended = ended;
  }

  /**
   * Starts a double and waits until it is ready.
   *
   * `data` is the folder of an account or of several, relative to the working directory; it can be passed instead of the object.
   * The jar is `jar`, STET_JAR, or stet.jar beside this file, in the working directory, in target, or where the
   * Debian package installs it.
   * Java is `java`, JAVA, JAVA_HOME/bin/java, or java on the PATH. `options` are passed to `stet fixture`.
   */
  static async start(given) {
    const { data, jar, java, options = [], timeoutMs = 30_000 } = typeof given === 'string' ? { data: given } : given ?? {};
    if (!data) throw new Error('A test double needs a data folder, such as StetFixture.start({ data: \'src/test/stet\' })');
    const found = jar ?? process.env.STET_JAR ?? JARS.find((each) => existsSync(each));
    if (!found) throw new Error(`stet.jar not found (${JARS.join(', ')}); set "jar" or STET_JAR`);
    const home = process.env.JAVA_HOME;
    const program = java ?? process.env.JAVA ?? (home ? join(home, 'bin', 'java') : 'java');
    // Drops STET_* variables such as STET_LISTEN, which are meant for the real service.
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STET_')));
    const child = spawn(program, [...FAST_START, '-jar', found, 'fixture', data, '--with-parent', ...options],
      { env: environment });
    let errors = '';
    child.stderr.on('data', (text) => {
      errors = (errors + text).slice(-MAX_ERRORS);
      if (stet.url && !child.stdin.writableEnded) process.stderr.write(text);
    });
    child.stdin.on('error', () => {}); // it has already exited
    const ended = new Promise((resolve) => {
      child.once('error', (failure) => resolve(failure.code === 'ENOENT'
        ? `${program} not found; install Java 17 or later, or set "java" or JAVA` : failure.message));
      child.once('exit', (code, signal) => resolve(`it exited with ${signal ?? code}`));
    });
    const stet = new StetFixture(child, ended);
    let timer;
    const late = new Promise((resolve) => { timer = setTimeout(resolve, timeoutMs, `it was not ready within ${timeoutMs} ms`); });
    const failure = await Promise.race([stet.#ready(), ended, late]);
    clearTimeout(timer);
    if (failure) {
      child.kill('SIGKILL');
      throw new Error(`The test double did not start: ${failure}\n${errors}`);
    }
    process.stderr.write(errors);
    // Do not keep the test process alive if it forgets to stop the double; the double exits with it.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.unref();
    return stet;
  }

  #ready() {
    let line = '';
    return new Promise((resolve) => {
      this.#process.stdout.on('data', (text) => {
        line = this.url ? '' : line + text;
        const ready = line.match(/^STET_READY url=(\S+)$/m);
        if (ready) {
          this.url = ready[1];
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

  /** Sends a control to `/_fixture` + path (controls.md). Returns its JSON, or undefined if it has no body. */
  async control(method, path, body) {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(`${this.url}/_fixture${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (response.ok) return text ? JSON.parse(text) : undefined;
    let sentence = text;
    try {
      sentence = JSON.parse(text).error ?? text;
    } catch {
      // Not JSON.
    }
    throw new Error(`${method} /_fixture${path}: ${response.status} ${sentence}`);
  }

  /** Restores data, clocks, faults and journal to their initial state, for all accounts or one. */
  reset(account) {
    return this.control('POST', account === undefined ? '/reset' : `${accountPath(account)}/reset`);
  }

  /** Returns the shared clock, or an account's. */
  clock(account) {
    return this.control('GET', `/clock${query({ account })}`);
  }

  /**
   * Stops the clock with `{ now }`, runs it from a time with `{ from }`, or ahead with `{ offset }`; `account` selects one
   * account's clock.
   */
  setClock(clock) {
    return this.control('PUT', '/clock', clock);
  }

  /** Advances the clock by a duration such as `P30D`; `account` selects one account's clock. */
  advance(by, account) {
    return this.control('POST', '/clock/advance', { by, account });
  }

  /** Advances an account's clock to the start of its next period. */
  advanceToPeriodEnd(account) {
    return this.control('POST', '/clock/advance', { to: 'periodEnd', account });
  }

  /** Restores the shared clock to its initial state, or makes an account follow it again. */
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

  /** Adds a key, `{ name, key }`; both are optional. Returns both. */
  addKey(email, fields = {}) {
    return this.control('POST', `${accountPath(email)}/keys`, fields);
  }

  /** Replaces a key by name. The old key expires immediately, or after `{ endsIn }`. Returns the new key. */
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

  /** Deletes all faults, or those for a `bearer`, `account` or `template`. */
  clearFaults(filters = {}) {
    return this.control('DELETE', `/faults${query(filters)}`);
  }

  /** Returns matching requests. With `wait`, waits for that many and throws after `timeoutMs` (5000 by default). */
  async requests(filters = {}) {
    return (await this.control('GET', `/requests${query(filters)}`)).requests;
  }

  clearRequests(filters = {}) {
    return this.control('DELETE', `/requests${query(filters)}`);
  }

  /** Throws unless the expected requests were received; the error lists the requests that were. */
  verify(expectation = {}) {
    return this.control('POST', '/verify', expectation);
  }
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
