package stet.sqlite;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Log;
import stet.core.Metrics;
import stet.core.Refusal;
import stet.dao.Dao;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * The open database: one connection that writes, used by one thread at a time, and two pools of connections that read.
 *
 * <p>Each write is one transaction: all of it or, when it throws, nothing. The ways to write differ in the caches that they make
 * stale, and in whether the commit is synced to the disk (write-ahead log, {@code synchronous=FULL}) before the method returns:
 *
 * <pre>
 * method                  stale caches      synced   for
 * write(work), change     all               yes      accounts, plans, limits, counts
 * write(account, work)    of that account   yes      its templates, blocks and keys
 * writeUncached           none              yes      sessions
 * writeLater              none              no       statistics
 * inSlices                none              no       work of any size: imports, garbage, compaction
 * writeCounts             none              yes      requests
 * </pre>
 */
public final class Db implements AutoCloseable {
    private static final int COMMAND_BUSY_TIMEOUT_MILLIS = 30_000;
    static final int SERVE_BUSY_TIMEOUT_MILLIS = 5_000;
    private static final int PAGE_READERS = 8;
    private static final int API_READERS = 4;
    private static final int READ_TIMEOUT_MILLIS = 10_000;
    private static final int MAX_ATTEMPTS = 8;

    private final DataFolder folder;
    /** Lock of serve, or null in a command. */
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
    /** Tells whether the open file still has its name. */
    final FileWatch file;
    private volatile Backups backups;
    private final Sweeper sweeper;
    private volatile boolean closed;

    private Db(DataFolder folder, Sql lock, SynchronousMode synchronous, Log log) {
        this.log = log;
        this.folder = folder;
        this.lock = lock;
        this.synchronous = synchronous;
        this.health = new Health(this, folder.database());
        this.pageReaders = new ConnectionPool(PAGE_READERS, READ_TIMEOUT_MILLIS, this::connectReader, health);
        this.apiReaders = new ConnectionPool(API_READERS, READ_TIMEOUT_MILLIS, this::connectReader, health);
        DatabaseFile.Opened opened = DatabaseFile.open(folder, lock != null, synchronous, Migrations.STET, log);
        opened.sql().retryWhileBusy(lock == null ? COMMAND_BUSY_TIMEOUT_MILLIS : SERVE_BUSY_TIMEOUT_MILLIS);
        Dao dao = new Dao(opened.sql(), lock == null ? Actor.COMMAND_LINE : Actor.NONE);
        this.file = opened.file();
        this.writer = new Writer(dao, synchronous, file, generations, health, metrics);
        checkpointer = new Checkpointer(this, this::connect, new LogOwner(folder));
        sweeper = new Sweeper(this, folder, lock != null, checkpointer);
    }

    /** Opens the folder for a command; a serve may run on it. @param create whether to create a missing database */
    public static Db open(Path path, boolean create) {
        DataFolder folder = DataFolder.at(path, create);
        NativeLibrary.load(path, true, true);
        return new Db(folder, null, SynchronousMode.FULL, Log.none());
    }

    /** Opens the folder for serve and creates a missing one. @throws Refusal when another serve runs on it */
    public static Db serve(Path path, Log log) {
        return serve(path, SynchronousMode.FULL, log);
    }

    /** Does the same without a log. */
    public static Db serve(Path path) {
        return serve(path, Log.none());
    }

    /** As {@link #serve}, for throw-away data: no commit is synced. */
    public static Db throwAway(Path path, Log log) {
        return serve(path, SynchronousMode.OFF, log);
    }

    private static Db serve(Path path, SynchronousMode synchronous, Log log) {
        DataFolder folder = DataFolder.at(path, true);
        NativeLibrary.load(path, true, synchronous != SynchronousMode.OFF);
        Sql lock = folder.lock("The folder " + path + " is in use by another serve");
        try {
            folder.deleteTemporaryFiles();
            Db db = new Db(folder, lock, synchronous, log);
            db.releaseStaged();
            return db;
        } catch (RuntimeException refused) {
            lock.close();
            throw refused;
        }
    }

    private Sql connect() {
        file.check();
        return DatabaseFile.connect(folder.database(), synchronous);
    }

    private Dao connectReader() {
        Sql sql = connect();
        sql.execute("pragma query_only = on");
        return new Dao(sql, Actor.NONE);
    }

    // ---- reading

    /** Reads one state of the database, with all that is committed. Not to be called inside itself. */
    public <T> T read(Function<Dao, T> questions) {
        return pageReaders.read(questions);
    }

    /** Does the same for the API, on connections of its own: it never waits for a page. */
    public <T> T readForAnswer(Function<Dao, T> questions) {
        return apiReaders.read(questions);
    }

    // ---- writing

    public <T> T write(Function<Dao, T> work) {
        return writer.transaction(work, generations::changed, true);
    }

    public void change(Consumer<Dao> work) {
        write(withoutResult(work));
    }

    /** Writes what belongs to one account, but no limits or counts. @throws Refusal when the account would store too much */
    public <T> T write(Account account, Function<Dao, T> work) {
        return writer.transaction(dao -> dao.storage().bounded(account.id(), () -> work.apply(dao)),
                () -> generations.changed(account.id()), true);
    }

    /**
     * Prepares a change by reading, and then makes it in one transaction. Repeats both when the database has changed in between.
     *
     * @param work takes the prepared value; empty when it is no longer what the database holds
     * @throws Refusal when it has changed each time
     */
    public <P, T> T write(Account account, Function<Dao, P> preparation, BiFunction<Dao, P, Optional<T>> work) {
        for (int left = MAX_ATTEMPTS; left > 0; left--) {
            P prepared = read(preparation);
            Optional<T> done = write(account, dao -> work.apply(dao, prepared));
            if (done.isPresent()) {
                return done.get();
            }
        }
        throw new Refusal("The same data kept changing: nothing was done; try again");
    }

    /** Runs transactions without foreign keys: they are twice as fast, and deletions do not cascade. */
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
            writer.lock().unlock();
        }
    }

    public void writeUncached(Consumer<Dao> work) {
        writer.transaction(withoutResult(work), () -> { }, true);
    }

    /** Writes the counts of some requests. */
    public <T> T writeCounts(Function<Dao, T> work) {
        return writer.transaction(work, () -> { }, true);
    }

    /**
     * Writes what may be lost with the power: statistics, or a part of a change that a later commit completes. The next synced
     * commit syncs it too (https://sqlite.org/pragma.html#pragma_synchronous).
     */
    void writeLater(Consumer<Dao> work) {
        writer.transaction(withoutResult(work), () -> { }, false);
    }

    /**
     * Does work of any size in many short transactions, not synced, with pauses where others may write.
     *
     * @return false when the process ended before the work
     */
    boolean inSlices(Slices.Step step) {
        return new Slices(this).run(step, lock != null || folder.isServed());
    }

    private static Function<Dao, Void> withoutResult(Consumer<Dao> work) {
        return dao -> {
            work.accept(dao);
            return null;
        };
    }

    /** A number for the temporary tables of one import. */
    long nextImport() {
        return imports.incrementAndGet();
    }

    Writer writer() {
        return writer;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether long work is to end. */
    boolean isEnding() {
        return closed || Thread.currentThread().isInterrupted();
    }

    // ---- caches

    /**
     * Changes with every write of this process that makes a cache stale, and when another process's write is noticed: in each
     * transaction and by {@link #refresh}.
     */
    public long generation() {
        return generations.latest();
    }

    /** Whether something of an account may have changed since the {@link #generation} was this. */
    public boolean hasChanged(long account, long since) {
        return generations.of(account) > since;
    }

    Generations generations() {
        return generations;
    }

    /** Health of the database, for {@code /healthz} and for others that find it failing. */
    public Health health() {
        return health;
    }

    /** Looks for writes of other processes, for requests that are refused and so begin no transaction. */
    public void refresh() {
        if (writer.lock().tryLock()) {
            try {
                if (!closed) {
                    generations.noticeOthers(writer.sql());
                }
            } finally {
                writer.lock().unlock();
            }
        }
    }

    /** Whether a command beside this serve has changed something since the last call. */
    public boolean takeChangedByCommand() {
        return generations.takeNoticed();
    }

    // ---- maintenance

    public Metrics metrics() {
        return metrics;
    }

    /** The log that it was opened with. */
    public Log log() {
        return log;
    }

    /** Bytes of the database and of its write-ahead log, and those that are free on their disk; asks the file system. */
    public Sizes sizes() {
        Path database = folder.database();
        return new Sizes(database.toFile().length(), DataFolder.log(database).toFile().length(), folder.freeBytes());
    }

    /** In bytes; 0 for a file that is not there. */
    public record Sizes(long database, long log, long free) {
    }

    /** Leaves texts of killed imports to the {@link #sweep}. */
    private void releaseStaged() {
        try {
            writeUncached(dao -> dao.garbage().releaseStaged());
        } catch (StoreException full) {
            // It is garbage after a day anyway.
        }
    }

    public Sweeper sweeper() {
        return sweeper;
    }

    public void sweep(Instant now) {
        sweeper.sweep(now);
    }

    /**
     * Copies the log into the database while others write, so that no commit has much of it to do. Serve's timer calls it
     * (https://sqlite.org/wal.html#ckpt, PASSIVE).
     */
    public void checkpoint() {
        try {
            if (!closed && lock != null) {
                file.check();
                checkpointer.checkpoint();
            }
        } catch (StoreException failure) {
            throw health.failed(failure);
        }
    }

    /** Makes backups of the database, on connections of their own. */
    public Backup backup() {
        return backup(() -> { });
    }

    /** @param step called before each text that is verified */
    Backup backup(Runnable step) {
        return new Backup(folder, this::connect, step);
    }

    /** Has a server that starts make backups. */
    public void setBackups(Backups backups) {
        this.backups = backups;
    }

    public Optional<Backups> backups() {
        return Optional.ofNullable(backups);
    }

    /** Copies the whole database, to be restored any number of times. @param name of the copy in the folder */
    public Snapshot snapshot(String name) {
        return Snapshot.of(this, folder.path(name));
    }

    /** Creates a private file in the data folder; the caller deletes it. */
    public Path temporaryFile() {
        return folder.temporaryFile();
    }

    /**
     * Waits for a write under way, checkpoints the log and releases the folder. It waits for no other process's reader, which may
     * keep the log. A command leaves the checkpoint to serve; where none runs, SQLite does it with the last connection.
     */
    @Override
    public void close() {
        writer.lock().lock();
        try {
            closed = true;
            pageReaders.close();
            apiReaders.close();
            checkpointer.close();
            if (lock != null && file.isThere()) {
                writer.sql().waitForNobody();
                writer.sql().execute("pragma wal_checkpoint(truncate)");
            }
        } finally {
            try {
                writer.sql().close();
            } finally {
                if (lock != null) {
                    lock.close();
                }
                writer.lock().unlock();
            }
        }
    }
}
