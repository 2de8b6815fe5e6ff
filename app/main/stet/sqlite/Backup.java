package stet.sqlite;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Function;
import java.util.function.Supplier;
import stet.core.Reason;
import stet.core.Refusal;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * Makes a verified copy of the database in one file, while others read and write.
 *
 * <pre>
 * stet.db ─ vacuum into ─► FILE.N.part ─ verified ─ synced ─ renamed ─► FILE
 * </pre>
 *
 * <p>The copy is one state of the database, with all that was committed before. A kill leaves FILE as it was.
 */
public final class Backup {
    private static final int SYNC_INTERVAL_MILLIS = 20;

    private final DataFolder folder;
    private final Supplier<Sql> connect;
    /** Called before each text that is verified, for a test. */
    private final Runnable step;
    private Sql running;
    private boolean stopped;

    Backup(DataFolder folder, Supplier<Sql> connect, Runnable step) {
        this.folder = folder;
        this.connect = connect;
        this.step = step;
    }

    public record Made(long bytes, long versions, long millis) {
    }

    /**
     * Replaces an older backup of that name; no other file is replaced.
     *
     * @throws Refusal        when the file cannot be written, or is something else
     * @throws StoreException when the database is damaged, or the disk full
     */
    public Made to(Path file) {
        long begin = System.nanoTime();
        check(file);
        try {
            Path folder = file.toAbsolutePath().getParent();
            Path part = Files.createTempFile(folder, file.getFileName() + ".", ".part"); // its owner's alone
            try {
                long versions = copy(part);
                DataFolder.syncAndRename(part, file);
                return new Made(Files.size(file), versions, millisSince(begin));
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (IOException failure) {
            throw new Refusal("The backup " + file + " cannot be written: " + Reason.of(failure));
        }
    }

    /** Writes the copy to a stream once it is verified; it needs room for it in the data folder meanwhile. */
    public Made to(OutputStream out) throws IOException {
        long begin = System.nanoTime();
        Path part = folder.temporaryFile();
        try {
            long versions = copy(part);
            Files.copy(part, out);
            out.flush();
            return new Made(Files.size(part), versions, millisSince(begin));
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Has the backup that runs on another thread fail soon, and each later one. An interrupt is lost between two statements. */
    public synchronized void stop() {
        stopped = true;
        if (running != null) {
            running.interrupt();
        }
    }

    synchronized boolean isStopped() {
        return stopped;
    }

    private synchronized void checkNotStopped() {
        if (stopped) {
            throw new StoreException("the backup is stopped");
        }
    }

    private void check(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null || Files.isDirectory(file)) {
            throw new Refusal(file + " is a folder; a backup is a file");
        }
        if (!Files.isDirectory(parent)) {
            throw new Refusal("There is no folder " + parent + " for the backup");
        }
        if (folder.holds(file)) {
            throw new Refusal(file + " belongs to the database itself; a backup needs another name");
        }
        if (Files.exists(file) && !DatabaseFile.isStetOrEmpty(file)) {
            throw new Refusal(file + " is there and is no backup of Stet; it is not replaced");
        }
        if (Files.exists(DataFolder.log(file))) {
            throw new Refusal(file + " is a database in use: its log " + DataFolder.log(file) + " is beside it");
        }
    }

    /** @return number of versions in the copy */
    private long copy(Path part) {
        use(connect.get(), sql -> {
            Thread syncing = syncWhileItGrows(part);
            try {
                return sql.update("vacuum into ?", part.toAbsolutePath().toString());
            } finally {
                syncing.interrupt();
            }
        });
        use(DatabaseFile.connectPrivately(part), sql -> sql.update("update opened set number = random()"));
        return use(DatabaseFile.connectAlone(part), sql -> {
            Integrity.problems(sql, () -> {
                step.run();
                checkNotStopped();
            }).ifPresent(problems -> {
                throw StoreException.of("no backup is made, as it would be damaged: " + problems, StoreException.CORRUPT);
            });
            return sql.number("select count(*) from versions");
        });
    }

    private <T> T use(Sql sql, Function<Sql, T> work) {
        try (sql) {
            synchronized (this) {
                checkNotStopped();
                running = sql;
            }
            try {
                return work.apply(sql);
            } finally {
                synchronized (this) {
                    running = null;
                }
            }
        }
    }

    /** Syncs a little at a time until it is interrupted: one sync of the whole file would hold up those of counted requests. */
    private static Thread syncWhileItGrows(Path file) {
        Thread thread = new Thread(() -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                while (true) {
                    channel.force(false);
                    Thread.sleep(SYNC_INTERVAL_MILLIS);
                }
            } catch (IOException | InterruptedException done) {
                // A disk that fails here fails at the end of the copy, too.
            }
        }, "stet-backup-sync");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static long millisSince(long begin) {
        return (System.nanoTime() - begin) / 1_000_000;
    }
}
