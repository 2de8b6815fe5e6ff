package stet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import stet.base.LocalFiles;
import stet.base.Log;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.dao.Sql;

/**
 * Upgrades an older database to the current schema (schema.sql) and keeps a copy of the old file.
 *
 * @param oldest the version that the first step migrates from
 * @param steps  one script per version, run in the transaction that sets the new version number. A released script never changes.
 */
public record Migrations(int oldest, List<String> steps) {
    /** Databases from before the first release cannot be upgraded. */
    public static final Migrations STET = new Migrations(11, List.of());

    public int latest() {
        return oldest + steps.size();
    }

    /** @throws Refusal if this version cannot be migrated */
    void check(long version, Path database) {
        String known = steps.isEmpty() ? "" + oldest : oldest + " to " + latest();
        if (version < oldest) {
            throw new Refusal(database + " was created before Stet's first release (its schema version is " + version
                    + "; this version supports " + known + "); use another folder");
        }
        if (version > latest()) {
            throw new Refusal(database + " was created by a newer version of Stet (its schema version is " + version
                    + "; this version supports " + known + "); update Stet");
        }
    }

    /**
     * Migrates the database if necessary.
     *
     * @param locked whether the caller holds the folder's lock
     * @throws Refusal if the database cannot be copied, this version cannot migrate it, or the folder is in use, for example by a
     *                 {@code serve} process of an older version, which does not know the new schema
     */
    public void run(Sql sql, DataFolder folder, boolean locked, Log log) {
        if (sql.number("pragma user_version") == latest()) {
            return;
        }
        Sql lock = locked ? null : folder.lockForServe(folder.database()
                + " is in use by an older version of Stet; stop that process first so that the database can be upgraded");
        try {
            int from = (int) sql.number("pragma user_version"); // which another process may just have changed
            check(from, folder.database());
            if (from < latest()) {
                Path copy = keepCopy(sql, folder, "stet-v" + from);
                run(sql);
                log.info("migrated", "from", from, "to", latest(), "copy", copy);
            }
        } finally {
            if (lock != null) {
                lock.close();
            }
        }
    }

    /** Migrates without keeping a copy. */
    public void run(Sql sql) {
        sql.execute("pragma foreign_keys = off"); // replacing a table must not cascade
        for (int version = (int) sql.number("pragma user_version"); version < latest(); version++) {
            step(sql, version);
        }
        sql.execute("pragma foreign_keys = on");
    }

    /** Migrates from a version to the next one, unless another process has just done so. */
    private void step(Sql sql, int version) {
        sql.execute("begin immediate");
        try {
            if (sql.number("pragma user_version") == version) {
                sql.execute(steps.get(version - oldest) + ";\npragma user_version = " + (version + 1));
            }
            sql.execute("commit");
        } catch (RuntimeException failure) {
            sql.execute("rollback");
            throw failure;
        }
    }

    /**
     * Copies the database without replacing copies from earlier upgrades. Reuses an identical copy, for example from a killed
     * upgrade.
     */
    private static Path keepCopy(Sql sql, DataFolder folder, String name) {
        Path temporary = folder.temporaryFile();
        try {
            sql.update("vacuum into ?", temporary.toAbsolutePath().toString());
            Path copy = folder.path(name + ".db");
            for (int number = 2; Files.exists(copy); number++) {
                if (Files.mismatch(temporary, copy) < 0) {
                    return copy;
                }
                copy = folder.path(name + "-" + number + ".db");
            }
            LocalFiles.syncAndRename(temporary, copy); // synced because the migration cannot be undone
            return copy;
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot copy " + folder.database(), failure);
        } finally {
            temporary.toFile().delete();
        }
    }
}
