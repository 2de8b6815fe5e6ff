package stet.sqlite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.sqlite.SQLiteConfig;
import stet.core.Amount;
import stet.core.LocalFiles;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Timestamp;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * Checks a database, and the folder that it is in: pages, references, the digests of all texts and versions, and what belongs
 * together. Writes nothing, and works beside a serve.
 */
public final class Check {
    private static final int BUSY_TIMEOUT_MILLIS = 5_000;
    /** Sentences of one check. */
    private static final int MAX_PROBLEMS = 20;
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(1);
    /** Much more than the log takes, unless a reader holds it. */
    private static final long MAX_LOG_BYTES = 256 << 20;

    private final Instant now;
    private final List<Finding> findings = new ArrayList<>();

    private Check(Instant now) {
        this.now = now;
    }

    /**
     * One line of the report.
     *
     * @param check name of the check
     * @param text  what was looked at; or what is wrong, and what to do
     */
    public record Finding(String check, boolean ok, String text) {
    }

    /**
     * Checks the database of a data folder, and the folder.
     *
     * @throws Refusal when there is no such file, or it is not a database of Stet
     */
    public static List<Finding> folder(Path data, Instant now) {
        DataFolder folder = DataFolder.asItIs(data);
        folder.checkThere();
        NativeLibrary.load(data, false, true);
        LogOwner logs = new LogOwner(folder);
        Optional<String> foreignLog = logs.problem(false).flatMap(first -> logs.problem(false)); // a serve may start in between
        return run(data, folder.database(), foreignLog, now, check -> {
            check.look("permissions", problem -> permissions(data, problem));
            check.look("space", problem -> space(data, problem));
            check.look("kept", problem -> KeptDatabases.in(data).toString());
        });
    }

    /** Checks a file alone, such as a backup. @param data folder that SQLite's library may have been unpacked to */
    public static List<Finding> file(Path data, Path file, Instant now) {
        return run(data, file, Optional.empty(), now, check -> {
            check.look("checksum", problem -> checksum(file, problem));
            check.look("permissions", problem -> filePermissions(file, problem));
        });
    }

    /** @param foreignLog sentence on a log of another database, if so: SQLite would mix the two */
    private static List<Finding> run(Path data, Path database, Optional<String> foreignLog, Instant now, Consumer<Check> files) {
        if (!Files.isRegularFile(database)) {
            throw new Refusal("There is no Stet database " + database
                    + " that this user may read (--data names a folder, an argument a file)");
        }
        if (!Files.isReadable(database)) {
            throw new Refusal(database + " cannot be read: " + DataFolder.reason(database));
        }
        NativeLibrary.load(data, false, true);
        boolean unwritten;
        Check check;
        do { // again where somebody began to write while nobody was expected to
            unwritten = isUnwritten(database);
            check = new Check(now);
            check.database(database, unwritten, foreignLog);
        } while (unwritten && !isUnwritten(database));
        files.accept(check);
        return check.findings;
    }

    /** Whether no process has the database open, and none was killed while it had: then there is no log. */
    private static boolean isUnwritten(Path database) {
        return Files.notExists(DataFolder.log(database)) && Files.notExists(DataFolder.beside(database, "-journal"));
    }

    /** The first sentences, and the number of all. */
    private static final class Problems {
        final List<String> first = new ArrayList<>();
        long count;

        void add(String sentence) {
            if (count++ < MAX_PROBLEMS) {
                first.add(sentence);
            }
        }
    }

    private interface Look {
        /** @param problem takes a sentence with advice @return what was looked at, said where there is no problem */
        String at(Consumer<String> problem) throws IOException;
    }

    /** Adds a check to the report, with its first problems. A failure to read is a problem, too. */
    private void look(String name, Look look) {
        Problems problems = new Problems();
        String well = "";
        try {
            well = look.at(problems::add);
        } catch (StoreException failure) {
            problems.add("The rest cannot be read (" + failure.getMessage() + "): end serve and restore a backup");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        if (problems.count == 0) {
            findings.add(new Finding(name, true, well));
        }
        problems.first.forEach(problem -> findings.add(new Finding(name, false, problem)));
        if (problems.count > MAX_PROBLEMS) {
            findings.add(new Finding(name, false, "There are " + (problems.count - MAX_PROBLEMS) + " more of these"));
        }
    }

    /** @param unwritten whether nobody has it open */
    private void database(Path database, boolean unwritten, Optional<String> foreignLog) {
        if (foreignLog.isPresent()) {
            findings.add(new Finding("log", false, foreignLog.get()));
            return;
        }
        try {
            if (unwritten) {
                DatabaseFile.checkLength(database);
            }
        } catch (Refusal truncated) {
            findings.add(new Finding("length", false, truncated.getMessage() + ": restore a backup"));
            return;
        }
        try (Sql sql = DatabaseFile.connectToRead(database, BUSY_TIMEOUT_MILLIS, unwritten)) {
            sql.execute("pragma trusted_schema = off; pragma temp_store = memory");
            long version = DatabaseFile.version(sql, database);
            look("schema", problem -> schema(sql, version, problem));
            look("pages", problem -> {
                Integrity.pages(sql, line -> problem.accept(line + ": end serve and restore a backup"));
                return "pages that are whole, as the indexes are: " + sql.number("pragma page_count");
            });
            look("references", problem -> {
                Integrity.references(sql, line -> problem.accept(line + "; restore a backup"));
                return "rows refer to rows that are there";
            });
            if (version == Migrations.STET.latest()) {
                content(sql);
            }
        } catch (StoreException failure) {
            look("database", problem -> {
                throw failure;
            });
        }
    }

    /** Checks of the tables as this version of Stet knows them. */
    private void content(Sql sql) {
        look("texts", problem -> texts(sql, problem));
        look("versions", problem -> "versions with the columns that they were written with: "
                + Integrity.versions(sql, () -> { }, problem));
        look("published", problem -> published(sql, problem));
        look("trash", problem -> "deleted templates that can be restored: "
                + sql.number("select count(*) from templates where deleted_at is not null and removed_at is null"));
        look("includes", problem -> includes(sql, problem));
        look("counts", problem -> counts(sql, problem));
        look("storage", problem -> storage(sql, problem));
        look("clock", problem -> clock(sql, problem));
    }

    /** Reports the sentence of each row; none is kept here, as there may be many. */
    private static void each(Sql sql, Consumer<String> problem, String query) {
        sql.list(query, row -> {
            problem.accept((String) row.value(String.class, 1));
            return null;
        });
    }

    private static String schema(Sql sql, long version, Consumer<String> problem) throws IOException {
        if (version < Migrations.STET.latest()) {
            return "version " + version + ": serve upgrades it to " + Migrations.STET.latest() + ", and texts are checked from then on";
        }
        Set<String> expected;
        try (Sql fresh = Sql.open(new SQLiteConfig(), ":memory:")) {
            fresh.execute(DatabaseFile.schema());
            expected = names(fresh);
        }
        Set<String> missing = new TreeSet<>(expected);
        missing.removeAll(names(sql));
        missing.forEach(name -> problem.accept("The " + name + " is missing: restore a backup"));
        return "version " + version + " with all " + expected.size() + " tables, indexes and triggers";
    }

    private static Set<String> names(Sql sql) {
        return new TreeSet<>(sql.list(String.class, """
                select type || ' ' || name as name from sqlite_schema
                where name not like 'sqlite!_%' escape '!'
                """));
    }

    private static String texts(Sql sql, Consumer<String> problem) {
        Integrity.Texts texts = Integrity.texts(sql, () -> { }, problem);
        if (texts.orphans() > 0) {
            problem.accept("Texts that belong to nothing: " + texts.orphans() + ", of " + texts.orphanBytes()
                    + " bytes; they are served to nobody, and only take space");
        }
        return "texts of versions, drafts and shared blocks with the SHA-256 that they were written with: " + texts.texts();
    }

    private static String published(Sql sql, Consumer<String> problem) {
        each(sql, problem, """
                select 'The template ' || t.id || ' of ' || a.name || ' serves version ' || t.published
                  || ', which is not there: publish it again, or restore a backup'
                from templates t join accounts a on a.id = t.account_id
                where t.published is not null
                  and not exists (select 1 from versions where template = t.row and number = t.published)
                """);
        return "templates with the version that they serve: "
                + sql.number("select count(*) from templates where published is not null and deleted_at is null");
    }

    private static String storage(Sql sql, Consumer<String> problem) {
        each(sql, problem, """
                select 'The account ' || name || ' stores ' || stored || ' bytes, and ' || coalesce(bytes, 0)
                  || ' are counted: restore a backup'
                from (
                  select a.name, s.bytes, (select coalesce(sum(length(html)), 0) from texts where account_id = a.id)
                    + coalesce((
                      select sum(octet_length(document))
                      from templates t join samples on template = t.row where t.account_id = a.id), 0)
                    + coalesce((
                      select sum(octet_length(written_by) + octet_length(quote) + octet_length(text))
                      from comments where account_id = a.id), 0)
                    + coalesce((
                      select sum(octet_length(v.subject) + octet_length(v.variables) + octet_length(v.note))
                      from templates t join versions v on v.template = t.row where t.account_id = a.id), 0)
                    + coalesce((
                      select sum(octet_length(block) + length(b.sha256))
                      from templates t join version_blocks b on b.template = t.row where t.account_id = a.id), 0) as stored
                  from accounts a left join storage s on s.account_id = a.id
                  where a.deleted_at is null)
                where stored is not bytes
                """);
        return "bytes of accounts, as they are counted: " + sql.number("select coalesce(sum(bytes), 0) from storage");
    }

    private static String includes(Sql sql, Consumer<String> problem) {
        each(sql, problem, """
                select 'The shared block ' || i.block || ' of ' || a.name || ' cannot be deleted, as the ' || i.kind || ' '
                  || i.includer || ' that included it is gone: create that and delete it again'
                from includes i join accounts a on a.id = i.account_id and a.deleted_at is null
                where i.kind = 'template' and not exists (
                    select 1 from templates where account_id = a.id and id = i.includer and deleted_at is null)
                  or i.kind = 'block' and not exists (select 1 from blocks where account_id = a.id and name = i.includer)
                """);
        return "shared blocks are included by what is there";
    }

    private static String counts(Sql sql, Consumer<String> problem) {
        each(sql, problem, """
                select 'A count of ' || coalesce(a.name, 'a deleted account') || ' on ' || u.plan || ' is ' || u.used
                  || ', less than nothing: restore a backup'
                from usage u left join accounts a on a.id = u.account_id
                where u.used < 0
                """);
        long above = sql.number("""
                select count(*)
                from usage u join accounts a on a.id = u.account_id and a.plan = u.plan
                where u.used > coalesce(a.request_limit, iif(a.plan = 'pro', ?, ?))
                """, Plan.PRO.requests(), Plan.FREE.requests());
        return "counts in their bounds: " + sql.number("select count(*) from usage")
                + (above == 0 ? "" : "; above today's limit, as they may be where it was lowered: " + above);
    }

    private String clock(Sql sql, Consumer<String> problem) {
        return sql.first("""
                select * from (
                  select 'an account' as place, max(created_at) as at from accounts
                  union all select 'a key', max(created_at) from api_keys
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
                problem.accept("The clock says " + Timestamp.format(now) + ", but " + row.text("place") + " is of "
                        + Timestamp.format(newest) + ": set the clock right; if it is, it was ahead then, and that time stays"
                        + " until it is past");
            }
            return "the newest time is " + Timestamp.format(newest) + ", which is in the past";
        }).orElse("no time is stored yet");
    }

    // ---- the folder and its files, as the system has them: rights, owners and space

    /** Rights and owners of the folder and the files in it. In a folder of the owner alone, those of its files are of no matter. */
    static String permissions(Path folder, Consumer<String> problem) throws IOException {
        if (!LocalFiles.HAVE_MODES) {
            return "this file system has none";
        }
        try (Stream<Path> files = Files.list(folder)) {
            boolean isOpen = LocalFiles.isOpen(folder);
            if (isOpen) {
                problem.accept("Others may look into " + folder + ": chmod 700 " + folder);
            }
            String owner = owner(folder.resolve("stet.db"));
            for (Path file : files.filter(file -> !Files.isSymbolicLink(file)).sorted().toList()) {
                try {
                    if (isOpen && Files.isRegularFile(file)) {
                        filePermissions(file, problem);
                    }
                    String other = owner(file);
                    if (!other.equals(owner)) {
                        problem.accept(file + " belongs to " + other + ", but stet.db to " + owner
                                + ": chown -R " + owner + " " + folder);
                    }
                } catch (NoSuchFileException removed) {
                    // A serve or a command beside this one has ended, or has renamed it.
                }
            }
            return "only " + owner + " has access";
        }
    }

    private static String filePermissions(Path file, Consumer<String> problem) throws IOException {
        if (LocalFiles.isOpen(file)) {
            problem.accept("Others may read or write " + file + ": chmod 600 " + file);
        }
        return LocalFiles.HAVE_MODES ? "only its owner has access" : "this file system has none";
    }

    private static String owner(Path file) throws IOException {
        return Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).getName();
    }

    /** The file as a whole, compared with the SHA-256 beside it. */
    private static String checksum(Path file, Consumer<String> problem) throws IOException {
        try {
            Optional<String> expected = Checksum.read(file);
            if (expected.isPresent() && !expected.get().equals(Checksum.of(file))) {
                problem.accept(file + " has another SHA-256 than " + Checksum.beside(file) + " says: make or restore another backup");
            }
            return expected.isPresent() ? "the SHA-256 of the file is the one in " + Checksum.beside(file)
                    : "there is no " + Checksum.beside(file) + " to compare the whole file with";
        } catch (Refusal malformed) {
            problem.accept(malformed.getMessage());
            return "";
        }
    }

    /** Space for a copy of the database, which a backup or an upgrade makes, and the length of the log. */
    static String space(Path folder, Consumer<String> problem) {
        Path file = folder.resolve("stet.db");
        long database = file.toFile().length();
        long log = DataFolder.log(file).toFile().length();
        long free = folder.toFile().getUsableSpace();
        if (free < database + log) {
            problem.accept("The disk has " + Amount.megabytes(free) + " free, and the database " + Amount.megabytes(database + log)
                    + ": make room for a copy of it, which a backup or an upgrade needs");
        }
        if (log > MAX_LOG_BYTES) {
            problem.accept("The log stet.db-wal has grown to " + Amount.megabytes(log)
                    + ": end the program that holds the database open, or restart serve");
        }
        return Amount.megabytes(free) + " free, and the database has " + Amount.megabytes(database + log);
    }
}
