package stet.store;

import java.util.List;

/** The steps from one version of schema.sql to the next. */
final class MigrationSteps {
    private MigrationSteps() {
    }

    /** Each is one transaction with its version, and is never changed. The first one leads from the first release's version. */
    static final List<String> ALL = List.of(
            // 5 to 6: html moves to a table of its own, and triggers count changes
            """
            alter table usage drop column counted_at;
            alter table usage_log drop column counted_at;
            create table texts (
              id         integer primary key autoincrement,
              account_id integer not null,
              html       blob    not null
            ) strict;
            create table garbage (
              after integer not null,
              text  integer not null,
              primary key (after, text)
            ) strict, without rowid;

            create temp table base as select
              (select coalesce(max(row), 0) from templates) as drafts,
              (select coalesce(max(rowid), 0) from versions) as versions;
            insert into texts (id, account_id, html)
            select row, account_id, html from templates
            order by row;
            insert into texts (id, account_id, html)
            select drafts + 2 * v.rowid, t.account_id, v.draft_html
            from base, versions v join templates t on t.row = v.template
            where v.draft_html <> t.html;
            insert into texts (id, account_id, html)
            select drafts + 2 * v.rowid + 1, t.account_id, v.html
            from base, versions v join templates t on t.row = v.template
            where v.html <> t.html and v.html <> v.draft_html;
            insert into texts (id, account_id, html)
            select drafts + 2 * versions + 1 + b.rowid, b.account_id, b.html
            from base, blocks b;

            create table new_accounts (
              id               integer primary key autoincrement,
              email            text    unique collate nocase,
              password         text,
              plan             text    not null check (plan in ('free', 'pro', 'none')),
              created_at       integer not null,
              billing_anchor   integer check (billing_anchor is not null or plan <> 'pro'),
              request_limit    integer check (request_limit >= 0),
              key_limit        integer check (key_limit >= 0),
              deleted_revision integer not null default 0,
              content_revision integer not null default 0
            ) strict;
            insert into new_accounts
            select id, email, password, plan, created_at, billing_anchor, request_limit, key_limit, deleted_revision, 0
            from accounts;

            create table new_templates (
              row        integer primary key,
              account_id integer references accounts on delete cascade,
              id         text    not null,
              name       text    not null,
              created_at integer not null,
              updated_at integer not null,
              published  integer,
              revision   integer not null,
              sha256     blob    not null check (length(sha256) = 32),
              subject    text    not null,
              text       integer not null references texts,
              unique (account_id, id)
            ) strict;
            insert into new_templates
            select row, account_id, id, name, created_at, updated_at, published, revision, sha256, subject, row from templates;

            create table new_versions (
              template      integer not null references templates on delete cascade,
              number        integer not null,
              published_at  integer not null,
              note          text    not null,
              sha256        blob    not null check (length(sha256) = 32),
              draft_sha256  blob    not null check (length(draft_sha256) = 32),
              variables     text    not null,
              subject       text    not null,
              text          integer not null references texts,
              draft_text    integer not null references texts,
              primary key (template, number)
            ) strict;
            insert into new_versions
            select v.template, v.number, v.published_at, v.note, v.sha256, v.draft_sha256, v.variables, v.subject,
              case
                when v.html = t.html then t.row
                when v.html = v.draft_html then drafts + 2 * v.rowid
                else drafts + 2 * v.rowid + 1
              end,
              case when v.draft_html = t.html then t.row else drafts + 2 * v.rowid end
            from base, versions v join templates t on t.row = v.template
            order by v.rowid;

            create table new_blocks (
              account_id integer not null references accounts on delete cascade,
              name       text    not null,
              updated_at integer not null,
              revision   integer not null,
              sha256     blob    not null check (length(sha256) = 32),
              text       integer not null references texts,
              primary key (account_id, name)
            ) strict;
            insert into new_blocks
            select b.account_id, b.name, b.updated_at, b.revision, b.sha256, drafts + 2 * versions + 1 + b.rowid
            from base, blocks b;

            drop table base;
            drop table versions;
            drop table templates;
            drop table blocks;
            drop table accounts;
            alter table new_accounts rename to accounts;
            alter table new_templates rename to templates;
            alter table new_versions rename to versions;
            alter table new_blocks rename to blocks;
            create index templates_text on templates (text);
            create index versions_text on versions (text);
            create index versions_draft_text on versions (draft_text);
            create index blocks_text on blocks (text);
            create table changes (
              number integer not null
            ) strict;
            insert into changes values (0);
            create trigger accounts_insert after insert on accounts begin update changes set number = number + 1; end;
            create trigger accounts_update after update on accounts begin update changes set number = number + 1; end;
            create trigger accounts_delete after delete on accounts begin update changes set number = number + 1; end;
            create trigger api_keys_insert after insert on api_keys begin update changes set number = number + 1; end;
            create trigger api_keys_update after update on api_keys begin update changes set number = number + 1; end;
            create trigger api_keys_delete after delete on api_keys begin update changes set number = number + 1; end;
            create trigger templates_insert after insert on templates begin update changes set number = number + 1; end;
            create trigger templates_update after update on templates begin update changes set number = number + 1; end;
            create trigger templates_delete after delete on templates
              when (select email from accounts where id = old.account_id) is not null
              begin update changes set number = number + 1; end;
            create trigger usage_update after update on usage begin update changes set number = number + 1; end;
            create trigger usage_delete after delete on usage begin update changes set number = number + 1; end;
            """,

            // 6 to 7: a number that tells which database a write-ahead log belongs to; the last requests of keys and templates
            """
            create table opened (
              number integer not null
            ) strict;
            insert into opened values (0);
            create table key_uses (
              key_id  integer primary key references api_keys on delete cascade,
              last_at integer not null
            ) strict;
            insert into key_uses (key_id, last_at)
            select k.id, max(r.last_at)
            from requests r join api_keys k on k.account_id = r.account_id and k.id = r.key_id
            group by k.id;
            create table template_uses (
              template integer primary key references templates on delete cascade,
              key_id   integer not null,
              last_at  integer not null
            ) strict;
            insert into template_uses (template, key_id, last_at)
            select t.row, r.key_id, max(r.last_at) -- the key of the row that has the maximum
            from requests r join templates t on t.account_id = r.account_id and t.id = r.template
            group by t.row;
            """,

            // 7 to 8: people are not accounts any more; an account's email and password become its owner's
            """
            alter table accounts rename column email to name;
            alter table accounts add column suspended_at integer;
            alter table accounts add column second_factor integer not null default 0 check (second_factor in (0, 1));
            alter table api_keys add column created_by text;
            alter table templates add column saved_at integer;
            alter table templates add column saved_by text;
            alter table templates add column requested_at integer;
            alter table templates add column requested_by text;
            alter table templates add column request_note text;
            alter table versions add column published_by text;
            alter table blocks add column saved_by text;
            create table people (
              id          integer primary key autoincrement,
              email       text    not null unique collate nocase,
              name        text    not null default '',
              password    text,
              operator    integer not null default 0 check (operator in (0, 1)),
              created_at  integer not null,
              totp_secret blob,
              totp_step   integer not null default 0
            ) strict;
            create table recovery_codes (
              person_id integer not null references people on delete cascade,
              hash      blob    not null check (length(hash) = 32),
              primary key (person_id, hash)
            ) strict, without rowid;
            create table members (
              account_id integer not null references accounts on delete cascade,
              person_id  integer not null references people on delete cascade,
              role       text    not null check (role in ('writer', 'editor', 'owner')),
              since      integer not null,
              primary key (account_id, person_id)
            ) strict, without rowid;
            create table links (
              id         integer primary key autoincrement,
              hash       blob    not null unique check (length(hash) = 32),
              account_id integer references accounts on delete cascade,
              person_id  integer references people on delete cascade,
              role       text    check (role in ('writer', 'editor', 'owner')),
              note       text    not null default '',
              maker_id   integer,
              made_by    text    not null,
              created_at integer not null,
              expires_at integer not null,
              check ((role is null) <> (person_id is null) and (role is null or account_id is not null))
            ) strict;
            create table activity (
              id         integer primary key autoincrement,
              account_id integer references accounts on delete cascade,
              at         integer not null,
              person_id  integer,
              actor      text    not null,
              address    text    not null default '',
              kind       text    not null,
              subject    text    not null default '',
              detail     text    not null default ''
            ) strict;
            create index texts_account on texts (account_id, length(html));
            create index members_person on members (person_id);
            create index links_account on links (account_id);
            create index links_person on links (person_id);
            create index links_expires_at on links (expires_at);
            create index activity_account on activity (account_id, id);
            create index activity_at on activity (at);
            alter table misses rename to old_misses;
            create table misses (
              account_id integer not null references accounts on delete cascade,
              status     integer not null,
              key_id     integer not null,
              template   text    not null,
              at         integer not null,
              times      integer not null,
              primary key (account_id, status, key_id, template)
            ) strict, without rowid;
            insert into misses (account_id, status, key_id, template, at, times)
            select account_id, status, key_id, template, max(at), count(*) from old_misses
            group by account_id, status, key_id, template;
            drop table old_misses;
            insert into people (id, email, password, created_at)
            select id, name, password, created_at from accounts
            where name is not null;
            insert into members (account_id, person_id, role, since)
            select id, id, 'owner', created_at from accounts
            where name is not null;
            alter table accounts drop column password;
            alter table sessions rename to old_sessions;
            create table sessions (
              id         integer primary key autoincrement,
              hash       blob    not null unique check (length(hash) = 32),
              person_id  integer not null references people on delete cascade,
              account_id integer,
              created_at integer not null,
              seen_at    integer not null,
              browser    text    not null default '',
              address    text    not null default '',
              source     text    not null default 'password' check (source in ('password', 'header'))
            ) strict;
            insert into sessions (hash, person_id, account_id, created_at, seen_at)
            select hash, account_id, account_id, created_at, seen_at from old_sessions
            where account_id in (select id from people);
            drop table old_sessions;
            create index sessions_person on sessions (person_id);
            """,

            // 8 to 9: test data is sets of JSON documents, of which the samples of single variables become one; tags; and the
            // trash, where a deleted template is until it is removed
            """
            alter table samples rename to old_samples;
            create table samples (
              template   integer not null references templates on delete cascade,
              name       text    not null,
              document   text    not null,
              is_default integer not null check (is_default in (0, 1)),
              primary key (template, name)
            ) strict;
            insert into samples (template, name, document, is_default)
            select template, 'default', json_pretty(json_group_object(variable, json(case
              when value in ('true', 'false', '0') then value
              when value in ('', 'null') then 'null'
              when substr(value, 1, 1) in ('[', '{') and json_valid(value) then value
              else json_quote(value)
            end) order by variable), '  ') || char(10), 1
            from old_samples
            group by template;
            drop table old_samples;
            alter table templates add column tags text not null default '';
            create table trash (
              template   integer primary key references templates on delete cascade,
              account_id integer references accounts on delete cascade,
              id         text    not null,
              deleted_at integer not null,
              deleted_by text,
              unique (account_id, id)
            ) strict;
            create index trash_deleted_at on trash (deleted_at);
            insert into trash (template, account_id, id, deleted_at)
            select row, null, id, updated_at from templates
            where account_id is null;
            """);
}
