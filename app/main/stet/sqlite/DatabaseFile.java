package stet.sqlite;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.function.LongSupplier;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig;
import stet.base.Amount;
import stet.base.LocalFiles;
import stet.base.Log;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.dao.Sql;
import stet.dao.StoreException;

/** Creates, checks, migrates and opens the database file. */
public final class DatabaseFile {
    /**
     * The oldest supported version of SQLite. Most earlier versions may lose a commit if two connections write or checkpoint at the
     * same time (https://sqlite.org/wal.html#the_wal_reset_bug).
     */
    private static final String OLDEST_SQLITE = "3.51.3";
    /** "Stet" in ASCII. */
    private static final long APPLICATION_ID = 0x53746574;
    /** Maximum time that a statement waits for another connection's lock. */
    private static final int BUSY_TIMEOUT_MILLIS = 5_000;
    /**
     * Log size, in pages, at which a commit runs a checkpoint. With SQLite's default of 1000, about every 150th commit would
     * wait for a checkpoint.
     */
    private static final int CHECKPOINT_PAGES = 4_000;
    /** With less free space, in bytes, a command checkpoints its log sooner, so that it reuses the log's space. */
    private static final long LITTLE_BYTES = 64 << 20;
    /** The part of that space that such a log may take: an eighth. */
    private static final long LOG_SHARE = 8;
    private static final long PAGE_BYTES = 4_096;
    /** Smaller logs would be checkpointed in each commit. */
    private static final long MIN_CHECKPOINT_PAGES = 16;
    /** Size in bytes to which SQLite truncates a log that it reuses. */
    private static final int LOG_SIZE_LIMIT = 64 << 20;
    /** Maximum wait for another process that is creating the database. */
    private static final int CREATION_MILLIS = 30_000;
    /** Size of the header at the start of a database file. */
    public static final int HEADER_BYTES = 100;

    private DatabaseFile() {
    }

    /** Modes in which connections open the file. */
    public enum Access {
        /** With the memory-mapped file {@code -shm}, like all processes that use the database together. */
        SHARED(""),
        /**
         * Without {@code -shm}, for which a full disk has no space, and locked against other processes
         * (https://sqlite.org/vfs.html#standard_unix_vfses, unix-excl).
         */
        ALONE("?vfs=unix-excl"),
        /** Read-only, with a log that is read as well. */
        READ_ONLY("?mode=ro"),
        /** Read-only, without a log. SQLite uses no locks and no companion files. */
        IMMUTABLE("?mode=ro&immutable=1");

        private final String parameters;

        Access(String parameters) {
            this.parameters = parameters;
        }

        boolean isReadOnly() {
            return this == READ_ONLY || this == IMMUTABLE;
        }
    }

    /** The first connection and the file watch. The watch starts before the file is opened, so a restore in between is detected. */
    record OpenedDatabase(Sql sql, FileWatch file, Access access) {
    }

    /**
     * Opens the database, and creates or migrates it if necessary.
     *
     * @param locked   whether the caller holds the folder's lock
     * @param nanoTime as {@link System#nanoTime}
     * @throws Refusal if the file cannot be used; its data is left unchanged
     */
    static OpenedDatabase open(DataFolder folder, boolean locked, SynchronousMode synchronous, Migrations migrations, Log log,
            LongSupplier nanoTime) {
        boolean isBesideServe = !locked && folder.isServed();
        boolean isNew = !folder.hasDatabase(locked);
        Path database = folder.database();
        if (!isNew) {
            DataFolder.checkDatabase(database);
        }
        if (isBesideServe && !isNew) {
            folder.checkServed();
        }
        if (!locked && folder.notWritable().isPresent()) {
            return openReadOnly(folder, isBesideServe, migrations, log, nanoTime);
        }
        folder.makePrivate(log);
        LogOwner logs = checkedLog(folder, isBesideServe);
        if (isNew) {
            create(folder, synchronous);
        }
        boolean hasLog = logs.hasLog();
        FileWatch file = new FileWatch(database, log, nanoTime);
        OpenedDatabase opened = connectForWriting(database, file, synchronous, migrations, !locked && !isBesideServe);
        Sql sql = opened.sql;
        try {
            migrations.run(sql, folder, locked, log);
            Schema.check(sql, migrations.latest(), database);
            if (!isBesideServe) {
                logs.forgetOther(hasLog);
                if (!locked && isTight(folder)) { // a command that deletes data needs space for its log
                    sql.execute("pragma wal_autocheckpoint = " + Math.max(MIN_CHECKPOINT_PAGES, folder.freeBytes() / LOG_SHARE / PAGE_BYTES));
                }
            }
            return opened;
        } catch (RuntimeException refused) {
            sql.close();
            throw refused;
        }
    }

    /** @throws Refusal if the log belongs to another database */
    private static LogOwner checkedLog(DataFolder folder, boolean isBesideServe) {
        LogOwner logs = new LogOwner(folder);
        logs.problem(isBesideServe).ifPresent(sentence -> {
            throw new Refusal(sentence);
        });
        return logs;
    }

    /** @param mayBeAlone whether to lock the file against other processes if the disk has no space for the file {@code -shm} */
    private static OpenedDatabase connectForWriting(Path database, FileWatch file, SynchronousMode synchronous, Migrations migrations,
            boolean mayBeAlone) {
        try {
            return new OpenedDatabase(connectInWalMode(database, file, synchronous, Access.SHARED, migrations), file, Access.SHARED);
        } catch (StoreException full) {
            if (!mayBeAlone || !full.isOfDisk() || !LocalFiles.HAVE_MODES) {
                throw full;
            }
            return new OpenedDatabase(connectInWalMode(database, file, synchronous, Access.ALONE, migrations), file, Access.ALONE);
        }
    }

    /** Whether the disk has so little space that large transactions may fail. */
    static boolean isTight(DataFolder folder) {
        return folder.freeBytes() < LITTLE_BYTES;
    }

    /** Opens the first connection, for which SQLite creates the file {@code -shm}. */
    private static Sql connectInWalMode(Path database, FileWatch file, SynchronousMode synchronous, Access access, Migrations migrations) {
        Sql sql = connectFirst(database, synchronous, access);
        try {
            migrations.check(stetVersion(sql, database), database);
            if (!file.isThere()) {
                throw new Refusal(database + " was replaced while it was being opened; try again");
            }
            sql.execute("pragma journal_mode = wal");
            return sql;
        } catch (RuntimeException failure) {
            sql.close();
            throw failure;
        }
    }

    /** Opens a database that this process cannot write to, so that its data can be read. */
    private static OpenedDatabase openReadOnly(DataFolder folder, boolean isBesideServe, Migrations migrations, Log log, LongSupplier nanoTime) {
        Path database = folder.database();
        LogOwner logs = checkedLog(folder, isBesideServe);
        Access access = logs.hasLog() || isBesideServe ? Access.READ_ONLY : Access.IMMUTABLE;
        FileWatch file = new FileWatch(database, log, nanoTime);
        try {
            Sql sql = connect(database, SynchronousMode.FULL, access);
            try {
                long version = stetVersion(sql, database);
                migrations.check(version, database);
                if (version < migrations.latest()) {
                    throw new SystemFailure(folder.notWritable().orElse("") + ". The database must be upgraded before it can be read");
                }
                Schema.check(sql, version, database);
                return new OpenedDatabase(sql, file, access);
            } catch (RuntimeException failure) {
                sql.close();
                throw failure;
            }
        } catch (StoreException failure) {
            if (access == Access.READ_ONLY && failure.isOfDisk()) {
                throw new SystemFailure(folder.notWritable().orElse("") + ". To read the database, copy " + database + " and "
                        + DataFolder.log(database) + " to another folder, and name this folder with --data");
            }
            throw failure;
        }
    }

    /**
     * Creates the database under a temporary name, so that a killed process leaves no partial database. A lock ensures that no process
     * replaces a database that another process has just created.
     */
    private static void create(DataFolder folder, SynchronousMode synchronous) {
        Sql alone = folder.tryLock("create.lock", CREATION_MILLIS)
                .orElseThrow(() -> new Refusal("Another process is creating " + folder.database() + "; try again"));
        Path temporary = folder.temporaryFile();
        try {
            if (Files.notExists(folder.database())) {
                try (Sql sql = connectFirst(temporary, synchronous, Access.SHARED)) {
                    sql.execute("begin;\n" + schema() + "\ncommit;");
                    sql.execute("pragma journal_mode = wal"); // set now, because two processes setting WAL mode later could conflict
                }
                LocalFiles.syncAndRename(temporary, folder.database());
            }
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot create " + folder.database(), failure);
        } finally {
            temporary.toFile().delete();
            alone.close();
        }
    }

    /** The SQL script that creates the latest schema version. */
    static String schema() throws IOException {
        try (InputStream schema = DatabaseFile.class.getResourceAsStream("/stet/schema.sql")) {
            return new String(schema.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Opens the first connection and checks SQLite's version. */
    private static Sql connectFirst(Path database, SynchronousMode synchronous, Access access) {
        Sql sql;
        try {
            sql = connect(database, synchronous, access);
        } catch (StoreException failure) {
            throw unreadable(database, failure);
        }
        String version = sql.first(String.class, "select sqlite_version()").orElseThrow();
        if (isTooOld(version) && synchronous != SynchronousMode.OFF) { // temporary data needs no durability
            sql.close();
            throw new Refusal("SQLite " + version + " may lose committed data; Stet needs " + OLDEST_SQLITE + " or newer");
        }
        return sql;
    }

    static boolean isTooOld(String version) {
        return Version.parse(version).compareTo(Version.parse(OLDEST_SQLITE)) < 0;
    }

    /** Returns the failure itself if the disk caused it, because disk failures may be temporary; otherwise a {@link Refusal}. */
    private static RuntimeException unreadable(Path database, StoreException failure) {
        if (failure.isUnfinished()) {
            Path folder = database.toAbsolutePath().getParent();
            return new Refusal(DataFolder.beside(database, "-journal") + " contains an unfinished change by a program that was killed; "
                    + (database.endsWith("stet.db") ? "run \"account list --data " + folder + "\" to undo it, then try again" : "use another copy"));
        }
        return failure.isOfDisk() ? failure : new Refusal("Cannot read " + database + ": " + failure.getMessage());
    }

    /** Connects like all processes that use the database together. */
    public static Sql connect(Path database, SynchronousMode synchronous) {
        return connect(database, synchronous, Access.SHARED);
    }

    public static Sql connect(Path database, SynchronousMode synchronous, Access access) {
        Properties settings = new Properties();
        settings.setProperty("jdbc.get_generated_keys", "false"); // set by name because some apps have a driver without the setter
        SQLiteConfig config = new SQLiteConfig(settings);
        config.setBusyTimeout(BUSY_TIMEOUT_MILLIS);
        config.setSynchronous(synchronous);
        config.enforceForeignKeys(true);
        config.setReadOnly(access.isReadOnly());
        Sql sql = Sql.open(config, database, access.parameters);
        try {
            sql.execute("pragma trusted_schema = off; pragma temp_store = memory; pragma journal_size_limit = " + LOG_SIZE_LIMIT + ";"
                    + "pragma wal_autocheckpoint = " + CHECKPOINT_PAGES);
            return sql;
        } catch (StoreException failure) {
            sql.close();
            throw failure;
        }
    }

    /** Opens a file read-only, without its log and without creating files beside it. */
    public static Sql connectImmutable(Path file) {
        return connectReadOnly(file, 0, Access.IMMUTABLE);
    }

    /** @param access {@link Access#IMMUTABLE} only if no other process writes to the file */
    public static Sql connectReadOnly(Path file, int busyMillis, Access access) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(busyMillis);
        return Sql.open(config, file, access.parameters);
    }

    /** Opens a private copy without syncing. A killed process may leave the copy corrupted. */
    public static Sql connectPrivately(Path copy) {
        Sql sql = connect(copy, SynchronousMode.OFF);
        sql.execute("pragma journal_mode = memory");
        return sql;
    }

    /**
     * Checks that a database without a log has all pages declared in its header
     * (https://sqlite.org/fileformat.html#the_database_header).
     *
     * @throws Refusal       if pages are missing, or the file does not exist
     * @throws SystemFailure if it cannot be read
     */
    public static void checkLength(Path database) {
        try (InputStream file = Files.newInputStream(database)) {
            ByteBuffer header = ByteBuffer.wrap(file.readNBytes(HEADER_BYTES));
            long bytes = Files.size(database);
            if (!DataFolder.hasHeader(header.array())) {
                return; // other checks report that the file is not a database
            }
            if (header.limit() < HEADER_BYTES) {
                throw new Refusal(database + " is truncated to " + bytes + " bytes");
            }
            long whole = declaredLength(header);
            if (bytes < whole) {
                throw new Refusal(database + " is truncated to " + bytes + " of " + whole + " bytes; "
                        + Amount.megabytes(whole - bytes) + " is missing");
            }
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot read " + database, failure);
        }
    }

    /**
     * The file length declared in a header of {@link #HEADER_BYTES} bytes, or 0 if the declared length is not valid
     * (https://sqlite.org/fileformat.html#the_database_header).
     */
    public static long declaredLength(ByteBuffer header) {
        int pageSize = header.getShort(16) & 0xffff;
        boolean isCounted = header.getInt(24) == header.getInt(92);
        return isCounted ? (header.getInt(28) & 0xffffffffL) * (pageSize == 1 ? 1 << 16 : pageSize) : 0;
    }

    /** Whether a file is empty or a Stet database. */
    public static boolean isStetOrEmpty(Path file) {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        if (file.toFile().length() == 0) {
            return true;
        }
        try (Sql sql = connectImmutable(file)) {
            return sql.number("pragma application_id") == APPLICATION_ID;
        } catch (StoreException other) {
            return false;
        }
    }

    /** @return the schema version @throws Refusal if the file is not a Stet database or its schema version is not supported */
    public static long version(Sql sql, Path database) {
        long version = stetVersion(sql, database);
        Migrations.STET.check(version, database);
        return version;
    }

    private static long stetVersion(Sql sql, Path database) {
        try {
            if (sql.number("pragma application_id") == APPLICATION_ID) {
                return sql.number("pragma user_version");
            }
        } catch (StoreException failure) {
            throw unreadable(database, failure);
        }
        throw new Refusal(database + " is not a Stet database; use another file or folder");
    }
}
