// The test double of Stet for tests in Node.js 18 and later: one file without dependencies, to be copied. Its types are in
// stet.d.mts.
//
//   const server = await StetFixture.start({ data: 'test/stet' });
//   await startApp({ templates: server.baseUrl, key: 'stet-test-key' });
//   await server.addFault({ status: 500, times: 2 });
//   ...
//   await server.stop();

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const JARS = ['stet.jar', 'target/stet.jar', '/usr/share/stet/stet.jar'];
const STOP_MS = 30_000;
const MAX_ERRORS = 10_000; // characters of standard error that are kept for the message
/** A test double is short: its first compiler is enough, and the smallest collector. */
const FAST_START = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xms64m'];

/** A test double, as a process that ends with this one. Each control that is refused throws an Error with Stet's sentence. */
export class StetFixture {
  #process;
  #ended;
  #stopping = false;

  /** The address of the double, `http://127.0.0.1:PORT`. */
  url;

  constructor(process, ended) {
    this.#process = process;
    this.#ended = ended;
  }

  /**
   * Starts a double, and waits until it answers.
   *
   * `data` is an account's folder, or a folder of several, from the working directory; it may stand alone, in place of the object.
   * The jar is `jar`, or STET_JAR, or stet.jar in the working directory, in its target folder, or where the Debian package has it.
   * Java is `java`, or JAVA, or that of JAVA_HOME, or that of the PATH. `options` are more options of `stet fixture`.
   */
  static async start(given) {
    const { data, jar, java, options = [], timeoutMs = 30_000 } = typeof given === 'string' ? { data: given } : given ?? {};
    if (!data) throw new Error('A test double needs a folder: StetFixture.start({ data: \'src/test/stet\' })');
    const found = jar ?? process.env.STET_JAR ?? JARS.find((each) => existsSync(each));
    if (!found) throw new Error(`There is no stet.jar: name it as "jar" or in STET_JAR (not found: ${JARS.join(', ')})`);
    const home = process.env.JAVA_HOME;
    const program = java ?? process.env.JAVA ?? (home ? join(home, 'bin', 'java') : 'java');
    // Without the environment's own options for commands of Stet, such as STET_LISTEN: they are the service's.
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STET_')));
    const child = spawn(program, [...FAST_START, '-jar', found, 'fixture', data, '--with-parent', ...options],
      { env: environment });
    let errors = '';
    child.stderr.on('data', (text) => {
      errors = (errors + text).slice(-MAX_ERRORS);
      if (stet.url && !child.stdin.writableEnded) process.stderr.write(text);
    });
    child.stdin.on('error', () => {}); // it has ended already
    const ended = new Promise((resolve) => {
      child.once('error', (failure) => resolve(failure.code === 'ENOENT'
        ? `there is no ${program}: install Java 17 or later, or name its program as "java" or in JAVA` : failure.message));
      child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? code}`));
    });
    const stet = new StetFixture(child, ended);
    let timer;
    const late = new Promise((resolve) => { timer = setTimeout(resolve, timeoutMs, `it was not ready in ${timeoutMs} ms`); });
    const failure = await Promise.race([stet.#ready(), ended, late]);
    clearTimeout(timer);
    if (failure) {
      child.kill('SIGKILL');
      throw new Error(`The test double did not start: ${failure}\n${errors}`);
    }
    process.stderr.write(errors);
    // A test that forgets to stop it can end all the same, and the double ends with it.
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

  /** The base address for the app under test, `http://127.0.0.1:PORT/api/v1`. */
  get baseUrl() {
    return `${this.url}/api/v1`;
  }

  /** Ends the double and waits for it: after 30 s it is killed. Stopping it again does nothing. */
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

  /** Sends a control, `/_fixture` + path (controls.md). Returns its JSON, or undefined where there is none. */
  async control(method, path, body) {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(`${this.url}/_fixture${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (response.ok) return text ? JSON.parse(text) : undefined;
    let sentence = text;
    try {
      sentence = JSON.parse(text).error ?? text;
    } catch {
      // It is no JSON.
    }
    throw new Error(`${method} /_fixture${path}: ${response.status} ${sentence}`);
  }

  /** Restores data, clocks, faults and journal to the start; with an account, those of that account. */
  reset(account) {
    return this.control('POST', account === undefined ? '/reset' : `${accountPath(account)}/reset`);
  }

  /** The common clock, or an account's. */
  clock(account) {
    return this.control('GET', `/clock${query({ account })}`);
  }

  /** Stops the clock, `{ now }`, or lets it run from an instant, `{ from }`, or ahead, `{ offset }`; with `account`, that account's. */
  setClock(clock) {
    return this.control('PUT', '/clock', clock);
  }

  /** Moves the clock forward by a span such as `P30D`; with an account, that account's. */
  advance(by, account) {
    return this.control('POST', '/clock/advance', { by, account });
  }

  /** Moves an account's clock to the start of its next period. */
  advanceToPeriodEnd(account) {
    return this.control('POST', '/clock/advance', { to: 'periodEnd', account });
  }

  /** Restores the common clock to the start; with an account, that account follows the common clock again. */
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

  /** Changes plan, use or limits of an account. */
  changeAccount(email, fields) {
    return this.control('PATCH', accountPath(email), fields);
  }

  deleteAccount(email) {
    return this.control('DELETE', accountPath(email));
  }

  async keys(email) {
    return (await this.control('GET', `${accountPath(email)}/keys`)).keys;
  }

  /** Adds a key, `{ name, key }`; both are optional. Returns them. */
  addKey(email, fields = {}) {
    return this.control('POST', `${accountPath(email)}/keys`, fields);
  }

  /** Replaces a key, given by its name. The old one ends at once, or after `{ endsIn }`. Returns the new one. */
  rotateKey(email, name, fields = {}) {
    return this.control('POST', `${accountPath(email)}/keys/${segment(name)}/rotate`, fields);
  }

  deleteKey(email, name) {
    return this.control('DELETE', `${accountPath(email)}/keys/${segment(name)}`);
  }

  template(email, id) {
    return this.control('GET', `${accountPath(email)}/templates/${segment(id)}`);
  }

  /** Writes and publishes a template: name, subject, html; `publish: false` leaves what is served. */
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

  /** Adds a fault, such as `{ status: 500, times: 2 }` or `{ drop: true }`. Returns its `id`, and all faults that are left. */
  addFault(fault) {
    return this.control('POST', '/faults', fault);
  }

  async faults() {
    return (await this.control('GET', '/faults')).faults;
  }

  deleteFault(id) {
    return this.control('DELETE', `/faults/${id}`);
  }

  /** Deletes all faults, or those of a `bearer`, `account` or `template`. */
  clearFaults(filters = {}) {
    return this.control('DELETE', `/faults${query(filters)}`);
  }

  /** The requests that came; with `wait`, once so many match. Throws where `timeoutMs` (5000 unless given) are up before. */
  async requests(filters = {}) {
    return (await this.control('GET', `/requests${query(filters)}`)).requests;
  }

  clearRequests(filters = {}) {
    return this.control('DELETE', `/requests${query(filters)}`);
  }

  /** Throws, with a table of what came instead, unless the requests came that a test expects. */
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
