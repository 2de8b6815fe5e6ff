// A text's test data sets during editing: named JSON documents, one of them the default and one selected.
import { parseDocument } from './json.js';

export const DEFAULT = 'default';
export const EMPTY = '{}\n';
/** Valid set names; they become file names. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Characters of a name that leave room for a number. */
const MAX_BASE = 60;

/** True if two drafts have the same test data, and the same default set. */
export function haveSameSets(one, other) {
  const [sets, otherSets] = [one, other].map(each => each.samples ?? {});
  const names = Object.keys(sets);
  const isSame = names.length === Object.keys(otherSets).length && names.every(name => sets[name] === otherSets[name]);
  return isSame && (one.defaultSamples ?? null) === (other.defaultSamples ?? null);
}

/**
 * Merges the test data sets of two users without losing changes. A set changed on one side is taken from that side. If both
 * sides changed a set, the preferred version keeps the name, and the other becomes a copy with a new name.
 *
 * @param base      the common base
 * @param preferred the side whose version keeps its name
 * @returns {samples, defaultSamples, copies}; copies lists the new names
 */
export function mergeSets(base, preferred, other) {
  const samples = {};
  const copies = [];
  const all = [base, preferred, other].map(each => each.samples ?? {});
  const clashes = [];
  for (const name of new Set(all.flatMap(Object.keys))) {
    const [before, first, second] = all.map(each => each[name]); // undefined where the set does not exist
    const isDeleted = first === undefined && second === before;
    const kept = first === before ? second : isDeleted ? undefined : first ?? second;
    if (kept !== undefined) {
      samples[name] = kept;
    }
    if (second !== undefined && second !== before && second !== kept) {
      clashes.push(name);
    }
  }
  for (const name of clashes) {
    const copy = freeName(name, { ...all[1], ...all[2], ...samples });
    samples[copy] = other.samples[name];
    copies.push(copy);
  }
  const wanted = preferred.defaultSamples === base.defaultSamples ? other.defaultSamples : preferred.defaultSamples;
  const defaultSamples = wanted in samples ? wanted
    : [preferred.defaultSamples, other.defaultSamples, ...Object.keys(samples).sort()].find(name => name in samples);
  return { samples, defaultSamples, copies };
}

/** A name not in use: lena-2. @param taken an object with the names in use */
export function freeName(name, taken) {
  for (let number = 2; ; number++) {
    const free = `${name.slice(0, MAX_BASE)}-${number}`;
    if (!(free in taken)) {
      return free;
    }
  }
}

/**
 * The sets of a text while it is edited. In `text` and `parsed`, the selected set is meant without a name.
 *
 * @param onChange runs after each change by the user
 */
export function testSets({ samples = {}, defaultSamples }, onChange) {
  let documents = { ...samples };
  let defaultName = defaultSamples;
  let chosen = defaultSamples;
  /** The last valid document of each set, which the preview keeps using. */
  let usable = {};
  const nodes = new Map();

  /** The {node} or {error} of a set; an empty document if it does not exist. */
  function parsed(name = chosen) {
    const text = documents[name] ?? EMPTY;
    if (nodes.get(name)?.text !== text) {
      nodes.set(name, { text, ...parseDocument(text) });
    }
    return nodes.get(name);
  }

  /** Replaces all sets with those of a text. */
  function take(text) {
    documents = { ...text.samples };
    defaultName = text.defaultSamples;
    if (!(chosen in documents)) {
      chosen = defaultName;
    }
  }

  function change(run) {
    run();
    onChange();
  }

  return {
    names: () => Object.keys(documents).sort(),
    defaultName: () => defaultName,
    chosen: () => chosen,
    text: (name = chosen) => documents[name],
    parsed,
    /** All sets, for saving. */
    read: () => ({ samples: { ...documents }, defaultSamples: defaultName }),
    /** Only valid documents, for checks, so that the preview keeps working while the user types. */
    readUsable() {
      for (const [name, text] of Object.entries(documents)) {
        if (!parsed(name).error) {
          usable[name] = text;
        }
      }
      usable = Object.fromEntries(Object.keys(documents).map(name => [name, usable[name] ?? '{}']));
      return { samples: usable, defaultSamples: defaultName, chosen };
    },
    /** The first invalid set, {name, error}, or undefined. */
    wrong: () => Object.keys(documents).sort().map(name => ({ name, error: parsed(name).error })).find(each => each.error),
    /** Top-level names in the selected document. */
    valueNames: () => (parsed().node?.entries ?? []).map(each => each.name),
    take,
    /** Merges what others have saved since `base` with unsaved changes. @returns names of the copies made */
    merge(base, theirs, isTheirsPreferred) {
      const mine = { samples: documents, defaultSamples: defaultName };
      const merged = isTheirsPreferred ? mergeSets(base, theirs, mine) : mergeSets(base, mine, theirs);
      take(merged);
      return merged.copies;
    },
    choose(name) {
      chosen = name;
    },
    write: text => change(() => {
      chosen ??= DEFAULT;
      defaultName ??= chosen;
      documents[chosen] = text;
    }),
    add: (name, text) => change(() => {
      documents[name] = text;
      chosen = name;
      defaultName ??= name;
    }),
    rename: name => change(() => {
      const { [chosen]: text, ...others } = documents;
      documents = { ...others, [name]: text };
      defaultName = defaultName === chosen ? name : defaultName;
      chosen = name;
    }),
    remove: () => change(() => {
      delete documents[chosen];
      const left = Object.keys(documents).sort();
      defaultName = defaultName === chosen ? left[0] : defaultName;
      chosen = defaultName;
    }),
    makeDefault: () => change(() => { defaultName = chosen; }),
  };
}
