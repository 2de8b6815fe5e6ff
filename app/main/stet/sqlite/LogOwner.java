package stet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import stet.base.LocalFiles;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * Records which database file a write-ahead log belongs to. SQLite applies a log left by a killed process to any file with the
 * database's name. Applied to another copy of the database, the log can corrupt that copy.
 *
 * <pre>
 * after a start      serve records both files and the possible numbers of stet.db in stet.db.opened, then writes a new
 *                    random number to the table opened; once stet.db itself contains the number, only that number stays recorded
 * at the next open   the log belongs to stet.db if the number in stet.db itself is recorded
 * </pre>
 *
 * <p>Each backup gets a new number. Without a record, for example in a folder that serve has never used, any log is accepted.
 */
public final class LogOwner {
    private final DataFolder folder;
    private final Path database;
    private final Path record;
    /** The record's line with the number that {@link #renumber} wrote to the log, or null. */
    private String renumbered;

    public LogOwner(DataFolder folder) {
        this.folder = folder;
        this.database = folder.database();
        this.record = folder.path("stet.db.opened");
    }

    boolean hasLog() {
        return DataFolder.log(database).toFile().length() > 0;
    }

    /** An error message if the log belongs to another file. While serve runs, checks only that the database file was not replaced. */
    public Optional<String> problem(boolean isServed) {
        List<String> recorded = recorded();
        boolean isSame = recorded.isEmpty() || recorded.contains(database());
        if (isServed) {
            return isSame ? Optional.empty()
                    : Optional.of(database + " was replaced while in use by serve; stop serve first");
        }
        boolean isOwn = (isSame || !recorded.contains(log())) && hasNumber(recorded);
        return isOwn || !hasLog() || Files.notExists(database) ? Optional.empty() : Optional.of(DataFolder.log(database)
                + " belongs to another stet.db and would destroy this one."
                + " Put the matching stet.db back, replace both files with \"restore FILE\","
                + " or move the log away (if the log belongs to this stet.db, remove " + record + ")");
    }

    /**
     * Deletes another file's record, so that later logs are not compared with it. Such a record remains if a database was copied into
     * the folder while there was no log, or if the whole folder was copied.
     */
    void forgetOther(boolean hadLog) {
        if (!recorded().contains(database()) || !hadLog && !hasNumber(recorded())) {
            forget();
        }
    }

    public void forget() {
        try {
            Files.deleteIfExists(record);
        } catch (IOException kept) {
            // The record is replaced when serve starts again.
        }
    }

    /** Gives the database a new number after serve has started, so that the number differs from that of any earlier copy. */
    void renumber(Db db) {
        long next = ThreadLocalRandom.current().nextLong();
        try {
            write(number(), db.read(dao -> number(dao.sql())), "number " + next);
            db.writeLater(dao -> dao.sql().update("update opened set number = ?", next));
            renumbered = "number " + next;
        } catch (IOException | StoreException full) {
            // The record still contains the current number.
        }
    }

    /** Removes all numbers except the new one from the record. Called after the first complete checkpoint. */
    void checkpointed() {
        try {
            if (renumbered != null) {
                write(renumbered);
            }
        } catch (IOException full) {
            // The record keeps the earlier numbers as well.
        }
    }

    /** Replaces the record. @param numbers its lines with numbers */
    private void write(String... numbers) throws IOException {
        Path temporary = folder.temporaryFile();
        try {
            Files.writeString(temporary, database() + "\n" + log() + "\n" + String.join("\n", numbers) + "\n");
            LocalFiles.syncAndRename(temporary, record);
        } finally { // stopping serve may interrupt the write
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

    /** The record's line for the file that is the database now. */
    private String database() {
        return "database " + LocalFiles.identity(database);
    }

    /** The record's line for the file that is the log now. */
    private String log() {
        return "log " + LocalFiles.identity(DataFolder.log(database));
    }

    private boolean hasNumber(List<String> recorded) {
        try {
            return recorded.isEmpty() || recorded.contains(number());
        } catch (StoreException unreadable) {
            return true; // an interrupted checkpoint may leave the page unreadable until the log repairs it
        }
    }

    /** The record's line with the number in the database file, ignoring its log. */
    private String number() {
        try (Sql sql = DatabaseFile.connectImmutable(database)) {
            return number(sql);
        }
    }

    private static String number(Sql sql) {
        return "number " + sql.number("select number from opened");
    }
}
