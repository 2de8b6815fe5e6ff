package stet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import stet.core.LocalFiles;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * Records which database file a write-ahead log belongs to. SQLite itself would mix the log that a killed process left with any
 * file of that name, for instance a copy that somebody has put there, and leave it malformed.
 *
 * <pre>
 * after a start      serve records in stet.db.opened both files and the numbers that stet.db may hold, and then puts a new
 *                    random number into the table opened; once that is in stet.db itself, it alone stays recorded
 * at the next open   a log belongs to stet.db if the number in stet.db itself is recorded
 * </pre>
 *
 * <p>Each backup gets a number of its own. Where nothing is recorded, as in a folder that no serve has opened, no log is refused.
 */
final class LogOwner {
    private final DataFolder folder;
    private final Path database;
    private final Path record;
    /** The new number, once it is in the log. */
    private String renumbered;

    LogOwner(DataFolder folder) {
        this.folder = folder;
        this.database = folder.database();
        this.record = folder.path("stet.db.opened");
    }

    boolean hasLog() {
        return DataFolder.log(database).toFile().length() > 0;
    }

    /** Sentence on a log that is another file's. Under a serve, which has its own open, only whether the file is still that one. */
    Optional<String> problem(boolean isServed) {
        List<String> recorded = recorded();
        boolean isSame = recorded.isEmpty() || recorded.contains(database());
        if (isServed) {
            return isSame ? Optional.empty()
                    : Optional.of(database + " was replaced while a serve runs on it: end the serve first");
        }
        boolean isOwn = (isSame || !recorded.contains(log())) && hasNumber(recorded);
        return isOwn || !hasLog() || Files.notExists(database) ? Optional.empty() : Optional.of(DataFolder.log(database)
                + " is the log of another stet.db than the one beside it, which it would destroy:"
                + " put the stet.db back that it belongs to, or \"restore FILE\" puts a copy in place of both,"
                + " or move the log away to go without it (if they do belong together, remove " + record + ")");
    }

    /**
     * Drops the record of another file, as no later log is to be compared with it: a copy was put here while there was no log, or
     * the whole folder was copied.
     */
    void forgetOther(boolean hadLog) {
        if (!recorded().contains(database()) || !hadLog && !hasNumber(recorded())) {
            forget();
        }
    }

    void forget() {
        try {
            Files.deleteIfExists(record);
        } catch (IOException kept) {
            // The next serve replaces it.
        }
    }

    /** Gives the database of a serve that has started a new number, so that any earlier copy of it has another. */
    void renumber(Db db) {
        String next = "number " + ThreadLocalRandom.current().nextLong();
        try {
            write(number(), db.read(dao -> number(dao.sql())), next);
            db.writeLater(dao -> dao.sql().update("update opened set number = ?", Long.valueOf(next.substring(7))));
            renumbered = next;
        } catch (IOException | StoreException full) {
            // The number that it has stays recorded.
        }
    }

    /** Called when the first checkpoint has put all of the log into the database. */
    void checkpointed() {
        try {
            if (renumbered != null) {
                write(renumbered);
            }
        } catch (IOException full) {
            // The earlier numbers stay recorded beside it.
        }
    }

    private void write(String... numbers) throws IOException {
        Path temporary = folder.temporaryFile();
        try {
            Files.writeString(temporary, database() + "\n" + log() + "\n" + String.join("\n", numbers) + "\n");
            LocalFiles.syncAndRename(temporary, record);
        } finally { // the end of a serve interrupts it
            Files.deleteIfExists(temporary);
        }
    }

    private List<String> recorded() {
        try {
            return Files.readAllLines(record);
        } catch (IOException missing) {
            return List.of();
        }
    }

    private String database() {
        return "database " + LocalFiles.identity(database);
    }

    private String log() {
        return "log " + LocalFiles.identity(DataFolder.log(database));
    }

    private boolean hasNumber(List<String> recorded) {
        try {
            return recorded.isEmpty() || recorded.contains(number());
        } catch (StoreException unreadable) {
            return true; // a checkpoint that was cut off may leave it so, which the log mends
        }
    }

    /** Number in the database file itself, without its log. */
    private String number() {
        try (Sql sql = DatabaseFile.connectAlone(database)) {
            return number(sql);
        }
    }

    private static String number(Sql sql) {
        return "number " + sql.number("select number from opened");
    }
}
