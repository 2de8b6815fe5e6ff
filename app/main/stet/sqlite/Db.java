package stet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.base.Log;
import stet.base.Metrics;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Actor;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * The open database: a write connection, used by one thread at a time, and two pools of read connections.
 *
 * <p>Each write is a transaction, which is rolled back if the function throws. The write methods differ in which caches they invalidate and
 * whether they sync the commit to disk (write-ahead log, {@code synchronous=FULL}) before returning:
 *
 * <pre>
 * method                          stale caches      synced   for
 * write(work), change             all               yes      accounts, plans, limits, counts
 * write(account, work)            of that account   yes      its templates, blocks and keys
 * writeUncached, changeUncached   none              yes      sessions, request counts
 * writeLater                      none              no       statistics, failed sign-ins
 * inSlices                        none              no       work of any size: imports, garbage, compaction
 * </pre>
 */
public final class Db implements AutoCloseable {
    private static final int COMMAND_BUSY_TIMEOUT_MILLIS = 30_000;
    static final int SERVE_BUSY_TIMEOUT_MILLIS = 5_000;
    static final int PAGE_READERS = 8;
    private static final int API_READERS = 4;
    private static final int READ_TIMEOUT_MILLIS = 10_000;
    private static final int MAX_ATTEMPTS = 8;

    private final DataFolder folder;
    /** Serve's lock, or null in a command. */
    private final Sql lock;
    private final SynchronousMode synchronous;
    private final Writer writer;
    private final ConnectionPool pageReaders;
    private final ConnectionPool apiReaders;
    private final Generations generations = new Generations();
    private final AtomicLong imports = new AtomicLong();
    private final Metrics metrics = new Metrics();
    private final Log log;
    private final Health health;
    private final Checkpointer checkpointer;
    /** Detects whether the open file was removed or replaced. */
    final FileWatch file;
    private final DatabaseFile.Access access;
    private volatile boolean closed;

    private Db(DataFolder folder, Sql lock, SynchronousMode synchronous, Log log, LongSupplier nanoTime) {
        this.log = log;
        this.folder = folder;
        this.lock = lock;
        this.synchronous = synchronous;
        this.health = new Health(this, folder);
        this.pageReaders = new ConnectionPool(PAGE_READERS, READ_TIMEOUT_MILLIS, this::connectReader, health);
        this.apiReaders = new ConnectionPool(API_READERS, READ_TIMEOUT_MILLIS, this::connectReader, health);
        DatabaseFile.OpenedDatabase opened = DatabaseFile.open(folder, lock != null, synchronous, Migrations.STET, log, nanoTime);
        opened.sql().retryWhileBusy(lock == null ? COMMAND_BUSY_TIMEOUT_MILLIS : SERVE_BUSY_TIMEOUT_MILLIS);
        Dao dao = new Dao(opened.sql(), lock == null ? Actor.COMMAND_LINE : Actor.NONE);
        this.file = opened.file();
        this.access = opened.access();
        this.writer = new Writer(this, dao, synchronous, access.isReadOnly() ? folder::notWritable : Optional::empty);
        if (lock != null) {
            file.watchAll(opened.sql(), folder.path(DataFolder.SERVE_LOCK));
        }
        checkpointer = new Checkpointer(this, this::connect, new LogOwner(folder));
    }

    /**
     * Opens a folder for a command, even if {@code serve} is using the folder. Unless {@code create} is true, the folder may be on a full
     * or read-only disk; then writing fails, and reading works.
     *
     * @param create whether to create a missing database
     * @throws Refusal if the database is missing and is not to be created, or is unusable
     */
    public static Db open(Path path, boolean create) {
        DataFolder folder = create ? DataFolder.at(path) : DataFolder.asItIs(path);
        if (!create) {
            folder.requireDatabase();
        }
        NativeLibrary.load(folder, create || folder.notWritable().isEmpty());
        return new Db(folder, null, SynchronousMode.FULL, Log.none(), System::nanoTime);
    }

    /** Opens a folder for serve, creating it if necessary. @throws Refusal if the folder is in use or unusable */
    public static Db serve(Path path, Log log) {
        return serve(path, log, System::nanoTime);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    public static Db serve(Path path, Log log, LongSupplier nanoTime) {
        return serve(path, SynchronousMode.FULL, log, nanoTime);
    }

    /** Like {@link #serve}, but for temporary data. Commits are not synced. */
    public static Db openTemporary(Path path, Log log) {
        return serve(path, SynchronousMode.OFF, log, System::nanoTime);
    }

    private static Db serve(Path path, SynchronousMode synchronous, Log log, LongSupplier nanoTime) {
        DataFolder folder = DataFolder.at(path);
        if (synchronous == SynchronousMode.OFF) {
            NativeLibrary.loadForTemporaryData(folder);
        } else {
            NativeLibrary.load(folder, true);
        }
        Sql lock = folder.lockForServe("The folder " + path + " is in use by another serve process or a restore");
        try {
            folder.deleteTemporaryFiles();
            Db db = new Db(folder, lock, synchronous, log, nanoTime);
            db.releaseStaged();
            return db;
        } catch (RuntimeException refused) {
            lock.close();
            throw refused;
        }
    }

    /** Loads the driver ahead of time. Opening a database waits until the driver is loaded. */
    public static void loadDriver() {
        NativeLibrary.loadDriver();
    }

    /** Opens a separate connection, which the caller closes. @throws StoreException if the file was removed or replaced */
    public Sql connect() {
        file.check();
        return DatabaseFile.connect(folder.database(), synchronous, access);
    }

    private Dao connectReader() {
        Sql sql = connect();
        sql.execute("pragma query_only = on");
        return new Dao(sql, Actor.NONE);
    }

    // ---- reading

    /** Reads a consistent state of all committed data. Do not nest calls. */
    public <T> T read(Function<Dao, T> questions) {
        return pageReaders.read(questions);
    }

    /** Like {@link #read}, on connections reserved for the API, so that API requests never wait for the web application's reads. */
    public <T> T readForResponse(Function<Dao, T> questions) {
        return apiReaders.read(questions);
    }

    // ---- writing

    public <T> T write(Function<Dao, T> work) {
        return writer.transaction(work, generations::changed, true);
    }

    public void change(Consumer<Dao> work) {
        write(withoutResult(work));
    }

    /** Writes an account's data, but not its limits or counts. @throws Refusal if the account would exceed its storage limit */
    public <T> T write(Account account, Function<Dao, T> work) {
        return writer.transaction(dao -> dao.storage().bounded(account.id(), () -> work.apply(dao)),
                () -> generations.changed(account.id()), true);
    }

    /**
     * Prepares a change by reading, then applies it in a transaction. Repeats both steps if the data changed between them.
     *
     * @param work applies the prepared value; returns empty if the value is stale
     * @throws Refusal if the data changed during every attempt
     */
    public <P, T> T write(Account account, Function<Dao, P> preparation, BiFunction<Dao, P, Optional<T>> work) {
        for (int left = MAX_ATTEMPTS; left > 0; left--) {
            P prepared = read(preparation);
            Optional<T> done = write(account, dao -> work.apply(dao, prepared));
            if (done.isPresent()) {
                return done.get();
            }
        }
        throw new Refusal("The data kept changing, so nothing was saved; try again");
    }

    /** Runs transactions without enforcing foreign keys, which makes them twice as fast. Deletions do not cascade. */
    <T> T withoutForeignKeys(Supplier<T> transactions) {
        writer.lock().lock();
        try {
            writer.sql().execute("pragma foreign_keys = off"); // has no effect inside a transaction
            try {
                return transactions.get();
            } finally {
                writer.sql().execute("pragma foreign_keys = on");
            }
        } finally {
            writer.unlock();
        }
    }

    public void changeUncached(Consumer<Dao> work) {
        writeUncached(withoutResult(work));
    }

    public <T> T writeUncached(Function<Dao, T> work) {
        return writer.transaction(work, () -> { }, true);
    }

    /**
     * Writes data that a power failure may lose: statistics, failed sign-ins, or part of a change that a later commit completes. The next
     * synced commit also syncs this data (https://sqlite.org/pragma.html#pragma_synchronous).
     */
    public void writeLater(Consumer<Dao> work) {
        writer.transaction(withoutResult(work), () -> { }, false);
    }

    /**
     * Runs work of any size in many short unsynced transactions, with pauses for other writers.
     *
     * @return false if the process stopped before the work was finished
     */
    public boolean inSlices(Slices.Step step) {
        return new Slices(this).run(dao -> dao, step, lock != null || folder.isServed());
    }

    /** Like {@link #inSlices(Slices.Step)}, but each transaction checks the author's permission again. */
    public boolean inSlices(Author author, Slices.Step step) {
        return new Slices(this).run(author.checked(dao -> dao), step, lock != null || folder.isServed());
    }

    private static Function<Dao, Void> withoutResult(Consumer<Dao> work) {
        return dao -> {
            work.accept(dao);
            return null;
        };
    }

    /** Returns a new number that identifies an import's rows in the temporary tables. */
    long nextImport() {
        return imports.incrementAndGet();
    }

    Writer writer() {
        return writer;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether the disk has so little space that large transactions may fail. */
    boolean isTight() {
        return DatabaseFile.isTight(folder);
    }

    /** Whether long-running work should stop. */
    public boolean isEnding() {
        return closed || Thread.currentThread().isInterrupted();
    }

    // ---- caches

    /**
     * A number that changes whenever a write invalidates a cache. Writes by other processes are detected in each write transaction and
     * by {@link #refresh}.
     */
    public long generation() {
        return generations.latest();
    }

    /** Whether an account may have changed since a {@link #generation}. */
    public boolean hasChanged(long account, long since) {
        return generations.of(account) > since;
    }

    Generations generations() {
        return generations;
    }

    /** The database's health. {@code /healthz} reports it, and code that detects a failure records the failure in it. */
    public Health health() {
        return health;
    }

    /** Detects writes by other processes. Called by serve's timer, so that they are detected even while no transaction runs. */
    public void refresh() {
        if (writer.lock().tryLock()) {
            try {
                if (!closed) {
                    generations.detectOtherWriters(writer.sql());
                }
            } finally {
                writer.lock().unlock();
            }
        }
    }

    /** Whether a command has changed the database since the last call. */
    public boolean pollChangeByCommand() {
        return generations.pollChange();
    }

    // ---- maintenance

    public Metrics metrics() {
        return metrics;
    }

    public Log log() {
        return log;
    }

    /** Sizes of the database and its write-ahead log, and free disk space, in bytes. Queries the file system. */
    public Sizes sizes() {
        Path database = folder.database();
        return new Sizes(database.toFile().length(), DataFolder.log(database).toFile().length(), folder.freeBytes());
    }

    /** Sizes in bytes; 0 for a missing file. */
    public record Sizes(long database, long log, long free) {
    }

    /** Lets garbage collection remove the texts of killed imports. */
    private void releaseStaged() {
        try {
            changeUncached(dao -> dao.garbage().releaseStaged());
        } catch (StoreException full) {
            // Garbage collection removes the texts after a day anyway.
        }
    }

    /**
     * Checkpoints the log while others write, so that commits rarely have to (https://sqlite.org/wal.html#ckpt, PASSIVE). Does nothing
     * in a command.
     */
    public void checkpoint() {
        try {
            if (!closed && lock != null) {
                if (!file.isThere() && file.isSavable()) {
                    checkpointer.save();
                }
                file.check();
                checkpointer.checkpoint();
            }
        } catch (StoreException failure) {
            throw health.failed(failure);
        }
    }

    /** Whether serve opened the database; false in a command. */
    public boolean isServe() {
        return lock != null;
    }

    public DataFolder folder() {
        return folder;
    }

    /**
     * Checkpoints the whole log, which also truncates the file after a vacuum.
     *
     * @return false if closed, or if another connection was writing, reading an older state or running a checkpoint
     */
    public boolean shrink() {
        return checkpointer.shrink();
    }

    /** Copies the whole database for repeated restores. @param name the copy's name in the folder */
    public Snapshot snapshot(String name) {
        return Snapshot.of(this, folder.path(name));
    }

    /** Creates a private file in the data folder. The caller must delete the file. */
    public Path temporaryFile() {
        return folder.temporaryFile();
    }

    /** Deletes a file; if that fails, the next start does. @param file may be null */
    public void deleteTemporary(Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            log.error("work-failed", failure);
        }
    }

    /**
     * Waits for a running write, checkpoints the log and releases the folder. Does not wait for readers in other processes, so
     * the log may remain. A command leaves the checkpoint to serve or, if serve is not running, to SQLite, which checkpoints when
     * the last connection closes.
     */
    @Override
    public void close() {
        writer.lock().lock();
        try {
            closed = true;
            if (file.isTruncated()) {
                return; // SQLite would write the log's missing pages to the database when the last connection closes
            }
            pageReaders.close();
            apiReaders.close();
            checkpointer.close();
            if (lock != null && file.isThere()) {
                writer.sql().failWhileBusy();
                writer.sql().execute("pragma wal_checkpoint(truncate)");
            }
        } finally {
            try {
                if (!file.isTruncated()) {
                    writer.sql().close();
                }
            } finally {
                file.close();
                if (lock != null) {
                    lock.close();
                }
                writer.lock().unlock();
            }
        }
    }
}
