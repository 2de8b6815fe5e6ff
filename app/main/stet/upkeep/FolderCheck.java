package stet.upkeep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import stet.base.Amount;
import stet.base.LocalFiles;
import stet.base.Refusal;
import stet.sqlite.DataFolder;

/** The checks of a database's files and folder. Each passes on its problems and returns a summary, shown if there are none. */
final class FolderCheck {
    /** Maximum healthy log size. The log normally stays far smaller unless a reader blocks checkpoints. */
    private static final long MAX_LOG_BYTES = 256 << 20;

    private FolderCheck() {
    }

    /**
     * Checks the permissions and owners of the folder and its files. File permissions do not matter if only the owner can enter
     * the folder.
     */
    static String permissions(Path folder, Consumer<String> problem) throws IOException {
        if (!LocalFiles.HAVE_MODES) {
            return "this file system does not support permissions";
        }
        try (Stream<Path> files = Files.list(folder)) {
            boolean isOpen = LocalFiles.isAccessibleToOthers(folder);
            String owner = owner(folder.resolve("stet.db"));
            boolean isOwn = owner(folder).equals(owner);
            if (isOpen && isOwn) {
                problem.accept("Other users have access to " + folder + "; run chmod 700 " + folder);
            } else if (LocalFiles.isWritableByAll(folder)) {
                problem.accept("Other users can write to " + folder + "; its owner, " + owner(folder) + ", can change this with chmod o-w " + folder);
            }
            for (Path file : files.filter(file -> !Files.isSymbolicLink(file) && !file.endsWith("lost+found")).sorted().toList()) {
                try {
                    if (isOpen && Files.isRegularFile(file)) {
                        filePermissions(file, problem);
                    }
                    String other = owner(file);
                    if (!other.equals(owner)) {
                        problem.accept(file + " is owned by " + other + ", but stet.db by " + owner
                                + "; run chown -R " + owner + " " + folder);
                    }
                } catch (NoSuchFileException removed) {
                    // Another process has deleted or renamed the file.
                }
            }
            return isOpen ? "only " + owner + " has access to the files; " + owner(folder) + " owns the folder" : "only " + owner + " has access";
        }
    }

    /** Checks that only the owner has access to a file. */
    static String filePermissions(Path file, Consumer<String> problem) throws IOException {
        if (LocalFiles.isAccessibleToOthers(file)) {
            problem.accept("Other users have access to " + file + "; run chmod 600 " + file);
        }
        return LocalFiles.HAVE_MODES ? "only the file's owner has access" : "this file system does not support permissions";
    }

    private static String owner(Path file) throws IOException {
        return Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).getName();
    }

    /** Compares the file with the SHA-256 stored beside it. */
    static String checksum(Path file, Consumer<String> problem) throws IOException {
        try {
            Optional<String> expected = Checksum.read(file);
            if (expected.isPresent() && !expected.get().equals(Checksum.of(file))) {
                problem.accept(file + " does not match " + Checksum.beside(file) + "; make a new backup, or use another file");
            }
            return expected.isPresent() ? "the file matches " + Checksum.beside(file)
                    : "not verified because there is no " + Checksum.beside(file);
        } catch (Refusal malformed) {
            problem.accept(malformed.getMessage());
            return ""; // not shown beside a problem
        }
    }

    /** Checks the log's size, and whether the disk has space to copy the database for a backup or upgrade. */
    static String space(DataFolder folder, Consumer<String> problem) {
        Path file = folder.database();
        long database = file.toFile().length();
        long log = DataFolder.log(file).toFile().length();
        long free = folder.path("").toFile().getUsableSpace();
        if (free < database + log) {
            problem.accept("Only " + Amount.megabytes(free, database + log) + " of disk space is free, but a backup or upgrade needs "
                    + Amount.megabytes(database + log, free) + " to copy the database");
        }
        if (folder.lacksInodes()) {
            problem.accept("No file can be created, because the file system has no free inodes; delete small files on this disk (see df -i)");
        }
        if (log > MAX_LOG_BYTES) {
            problem.accept("The log stet.db-wal has grown to " + Amount.megabytes(log)
                    + "; stop the program that keeps the database open, or restart serve");
        }
        return Amount.megabytes(free) + " free; the database uses " + Amount.megabytes(database + log);
    }
}
