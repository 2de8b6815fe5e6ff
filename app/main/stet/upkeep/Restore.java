package stet.upkeep;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.base.FullDisk;
import stet.base.LocalFiles;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.base.Timestamp;
import stet.core.Account;
import stet.core.Actor;
import stet.core.SecretKind;
import stet.dao.Dao;
import stet.dao.Sql;
import stet.dao.StoreException;
import stet.sqlite.DataFolder;
import stet.sqlite.DatabaseFile;
import stet.sqlite.LogOwner;
import stet.sqlite.Migrations;
import stet.sqlite.NativeLibrary;
import stet.sqlite.Schema;

/**
 * Replaces the database in a data folder with a backup, keeping the old database.
 *
 * <pre>
 * FILE ─► tmp/COPY ─ verified, migrated ─────────────────────────────── renamed ─► stet.db
 *         stet.db ─ its log written into it, locked ─► also replaced-TIME/stet.db
 * </pre>
 *
 * <p>At any time, stet.db is either the old or the new database, and never has the other one's log beside it. A killed process therefore
 * leaves one of the two databases intact.
 */
public final class Restore {
    private final DataFolder folder;
    private final Instant now;
    /** Test hook, called after each step. */
    private final Consumer<String> step;

    public Restore(DataFolder folder, Instant now, Consumer<String> step) {
        this.folder = folder;
        this.now = now;
        this.step = step;
    }

    /**
     * A finished restore.
     *
     * @param sha256   the copy's SHA-256, in hex
     * @param compared whether the copy had a checksum file
     * @param previous empty if there was no database
     */
    public record Restored(String sha256, boolean compared, Contents restored, Optional<PreviousDatabase> previous) {
    }

    /** The database that was replaced. @param folder where it is kept @param contents empty if it cannot be read */
    public record PreviousDatabase(Path folder, Optional<Contents> contents) {
    }

    /**
     * Restores a database.
     *
     * @param data folder, created if it does not exist
     * @param copy bytes of the copy; closed by the caller
     * @param name name for the copy in messages
     * @throws Refusal if serve or a command is using the folder, or if the copy is not an intact Stet database; the data is left
     *                 unchanged
     */
    public static Restored into(Path data, InputStream copy, String name, Instant now) throws IOException {
        return new Restore(DataFolder.at(data), now, done -> { }).run(copy, name, Optional.empty());
    }

    /**
     * Restores a file.
     *
     * @throws Refusal       as for a stream, or if the file does not exist, is a folder, has a log or does not match its checksum
     * @throws SystemFailure if the file must not be read
     */
    public static Restored into(Path data, Path copy, Instant now) throws IOException {
        if (Files.isDirectory(copy)) {
            throw new Refusal(copy + " is a folder; use a backup file");
        }
        if (Files.exists(DataFolder.log(copy))) {
            throw new Refusal(copy + " is in use or was not closed properly ("
                    + DataFolder.log(copy) + " exists); restore a backup made by \"backup\"");
        }
        InputStream bytes;
        try {
            bytes = Files.newInputStream(copy);
        } catch (NoSuchFileException | AccessDeniedException failure) {
            throw SystemFailure.of("Cannot read " + copy, failure);
        }
        try (bytes) {
            DataFolder folder = DataFolder.at(data);
            FullDisk.check(data, Files.size(copy));
            return new Restore(folder, now, done -> { }).run(bytes, copy.toString(), Checksum.read(copy));
        }
    }

    /** @param expected SHA-256 of the copy in hex, if known */
    public Restored run(InputStream copy, String name, Optional<String> expected) throws IOException {
        NativeLibrary.load(folder, true);
        Sql lock = folder.lockForServe(folder.database() + " is in use by serve or another restore; stop that process first");
        try {
            folder.deleteTemporaryFiles(); // left by killed processes
            Path received = folder.temporaryFile();
            String sha256 = receive(copy, received);
            boolean isMismatch = expected.isPresent() && !expected.get().equals(sha256);
            Contents contents = prepare(received, name, isMismatch);
            step.accept("prepared");
            return new Restored(sha256, expected.isPresent(), contents, replace(received));
        } finally {
            folder.deleteTemporaryFiles();
            lock.close();
        }
    }

    /**
     * Receives the copy. Stops after the header if the copy is not a database.
     *
     * @return SHA-256 of the bytes received
     * @throws FullDisk if the disk has too little space for the size in the header, or becomes full
     */
    private static String receive(InputStream copy, Path received) throws IOException {
        DigestInputStream in = new DigestInputStream(copy, Checksum.digest());
        try (OutputStream out = Files.newOutputStream(received)) {
            byte[] header = in.readNBytes(DatabaseFile.HEADER_BYTES);
            boolean isDatabase = header.length == DatabaseFile.HEADER_BYTES && DataFolder.hasHeader(header);
            FullDisk.check(received.getParent(), isDatabase ? DatabaseFile.declaredLength(ByteBuffer.wrap(header)) : 0);
            out.write(header);
            if (isDatabase) {
                in.transferTo(out);
            }
        } catch (IOException failure) {
            if (!FullDisk.isCauseOf(failure)) {
                throw failure;
            }
            throw new FullDisk(received.getParent(), Files.size(received));
        }
        return Checksum.hex(in.getMessageDigest());
    }

    /**
     * Verifies and migrates the copy.
     *
     * @param name       name for the copy in messages
     * @param isMismatch whether the copy does not match its checksum, which is reported unless the copy is no complete database
     * @return a summary of its contents
     * @throws Refusal if it is not an intact Stet database
     */
    private Contents prepare(Path received, String name, boolean isMismatch) {
        try {
            DataFolder.checkDatabase(received);
            DatabaseFile.checkLength(received);
            if (isMismatch) {
                throw new Refusal(received + " does not match " + name + Checksum.SUFFIX
                        + ", so the file or its checksum has changed since the backup. Nothing was restored; use another backup");
            }
            try (Sql sql = DatabaseFile.connectPrivately(received)) {
                DatabaseFile.version(sql, received);
                Migrations.STET.run(sql);
                Schema.check(sql, Migrations.STET.latest(), received);
                Integrity.problems(sql, () -> { }).ifPresent(problems -> {
                    throw new Refusal(received + " is corrupted and was not restored; use another backup (" + problems + ")");
                });
                dropOutdated(sql);
                return Contents.of(sql, now);
            }
        } catch (Refusal refusal) {
            throw new Refusal(refusal.getMessage().replace(received.toString(), name));
        } catch (StoreException failure) {
            throw failure.isCorruption() ? new Refusal("Cannot read " + name + ": " + failure.getMessage()) : failure;
        }
    }

    /**
     * Signs all users out, so that sessions ended since the backup do not become valid again, and gives the database a new number. Ends the
     * emails that were waiting when the copy was made, because most of them have been sent since.
     */
    private void dropOutdated(Sql sql) {
        sql.execute("delete from sessions; update opened set number = random()");
        sql.update("""
                update mails
                set state = 'dropped', outcome = 'the database was restored from a backup', ended_at = ?, subject = null, html = null
                where state in ('waiting', 'sending')
                """, now);
        sql.execute("pragma journal_mode = wal"); // set now, because two processes setting WAL mode later could conflict
    }

    /** Puts the copy into place and keeps the old database. @return the old database; empty if there was none */
    private Optional<PreviousDatabase> replace(Path received) throws IOException {
        Path database = folder.database();
        if (Files.notExists(database) && Files.notExists(DataFolder.log(database))) {
            LocalFiles.syncAndRename(received, database);
            return Optional.empty();
        }
        Path kept = makeFolder();
        Optional<Contents> before = Optional.empty();
        try (Sql old = hold()) {
            if (old == null) {
                moveLog(kept);
            } else {
                before = contents(old);
            }
            step.accept("log kept");
            if (Files.exists(database)) {
                LocalFiles.linkOrCopy(database, kept.resolve("stet.db"));
                folder.own(kept.resolve("stet.db"));
            }
            step.accept("database kept");
            LocalFiles.syncFolder(kept);
            LocalFiles.syncAndRename(received, database);
            step.accept("renamed");
        } catch (Refusal | SystemFailure | IOException refused) {
            if (before.isPresent()) {
                Files.deleteIfExists(kept.resolve("stet.db"));
            }
            kept.toFile().delete(); // succeeds only if the folder is empty
            throw refused;
        }
        new LogOwner(folder).forget();
        return Optional.of(new PreviousDatabase(kept, before));
    }

    /** Moves the files beside the old database, which cannot be read or has another database's log. */
    private void moveLog(Path kept) throws IOException {
        for (String ending : List.of("-wal", "-shm", "-journal")) {
            Path file = DataFolder.beside(folder.database(), ending);
            if (Files.exists(file)) {
                Files.move(file, kept.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    /** Creates the folder for the old database. */
    private Path makeFolder() throws IOException {
        String name = "replaced-" + Timestamp.forFile(now);
        Path path = folder.path(name);
        for (int number = 2; Files.exists(path); number++) { // the name is already taken if another restore ran in the same second
            path = folder.path(name + "-" + number);
        }
        return folder.own(Files.createDirectory(path, LocalFiles.folderMode()));
    }

    /**
     * Checkpoints the old database and locks it against commands. A command waiting for the lock later detects that the file was
     * replaced.
     *
     * @return null if there is no readable old database, or if the log belongs to another database
     * @throws Refusal       if a command has the database open
     * @throws SystemFailure if its file cannot be read
     */
    private Sql hold() {
        Path database = folder.database();
        if (Files.notExists(database) || new LogOwner(folder).problem(false).isPresent()) {
            return null;
        }
        Sql sql = null;
        try {
            DataFolder.checkDatabase(database); // checked because SQLite may delete the log of a file that is not a database
            sql = DatabaseFile.connect(database, SynchronousMode.FULL);
            sql.execute("pragma locking_mode = exclusive");
            // Changes only the header. With a journal file, a killed process could leave a change that must be rolled back before check
            // can read the database.
            String mode = sql.first(String.class, "pragma journal_mode = memory").orElse("");
            sql.execute("begin exclusive");
            if (mode.equals("memory") && Files.notExists(DataFolder.log(database))) {
                return sql;
            }
        } catch (Refusal noDatabase) {
            return null;
        } catch (StoreException failure) {
            if (!failure.isBusy()) {
                close(sql);
                return null;
            }
        }
        close(sql);
        throw new Refusal(database + " is in use by another process; try again when that process has finished");
    }

    private static void close(Sql sql) {
        if (sql != null) {
            sql.close();
        }
    }

    /** The old database's contents; empty if they cannot be read. */
    private Optional<Contents> contents(Sql old) {
        try {
            return Optional.of(Contents.of(old, now));
        } catch (StoreException damaged) {
            return Optional.empty();
        }
    }

    /**
     * A summary of a database's contents, for comparison.
     *
     * @param lastChange the last time an account or key was created, a template was changed or published, or a request was counted; the
     *                   epoch if never
     */
    public record Contents(long accounts, long templates, long versions, List<ValidSecret> keys, List<ValidSecret> tokens,
            List<CountedRequests> used, Instant lastChange) {
        /** A currently valid key or deploy token. @param start first characters of the key or token */
        public record ValidSecret(String account, long id, String name, String start) {
        }

        /** Number of requests counted in an account's current period. */
        public record CountedRequests(String account, long requests, long limit) {
        }

        static Contents of(Sql sql, Instant now) {
            Dao dao = new Dao(sql, Actor.NONE);
            List<Account> accounts = dao.accounts().list();
            return new Contents(accounts.size(),
                    sql.number("""
                            select count(*) from templates t join accounts a on a.id = t.account_id
                            where a.deleted_at is null and t.deleted_at is null
                            """),
                    sql.number("select count(*) from versions"),
                    valid(sql, SecretKind.KEY, now), valid(sql, SecretKind.TOKEN, now),
                    accounts.stream().map(account -> new CountedRequests(account.name(),
                            dao.usage().used(account, account.period(now).start()), account.requests())).toList(),
                    sql.first(Instant.class, """
                            select coalesce(max(at), 0) from (
                              select max(created_at) as at from accounts
                              union all select max(created_at) from secrets where role is null
                              union all select max(updated_at) from templates
                              union all select max(published_at) from versions
                              union all select max(last_at) from requests
                            )""").orElseThrow());
        }

        private static List<ValidSecret> valid(Sql sql, SecretKind kind, Instant now) {
            return sql.list(ValidSecret.class, """
                    select a.name as account, s.id, s.name, s.start from secrets s join accounts a on a.id = s.account_id
                    where (s.role is null) = ? and a.deleted_at is null and (s.expires_at is null or s.expires_at > ?)
                    order by a.name, s.id
                    """, kind == SecretKind.KEY, now);
        }
    }
}
