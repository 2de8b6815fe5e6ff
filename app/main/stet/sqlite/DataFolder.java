package stet.sqlite;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sqlite.SQLiteConfig;
import stet.core.LocalFiles;
import stet.core.Log;
import stet.core.Reason;
import stet.core.Refusal;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * The one folder that holds all data.
 *
 * <pre>
 * stet.db           the database; -wal and -shm beside it while it is open
 * serve.lock        held by the one serve that may run on it
 * create.lock       held while the database is made
 * native/           SQLite's own library, unpacked once
 * tmp/              unfinished files; emptied when serve starts, but for those of processes that run
 * stet-vN.db        copy of the database of version N from before its migration
 * stet.db.opened    which stet.db its log belongs to
 * replaced-TIME/    the database that was there before a restore
 * </pre>
 */
final class DataFolder {
    /** Name of the file that serve locks while it runs. */
    static final String SERVE_LOCK = "serve.lock";
    /** Files that one refusal names. */
    private static final int MAX_NAMED = 3;
    /** A command holds the lock of serve for an instant in {@link #isServed}. */
    private static final int LOCK_MILLIS = 100;
    private static final int CREATION_ATTEMPTS = 25;
    private static final int CREATION_PAUSE_MILLIS = 20;
    private static final String SQLITE_HEADER = "SQLite format 3\0";

    private final Path folder;
    private final boolean isWritten;

    private DataFolder(Path folder, boolean isWritten) {
        if (Files.isDirectory(folder) && !(Files.isReadable(folder) && Files.isExecutable(folder))) {
            throw new Refusal("The folder " + folder + " cannot be read: " + reason(folder));
        }
        this.folder = folder;
        this.isWritten = isWritten;
    }

    /** @throws Refusal when the path is not a folder, or the folder cannot be made, read or written */
    static DataFolder at(Path folder, boolean create) {
        DataFolder data = new DataFolder(folder, true);
        if (!create) {
            data.checkThere();
        }
        try {
            Files.createDirectories(folder, LocalFiles.folderMode());
        } catch (FileAlreadyExistsException file) {
            throw new Refusal(file.getFile() + " is not a folder");
        } catch (IOException failure) {
            throw new Refusal("The folder " + folder + " cannot be made: " + Reason.of(failure));
        }
        if (!Files.isWritable(folder)) {
            throw new Refusal("The folder " + folder + " cannot be written to: " + reasonNotWritable(folder));
        }
        return data;
    }

    /** A folder in which nothing is made. @throws Refusal when it cannot be read */
    static DataFolder asItIs(Path folder) {
        return new DataFolder(folder, false);
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    Path database() {
        return path("stet.db");
    }

    /** The write-ahead log of a database. */
    static Path log(Path database) {
        return beside(database, "-wal");
    }

    /** @param ending {@code -shm}: memory that connections share; {@code -journal}: what a restore has in place of the log */
    static Path beside(Path database, String ending) {
        return database.resolveSibling(database.getFileName() + ending);
    }

    /** Free bytes on its disk; 0 where they cannot be told. */
    long freeBytes() {
        return folder.toFile().getUsableSpace();
    }

    /** Whether a file is the database, or has a name that belongs to it. */
    boolean holds(Path file) {
        try {
            return file.toAbsolutePath().getParent().toRealPath().equals(folder.toRealPath())
                    && file.getFileName().toString().matches("stet\\.db.*|stet-v[0-9].*\\.db|.*\\.lock")
                    || Files.exists(file) && Files.exists(database()) && Files.isSameFile(file, database());
        } catch (IOException unknown) {
            return false;
        }
    }

    // ---- rights

    private static String reasonNotWritable(Path path) {
        try {
            return Files.getFileStore(path).isReadOnly() ? "its file system is mounted read-only" : reason(path);
        } catch (IOException unknown) {
            return reason(path);
        }
    }

    /** Reason why this user has no access. */
    static String reason(Path path) {
        try {
            String owner = Files.getOwner(path).getName();
            String user = System.getProperty("user.name");
            return owner.equals(user) ? "its permissions do not allow it" : "it belongs to " + owner + ", and this is " + user;
        } catch (IOException | UnsupportedOperationException unknown) {
            return "its permissions do not allow it";
        }
    }

    /**
     * Removes the rights of other users to all files beside the database, which an older Stet or a copy by hand may have given.
     * Logs a folder that others may look into.
     */
    void makePrivate(Log log) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "{stet*.db*,*.lock}")) {
            for (Path file : files) {
                LocalFiles.makePrivate(file);
            }
            if (LocalFiles.isOpen(folder)) {
                log.warn("folder-open", "folder", folder, "mend", "chmod 700 " + folder);
            }
        } catch (IOException notTheOwner) {
            // Only the owner of a file can change its mode.
        }
    }

    // ---- the database

    /** @throws Refusal when there is no database */
    void checkThere() {
        if (!hasDatabase(false)) {
            throw new Refusal("There is no Stet database in " + folder
                    + " (serve or account add makes one, --data names another folder)");
        }
    }

    /**
     * Whether there is a database; waits a moment for that of a serve that starts just now.
     *
     * @param locked whether the caller holds the folder's lock
     * @throws Refusal when there was one: a new one would be taken for it, with its data lost
     */
    boolean hasDatabase(boolean locked) {
        Path database = database();
        for (int left = CREATION_ATTEMPTS; Files.notExists(database) && !locked && isServed(); left--) {
            if (left == 0) {
                throw new Refusal(database + " is gone while a serve runs on it: put the same file back,"
                        + " or end the serve and restore a backup");
            }
            Slices.pause(CREATION_PAUSE_MILLIS);
        }
        List<String> left = Files.exists(database) ? List.of() : left();
        if (Files.exists(database)) { // or was made just now
            return true;
        }
        if (log(database).toFile().length() > 0) {
            throw new Refusal(database + " is gone, and its log " + log(database) + " is left:"
                    + " put back the file that it belongs to, or \"restore FILE\" puts a copy in place of both");
        }
        if (!left.isEmpty()) {
            throw new Refusal(database + " is gone, and files that were beside it are left ("
                    + String.join(", ", left.subList(0, Math.min(left.size(), MAX_NAMED)))
                    + (left.size() > MAX_NAMED ? ", ..." : "")
                    + "): put it back, or \"restore FILE\" puts a backup in its place; to start over, move them away,"
                    + " or name another folder by --data");
        }
        return false;
    }

    /** Names of files that only a folder with a database has. */
    private List<String> left() {
        List<String> left = new ArrayList<>();
        for (Path each : List.of(folder, path("backups"))) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(each, "{stet.db.opened,stet-[v0-9]*.db,replaced-*}")) {
                files.forEach(file -> left.add(folder.relativize(file).toString()));
            } catch (IOException noFolder) {
                // There is nothing in it.
            }
        }
        left.sort(null);
        return left;
    }

    /** @throws Refusal when the file is not a database; SQLite would take an empty one for new */
    static void checkDatabase(Path database) {
        try (InputStream file = Files.newInputStream(database)) {
            byte[] start = file.readNBytes(SQLITE_HEADER.length());
            if (start.length == 0) {
                throw new Refusal(database + " is empty; restore it from a backup");
            }
            if (!hasHeader(start)) {
                throw new Refusal(database + " is not a database");
            }
        } catch (IOException failure) {
            throw new Refusal(database + " cannot be read: "
                    + (failure instanceof AccessDeniedException ? reason(database) : Reason.of(failure)));
        }
    }

    /** Whether bytes begin as a database does. */
    static boolean hasHeader(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1).startsWith(SQLITE_HEADER);
    }

    // ---- temporary files

    /** Creates a file for its owner alone; the caller deletes it. Its name begins with the number of this process. */
    Path temporaryFile() {
        try {
            Path temporary = Files.createDirectories(path("tmp"), LocalFiles.folderMode());
            return Files.createTempFile(temporary, ProcessHandle.current().pid() + "-", ".tmp");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Deletes the files left by killed processes; a command that runs, such as a backup, keeps its own. */
    void deleteTemporaryFiles() {
        File[] files = path("tmp").toFile().listFiles();
        for (File file : files == null ? new File[0] : files) {
            String process = file.getName().replaceFirst("-.*", "");
            boolean isUsed = process.matches("[0-9]{1,18}") && Long.parseLong(process) != ProcessHandle.current().pid()
                    && ProcessHandle.of(Long.parseLong(process)).isPresent();
            if (!isUsed) {
                file.delete();
            }
        }
    }

    // ---- locks

    /** Takes the lock of serve; to be closed. @param inUse message of the refusal when another one holds it */
    Sql lock(String inUse) {
        return lock(SERVE_LOCK, LOCK_MILLIS).orElseThrow(() -> new Refusal(inUse));
    }

    /**
     * Locks a file of the folder, until the connection is closed or the process ends. SQLite's locks tell the connections of one
     * process apart; the JVM's belong to the process, which loses them when it closes any channel of the file (POSIX, fcntl).
     *
     * @param millis longest wait @return empty when another one holds it
     */
    Optional<Sql> lock(String name, int millis) {
        try {
            Files.createFile(path(name), LocalFiles.fileMode());
        } catch (FileAlreadyExistsException before) {
            // It stays, as others may have it open.
        } catch (IOException failure) {
            throw new Refusal("The folder " + folder + " cannot be locked: " + Reason.of(failure));
        }
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(millis);
        Sql lock = Sql.open(config, path(name).toString());
        try {
            lock.execute("pragma journal_mode = memory; begin exclusive"); // nothing is written
            return Optional.of(lock);
        } catch (StoreException failure) {
            lock.close();
            if (failure.isBusy()) {
                return Optional.empty();
            }
            throw new Refusal("The folder " + folder + " cannot be locked: " + failure.getMessage());
        }
    }

    /** Whether a serve runs on the folder, in this process or another one. */
    boolean isServed() {
        if (Files.notExists(path(SERVE_LOCK))) {
            return false;
        }
        NativeLibrary.load(folder, isWritten, true);
        try (Sql reader = DatabaseFile.connectToRead(path(SERVE_LOCK), 0, false)) {
            return reader.number("select count(*) from sqlite_schema") > 0;
        } catch (StoreException failure) {
            return failure.isBusy();
        }
    }
}
