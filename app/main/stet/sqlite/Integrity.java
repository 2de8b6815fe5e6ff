package stet.sqlite;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import stet.core.Secret;
import stet.dao.Digest;
import stet.dao.Sql;
import stet.dao.StoreException;
import stet.dao.VersionRow;

/** Verifies a whole database, or a copy of one: its pages, its references, and all texts and versions by their {@link Digest}. */
final class Integrity {
    /** Texts of one read transaction: a longer one would hold up the checkpoints of a serve beside it. */
    private static final int BATCH_ROWS = 100;
    /** More than the longest text, in bytes. A damaged length is not read into memory. */
    private static final long MAX_TEXT_BYTES = 16 << 20;
    private static final int MAX_PAGE_PROBLEMS = 20;
    private static final int MAX_PROBLEMS = 60;
    /** A constraint of a table in schema.sql, with its condition in up to three pairs of parentheses. */
    private static final Pattern CHECK = Pattern.compile("\\bcheck (\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\))");

    private Integrity() {
    }

    /** Number of texts, and of bytes that are referred to by nothing and are not garbage. */
    record Texts(long texts, long orphans, long orphanBytes) {
    }

    private record Text(long id, long accountId, long bytes) {
    }

    /** One use of a text. @param subject of a draft, which its SHA-256 is of, too @param advice on a damaged one */
    private record Use(String name, Long accountId, String accountName, byte[] sha256, String subject, String advice) {
        boolean isDamaged(byte[] html, byte[] digest) {
            return !Arrays.equals(subject == null ? digest : Digest.ofDraft(subject, html), sha256);
        }

        @Override
        public String toString() {
            return name + " of " + owner(accountName);
        }
    }

    private static String owner(String accountName) {
        return accountName == null ? "a deleted account" : accountName;
    }

    /**
     * Everything below.
     *
     * @param look called between two statements that may take long, and before each text; what it throws ends the check
     * @return the first problem and the number of the others; after damage to the pages nothing else is read
     * @throws StoreException when the database cannot be read at all
     */
    static Optional<String> problems(Sql sql, Runnable look) {
        List<String> problems = new ArrayList<>();
        Consumer<String> add = problem -> {
            if (problems.size() < MAX_PROBLEMS) {
                problems.add(problem);
            }
        };
        pages(sql, problem -> add.accept("The file is damaged: " + problem.strip().replaceAll("\\s+", " ")));
        if (problems.isEmpty()) {
            look.run();
            references(sql, add);
            texts(sql, look, add);
            versions(sql, look, add);
        }
        int others = problems.size() - 1;
        return problems.stream().findFirst().map(first -> first + (others == 0 ? "" : " (and " + others + " more)"));
    }

    /** Each page, row and index (https://sqlite.org/pragma.html#pragma_integrity_check). @param problem takes SQLite's words */
    static void pages(Sql sql, Consumer<String> problem) {
        List<String> lines = sql.list("pragma integrity_check(" + MAX_PAGE_PROBLEMS + ")", row -> row.text("integrity_check"));
        if (lines.equals(List.of("ok"))) {
            constraints(sql, problem);
        } else {
            lines.forEach(problem);
        }
    }

    private record Table(String name, String sql) {
    }

    /** Each CHECK constraint, which SQLite ignores in a database that is opened to be read only (build.c, sqlite3AddCheckConstraint). */
    private static void constraints(Sql sql, Consumer<String> problem) {
        for (Table table : sql.list(Table.class, "select name, sql from sqlite_schema where type = 'table'")) {
            CHECK.matcher(table.sql).results().map(check -> check.group(1))
                    .filter(condition -> sql.exists("select 1 from \"" + table.name + "\" where not " + condition))
                    .forEach(condition -> problem.accept("CHECK constraint failed in " + table.name));
        }
    }

    /** Each reference from one table to another. @param problem takes a sentence for each pair of tables */
    static void references(Sql sql, Consumer<String> problem) {
        sql.list("""
                select "table" as child, parent, count(*) as missing
                from pragma_foreign_key_check
                group by 1, 2
                """, row -> "Rows of " + row.text("child") + " that refer to missing rows of " + row.text("parent") + ": "
                + row.number("missing")).forEach(problem);
    }

    /**
     * Each text of a version, draft or shared block, one at a time in memory.
     *
     * @param look    called before each text; what it throws ends the check
     * @param problem takes a sentence for each that is damaged, with advice
     */
    static Texts texts(Sql sql, Runnable look, Consumer<String> problem) {
        long texts = 0;
        long orphans = 0;
        long orphanBytes = 0;
        long last = 0;
        List<Text> batch;
        do {
            sql.transaction("begin");
            try {
                batch = sql.list(Text.class, """
                        select id, account_id, length(html) as bytes from texts
                        where id > ?
                        order by id
                        limit ?
                        """, last, BATCH_ROWS);
                for (Text text : batch) {
                    look.run();
                    if (!isUsed(sql, text, problem)) {
                        orphans++;
                        orphanBytes += text.bytes;
                    }
                    last = text.id;
                }
            } finally {
                sql.transaction("rollback");
            }
            texts += batch.size();
        } while (batch.size() == BATCH_ROWS);
        return new Texts(texts, orphans, orphanBytes);
    }

    private record Key(long template, int number) {
    }

    /**
     * Each version's row and blocks, which the SHA-256 in the row is of.
     *
     * @param look    called before each version; what it throws ends the check
     * @param problem takes a sentence for each that is damaged, with advice
     * @return number of versions
     */
    static long versions(Sql sql, Runnable look, Consumer<String> problem) {
        long versions = 0;
        Key last = new Key(0, 0);
        List<Key> batch;
        do {
            batch = sql.list("""
                    select v.template as key, a.name as account_name, %s
                    from versions v join templates t on t.row = v.template
                    left join accounts a on a.id = t.account_id and a.deleted_at is null
                    where (v.template, v.number) > (?1, ?2)
                    order by v.template, v.number
                    limit ?3
                    """.formatted(VersionRow.COLUMNS), row -> {
                look.run();
                VersionRow version = row.as(VersionRow.class);
                if (!Arrays.equals(version.digest(), row.bytes("row_sha256"))) {
                    problem.accept("Version " + version.number() + " of the template " + version.template() + " of "
                            + owner(row.text("account_name")) + " has other columns than the SHA-256 of its row is of: restore a backup, or publish the template again");
                }
                return new Key(row.number("key"), version.number());
            }, last.template, last.number, BATCH_ROWS);
            versions += batch.size();
            last = batch.isEmpty() ? last : batch.get(batch.size() - 1);
        } while (batch.size() == BATCH_ROWS);
        return versions;
    }

    /** @return whether anything refers to the text, or garbage collection knows of it */
    private static boolean isUsed(Sql sql, Text text, Consumer<String> problem) {
        List<Use> uses = sql.list(Use.class, """
                select 'Version ' || v.number || ' of the template ' || t.id as name, a.id as account_id, a.name as account_name,
                  v.sha256, null as subject, 'restore a backup, or publish the template again' as advice
                from versions v join templates t on t.row = v.template
                left join accounts a on a.id = t.account_id and a.deleted_at is null
                where v.text = ?1
                union all
                select 'The draft of version ' || v.number || ' of the template ' || t.id, a.id, a.name, v.draft_sha256, v.subject,
                  'restore a backup; it is served as it was'
                from versions v join templates t on t.row = v.template
                left join accounts a on a.id = t.account_id and a.deleted_at is null
                where v.draft_text = ?1
                union all
                select 'The draft of the template ' || t.id, a.id, a.name, t.sha256, t.subject, 'restore a backup, or save it again'
                from templates t
                left join accounts a on a.id = t.account_id and a.deleted_at is null
                where t.text = ?1
                union all
                select 'The shared block ' || b.name, b.account_id, a.name, b.sha256, null, 'restore a backup, or save it again'
                from blocks b left join accounts a on a.id = b.account_id
                where b.text = ?1
                """, text.id);
        if (uses.isEmpty()) {
            return sql.exists("select 1 from garbage where text = ?", text.id);
        }
        byte[] html = text.bytes > MAX_TEXT_BYTES ? new byte[0]
                : sql.first(byte[].class, "select html from texts where id = ?", text.id).orElseThrow();
        byte[] digest = Secret.sha256(html);
        for (Use use : uses) {
            if (use.isDamaged(html, digest)) {
                problem.accept(use + " is damaged, as its SHA-256 is another: " + use.advice);
            } else if (use.accountId != null && use.accountId != text.accountId) {
                problem.accept(use + " has a text of another account, and is served to nobody: " + use.advice);
            }
        }
        return true;
    }
}
