package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checking a folder while other processes work in it. */
class FolderCheckTest {
    @TempDir
    Path folder;

    @Test
    void aFileDeletedDuringTheCheckIsNoProblem() throws IOException {
        assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"), "there are no modes here");
        for (String name : List.of("stet.db", "stet.db-shm", "stet.db-wal")) {
            Path file = Files.createFile(folder.resolve(name));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        }
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> problems = new ArrayList<>();
        FolderCheck.permissions(folder, problem -> {
            problems.add(problem.replaceFirst(".* ", ""));
            try {
                if (problem.endsWith("stet.db")) { // the names are already listed
                    Files.delete(folder.resolve("stet.db-shm"));
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        });
        assertEquals(List.of(folder.toString(), folder.resolve("stet.db").toString(), folder.resolve("stet.db-wal").toString()), problems);
    }
}
