-- All of Stet's data, in one SQLite file. Timestamps ("..._at") are in milliseconds since 1970-01-01T00:00:00Z. Columns "..._by" hold the
-- author's name at the time of the action, such as a user's or "command line"; null means that the author was not recorded, as when an
-- empty database is seeded. Each table lists its keys first, then its contents, authors, times, and state.

-- Lets Stet return free pages to the disk in small steps between writes. Must be set before the first table is created.
pragma auto_vacuum = incremental;

-- An account. A null limit means the plan's limit or, for storage and images, the default limit. A deleted account's name can be reused immediately.
-- Garbage collection removes the account's data in small steps. A suspended account keeps its data, but no member, guest or deploy token
-- can use it, and its keys get 403. "content_revision" increases with every change to the account's templates, drafts, live versions or
-- blocks. "deleted_revision" is the highest revision of any deleted draft or block. New drafts and blocks start with a higher revision, so
-- that an editor still open on a deleted draft or block cannot overwrite a new one with the same ID.
create table accounts (
  id               integer primary key autoincrement,
  name             text    not null collate nocase,
  label            text    not null default '' check (length(label) <= 30), -- such as Production
  colour           text    check (colour in ('red', 'orange', 'green', 'blue', 'purple', 'grey')), -- of the label; null for none
  plan             text    not null check (plan in ('free', 'pro', 'none')),
  billing_anchor   integer check (billing_anchor is not null or plan <> 'pro'), -- null unless the plan is pro
  request_limit    integer check (request_limit >= 0), -- null for the plan's limit
  key_limit        integer check (key_limit >= 0), -- null for the plan's limit
  storage_limit    integer check (storage_limit > 0), -- in bytes; null for the default
  image_limit      integer check (image_limit > 0), -- in bytes, within the storage limit; null for the default
  two_factor       integer not null default 0 check (two_factor in (0, 1)), -- whether two-factor authentication is required
  mail_clients     text    not null default 'apple-mail gmail outlook-com outlook-windows samsung-email yahoo', -- IDs, separated by spaces
  created_at       integer not null,
  suspended_at     integer, -- null while the account is active
  deleted_at       integer, -- null until the account is deleted
  content_revision integer not null default 0,
  deleted_revision integer not null default 0
) strict;
create unique index accounts_name on accounts (name) where deleted_at is null;
create index accounts_deleted on accounts (deleted_at) where deleted_at is not null;

-- A user. A null password disables password sign-in. Administrators manage all accounts. "totp_step" is the time step of the last
-- accepted code (RFC 6238) and prevents the code's reuse. A deleted user's email address can be reused immediately. After a user is
-- removed from the last account, the user's row remains at least until the user's last session ends, so that open pages can explain what
-- happened.
create table users (
  id            integer primary key autoincrement,
  email         text    not null collate nocase,
  name          text    not null default '',
  password      text, -- a salted hash; null disables password sign-in
  administrator integer not null default 0 check (administrator in (0, 1)),
  confirmed     integer not null default 0 check (confirmed in (0, 1)), -- whether the user has shown that the email address is theirs
  account_id    integer, -- the account selected last; new sessions start with it if the user can still use it
  totp_secret   blob, -- null without two-factor authentication
  totp_step     integer not null default 0,
  created_at    integer not null,
  deleted_at    integer -- null until the user is deleted
) strict;
create unique index users_email on users (email) where deleted_at is null;
create index users_deleted on users (deleted_at) where deleted_at is not null;

-- A user's recovery code, stored as its SHA-256. Each recovery code can replace an authenticator app code once.
create table recovery_codes (
  user_id integer not null references users on delete cascade,
  hash    blob    not null check (length(hash) = 32),
  primary key (user_id, hash)
) strict, without rowid;

-- A user's role in an account, and which emails about the account the user receives. Emails only go to confirmed addresses.
create table members (
  account_id integer not null references accounts on delete cascade,
  user_id    integer not null references users on delete cascade,
  role       text    not null check (role in ('writer', 'editor', 'owner')),
  review_mails integer not null default 1 check (review_mails in (0, 1)), -- review requests, for those who may publish
  test_mails integer not null default 0 check (test_mails in (0, 1)), -- tests that other members send
  since      integer not null,
  primary key (account_id, user_id)
) strict, without rowid;
create index members_user on members (user_id);

-- A link made by an owner, by an administrator, on the command line or at its user's own request: an invitation to an account, a password
-- reset, or the confirmation of an email address. Only the SHA-256 of the link's secret is stored. "made_by" is the maker's name at the
-- time. The row is deleted when the link is used or is no longer valid; the row of an expired link stays for some time. An invitation to
-- several accounts has one row per account. A link in an email has a secret of its own, whose SHA-256 is in "mails".
create table links (
  id         integer primary key autoincrement,
  kind       text    not null check (kind in ('invitation', 'reset', 'address')),
  account_id integer references accounts on delete cascade, -- null for a link that is not limited to an account's members
  user_id    integer references users on delete cascade, -- null for an invitation
  hash       blob    not null check (length(hash) = 32),
  role       text    check (role in ('writer', 'editor', 'owner')), -- null unless an invitation
  email      text, -- the address to confirm; null for other links
  note       text    not null default '',
  made_by    text    not null,
  maker_id   integer, -- null for the command line; "user_id" for a link that its user requested
  created_at integer not null,
  expires_at integer not null,
  unique (hash, account_id),
  check ((kind = 'invitation') = (role is not null) and (kind = 'invitation') = (user_id is null) and (kind = 'address') = (email is not null)
    and (kind <> 'invitation' or account_id is not null))
) strict;
create index links_account on links (account_id);
create index links_user on links (user_id);
create index links_expires_at on links (expires_at);

-- An email to one of Stet's own users or to an invited address, in the queue or, for some days, after its end. A reset begins with the
-- address that somebody typed, and is deleted unless it is found to be a user's. The link's secret is made by each attempt to send, so
-- only its SHA-256 is stored. A test's subject and HTML are deleted at the end. An email whose outcome is unknown, because Stet was
-- stopped or the connection lost while sending, is "doubtful" and sent once more at most.
create table mails (
  id          integer primary key autoincrement,
  kind        text    not null check (kind in ('reset', 'reset-link', 'address', 'notice', 'password', 'two-factor', 'invitation', 'review', 'test')),
  account_id  integer references accounts on delete cascade, -- null for an email about the user, not about an account
  user_id     integer references users on delete cascade, -- null for an invitation, and for a reset until its address has been looked up
  sender_id   integer, -- the user who sends a test or requests a review; null for other emails
  address     text    not null collate nocase,
  link_id     integer, -- null without a link
  secret_hash blob    check (length(secret_hash) = 32), -- null before the first attempt, and without a link
  template    text    not null default '', -- a template's ID, or empty
  subject     text, -- null unless an unfinished test
  html        blob, -- null unless an unfinished test
  state       text    not null default 'waiting' check (state in ('waiting', 'sending', 'sent', 'failed', 'dropped')),
  tries       integer not null default 0,
  doubtful    integer not null default 0 check (doubtful in (0, 1)),
  outcome     text    not null default '', -- the mail server's reply, or why the last attempt failed
  created_at  integer not null,
  due_at      integer not null,
  ended_at    integer -- null while waiting or sending
) strict;
create index mails_waiting on mails (due_at) where state in ('waiting', 'sending');
create index mails_account on mails (account_id, kind, created_at);
create index mails_address on mails (address, created_at);
create index mails_created_at on mails (created_at);
create unique index mails_secret_hash on mails (secret_hash) where secret_hash is not null;

-- Whether serve sends emails, as of its last start, so that commands know. The only row.
create table mail_settings (
  id    integer primary key check (id = 1),
  sends integer not null check (sends in (0, 1))
) strict;
insert into mail_settings (id, sends) values (1, 0);

-- A change, refused push, sign-in or failed sign-in. Changes are recorded in the transaction that makes them. "actor" is the author's
-- name at the time; "user_id" is null if the author was not signed in. A null "account_id" means the whole installation:
-- changes to administrators and deletions of accounts. Rows older than 25 months are removed, and so are an account's oldest rows
-- beyond the maximum of their group: 200,000 about content, 50,000 sign-ins, 200,000 of users' own changes, and 200,000 about rights.
create table activity (
  id         integer primary key autoincrement,
  account_id integer references accounts on delete cascade, -- null for the whole installation
  user_id    integer, -- null if the author was not signed in
  actor      text    not null,
  address    text    not null default '',
  kind       text    not null,
  subject    text    not null default '', -- such as a template ID, the name of a block or key, or an email address
  number     integer not null default 0, -- a count (of merged saves, affected items and so on) or the published version's number
  detail     text    not null default '',
  at         integer not null
) strict;
create index activity_account on activity (account_id, id);
create index activity_at on activity (at);

-- An account's webhook. No activity row up to the ID "sent" remains to be sent. "tries" counts failed attempts to send the next message,
-- which is not sent before "due_at". After a test message is requested, "due_at" is the time of that request. "outcome" says why the last
-- attempt failed, or is empty. Quota messages are sent at most once per period and threshold (80% or 100%), and backup messages at most
-- once per series of failures.
create table webhooks (
  account_id       integer primary key references accounts on delete cascade,
  url              text    not null,
  set_by           integer not null, -- a user
  test             integer not null default 0 check (test in (0, 1)), -- whether to send a test message
  quota_period     integer not null default 0,
  quota_percent    integer not null default 0,
  backup_failed_at integer not null default 0,
  outcome          text    not null default '',
  due_at           integer not null default 0,
  tried_at         integer, -- null before the first attempt
  tries            integer not null default 0,
  sent             integer not null
) strict;
create index webhooks_pending on webhooks (account_id) where test = 1 or tries > 0;

-- The look of an account's new emails. No row until somebody has chosen it.
create table brands (
  account_id integer primary key references accounts on delete cascade,
  colour     text    not null check (colour glob '#*' and length(colour) = 7), -- of buttons
  background text    not null check (background glob '#*' and length(background) = 7), -- around the email
  font       text    not null check (font in ('system', 'arial', 'verdana', 'georgia')),
  logo       text    not null default '' check (length(logo) <= 500)
) strict;

-- A secret of an account: an API key, which reads published templates and can write nothing, or a deploy token, which pushes and pulls
-- files and cannot use the API. Only the secret's SHA-256 and first characters are stored. A token with the role writer can push drafts;
-- one with the role editor can also publish, prune and roll back. A rotated key has an expiry time and does not count toward the key limit.
create table secrets (
  id         integer primary key autoincrement,
  account_id integer not null references accounts on delete cascade,
  name       text    not null,
  role       text    check (role in ('writer', 'editor')), -- of a deploy token; null for an API key
  hash       blob    not null unique check (length(hash) = 32),
  start      text    not null,
  created_by text,
  created_at integer not null,
  expires_at integer -- null for a token that does not expire, and for a key until it is rotated
) strict;
create index secrets_account on secrets (account_id);

-- A text: the HTML of a draft, block or version, the bytes of an image, or a preview's email. Rows are added and deleted but never changed, and IDs are never reused. To keep
-- transactions short, an import writes its texts before the transaction that references them, and unreferenced texts are deleted
-- later.
create table texts (
  id         integer primary key autoincrement,
  account_id integer not null,
  html       blob    not null
) strict;

-- Garbage: a text to delete after a given time unless a draft, block, version, image or preview references it by then. Replaced texts are due
-- immediately, and a running import's texts after one day.
create table garbage (
  after integer not null,
  text  integer not null,
  primary key (after, text)
) strict, without rowid;

-- A template: its name, its draft, and the number of its live version (null if never published). "requested_at", "requested_by" and
-- "request_note" hold an open request to publish the draft. Users' names are stored as they were at the time of the action. "revision"
-- increases with each save of the draft or its test data. "sha256" covers the draft's subject, a NUL and the draft's HTML. A deleted
-- template can be restored from the trash for 30 days, during which its ID stays in use. Once "removed_at" is set, the template is
-- permanently deleted: its ID can be reused, and garbage collection removes the template and its versions in small steps.
create table templates (
  row           integer primary key autoincrement,
  account_id    integer not null references accounts on delete cascade,
  id            text    not null,
  name          text    not null,
  subject       text    not null,
  text          integer not null references texts,
  tags          text    not null default '', -- one per line, sorted
  named_by      text, -- null if never renamed
  saved_by      text,
  requested_by  text, -- null without an open request
  request_note  text, -- null without an open request
  deleted_by    text, -- null outside the trash
  created_at    integer not null,
  updated_at    integer not null,
  named_at      integer, -- null if never renamed
  saved_at      integer not null, -- of the draft
  requested_at  integer, -- of the open request; null without one
  deleted_at    integer, -- null outside the trash
  removed_at    integer check (removed_at is null or deleted_at is not null), -- null until deleted permanently
  name_revision integer not null default 1, -- increases with each new name, so that concurrent renames are detected
  revision      integer not null,
  sha256        blob    not null check (length(sha256) = 32),
  published     integer -- the number of the live version; null if never published
) strict;
create index templates_account on templates (account_id, id);
create unique index templates_id on templates (account_id, id) where removed_at is null;
create index templates_deleted on templates (deleted_at) where deleted_at is not null and removed_at is null;
create index templates_removed on templates (removed_at) where removed_at is not null;
create index templates_text on templates (text);

-- A set of test data for a template's previews: a JSON document, stored exactly as its author wrote it. One set per template is
-- the default.
create table samples (
  template   integer not null references templates on delete cascade,
  name       text    not null,
  document   text    not null,
  is_default integer not null check (is_default in (0, 1)),
  sha256     blob    not null check (length(sha256) = 32), -- of the document
  primary key (template, name)
) strict;

-- An HTML or CSS feature that a template may use even though some mail clients do not support it. "feature" is its ID in
-- app/caniemail.
create table accepted_features (
  template integer not null references templates on delete cascade,
  feature  text    not null,
  by       text,
  at       integer not null,
  primary key (template, feature)
) strict, without rowid;

-- A version: the published subject, HTML and variables, and the draft they were made from. Rows are never changed. "sha256"
-- covers the HTML, "draft_sha256" the draft, and "row_sha256" the whole version, including its blocks.
create table versions (
  template     integer not null references templates on delete cascade,
  number       integer not null,
  subject      text    not null,
  text         integer not null references texts,
  variables    text    not null, -- one per line
  draft_text   integer not null references texts,
  note         text    not null,
  published_by text,
  published_at integer not null,
  sha256       blob    not null check (length(sha256) = 32),
  draft_sha256 blob    not null check (length(draft_sha256) = 32),
  row_sha256   blob    not null check (length(row_sha256) = 32),
  primary key (template, number)
) strict;
create index versions_text on versions (text);
create index versions_draft_text on versions (draft_text);

-- A link that lets a guest read a template's draft or one of its versions without an account. Only the SHA-256 of the link's secret is
-- stored. The row is deleted when the link is revoked, some time after it has expired, when the version or the template is deleted, or
-- when the maker's membership ends.
create table review_links (
  id         integer primary key autoincrement,
  account_id integer not null,
  template   integer not null references templates on delete cascade,
  number     integer, -- null for the draft
  hash       blob    not null unique check (length(hash) = 32),
  maker_id   integer not null,
  made_by    text    not null,
  created_at integer not null,
  expires_at integer not null,
  foreign key (account_id, maker_id) references members on delete cascade,
  foreign key (template, number) references versions on delete cascade
) strict;
create index review_links_maker on review_links (account_id, maker_id);
create index review_links_template on review_links (template, number);
create index review_links_expires_at on review_links (expires_at);
create trigger review_links_template after update of deleted_at on templates when new.deleted_at is not null begin
  delete from review_links where template = new.row; end;

-- A preview: an email of a folder, or an image in such emails, as "push --preview" found it. "name" names the push, such as pr-17; "item" is
-- a template's ID, whether or not the account has that template, or an image's full name. An email's text is JSON with its name, its
-- subject, its HTML with the shared blocks, and its test data; an image's text is its file. Nothing in the account changes a preview, except
-- that an unchanged image of the account can be deleted.
-- "secret" opens the email's link. It is stored as it is, because the next push under the same name prints the same link, and because it
-- opens nothing but this row. The row is deleted with its name, and some time after it has expired.
create table push_previews (
  account_id integer not null references accounts on delete cascade,
  name       text    not null,
  item       text    not null,
  text       integer not null references texts,
  secret     text    unique check ((secret is null) = (instr(item, '/') > 0)), -- null for an image
  made_by    text    not null,
  expires_at integer not null,
  sha256     blob    not null check (length(sha256) = 32), -- of the text
  primary key (account_id, name, item)
) strict;
create index push_previews_text on push_previews (text);
create index push_previews_images on push_previews (sha256) where instr(item, '/') > 0;
create index push_previews_expires_at on push_previews (expires_at);
create trigger push_previews_replaced after update of text on push_previews when new.text <> old.text begin
  insert into garbage (after, text) select 0, old.text where not exists (select 1 from garbage where after = 0 and text = old.text); end;
create trigger push_previews_deleted after delete on push_previews begin
  insert into garbage (after, text) select 0, old.text where not exists (select 1 from garbage where after = 0 and text = old.text); end;

-- A comment or reply on a draft or version, written by a member or by a guest with a review link. A guest's name is unverified.
-- "quote" is the preview text that the comment is about, or empty. On the draft, "place" and "place_end" are the range of its source
-- in the draft's HTML, in UTF-16 code units, or null if there is none, as in a shared block; each save moves the range along. "lost"
-- is 1 if the range could not be found again.
create table comments (
  id          integer primary key autoincrement,
  account_id  integer not null,
  template    integer not null references templates on delete cascade,
  number      integer, -- null for the draft
  reply_to    integer references comments on delete cascade, -- the comment that is replied to; null if this is not a reply
  review_link integer, -- ID of the guest's link, which may no longer exist; null for a member
  by_guest    integer not null check (by_guest in (0, 1)),
  written_by  text    not null,
  quote       text    not null,
  text        text    not null,
  place       integer, -- in UTF-16 code units; null without a place
  place_end   integer, -- null without a place
  resolved_by text, -- null while open
  written_at  integer not null,
  resolved_at integer, -- null while open
  lost        integer not null default 0 check (lost in (0, 1)),
  foreign key (template, number) references versions on delete cascade
) strict;
create index comments_template on comments (template, number);
create index comments_reply_to on comments (reply_to);

-- A shared block or image in a version, with the SHA-256 of its text or bytes in that version. Used to find live versions with an
-- outdated block, and images that must be kept.
create table version_blocks (
  template integer not null,
  number   integer not null,
  block    text    not null,
  sha256   blob    not null,
  primary key (template, number, block),
  foreign key (template, number) references versions on delete cascade
) strict, without rowid;
create index version_blocks_images on version_blocks (sha256) where instr(block, '/') > 0;

-- The number of bytes that an account stores: its texts, test data and comments, and its versions' subjects, variables, notes and
-- lists of blocks. Triggers update the number in the same transaction as each change. Garbage counts until it is deleted.
create table storage (
  account_id integer primary key references accounts on delete cascade,
  bytes      integer not null default 0
) strict;

-- The default storage limit per account, set whenever serve starts; 1 GiB unless configured.
create table storage_default (
  bytes integer not null check (bytes > 0)
) strict;
insert into storage_default values (1073741824);

-- A shared block: HTML that drafts and other blocks include with {{> name}}. An image is a shared block whose content is a file and whose
-- name is its path, such as images/logo.png. Publishing expands it to the image's address.
create table blocks (
  account_id integer not null references accounts on delete cascade,
  name       text    not null,
  kind       text    not null default 'html' check (kind = iif(instr(name, '/') > 0, 'image', 'html')),
  text       integer not null references texts,
  saved_by   text,
  updated_at integer not null,
  revision   integer not null,
  sha256     blob    not null check (length(sha256) = 32),
  primary key (account_id, name)
) strict;
create index blocks_text on blocks (text);

-- An image's file, which was accepted once and never changes. Its address contains its SHA-256. Replacing or deleting the shared block
-- that names it keeps the file, because versions and sent emails use its address, until an owner deletes it.
create table images (
  account_id integer not null references accounts on delete cascade,
  sha256     blob    not null check (length(sha256) = 32),
  text       integer not null references texts,
  type       text    not null check (type in ('png', 'jpg', 'gif')),
  bytes      integer not null,
  width      integer not null,
  height     integer not null,
  last_name  text    not null, -- the name it was added under last
  added_at   integer not null,
  added_by   text,
  primary key (account_id, sha256)
) strict;
create index images_sha256 on images (sha256);
create index images_text on images (text);

-- The number of requests for an image's address per day (days since 1970-01-01), in all accounts that have the image. Written every few
-- seconds; a crash may lose the latest. Rows older than 62 days are removed.
create table image_requests (
  sha256   blob    not null,
  day      integer not null,
  requests integer not null,
  primary key (sha256, day)
) strict, without rowid;
create index image_requests_day on image_requests (day);

-- The start of image addresses and the default limit of image files per account, set whenever serve starts.
create table image_settings (
  url   text    not null,
  bytes integer not null check (bytes > 0)
) strict;
insert into image_settings values ('http://127.0.0.1:8080/images', 209715200);

-- The inclusion of a shared block in a draft or block. The rows are updated when the draft or block that includes it is saved or deleted.
-- The included block need not exist.
create table includes (
  account_id integer not null references accounts on delete cascade,
  kind       text    not null check (kind in ('template', 'block')),
  includer   text    not null,
  block      text    not null,
  primary key (account_id, kind, includer, block)
) strict, without rowid;
create index includes_block on includes (account_id, block);

-- The origin of a template or shared block: the digests of its files and of their draft at the last seed, import, push or copy, and the
-- draft digest of the last live version that the files' author knows ("live_sha256", null if there is none, or once another version is
-- published in Stet). Comparing these digests with the current ones shows whether the template or block has changed since. Templates and blocks created in Stet have no row.
-- The row is deleted when its block is deleted, or when its template is permanently deleted or pruned by a push. While "rolled_back" is 1,
-- a push of the same draft does not undo the rollback.
create table sources (
  account_id   integer not null references accounts on delete cascade,
  kind         text    not null check (kind in ('template', 'block')),
  id           text    not null,
  how          text    not null check (how in ('seed', 'import', 'push', 'copy')),
  by           text,
  note         text    not null default '',
  at           integer not null,
  sha256       blob    not null check (length(sha256) = 32),
  draft_sha256 blob    check (length(draft_sha256) = 32), -- null for a block
  live_sha256  blob    check (length(live_sha256) = 32),
  rolled_back  integer not null default 0 check (rolled_back in (0, 1)), -- 1 while the live version was made by the rollback command
  primary key (account_id, kind, id)
) strict, without rowid;
create trigger sources_template after update of removed_at on templates when new.removed_at is not null begin
  delete from sources where account_id = new.account_id and kind = 'template' and id = new.id; end;
create trigger sources_block after delete on blocks begin
  delete from sources where account_id = old.account_id and kind = 'block' and id = old.name; end;

-- The number of counted requests per account, plan and period. A switch to Pro deletes the new period's row.
create table usage (
  account_id   integer not null references accounts on delete cascade,
  plan         text    not null,
  period_start integer not null,
  used         integer not null,
  primary key (account_id, plan, period_start)
) strict, without rowid;

-- A web application session and its selected account. "hash" is the SHA-256 of the cookie's value.
create table sessions (
  id         integer primary key autoincrement,
  user_id    integer not null references users on delete cascade,
  account_id integer, -- the selected account; null if there is none
  hash       blob    not null unique check (length(hash) = 32),
  browser    text    not null default '', -- from the User-Agent header
  address    text    not null default '',
  source     text    not null default 'password' check (source in ('password', 'header')), -- how the user signed in
  created_at integer not null,
  seen_at    integer not null
) strict;
create index sessions_user on sessions (user_id);
create index sessions_seen_at on sessions (seen_at);

-- Usage statistics: counted requests per day (days since 1970-01-01). The statistics are written every few seconds, so a crash
-- may lose the latest statistics but never a request count. Unknown templates are counted together under ''. "missed" is 1 for
-- 404 responses. Rows older than 25 months are removed.
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

-- The time of an API key's last counted request, written together with the statistics so that finding this time does not require a
-- search of the statistics, or of a deploy token's last use, to the minute. A table of its own, because each change to a key
-- invalidates caches.
create table secret_uses (
  secret_id integer primary key references secrets on delete cascade,
  last_at   integer not null
) strict;

-- The time of a template's last counted request and the key used, which may since have been deleted.
create table template_uses (
  template integer primary key references templates on delete cascade,
  key_id   integer not null,
  last_at  integer not null
) strict;

-- The number and latest time of an account's recent 403, 404 and 429 responses, per key, template and status.
create table misses (
  account_id integer not null references accounts on delete cascade,
  status     integer not null,
  key_id     integer not null,
  template   text    not null,
  at         integer not null,
  times      integer not null,
  primary key (account_id, status, key_id, template)
) strict, without rowid;

-- A count of changes to accounts, API keys and templates. After such a change by another process, serve must renew its caches of keys,
-- plans, limits and served versions. Other writes, such as an import's texts, do not invalidate the caches.
create table changes (
  number integer not null
) strict;
insert into changes values (0);
create trigger accounts_insert after insert on accounts begin update changes set number = number + 1; end;
create trigger accounts_update after update on accounts begin update changes set number = number + 1; end;
create trigger accounts_delete after delete on accounts begin update changes set number = number + 1; end;
create trigger secrets_insert after insert on secrets when new.role is null begin update changes set number = number + 1; end;
create trigger secrets_update after update on secrets when new.role is null begin update changes set number = number + 1; end;
create trigger secrets_delete after delete on secrets when old.role is null begin update changes set number = number + 1; end;
create trigger templates_insert after insert on templates begin update changes set number = number + 1; end;
create trigger templates_update after update on templates begin update changes set number = number + 1; end;
create trigger templates_name after update of name on templates when new.name <> old.name begin
  update templates set name_revision = name_revision + 1 where row = new.row; end;
create trigger templates_delete after delete on templates
  when old.deleted_at is null and (select deleted_at from accounts where id = old.account_id) is null begin update changes set number = number + 1; end;

create trigger storage_account after insert on accounts begin insert or ignore into storage (account_id) values (new.id); end;
create trigger storage_text after insert on texts begin
  update storage set bytes = bytes + length(new.html) where account_id = new.account_id; end;
create trigger storage_text_deleted after delete on texts begin
  update storage set bytes = bytes - length(old.html) where account_id = old.account_id; end;
create trigger storage_sample after insert on samples begin
  update storage set bytes = bytes + octet_length(new.document)
  where account_id = (select account_id from templates where row = new.template); end;
create trigger storage_sample_changed after update of document on samples begin
  update storage set bytes = bytes - octet_length(old.document) + octet_length(new.document)
  where account_id = (select account_id from templates where row = new.template); end;
create trigger storage_sample_deleted after delete on samples begin
  update storage set bytes = bytes - octet_length(old.document)
  where account_id = (select account_id from templates where row = old.template); end;
create trigger storage_version after insert on versions begin
  update storage set bytes = bytes + octet_length(new.subject) + octet_length(new.variables) + octet_length(new.note)
  where account_id = (select account_id from templates where row = new.template); end;
create trigger storage_version_deleted after delete on versions begin
  update storage set bytes = bytes - octet_length(old.subject) - octet_length(old.variables) - octet_length(old.note)
  where account_id = (select account_id from templates where row = old.template); end;
create trigger storage_block after insert on version_blocks begin
  update storage set bytes = bytes + octet_length(new.block) + length(new.sha256)
  where account_id = (select account_id from templates where row = new.template); end;
create trigger storage_block_deleted after delete on version_blocks begin
  update storage set bytes = bytes - octet_length(old.block) - length(old.sha256)
  where account_id = (select account_id from templates where row = old.template); end;
create trigger storage_comment after insert on comments begin
  update storage set bytes = bytes + octet_length(new.written_by) + octet_length(new.quote) + octet_length(new.text)
  where account_id = new.account_id; end;
create trigger storage_comment_deleted after delete on comments begin
  update storage set bytes = bytes - octet_length(old.written_by) - octet_length(old.quote) - octet_length(old.text)
  where account_id = old.account_id; end;

-- The progress of data retention. The age of data is measured from the horizon, a timestamp that lags behind the clock.
create table retention (
  horizon   integer not null,
  marked_at integer not null
) strict;
insert into retention values (0, 0);

-- A random number that identifies the database to which a write-ahead log belongs. It changes whenever serve starts, and in each
-- backup and restore.
create table opened (
  number integer not null
) strict;
insert into opened values (0);

pragma application_id = 1400137076;
pragma user_version = 11;
