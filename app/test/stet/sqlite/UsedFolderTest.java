package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.harness.Running;
import stet.harness.Terminal;

/** A missing database is not replaced with a new one, because its owner would believe that all data was lost. */
class UsedFolderTest {
    private static final String ADA = "ada@example.com";

    @TempDir
    Path folder;
    private Path data;
    private Path database;
    private Terminal terminal;

    @BeforeEach
    void terminal() {
        data = folder.resolve("data");
        database = data.resolve("stet.db");
        terminal = new Terminal(data);
    }

    private void create(String files) throws IOException {
        for (String name : files.split(" ")) {
            Files.createDirectories(data.resolve(name).getParent());
            Files.writeString(data.resolve(name), "");
        }
    }

    private void assertRefused(String named) {
        String sentence = database + " is missing, but its companion files exist (" + named + "). Put the database back or use"
                + " \"restore FILE\". To start over, move these files elsewhere or choose another folder with --data\n";
        assertEquals(sentence, assertThrows(AssertionError.class, () -> terminal.serve("--listen", "127.0.0.1:0").close()).getMessage());
        assertEquals(new Terminal.Result(1, "", sentence), terminal.run("account", "add", ADA));
        assertFalse(Files.exists(database));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            stet.db.opened                       | stet.db.opened
            stet-v6.db                           | stet-v6.db
            stet-v5-2.db                         | stet-v5-2.db
            replaced-2026-01-31T090000Z/stet.db  | replaced-2026-01-31T090000Z
            stet-2026-01-31T090000Z.db           | stet-2026-01-31T090000Z.db
            backups/stet-2026-01-31T090000Z.db   | backups/stet-2026-01-31T090000Z.db
            stet-v7.db stet-v6.db stet-v5.db     | stet-v5.db, stet-v6.db, stet-v7.db
            stet-v7.db stet-v6.db stet-v5.db stet.db.opened | stet-v5.db, stet-v6.db, stet-v7.db, ...
            """)
    void aFolderThatHeldADatabaseIsRejected(String files, String named) throws IOException {
        create(files);
        assertRefused(named);
    }

    /** The first line lists the files left by a start that was killed before creating the database. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"serve.lock create.lock tmp/1-2.tmp native/library", "stet.db-wal stet.db-shm",
        "notes.txt stet.txt access.log lost+found/file", "backups/notes.txt"})
    void anyOtherFolderCanBeUsed(String files) throws IOException {
        create(files);
        terminal.account(ADA, "pro");
        terminal.serve("--listen", "127.0.0.1:0").close();
        assertTrue(terminal.done("account", "list").contains(ADA));
    }

    /** Whether serve has recorded the log's owner; stopping it earlier removes the record. */
    private boolean isSettled() {
        try (Stream<String> lines = Files.lines(data.resolve("stet.db.opened"))) {
            return lines.count() == 3;
        } catch (IOException missing) {
            return false;
        }
    }

    @Test
    void aRemovedDatabaseCanBeRestored() throws IOException {
        terminal.account(ADA, "pro");
        Path copy = folder.resolve("copy.db");
        terminal.done("backup", copy.toString());
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertTrue(Running.comes(() -> isSettled()), serving::err);
        }
        Files.delete(database);
        assertRefused("stet.db.opened");
        terminal.done("restore", copy.toString());
        assertTrue(terminal.done("account", "list").contains(ADA));
    }

    @Test
    void withoutItsCompanionFilesANewDatabaseIsCreated() throws IOException {
        terminal.account(ADA, "pro");
        Files.delete(database);
        terminal.account("eve@example.com", "pro");
        assertFalse(terminal.done("account", "list").contains(ADA));
    }
}
