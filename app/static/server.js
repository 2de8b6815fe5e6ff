// The one place that calls the server. A request waits where it can go on later: for the server to be reachable
// again, for a busy one to have time, and for a session that ended to be signed in again in place. So nothing typed is
// lost to any of them.

/** Tries of a request that a busy server refuses, and the longest pause between two, in seconds. */
const BUSY_TRIES = 5;
const LONGEST_PAUSE = 10;

/** What the page around does meanwhile; app.js puts it in. Each answers whether to try again. */
export const around = {
  unreachable: async () => false,
  signedOut: async () => false,
  reached: () => {},
};

/** An answer that is not the one hoped for: the server's sentence, the field it is about, and all it sent. */
export class Failure extends Error {
  constructor(status, body) {
    super(body.error ?? 'The server answered ' + status);
    this.status = status;
    this.field = body.field ?? null;
    this.body = body;
  }
}

export const get = (path, options) => request('GET', path, undefined, options);
export const post = (path, body = {}, options) => request('POST', path, body, options);
export const put = (path, body, options) => request('PUT', path, body, options);
export const remove = path => request('DELETE', path);

/**
 * @param options.signal     gives the request up
 * @param options.background nobody waits for it: a session that ended is told of by a banner, not by a dialog
 * @param options.asks       a 401 is the answer itself
 */
async function request(method, path, body, options = {}) {
  for (let busy = 0; ;) {
    const answer = await send(method, path, body, options.signal);
    if (answer === null) {
      if (!await around.unreachable()) {
        throw new Failure(0, { error: 'The server cannot be reached' });
      }
    } else if (answer.status === 401 && !options.asks) {
      if (!await around.signedOut(options.background === true)) {
        throw new Failure(401, answer.body);
      }
    } else if (answer.status === 503 && busy < BUSY_TRIES) {
      busy++;
      await pause(answer.retryAfter, options.signal);
    } else if (answer.status >= 400) {
      throw new Failure(answer.status, answer.body);
    } else {
      return answer.body;
    }
    options.signal?.throwIfAborted();
  }
}

/** One try; null when no answer of ours came back. */
async function send(method, path, body, signal) {
  const file = body instanceof Blob;
  let response;
  let text;
  try {
    response = await fetch(path, {
      method,
      signal,
      credentials: 'same-origin',
      headers: body === undefined ? {} : { 'Content-Type': file ? 'application/zip' : 'application/json' },
      body: body === undefined ? undefined : file ? body : JSON.stringify(body),
    });
    text = await response.text();
  } catch (failure) {
    if (signal?.aborted) {
      throw failure;
    }
    return null;
  }
  const json = parse(text);
  if (json === null && [502, 503, 504].includes(response.status)) {
    return null;
  }
  around.reached();
  return { status: response.status, retryAfter: retryAfter(response), body: withWait(response, json ?? {}) };
}

/** Ends early when the request is given up. */
function pause(seconds, signal) {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, 1_000 * Math.min(Math.max(seconds, 1), LONGEST_PAUSE));
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

const retryAfter = response => Number(response.headers.get('Retry-After')) || 0;

function parse(text) {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return null;
  }
}

function withWait(response, body) {
  const seconds = retryAfter(response);
  return response.status === 429 && seconds > 0
    ? { ...body, error: (body.error ?? 'Too many tries').replace(/\.$/, '') + '. Try again in ' + wait(seconds) + '.' }
    : body;
}

function wait(seconds) {
  return seconds < 90 ? seconds + ' s' : Math.ceil(seconds / 60) + ' minutes';
}
