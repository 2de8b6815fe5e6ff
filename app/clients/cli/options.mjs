// The command line: commands, options and the environment variables with the same names, parsed as the Java program parses them.

import { Refusal, nearest } from './text.mjs';

/** Placeholder and meaning of each option; null for a flag. `--server` is also the variable STET_SERVER. */
export const OPTIONS = {
  data: ['DIR', 'the data folder; only the Java program reads it'],
  account: ['ACCOUNT', 'the account in the data folder; only the Java program reads it'],
  server: ['URL', 'the server, such as https://mail.example.com'],
  'allow-http': [null, 'allows sending the token unencrypted to another host'],
  'token-file': ['FILE', 'a file containing a deploy token for the server, or - for standard input'],
  token: ['TOKEN', 'the deploy token; can be set only as an environment variable because other users can see options in the process list'],
  from: ['NAME', 'the account in stet.json to read from'],
  on: ['NAME', 'the account in stet.json to use'],
  to: ['TARGET', 'the account in stet.json'],
  publish: [null, 'also publishes the templates in DIR whose live version would change'],
  force: [null, 'also publishes drafts with errors such as unclosed braces or sections'],
  overwrite: [null, 'overwrites changes made in Stet since the last push or import'],
  prune: [null, 'also moves templates to the trash and deletes unused shared blocks if earlier pushes added them and DIR no longer contains them'],
  published: [null, 'writes the sources of the live versions instead of the drafts'],
  lang: ['LANGUAGE', 'the language: ts, java, python or go (default: by the extension of FILE)'],
  package: ['NAME', 'the package in Java and Go (default: emails)'],
  check: [null, 'changes nothing and fails if FILE differs; version numbers do not matter'],
  note: ['TEXT', 'a note for the history and the activity log, such as a commit ID; up to 200 characters'],
  'dry-run': [null, 'reports the changes without making them'],
  preview: ['NAME', 'changes nothing, but makes a review link for each email that the push would change; needs --server or --to; a push of the same NAME, such as pr-17, replaces them, and they expire after 14 days'],
  end: [null, 'ends the previews of NAME instead of pushing; not with --dry-run'],
  github: [null, 'prints the plan as Markdown, adds it to the summary of a GitHub job, and annotates files and lines'],
  'exit-code': [null, 'exits with 4 if the dry run finds changes'],
  json: [null, 'prints JSON, also for errors'],
};

/** Meaning of an option that differs in one command. */
const MEANINGS = {
  diff: { 'exit-code': 'exits with 4 if there are differences' },
  pull: { overwrite: 'overwrites changes made in the folder' },
  rollback: { to: 'the version to republish (default: the newest version from before the live content was first published)' },
};

const TARGET = ['data', 'account', 'server', 'allow-http', 'token-file', 'token'];

export const COMMANDS = {
  push: { operands: ['DIR'], help: 'saves a folder\'s drafts and shared blocks to an account, all or nothing', options: [...TARGET, 'to', 'publish', 'force', 'overwrite', 'prune', 'note', 'dry-run', 'exit-code', 'preview', 'end', 'github', 'json'] },
  promote: { operands: ['[DIR]'], help: 'publishes the live versions of one account in another account; stet.json in DIR names both', options: ['from', 'to', 'force', 'overwrite', 'prune', 'note', 'dry-run', 'exit-code', 'json'] },
  pull: { operands: ['DIR'], help: 'updates a folder with the drafts and shared blocks changed in Stet', options: [...TARGET, 'from', 'published', 'overwrite'] },
  diff: { operands: ['DIR'], help: 'compares a folder with an account\'s drafts, line by line', options: [...TARGET, 'on', 'exit-code', 'json'] },
  rollback: { operands: ['ID'], help: 'republishes an older version of a template under a new version number', options: [...TARGET, 'on', 'to', 'note'] },
  status: { operands: [], help: 'shows the last push or import and lists the changes made in Stet since then', options: [...TARGET, 'on', 'json'] },
  types: { operands: ['[FILE]'], help: 'writes the type of each live template\'s data as source code, so that an app with a wrong variable does not compile', options: [...TARGET, 'on', 'lang', 'package', 'check'] },
  version: { operands: [], help: 'prints the version', options: [] },
  help: { operands: ['[COMMAND]'], help: 'lists all commands or explains one', options: [] },
};

/** Variables that are not options: for test clients, from Kubernetes, or named in stet.json. */
const FOREIGN = /^STET_(URL|API_URL|EXEC_MARK|JAR|KEY(_.*)?|SERVICE_(HOST|PORT.*)|PORT(_[0-9]+_.*)?|TOKEN_[A-Z0-9_]+)$/;
/** All options of the Java program, in its order: their variables are no mistakes. */
export const ALL = `data listen base-url images-url trusted-proxies auth-header auth-header-role auth-header-account seed admin-email
  admin-password-file admin-password port-file log-format access-log metrics backup-dir backup-every backup-keep after-backup
  after-backup-timeout replaced-keep webhook-private smtp smtp-from smtp-password-file smtp-password expose now strict web verbose watch
  exec with-parent colour plan name role expires overlap password-file billing-anchor account-storage account-images images storage requests
  keys keep since limit account server allow-http token-file token from on note prune exit-code preview end github lang package check out to published
  with-account publish force overwrite dry-run trash for-good wait json off yes`.split(/\s+/);
const UNCHECKED = ['token', 'note'];

export function variable(option) {
  return `STET_${option.toUpperCase().replaceAll('-', '_')}`;
}

export function usageOf(option) {
  const [value] = OPTIONS[option];
  return `--${option}${value === null ? '' : ` ${value}`}`;
}

function commandUsage(name) {
  return [name, ...COMMANDS[name].operands].join(' ');
}

/** A command with its operands and options. Arguments take precedence over environment variables. */
export class Config {
  constructor(command, operands, options, variables, environment) {
    Object.assign(this, { command, operands, options, variables, environment });
    this.isCi = (environment.CI ?? '') !== '';
  }

  has(option) {
    return this.options.has(option);
  }

  value(option) {
    return this.options.get(option);
  }

  /** Whether the option was given as an argument. */
  isArgument(option) {
    return this.has(option) && !this.variables.has(option);
  }

  /** The name under which an option was given, such as --server or STET_SERVER. */
  nameOf(option) {
    return this.variables.has(option) ? variable(option) : `--${option}`;
  }

  required(option) {
    if (!this.has(option)) throw new Refusal(`"${this.command}" needs ${usageOf(option)}`);
    return this.value(option);
  }
}

/** Sentences about environment variables that are named like options but match none. */
export function unknownVariables(environment) {
  const known = ALL.map(variable);
  return Object.keys(environment).filter((name) => name.startsWith('STET_') && !FOREIGN.test(name) && !known.includes(name)).sort().map((name) => {
    const meant = nearest(name, known);
    return `Unknown variable ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  });
}

/** @throws Refusal if the arguments or variables are invalid */
export function parseCommandLine(args, environment) {
  const words = [];
  const given = new Map();
  let help;
  for (let i = 0; i < args.length; i++) {
    const argument = args[i];
    if (argument === '--help' || argument === '-h') help = 'help';
    else if (argument === '--version') help = 'version';
    else if (!argument.startsWith('-') || argument === '-') words.push(argument);
    else if (readOption(argument, args[i + 1] ?? '--', given)) i++;
  }
  if (help !== undefined || words.length === 0) return new Config(help ?? 'help', words, new Map(), new Set(), {});
  const [command, ...operands] = words;
  if (!Object.hasOwn(COMMANDS, command)) {
    const meant = nearest(command, Object.keys(COMMANDS));
    throw new Refusal(`Unknown command "${command}"${meant === undefined ? '; run "help" for a list of commands' : `; did you mean "${meant}"?`}`);
  }
  check(command, operands, given);
  const variables = new Set();
  for (const option of COMMANDS[command].options) {
    const isFlag = OPTIONS[option][0] === null;
    const value = environment[variable(option)] ?? '';
    if (isFlag && !['', 'true', 'false'].includes(value)) throw new Refusal(`${variable(option)} must be true or false, but is "${value}"`);
    const control = UNCHECKED.includes(option) ? null : /\p{Cc}/u.exec(value);
    if (control) {
      const code = control[0].charCodeAt(0);
      throw new Refusal(`${variable(option)} contains the control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`
        + `${code === 10 || code === 13 ? ' (a line break)' : ''}; remove it`);
    }
    if (value !== '' && !(isFlag && value === 'false') && !given.has(option)) {
      given.set(option, value);
      variables.add(option);
    }
  }
  return new Config(command, operands, given, variables, environment);
}

/** Reads `--flag`, `--option=value` or `--option value`. @return whether the next argument is the option's value */
function readOption(argument, next, given) {
  const equals = argument.indexOf('=');
  const word = equals < 0 ? argument : argument.slice(0, equals);
  const option = word.slice(2);
  const isKnown = word.startsWith('--') && ALL.includes(option);
  if (!isKnown) {
    const meant = nearest(word, ALL.filter((each) => !['token', 'admin-password', 'smtp-password'].includes(each)).map((each) => `--${each}`));
    throw new Refusal(`Unknown option ${word}${meant === undefined ? '; "help COMMAND" lists a command\'s options' : `; did you mean ${meant}?`}`);
  }
  if (option === 'token') {
    throw new Refusal(`--token would be visible in the process list; use ${usageOf('token-file')} or the variable STET_TOKEN`);
  }
  const isFlag = OPTIONS[option]?.[0] === null;
  if (isFlag && equals >= 0) throw new Refusal(`${word} takes no value; omit the value`);
  const takesNext = !isFlag && equals < 0;
  const value = isFlag ? 'true' : takesNext ? next : argument.slice(equals + 1);
  if (value === '' || takesNext && next.startsWith('--')) throw new Refusal(`${word} needs a value: ${OPTIONS[option] ? usageOf(option) : word}`);
  if (given.has(option)) throw new Refusal(`${word} was given twice; use it only once`);
  given.set(option, value);
  return takesNext;
}

function check(command, operands, given) {
  for (const option of given.keys()) {
    if (!COMMANDS[command].options.includes(option)) {
      throw new Refusal(`"${command}" has no option --${option}; "help ${command}" lists its options`);
    }
  }
  const wanted = COMMANDS[command].operands;
  if (operands.length < wanted.length && !wanted[operands.length].startsWith('[')) {
    throw new Refusal(`"${command}" needs ${wanted[operands.length]}: ${commandUsage(command)}`);
  }
  if (operands.length > wanted.length && command !== 'help') {
    throw new Refusal(`"${command}" does not accept "${operands[wanted.length]}": ${commandUsage(command)}`);
  }
}

/** Lists all commands, or explains a single one in full. */
export function helpLines(operands) {
  const line = (usage, help) => `    ${usage.padEnd(32)}  ${help}`;
  const names = Object.keys(COMMANDS).filter((name) => operands.length === 0 || operands[0] === name);
  if (names.length === 0) throw new Refusal(`Unknown command "${operands[0]}"; run "help" for a list of commands`);
  if (names.length > 1) {
    return ['stet-cli COMMAND [OPTIONS]', '', ...names.map((name) => line(commandUsage(name), COMMANDS[name].help)), '',
      '"help COMMAND" lists the options of a command. Each option can also be set by an environment variable, such as STET_SERVER for --server.', '',
      'Exit codes: 0 success, 1 rejected or problem found, 2 system error, 4 changes found (--exit-code).'];
  }
  const [name] = names;
  const options = COMMANDS[name].options.filter((each) => !['data', 'account'].includes(each));
  return [`stet-cli ${commandUsage(name)}${options.filter((each) => each !== 'token').map((each) => ` [${usageOf(each)}]`).join('')}`, '',
    `    ${COMMANDS[name].help}`, '', ...options.map((each) => line(each === 'token' ? '' : usageOf(each), `${MEANINGS[name]?.[each] ?? OPTIONS[each][1]}; ${variable(each)}`))];
}
