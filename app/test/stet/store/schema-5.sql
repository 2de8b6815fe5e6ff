-- Stet keeps everything in this one SQLite file. Instants are milliseconds since 1970-01-01T00:00:00Z.

-- An account: who signs in, who pays, whose templates they are. An own limit of null means the plan's.
-- The deleted revision is the highest that a deleted draft or block had: a new one of the same id begins above it, so
-- that an editor left open on the old one cannot overwrite it unnoticed.
create table accounts (
  id               integer primary key,
  email            text    not null unique collate nocase,
  password         text,
  plan             text    not null check (plan in ('free', 'pro', 'none')),
  created_at       integer not null,
  billing_anchor   integer check (billing_anchor is not null or plan <> 'pro'),
  request_limit    integer check (request_limit >= 0),
  key_limit        integer check (key_limit >= 0),
  deleted_revision integer not null default 0
) strict;

-- An API key: only its SHA-256 and its first characters are here, the key itself is nowhere. One that was rotated
-- has an end, and counts no more for the plan's number of keys.
create table api_keys (
  id         integer primary key autoincrement,
  account_id integer not null references accounts on delete cascade,
  name       text    not null,
  hash       blob    not null unique check (length(hash) = 32),
  start      text    not null,
  created_at integer not null,
  expires_at integer
) strict;
create index api_keys_account on api_keys (account_id);

-- A template: its live name, its draft, and the number of the version that is served (null: never published).
-- The revision grows with the saves of the draft; the SHA-256 is of its subject, a NUL and its html.
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

-- The durable count: one row an account, plan and period. A new period is a new row; nothing is ever reset.
create table usage (
  id           integer primary key,
  account_id   integer not null references accounts on delete cascade,
  plan         text    not null,
  period_start integer not null,
  used         integer not null,
  counted_at   integer not null,
  unique (account_id, plan, period_start)
) strict;

-- What was counted since, to be added to that: one row a count and transaction, at the end of the table, where many rows
-- are one page to write. It is added up in usage every some thousand rows, and before a row there is deleted, whose id
-- another one may get; a reference would have each row looked up when it is written, and deleted by itself.
create table usage_log (
  id         integer primary key,
  usage_id   integer not null,
  used       integer not null,
  counted_at integer not null
) strict;

-- Who is signed in to the web application: the SHA-256 of the cookie's value.
create table sessions (
  hash       blob    not null primary key check (length(hash) = 32),
  account_id integer not null references accounts on delete cascade,
  created_at integer not null,
  seen_at    integer not null
) strict;
create index sessions_account on sessions (account_id);

-- What the counted requests of a day were (days since 1970-01-01), for people to look at. Written every few seconds: a
-- kill may lose the last of it, never of the count itself. Unknown templates are all under ''.
create table requests (
  account_id   integer not null references accounts on delete cascade,
  period_start integer not null,
  day          integer not null,
  key_id       integer not null,
  template     text    not null,
  missed       integer not null check (missed in (0, 1)),
  requests     integer not null,
  last_at      integer not null,
  primary key (account_id, period_start, day, key_id, template, missed)
) strict, without rowid;

-- The last requests of an account that were missed (404) or refused (429).
create table misses (
  id         integer primary key,
  account_id integer not null references accounts on delete cascade,
  at         integer not null,
  key_id     integer not null,
  template   text    not null,
  status     integer not null
) strict;
create index misses_account on misses (account_id, id);

pragma application_id = 1400137076;
pragma user_version = 5;
