package stet.sqlite;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import stet.core.LocalFiles;
import stet.core.Log;
import stet.core.Reason;
import stet.core.Refusal;

/**
 * The one folder that holds all data.
 *
 * <pre>
 * stet.db           the database; -wal and -shm beside it while it is open
 * serve.lock        held by the one serve that may run on it
 * create.lock       held while the database is made
 * native/           SQLite's own library, unpacked once
 * tmp/              uploads and exports under way; emptied when serve starts, but for those of processes that run
 * stet-vN.db        copy of the database of version N from before its migration
 * stet.db.opened    which stet.db its log belongs to
 * replaced-TIME/    the database that was there before a restore
 * </pre>
 */
final class DataFolder {
    /** Name of the file that serve locks while it runs. */
    static final String SERVE_LOCK = "serve.lock";
    /** Folders that a serve of this process has locked. */
    private static final Set<Path> SERVED = ConcurrentHashMap.newKeySet();
    /** Files that one refusal names. */
    private static final int MAX_NAMED = 3;
    private static final int LOCK_ATTEMPTS = 5;
    private static final int LOCK_RETRY_MILLIS = 20;
    private static final int CREATION_ATTEMPTS = 25;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_ONLY_FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final byte[] SQLITE_HEADER = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    private final Path folder;

    private DataFolder(Path folder) {
        this.folder = folder;
    }

    /** @throws Refusal when the path is not a folder, or the folder cannot be made, read or written */
    static DataFolder at(Path folder, boolean create) {
        DataFolder data = asItIs(folder);
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
            throw new Refusal("The folder " + folder + " cannot be written to: " + reason(folder));
        }
        return data;
    }

    /** A folder in which nothing is made. @throws Refusal when it cannot be read */
    static DataFolder asItIs(Path folder) {
        if (Files.isDirectory(folder) && !(Files.isReadable(folder) && Files.isExecutable(folder))) {
            throw new Refusal("The folder " + folder + " cannot be read: " + reason(folder));
        }
        return new DataFolder(folder);
    }

    /** @throws Refusal when there is no database, with what the folder tells of it */
    void checkThere() {
        awaitDatabase();
        if (Files.notExists(database())) {
            checkNoLog();
            throw new Refusal("There is no Stet database in " + folder
                    + " (serve or account add makes one, --data names another folder)");
        }
    }

    /**
     * Checks before a database is made that there has been none. A new one would be taken for the old one, with its data lost.
     *
     * @throws Refusal naming what is left of one
     */
    void checkNew() {
        List<String> left = new ArrayList<>();
        addLeft(left, folder);
        addLeft(left, path("backups"));
        if (!left.isEmpty() && Files.notExists(database())) {
            throw new Refusal(database() + " is gone, and files that were beside it are left ("
                    + String.join(", ", left.subList(0, Math.min(left.size(), MAX_NAMED)))
                    + (left.size() > MAX_NAMED ? ", ..." : "")
                    + "): put it back, or \"restore FILE\" puts a backup in its place; to begin anew, move them away,"
                    + " or name another folder by --data");
        }
    }

    private void addLeft(List<String> left, Path of) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(of, "{stet.db.opened,stet-[v0-9]*.db,replaced-*}")) {
            files.forEach(file -> left.add(folder.relativize(file).toString()));
            left.sort(null);
        } catch (IOException noFolder) {
            // There is nothing in it.
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

    /** Creates an empty file for its owner alone, where there is none. SQLite gives its log the mode of its database. */
    static void createPrivate(Path file) throws IOException {
        try {
            Files.createFile(file, LocalFiles.fileMode());
        } catch (FileAlreadyExistsException before) {
            makePrivate(file);
        }
    }

    /** Removes the rights of other users, which an older Stet or a copy by hand may have given. */
    private static void makePrivate(Path file) throws IOException {
        if (LocalFiles.HAVE_MODES && Files.exists(file)) {
            if (!OWNER_ONLY.containsAll(Files.getPosixFilePermissions(file))) {
                Files.setPosixFilePermissions(file, OWNER_ONLY);
            }
        }
    }

    /** Does the same for all files beside the database, before it is opened. */
    void makePrivate() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "{stet*.db*,*.lock}")) {
            for (Path file : files) {
                makePrivate(file);
            }
        } catch (IOException notTheOwner) {
            // Only the owner of a file can change its mode.
        }
    }

    /** Writes a line of the log when other users may look into the folder, and so read files that were not made by Stet. */
    void warnIfOpen(Log log) {
        try {
            if (LocalFiles.HAVE_MODES && !OWNER_ONLY_FOLDER.containsAll(Files.getPosixFilePermissions(folder))) {
                log.warn("folder-open", "folder", folder, "mend", "chmod 700 " + folder);
            }
        } catch (IOException unknown) {
            // The database in it tells more.
        }
    }

    /** Renames a finished file; content and name are on the disk when this returns. */
    static void syncAndRename(Path temporary, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        sync(file.toAbsolutePath().getParent());
    }

    /** Syncs the names in a folder to the disk, where the system can. */
    static void sync(Path folder) throws IOException {
        if (LocalFiles.HAVE_MODES) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** The write-ahead log of a database. */
    static Path log(Path database) {
        return beside(database, "-wal");
    }

    /** @param ending {@code -shm}: memory that connections share; {@code -journal}: what a restore has in place of the log */
    static Path beside(Path database, String ending) {
        return database.resolveSibling(database.getFileName() + ending);
    }

    Path database() {
        return folder.resolve("stet.db");
    }

    /** Free bytes on its disk; 0 where they cannot be told. */
    long freeBytes() {
        return folder.toFile().getUsableSpace();
    }

    /** Whether a file is the database, or has a name that belongs to it. */
    boolean holds(Path file) {
        try {
            Path parent = file.toAbsolutePath().getParent().toRealPath();
            return parent.equals(folder.toRealPath())
                    && file.getFileName().toString().matches("stet\\.db.*|stet-v[0-9].*\\.db|.*\\.lock")
                    || Files.exists(file) && Files.exists(database()) && Files.isSameFile(file, database());
        } catch (IOException unknown) {
            return false;
        }
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    /** Checks the file before SQLite opens it, which would take an empty one for a new database. */
    void checkDatabase() {
        Path database = database();
        if (Files.exists(database)) {
            checkDatabase(database);
            if (!Files.isWritable(database)) {
                throw new Refusal(database + " is read-only: " + reason(database));
            }
        } else {
            checkNoLog();
        }
    }

    /** @throws Refusal when a log is left of a database that is gone */
    private void checkNoLog() {
        if (log(database()).toFile().length() > 0) {
            throw new Refusal(database() + " is gone, and its log " + log(database()) + " is left:"
                    + " put back the file that it belongs to, or \"restore FILE\" puts a copy in place of both");
        }
    }

    /** Whether bytes begin as a database does. */
    static boolean hasHeader(byte[] bytes) {
        return Arrays.equals(Arrays.copyOf(bytes, SQLITE_HEADER.length), SQLITE_HEADER);
    }

    /** @throws Refusal when the file is not a database */
    static void checkDatabase(Path database) {
        byte[] start;
        try (InputStream file = Files.newInputStream(database)) {
            start = file.readNBytes(SQLITE_HEADER.length);
        } catch (IOException failure) {
            throw new Refusal(database + " cannot be read: "
                    + (failure instanceof AccessDeniedException ? reason(database) : Reason.of(failure)));
        }
        if (start.length == 0) {
            throw new Refusal(database + " is empty; restore it from a backup");
        }
        if (!hasHeader(start)) {
            throw new Refusal(database + " is not a database");
        }
    }

    /** Creates a file for its owner alone; the caller deletes it. Its name begins with the number of this process. */
    Path temporaryFile() {
        try {
            return Files.createTempFile(Path.of(temporaryFolder()), ProcessHandle.current().pid() + "-", ".tmp");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The folder for temporary files, which is created. */
    String temporaryFolder() {
        try {
            return Files.createDirectories(path("tmp"), LocalFiles.folderMode()).toAbsolutePath().toString();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Deletes the files left by killed processes; a command that runs, such as a backup, keeps its own. */
    void deleteTemporaryFiles() {
        File[] files = path("tmp").toFile().listFiles();
        for (File file : files == null ? new File[0] : files) {
            if (!isOfAnotherProcess(file.getName())) {
                file.delete();
            }
        }
    }

    private static boolean isOfAnotherProcess(String name) {
        if (!name.matches("[0-9]{1,18}-.*")) {
            return false;
        }
        long process = Long.parseLong(name.substring(0, name.indexOf('-')));
        return process != ProcessHandle.current().pid() && ProcessHandle.of(process).isPresent();
    }

    /**
     * Takes the lock of serve. The system releases it however the process ends.
     *
     * @param inUse message of the refusal when another process holds it
     */
    FileLock lock(String inUse) {
        try {
            FileChannel channel = openLockFile(SERVE_LOCK);
            for (int left = LOCK_ATTEMPTS; left > 0; left--) {
                FileLock lock = channel.tryLock();
                if (lock != null) {
                    SERVED.add(folder.toAbsolutePath().normalize());
                    return lock;
                }
                Thread.sleep(LOCK_RETRY_MILLIS); // a command may hold it for an instant in isServed
            }
            channel.close();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (OverlappingFileLockException sameProcess) {
            // Refused below.
        } catch (IOException failure) {
            throw new Refusal("The folder " + folder + " cannot be locked: " + Reason.of(failure));
        }
        throw new Refusal(inUse);
    }

    /** Whether a serve runs on the folder, in this process or another one. */
    boolean isServed() {
        if (Files.notExists(path(SERVE_LOCK))) {
            return false;
        }
        // To close another channel of the file would release the lock that this process has (POSIX, fcntl).
        if (SERVED.contains(folder.toAbsolutePath().normalize())) {
            return true;
        }
        try (FileChannel channel = openLockFile(SERVE_LOCK);
                FileLock shared = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return shared == null;
        } catch (OverlappingFileLockException sameProcess) {
            return true;
        } catch (IOException unknown) {
            return false;
        }
    }

    /**
     * Waits a moment for the database of a serve that starts just now.
     *
     * @throws Refusal when a serve runs on the folder, but its database is gone: a command makes no second one
     */
    void awaitDatabase() {
        try {
            for (int left = CREATION_ATTEMPTS; Files.notExists(database()) && isServed(); left--) {
                if (left == 0) {
                    throw new Refusal(database() + " is gone while a serve runs on it: put the same file back,"
                            + " or end the serve and restore a backup");
                }
                Thread.sleep(LOCK_RETRY_MILLIS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    FileChannel openLockFile(String name) throws IOException {
        return FileChannel.open(path(name), Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                LocalFiles.fileMode());
    }

    /** @param lock or null */
    void release(FileLock lock) {
        if (lock != null) {
            SERVED.remove(folder.toAbsolutePath().normalize());
            try {
                lock.channel().close();
            } catch (IOException ignored) {
                // The system releases it with the process.
            }
        }
    }
}
