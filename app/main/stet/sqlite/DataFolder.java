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
import stet.base.FullDisk;
import stet.base.LocalFiles;
import stet.base.Log;
import stet.base.Reason;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.dao.Sql;
import stet.dao.StoreException;

/**
 * The folder that holds all data.
 *
 * <pre>
 * stet.db           the database, with -wal and -shm beside it while open
 * serve.lock        held by the only serve that may use the folder
 * create.lock       held while the database is created
 * native/           SQLite's native library, unpacked once
 * tmp/              unfinished files; on startup, serve deletes those of dead processes
 * stet-vN.db        copy of the database before the migration from version N
 * stet.db.opened    identifies the stet.db to which the log belongs
 * replaced-TIME/    the database replaced by a restore
 * </pre>
 */
public final class DataFolder {
    /** Name of the file that serve locks while it runs. */
    static final String SERVE_LOCK = "serve.lock";
    /** Maximum number of files listed in an error message. */
    private static final int MAX_NAMED = 3;
    /** Maximum wait for serve's lock, which {@link #isServed} holds briefly. */
    private static final int LOCK_MILLIS = 100;
    private static final int CREATION_ATTEMPTS = 25;
    private static final int CREATION_PAUSE_MILLIS = 20;
    private static final String SQLITE_HEADER = "SQLite format 3\0";

    private final Path folder;
    private final FolderOwner owner;

    private DataFolder(Path folder) {
        if (Files.isDirectory(folder) && !(Files.isReadable(folder) && Files.isExecutable(folder))) {
            throw new SystemFailure("Cannot read the folder " + folder + ": " + FolderOwner.reason(folder));
        }
        this.folder = folder;
        this.owner = new FolderOwner(folder, database());
    }

    /**
     * A folder to write to, created if it is missing.
     *
     * @throws Refusal       if the path is not a folder, or the files in it would not be readable for their owner
     * @throws SystemFailure if the folder cannot be created or written to
     */
    public static DataFolder at(Path folder) {
        DataFolder data = new DataFolder(folder);
        try {
            Files.createDirectories(folder, LocalFiles.folderMode());
        } catch (FileAlreadyExistsException file) {
            throw new Refusal(file.getFile() + " is not a folder");
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot create the folder " + folder, failure);
        }
        data.notWritable().ifPresent(reason -> {
            throw new SystemFailure(reason);
        });
        return data;
    }

    /** A folder that may be on a full or read-only disk. Creates nothing. @throws SystemFailure if the folder cannot be read */
    public static DataFolder asItIs(Path folder) {
        return new DataFolder(folder);
    }

    /**
     * Why nothing can be written: the folder or the database is read-only. Empty if both can be written.
     *
     * @throws Refusal if this user can write, but the files would not be readable for their owner
     */
    public Optional<String> notWritable() {
        return owner.notWritable();
    }

    /**
     * Gives a new file or folder to the owner of all files, so that a service can read what root's commands create.
     *
     * @return the path
     * @throws Refusal if this is not possible; the new file is deleted
     */
    public Path own(Path created) {
        return owner.own(created);
    }

    /** Like {@link #own}, for a file that may also be outside the folder, where it belongs to the user who created it. */
    public Path ownInside(Path created) {
        return created.toAbsolutePath().normalize().startsWith(folder.toAbsolutePath().normalize()) ? own(created) : created;
    }

    public Path path(String name) {
        return folder.resolve(name);
    }

    public Path database() {
        return path("stet.db");
    }

    /** The write-ahead log of a database. */
    public static Path log(Path database) {
        return beside(database, "-wal");
    }

    /** @param ending for example {@code -shm} for the connections' shared memory, or {@code -journal} for a restore's rollback journal */
    public static Path beside(Path database, String ending) {
        return database.resolveSibling(database.getFileName() + ending);
    }

    /** Free bytes on the folder's disk, or 0 if unknown. */
    long freeBytes() {
        return folder.toFile().getUsableSpace();
    }

    /** Whether a file is the database or one of its companion files. */
    public boolean holds(Path file) {
        try {
            if (Files.exists(file) && Files.exists(database()) && Files.isSameFile(file, database())) {
                return true;
            }
            boolean isInside = file.toAbsolutePath().getParent().toRealPath().equals(folder.toRealPath());
            return isInside && file.getFileName().toString().matches("stet\\.db.*|stet-v[0-9].*\\.db|.*\\.lock");
        } catch (IOException unknown) {
            return false;
        }
    }

    // ---- permissions

    /**
     * Removes other users' permissions, such as those granted by a manual copy, from the database and the files beside it. Logs a
     * warning if other users have access to the folder.
     */
    void makePrivate(Log log) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "{stet*.db*,*.lock}")) {
            for (Path file : files) {
                LocalFiles.makePrivate(file);
            }
            if (LocalFiles.isAccessibleToOthers(folder) && LocalFiles.owner(folder).equals(LocalFiles.process())) {
                log.warn("folder-readable", "folder", folder, "fix", "chmod 700 " + folder);
            }
        } catch (IOException notTheOwner) {
            // Only a file's owner or root can change its permissions.
        }
    }

    // ---- the database

    /** @throws Refusal if there is no database */
    public void requireDatabase() {
        if (!hasDatabase(false)) {
            throw new Refusal("No Stet database in " + folder
                    + "; create one with \"serve\" or \"account add\", or choose another folder with --data");
        }
    }

    /**
     * Whether there is a database. Waits briefly in case serve is just starting and creating it.
     *
     * @param locked whether the caller holds the folder's lock
     * @throws Refusal if the database has disappeared, because creating a new database would hide the loss
     */
    boolean hasDatabase(boolean locked) {
        Path database = database();
        for (int attempts = CREATION_ATTEMPTS; Files.notExists(database) && !locked && isServed(); attempts--) {
            if (attempts == 0) {
                throw new Refusal(database + " was removed while in use by serve. Put the same file back,"
                        + " or stop serve and restore a backup");
            }
            Slices.pause(CREATION_PAUSE_MILLIS);
        }
        List<String> left = Files.exists(database) ? List.of() : leftBehind();
        if (Files.exists(database)) { // another process may have just created the database
            return true;
        }
        if (log(database).toFile().length() > 0) {
            throw new Refusal(database + " is missing, but its log " + log(database) + " exists."
                    + " Put the database back, or replace both files with \"restore FILE\"");
        }
        if (!left.isEmpty()) {
            throw new Refusal(database + " is missing, but its companion files exist ("
                    + String.join(", ", left.subList(0, Math.min(left.size(), MAX_NAMED)))
                    + (left.size() > MAX_NAMED ? ", ..." : "")
                    + "). Put the database back or use \"restore FILE\". To start over, move these files elsewhere"
                    + " or choose another folder with --data");
        }
        return false;
    }

    /**
     * Checks that serve's files are there, because SQLite would create others, which serve does not use. Waits briefly in case serve is just
     * starting.
     *
     * @throws Refusal if one is missing
     */
    void checkServed() {
        for (String ending : List.of("-wal", "-shm")) {
            Path file = beside(database(), ending);
            Path other = beside(database(), ending.equals("-wal") ? "-shm" : "-wal"); // both are missing during a restore
            for (int attempts = CREATION_ATTEMPTS; Files.notExists(file) && Files.exists(other) && isServed(); attempts--) {
                if (attempts == 0) {
                    throw new Refusal(file + " was removed while in use by serve; restart serve");
                }
                Slices.pause(CREATION_PAUSE_MILLIS);
            }
        }
    }

    /** Names of the files and folders that a missing database has left behind. */
    private List<String> leftBehind() {
        List<String> left = new ArrayList<>();
        for (Path each : List.of(folder, path("backups"))) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(each, "{stet.db.opened,stet-[v0-9]*.db,replaced-*}")) {
                files.forEach(file -> left.add(folder.relativize(file).toString()));
            } catch (IOException noFolder) {
                // The folder does not exist or cannot be read.
            }
        }
        left.sort(null);
        return left;
    }

    /**
     * Checks a database's file, because SQLite would treat an empty file as a new database.
     *
     * @throws Refusal       if the file is empty or not a database
     * @throws SystemFailure if it cannot be read
     */
    public static void checkDatabase(Path database) {
        try (InputStream file = Files.newInputStream(database)) {
            byte[] start = file.readNBytes(SQLITE_HEADER.length());
            if (start.length == 0) {
                throw new Refusal(database + " is empty; restore it from a backup");
            }
            if (!hasHeader(start)) {
                throw new Refusal(database + " is not a database; restore a backup, or use another file or folder");
            }
        } catch (IOException failure) {
            throw new SystemFailure("Cannot read " + database + ": "
                    + (failure instanceof AccessDeniedException ? FolderOwner.reason(database) : Reason.of(failure)));
        }
    }

    /** Whether the bytes start with SQLite's file header. */
    public static boolean hasHeader(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1).startsWith(SQLITE_HEADER);
    }

    // ---- temporary files

    /**
     * Creates a private file whose name begins with this process's ID. The caller must delete the file.
     *
     * @throws UncheckedIOException if the file cannot be created
     */
    public Path temporaryFile() {
        try {
            Path temporary = path("tmp");
            if (Files.notExists(temporary)) {
                try {
                    own(Files.createDirectory(temporary, LocalFiles.folderMode())); // not its parent, in case the folder was moved
                } catch (FileAlreadyExistsException createdMeanwhile) {
                    // by another process
                }
            }
            return own(Files.createTempFile(temporary, ProcessHandle.current().pid() + "-", ".tmp"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Whether the disk has space, but no file can be created. Creates and deletes an empty file. */
    public boolean lacksInodes() {
        if (notWritable().isPresent()) {
            return false;
        }
        try {
            Files.delete(temporaryFile());
            return false;
        } catch (IOException | UncheckedIOException failure) {
            IOException cause = failure instanceof UncheckedIOException unchecked ? unchecked.getCause() : (IOException) failure;
            return FullDisk.isCauseOf(cause) && !FullDisk.isFull(folder);
        }
    }

    /**
     * Deletes files left by killed processes, but not those of running commands such as a backup. Called before this process creates any,
     * because in a container, a killed process may have had the same ID.
     */
    public void deleteTemporaryFiles() {
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

    /** Acquires serve's lock; closing the connection releases it. @param inUse error message if the lock is held */
    public Sql lockForServe(String inUse) {
        return tryLock(SERVE_LOCK, LOCK_MILLIS).orElseThrow(() -> new Refusal(inUse));
    }

    /**
     * Locks a file in the folder until the connection is closed or the process exits. Uses SQLite's locks, which also exclude
     * other connections of the same process. The JVM's locks would be lost whenever the process closes any channel to the
     * file (POSIX, fcntl).
     *
     * @param millis maximum wait
     * @return empty if the lock is held
     * @throws SystemFailure if the file cannot be created or locked
     */
    public Optional<Sql> tryLock(String name, int millis) {
        try {
            own(Files.createFile(path(name), LocalFiles.fileMode()));
        } catch (FileAlreadyExistsException before) {
            // The file already exists; it is not replaced because other processes may have it open.
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot lock the folder " + folder, failure);
        }
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(millis);
        Sql lock = Sql.open(config, path(name), "");
        try {
            lock.execute("pragma journal_mode = memory; begin exclusive"); // nothing is written
            return Optional.of(lock);
        } catch (StoreException failure) {
            lock.close();
            if (failure.isBusy()) {
                return Optional.empty();
            }
            throw new SystemFailure("Cannot lock the folder " + folder + ": " + failure.getMessage());
        }
    }

    /** Whether {@code serve}, in this process or another, or a restore or upgrade is using the folder. */
    public boolean isServed() {
        if (Files.notExists(path(SERVE_LOCK))) {
            return false;
        }
        NativeLibrary.load(this, false);
        try (Sql reader = DatabaseFile.connectReadOnly(path(SERVE_LOCK), 0, DatabaseFile.Access.READ_ONLY)) {
            return reader.number("select count(*) from sqlite_schema") > 0;
        } catch (StoreException failure) {
            return failure.isBusy();
        }
    }
}
