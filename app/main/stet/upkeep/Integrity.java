package stet.upkeep;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import stet.base.Secret;
import stet.core.Draft;
import stet.dao.Sql;
import stet.dao.StoreException;
import stet.dao.VersionRow;

/** Verifies a whole database or backup: pages, references, and the {@link Digest} of all texts and versions. */
final class Integrity {
    /** Number of texts per read transaction, kept low because read transactions block serve's checkpoints. */
    private static final int BATCH_ROWS = 100;
    /** Maximum size of a text to read into memory; larger texts are invalid. */
    private static final long MAX_TEXT_BYTES = 16 << 20;
    private static final int MAX_PAGE_PROBLEMS = 20;
    private static final int MAX_PROBLEMS = 60;
    /** Matches a CHECK constraint in schema.sql. The condition may have up to three levels of parentheses. */
    private static final Pattern CHECK = Pattern.compile("\\bcheck (\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\))");

    private Integrity() {
    }

    /** The number of texts, and the number and size of orphans: texts that are neither referenced nor queued for garbage collection. */
    record Texts(long texts, long orphans, long orphanBytes) {
    }

    private record StoredText(long id, long accountId, long bytes) {
    }

    /**
     * A version, draft, block or image that references a stored text.
     *
     * @param subject the draft's subject, which is part of its SHA-256; null for texts that are not drafts
     * @param advice how to fix corruption
     */
    private record TextUse(String name, Long accountId, String accountName, byte[] sha256, String subject, String advice) {
        /** @param digest SHA-256 of the HTML */
        boolean isCorrupted(byte[] html, byte[] digest) {
            return !Arrays.equals(subject == null ? digest : Draft.sha256(subject, html), sha256);
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
     * Checks pages and, if they are intact, references, texts, versions and images.
     *
     * @param between called after the page check and before each text and version; may throw to end the check
     * @return the first problem and the number of others (at most {@link #MAX_PROBLEMS} in all); empty if there are no problems
     * @throws StoreException if the database cannot be read
     */
    static Optional<String> problems(Sql sql, Runnable between) {
        List<String> problems = new ArrayList<>();
        Consumer<String> add = problem -> {
            if (problems.size() < MAX_PROBLEMS) {
                problems.add(problem);
            }
        };
        pages(sql, problem -> add.accept("The file is corrupted: " + problem.strip().replaceAll("\\s+", " ")));
        if (problems.isEmpty()) {
            between.run();
            references(sql, add);
            texts(sql, between, add);
            versions(sql, between, add);
            images(sql, add);
        }
        int others = problems.size() - 1;
        return problems.stream().findFirst().map(first -> first + (others == 0 ? "" : " (and " + others + " more)"));
    }

    /**
     * Checks pages, rows and indexes (https://sqlite.org/pragma.html#pragma_integrity_check) and, if they are intact, CHECK constraints.
     *
     * @param problem receives each message
     */
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

    /** Verifies CHECK constraints, which SQLite ignores in a read-only database (build.c, sqlite3AddCheckConstraint). */
    private static void constraints(Sql sql, Consumer<String> problem) {
        for (Table table : sql.list(Table.class, "select name, sql from sqlite_schema where type = 'table'")) {
            CHECK.matcher(table.sql).results().map(check -> check.group(1))
                    .filter(condition -> sql.exists("select 1 from \"" + table.name + "\" where not " + condition))
                    .forEach(condition -> problem.accept("CHECK constraint failed in " + table.name));
        }
    }

    /** Checks foreign keys. @param problem receives a message for each pair of tables with invalid references */
    static void references(Sql sql, Consumer<String> problem) {
        sql.list("""
                select "table" as child, parent, count(*) as missing
                from pragma_foreign_key_check
                group by 1, 2
                """, row -> "Rows of " + row.text("child") + " that reference missing rows of " + row.text("parent") + ": "
                + row.number("missing")).forEach(problem);
    }

    /**
     * Checks the texts of versions, drafts, shared blocks, images and previews, one at a time.
     *
     * @param beforeEach called before each text; may throw to end the check
     * @param problem    receives a message with advice for each use of a corrupted text or of another account's text
     */
    static Texts texts(Sql sql, Runnable beforeEach, Consumer<String> problem) {
        long texts = 0;
        long orphans = 0;
        long orphanBytes = 0;
        long last = 0;
        List<StoredText> batch;
        do {
            try (ReadTransaction transaction = new ReadTransaction(sql)) {
                batch = transaction.sql.list(StoredText.class, """
                        select id, account_id, length(html) as bytes from texts
                        where id > ?
                        order by id
                        limit ?
                        """, last, BATCH_ROWS);
                for (StoredText text : batch) {
                    beforeEach.run();
                    List<TextUse> uses = uses(sql, text.id);
                    checkUses(sql, text, uses, problem);
                    if (uses.isEmpty() && !sql.exists("select 1 from garbage where text = ?", text.id)) {
                        orphans++;
                        orphanBytes += text.bytes;
                    }
                    last = text.id;
                }
            }
            texts += batch.size();
        } while (batch.size() == BATCH_ROWS);
        return new Texts(texts, orphans, orphanBytes);
    }

    /**
     * A read transaction for a try statement, which keeps the work's failure if the rollback fails too: after a stop request, each
     * statement is interrupted, the rollback as well.
     */
    private record ReadTransaction(Sql sql) implements AutoCloseable {
        private ReadTransaction {
            sql.transaction("begin");
        }

        @Override
        public void close() {
            sql.transaction("rollback");
        }
    }

    private record RowKey(long template, int number) {
    }

    /**
     * Checks each version's row and blocks against the SHA-256 in the row.
     *
     * @param beforeEach called before each version; may throw to end the check
     * @param problem    receives a message with advice for each corrupted version
     * @return the number of versions
     */
    static long versions(Sql sql, Runnable beforeEach, Consumer<String> problem) {
        long versions = 0;
        RowKey last = new RowKey(0, 0);
        List<RowKey> batch;
        do {
            batch = sql.list("""
                    select v.template as key, a.name as account_name, %s
                    from versions v join templates t on t.row = v.template
                    left join accounts a on a.id = t.account_id and a.deleted_at is null
                    where (v.template, v.number) > (?1, ?2)
                    order by v.template, v.number
                    limit ?3
                    """.formatted(VersionRow.COLUMNS), row -> {
                beforeEach.run();
                VersionRow version = row.as(VersionRow.class);
                if (!Arrays.equals(version.digest(), row.bytes("row_sha256"))) {
                    problem.accept("Version " + version.number() + " of template " + version.template() + " of "
                            + owner(row.text("account_name")) + " does not match its SHA-256; restore a backup or publish the template again");
                }
                return new RowKey(row.number("key"), version.number());
            }, last.template, last.number, BATCH_ROWS);
            versions += batch.size();
            last = batch.isEmpty() ? last : batch.get(batch.size() - 1);
        } while (batch.size() == BATCH_ROWS);
        return versions;
    }

    /** Checks that the files of all images, also of those in versions, are there. @return the number of files */
    static long images(Sql sql, Consumer<String> problem) {
        sql.list("""
                select a.name as account, 'The image ' || b.name as image
                from blocks b join accounts a on a.id = b.account_id
                where b.kind = 'image' and a.deleted_at is null
                  and not exists (select 1 from images where account_id = b.account_id and sha256 = b.sha256 and text = b.text)
                union all
                select a.name, 'The image ' || u.block || ' in version ' || u.number || ' of template ' || t.id
                from version_blocks u join templates t on t.row = u.template join accounts a on a.id = t.account_id
                where instr(u.block, '/') > 0 and t.removed_at is null and a.deleted_at is null
                  and not exists (select 1 from images where account_id = t.account_id and sha256 = u.sha256)
                """, row -> row.text("image") + " of " + row.text("account") + " has no file; restore a backup or add the image again")
                .forEach(problem);
        return sql.number("select count(*) from images");
    }

    /** Compares each account's byte count with its stored data, in one read transaction. */
    static void storage(Sql sql, Consumer<String> problem) {
        Map<Long, Long> texts = new HashMap<>(); // summed here because the table texts has no index by account
        try (ReadTransaction transaction = new ReadTransaction(sql)) {
            transaction.sql.list("select account_id, length(html) as bytes from texts",
                    row -> texts.merge(row.number("account_id"), row.number("bytes"), Long::sum));
            sql.list("""
                    select a.id, a.name, coalesce(s.bytes, -1) as bytes, coalesce((
                        select sum(octet_length(document))
                        from templates t join samples on template = t.row where t.account_id = a.id), 0)
                      + coalesce((
                        select sum(octet_length(c.written_by) + octet_length(c.quote) + octet_length(c.text))
                        from templates t join comments c on c.template = t.row where t.account_id = a.id), 0)
                      + coalesce((
                        select sum(octet_length(v.subject) + octet_length(v.variables) + octet_length(v.note))
                        from templates t join versions v on v.template = t.row where t.account_id = a.id), 0)
                      + coalesce((
                        select sum(octet_length(block) + length(b.sha256))
                        from templates t join version_blocks b on b.template = t.row where t.account_id = a.id), 0) as others
                    from accounts a left join storage s on s.account_id = a.id
                    where a.deleted_at is null
                    """, row -> {
                long stored = row.number("others") + texts.getOrDefault(row.number("id"), 0L);
                if (stored != row.number("bytes")) {
                    problem.accept("Account " + row.text("name") + " stores " + stored + " bytes, but its recorded size is " + row.number("bytes")
                            + "; restore a backup");
                }
                return null;
            });
        }
    }

    /** All that refers to a text. */
    private static List<TextUse> uses(Sql sql, long text) {
        return sql.list(TextUse.class, """
                select 'Version ' || v.number || ' of template ' || t.id as name, a.id as account_id, a.name as account_name,
                  v.sha256, null as subject, 'restore a backup or publish the template again' as advice
                from versions v join templates t on t.row = v.template
                left join accounts a on a.id = t.account_id and a.deleted_at is null
                where v.text = ?1
                union all
                select 'The draft of version ' || v.number || ' of template ' || t.id, a.id, a.name, v.draft_sha256, v.subject,
                  'restore a backup; the version is served correctly'
                from versions v join templates t on t.row = v.template
                left join accounts a on a.id = t.account_id and a.deleted_at is null
                where v.draft_text = ?1
                union all
                select 'The draft of template ' || t.id, a.id, a.name, t.sha256, t.subject, 'restore a backup or save it again'
                from templates t
                left join accounts a on a.id = t.account_id and a.deleted_at is null
                where t.text = ?1
                union all
                select iif(b.kind = 'image', 'The image ', 'The shared block ') || b.name, b.account_id, a.name, b.sha256, null,
                  'restore a backup or save it again'
                from blocks b left join accounts a on a.id = b.account_id
                where b.text = ?1
                union all
                select 'The image ' || i.last_name, i.account_id, a.name, i.sha256, null, 'restore a backup'
                from images i left join accounts a on a.id = i.account_id
                where i.text = ?1
                union all
                select 'The preview ' || p.name || ' of ' || p.item, p.account_id, a.name, p.sha256, null, 'push it again'
                from push_previews p left join accounts a on a.id = p.account_id
                where p.text = ?1
                """, text);
    }

    /** Reports each use of a corrupted text or of another account's text. */
    private static void checkUses(Sql sql, StoredText text, List<TextUse> uses, Consumer<String> problem) {
        if (uses.isEmpty()) {
            return;
        }
        byte[] html = text.bytes > MAX_TEXT_BYTES ? new byte[0]
                : sql.first(byte[].class, "select html from texts where id = ?", text.id).orElseThrow();
        byte[] digest = Secret.sha256(html);
        for (TextUse use : uses) {
            if (use.isCorrupted(html, digest)) {
                problem.accept(use + " is corrupted (wrong SHA-256); " + use.advice);
            } else if (use.accountId != null && use.accountId != text.accountId) {
                problem.accept(use + " uses another account's text and is not served; " + use.advice);
            }
        }
    }
}
