/** Settings of a command. */
export interface Options {
  /** Environment variables, such as STET_SERVER and STET_TOKEN; by default, those of the process. */
  env?: Record<string, string | undefined>;
  /** The folder to which relative paths refer; by default, the working directory. */
  cwd?: string;
}

/** A command's result. */
export interface Result {
  /** 0 for success, 1 for a refusal or a problem found, 2 for a system error, 4 for changes found with --exit-code. */
  code: number;
  /** Standard output. With --json, one line of JSON: a {@link Plan} from push and promote, a {@link State} from status. */
  out: string;
  /** Messages. With --json, the last line of a failure is an {@link Failure}. */
  err: string;
}

/** Runs a command, such as `stet(['push', 'mails', '--publish', '--json'])`. Never throws for a failed command. */
export function stet(args: string[], options?: Options): Promise<Result>;

/** What a push or promote changes. Fields marked as optional are omitted if they are empty. */
export interface Plan {
  account: string;
  label?: string;
  /** IDs of new templates. */
  created: string[];
  /** IDs of templates with a changed draft. */
  changed: string[];
  /** Number of unchanged templates. */
  unchanged: number;
  /** Names of new or changed shared blocks. */
  blocks: string[];
  /** IDs of templates with a new live version. */
  published: string[];
  conflicts?: Change[];
  overwritten?: Change[];
  pruned?: string[];
  prunedBlocks?: string[];
  prunedReviewLinks?: Record<string, number>;
  variables?: Record<string, { added?: string[]; removed?: string[] }>;
  warnings?: string[];
  /** With --preview, links to the previews, by template ID. */
  previews?: Record<string, string>;
}

/** A change made in Stet since the last push or import. */
export interface Change {
  kind: 'template' | 'block';
  id: string;
  what: 'made' | 'changed' | 'published' | 'rolled-back';
  by: string | null;
  at: string | null;
}

/** An account's digests and the changes made in Stet. */
export interface State {
  account: string;
  label?: string;
  last?: { how: 'seed' | 'import' | 'push' | 'copy'; at: string; by: string | null; note: string };
  templates: Record<string, string>;
  blocks: Record<string, string>;
  changed: Change[];
}

/** What diff --json prints. */
export interface Difference {
  files: { path: string; change: 'added' | 'removed' | 'changed'; lines: string[] }[];
}

/** The last line of err with --json. */
export interface Failure {
  error: string;
  exitCode: number;
}
