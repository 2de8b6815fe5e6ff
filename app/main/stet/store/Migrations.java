package stet.store;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import stet.core.Log;
import stet.core.Reason;
import stet.core.Refusal;

/**
 * Brings an older database to the version of schema.sql. Each step is one transaction with its version, and is never changed.
 * A copy of the old file is kept.
 */
final class Migrations {
    /** Value of {@code pragma auto_vacuum} with which free pages can be given back a few at a time. */
    static final int INCREMENTAL = 2;
    /** Version of the first release. */
    private static final int OLDEST = 5;

    private Migrations() {
    }

    static int latest() {
        return OLDEST + MigrationSteps.ALL.size();
    }

    /** @throws Refusal when there are no steps from this version */
    static void check(long version, Path database) {
        if (version < OLDEST) {
            throw new Refusal(database + " was written before Stet's first release (its version is " + version
                    + ", this one knows " + OLDEST + " to " + latest() + ")");
        }
        if (version > latest()) {
            throw new Refusal(database + " was written by a newer Stet (its version is " + version
                    + ", this one knows " + latest() + ")");
        }
    }

    /**
     * Migrates where it is needed.
     *
     * @param locked whether the caller holds the folder's lock
     * @throws Refusal when a serve runs on the folder: it is an older Stet, and does not know the new schema
     */
    static void run(Sql sql, DataFolder folder, boolean locked, Log log) {
        int from = (int) sql.number("pragma user_version");
        if (from == latest()) {
            return;
        }
        FileLock lock = locked ? null : folder.lock(folder.database()
                + " is an older Stet's and in use: end its serve first, then this one can upgrade it");
        try {
            Path copy = keepCopy(sql, folder, "stet-v" + from);
            run(sql, folder);
            log.info("migrated", "from", from, "to", latest(), "copy", copy);
        } finally {
            folder.release(lock);
        }
    }

    /** Migrates without keeping a copy. @param folder for a temporary file */
    static void run(Sql sql, DataFolder folder) {
        enableGivingBack(sql, folder);
        sql.execute("pragma foreign_keys = off"); // replacing a table must not cascade
        for (int version = (int) sql.number("pragma user_version"); version < latest(); version++) {
            step(sql, version);
        }
        sql.execute("pragma foreign_keys = on");
    }

    /** Rewrites a file that cannot give free pages back. A kill leaves it as it was, and the next start does it. */
    private static void enableGivingBack(Sql sql, DataFolder folder) {
        if (sql.number("pragma auto_vacuum") != INCREMENTAL) {
            // Its new content is a temporary file first; the system's temporary folder may be too small or read-only.
            sql.execute("pragma temp_store = file; pragma temp_store_directory = '" + folder.temporaryFolder().replace("'", "''")
                    + "'; pragma auto_vacuum = incremental; vacuum; pragma temp_store = memory; pragma temp_store_directory = ''");
            sql.number("pragma wal_checkpoint(truncate)"); // the log is as large as the database now
        }
    }

    private static void step(Sql sql, int version) {
        sql.execute("begin immediate");
        try {
            if (sql.number("pragma user_version") == version) {
                sql.execute(MigrationSteps.ALL.get(version - OLDEST) + ";\npragma user_version = " + (version + 1));
            }
            sql.execute("commit");
        } catch (RuntimeException failure) {
            sql.execute("rollback");
            throw failure;
        }
    }

    /**
     * Writes the copy under another name first, so that a kill in between leaves no half of a copy under its name. A copy of an
     * earlier upgrade stays beside it. One of the same state, as after a kill, is kept once.
     */
    private static Path keepCopy(Sql sql, DataFolder folder, String name) {
        Path temporary = folder.path(name + ".db.new");
        try {
            Files.deleteIfExists(temporary);
            DataFolder.createPrivate(temporary);
            sql.update("vacuum into ?", temporary.toString());
            Path copy = folder.path(name + ".db");
            for (int number = 2; Files.exists(copy); number++) {
                if (Files.mismatch(temporary, copy) < 0) {
                    Files.delete(temporary);
                    return copy;
                }
                copy = folder.path(name + "-" + number + ".db");
            }
            DataFolder.syncAndRename(temporary, copy); // the migration that follows cannot be undone
            return copy;
        } catch (IOException failure) {
            throw new Refusal("The copy " + temporary + " cannot be made: " + Reason.of(failure));
        }
    }
}
