package stet.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.Arrays;
import org.sqlite.NativeLibraryNotFoundException;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;
import org.sqlite.util.OSInfo;
import stet.core.Reason;
import stet.core.Refusal;

/** Opens the database file: creates it where there is none, checks it, migrates it, and connects to it. */
final class DatabaseFile {
    /** Before it, two connections that write at one instant may lose a commit (https://sqlite.org/wal.html#the_wal_reset_bug). */
    private static final String OLDEST_SQLITE = "3.51.3";
    /** "Stet" in ASCII. */
    private static final long APPLICATION_ID = 0x53746574;
    /** Timeout of a statement that waits for another process's lock. */
    private static final int BUSY_TIMEOUT_MILLIS = 5_000;
    /** Pages of the log before a commit checkpoints it. SQLite's own 1000 would have every 150th commit wait for that. */
    private static final int CHECKPOINT_PAGES = 4_000;

    private DatabaseFile() {
    }

    /**
     * @param locked whether the caller holds the folder's lock
     * @return the first connection
     * @throws Refusal when the file cannot be used; then it is left as it is
     */
    static Sql open(DataFolder folder, boolean locked, SynchronousMode synchronous) {
        folder.checkDatabase();
        folder.makePrivate();
        try {
            prepareLibrary(folder);
        } catch (IOException failure) {
            throw new Refusal("SQLite's library cannot be unpacked: " + Reason.of(failure));
        }
        if (Files.notExists(folder.database())) {
            create(folder, synchronous);
        }
        Sql sql = connectFirst(folder.database(), synchronous);
        try {
            check(sql, folder.database());
            sql.execute("pragma journal_mode = wal");
            Migrations.run(sql, folder, locked);
        } catch (RuntimeException refused) {
            sql.close();
            throw refused;
        }
        return sql;
    }

    /**
     * Unpacks SQLite's native library into the folder, once for each version, and has the driver load it from there. The
     * driver itself would unpack it to the system's temporary folder at every start, and a kill would leave it there.
     */
    private static void prepareLibrary(DataFolder folder) throws IOException {
        if (System.getProperty("org.sqlite.lib.path") != null || System.getProperty("org.sqlite.tmpdir") != null) {
            return;
        }
        String name = LibraryLoaderUtil.getNativeLibName();
        String platform = OSInfo.getNativeLibFolderPathForCurrentOS(); // once: it runs a program to find out
        Path home = folder.path("native").resolve(platform.replace('/', '-') + "-" + SQLiteJDBCLoader.getVersion());
        Path library = home.resolve(name);
        if (Files.notExists(library)) {
            try (InputStream packed = DatabaseFile.class.getResourceAsStream("/org/sqlite/native/" + platform + "/" + name)) {
                if (packed == null) {
                    return;
                }
                Files.createDirectories(home, DataFolder.FOLDER_MODE);
                Path unpacked = Files.createTempFile(home, "lib", ".tmp");
                try (OutputStream out = Files.newOutputStream(unpacked)) {
                    packed.transferTo(out);
                }
                Files.move(unpacked, library, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        System.setProperty("org.sqlite.lib.path", home.toAbsolutePath().toString());
        System.setProperty("org.sqlite.lib.name", name);
    }

    /**
     * Creates it under another name first, so that a kill in between leaves no half-made database. One process does it at a
     * time, so that none replaces the database of another.
     */
    private static synchronized void create(DataFolder folder, SynchronousMode synchronous) {
        Path temporary = folder.path("stet.db.new");
        try (FileChannel channel = folder.openLockFile("create.lock");
                FileLock alone = channel.lock()) {
            if (alone.isValid() && Files.exists(folder.database())) {
                return;
            }
            Files.deleteIfExists(temporary);
            DataFolder.createPrivate(temporary);
            try (Sql sql = connectFirst(temporary, synchronous);
                    InputStream schema = DatabaseFile.class.getResourceAsStream("/schema.sql")) {
                sql.execute("begin;\n" + new String(schema.readAllBytes(), StandardCharsets.UTF_8) + "\ncommit;");
                sql.execute("pragma journal_mode = wal"); // later two processes would do it at once, and one fail
            }
            DataFolder.syncAndRename(temporary, folder.database());
        } catch (IOException failure) {
            throw new Refusal(folder.database() + " cannot be made: " + Reason.of(failure));
        }
    }

    /** Makes the first connection: where it fails, the start is refused. */
    private static Sql connectFirst(Path database, SynchronousMode synchronous) {
        try {
            Sql sql = connect(database, synchronous);
            String version = sql.first("select sqlite_version() as version", row -> row.text("version")).orElseThrow();
            if (isTooOld(version)) {
                sql.close();
                throw new Refusal("SQLite " + version + " may lose what is committed; Stet needs " + OLDEST_SQLITE + " or newer");
            }
            return sql;
        } catch (StoreException failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof NativeLibraryNotFoundException || cause instanceof UnsatisfiedLinkError) {
                    throw new Refusal("SQLite's library cannot be loaded; java -Dorg.sqlite.tmpdir=DIR names a folder"
                            + " that it may be unpacked to and run from (" + cause.getMessage() + ")");
                }
            }
            throw new Refusal(database + " cannot be read: " + failure.getMessage());
        }
    }

    static Sql connect(Path database, SynchronousMode synchronous) {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_TIMEOUT_MILLIS);
        config.setSynchronous(synchronous);
        config.enforceForeignKeys(true);
        config.setGetGeneratedKeys(false);
        try {
            Sql sql = new Sql(config.createConnection("jdbc:sqlite:" + database));
            sql.execute("pragma trusted_schema = off; pragma temp_store = memory; pragma journal_size_limit = 67108864;"
                    + "pragma wal_autocheckpoint = " + CHECKPOINT_PAGES);
            return sql;
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    static boolean isTooOld(String version) {
        return Arrays.compare(numbers(version), numbers(OLDEST_SQLITE)) < 0;
    }

    private static int[] numbers(String version) {
        return Arrays.stream(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
    }

    private static void check(Sql sql, Path database) {
        long application;
        long version;
        try {
            application = sql.number("pragma application_id");
            version = sql.number("pragma user_version");
        } catch (StoreException failure) {
            throw new Refusal(database + " cannot be read: " + failure.getMessage());
        }
        if (application != APPLICATION_ID) {
            throw new Refusal(database + " is a database, but not one of Stet");
        }
        Migrations.check(version, database);
    }
}
