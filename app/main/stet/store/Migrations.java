package stet.store;

/** What leads from the first version of schema.sql to today's. Each is one transaction; none is ever changed. */
final class Migrations {
    private Migrations() {
    }

    /** What makes the next version of this one. */
    static String from(int version) {
        return switch (version) {
            case 1 -> WEB_APPLICATION;
            case 2 -> DELETED_REVISION;
            case 3 -> USAGE_LOG;
            case 4 -> USAGE_IDS;
            case 5 -> TEXTS;
            default -> throw new IllegalArgumentException("version " + version);
        };
    }

    private static final String WEB_APPLICATION = """
            alter table api_keys add column expires_at integer;
            create table sessions (
              hash       blob    not null primary key check (length(hash) = 32),
              account_id integer not null references accounts on delete cascade,
              created_at integer not null,
              seen_at    integer not null
            ) strict;
            create index sessions_account on sessions (account_id);
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
            create table misses (
              id         integer primary key,
              account_id integer not null references accounts on delete cascade,
              at         integer not null,
              key_id     integer not null,
              template   text    not null,
              status     integer not null
            ) strict;
            create index misses_account on misses (account_id, id);
            """;

    private static final String DELETED_REVISION = """
            alter table accounts add column deleted_revision integer not null default 0;
            """;

    private static final String USAGE_LOG = """
            create table usage_log (
              id           integer primary key,
              account_id   integer not null,
              plan         text    not null,
              period_start integer not null,
              used         integer not null,
              counted_at   integer not null
            ) strict;
            create view usage_parts as
              select account_id, plan, period_start, used, counted_at from usage
              union all
              select account_id, plan, period_start, used, counted_at from usage_log;
            """;

    private static final String USAGE_IDS = """
            create temp table kept as
              select account_id, plan, period_start, sum(used) as used, max(counted_at) as counted_at from usage_parts
              where account_id in (select id from accounts)
              group by account_id, plan, period_start;
            drop view usage_parts;
            drop table usage_log;
            drop table usage;
            create table usage (
              id           integer primary key,
              account_id   integer not null references accounts on delete cascade,
              plan         text    not null,
              period_start integer not null,
              used         integer not null,
              counted_at   integer not null,
              unique (account_id, plan, period_start)
            ) strict;
            create table usage_log (
              id         integer primary key,
              usage_id   integer not null,
              used       integer not null,
              counted_at integer not null
            ) strict;
            insert into usage (account_id, plan, period_start, used, counted_at)
            select account_id, plan, period_start, used, counted_at from kept;
            drop table kept;
            """;

    private static final String TEXTS = """
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
            select id, email, password, plan, created_at, billing_anchor, request_limit, key_limit, deleted_revision, 0 from accounts;

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
              when (select email from accounts where id = old.account_id) is not null begin update changes set number = number + 1; end;
            create trigger usage_update after update on usage begin update changes set number = number + 1; end;
            create trigger usage_delete after delete on usage begin update changes set number = number + 1; end;
            """;
}
