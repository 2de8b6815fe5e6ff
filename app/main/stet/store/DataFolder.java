package stet.store;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;
import org.sqlite.util.OSInfo;
import stet.core.Refusal;

/**
 * The one folder that everything lives in.
 *
 * <pre>
 * stet.db           the database; -wal and -shm beside it while it is open
 * serve.lock        held by the one serve that may run on it
 * create.lock       held while the database is made
 * native/           SQLite's own library, unpacked once
 * tmp/              bodies on their way in or out; emptied when serve starts
 * stet-vN.db        the database of version N as it was before a newer Stet migrated it
 * </pre>
 */
final class DataFolder {
    /** The file that is locked for as long as the folder is served. */
    static final String LOCK = "serve.lock";
    private static final String TEMPORARY = "tmp";
    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    private final Path folder;

    private DataFolder(Path folder) {
        this.folder = folder;
    }

    /** @throws Refusal when the folder is no folder, cannot be made or cannot be written */
    static DataFolder at(Path folder, boolean create) {
        if (!create && !Files.exists(folder.resolve("stet.db"))) {
            throw new Refusal("There is no Stet database in " + folder + " (serve or account add makes one, --data names another folder)");
        }
        try {
            boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
            if (Files.notExists(folder) && posix) {
                Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } else {
                Files.createDirectories(folder);
            }
        } catch (FileAlreadyExistsException file) {
            throw new Refusal(folder + " is not a folder");
        } catch (IOException failure) {
            throw new Refusal("The folder " + folder + " cannot be made: " + failure.getMessage());
        }
        if (!Files.isWritable(folder)) {
            throw new Refusal("The folder " + folder + " cannot be written to");
        }
        return new DataFolder(folder);
    }

    Path database() {
        return folder.resolve("stet.db");
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    /** Looks at the file before SQLite does, which would take an empty one for a new database. */
    void checkDatabase() {
        Path database = database();
        if (Files.notExists(database)) {
            return;
        }
        byte[] start;
        try (InputStream file = Files.newInputStream(database)) {
            start = file.readNBytes(MAGIC.length);
        } catch (IOException failure) {
            throw new Refusal(database + " cannot be read: " + failure.getMessage());
        }
        if (start.length == 0) {
            throw new Refusal(database + " is empty; restore it from a backup, or remove it to begin anew");
        }
        if (!Arrays.equals(start, MAGIC)) {
            throw new Refusal(database + " is not a database");
        }
        if (!Files.isWritable(database)) {
            throw new Refusal(database + " is read-only");
        }
    }

    /** A new file that only its owner can read, for the caller to delete. */
    Path temporaryFile() throws IOException {
        return Files.createTempFile(Files.createDirectories(path(TEMPORARY)), "", ".tmp");
    }

    /** How many temporary files there are. */
    int temporaryFiles() {
        String[] files = path(TEMPORARY).toFile().list();
        return files == null ? 0 : files.length;
    }

    /** Deletes what a serve that was killed left behind. */
    void deleteTemporaryFiles() {
        File[] files = path(TEMPORARY).toFile().listFiles();
        for (File file : files == null ? new File[0] : files) {
            file.delete();
        }
    }

    /**
     * Taken by serve for as long as it runs; the system gives it back however the process ends.
     *
     * @param inUse what to say when a serve runs
     */
    FileLock lock(String inUse) {
        try {
            FileChannel channel = FileChannel.open(path(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return lock;
            }
            channel.close();
        } catch (OverlappingFileLockException sameProcess) {
            // Refused below.
        } catch (IOException failure) {
            throw new Refusal("The folder " + folder + " cannot be locked: " + failure.getMessage());
        }
        throw new Refusal(inUse);
    }

    /**
     * Unpacks SQLite's library into the folder, once for each version, and has the driver load it from there. The
     * driver's own way unpacks it to the system's temporary folder at every start, and a kill leaves it behind.
     */
    void prepareLibrary() throws IOException {
        if (System.getProperty("org.sqlite.lib.path") != null || System.getProperty("org.sqlite.tmpdir") != null) {
            return;
        }
        String name = LibraryLoaderUtil.getNativeLibName();
        String platform = OSInfo.getNativeLibFolderPathForCurrentOS(); // once: it runs a program to find out
        Path home = path("native").resolve(platform.replace('/', '-') + "-" + SQLiteJDBCLoader.getVersion());
        Path library = home.resolve(name);
        if (Files.notExists(library)) {
            try (InputStream packed = DataFolder.class.getResourceAsStream("/org/sqlite/native/" + platform + "/" + name)) {
                if (packed == null) {
                    return;
                }
                Files.createDirectories(home);
                Path unpacked = Files.createTempFile(home, "lib", ".tmp");
                Files.copy(packed, unpacked, StandardCopyOption.REPLACE_EXISTING);
                Files.move(unpacked, library, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        System.setProperty("org.sqlite.lib.path", home.toAbsolutePath().toString());
        System.setProperty("org.sqlite.lib.name", name);
    }
}
