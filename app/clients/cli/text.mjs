// Texts: what is printed, how errors are worded, and Java's rules for characters where digests or messages depend on them.

/** An error in the user's input, one sentence; exit code 1. */
export class Refusal extends Error {
  /** The same error, prefixed with its location, such as a file name. */
  in(place) {
    return new Refusal(`${place}: ${this.message}`);
  }
}

/** A system failure, or a server cannot be reached, is late or is not Stet's. The message is a sentence; exit code 2. */
export class Failure extends Error {
}

/** Runs something and adds the place to its refusal. */
export function at(place, work) {
  try {
    return work();
  } catch (error) {
    throw error instanceof Refusal ? error.in(place) : error;
  }
}

// Control, format and separator characters except the tab, and the start of a CI system's command at the start of a line or before "#x[".
const UNSAFE = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|:(?=:)(?<=^[\t-\r \p{Z}]{0,1000}:)|#(?=#\w*\[)/gu;

function escaped(characters) {
  return characters.split('').map((unit) => (unit === '\n' ? '\\n' : unit === '\r' ? '\\r'
    : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)).join('');
}

/** Escapes a text that is printed within a line: characters that could control a terminal, hide text or start a new line. */
export function printable(text) {
  return String(text).replace(UNSAFE, escaped);
}

/** Replaces unpaired surrogates, which UTF-8 cannot encode, as Java's streams do. */
export function encodable(text) {
  return text.replace(/\p{Surrogate}/gu, '?');
}

/** A count with its noun: `1 file`, `2 files`. */
export function amount(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const WHITESPACE = '[\\t-\\r\\x1c- \\u1680\\u2000-\\u2006\\u2008-\\u200a\\u2028\\u2029\\u205f\\u3000]';
const BLANK = new RegExp(`^${WHITESPACE}*$`);
const ENDS = new RegExp(`^${WHITESPACE}+|${WHITESPACE}+$`, 'g');

export function isBlank(text) {
  return BLANK.test(text);
}

export function strip(text) {
  return text.replace(ENDS, '');
}

/** Decodes bytes strictly; null if they are not UTF-8. A byte order mark stays. */
export function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The most similar candidate within `most` edits, or undefined. */
export function nearestWithin(text, candidates, most) {
  let nearest;
  let least = most + 1;
  const lower = text.toLowerCase();
  for (const candidate of text.length > 64 ? [] : candidates) {
    const distance = Math.abs(text.length - candidate.length) >= least ? least : edits(lower, candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** The most similar candidate; may differ by one edit, plus one for every five characters of the shorter text. */
export function nearest(text, candidates) {
  const allowed = (word) => 1 + Math.floor(word.length / 5);
  const found = nearestWithin(text, candidates, allowed(text));
  return found !== undefined && (found.length >= text.length || nearestWithin(text, [found], allowed(found)) !== undefined) ? found : undefined;
}

function edits(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      next[j] = Math.min(row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1), 1 + Math.min(row[j], next[j - 1]));
    }
    row = next;
  }
  return row[other.length];
}

/** The reason of a file error, without the path. */
export function reason(error) {
  const reasons = {
    EACCES: 'permission denied', EPERM: 'permission denied', ENOENT: 'file or folder not found',
    EEXIST: 'a file with that name already exists', ENOTDIR: 'a file with that name already exists', EISDIR: 'Is a directory',
    ENOSPC: 'No space left on device', EROFS: 'Read-only file system', ELOOP: 'Too many levels of symbolic links',
    ENAMETOOLONG: 'File name too long',
  };
  return reasons[error.code] ?? error.message;
}

/** The error for a file that cannot be used: a refusal if the given path is wrong. */
export function unusable(sentence, error) {
  const isWrongPath = ['ENOENT', 'EEXIST', 'ENOTDIR'].includes(error.code);
  return new (isWrongPath ? Refusal : Failure)(`${sentence}: ${reason(error)}`);
}
