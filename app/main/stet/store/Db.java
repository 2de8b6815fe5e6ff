package stet.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.sqlite.SQLiteConfig.SynchronousMode;
import stet.core.Account;
import stet.core.Refusal;

/**
 * The open database: one connection that writes, used by one thread at a time, and a few that read.
 *
 * <p>A write is durable when {@link #write} returns: write-ahead log, {@code synchronous=FULL}. The {@link #generation}
 * tells whether anything that is kept in memory is still what the database holds.
 */
public final class Db implements AutoCloseable {
    /** How long a command waits for its turn to write, and serve, in ms. */
    private static final int COMMAND_WAIT = 30_000;
    private static final int SERVE_WAIT = 5_000;
    /** A pause between two transactions of many, in times the first one took, and at most in ms. */
    private static final long PAUSES = 3;
    private static final long SWEEP_PAUSES = 10;
    private static final long LONGEST_PAUSE = 100;
    private static final long UNKNOWN = -1;
    /** Pages that the writing connection keeps in memory, in KiB: as many as one large transaction changes. */
    private static final int CACHED = 8_192;
    /** How often what changes meanwhile is prepared anew. */
    private static final int TRIES = 8;

    private final DataFolder folder;
    private final FileLock lock;
    private final Dao writer;
    private final UsageCache usage = new UsageCache(this);
    /** Fair: the counter, which takes it again and again, lets whoever waits go first. */
    private final ReentrantLock writing = new ReentrantLock(true);
    private final Readers pageReaders = new Readers(8, this::newReader);
    private final Readers answerReaders = new Readers(4, this::newReader);
    private final Checkpointer checkpointer = new Checkpointer(this::connect);
    private final Generations generations = new Generations();
    /** Whether a commit waits for the disk unless it is said that it need not. */
    private final boolean durable;
    /** Whether the next one does. */
    private boolean synced;
    private volatile boolean closed;
    private long foreign;
    /** What {@link #changes()} was when another process's write was last noticed. */
    private long changes = UNKNOWN;

    private Db(DataFolder folder, FileLock lock, Dao writer, SynchronousMode synchronous) {
        this.folder = folder;
        this.durable = synchronous == SynchronousMode.FULL;
        this.synced = durable;
        this.lock = lock;
        this.writer = writer;
        this.foreign = dataVersion();
    }

    /** Opens the folder for a command, beside a serve that may be running on it. */
    public static Db open(Path path, boolean create) {
        return open(DataFolder.at(path, create), null, SynchronousMode.FULL);
    }

    /** Opens the folder for serve, which must be the only one on it; makes it where there is none. */
    public static Db serve(Path path) {
        return serve(path, SynchronousMode.FULL);
    }

    /** As {@link #serve}, for data that nobody misses after a power loss: a commit waits for no disk. */
    public static Db throwAway(Path path) {
        return serve(path, SynchronousMode.OFF);
    }

    private static Db serve(Path path, SynchronousMode synchronous) {
        DataFolder folder = DataFolder.at(path, true);
        FileLock lock = folder.lock("The folder " + path + " is in use by another serve");
        try {
            folder.deleteTemporaryFiles();
            return open(folder, lock, synchronous);
        } catch (RuntimeException refused) {
            release(lock);
            throw refused;
        }
    }

    private static Db open(DataFolder folder, FileLock lock, SynchronousMode synchronous) {
        Db db = new Db(folder, lock, new Dao(Opening.open(folder, lock != null, synchronous)), synchronous);
        db.writer.sql().waitPatiently(lock == null ? COMMAND_WAIT : SERVE_WAIT);
        db.writer.sql().execute("pragma cache_size = -" + CACHED);
        if (lock != null) {
            db.abandonStaged();
        }
        return db;
    }

    /**
     * Answers from one of the reading connections, which see every committed write; all the questions are put to one
     * state of the database. It must not be called inside itself.
     */
    public <T> T read(Function<Dao, T> questions) {
        return pageReaders.read(questions);
    }

    /** The same for the API, whose answers wait for no page. */
    public <T> T readForAnswer(Function<Dao, T> questions) {
        return answerReaders.read(questions);
    }

    private Dao newReader() {
        Sql sql = connect();
        sql.execute("pragma query_only = on");
        return new Dao(sql);
    }

    private Sql connect() {
        try {
            return Opening.connect(folder.database(), durable ? SynchronousMode.FULL : SynchronousMode.OFF);
        } catch (SQLException failure) {
            throw new StoreException(failure);
        }
    }

    /** Runs work in one transaction, all of it or, when it throws, nothing. */
    public <T> T write(Function<Dao, T> work) {
        return transaction(work, generations::changed, true);
    }

    /**
     * The same for work that changes nothing but what belongs to one account, so that all else stays in memory; it
     * changes neither limits nor counts.
     */
    public <T> T write(Account account, Function<Dao, T> work) {
        return transaction(work, () -> generations.changed(account.id()), true);
    }

    /** As {@link #write} for work that looks itself whether what its rows refer to is there: it is twice as fast. */
    <T> T writeChecked(Account account, Function<Dao, T> work) {
        writing.lock();
        try {
            writer.sql().execute("pragma foreign_keys = off"); // takes effect outside a transaction only
            return write(account, work);
        } finally {
            try {
                writer.sql().execute("pragma foreign_keys = on");
            } finally {
                writing.unlock();
            }
        }
    }

    /** Writes what nothing in memory is made from, so that the {@link #generation} stays. */
    public void note(Consumer<Dao> work) {
        note(work, true);
    }

    /**
     * The same for what may be lost with the power: statistics, or a part of a change that a later commit completes. It
     * does not wait for the disk, and is on it with the next commit that does (https://sqlite.org/pragma.html#pragma_synchronous).
     */
    void noteUnsynced(Consumer<Dao> work) {
        note(work, false);
    }

    private void note(Consumer<Dao> work, boolean wait) {
        transaction(dao -> {
            work.accept(dao);
            return null;
        }, () -> { }, wait);
    }

    /**
     * Prepares a change by reading, and then makes it in one transaction; anew when something has changed in between.
     *
     * @param work of what was prepared; empty when that is no longer what the database holds
     * @throws Refusal when it changes too often
     */
    public <P, T> T write(Account account, Function<Dao, P> preparation, BiFunction<Dao, P, Optional<T>> work) {
        for (int left = TRIES; left > 0; left--) {
            P prepared = read(preparation);
            Optional<T> done = write(account, dao -> work.apply(dao, prepared));
            if (done.isPresent()) {
                return done.get();
            }
        }
        throw new Refusal("Others change the same again and again: nothing is done; try it once more");
    }

    /** Gives what killed imports left behind to the {@link #sweep}. */
    private void abandonStaged() {
        try {
            note(dao -> dao.garbage().abandonStaged());
        } catch (StoreException full) {
            // It is garbage after a day anyway.
        }
    }

    /**
     * Removes deleted accounts and templates, and texts that were replaced. Each transaction is short, and most of the time
     * is left to others; a kill leaves the rest to the next time. A command leaves it to the serve that runs beside it.
     */
    public void sweep(Instant now) {
        boolean isServe = lock != null;
        if (isServe || !folder.isServed()) {
            while (!closed && !Thread.currentThread().isInterrupted() && read(dao -> dao.garbage().exists(now))) {
                noteInTurn(dao -> dao.garbage().removeSome(now), isServe ? SWEEP_PAUSES : PAUSES);
            }
        }
    }

    /** As {@link #noteInTurn(Consumer, long)}, for work that somebody waits for. */
    void noteInTurn(Consumer<Dao> work) {
        noteInTurn(work, PAUSES);
    }

    /**
     * Writes as {@link #noteUnsynced} does, one of many transactions that belong together. Then it pauses, so that most of
     * the time is left to others, and requests are counted meanwhile.
     *
     * @param pauses length of the pause, in times that the transaction took
     */
    private void noteInTurn(Consumer<Dao> work, long pauses) {
        long begin = System.nanoTime();
        noteUnsynced(work);
        long pause = Math.min(LONGEST_PAUSE, pauses * (System.nanoTime() - begin) / 1_000_000);
        try {
            Thread.sleep(Math.max(1, pause));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Copies the log into the database while others go on writing, so that no commit has much of it to do; to be called
     * every so often, by one thread (https://sqlite.org/wal.html#ckpt, PASSIVE).
     */
    public void checkpoint() {
        if (!closed && lock != null) {
            checkpointer.checkpoint();
        }
    }

    /**
     * @param changed told before anybody else can write
     * @param wait    whether the commit waits for the disk
     */
    private <T> T transaction(Function<Dao, T> work, Runnable changed, boolean wait) {
        writing.lock();
        try {
            begin(wait);
            boolean committed = false;
            try {
                T result = work.apply(writer);
                writer.sql().transaction("commit");
                committed = true;
                return result;
            } finally {
                if (!committed) {
                    rollback();
                } else {
                    changed.run();
                }
            }
        } finally {
            writing.unlock();
        }
    }

    /** Remembers all there is, to {@link Snapshot#restore} it. @param name of the file in the folder */
    public Snapshot remember(String name) {
        Path copy = folder.path(name);
        writing.lock();
        try {
            writer.sql().update("vacuum into ?", copy.toString());
        } finally {
            writing.unlock();
        }
        return new Snapshot(this, copy);
    }

    /** A new file in the data folder, which only its owner can read, for the caller to delete. */
    public Path temporaryFile() {
        try {
            return folder.temporaryFile();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
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
     * is looked for in each transaction and by {@link #refresh}.
     */
    public long generation() {
        return generations.latest();
    }

    /** Whether something of an account may have changed since the {@link #generation} was this. */
    public boolean hasChanged(long account, long since) {
        return generations.of(account) > since;
    }

    /** Of the writes that may concern every account; all that change limits or counts are such, but the counter's. */
    long everybody() {
        return generations.everybody();
    }

    Generations generations() {
        return generations;
    }

    /** The lock on the one writing connection, for the counter. */
    ReentrantLock writing() {
        return writing;
    }

    Dao writer() {
        return writer;
    }

    /** What has been counted, for the counter. */
    UsageCache usage() {
        return usage;
    }

    /** Begins the transaction that writes; from here to its end no other process can. */
    void begin() {
        begin(true);
    }

    private void begin(boolean wait) {
        sync(wait && durable);
        try {
            writer.sql().transaction("begin immediate");
            noticeForeign();
        } catch (Throwable failure) {
            rollback();
            throw failure;
        }
    }

    /** Has the next commits wait for the disk, or not; outside a transaction. */
    private void sync(boolean wanted) {
        if (synced != wanted) {
            synced = false; // also when the statement fails
            writer.sql().transaction("pragma synchronous = " + (wanted ? "full" : "normal"));
            synced = wanted;
        }
    }

    /** Looks whether another process has written, for the requests that are refused and so begin no transaction. */
    public void refresh() {
        if (writing.tryLock()) {
            try {
                if (!closed) {
                    noticeForeign();
                }
            } finally {
                writing.unlock();
            }
        }
    }

    private void noticeForeign() {
        long version = dataVersion();
        if (version != foreign) {
            foreign = version;
            long number = changes();
            if (number != changes) {
                changes = number;
                generations.changed();
            }
        }
    }

    /** Another number after each change of what is held in memory, or of the schema, by whomever. */
    private long changes() {
        return writer.sql().number("select number + (select schema_version from pragma_schema_version) from changes");
    }

    /** Does nothing where SQLite has rolled back by itself, as it does when the disk is full. */
    void rollback() {
        try {
            writer.sql().transaction("rollback");
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
            pageReaders.close();
            answerReaders.close();
            checkpointer.close();
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

    static void release(FileLock lock) {
        if (lock != null) {
            try {
                lock.channel().close();
            } catch (IOException gone) {
                // The system gives it back with the process.
            }
        }
    }
}
