// Types of stet.mjs.

export interface StartOptions {
  /** An account's folder, or a folder of several. */
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

export type Plan = 'free' | 'pro' | 'none';

export interface Limits {
  requests?: number | null;
  keys?: number | null;
}

export interface Template {
  name?: string;
  subject?: string;
  html?: string;
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
  plan?: Plan;
  createdAt?: string;
  billingAnchor?: string;
  used?: number;
  limits?: Limits;
  templates?: Record<string, Template>;
  [field: string]: unknown;
}

export interface Account {
  email: string;
  plan: Plan;
  used: number;
  createdAt: string;
  limits: { requests: number; keys: number };
  period: { start: string; end: string };
  keys: unknown[];
  templates: unknown[];
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
  delayMs?: number;
  maxDelayMs?: number;
  seed?: number;
  bytesPerSecond?: number;
  drop?: boolean;
  truncate?: boolean;
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
  time: string;
  method: string;
  path: string;
  template: string | null;
  account: string | null;
  status: number;
  counted: boolean;
  hint: string | null;
  [field: string]: unknown;
}

export declare class StetFixture {
  private constructor();
  static start(options: StartOptions): Promise<StetFixture>;
  readonly url: string;
  readonly baseUrl: string;
  stop(): Promise<void>;
  control(method: string, path: string, body?: object): Promise<any>;
  reset(): Promise<void>;
  clock(account?: string): Promise<Clock>;
  setClock(clock: { now: string; account?: string } | { offset: string; account?: string }): Promise<Clock>;
  advance(by: string, account?: string): Promise<Clock>;
  account(email: string): Promise<Account>;
  addAccount(fields?: NewAccount): Promise<{ email: string; key: string; [field: string]: unknown }>;
  changeAccount(email: string, fields: { plan?: Plan; used?: number; limits?: Limits; [field: string]: unknown }): Promise<Account>;
  putTemplate(email: string, id: string, fields: Template): Promise<WrittenTemplate>;
  deleteTemplate(email: string, id: string): Promise<void>;
  putBlock(email: string, name: string, html: string): Promise<{ name: string }>;
  addFault(fault: Fault): Promise<{ faults: Fault[]; [field: string]: unknown }>;
  faults(): Promise<Fault[]>;
  clearFaults(filters?: { bearer?: string; account?: string; template?: string }): Promise<void>;
  requests(filters?: Filters & { wait?: number; timeoutMs?: number; since?: number }): Promise<RecordedRequest[]>;
  clearRequests(filters?: Filters): Promise<void>;
  verify(expectation?: Expectation): Promise<void>;
}
