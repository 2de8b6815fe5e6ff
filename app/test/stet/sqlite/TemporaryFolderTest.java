package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Throw-away data folders in one temporary folder, as used by test doubles that start at the same time. */
class TemporaryFolderTest {
    private final String prefix = "stet-test-" + System.nanoTime() + "-";

    /** Returns whether a folder with an unlocked lock file survives when another folder is created. */
    private boolean stays(long pid, long startMillis) throws IOException {
        Path other = Files.createTempDirectory(prefix + pid + "-" + startMillis + "-");
        Files.createFile(other.resolve(DataFolder.SERVE_LOCK));
        try (TemporaryFolder own = TemporaryFolder.create(prefix)) {
            return Files.exists(other.resolve(DataFolder.SERVE_LOCK)) && Files.exists(own.path());
        } finally {
            Files.deleteIfExists(other.resolve(DataFolder.SERVE_LOCK));
            Files.deleteIfExists(other);
        }
    }

    /** For example in a container with a read-only root. */
    @Test
    void aFolderThatTakesNothingNamesTheWayOut() {
        Path none = Path.of("/proc/no-such-folder");
        assertEquals("Cannot create temporary data in /proc/no-such-folder: file or folder not found. Run java with -Djava.io.tmpdir=DIR,"
                + " where DIR is a writable folder", assertThrows(IOException.class, () -> TemporaryFolder.create(none, prefix)).getMessage());
    }

    @Test
    void whatAnotherProcessIsMakingStaysUntilItHasEnded() throws Exception {
        Process other = new ProcessBuilder("sleep", "600").start();
        long pid = other.pid();
        long start = other.info().startInstant().map(Instant::toEpochMilli).orElseThrow();
        try {
            assertEquals(true, stays(pid, start));
            assertEquals(true, stays(pid, start + 1_000), "another JVM's view of its start");
            assertEquals(false, stays(pid, start - 3_600_000), "its number was another's before");
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertEquals(false, stays(pid, start));
        ProcessHandle own = ProcessHandle.current();
        assertEquals(true, stays(own.pid(), own.info().startInstant().map(Instant::toEpochMilli).orElseThrow()));
    }
}
