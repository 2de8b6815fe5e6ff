package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    void anUnwritableFolderIsNamedWithAdvice() {
        Path none = Path.of("/proc/no-such-folder");
        assertEquals("Cannot create temporary data in /proc/no-such-folder: file or folder not found. Run java with -Djava.io.tmpdir=DIR,"
                + " where DIR is a writable folder", assertThrows(IOException.class, () -> TemporaryFolder.create(none, prefix)).getMessage());
    }

    @Test
    void aFolderStaysUntilItsProcessHasEnded() throws Exception {
        Process other = new ProcessBuilder("sleep", "600").start();
        long pid = other.pid();
        long start = other.info().startInstant().map(Instant::toEpochMilli).orElseThrow();
        try {
            assertTrue(stays(pid, start));
            assertTrue(stays(pid, start + 1_000), "another JVM's view of its start");
            assertFalse(stays(pid, start - 3_600_000), "its number was another's before");
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertFalse(stays(pid, start));
        ProcessHandle own = ProcessHandle.current();
        assertTrue(stays(own.pid(), own.info().startInstant().map(Instant::toEpochMilli).orElseThrow()));
    }
}
