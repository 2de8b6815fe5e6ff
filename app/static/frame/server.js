// All calls to the server. A request waits while the server is unreachable or busy, or until an expired session is renewed in
// place, so that no typed text is lost.

/** Maximum number of retries while the server is busy. */
const MAX_RETRIES = 5;
/** Longest pause between them. */
const MAX_PAUSE_SECONDS = 10;

/** Set by app.js. The first three resolve to true if the request should be sent again; `onReached` runs after each response of Stet. */
export const hooks = {
  onUnreachable: async () => false,
  onSignedOut: async () => false,
  onRefused: async () => false,
  onReached: () => {},
};

/** ID of the account the page was loaded in; the server rejects changes from a stale page after a switch. */
let accountId = null;

export function setAccountId(id) {
  accountId = id;
}

/** An error response: the server's message, its status (0 without a response), its field, or null, and the full body. */
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
 * Sends a request, again while the hooks say so or the server is busy. Resolves to the response's body.
 *
 * @param options.signal     aborts the request
 * @param options.background not started by the user; an expired session shows a banner, not a dialog
 * @param options.quiet      may fail; does not wait while the server is unreachable
 * @param options.throws401  throws a 401 like other errors, for example for a wrong password
 * @param options.asBlob     the body of a 200 is a file, not JSON
 * @throws Failure for an error response, or without a response; an AbortError once aborted
 */
async function request(method, path, body, options = {}) {
  let retries = 0;
  for (;;) {
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
    } else if (accountId !== null && mayHaveOtherRights(answer)) {
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

/** True if the user's role or account may have changed since the page was loaded. A 409 with texts is about these instead. */
function mayHaveOtherRights({ status, body }) {
  return status === 403 || status === 409 && !body.theirs && !body.conflicts;
}

/**
 * Sends a request once.
 *
 * @param body a zip file, or what is sent as JSON
 * @return {status, retryAfter, body}; null without a response from Stet
 */
async function send(method, path, body, { signal, asBlob }) {
  const isZip = body instanceof Blob;
  let answer;
  try {
    const response = await fetch(path, {
      method,
      signal,
      credentials: 'same-origin',
      headers: {
        ...(body !== undefined && { 'Content-Type': isZip ? 'application/zip' : 'application/json' }),
        ...(accountId !== null && { 'Stet-Account': accountId }),
      },
      body: body === undefined || isZip ? body : JSON.stringify(body),
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
  return withWait({ ...answer, body: answer.body ?? {} });
}

/** The response; the error of a 429 also says when to try again. */
function withWait(answer) {
  const { status, retryAfter, body } = answer;
  if (status !== 429 || retryAfter === 0) {
    return answer;
  }
  const error = (body.error ?? 'Too many attempts').replace(/\.$/, '');
  return { ...answer, body: { ...body, error: `${error}. Try again in ${inWords(retryAfter)}.` } };
}

/** Waits at least 1 second and at most 10; ends early if the request is aborted. */
function pause(seconds, signal) {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, 1_000 * Math.min(Math.max(seconds, 1), MAX_PAUSE_SECONDS));
    signal?.addEventListener('abort', end);
  });
}

/** The JSON value; null if the text is not JSON, as from a proxy, and {} if it is empty. */
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
