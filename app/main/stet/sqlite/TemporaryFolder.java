package stet.sqlite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.stream.Stream;
import stet.core.LocalFiles;

/**
 * A folder for throw-away data, deleted when closed. A killed process leaves its folder behind, without a lock; the next folder
 * that is created deletes it.
 */
public record TemporaryFolder(Path path) implements AutoCloseable {
    /** Maximum age of a new folder without its lock. */
    private static final long START_MILLIS = 60_000;

    /** @param prefix of the names of all such folders */
    public static TemporaryFolder create(String prefix) throws IOException {
        ProcessHandle process = ProcessHandle.current();
        String own = prefix + process.pid() + "-" + process.info().startInstant().map(Instant::toEpochMilli).orElse(0L) + "-";
        Path path = Files.createTempDirectory(own);
        try (Stream<Path> siblings = Files.list(path.getParent())) {
            // Trying the lock of another folder of this process would release it (POSIX).
            siblings.filter(other -> other.getFileName().toString().startsWith(prefix) && !other.getFileName().toString().startsWith(own))
                    .forEach(other -> deleteLeftOver(other, path));
        }
        return new TemporaryFolder(path);
    }

    @Override
    public void close() throws IOException {
        LocalFiles.delete(path);
    }

    private static void deleteLeftOver(Path folder, Path own) {
        try {
            if (!Files.getOwner(folder).equals(Files.getOwner(own))) {
                return;
            }
            Path lock = folder.resolve(DataFolder.SERVE_LOCK);
            if (Files.notExists(lock)) { // just being made, or half deleted by a killed process
                if (Files.getLastModifiedTime(folder).toMillis() < Files.getLastModifiedTime(own).toMillis() - START_MILLIS) {
                    LocalFiles.delete(folder);
                }
                return;
            }
            try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE); FileLock held = channel.tryLock()) {
                if (held != null) {
                    LocalFiles.delete(folder);
                }
            }
        } catch (IOException busy) {
            // Another process uses it, or deletes it just now.
        }
    }
}
