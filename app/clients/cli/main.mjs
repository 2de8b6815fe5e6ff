// The commands. `run` returns the exit code: 0 success, 1 rejected or problem found, 2 system error, 4 changes found (--exit-code).

import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { differences } from './difference.mjs';
import { AccountFiles, KINDS, Source, checkId, isImage, ofBlock } from './files.mjs';
import { FolderTarget, isFolder, openFolder, openToPush, shownPath } from './folder.mjs';
import { annotation, annotations, markdown, what } from './github.mjs';
import { write } from './json.mjs';
import { helpLines, parseCommandLine, unknownVariables, usageOf } from './options.mjs';
import { mergedPulls, pulledFile } from './pulled.mjs';
import { checkNote } from './rules.mjs';
import { ServerAccount } from './server.mjs';
import { named, targetOf } from './targets.mjs';
import { Failure, Refusal, amount, encodable, printable, reason, unusable } from './text.mjs';

const CHANGES_FOUND = 4;
const MAX_NAMED = 10;
const MAX_CONFLICTS = 1_000;
const WORDS = {
  made: 'was created in Stet and last changed', changed: 'was changed in Stet', published: 'has a different live version, published in Stet',
  'rolled-back': 'was rolled back to an earlier version',
};

/** A stream of lines, escaped so that texts from files, names and servers cannot control a terminal or a CI system. */
class Output {
  #write;

  constructor(stream) {
    this.#write = stream;
  }

  line(text) {
    this.#write(`${encodable(printable(text))}\n`);
  }

  /** A line that is written as it is. */
  exact(text) {
    this.#write(`${text}\n`);
  }
}

/**
 * Runs one command.
 *
 * @param io writers `out` and `err` for text; `isTerminal`, `cwd`, `now` (milliseconds) and `sleep` (by default, the process's)
 * @return the exit code
 */
export async function run(args, environment, io) {
  const context = {
    cwd: process.cwd(), now: () => performance.now(), sleep: (ms) => new Promise((resolve) => { setTimeout(resolve, ms); }), isTerminal: false, ...io,
    out: new Output(io.out), err: new Output(io.err),
  };
  const isJson = args.includes('--json') || environment.STET_JSON === 'true';
  const fail = (code, sentence) => {
    context.err.line(isJson ? write({ error: sentence, exitCode: code }) : sentence);
    return code;
  };
  try {
    const config = parseCommandLine(args, environment);
    unknownVariables(environment).forEach((sentence) => context.err.line(sentence));
    return await new Commands(config, context)[config.command]() ?? 0;
  } catch (error) {
    if (error instanceof Refusal) return fail(1, error.message);
    if (error instanceof Failure) return fail(2, error.message);
    if (error.syscall) return fail(2, `System error: ${error.path === undefined ? '' : `${error.path}: `}${reason(error)}`);
    return fail(2, `Unexpected error; please report it: ${isJson ? error : error.stack}`);
  }
}

class Commands {
  #config;
  #context;

  constructor(config, context) {
    this.#config = config;
    this.#context = context;
  }

  get #folder() {
    return shownPath(this.#config.operands[0]);
  }

  /** The folder's path in the file system. */
  get #path() {
    return this.#resolved(this.#folder);
  }

  #resolved(path) {
    return isAbsolute(path) || this.#context.cwd === process.cwd() ? path : join(this.#context.cwd, path);
  }

  async #with(given, use) {
    const account = await ServerAccount.open(given, this.#context);
    try {
      return await use(account);
    } finally {
      account.close();
    }
  }

  /** Whether the account's emails stay as they are. */
  get #isDryRun() {
    return this.#config.has('dry-run') || this.#config.has('preview');
  }

  #target(option, folder) {
    return targetOf(this.#config, option, folder, this.#context.cwd);
  }

  help() {
    helpLines(this.#config.operands).forEach((line) => this.#context.out.line(line));
  }

  version() {
    this.#context.out.line(`Stet ${JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')).version}`);
  }

  #pushOptions(publish, note) {
    const config = this.#config;
    const options = {
      publish, force: publish && config.has('force'), dryRun: config.has('dry-run') || config.has('preview'), overwrite: config.has('overwrite'), prune: config.has('prune'),
      note: checkNote(config.value('note') ?? note), ...config.has('preview') ? { preview: config.value('preview') } : {},
    };
    if (config.has('exit-code') && !options.dryRun) throw new Refusal(`${config.nameOf('exit-code')} needs --dry-run`);
    return options;
  }

  async push() {
    const config = this.#config;
    if (config.has('force') && !config.has('publish')) throw new Refusal('force requires publish');
    const isGitHub = config.has('github');
    if (isGitHub && config.has('json')) throw new Refusal(`${config.nameOf('github')} cannot be combined with ${config.nameOf('json')}`);
    const options = this.#pushOptions(config.has('publish'), '');
    if (config.has('end') && !config.has('preview')) throw new Refusal(`${config.nameOf('end')} needs ${usageOf('preview')}`);
    if (config.has('end') && config.has('dry-run')) throw new Refusal(`${config.nameOf('end')} cannot be combined with ${config.nameOf('dry-run')}`);
    if (config.has('preview') && !config.has('server') && !config.has('to')) {
      throw new Refusal(`${config.nameOf('preview')} needs ${usageOf('server')} or --to NAME, because the server makes the links`);
    }
    if (config.has('end')) return this.#endPreviews();
    try {
      const source = openToPush(this.#path);
      return await this.#with(this.#target('to', this.#folder), (account) => this.#send(source, account, options));
    } catch (error) {
      if (isGitHub && error instanceof Refusal) this.#context.err.exact(annotation('error', error.message, this.#folder));
      throw error;
    }
  }

  async #endPreviews() {
    return this.#with(this.#target('to', this.#folder), async (account) => {
      const ended = await account.endPreviews(this.#config.value('preview'));
      this.#context.out.line(this.#config.has('json') ? write({ account: account.account, ended })
        : `${printable(account.name)}: previews of ${amount(ended, 'email')} ended`);
    });
  }

  async promote() {
    const config = this.#config;
    const folder = config.operands.length === 0 ? undefined : this.#folder;
    const from = config.required('from');
    const to = config.required('to');
    const options = this.#pushOptions(true, `from ${from}`);
    if (from === to) throw new Refusal(`${config.nameOf('from')} and ${config.nameOf('to')} name the same account`);
    const target = (option, name) => named(config, config.nameOf(option), name, folder, this.#context.cwd);
    return this.#with(target('from', from), (source) => this.#with(target('to', to), async (account) => {
      await source.state();
      await account.state();
      if (source.isSameAccountAs(account)) { // --overwrite would replace its drafts
        throw new Refusal(`${config.nameOf('from')} and ${config.nameOf('to')} name the same account: ${account.name}`);
      }
      return source.pull(true, (files) => this.#send(files.without(KINDS.PULLED.path()), account, options));
    }));
  }

  async #send(source, account, options) {
    const config = this.#config;
    const { out, err } = this.#context;
    await account.checkRoom(source);
    const files = new AccountFiles(source, true);
    const plan = await account.push(files, options);
    if (config.has('json')) {
      const some = (values) => ((values.size ?? values.length) === 0 ? undefined : values);
      const variables = new Map([...plan.variables].map(([id, { added, removed }]) => [id, { added: some(added), removed: some(removed) }]));
      out.line(write({
        account: account.account, label: account.label || undefined, created: plan.created, changed: plan.changed, unchanged: plan.unchanged,
        blocks: plan.blocks, published: plan.published, conflicts: some(plan.conflicts), overwritten: some(plan.overwritten),
        pruned: some(plan.pruned), prunedBlocks: some(plan.prunedBlocks), prunedReviewLinks: some(plan.prunedReviewLinks),
        variables: some(variables), warnings: some(plan.warnings), previews: some(plan.previews),
      }));
    } else if (config.has('github')) {
      this.#printForGitHub(account.name, plan);
    } else {
      this.#print(account.name, plan);
    }
    if (files.ignored().length > 0) err.line(`Ignored: ${files.ignored().join(', ')}`);
    if (plan.conflicts.length > 0) {
      const nothing = `Nothing was changed${config.has('preview') ? ', and no links were made' : ''}.`;
      throw new Refusal(`${nothing} "pull" downloads the changed drafts, and "pull --published" downloads the live versions;`
        + ' --overwrite overwrites the changes made in Stet');
    }
    const isEmpty = [plan.created, plan.changed, plan.blocks, plan.published, plan.pruned, plan.prunedBlocks].every((each) => each.length === 0);
    return options.dryRun && config.has('exit-code') && !isEmpty ? CHANGES_FOUND : 0;
  }

  #printForGitHub(target, plan) {
    const text = markdown(target, plan, this.#isDryRun, sentenceOf);
    this.#context.out.exact(text.slice(0, -1));
    const summary = this.#config.environment.GITHUB_STEP_SUMMARY ?? '';
    if (summary !== '') {
      try {
        appendFileSync(summary, text);
      } catch (error) {
        throw unusable(`Cannot write the file ${summary}`, error);
      }
    }
    annotations(plan, this.#folder, sentenceOf).forEach((line) => this.#context.err.exact(line));
  }

  #line(sign, text, rest = '') {
    this.#context.out.line(`${sign} ${printable(text)}${printable(rest)}`);
  }

  #print(target, plan) {
    this.#context.out.line(printable(target) + (this.#isDryRun ? ', a dry run:' : ':'));
    plan.created.forEach((id) => this.#line('+', id));
    plan.changed.forEach((id) => this.#line('~', id));
    plan.blocks.forEach((name) => this.#line('~', name, what(name)));
    plan.pruned.forEach((id) => this.#line('-', id,
      plan.prunedReviewLinks.has(id) ? ` (${amount(plan.prunedReviewLinks.get(id), 'review link')} revoked)` : ''));
    plan.prunedBlocks.forEach((name) => this.#line('-', name, what(name)));
    const needs = (verb, names) => (names.length === 0 ? '' : `; ${verb} ${names.join(', ')}`);
    plan.published.forEach((id) => {
      const { added, removed } = plan.variables.get(id) ?? { added: [], removed: [] };
      this.#line('^', id, ` published${needs('needs', added)}${needs('no longer needs', removed)}`);
    });
    new Set(plan.warnings).forEach((sentence) => this.#line('?', sentence));
    [...plan.conflicts, ...plan.overwritten].map(sentenceOf).forEach((sentence) => this.#line('!', sentence));
    plan.previews.forEach((link, id) => this.#line('>', id, ` ${link}`));
    this.#line('=', String(plan.unchanged), ' unchanged');
  }

  async pull() {
    const folder = this.#path;
    const published = this.#config.has('published');
    return this.#with(this.#target('from', this.#folder), (account) => account.pull(published, async (source) => {
      const { err } = this.#context;
      const there = new AccountFiles(source, false);
      const here = new AccountFiles(isFolder(folder) ? openFolder(folder) : new Source(), false);
      const out = new FolderTarget(folder);
      try {
        const pull = new Pull(there, here, await account.state(), published);
        pull.write(out, this.#config.has('overwrite'));
        out.commit();
        pull.left.forEach((path) => err.line(`${path} differs but was not edited in Stet; the local file was kept`));
        out.others().filter((path) => !there.has(path)).forEach((path) => err.line(`${path} is not in the account; the local file was kept`));
        err.line(out.changed === 0 ? 'The folder is up to date' : `${amount(out.changed, 'file')} changed`);
      } finally {
        out.close();
      }
    }));
  }

  async diff() {
    const { out, isTerminal } = this.#context;
    return this.#with(this.#target('on', this.#folder), (account) => account.pull(false, async (source) => {
      const there = new AccountFiles(source, false);
      const here = new AccountFiles(openToPush(this.#path), true);
      const files = differences(there, 'account', here, 'folder');
      const isShown = isTerminal || this.#config.isCi;
      if (this.#config.has('json')) {
        out.line(write({ files: files.map(({ path, change, lines }) => ({ path, change, lines })) }));
      } else {
        files.forEach(({ lines }) => {
          let isContent = false; // after the file's names
          lines.forEach((line) => {
            isContent ||= line.startsWith('@@');
            if (isShown || !isContent) out.line(line);
            else out.exact(line);
          });
        });
      }
      return this.#config.has('exit-code') && files.length > 0 ? CHANGES_FOUND : 0;
    }));
  }

  async rollback() {
    const config = this.#config;
    const given = config.value('to');
    if (given !== undefined && !/^0*[1-9][0-9]{0,8}$/.test(given)) {
      throw new Refusal(`${config.nameOf('to')} is "${given}"; it must be a whole number from 1 to 999999999`);
    }
    const note = checkNote(config.value('note') ?? '');
    return this.#with(this.#target('on'), async (account) => {
      const [id] = config.operands;
      const done = await account.rollBack(checkId(id), given === undefined ? undefined : Number(given), note);
      this.#context.err.line(`Template ${id} rolled back to the content of version ${done.of}, published as version ${done.version}`);
    });
  }

  /** Writes the types of the live versions' data into a file or to stdout, or compares the file with them. */
  async types() {
    const config = this.#config;
    const { out, err } = this.#context;
    const [file] = config.operands;
    const check = config.has('check');
    if (check && file === undefined) throw new Refusal(`${config.nameOf('check')} needs FILE`);
    const lang = languageOf(config, file);
    if (file !== undefined && lang === 'java' && !/^(.*[/\\])?Emails\.java$/.test(file)) {
      throw new Refusal('The file for Java must be named Emails.java, because the class is named Emails');
    }
    if (file !== undefined) this.#checkPlace(file);
    return this.#with(this.#target('on'), async (account) => {
      const { emails, types } = await account.types(lang, config.value('package') ?? '');
      if (file === undefined) {
        out.exact(types.replace(/\n$/, ''));
        return;
      }
      const path = this.#resolved(file);
      const isCurrent = withoutVersions(lang, types) === withoutVersions(lang, isFile(path) ? readFileSync(path, 'utf8') : '');
      if (check && !isCurrent) throw new Refusal(`${file} does not match the live versions. Run "types ${file}" and correct what no longer compiles.`);
      if (!check) {
        try {
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, types);
        } catch (error) {
          throw unusable(`Cannot write the file ${file}`, error);
        }
      }
      err.line(`${file}: types of ${amount(emails, 'email')}${isCurrent ? ', unchanged' : ''}`);
    });
  }

  /** Checks that a file can be at this path: there is no folder, and the path does not lead through a file. */
  #checkPlace(file) {
    for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
      const path = this.#resolved(folder);
      if (existsSync(path) && !isFolder(path)) throw new Refusal(`${folder} is not a folder`);
    }
    if (isFolder(this.#resolved(file))) throw new Refusal(`${file} is a folder; name a file`);
  }

  async status() {
    return this.#with(this.#target('on'), async (account) => {
      const { out } = this.#context;
      const state = await account.state();
      if (this.#config.has('json')) {
        out.line(write({ ...state, label: state.label || undefined }));
        return;
      }
      out.line(`${printable(account.name)}: ${amount(state.templates.size, 'template')}, ${amount(state.blocks.size, 'shared block')}`);
      if (state.last !== undefined) {
        const { how, by, at, note } = state.last;
        out.line(printable(`Last ${how}${by === null ? '' : ` by ${by}`} at ${at}${note === '' ? '' : `: ${note}`}`));
      }
      state.changed.forEach((change) => this.#line(change.what === 'rolled-back' ? '?' : '!', sentenceOf(change)));
    });
  }
}

function sentenceOf({ kind, id, what, by, at }) {
  return `${isImage(id) ? `image ${id.slice('images/'.length)}` : `${kind === 'block' ? 'shared block ' : 'template '}${id}`} ${WORDS[what]} by ${by ?? 'an unknown user'}${at === null ? '' : ` at ${at}`}`;
}

function languageOf(config, file) {
  const extension = file === undefined ? '' : file.slice(file.lastIndexOf('.') + 1);
  const word = config.value('lang') ?? (extension === 'py' ? 'python' : extension);
  if (!['ts', 'java', 'python', 'go'].includes(word)) {
    throw new Refusal(config.has('lang') ? `${config.nameOf('lang')} is "${word}"; use ts, java, python or go`
      : `"types" needs ${usageOf('lang')}: ts, java, python or go`);
  }
  return word;
}

/** A source file without the comments that name versions, so that files with equal types are equal. */
function withoutVersions(lang, source) {
  const comment = lang === 'python' ? '#' : '//';
  return source.replace(/\r?\n$/, '').split(/\r?\n/).filter((line) => !line.trim().startsWith(`${comment} Version `)).join('\n');
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * Writes an account's files into a folder. Pulling drafts never replaces changes made only in the folder.
 *
 *   missing in the folder, or unchanged since the account had it ─► written
 *   changed only in the folder ──────────────────────────────────► left alone
 *   changed in both ─────────────────────────────────────────────► error, unless it may be overwritten
 */
class Pull {
  #there;
  #here;
  #written = new Set();
  #changed = [];
  left = [];

  constructor(there, here, state, published) {
    this.#there = there;
    this.#here = here;
    this.#compare(KINDS.HTML.path, there.digests(), here.digests(), state.templates, 'templates', published);
    this.#compare(ofBlock, there.blocks, here.blocks, state.blocks, 'blocks', published);
  }

  #compare(pathOf, theirs, ours, drafts, kept, published) {
    const edited = this.#there.pulled[kept];
    const pulled = this.#here.pulled[kept];
    for (const [id, their] of theirs) {
      const our = ours.get(id);
      const isKnown = our === undefined || our === drafts.get(id) || our === edited.get(id)?.files || our === pulled.get(id)?.draft;
      if (their !== our) {
        const path = pathOf(id);
        if (isKnown) this.#written.add(path);
        else (published || edited.has(id) ? this.#changed : this.left).push(path);
      }
    }
  }

  #isWritten(id) {
    return this.#written.has(KINDS.HTML.path(id));
  }

  write(target, overwrite) {
    const there = this.#there;
    const here = this.#here;
    if (!overwrite && this.#changed.length > 0) {
      const more = this.#changed.length - MAX_NAMED;
      throw new Refusal(`Nothing was written. The folder has changes that are not in Stet: ${this.#changed.slice(0, MAX_NAMED).join('; ')}`
        + `${more > 0 ? `; and ${this.#changed.length < MAX_CONFLICTS ? '' : 'at least '}${more} more` : ''}`
        + '. Create a branch from the last pushed commit, pull there and merge it, or discard these changes with --overwrite');
    }
    this.#changed.forEach((path) => this.#written.add(path));
    here.paths().filter(({ path, kind, name }) => kind === KINDS.SAMPLES && this.#isWritten(name) && !there.has(path))
      .forEach(({ path }) => target.delete(path));
    for (const [id, draft] of there.drafts) {
      if (this.#isWritten(id)) {
        const theirs = there.texts(id);
        const ours = here.texts(id);
        for (const [path, bytes] of there.exported(id, (here.drafts.get(id) ?? draft).published)) {
          if (here.has(path) && theirs.get(path) === ours.get(path)) target.keep(path); // keeps the author's formatting
          else target.write(path, bytes);
        }
      }
    }
    for (const name of there.blocks.keys()) {
      if (this.#written.has(ofBlock(name))) target.write(ofBlock(name), there.block(name));
    }
    const note = pulledFile(mergedPulls(there.pulled, here.pulled, (id) => this.#isWritten(id)));
    if (!note.equals(pulledFile(here.pulled))) target.write(KINDS.PULLED.path(), note);
  }
}

