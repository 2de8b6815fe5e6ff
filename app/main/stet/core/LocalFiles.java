package stet.core;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;

/** Rights, identity and durable renaming of files, as far as the system has them. */
public final class LocalFiles {
    /** Whether files have owners and modes (POSIX). */
    public static final boolean HAVE_MODES = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    private static final Set<PosixFilePermission> OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    private LocalFiles() {
    }

    /** Mode of a new file for its owner alone; empty where there are no modes. */
    public static FileAttribute<?>[] fileMode() {
        return mode("rw-------");
    }

    /** Mode of a new folder for its owner alone; empty where there are no modes. */
    public static FileAttribute<?>[] folderMode() {
        return mode("rwx------");
    }

    private static FileAttribute<?>[] mode(String permissions) {
        return !HAVE_MODES ? new FileAttribute<?>[0]
                : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))};
    }

    /** Whether other users than the owner have any right to a file or folder. */
    public static boolean isOpen(Path path) throws IOException {
        return HAVE_MODES && Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
    }

    /** Removes the rights of other users to a file. */
    public static void makePrivate(Path file) throws IOException {
        if (isOpen(file)) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
    }

    /** Renames a finished file; its content and its name are on the disk when this returns. */
    public static void syncAndRename(Path temporary, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        syncFolder(file.toAbsolutePath().getParent());
    }

    /** Syncs the names in a folder to the disk, where the system can. */
    public static void syncFolder(Path folder) throws IOException {
        if (HAVE_MODES) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** Gives a file a second name; where the file system has no links, copies it to the disk. */
    public static void link(Path file, Path second) throws IOException {
        try {
            Files.createLink(second, file);
        } catch (UnsupportedOperationException | IOException noLinks) {
            Files.copy(file, second, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel copy = FileChannel.open(second, StandardOpenOption.WRITE)) {
                copy.force(true);
            }
        }
    }

    /** Deletes a folder with all that is in it, if it is there; follows no link. */
    public static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException deleted) {
            // Another process deletes it, too.
        } catch (UncheckedIOException failure) {
            if (!(failure.getCause() instanceof NoSuchFileException)) {
                throw failure.getCause();
            }
        }
    }

    /** Tells one file from another of the same name; null where there is none, or the system has no such key. */
    public static Object identity(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException missing) {
            return null;
        }
    }
}
