// A text's test data sets during editing: named JSON documents, one of them the default and one selected.
import { parseDocument } from './json.js';

export const DEFAULT = 'default';
export const EMPTY = '{}\n';
/** Valid set names; they become file names. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Characters of a name that leave room for a number. */
const MAX_BASE = 60;

/** Sets by name, without inherited properties, because a set can be named "constructor". */
const byName = samples => ({ __proto__: null, ...samples });

/** True if two drafts have the same test data, and the same default set. */
export function haveSameSets(one, other) {
  const [sets, otherSets] = [one, other].map(each => byName(each.samples));
  const names = Object.keys(sets);
  const isSame = names.length === Object.keys(otherSets).length && names.every(name => sets[name] === otherSets[name]);
  return isSame && (one.defaultSamples ?? null) === (other.defaultSamples ?? null);
}

/**
 * Merges the test data sets of two users without losing changes. A set changed on one side is as that side has it. If both
 * sides changed a set, the preferred version keeps the name, and the other becomes a copy with a new name. So it is with the default
 * set, unless that no longer exists.
 *
 * @param base      the common base
 * @param preferred the side whose version keeps its name
 * @param other     the other side
 * @return {samples, defaultSamples, copies}: `defaultSamples` is undefined without sets, `copies` lists the new names
 */
export function mergeSets(base, preferred, other) {
  const samples = byName({});
  const copies = [];
  const [old, first, second] = [base, preferred, other].map(each => byName(each.samples));
  const names = [...new Set([old, first, second].flatMap(Object.keys))];
  for (const name of names) {
    const text = mergedSet(old[name], first[name], second[name]);
    if (text !== undefined) {
      samples[name] = text;
    }
  }
  for (const name of names.filter(each => ![undefined, old[each], samples[each]].includes(second[each]))) {
    const copy = freeName(name, byName({ ...first, ...second, ...samples }));
    samples[copy] = second[name];
    copies.push(copy);
  }
  const wanted = preferred.defaultSamples === base.defaultSamples ? other.defaultSamples : preferred.defaultSamples;
  const defaultSamples = wanted in samples ? wanted
    : [preferred.defaultSamples, other.defaultSamples, ...Object.keys(samples).sort()].find(name => name in samples);
  return { samples: { ...samples }, defaultSamples, copies };
}

/** The text that keeps a set's name, given its three texts, each undefined where the set does not exist; undefined if it was deleted. */
function mergedSet(old, first, second) {
  if (first === old || first === undefined && second !== old) {
    return second;
  }
  return first;
}

/** A name not in use: lena-2. @param used an object with the names in use */
export function freeName(name, used) {
  for (let number = 2; ; number++) {
    const free = `${name.slice(0, MAX_BASE)}-${number}`;
    if (!Object.hasOwn(used, free)) {
      return free;
    }
  }
}

/**
 * The sets of a text while it is edited. Without a name, `text` and `parsed` return those of the selected set.
 *
 * @param onChange runs after each change by the user
 */
export function testSets({ samples = {}, defaultSamples }, onChange) {
  let documents = byName(samples);
  let defaultName = defaultSamples;
  let chosen = defaultSamples;
  /** The last valid document of each set, which the preview keeps using. */
  let usable = byName({});
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
  function replace(text) {
    documents = byName(text.samples);
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
    /** All sets for checks, so that the preview keeps working while the user types: each as it last was valid, empty if it never was. */
    readUsable() {
      for (const [name, text] of Object.entries(documents)) {
        if (!parsed(name).error) {
          usable[name] = text;
        }
      }
      usable = byName(Object.fromEntries(Object.keys(documents).map(name => [name, usable[name] ?? '{}'])));
      return { samples: { ...usable }, defaultSamples: defaultName, chosen };
    },
    /** The first invalid set, {name, error}, or undefined. */
    firstInvalid: () => Object.keys(documents).sort().map(name => ({ name, error: parsed(name).error })).find(each => each.error),
    /** Top-level names in the selected document. */
    valueNames: () => (parsed().node?.entries ?? []).map(each => each.name),
    replace,
    /** Merges what others have saved since `base` with unsaved changes. @return names of the copies made */
    merge(base, theirs, isTheirsPreferred) {
      const mine = { samples: documents, defaultSamples: defaultName };
      const merged = isTheirsPreferred ? mergeSets(base, theirs, mine) : mergeSets(base, mine, theirs);
      replace(merged);
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
      documents = byName({ ...others, [name]: text });
      usable[name] = usable[chosen];
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
