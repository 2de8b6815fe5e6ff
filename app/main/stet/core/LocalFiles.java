package stet.core;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Rights and identity of files, as far as the system has them. */
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

    /** Tells one file from another of the same name; null where there is none, or the system has no such key. */
    public static Object identity(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException missing) {
            return null;
        }
    }
}
