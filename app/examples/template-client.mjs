// Asks Stet for published templates, in Node.js 18 and later. An app has one. To be copied and changed.
//
//   200                  the body, which is kept with its ETag
//   304                  the body that was kept: it is still what is published
//   404, 400, 401, 403   an error: somebody has to look at it, and asking again would not help
//   429                  the body that was kept, without asking again before Retry-After; without one an error
//   5xx, or no whole     tried again, after a pause; then the body that was kept; without one an error
//   answer in time

const TRIES = 3;
const PAUSE_MS = 100; // before the second try; the next one is twice as long

/** A template that cannot be had. `status` is that of the answer, or 0 where there was none. */
export class TemplateError extends Error {
  constructor(path, status, text) {
    super(`${path}: ${status === 0 ? 'no answer' : `${status} ${text}`}`);
    this.status = status;
  }
}

export class TemplateClient {
  #kept = new Map(); // path to { etag, body }: one for each template and format that the app asks for
  #refusedUntil = -Infinity; // ms: the end of the period whose requests are used up

  /**
   * `baseUrl` is such as https://stet.example.com/api/v1; `timeoutMs` is that of one try, with all of its answer; `maxPauseMs` is
   * between two tries, whatever Retry-After says.
   */
  constructor({ baseUrl, key, timeoutMs = 5_000, maxPauseMs = 5_000, now = Date.now }) {
    Object.assign(this, { baseUrl, key, timeoutMs, maxPauseMs, now });
  }

  /** The published html of a template, with its variables as the author wrote them. */
  html(id) {
    return this.#get(`/templates/${encodeURIComponent(id)}?format=html`);
  }

  /** All six fields of a template. */
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

  /** The answer; its status is 0 where none came whole and in time. */
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
