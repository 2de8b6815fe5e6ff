package stet.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A folder for throw-away data, deleted when closed. What a killed process left behind is deleted when the next one
 * is made: its data is locked by nobody any more.
 */
public final class TemporaryFolder implements AutoCloseable {
    /** Those of this process, whose locks are not to be tried: that would give them back. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    /** How long a new folder may be without its lock, in ms. */
    private static final long MAKING = 60_000;

    private final Path path;

    private TemporaryFolder(Path path) {
        this.path = path;
    }

    /** @param prefix what the names of all such folders begin with */
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
        delete(path);
        OWN.remove(path);
    }

    private static void deleteLeftOver(Path folder, Path own) {
        try {
            if (!Files.getOwner(folder).equals(Files.getOwner(own))) {
                return;
            }
            if (!Files.exists(folder.resolve(DataFolder.LOCK))) {
                // Just being made, or half deleted by one that was killed.
                if (Files.getLastModifiedTime(folder).toMillis() < Files.getLastModifiedTime(own).toMillis() - MAKING) {
                    delete(folder);
                }
                return;
            }
            try (FileChannel channel = FileChannel.open(folder.resolve(DataFolder.LOCK), StandardOpenOption.WRITE);
                    FileLock lock = channel.tryLock()) {
                if (lock != null) {
                    delete(folder);
                }
            }
        } catch (IOException | OverlappingFileLockException busy) {
            // Another one has it, or deletes it just now.
        }
    }

    private static void delete(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) { // another one deletes it, too
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
