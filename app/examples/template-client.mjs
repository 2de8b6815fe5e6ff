// A client for Node.js 18 and later that fetches published templates from Stet. Copy and adapt it, and use one client per app.
//
//   200                  returns the body and caches it with its ETag
//   304                  returns the cached body, which is up to date
//   404, 400, 401, 403   throws an error; retrying would not help
//   429                  returns the cached body, and sends no request until Retry-After has passed; throws if nothing is cached
//   5xx, incomplete      retries after pauses, then returns the cached body; throws if nothing is cached
//   response or timeout

const TRIES = 3;
const PAUSE_MS = 100; // before the second attempt; doubles with each attempt

/** Thrown if a template could not be fetched. `status` is the response status, or 0 if there was no response. */
export class TemplateError extends Error {
  constructor(path, status, text) {
    super(`${path}: ${status === 0 ? 'no answer' : `${status} ${text}`}`);
    this.status = status;
  }
}

export class TemplateClient {
  #kept = new Map(); // maps each path in use (template and format) to { etag, body }
  #refusedUntil = -Infinity; // when the quota is used up: the end of the period in ms

  /**
   * `baseUrl` has the form https://stet.example.com/api/v1. `timeoutMs` limits each attempt, including the response body.
   * `maxPauseMs` limits the pause between attempts, even if Retry-After is longer.
   */
  constructor({ baseUrl, key, timeoutMs = 5_000, maxPauseMs = 5_000, now = Date.now }) {
    Object.assign(this, { baseUrl, key, timeoutMs, maxPauseMs, now });
  }

  /** Returns a template's published HTML without filling in variables. */
  html(id) {
    return this.#get(`/templates/${encodeURIComponent(id)}?format=html`);
  }

  /** Returns a template as an object with all six fields. */
  async template(id) {
    return JSON.parse(await this.#get(`/templates/${encodeURIComponent(id)}`));
  }

  async #get(path) {
    if (this.now() < this.#refusedUntil) {
      return this.#keptOrError(path, 429, `Plan limit exceeded, until ${new Date(this.#refusedUntil).toISOString()}`);
    }
    for (let tries = 1; ; tries++) {
      const { status, text, etag, retryAfterMs } = await this.#send(path);
      if (status === 200) {
        this.#kept.set(path, { etag, body: text });
        return text;
      }
      if (status === 304) return this.#kept.get(path).body;
      if (status === 429) {
        this.#refusedUntil = this.now() + retryAfterMs;
        return this.#keptOrError(path, status, text);
      }
      if (status !== 0 && status < 500) {
        this.#kept.delete(path);
        throw new TemplateError(path, status, text);
      }
      if (tries === TRIES) return this.#keptOrError(path, status, text);
      const pause = Math.min(this.maxPauseMs, Math.max(PAUSE_MS * 2 ** (tries - 1), retryAfterMs));
      await new Promise((resolve) => { setTimeout(resolve, pause); });
    }
  }

  /** Returns the response; its status is 0 if no complete response arrived in time. */
  async #send(path) {
    const headers = { Authorization: `Bearer ${this.key}` };
    const kept = this.#kept.get(path);
    if (kept) headers['If-None-Match'] = kept.etag;
    try {
      const answer = await fetch(this.baseUrl + path, { headers, signal: AbortSignal.timeout(this.timeoutMs) });
      const text = await answer.text();
      const retryAfterMs = 1_000 * (Number(answer.headers.get('Retry-After')) || 0);
      return { status: answer.status, text, etag: answer.headers.get('ETag'), retryAfterMs };
    } catch {
      return { status: 0, text: '', retryAfterMs: 0 };
    }
  }

  #keptOrError(path, status, text) {
    const kept = this.#kept.get(path);
    if (!kept) throw new TemplateError(path, status, text);
    return kept.body;
  }
}
