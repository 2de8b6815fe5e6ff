package stet.sqlite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import stet.core.LocalFiles;

/**
 * A folder for throw-away data, deleted when closed. A killed process leaves its folder behind, without a lock; the next folder
 * that is created deletes it.
 */
public final class TemporaryFolder implements AutoCloseable {
    /** Folders of this process: trying their locks would release them. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    /** Maximum age of a new folder without its lock. */
    private static final long START_MILLIS = 60_000;

    private final Path path;

    private TemporaryFolder(Path path) {
        this.path = path;
    }

    /** @param prefix of the names of all such folders */
    public static TemporaryFolder create(String prefix) throws IOException {
        Path path = Files.createTempDirectory(prefix);
        OWN.add(path);
        try (Stream<Path> siblings = Files.list(path.getParent())) {
            siblings.filter(other -> other.getFileName().toString().startsWith(prefix) && !OWN.contains(other))
                    .forEach(other -> deleteLeftOver(other, path));
        }
        return new TemporaryFolder(path);
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        LocalFiles.delete(path);
        OWN.remove(path);
    }

    private static void deleteLeftOver(Path folder, Path own) {
        try {
            if (!Files.getOwner(folder).equals(Files.getOwner(own))) {
                return;
            }
            if (!Files.exists(folder.resolve(DataFolder.SERVE_LOCK))) {
                // Just being made, or half deleted by a killed process.
                if (Files.getLastModifiedTime(folder).toMillis() < Files.getLastModifiedTime(own).toMillis() - START_MILLIS) {
                    LocalFiles.delete(folder);
                }
                return;
            }
            try (FileChannel channel = FileChannel.open(folder.resolve(DataFolder.SERVE_LOCK), StandardOpenOption.WRITE);
                    FileLock lock = channel.tryLock()) {
                if (lock != null) {
                    LocalFiles.delete(folder);
                }
            }
        } catch (IOException | OverlappingFileLockException busy) {
            // Another process or double uses it, or deletes it just now.
        }
    }
}
