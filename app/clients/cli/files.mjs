// An account's folder: which files belong to it, their rules, their digests and how they are written.

import { createHash } from 'node:crypto';
import { IMAGE_BYTES, imageOf } from './images.mjs';
import { JsonNumber, parse, parseObject, writeLines } from './json.mjs';
import { pulledOf } from './pulled.mjs';
import { Fields, checkDraft, sortedTags } from './rules.mjs';
import { Refusal, at, decode } from './text.mjs';

const HTML_BYTES = 2 << 20;
const SETS = 20;
const SETS_BYTES = 1 << 20;
const MAX_IGNORED = 10;
/** The file of servers and accounts, which is not part of an account. */
export const TARGETS = 'stet.json';
export const FOLDERS = ['templates', 'blocks'];
/** Folders that an export writes files into. */
export const WRITTEN = [...FOLDERS, 'images'];
export const KINDS = {
  ACCOUNT: kind('account.json', 1 << 20, 1, 'accounts'),
  PULLED: kind('stet-pulled.json', 4 << 20, 1, 'files of pull'),
  UNCHANGED: kind('stet-unchanged.json', 4 << 20, 1, 'files of push'),
  HTML: kind('templates/%s.html', HTML_BYTES, 10_000, 'templates'),
  JSON: kind('templates/%s.json', 8 << 20, Infinity, 'templates'),
  SAMPLES: kind('templates/%s.samples/%s.json', SETS_BYTES, 20_000, 'sets of test data'),
  BLOCK: kind('blocks/%s.html', HTML_BYTES, 1_000, 'shared blocks'),
  /** Other files in images/ are ignored. */
  IMAGE: { ...kind('images/%s', IMAGE_BYTES, 2_000, 'images'), pattern: /^images\/([^/]*\.(?:png|jpe?g|gif))$/is },
};

function kind(format, maxBytes, maxFiles, plural) {
  const pattern = new RegExp(`^${format.replaceAll('.', '\\.').replaceAll('%s', '([^/]*)')}$`, 's');
  return { pattern, maxBytes, maxFiles, plural, path: (...names) => names.reduce((path, name) => path.replace('%s', () => name), format) };
}

export function sha256(...parts) {
  const hash = createHash('sha256');
  parts.forEach((part) => hash.update(part));
  return hash.digest('hex');
}

// ---- paths

function kindOf(path) {
  return Object.values(KINDS).find((each) => each.pattern.test(path));
}

/** Whether the path or one of its folders is hidden or belongs to another program. */
export function isForeign(path) {
  return path.split('/').some((name) => name.startsWith('.') && name !== '..' || name === '__MACOSX' || name === 'node_modules');
}

function isHtml(path) {
  return /\.html?$/i.test(path) && !path.startsWith('README') && !path.startsWith('LICENSE');
}

function isPage(path) {
  return isHtml(path) || /\.(hbs|handlebars|mustache)$/i.test(path);
}

function isJson(path) {
  return /\.json$/i.test(path);
}

export function isId(name) {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name) && !name.endsWith('\n');
}

/** @throws Refusal unless this is the ID of a template or the name of a block */
export function checkId(id) {
  if (!isId(id)) throw new Refusal(`"${id}" is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit`);
  return id;
}

/** Whether this is the full name of an image, which is also its path. */
export function isImage(name) {
  return /^images\/[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.(png|jpg|jpeg|gif)$/.test(name) && !name.endsWith('\n');
}

/** The path of a shared block's or image's file. */
export function ofBlock(name) {
  return isImage(name) ? name : KINDS.BLOCK.path(name);
}

/** @return kind, name and set of an account's file; null for a file to ignore @throws Refusal for a misplaced or misnamed file */
function accountPath(path) {
  if (isForeign(path)) return null;
  const found = kindOf(path);
  if (!found) {
    if (isHtml(path) || isJson(path) && FOLDERS.some((folder) => path.toLowerCase().startsWith(`${folder}/`))) {
      throw new Refusal('Unexpected file in an account\'s folder; Stet reads only templates/ID.html, templates/ID.json,'
        + ' templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json').in(path);
    }
    return null;
  }
  if (found === KINDS.IMAGE) {
    const lower = path.replace(/[^.]*$/, (extension) => extension.toLowerCase());
    if (!isImage(path) && isImage(lower)) {
      throw new Refusal(`"${path.slice('images/'.length)}" is not a valid image name; name it ${lower.slice('images/'.length)}`).in(path);
    }
    if (!isImage(path)) {
      throw new Refusal(`"${path.slice('images/'.length)}" is not a valid image name; use 1 to 64 letters, digits, - and _, starting with a letter or`
        + ' digit, then .png, .jpg, .jpeg or .gif').in(path);
    }
    return { kind: found, name: path };
  }
  const [, name = '', set] = found.pattern.exec(path);
  for (const each of [name, set]) {
    if (each !== undefined && found.pattern.source.includes('(') && !isId(each)) {
      throw new Refusal('The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit').in(path);
    }
  }
  return { kind: found, name, set };
}

/** The path's outermost folder, not counting templates/ and blocks/; the path itself if it has no folder. */
function outermost(path) {
  const from = FOLDERS.filter((folder) => path.startsWith(`${folder}/`)).reduce((sum, folder) => sum + folder.length + 1, 0);
  const slash = path.indexOf('/', from);
  return slash < 0 ? path : path.slice(0, slash + 1);
}

/** Decides from paths whether files form an account's folder or are another system's. */
export class Shape {
  #hasHtml = false;
  #hasOwn = false;
  #hasOtherHtml = false;
  #hasOtherJson = false;
  #hasMisplaced = false;

  add(path) {
    if (isForeign(path)) return;
    const found = kindOf(path);
    const isTemplate = found === KINDS.HTML;
    this.#hasHtml ||= isTemplate;
    this.#hasOwn ||= found !== undefined && !isTemplate && found !== KINDS.IMAGE
      || /^.*\/((templates|blocks)\/[^/]*\.html|templates\/([^/]*\.samples\/)?[^/]*\.json)$/.test(path);
    const isOtherHtml = !found && isPage(path);
    this.#hasOtherHtml ||= isOtherHtml;
    this.#hasMisplaced ||= isOtherHtml && /^([^/]*|templates\/([^/]*\.samples\/.*|[^/]*\.html?))$/i.test(path);
    this.#hasOtherJson ||= !found && isJson(path);
  }

  addFolder() {
  }

  addLink() {
  }

  passOver() {
  }

  get isForeign() {
    return !this.#hasOwn && !(this.#hasHtml && this.#hasMisplaced) && (this.#hasOtherHtml || this.#hasOtherJson && !this.#hasHtml);
  }
}

/** An account folder's files, listed first and then read one at a time. */
export class Source {
  #entries = new Map();
  #counts = new Map();
  #ignored = new Set();
  #hasAccountFolder = false;

  /** @param read returns the file's bytes, or throws a Refusal that names the path */
  add(path, bytes, read) {
    const parsed = accountPath(path);
    if (!parsed) {
      this.passOver(path);
      return;
    }
    checkSize(parsed.kind, path, bytes);
    if (this.#entries.has(path)) throw new Refusal('The file appears twice; remove one copy').in(path);
    this.#entries.set(path, { ...parsed, read });
    const count = (this.#counts.get(parsed.kind) ?? 0) + 1;
    this.#counts.set(parsed.kind, count);
    if (count > parsed.kind.maxFiles) throw new Refusal(`An account can have at most ${parsed.kind.maxFiles} ${parsed.kind.plural}`);
  }

  addFolder(path) {
    checkIsNoPlace(path);
    this.#hasAccountFolder ||= FOLDERS.includes(path);
  }

  addLink(path) {
    throw new Refusal('This is a symbolic link, which imports do not follow; replace it with a file or folder').in(path);
  }

  passOver(path) {
    if (!isForeign(path)) checkIsNoPlace(path);
    if (path !== TARGETS) this.#ignored.add(outermost(path));
  }

  without(path) {
    this.#entries.delete(path);
    return this;
  }

  /** @throws Refusal if the account would have too many templates or blocks */
  checkRoom(state) {
    const isOf = (image) => new Map([...state.blocks].filter(([name]) => isImage(name) === image));
    for (const [which, present] of [[KINDS.HTML, state.templates], [KINDS.BLOCK, isOf(false)], [KINDS.IMAGE, isOf(true)]]) {
      const added = this.paths().filter(({ kind: each, name }) => each === which && !present.has(name)).length;
      const count = present.size + added;
      if (count > which.maxFiles) throw new Refusal(`The account would have ${count} ${which.plural}; the limit is ${which.maxFiles}`);
    }
  }

  has(path) {
    return this.#entries.has(path);
  }

  /** Path, kind, name and set of each file, sorted by path. */
  paths() {
    return [...this.#entries].map(([path, entry]) => ({ path, ...entry })).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  read(path) {
    const entry = this.#entries.get(path);
    const bytes = entry.read();
    checkSize(entry.kind, path, bytes.length);
    return bytes;
  }

  ignored() {
    const names = [...this.#ignored].sort();
    const more = names.length - MAX_IGNORED;
    return more > 0 ? [...names.slice(0, MAX_IGNORED), `${more} more`] : names;
  }

  checkNotEmpty() {
    const isEmpty = [...this.#entries.values()].every((entry) => entry.kind === KINDS.ACCOUNT || entry.kind === KINDS.PULLED);
    if (isEmpty && (!this.#hasAccountFolder || this.#ignored.size > 0)) {
      throw new Refusal('Nothing to import; add files such as templates/ID.html or blocks/NAME.html'
        + (this.#ignored.size === 0 ? '' : `. Ignored: ${this.ignored().join(', ')}`));
    }
  }
}

function checkSize(which, path, bytes) {
  if (bytes > which.maxBytes) {
    throw new Refusal(`The file is ${bytes} bytes; the limit is ${which.maxBytes} (${which.maxBytes >> 20} MiB)`).in(path);
  }
}

function checkIsNoPlace(path) {
  if (kindOf(path)) throw new Refusal('This is not a file').in(path);
}

// ---- an account's files, checked

/**
 * A template's details: the fields of its file that are no part of the draft, in alphabetical order. A stored text that is empty means that
 * the file lacks the field.
 */
const DETAILS = [
  { word: 'tags', read: (fields) => sortedTags(fields.list('tags')), stored: (tags) => tags.join('\n') },
];

/** A template's details by field. */
function detailsOf(fields) {
  return new Map(DETAILS.map(({ word, read }) => [word, read(fields)]));
}

function byName(map) {
  return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An account's drafts and shared blocks. All files except account.json are checked when opened. */
export class AccountFiles {
  #source;
  #sets = new Map();
  /** Name, draft digest, digest of all files, whether to publish, and details by template. */
  drafts = new Map();
  /** SHA-256 of each block's HTML, by name, and of each image's accepted file, by full name. */
  blocks = new Map();
  pulled = { templates: new Map(), blocks: new Map() };

  constructor(source, isImport) {
    this.#source = source;
    const paths = source.paths();
    paths.filter((each) => each.kind === KINDS.SAMPLES).forEach((each) => this.#checkSet(each));
    paths.forEach((each) => this.#check(each));
    if (isImport) source.checkNotEmpty();
  }

  #checkSet({ path, name, set }) {
    this.#checkHtml(path, name);
    const names = this.#sets.get(name) ?? [];
    names.push(set);
    this.#sets.set(name, names);
    if (names.length > SETS) throw new Refusal(`${name} can have at most ${SETS} sets of test data`).in(path);
  }

  #checkHtml(path, id) {
    if (!this.has(KINDS.HTML.path(id))) throw new Refusal(`The file ${id}.html is missing; add it`).in(path);
  }

  #check({ path, kind: which, name }) {
    if (which === KINDS.BLOCK) {
      this.blocks.set(name, sha256(this.#html(path)));
    } else if (which === KINDS.IMAGE) {
      this.blocks.set(name, sha256(this.#image(path)));
    } else if (which === KINDS.HTML) {
      this.drafts.set(name, this.#read(name));
    } else if (which === KINDS.JSON) {
      this.#checkHtml(path, name);
    } else if (which === KINDS.PULLED) {
      this.pulled = at(path, () => pulledOf(this.#source.read(path)));
    } else if (which === KINDS.UNCHANGED) {
      at(path, () => parseObject(decode(this.#source.read(path)) ?? ''));
    }
  }

  #read(id) {
    const json = this.#json(id);
    const html = this.#html(KINDS.HTML.path(id));
    at(KINDS.JSON.path(id), () => checkDraft(json.name, json.subject));
    const sha = sha256(`${json.subject}\0`, html);
    const parts = [sha, json.name, ...DETAILS.map(({ word, stored }) => stored(json.details.get(word))), setLines(json.samples)].map((part) => `${part.length}:${part}`);
    return { name: json.name, sha256: sha, digest: sha256(parts.join('\n')), published: json.published, details: json.details };
  }

  #html(path) {
    const html = this.#source.read(path);
    if (html.length > HTML_BYTES) throw new Refusal(`The HTML is ${html.length} bytes; the limit is ${HTML_BYTES} (2 MiB)`).in(path);
    if (decode(html) === null) throw new Refusal('The HTML is not UTF-8; convert it to UTF-8').in(path);
    return html;
  }

  #image(path) {
    const file = this.#source.read(path);
    return at(path, () => {
      const image = imageOf(file);
      const type = { png: 'PNG', jpg: 'JPEG', jpeg: 'JPEG', gif: 'GIF' }[path.slice(path.lastIndexOf('.') + 1)];
      if (type !== image.type) {
        throw new Refusal(`The file is a ${image.type}; name it ${path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf('.'))}`
          + `.${{ PNG: 'png', JPEG: 'jpg', GIF: 'gif' }[image.type]}`);
      }
      return image.bytes;
    });
  }

  #json(id) {
    const path = KINDS.JSON.path(id);
    const documents = this.#documents(id);
    if (!this.has(path)) return { name: id, published: true, samples: samplesOf(documents), subject: '', details: detailsOf(new Fields(Buffer.from('{}'))) };
    const bytes = this.#source.read(path);
    return at(path, () => {
      const fields = new Fields(bytes);
      const json = {
        name: fields.text('name', id), published: fields.flag('published', true),
        samples: withSingle(documents, fields.texts('samples'), fields.text('defaultSamples')), subject: fields.text('subject', ''),
      };
      fields.time('updatedAt');
      json.details = detailsOf(fields);
      fields.end();
      return json;
    });
  }

  #documents(id) {
    const documents = new Map();
    let length = 0;
    for (const set of this.#sets.get(id) ?? []) {
      const path = KINDS.SAMPLES.path(id, set);
      const document = this.#document(path);
      length += document.length;
      if (length > SETS_BYTES) throw new Refusal(`The test data of ${id} must be at most ${SETS_BYTES} bytes (1 MiB)`).in(path);
      documents.set(set, document);
    }
    return documents;
  }

  #document(path) {
    const bytes = this.#source.read(path);
    return at(path, () => {
      const text = decode(bytes);
      if (text === null) throw new Refusal('The file is not UTF-8; convert it to UTF-8');
      const document = text.startsWith('\ufeff') ? text.slice(1) : text;
      parseObject(document, true);
      return document;
    });
  }

  has(path) {
    return this.#source.has(path);
  }

  paths() {
    return this.#source.paths();
  }

  file(path) {
    return this.#source.read(path);
  }

  ignored() {
    return this.#source.ignored();
  }

  digests() {
    return new Map([...this.drafts].map(([id, draft]) => [id, draft.digest]));
  }

  /** A template's files in canonical form, by path; empty for an unknown ID. */
  texts(id) {
    return this.drafts.has(id) ? new Map([...this.exported(id, true)].map(([path, bytes]) => [path, bytes.toString()])) : new Map();
  }

  /** A template's files as an export writes them. @throws Refusal if they have changed since they were checked */
  exported(id, published) {
    const path = KINDS.HTML.path(id);
    const { details, sha256: before } = this.drafts.get(id);
    const { name, samples, subject } = this.#json(id);
    const html = this.#html(path);
    checkUnchanged(path, before, sha256(`${subject}\0`, html));
    const present = DETAILS.filter(({ word, stored }) => stored(details.get(word)) !== '').map(({ word }) => [word, details.get(word)]);
    const json = byName(new Map([['defaultSamples', samples.defaultName], ['name', name], ['published', published], ['subject', subject], ...present]));
    return byName(new Map([[path, html], [KINDS.JSON.path(id), Buffer.from(writeLines(json))],
      ...[...samples.documents].map(([set, document]) => [KINDS.SAMPLES.path(id, set), Buffer.from(document)])]));
  }

  /** A block's HTML, or an image's file without what is dropped from it. */
  block(name) {
    const path = ofBlock(name);
    const html = isImage(name) ? this.#image(path) : this.#html(path);
    checkUnchanged(path, this.blocks.get(name), sha256(html));
    return html;
  }
}

function checkUnchanged(path, before, now) {
  if (before !== now) throw new Refusal('The file changed while it was being read; try again').in(path);
}

// ---- test data

function samplesOf(documents, defaultName) {
  if (documents.size === 0 && defaultName === undefined) return { documents };
  if (documents.size > SETS) throw new Refusal(`There are ${documents.size} sets of test data; the limit is ${SETS}`);
  const bytes = [...documents.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > SETS_BYTES) throw new Refusal(`The test data is ${bytes} bytes; the limit is ${SETS_BYTES} (1 MiB)`);
  const sorted = byName(documents);
  if (new Set([...sorted.keys()].map((name) => name.toLowerCase())).size < sorted.size) {
    throw new Refusal('The names of two test data sets differ only in case, which some file systems ignore; rename one of them');
  }
  if (defaultName !== undefined && !sorted.has(defaultName)) throw new Refusal(`Test data "${defaultName}" not found`);
  return { documents: sorted, defaultName: defaultName ?? (sorted.has('default') ? 'default' : [...sorted.keys()][0]) };
}

/** Adds samples of single variables, which become the set "default". */
function withSingle(documents, single, defaultName) {
  if (single.size > 0 && documents.has('default')) {
    throw new Refusal('Both "samples" and a file define the test data "default"; remove one of them');
  }
  const all = new Map(documents);
  if (single.size > 0) all.set('default', writeLines(new Map([...byName(single)].map(([name, sample]) => [name, valueOf(sample)]))));
  const samples = samplesOf(all, defaultName);
  if (single.size > 0) {
    try {
      parseObject(all.get('default'), true);
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(`Test data "default" is invalid: ${error.message}`) : error;
    }
  }
  return samples;
}

function valueOf(sample) {
  const structure = /^[[{]/.test(sample) ? parse(sample) : undefined;
  const values = { true: true, false: false, 0: new JsonNumber('0'), '': null, null: null };
  return structure ?? (Object.hasOwn(values, sample) ? values[sample] : sample);
}

function setLines({ documents, defaultName }) {
  return [...documents].map(([name, document]) => `${name === defaultName ? 1 : 0} ${name} ${sha256(document)}`).join('\n');
}
