package stet.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import stet.core.Amount;
import stet.core.LocalFiles;

/** Checks of a data folder and its files, as the system has them: rights, owners and space. */
final class FolderCheck {
    private static final Set<PosixFilePermission> OTHERS = PosixFilePermissions.fromString("---rwxrwx");
    /** Much more than the log takes, unless a reader holds it. */
    private static final long MAX_LOG_BYTES = 256 << 20;

    private FolderCheck() {
    }

    /** Rights and owners of the folder and the files in it. In a folder of the owner alone, those of its files are of no matter. */
    static String permissions(Path folder, Consumer<String> problem) {
        if (!LocalFiles.HAVE_MODES) {
            return "this file system has none";
        }
        String owner;
        try (Stream<Path> files = Files.list(folder)) {
            boolean isOpen = isOpen(folder);
            if (isOpen) {
                problem.accept("Others may look into " + folder + ": chmod 700 " + folder);
            }
            owner = owner(folder.resolve("stet.db"));
            for (Path file : files.filter(file -> !Files.isSymbolicLink(file)).sorted().toList()) {
                try {
                    if (isOpen && Files.isRegularFile(file)) {
                        tellIfOpen(file, problem);
                    }
                    String other = owner(file);
                    if (!other.equals(owner)) {
                        problem.accept(file + " belongs to " + other + ", but stet.db to " + owner
                                + ": chown -R " + owner + " " + folder);
                    }
                } catch (NoSuchFileException removed) {
                    // A serve or a command beside this one has ended, or has renamed it.
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return "only " + owner + " has access";
    }

    /** Rights of one file. */
    static String filePermissions(Path file, Consumer<String> problem) {
        if (!LocalFiles.HAVE_MODES) {
            return "this file system has none";
        }
        try {
            tellIfOpen(file, problem);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return "only its owner has access";
    }

    private static void tellIfOpen(Path file, Consumer<String> problem) throws IOException {
        if (isOpen(file)) {
            problem.accept("Others may read or write " + file + ": chmod 600 " + file);
        }
    }

    private static boolean isOpen(Path path) throws IOException {
        return Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
    }

    private static String owner(Path file) throws IOException {
        return Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).getName();
    }

    /** Space for a copy of the database, which a backup or an upgrade makes, and the length of the log. */
    static String space(Path folder, Consumer<String> problem) {
        Path file = folder.resolve("stet.db");
        long database = file.toFile().length();
        long log = DataFolder.log(file).toFile().length();
        long free = folder.toFile().getUsableSpace();
        if (free < database + log) {
            problem.accept("The disk has " + Amount.megabytes(free) + " free, and the database " + Amount.megabytes(database + log)
                    + ": make room for a copy of it, which a backup or an upgrade needs");
        }
        if (log > MAX_LOG_BYTES) {
            problem.accept("The log stet.db-wal has grown to " + Amount.megabytes(log)
                    + ": end the program that holds the database open, or restart serve");
        }
        return Amount.megabytes(free) + " free, and the database has " + Amount.megabytes(database + log);
    }
}
