-- Stet keeps everything in this one SQLite file. Instants are milliseconds since 1970-01-01T00:00:00Z.

-- An account: who signs in, who pays, whose templates they are. An own limit of null means the plan's.
create table accounts (
  id             integer primary key,
  email          text    not null unique collate nocase,
  password       text,
  plan           text    not null check (plan in ('free', 'pro', 'none')),
  created_at     integer not null,
  billing_anchor integer check (billing_anchor is not null or plan <> 'pro'),
  request_limit  integer check (request_limit >= 0),
  key_limit      integer check (key_limit >= 0)
) strict;

-- An API key: only its SHA-256 and its first characters are here, the key itself is nowhere.
create table api_keys (
  id         integer primary key autoincrement,
  account_id integer not null references accounts on delete cascade,
  name       text    not null,
  hash       blob    not null unique check (length(hash) = 32),
  start      text    not null,
  created_at integer not null
) strict;
create index api_keys_account on api_keys (account_id);

-- A template: its live name, its draft, and the number of the version that is served (null: never published).
-- The revision counts the saves of the draft; the SHA-256 is of its subject, a NUL and its html.
create table templates (
  row        integer primary key,
  account_id integer not null references accounts on delete cascade,
  id         text    not null,
  name       text    not null,
  created_at integer not null,
  updated_at integer not null,
  published  integer,
  revision   integer not null,
  sha256     blob    not null check (length(sha256) = 32),
  subject    text    not null,
  html       blob    not null,
  unique (account_id, id)
) strict;

-- What the preview of a template fills in for a variable.
create table samples (
  template integer not null references templates on delete cascade,
  variable text    not null,
  value    text    not null,
  primary key (template, variable)
) strict, without rowid;

-- A version: what one publishing froze, and the draft it was made of. Rows are added, never changed.
create table versions (
  template      integer not null references templates on delete cascade,
  number        integer not null,
  published_at  integer not null,
  note          text    not null,
  sha256        blob    not null check (length(sha256) = 32),
  draft_sha256  blob    not null check (length(draft_sha256) = 32),
  variables     text    not null,  -- one a line
  subject       text    not null,
  html          blob    not null,
  draft_html    blob    not null,
  primary key (template, number)
) strict;

-- The text of each shared block as a version took it in, for the question which live versions carry an older one.
create table version_blocks (
  template integer not null,
  number   integer not null,
  block    text    not null,
  sha256   blob    not null,
  primary key (template, number, block),
  foreign key (template, number) references versions on delete cascade
) strict, without rowid;

-- A shared block: html that drafts and other blocks include as {{> name}}.
create table blocks (
  account_id integer not null references accounts on delete cascade,
  name       text    not null,
  updated_at integer not null,
  revision   integer not null,
  sha256     blob    not null check (length(sha256) = 32),
  html       blob    not null,
  primary key (account_id, name)
) strict;

-- Which draft or block includes which block, kept on each save; the block need not exist yet.
create table includes (
  account_id integer not null references accounts on delete cascade,
  kind       text    not null check (kind in ('template', 'block')),
  includer   text    not null,
  block      text    not null,
  primary key (account_id, kind, includer, block)
) strict, without rowid;
create index includes_block on includes (account_id, block);

-- The durable count: one row an account and period. A new period is a new row; nothing is ever reset.
create table usage (
  account_id   integer not null references accounts on delete cascade,
  plan         text    not null,
  period_start integer not null,
  used         integer not null,
  counted_at   integer not null,
  primary key (account_id, plan, period_start)
) strict, without rowid;

pragma application_id = 1400137076;
pragma user_version = 1;
