package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands on a full disk print one sentence, exit with 2 and leave no partial changes. */
class FullDiskTest {
    private static final String ADA = "ada@example.com";

    private final Path home = Running.temporary();
    private final Path disk = home.resolve("disk");
    private Terminal terminal;

    @BeforeEach
    void mount() throws Exception {
        new Terminal(home.resolve("first")).account(ADA, "pro"); // loads SQLite's native library from a folder with space
        Files.createDirectory(disk);
        Machine.mount(disk);
        terminal = new Terminal(disk.resolve("data"));
        terminal.account(ADA, "pro");
        Path templates = Files.createDirectories(home.resolve("files/templates"));
        for (int i = 0; i < 20; i++) {
            Files.writeString(templates.resolve("t" + i + ".html"), (i + "<p>hi</p>").repeat(5_000));
        }
    }

    @AfterEach
    void unmount() throws Exception {
        Machine.run("umount", disk.toString());
        Running.delete(home);
    }

    private String state() {
        return terminal.done("account", "list") + terminal.done("key", "list", ADA) + terminal.done("template", "list", ADA);
    }

    private void fill() {
        try (OutputStream out = Files.newOutputStream(disk.resolve("filler"))) {
            while (true) {
                out.write(new byte[1_024]);
            }
        } catch (IOException full) {
            // expected
        }
    }

    /** A backup that would fill the disk does not start, because a full disk could break a running serve. */
    @Test
    void aBackupAndARestoreSayHowMuchTheyNeed() throws IOException {
        Terminal other = new Terminal(home.resolve("other"));
        other.account(ADA, "pro");
        assertEquals(0, other.run("import", home.resolve("files").toString(), "--account", ADA).code());
        Path copy = home.resolve("copy.db");
        assertEquals(0, other.run("backup", copy.toString()).code());
        String before = state();
        fill();
        terminal.bytes = Files.readAllBytes(copy);
        Path file = disk.resolve("copy.db");
        Path data = disk.resolve("data");
        assertFull(disk, other.run("backup", file.toString()));
        assertFull(data, terminal.run("restore", copy.toString()));
        assertFull(data.resolve("tmp"), terminal.run("restore", "-"));
        terminal.bytes = new byte[0];
        Path streamed = home.resolve("streamed.db");
        assertTrue(terminal.runInto(streamed, "backup", "-").contains("written and verified")); // through the system's temporary folder
        assertTrue(Files.notExists(file));
        Files.delete(disk.resolve("filler"));
        assertEquals(0, data.resolve("tmp").toFile().list().length);
        assertEquals(before, state());
    }

    private static void assertFull(Path folder, Terminal.Result result) {
        assertTrue(result.code() == 2 && result.out().isEmpty() && result.err().matches("Not enough disk space in " + folder
                + ": [1-3]\\.[0-9] MB needed, 0\\.0 MB free\\R"), folder + ": " + result);
    }

    /** The error names the folder and the total number of bytes needed. */
    @Test
    void anExportSaysHowMuchItNeeds() throws IOException {
        Terminal other = new Terminal(home.resolve("other"));
        other.account(ADA, "pro");
        assertEquals(0, other.run("import", home.resolve("files").toString(), "--account", ADA).code());
        fill();
        for (String name : new String[] {"new", "there"}) {
            Path out = name.equals("there") ? Files.createDirectory(disk.resolve(name)) : disk.resolve(name);
            Terminal.Result result = other.run("export", out.toString(), "--account", ADA);
            assertTrue(result.code() == 2 && result.err().matches("Not enough disk space in " + out + ": 1\\.1 MB needed, 0\\.0 MB free\\R"),
                    result.toString());
            assertTrue(name.equals("there") ? out.toFile().list().length == 0 : Files.notExists(out));
        }
    }

    @Test
    void aWritingCommandFailsWhole() throws IOException {
        String before = state();
        for (boolean isServed : new boolean[] {false, true}) {
            try (Terminal.Serving serving = isServed ? terminal.serve("--listen", "127.0.0.1:0") : null) {
                fill();
                for (List<String> command : List.of(List.of("account", "add", "eve@example.com"), List.of("key", "add", ADA, "second"),
                        List.of("import", home.resolve("files").toString(), "--account", ADA, "--publish"))) {
                    Terminal.Result result = terminal.run(command.toArray(String[]::new));
                    String told = command + ", served " + isServed + ": " + result;
                    assertEquals(2, result.code(), told);
                    assertEquals("", result.out(), told);
                    assertEquals(1, result.err().lines().count(), told);
                    assertTrue(result.err().matches("Not enough disk space in " + disk.resolve("data") + ": 1\\.0 MB needed, 0\\.0 MB free\\R"), told);
                }
                Files.delete(disk.resolve("filler"));
                assertTrue(serving == null || Running.comes(() -> serving.get("/healthz", null).status() == 200));
                assertEquals(before, state());
            }
        }
        assertEquals(0, terminal.run("import", home.resolve("files").toString(), "--account", ADA, "--publish").code());
        assertEquals(21, terminal.done("template", "list", ADA).lines().count());
        assertEquals(0, terminal.run("check").code());
    }
}
