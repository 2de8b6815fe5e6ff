package stet.sqlite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stet.base.FullDisk;
import stet.base.LocalFiles;
import stet.base.Reason;

/**
 * A folder for temporary data, deleted when closed. A killed process leaves its folder behind, unlocked; the next call to
 * {@link #create} with the same prefix deletes it.
 */
public record TemporaryFolder(Path path) implements AutoCloseable {
    /** Time within which a new folder must be locked. */
    private static final long START_MILLIS = 60_000;
    private static final Pattern OWNER = Pattern.compile("([0-9]{1,9})-([0-9]{1,15})-.*");
    /** Tolerance for a process's start time, which Linux computes from its boot time in whole seconds. */
    private static final long CLOCK_MILLIS = 2_000;

    /** @param prefix prefix of the folder's name, the same in every process */
    public static TemporaryFolder create(String prefix) throws IOException {
        return create(Path.of(System.getProperty("java.io.tmpdir")), prefix);
    }

    private static String sentence(Path parent, IOException failure) {
        return "Cannot create temporary data in " + parent + ": " + Reason.of(failure)
                + ". Run java with -Djava.io.tmpdir=DIR, where DIR is a writable folder";
    }

    /**
     * Advice if the system's temporary folder cannot be written, or its disk is full; empty for other failures, such as those of a user's
     * folder inside it.
     */
    public static Optional<String> advice(IOException failure) {
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        boolean isInside = failure instanceof FileSystemException system && system.getFile() != null
                && Path.of(system.getFile()).toAbsolutePath().startsWith(parent.toAbsolutePath());
        boolean isFull = FullDisk.isCauseOf(failure) && FullDisk.isFull(parent);
        return isInside && !Files.isWritable(parent) || isFull ? Optional.of(sentence(parent, failure)) : Optional.empty();
    }

    /** Creates a folder and deletes those that killed processes have left. @throws IOException with advice for the user */
    static TemporaryFolder create(Path parent, String prefix) throws IOException {
        ProcessHandle process = ProcessHandle.current();
        Path path;
        try {
            path = Files.createTempDirectory(parent, prefix + process.pid() + "-" + startMillis(process) + "-");
        } catch (IOException failure) {
            throw new IOException(sentence(parent, failure), failure);
        }
        try (Stream<Path> siblings = Files.list(parent)) {
            siblings.filter(other -> other.getFileName().toString().startsWith(prefix)
                    && !isOfRunningProcess(other.getFileName().toString().substring(prefix.length()))).forEach(other -> deleteLeftOver(other, path));
        }
        return new TemporaryFolder(path);
    }

    private static long startMillis(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /**
     * Whether a running process owns the folder. Checked before the lock, because a process may not have locked its folder yet, and because
     * testing the lock of this process's own folder would release it (POSIX). Processes in other containers that share the temporary folder
     * are recognized only by their locks.
     */
    private static boolean isOfRunningProcess(String name) {
        Matcher owner = OWNER.matcher(name);
        return owner.matches() && ProcessHandle.of(Long.parseLong(owner.group(1))).filter(process ->
                Math.abs(startMillis(process) - Long.parseLong(owner.group(2))) <= CLOCK_MILLIS).isPresent();
    }

    @Override
    public void close() throws IOException {
        LocalFiles.delete(path);
    }

    /** Deletes a folder that belongs to this folder's owner and that no running process, perhaps in another container, has locked. */
    private static void deleteLeftOver(Path folder, Path own) {
        try {
            if (!Files.getOwner(folder).equals(Files.getOwner(own))) {
                return;
            }
            Path lock = folder.resolve(DataFolder.SERVE_LOCK);
            if (Files.notExists(lock)) { // the folder is being created, or a killed process has deleted part of it
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
            // For example, another process is deleting the folder.
        }
    }
}
