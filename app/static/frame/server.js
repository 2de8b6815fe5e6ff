// All calls to the server. A request waits while the server is unreachable or busy, or until an expired session is renewed in
// place, so that no typed text is lost.

/** Maximum number of retries while the server is busy, and the longest pause between them. */
const MAX_RETRIES = 5;
const MAX_PAUSE_SECONDS = 10;

/** Set by app.js. The first three resolve to true to send the request again. */
export const hooks = {
  onUnreachable: async () => false,
  onSignedOut: async () => false,
  onRefused: async () => false,
  onReached: () => {},
};

/** Id of the account the page was loaded in; the server rejects changes from a stale page after a switch. */
let accountId = null;

export function setAccountId(id) {
  accountId = id;
}

/** An error response: the server's message, its field, and the full body. */
class Failure extends Error {
  constructor(status, body) {
    super(body.error ?? 'The server returned ' + status);
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
 * @param options.signal     aborts the request
 * @param options.background not started by the user; an expired session shows a banner, not a dialog
 * @param options.quiet      may fail; does not wait while the server is unreachable
 * @param options.throws401  throws a 401 like other errors, for example for a wrong password
 * @param options.asBlob     the body of a 200 is a file, not JSON
 */
async function request(method, path, body, options = {}) {
  for (let retries = 0; ;) {
    const answer = await send(method, path, body, options);
    if (answer === null) {
      if (options.quiet || !await hooks.onUnreachable()) {
        throw new Failure(0, { error: 'Cannot reach the server. Check your connection and try again' });
      }
    } else if (answer.status === 401 && !options.throws401) {
      if (!await hooks.onSignedOut(options.background === true)) {
        throw new Failure(401, answer.body);
      }
    } else if (answer.status === 503 && retries < MAX_RETRIES) {
      retries++;
      await pause(answer.retryAfter, options.signal);
    } else if ((answer.status === 403 || answer.status === 409 && !answer.body.theirs
      && !answer.body.conflicts) && accountId !== null) {
      // The user's role or account may have changed.
      if (!await hooks.onRefused()) {
        throw new Failure(answer.status, answer.body);
      }
    } else if (answer.status >= 400) {
      throw new Failure(answer.status, answer.body);
    } else {
      return answer.body;
    }
    options.signal?.throwIfAborted();
  }
}

/** Sends a request once; null without a response from Stet. */
async function send(method, path, body, { signal, asBlob }) {
  const isFile = body instanceof Blob;
  let answer;
  try {
    const response = await fetch(path, {
      method,
      signal,
      credentials: 'same-origin',
      headers: {
        ...(body !== undefined && { 'Content-Type': isFile ? 'application/zip' : 'application/json' }),
        ...(accountId !== null && { 'Stet-Account': accountId }),
      },
      body: body === undefined || isFile ? body : JSON.stringify(body),
    });
    answer = {
      status: response.status,
      retryAfter: Number(response.headers.get('Retry-After')) || 0,
      body: asBlob && response.ok ? await response.blob() : parse(await response.text()),
    };
  } catch (failure) {
    if (signal?.aborted) {
      throw failure;
    }
    return null;
  }
  if (answer.body === null && [502, 503, 504].includes(answer.status)) {
    return null;
  }
  hooks.onReached();
  answer.body ??= {};
  if (answer.status === 429 && answer.retryAfter > 0) {
    const error = (answer.body.error ?? 'Too many attempts').replace(/\.$/, '');
    answer.body = { ...answer.body, error: `${error}. Try again in ${inWords(answer.retryAfter)}.` };
  }
  return answer;
}

/** Ends early if the request is aborted. */
function pause(seconds, signal) {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, 1_000 * Math.min(Math.max(seconds, 1), MAX_PAUSE_SECONDS));
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

function parse(text) {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return null;
  }
}

function inWords(seconds) {
  return seconds < 90 ? seconds + ' s' : Math.ceil(seconds / 60) + ' minutes';
}
