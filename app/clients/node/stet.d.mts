// Types of stet.mjs.

export interface StartOptions {
  /** An account's folder, or a folder of several, from the working directory. */
  data: string;
  /** stet.jar; otherwise it is found. */
  jar?: string;
  /** The program java; otherwise it is found. */
  java?: string;
  /** More options of `stet fixture`, such as `['--listen', '127.0.0.1:8081']`. */
  options?: string[];
  /** Time until it must be ready; 30000 unless given. */
  timeoutMs?: number;
}

export interface Clock {
  /** An instant such as `2026-02-01T00:00:00.000Z`. */
  now: string;
  /** A span such as `PT720H`; a stopped clock has none. */
  offset?: string;
}

/** An instant where it stands, one from where it runs, or the span that it runs ahead. */
export type ClockSetting = { now: string } | { from: string } | { offset: string };

export type Plan = 'free' | 'pro' | 'none';

export interface Limits {
  requests?: number | null;
  keys?: number | null;
}

export interface Template {
  name?: string;
  subject?: string;
  html?: string;
  /** Values of the preview, by variable: short for a set of test data named default. */
  samples?: Record<string, string>;
  /** Sets of test data, each a JSON object, by name. */
  sets?: Record<string, object>;
  defaultSamples?: string;
  publish?: boolean;
}

export interface WrittenTemplate {
  id: string;
  published: boolean;
  variables: string[];
  updatedAt: string;
  [field: string]: unknown;
}

export interface NewAccount {
  email?: string;
  /** The key's value; made up unless given. */
  key?: string;
  plan?: Plan;
  createdAt?: string;
  billingAnchor?: string;
  used?: number;
  limits?: Limits;
  /** The html of each shared block, by its name. */
  blocks?: Record<string, string>;
  templates?: Record<string, Template>;
  clock?: ClockSetting;
  [field: string]: unknown;
}

export interface Account {
  email: string;
  plan: Plan;
  used: number;
  createdAt: string;
  limits: { requests: number; keys: number };
  period: { start: string; end: string };
  /** Names of the keys, templates' ids and names of the shared blocks. */
  keys: string[];
  templates: string[];
  blocks: string[];
  [field: string]: unknown;
}

export interface Fault {
  bearer?: string;
  account?: string;
  template?: string;
  times?: number;
  after?: number;
  status?: number;
  error?: string;
  retryAfter?: number;
  headers?: Record<string, string>;
  /** Media type of the body. */
  type?: string;
  body?: string;
  delayMs?: number;
  maxDelayMs?: number;
  seed?: number;
  bytesPerSecond?: number;
  drop?: boolean;
  truncate?: boolean;
  never?: boolean;
  [field: string]: unknown;
}

/** A fault that is left, as it is listed: fields that were not given are null. */
export interface ListedFault {
  id: number;
  kind: 'status' | 'delay' | 'drop' | 'truncate' | 'slow' | 'never';
  /** How many more requests it applies to; null: all until it is deleted. */
  times: number | null;
  /** How many more requests pass first. */
  after: number;
  [field: string]: unknown;
}

export interface Key {
  id: number;
  name: string;
  /** Its first characters. */
  start: string;
  createdAt: string;
  /** When a key that was rotated ends. */
  endsAt: string | null;
}

export interface NewKey {
  name: string;
  key: string;
}

/** A template with its draft, and what is served of it. */
export interface StoredTemplate {
  id: string;
  name: string;
  published: boolean;
  updatedAt: string;
  draft: {
    subject: string;
    html: string;
    samples: Record<string, string>;
    sets: Record<string, object>;
    defaultSamples: string | null;
  };
  /** Null until it is published. */
  served: { subject: string; html: string; variables: string[] } | null;
  [field: string]: unknown;
}

export interface Filters {
  bearer?: string;
  keyName?: string;
  account?: string;
  template?: string;
  status?: number;
  method?: string;
  path?: string;
}

/** Requests that a test expects: at least one, unless it says otherwise. */
export interface Expectation extends Filters {
  times?: number;
  atLeast?: number;
  atMost?: number;
  never?: boolean;
  withinMs?: number;
}

export interface RecordedRequest {
  /** 1, 2, 3 and so on since the start or the last reset. */
  number: number;
  time: string;
  method: string;
  path: string;
  template: string | null;
  account: string | null;
  keyName: string | null;
  /** The first characters of the key. */
  bearer: string | null;
  status: number;
  counted: boolean;
  fault: { id: number; kind: string } | null;
  received: { answer: 'whole' | 'truncated' | 'dropped' | 'never'; bytes: number; of: number; delayMs: number };
  hint: string | null;
  headers: Record<string, string>;
  [field: string]: unknown;
}

export declare class StetFixture {
  private constructor();
  static start(options: StartOptions | string): Promise<StetFixture>;
  readonly url: string;
  readonly baseUrl: string;
  stop(): Promise<void>;
  control(method: string, path: string, body?: object): Promise<any>;
  reset(account?: string): Promise<void>;
  clock(account?: string): Promise<Clock>;
  setClock(clock: ClockSetting & { account?: string }): Promise<Clock>;
  advance(by: string, account?: string): Promise<Clock>;
  advanceToPeriodEnd(account: string): Promise<Clock>;
  restartClock(account?: string): Promise<void>;
  accounts(): Promise<Account[]>;
  account(email: string): Promise<Account>;
  addAccount(fields?: NewAccount): Promise<{ email: string; key: string; [field: string]: unknown }>;
  changeAccount(email: string, fields: { plan?: Plan; used?: number; limits?: Limits; [field: string]: unknown }): Promise<Account>;
  deleteAccount(email: string): Promise<void>;
  keys(email: string): Promise<Key[]>;
  addKey(email: string, fields?: { name?: string; key?: string }): Promise<NewKey>;
  rotateKey(email: string, name: string, fields?: { endsIn?: string; key?: string }): Promise<NewKey>;
  deleteKey(email: string, name: string): Promise<void>;
  template(email: string, id: string): Promise<StoredTemplate>;
  putTemplate(email: string, id: string, fields: Template): Promise<WrittenTemplate>;
  deleteTemplate(email: string, id: string): Promise<void>;
  block(email: string, name: string): Promise<{ name: string; html: string }>;
  putBlock(email: string, name: string, html: string): Promise<{ name: string }>;
  deleteBlock(email: string, name: string): Promise<void>;
  addFault(fault: Fault): Promise<{ id: number; faults: ListedFault[]; hint?: string; [field: string]: unknown }>;
  faults(): Promise<ListedFault[]>;
  deleteFault(id: number): Promise<void>;
  clearFaults(filters?: { bearer?: string; account?: string; template?: string }): Promise<void>;
  requests(filters?: Filters & { wait?: number; timeoutMs?: number; since?: number; limit?: number }): Promise<RecordedRequest[]>;
  clearRequests(filters?: Filters): Promise<void>;
  verify(expectation?: Expectation): Promise<{ verified: boolean; hint?: string }>;
}
