package stet.store;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;
import org.sqlite.util.OSInfo;
import stet.core.Reason;
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
    private static final int LOCK_TRIES = 5;
    /** Interval between tries, in ms. */
    private static final int LOCK_PAUSE = 20;
    private static final String TEMPORARY = "tmp";
    private static final boolean POSIX = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    private static final String PRIVATE = "rw-------";
    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    private final Path folder;

    private DataFolder(Path folder) {
        this.folder = folder;
    }

    /** @throws Refusal when the folder is no folder, cannot be made or cannot be written */
    static DataFolder at(Path folder, boolean create) {
        if (Files.isDirectory(folder) && !(Files.isReadable(folder) && Files.isExecutable(folder))) {
            throw new Refusal("The folder " + folder + " cannot be read: " + why(folder));
        }
        if (!create && !Files.exists(folder.resolve("stet.db"))) {
            throw new Refusal("There is no Stet database in " + folder + " (serve or account add makes one, --data names another folder)");
        }
        try {
            Files.createDirectories(folder, mode("rwx------"));
        } catch (FileAlreadyExistsException file) {
            throw new Refusal(file.getFile() + " is not a folder");
        } catch (IOException failure) {
            throw new Refusal("The folder " + folder + " cannot be made: " + Reason.of(failure));
        }
        if (!Files.isWritable(folder)) {
            throw new Refusal("The folder " + folder + " cannot be written to: " + why(folder));
        }
        return new DataFolder(folder);
    }

    /** Why this user may not. */
    private static String why(Path path) {
        try {
            String owner = Files.getOwner(path).getName();
            String user = System.getProperty("user.name");
            return owner.equals(user) ? "its permissions do not allow it" : "it belongs to " + owner + ", and this is " + user;
        } catch (IOException | UnsupportedOperationException unknown) {
            return "its permissions do not allow it";
        }
    }

    /** What a new file or folder has for its mode; nothing where there are none. */
    private static FileAttribute<?>[] mode(String permissions) {
        return POSIX ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))}
                : new FileAttribute<?>[0];
    }

    /** Makes an empty file that its owner alone may read, where there is none; SQLite gives its log the mode of its database. */
    static void createPrivate(Path file) throws IOException {
        try {
            Files.createFile(file, mode(PRIVATE));
        } catch (FileAlreadyExistsException before) {
            makePrivate(file);
        }
    }

    /** Takes the others' rights to a file, which an older Stet or a copy by hand may have given them. */
    private static void makePrivate(Path file) throws IOException {
        if (POSIX && Files.exists(file)) {
            Set<PosixFilePermission> permissions = PosixFilePermissions.fromString(PRIVATE);
            if (!permissions.containsAll(Files.getPosixFilePermissions(file))) {
                Files.setPosixFilePermissions(file, permissions);
            }
        }
    }

    /** The same for all that lies beside the database, while it is not open yet. */
    void makePrivate() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "{stet*.db*,*.lock}")) {
            for (Path file : files) {
                makePrivate(file);
            }
        } catch (IOException notTheOwner) {
            // Then they are as their owner made them.
        }
    }

    /** Gives a file its name, and has the disk hold both before anything follows. */
    static void settle(Path made, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(made, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        if (POSIX) {
            try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
                folder.force(true);
            }
        }
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
            throw new Refusal(database + " cannot be read: "
                    + (failure instanceof AccessDeniedException ? why(database) : Reason.of(failure)));
        }
        if (start.length == 0) {
            throw new Refusal(database + " is empty; restore it from a backup, or remove it to begin anew");
        }
        if (!Arrays.equals(start, MAGIC)) {
            throw new Refusal(database + " is not a database");
        }
        if (!Files.isWritable(database)) {
            throw new Refusal(database + " is read-only: " + why(database));
        }
    }

    /** A new file that only its owner can read, for the caller to delete. */
    Path temporaryFile() throws IOException {
        return Files.createTempFile(Files.createDirectories(path(TEMPORARY), mode("rwx------")), "", ".tmp");
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
            FileChannel channel = lockFile(LOCK);
            for (int tries = LOCK_TRIES; tries > 0; tries--) {
                FileLock lock = channel.tryLock();
                if (lock != null) {
                    return lock;
                }
                Thread.sleep(LOCK_PAUSE); // a command may be looking whether a serve runs
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
        try (FileChannel channel = lockFile(LOCK);
                FileLock shared = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return shared == null;
        } catch (OverlappingFileLockException sameProcess) {
            return true;
        } catch (IOException unknown) {
            return false;
        }
    }

    /** A file that is locked, open for reading and writing. */
    FileChannel lockFile(String name) throws IOException {
        return FileChannel.open(path(name), Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE), mode(PRIVATE));
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
                Files.createDirectories(home, mode("rwx------"));
                Path unpacked = Files.createTempFile(home, "lib", ".tmp");
                try (OutputStream out = Files.newOutputStream(unpacked)) {
                    packed.transferTo(out);
                }
                Files.move(unpacked, library, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        System.setProperty("org.sqlite.lib.path", home.toAbsolutePath().toString());
        System.setProperty("org.sqlite.lib.name", name);
    }
}
