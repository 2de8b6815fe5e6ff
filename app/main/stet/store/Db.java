package stet.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.sqlite.SQLiteConfig;
import stet.core.Refusal;

/**
 * The open database: one connection that writes, used by one thread at a time, and a few that read.
 *
 * <p>A write is durable when {@link #write} returns: write-ahead log, {@code synchronous=FULL}. The {@link #generation}
 * tells whether anything that is kept in memory is still what the database holds.
 */
public final class Db implements AutoCloseable {
    /** The version of schema.sql; {@link #MIGRATIONS} leads there from 1. */
    static final int VERSION = 1;
    /** What makes version n + 2 of version n + 1, for each index n: SQL of one transaction. */
    static final List<String> MIGRATIONS = List.of();

    private static final long APPLICATION = 0x53746574;
    /** How long a statement waits for another process's lock, in ms. */
    private static final int BUSY = 5_000;
    /** The same for a command beside a serve under load, which takes the lock again as soon as it gave it back. */
    private static final int BUSY_BESIDE_SERVE = 30_000;

    private final DataFolder folder;
    private final FileLock lock;
    private final Dao writer;
    private final ReentrantLock writing = new ReentrantLock();
    private final ConcurrentLinkedDeque<Dao> readers = new ConcurrentLinkedDeque<>();
    private volatile long generation;
    private volatile boolean closed;
    private long foreign;

    private Db(DataFolder folder, FileLock lock, Dao writer) {
        this.folder = folder;
        this.lock = lock;
        this.writer = writer;
        this.foreign = dataVersion();
    }

    /** Opens the folder for a command, beside a serve that may be running on it. */
    public static Db open(Path path, boolean create) {
        Db db = open(DataFolder.at(path, create), null);
        db.writer.sql().execute("pragma busy_timeout = " + BUSY_BESIDE_SERVE);
        return db;
    }

    /** Opens the folder for serve, which must be the only one on it; makes it where there is none. */
    public static Db serve(Path path) {
        DataFolder folder = DataFolder.at(path, true);
        FileLock lock = folder.lock();
        try {
            return open(folder, lock);
        } catch (RuntimeException refused) {
            release(lock);
            throw refused;
        }
    }

    private static Db open(DataFolder folder, FileLock lock) {
        folder.checkDatabase();
        try {
            folder.prepareLibrary();
        } catch (IOException failure) {
            throw new Refusal("SQLite's library cannot be unpacked: " + failure.getMessage());
        }
        if (Files.notExists(folder.database())) {
            create(folder);
        }
        Sql sql = connect(folder.database());
        try {
            checkVersion(sql, folder);
            sql.execute("pragma journal_mode = wal");
            migrate(sql, folder);
        } catch (RuntimeException refused) {
            sql.close();
            throw refused;
        }
        return new Db(folder, lock, new Dao(sql));
    }

    /**
     * Under a name of its own first, so that a kill in between leaves no half-made database, and of two processes
     * that make it at once neither replaces what the other one has written to already.
     */
    private static void create(DataFolder folder) {
        try {
            Path made = Files.createTempFile(folder.path(""), "stet", ".new");
            try {
                try (Sql sql = connect(made)) {
                    sql.execute("begin immediate;\n" + schema() + "\ncommit;");
                    sql.execute("pragma journal_mode = wal");
                }
                Files.createLink(folder.database(), made);
            } catch (FileAlreadyExistsException other) {
                // Another process was faster.
            } catch (UnsupportedOperationException | FileSystemException noLinks) {
                Files.move(made, folder.database(), StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(made);
            }
        } catch (IOException failure) {
            throw new Refusal(folder.database() + " cannot be made: " + failure.getMessage());
        }
    }

    static String schema() throws IOException {
        try (InputStream schema = Db.class.getResourceAsStream("/schema.sql")) {
            return new String(schema.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    static Sql connect(Path database) {
        try {
            SQLiteConfig config = new SQLiteConfig();
            config.setBusyTimeout(BUSY);
            config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
            config.enforceForeignKeys(true);
            config.setGetGeneratedKeys(false);
            Connection connection = config.createConnection("jdbc:sqlite:" + database);
            Sql sql = new Sql(connection);
            sql.execute("pragma trusted_schema = off; pragma temp_store = memory; pragma journal_size_limit = 67108864");
            return sql;
        } catch (SQLException failure) {
            throw refusal(database, failure);
        }
    }

    private static RuntimeException refusal(Path database, SQLException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof org.sqlite.NativeLibraryNotFoundException || cause instanceof UnsatisfiedLinkError) {
                return new Refusal("SQLite's library cannot be loaded; java -Dorg.sqlite.tmpdir=DIR names a folder"
                        + " that it may be unpacked to and run from (" + cause.getMessage() + ")");
            }
        }
        return new Refusal(database + " cannot be opened: " + failure.getMessage());
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

    /** Step by step, each in one transaction with its number; a copy of the old file is kept. */
    private static void migrate(Sql sql, DataFolder folder) {
        int from = (int) sql.number("pragma user_version");
        if (from == VERSION) {
            return;
        }
        Path copy = folder.path("stet-v" + from + ".db");
        if (Files.notExists(copy)) {
            sql.update("vacuum into ?", copy.toString());
        }
        for (int version = from; version < VERSION; version++) {
            sql.execute("begin immediate");
            try {
                if (sql.number("pragma user_version") == version) {
                    sql.execute(MIGRATIONS.get(version - 1) + ";\npragma user_version = " + (version + 1));
                }
                sql.execute("commit");
            } catch (RuntimeException failure) {
                sql.execute("rollback");
                throw failure;
            }
        }
    }

    /** Answers from one of the reading connections, which see every committed write. */
    public <T> T read(Function<Dao, T> question) {
        Dao reader = Optional.ofNullable(readers.poll()).orElseGet(this::newReader);
        try {
            return question.apply(reader);
        } finally {
            readers.push(reader);
            if (closed) {
                closeReaders();
            }
        }
    }

    /** Answers as {@link #read} does, with all its questions put to one state of the database. */
    public <T> T snapshot(Function<Dao, T> questions) {
        return read(dao -> {
            dao.sql().execute("begin");
            try {
                return questions.apply(dao);
            } finally {
                dao.sql().execute("rollback");
            }
        });
    }

    private Dao newReader() {
        Sql sql = connect(folder.database());
        sql.execute("pragma query_only = on");
        return new Dao(sql);
    }

    /** Runs work in one transaction, all of it or, when it throws, nothing. */
    public <T> T write(Function<Dao, T> work) {
        return write(work, true);
    }

    /** Runs work as {@link #write} does and takes it back: for what would happen. */
    public <T> T rehearse(Function<Dao, T> work) {
        return write(work, false);
    }

    private <T> T write(Function<Dao, T> work, boolean keep) {
        writing.lock();
        try {
            begin();
            boolean committed = false;
            try {
                T result = work.apply(writer);
                if (keep) {
                    writer.sql().execute("commit");
                    committed = true;
                }
                return result;
            } finally {
                if (committed) {
                    generation++;
                } else {
                    rollback();
                }
            }
        } finally {
            writing.unlock();
        }
    }

    public void change(Consumer<Dao> work) {
        write(dao -> {
            work.accept(dao);
            return null;
        });
    }

    /**
     * Changes with every write of this process but the counter's, and once another process's write was noticed, which
     * the counter looks for in each of its transactions, and {@link #notice} when it is called.
     */
    public long generation() {
        return generation;
    }

    /** The lock on the one writing connection, for the counter. */
    ReentrantLock writing() {
        return writing;
    }

    Dao writer() {
        return writer;
    }

    /** Looks for another process's writes, unless this one is writing and so looks anyway. */
    public void notice() {
        if (writing.tryLock()) {
            try {
                if (!closed) {
                    compare();
                }
            } finally {
                writing.unlock();
            }
        }
    }

    private void compare() {
        long version = dataVersion();
        if (version != foreign) {
            foreign = version;
            generation++;
        }
    }

    /** Begins the transaction that writes; from here to its end no other process can. */
    void begin() {
        try {
            writer.sql().execute("begin immediate");
            compare();
        } catch (Throwable failure) {
            rollback();
            throw failure;
        }
    }

    /** Does nothing where SQLite has rolled back by itself, as it does when the disk is full. */
    void rollback() {
        try {
            writer.sql().execute("rollback");
        } catch (StoreException noTransaction) {
            // What failed before is what the caller hears of.
        }
    }

    private long dataVersion() {
        return writer.sql().number("pragma data_version");
    }

    /**
     * Waits for a write under way, empties the log into the database and gives the folder back. A command leaves the
     * log to serve, which it would hold up; where none runs, SQLite empties it with the last connection.
     */
    @Override
    public void close() {
        writing.lock();
        try {
            closed = true;
            closeReaders();
            try {
                if (lock != null) {
                    writer.sql().execute("pragma wal_checkpoint(truncate)");
                }
            } finally {
                writer.sql().close();
                release(lock);
            }
        } finally {
            writing.unlock();
        }
    }

    private void closeReaders() {
        for (Dao reader = readers.poll(); reader != null; reader = readers.poll()) {
            reader.sql().close();
        }
    }

    private static void release(FileLock lock) {
        if (lock != null) {
            try {
                lock.channel().close();
            } catch (IOException gone) {
                // The system gives it back with the process.
            }
        }
    }
}
