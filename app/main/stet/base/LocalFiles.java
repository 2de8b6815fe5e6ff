package stet.base;

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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** File permissions, identity and durable renaming, where the system supports them. */
public final class LocalFiles {
    /** True if the file system has POSIX permissions. */
    public static final boolean HAVE_MODES = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    private static final Set<PosixFilePermission> OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    private LocalFiles() {
    }

    /** Owner-only permissions for a new file; empty without POSIX permissions. */
    public static FileAttribute<?>[] fileMode() {
        return mode("rw-------");
    }

    /** Owner-only permissions for a new folder; empty without POSIX permissions. */
    public static FileAttribute<?>[] folderMode() {
        return mode("rwx------");
    }

    private static FileAttribute<?>[] mode(String permissions) {
        return !HAVE_MODES ? new FileAttribute<?>[0]
                : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))};
    }

    /** True if anyone but the owner has any permission; false without POSIX permissions. */
    public static boolean isAccessibleToOthers(Path path) throws IOException {
        return HAVE_MODES && Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
    }

    /** True if users other than the owner and the group can write; false without POSIX permissions. */
    public static boolean isWritableByAll(Path path) throws IOException {
        return HAVE_MODES && Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_WRITE);
    }

    /** Lets only the owner read and write a file, if anyone else has a permission. */
    public static void makePrivate(Path file) throws IOException {
        if (isAccessibleToOthers(file)) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
    }

    /** A file's numeric owner and group. */
    public record FileOwner(int user, int group) {
    }

    /** A file's owner; empty if the file cannot be read or the system has no numeric owners. */
    public static Optional<FileOwner> owner(Path file) {
        try {
            Map<String, Object> ids = HAVE_MODES ? Files.readAttributes(file, "unix:uid,gid") : Map.of();
            return ids.size() < 2 ? Optional.empty() : Optional.of(new FileOwner((Integer) ids.get("uid"), (Integer) ids.get("gid")));
        } catch (IOException | UnsupportedOperationException unknown) {
            return Optional.empty();
        }
    }

    /** The user and group of this process; empty if the system has no {@code /proc}. */
    public static Optional<FileOwner> process() {
        return owner(Path.of("/proc/self"));
    }

    /** Gives a new file to the owner of another file if the owners differ, which only root can do. */
    public static void giveToOwnerOf(Path other, Path file) throws IOException {
        Optional<FileOwner> owner = owner(other);
        if (owner.isPresent() && !owner(file).equals(owner)) {
            give(file, owner.get());
        }
    }

    /** Gives a new file that root has created to the owner of its folder, so that a service can write it later. */
    public static void giveToOwnerOfFolder(Path file) throws IOException {
        if (process().filter(id -> id.user() == 0).isPresent()) {
            giveToOwnerOf(file.toAbsolutePath().getParent(), file);
        }
    }

    /** Gives a file to another user and group, which only root can do. */
    public static void give(Path file, FileOwner owner) throws IOException {
        Files.setAttribute(file, "unix:gid", owner.group);
        Files.setAttribute(file, "unix:uid", owner.user);
    }

    /**
     * Renames a finished file. When this method returns, the file's content is on disk, and so is its new name if the system can sync
     * folders.
     */
    public static void syncAndRename(Path temporary, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        syncFolder(file.toAbsolutePath().getParent());
    }

    /** Syncs a folder's entries to the disk, if the system supports it. */
    public static void syncFolder(Path folder) throws IOException {
        if (HAVE_MODES) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** Creates a hard link to a file or, if linking fails, a synced copy. */
    public static void linkOrCopy(Path file, Path second) throws IOException {
        try {
            Files.createLink(second, file);
        } catch (UnsupportedOperationException | IOException noLinks) {
            Files.copy(file, second, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel copy = FileChannel.open(second, StandardOpenOption.WRITE)) {
                copy.force(true);
            }
        }
    }

    /** Deletes a folder, if it exists, with its contents. Does not follow links. */
    public static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException deleted) {
            // The folder does not exist, or another process is also deleting it.
        } catch (UncheckedIOException failure) {
            if (!(failure.getCause() instanceof NoSuchFileException)) {
                throw failure.getCause();
            }
        }
    }

    /** Distinguishes a file from a later file with the same name; null if the file cannot be read or the file system has no file keys. */
    public static Object identity(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (IOException missing) {
            return null;
        }
    }
}
