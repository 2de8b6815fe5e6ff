package stet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import stet.core.Refusal;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * Remembers which database file a write-ahead log belongs to. SQLite itself would mix the log that a killed process left into
 * any file of that name, for instance a copy that somebody has put there, and leave it malformed.
 *
 * <pre>
 * soon after a start    serve writes stet.db.opened: the numbers that stet.db may hold, and the inodes of database and log,
 *                       and then puts a new random number into the table opened; the first checkpoint takes it into stet.db,
 *                       and stet.db.opened has this number alone
 * at the next open      a log that is there belongs to stet.db if the number in stet.db itself is one of those
 * </pre>
 *
 * <p>Each backup gets a number of its own. A folder without stet.db.opened is not checked: an older Stet's, or one that no serve
 * has opened.
 */
final class LogOwner {
    private static final String NONE = "none";
    /** Lines of the record with one number. */
    private static final int SETTLED_LINES = 3;

    private final DataFolder folder;
    private final Path database;
    private final Path record;

    LogOwner(DataFolder folder) {
        this.folder = folder;
        this.database = folder.database();
        this.record = folder.path("stet.db.opened");
    }

    boolean hasLog() {
        return DataFolder.log(database).toFile().length() > 0;
    }

    /** Sentence on a log that is another file's; empty where all is well. */
    Optional<String> problem() {
        return !hasLog() || owns() ? Optional.empty() : Optional.of(DataFolder.log(database)
                + " is the log of another stet.db than the one beside it, which it would destroy:"
                + " put the stet.db back that it belongs to, or \"restore FILE\" puts a copy in place of both,"
                + " or move the log away to go without it (if they do belong together, remove " + record + ")");
    }

    /** Whether the log, if there is one, belongs to the database, as far as is known. */
    boolean owns() {
        List<String> lines = lines();
        if (!hasLog() || lines.isEmpty() || Files.notExists(database)) {
            return Files.exists(database) || !hasLog();
        }
        boolean isReplaced = !lines.contains("database " + inode(database))
                && lines.contains("log " + inode(DataFolder.log(database)));
        try {
            return !isReplaced && lines.contains("number " + number());
        } catch (StoreException unreadable) {
            return true; // a half-done checkpoint may leave it so, which the log mends
        }
    }

    /** Checks that a serve that runs has this database open. @throws Refusal when the file was replaced under it */
    void checkServed() {
        List<String> lines = lines();
        if (!lines.isEmpty() && !lines.contains("database " + inode(database))) {
            throw new Refusal(database + " was replaced while a serve runs on it: end the serve first");
        }
    }

    /**
     * Forgets what is known of another file, so that a log to come is not compared with that: a copy was put here while there was
     * no log, or the whole folder was copied.
     */
    void forgetOther(Sql sql, boolean hadLog) {
        List<String> lines = lines();
        try {
            if (!lines.isEmpty() && (!lines.contains("database " + inode(database))
                    || !hadLog && !lines.contains("number " + sql.number("select number from opened")))) {
                forget();
            }
        } catch (StoreException damaged) {
            forget();
        }
    }

    void forget() {
        try {
            Files.deleteIfExists(record);
        } catch (IOException kept) {
            // The next serve writes it anew.
        }
    }

    /** Marks the database of a serve that has started. Where the disk is full, logs are not checked until the next start. */
    void mark(Db db) {
        try {
            List<String> lines = new ArrayList<>();
            lines.add("database " + inode(database));
            lines.add("log " + inode(DataFolder.log(database)));
            lines.add("number " + number());
            lines.add("number " + db.read(dao -> dao.sql().number("select number from opened")));
            long next = ThreadLocalRandom.current().nextLong();
            lines.add("number " + next);
            write(lines);
            db.writeLater(dao -> dao.sql().update("update opened set number = ?", next));
        } catch (IOException | StoreException failure) {
            forget();
        }
    }

    /** Called after the first checkpoint: a copy from before this start has another number now. */
    void settle() {
        List<String> lines = lines();
        try {
            if (lines.size() > SETTLED_LINES && lines.get(lines.size() - 1).equals("number " + number())) {
                write(List.of(lines.get(0), lines.get(1), lines.get(lines.size() - 1)));
            }
        } catch (IOException | StoreException kept) {
            // The older numbers stay in the list.
        }
    }

    private void write(List<String> lines) throws IOException {
        Path temporary = folder.path(record.getFileName() + ".new");
        try {
            DataFolder.createPrivate(temporary);
            Files.write(temporary, lines);
            DataFolder.syncAndRename(temporary, record);
        } catch (IOException failure) { // the end of a serve interrupts it, too
            Files.deleteIfExists(temporary);
            throw failure;
        }
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(record);
        } catch (IOException missing) {
            return List.of();
        }
    }

    /** Number in the database file itself, without its log. */
    private String number() {
        try (Sql sql = DatabaseFile.connectAlone(database)) {
            return sql.exists("select 1 from sqlite_schema where name = 'opened'")
                    ? Long.toString(sql.number("select number from opened")) : NONE;
        }
    }

    private static String inode(Path file) {
        try {
            return Files.getAttribute(file, "unix:ino").toString();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
            return NONE;
        }
    }
}
