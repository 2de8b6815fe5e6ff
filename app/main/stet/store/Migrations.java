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
            """;
}
