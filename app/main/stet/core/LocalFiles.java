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
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/** Rights and links of files, as far as the system has them. */
public final class LocalFiles {
    /** Whether files have owners and modes (POSIX). */
    public static final boolean HAVE_MODES = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

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
}
