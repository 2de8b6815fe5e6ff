package stet.upkeep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.base.Timestamp;
import stet.core.Plan;
import stet.dao.Sql;
import stet.dao.StoreException;
import stet.sqlite.DataFolder;
import stet.sqlite.DatabaseFile;
import stet.sqlite.FolderOwner;
import stet.sqlite.LogOwner;
import stet.sqlite.Migrations;
import stet.sqlite.NativeLibrary;
import stet.sqlite.Schema;

/**
 * Checks a database and its folder: pages, references, digests of all texts and versions, and consistency. Changes no data and can
 * run while serve is running.
 */
public final class Check {
    private static final int BUSY_TIMEOUT_MILLIS = 5_000;
    /** Maximum number of problems reported per check. */
    private static final int MAX_PROBLEMS = 20;
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(1);

    private final Instant now;
    private final List<Finding> findings = new ArrayList<>();

    Check(Instant now) {
        this.now = now;
    }

    /**
     * A line of the report.
     *
     * @param check name of the check
     * @param text  a summary or a problem
     */
    public record Finding(String check, boolean ok, String text) {
    }

    /**
     * Checks a data folder and its database.
     *
     * @throws Refusal       if the database does not exist or is not a Stet database
     * @throws SystemFailure if the database's file must not be read
     */
    public static List<Finding> folder(Path data, Instant now) {
        DataFolder folder = DataFolder.asItIs(data);
        folder.requireDatabase();
        NativeLibrary.load(folder, false);
        LogOwner logs = new LogOwner(folder);
        // Checked twice because the first check can give a false alarm while serve is starting.
        Optional<String> foreignLog = logs.problem(false).flatMap(first -> logs.problem(false));
        return findings(folder, folder.database(), foreignLog, now, check -> {
            check.run("permissions", problem -> FolderCheck.permissions(data, problem));
            check.run("space", problem -> FolderCheck.space(folder, problem));
            check.run("kept", problem -> KeptDatabases.in(data).toString());
        });
    }

    /** Checks a single file, such as a backup. @param data folder where SQLite's native library may have been unpacked */
    public static List<Finding> file(Path data, Path file, Instant now) {
        NativeLibrary.load(DataFolder.asItIs(data), false);
        return findings(null, file, Optional.empty(), now, check -> {
            check.run("checksum", problem -> FolderCheck.checksum(file, problem));
            check.run("permissions", problem -> FolderCheck.filePermissions(file, problem));
        });
    }

    /**
     * @param folder     null for a single file
     * @param foreignLog message if the log belongs to another database; in that case, the database is not opened, because SQLite would
     *                   apply the log
     * @param files      runs the checks of files, after those of the database
     */
    private static List<Finding> findings(DataFolder folder, Path database, Optional<String> foreignLog, Instant now, Consumer<Check> files) {
        if (!Files.isRegularFile(database)) {
            throw new Refusal("No Stet database found at " + database
                    + "; choose a folder with --data, or pass a database file as FILE");
        }
        if (!Files.isReadable(database)) {
            throw new SystemFailure("Cannot read " + database + ": " + FolderOwner.reason(database));
        }
        boolean unwritten;
        Check check;
        do { // repeated if another process starts writing while the check uses no locks
            unwritten = isUnwritten(database);
            check = new Check(now);
            check.database(folder, database, unwritten, foreignLog);
        } while (unwritten && !isUnwritten(database));
        files.accept(check);
        return check.findings;
    }

    /** Whether there is neither a log nor a rollback journal: no process is writing to the database, and none was killed while writing. */
    private static boolean isUnwritten(Path database) {
        return Files.notExists(DataFolder.log(database)) && Files.notExists(DataFolder.beside(database, "-journal"));
    }

    /** The first few problems, and the number of all problems. */
    private static final class CheckProblems {
        final List<String> first = new ArrayList<>();
        long count;

        void add(String sentence) {
            if (count++ < MAX_PROBLEMS) {
                first.add(sentence);
            }
        }
    }

    private interface PartialCheck {
        /** @param problem receives each problem @return a summary, shown if there are no problems */
        String run(Consumer<String> problem) throws IOException;
    }

    /** Runs a check and reports its summary or its first problems. A {@link StoreException} is reported as a problem. */
    private void run(String name, PartialCheck check) {
        CheckProblems problems = new CheckProblems();
        String summary = "";
        try {
            summary = check.run(problems::add);
        } catch (StoreException failure) {
            problems.add(sentence(failure));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        if (problems.count == 0) {
            findings.add(new Finding(name, true, summary));
        }
        problems.first.forEach(problem -> findings.add(new Finding(name, false, problem)));
        if (problems.count > MAX_PROBLEMS) {
            findings.add(new Finding(name, false, (problems.count - MAX_PROBLEMS) + " more of this kind"));
        }
    }

    private static String sentence(StoreException failure) {
        return failure.isCorruption() ? "Some data cannot be read (" + failure.getMessage() + "); stop serve and restore a backup"
                : "Not checked, because the database cannot be read now (" + failure.getMessage() + "). The data may be intact; "
                + (failure.isBusy() ? "stop the program that has locked the database" : "free disk space or check the disk")
                + ", then run check again";
    }

    /** @param folder null for a single file @param unwritten result of {@link #isUnwritten} */
    private void database(DataFolder folder, Path database, boolean unwritten, Optional<String> foreignLog) {
        if (foreignLog.isPresent()) {
            findings.add(new Finding("log", false, foreignLog.get()));
            return;
        }
        try {
            if (unwritten) {
                DatabaseFile.checkLength(database);
            }
        } catch (Refusal truncated) {
            findings.add(new Finding("length", false, truncated.getMessage() + "; restore a backup"));
            return;
        }
        try (Sql sql = open(folder, database, unwritten)) {
            sql.execute("pragma trusted_schema = off; pragma temp_store = memory");
            long version = DatabaseFile.version(sql, database);
            run("schema", problem -> schema(sql, version, problem));
            run("pages", problem -> {
                Integrity.pages(sql, line -> problem.accept(line + "; stop serve and restore a backup"));
                return "intact pages and indexes: " + sql.number("pragma page_count");
            });
            run("references", problem -> {
                Integrity.references(sql, line -> problem.accept(line + "; restore a backup"));
                return "all references are valid";
            });
            if (version == Migrations.STET.latest()) {
                content(sql);
            }
        } catch (StoreException failure) {
            findings.add(new Finding("database", false, sentence(failure)));
        }
    }

    /**
     * Opens the database read-only. If SQLite would have to write the file {@code -shm} and no process uses the folder, opens it alone.
     *
     * @param folder null for a single file
     */
    private static Sql open(DataFolder folder, Path database, boolean unwritten) {
        Sql sql = DatabaseFile.connectReadOnly(database, BUSY_TIMEOUT_MILLIS,
                unwritten ? DatabaseFile.Access.IMMUTABLE : DatabaseFile.Access.READ_ONLY);
        try {
            sql.number("select count(*) from sqlite_schema");
            return sql;
        } catch (StoreException failure) {
            boolean needsWriting = failure.isOfDisk() && !failure.isUnfinished() && !unwritten;
            if (folder == null || !needsWriting || folder.notWritable().isPresent() || folder.isServed()) {
                return sql; // the checks report the failure
            }
            sql.close();
            Sql alone = DatabaseFile.connect(database, SynchronousMode.FULL, DatabaseFile.Access.ALONE);
            alone.execute("pragma query_only = on");
            return alone;
        }
    }

    /** Checks the contents of a database with the current schema version. */
    void content(Sql sql) {
        run("texts", problem -> texts(sql, problem));
        run("versions", problem -> "versions that match their SHA-256: "
                + Integrity.versions(sql, () -> { }, problem));
        run("images", problem -> "files of images: " + Integrity.images(sql, problem));
        run("published", problem -> published(sql, problem));
        run("trash", problem -> "deleted templates that can be restored: "
                + sql.number("select count(*) from templates where deleted_at is not null and removed_at is null"));
        run("includes", problem -> includes(sql, problem));
        run("counts", problem -> counts(sql, problem));
        run("storage", problem -> {
            Integrity.storage(sql, problem);
            return "bytes stored by all accounts: " + sql.number("select coalesce(sum(bytes), 0) from storage");
        });
        run("clock", problem -> clock(sql, problem));
    }

    /** Reports each row's message as the row is read, because the messages might not all fit in memory. @param query selects messages */
    private static void reportRows(Sql sql, Consumer<String> problem, String query) {
        sql.list(query, row -> {
            problem.accept((String) row.value(String.class, 1));
            return null;
        });
    }

    private static String schema(Sql sql, long version, Consumer<String> problem) throws IOException {
        if (version < Migrations.STET.latest()) {
            return "version " + version + "; start serve to upgrade to version " + Migrations.STET.latest() + ", then run check again";
        }
        Schema.differences(sql, version).forEach(difference -> problem.accept("The " + difference.text()
                + (difference.isMissing() ? "; restore a backup" : " from that of this version of Stet; restore a backup")));
        return "version " + version + " with all " + Schema.size() + " tables, indexes and triggers";
    }

    private static String texts(Sql sql, Consumer<String> problem) {
        Integrity.Texts texts = Integrity.texts(sql, () -> { }, problem);
        if (texts.orphans() > 0) {
            problem.accept("Unused texts: " + texts.orphans() + " (" + texts.orphanBytes()
                    + " bytes); they are harmless but take up space");
        }
        return "texts of versions, drafts and shared blocks that match their SHA-256: " + texts.texts();
    }

    private static String published(Sql sql, Consumer<String> problem) {
        reportRows(sql, problem, """
                select 'Template ' || t.id || ' of ' || a.name || ' serves version ' || t.published
                  || ', which is missing; publish the template again or restore a backup'
                from templates t join accounts a on a.id = t.account_id
                where t.published is not null
                  and not exists (select 1 from versions where template = t.row and number = t.published)
                """);
        return "live versions present: "
                + sql.number("select count(*) from templates where published is not null and deleted_at is null");
    }

    private static String includes(Sql sql, Consumer<String> problem) {
        reportRows(sql, problem, """
                select 'Shared block ' || i.block || ' of ' || a.name || ' cannot be deleted because the ' || i.kind || ' '
                  || i.includer || ' that included ' || i.block || ' no longer exists; create ' || i.includer || ' again and delete it'
                from includes i join accounts a on a.id = i.account_id and a.deleted_at is null
                where i.kind = 'template' and not exists (
                    select 1 from templates where account_id = a.id and id = i.includer and deleted_at is null)
                  or i.kind = 'block' and not exists (select 1 from blocks where account_id = a.id and name = i.includer)
                """);
        return "every recorded use of a shared block belongs to an existing template or block";
    }

    private static String counts(Sql sql, Consumer<String> problem) {
        reportRows(sql, problem, """
                select 'A count of ' || coalesce(a.name, 'a deleted account') || ' on ' || u.plan || ' is ' || u.used
                  || ', below zero; restore a backup'
                from usage u left join accounts a on a.id = u.account_id
                where u.used < 0
                """);
        long above = sql.number("""
                select count(*)
                from usage u join accounts a on a.id = u.account_id and a.plan = u.plan
                where u.used > coalesce(a.request_limit, iif(a.plan = 'pro', ?, ?))
                """, Plan.PRO.requests(), Plan.FREE.requests());
        return "valid counts: " + sql.number("select count(*) from usage")
                + (above == 0 ? "" : "; counts above the limit, possibly because the limit was lowered: " + above);
    }

    private String clock(Sql sql, Consumer<String> problem) {
        return sql.first("""
                select * from (
                  select 'an account' as place, max(created_at) as at from accounts
                  union all select 'a key', max(created_at) from secrets where role is null
                  union all select 'a template', max(max(created_at, updated_at)) from templates
                  union all select 'a version', max(published_at) from versions
                  union all select 'a shared block', max(updated_at) from blocks
                  union all select 'a session', max(max(created_at, seen_at)) from sessions
                  union all select 'a period', max(period_start) from usage
                  union all select 'a day of usage', max(last_at) from requests
                  union all select 'a template in the trash', max(deleted_at) from templates where removed_at is null
                  union all select 'a missed request', max(at) from misses)
                where at is not null
                order by at desc
                limit 1
                """, row -> {
            Instant newest = row.instant("at");
            if (newest.isAfter(now.plus(CLOCK_TOLERANCE))) {
                problem.accept("The clock says " + Timestamp.format(now) + ", but " + row.text("place") + " is dated "
                        + Timestamp.format(newest) + "; check the clock. If the clock is correct now, this warning disappears"
                        + " once that date has passed");
            }
            return "no timestamps are in the future; the latest is " + Timestamp.format(newest);
        }).orElse("no timestamps are stored yet");
    }
}
