package stet.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import org.sqlite.NativeLibraryNotFoundException;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig;
import stet.core.Reason;
import stet.core.Refusal;

/** How a database is opened: made where there is none, checked, brought to today's version, connected to. */
final class Opening {
    /** The version of schema.sql; {@link Migrations} lead there from 1. */
    private static final int VERSION = 6;
    /** Before it, two connections that write at one instant may lose a commit (https://sqlite.org/wal.html#the_wal_reset_bug). */
    private static final String OLDEST = "3.51.3";
    private static final long APPLICATION = 0x53746574;
    /** How long a statement waits for another process's lock, in ms. */
    private static final int BUSY = 5_000;
    /** Pages that the log grows to before it is written back: SQLite's own 1000 would have every 150th commit wait for that. */
    private static final int CHECKPOINT = 4_000;

    private Opening() {
    }

    /**
     * @param locked whether the caller has the folder's lock
     * @return the first connection
     * @throws Refusal when the folder's database is not one to work with, and leaves it as it is
     */
    static Sql open(DataFolder folder, boolean locked, SynchronousMode synchronous) {
        folder.checkDatabase();
        folder.makePrivate();
        try {
            folder.prepareLibrary();
        } catch (IOException failure) {
            throw new Refusal("SQLite's library cannot be unpacked: " + Reason.of(failure));
        }
        if (Files.notExists(folder.database())) {
            create(folder, synchronous);
        }
        Sql sql = first(folder.database(), synchronous);
        try {
            checkVersion(sql, folder);
            sql.execute("pragma journal_mode = wal");
            migrate(sql, folder, locked);
        } catch (RuntimeException refused) {
            sql.close();
            throw refused;
        }
        return sql;
    }

    /**
     * Under another name first, so that a kill in between leaves no half-made database behind; one process at a time,
     * so that none replaces what another has made.
     */
    private static synchronized void create(DataFolder folder, SynchronousMode synchronous) {
        Path made = folder.path("stet.db.new");
        try (FileChannel channel = folder.lockFile("create.lock");
                FileLock alone = channel.lock()) {
            if (alone.isValid() && Files.exists(folder.database())) {
                return;
            }
            Files.deleteIfExists(made);
            DataFolder.createPrivate(made);
            try (Sql sql = first(made, synchronous)) {
                sql.execute("begin immediate;\n" + schema() + "\ncommit;");
                sql.execute("pragma journal_mode = wal"); // now: later two processes would do it at once, and one fail
            }
            DataFolder.settle(made, folder.database());
        } catch (IOException failure) {
            throw new Refusal(folder.database() + " cannot be made: " + Reason.of(failure));
        }
    }

    private static String schema() throws IOException {
        try (InputStream schema = Opening.class.getResourceAsStream("/schema.sql")) {
            return new String(schema.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The first connection: one that cannot be made is a reason not to begin. */
    private static Sql first(Path database, SynchronousMode synchronous) {
        try {
            Sql sql = connect(database, synchronous);
            checkLibrary(sql);
            return sql;
        } catch (SQLException failure) {
            throw refusal(database, failure);
        } catch (StoreException failure) {
            throw new Refusal(database + " cannot be read: " + failure.getMessage());
        }
    }

    static Sql connect(Path database, SynchronousMode synchronous) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY);
        config.setSynchronous(synchronous);
        config.enforceForeignKeys(true);
        config.setGetGeneratedKeys(false);
        Connection connection = config.createConnection("jdbc:sqlite:" + database);
        Sql sql = new Sql(connection);
        sql.execute("pragma trusted_schema = off; pragma temp_store = memory; pragma journal_size_limit = 67108864;"
                + "pragma wal_autocheckpoint = " + CHECKPOINT);
        return sql;
    }

    private static RuntimeException refusal(Path database, SQLException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof NativeLibraryNotFoundException || cause instanceof UnsatisfiedLinkError) {
                return new Refusal("SQLite's library cannot be loaded; java -Dorg.sqlite.tmpdir=DIR names a folder"
                        + " that it may be unpacked to and run from (" + cause.getMessage() + ")");
            }
        }
        return new Refusal(database + " cannot be opened: " + failure.getMessage());
    }

    private static void checkLibrary(Sql sql) {
        String version = sql.first("select sqlite_version() as version", row -> row.text("version")).orElseThrow();
        if (isTooOld(version)) {
            sql.close();
            throw new Refusal("SQLite " + version + " may lose what is committed; Stet needs " + OLDEST + " or newer");
        }
    }

    static boolean isTooOld(String version) {
        return Arrays.compare(numbers(version), numbers(OLDEST)) < 0;
    }

    private static int[] numbers(String version) {
        return Arrays.stream(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
    }

    private static void checkVersion(Sql sql, DataFolder folder) {
        long application;
        long version;
        try {
            application = sql.number("pragma application_id");
            version = sql.number("pragma user_version");
        } catch (StoreException failure) {
            throw new Refusal(folder.database() + " cannot be read: " + failure.getMessage());
        }
        if (application != APPLICATION) {
            throw new Refusal(folder.database() + " is a database, but not one of Stet");
        }
        if (version > VERSION) {
            throw new Refusal(folder.database() + " was written by a newer Stet (its version is " + version
                    + ", this one knows " + VERSION + ")");
        }
    }

    /** Not under a serve, which would be an older one and does not know what comes of it. */
    private static void migrate(Sql sql, DataFolder folder, boolean locked) {
        int from = (int) sql.number("pragma user_version");
        if (from == VERSION) {
            return;
        }
        FileLock lock = locked ? null
                : folder.lock(folder.database() + " is an older Stet's and in use: end its serve first, then this one can upgrade it");
        try {
            migrate(sql, folder, from);
        } finally {
            Db.release(lock);
        }
    }

    /** Under another name first, so that a kill in between leaves no half of a copy to be taken for the whole. */
    private static void keep(Sql sql, Path copy) {
        if (Files.exists(copy)) {
            return;
        }
        Path made = copy.resolveSibling(copy.getFileName() + ".new");
        try {
            Files.deleteIfExists(made);
            DataFolder.createPrivate(made);
            sql.update("vacuum into ?", made.toString());
            DataFolder.settle(made, copy); // the migration that follows cannot be undone
        } catch (IOException failure) {
            throw new Refusal(copy + " cannot be made: " + Reason.of(failure));
        }
    }

    /** Step by step, each in one transaction with its number; a copy of the old file is kept. */
    private static void migrate(Sql sql, DataFolder folder, int from) {
        keep(sql, folder.path("stet-v" + from + ".db"));
        sql.execute("pragma foreign_keys = off"); // a table that is replaced takes nothing with it
        for (int version = from; version < VERSION; version++) {
            sql.execute("begin immediate");
            try {
                if (sql.number("pragma user_version") == version) {
                    sql.execute(Migrations.from(version) + ";\npragma user_version = " + (version + 1));
                }
                sql.execute("commit");
            } catch (RuntimeException failure) {
                sql.execute("rollback");
                throw failure;
            }
        }
        sql.execute("pragma foreign_keys = on");
    }
}
