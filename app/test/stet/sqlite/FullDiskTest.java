package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.LocalFiles;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Machine;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.harness.Terminal;

/** Commands on a full disk print one sentence, exit with 2 and leave no partial changes. */
class FullDiskTest {
    private static final String ADA = "ada@example.com";
    private static final int TEMPLATES = 20;

    /** An image that needs more space than a full disk has. */
    private static final byte[] PHOTO = Pictures.with(Pictures.png(8, 8, 1), 33, Pictures.chunk("iCCP", new byte[300_000]));

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
        for (int i = 0; i < TEMPLATES; i++) {
            Files.writeString(templates.resolve("t" + i + ".html"), (i + "<p>hi</p>").repeat(5_000));
        }
        Files.write(Files.createDirectories(home.resolve("files/images")).resolve("photo.png"), PHOTO);
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
    void aBackupOrRestoreThatDoesNotFitDoesNotStart() throws IOException {
        Terminal other = new Terminal(home.resolve("other"));
        other.account(ADA, "pro");
        other.done("import", home.resolve("files").toString(), "--account", ADA);
        Path copy = home.resolve("copy.db");
        other.done("backup", copy.toString());
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
        other.done("import", home.resolve("files").toString(), "--account", ADA);
        fill();
        for (String name : new String[] {"new", "there"}) {
            Path out = name.equals("there") ? Files.createDirectory(disk.resolve(name)) : disk.resolve(name);
            Terminal.Result result = other.run("export", out.toString(), "--account", ADA);
            assertTrue(result.code() == 2 && result.err().matches("Not enough disk space in " + out + ": 1\\.4 MB needed, 0\\.0 MB free\\R"),
                    result.toString());
            assertTrue(name.equals("there") ? out.toFile().list().length == 0 : Files.notExists(out));
        }
    }

    /** @param state whether serve was stopped, or killed with a log and with or without shared memory */
    @ParameterizedTest
    @ValueSource(strings = {"stopped", "killed", "killed, without stet.db-shm"})
    void allDataCanBeExportedFromAFullDisk(String state) throws Exception {
        terminal.done("import", home.resolve("files").toString(), "--account", ADA, "--publish");
        Path data = disk.resolve("data");
        if (!state.equals("stopped")) {
            Path copy = Files.createDirectory(home.resolve("killed"));
            try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
                assertEquals(200, serving.get("/healthz", null).status());
                terminal.done("account", "label", ADA, "Labelled");
                for (String ending : List.of("", "-wal", "-shm")) {
                    Files.copy(data.resolve("stet.db" + ending), copy.resolve("stet.db" + ending));
                }
            }
            for (String ending : state.equals("killed") ? List.of("", "-wal", "-shm") : List.of("", "-wal")) {
                Files.copy(copy.resolve("stet.db" + ending), data.resolve("stet.db" + ending), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        fill();
        assertEquals(1 + TEMPLATES, terminal.done("template", "list", ADA).lines().count());
        terminal.done("export", home.resolve("exported").toString(), "--account", ADA);
        terminal.done("pull", home.resolve("pulled").toString(), "--account", ADA);
        String status = terminal.done("status", "--account", ADA);
        assertEquals(!state.equals("stopped"), status.contains("Labelled"), "from the log of the killed serve: " + status);
        Terminal.Result check = terminal.run("check");
        assertEquals(List.of("space"), check.out().lines().filter(line -> line.startsWith("problem")).map(line -> line.split("[ :]+")[1]).toList(), check.out());
        Path backup = home.resolve("backup.db");
        terminal.done("backup", backup.toString());
        terminal.done("check", backup.toString());
    }

    /** The unit restarts serve after a pause, until there is space. @param isCopied whether the data were never opened here */
    @ParameterizedTest(name = "copied: {0}")
    @ValueSource(booleans = {false, true})
    void serveStartsOnlyWithSpace(boolean isCopied) throws IOException {
        Path data = disk.resolve("data");
        if (isCopied) {
            Files.copy(data.resolve("stet.db"), Files.createDirectory(disk.resolve("copy"), LocalFiles.folderMode()).resolve("stet.db"));
            data = disk.resolve("copy");
        }
        fill();
        Terminal.Result full = new Terminal(data).run("serve", "--listen", "127.0.0.1:0");
        assertEquals(2, full.code(), full.toString());
        assertEquals("", full.out());
        assertTrue(full.err().matches("Not enough disk space in " + data + ": 1\\.0 MB needed, 0\\.0 MB free\\R"), full.toString());
        Files.delete(disk.resolve("filler"));
        try (Terminal.Serving serving = new Terminal(data).serve("--listen", "127.0.0.1:0")) {
            assertEquals(200, serving.get("/healthz", null).status());
        }
    }

    /** With some hundred kilobytes, old versions can be deleted, and the space returned to the disk. */
    @Test
    void aLittleSpaceIsEnoughToFreeMore() throws IOException {
        for (int i = 0; i < 3; i++) {
            for (int t = 0; t < TEMPLATES; t++) {
                Path file = home.resolve("files/templates/t" + t + ".html");
                Files.writeString(file, i + Files.readString(file));
            }
            terminal.done("import", home.resolve("files").toString(), "--account", ADA, "--publish");
        }
        fill();
        long before = Files.size(disk.resolve("data/stet.db"));
        try (FileChannel filler = FileChannel.open(disk.resolve("filler"), StandardOpenOption.WRITE)) {
            filler.truncate(filler.size() - (400 << 10));
        }
        terminal.done("template", "prune", ADA, "--keep", "1", "--yes");
        terminal.done("compact");
        assertTrue(Files.size(disk.resolve("data/stet.db")) < before / 2, before + " bytes before");
    }

    @Test
    void aReadOnlyDiskCanBeReadAndWritesSayWhyNot() throws Exception {
        String before = state();
        Machine.may(Machine.run("mount", "-o", "remount,ro", disk.toString()) == 0, "no file system can be mounted here");
        assertEquals(before, state());
        terminal.done("check");
        terminal.done("backup", home.resolve("backup.db").toString());
        Terminal.Result refused = new Terminal.Result(2, "", "Cannot write to the folder " + disk.resolve("data") + ": the file system is mounted read-only\n");
        for (String command : List.of("account label ada@example.com x", "key add ada@example.com x", "compact", "serve", "restore " + home.resolve("backup.db"))) {
            assertEquals(refused, terminal.run(command.split(" ")), command);
        }
        assertEquals(0, Machine.run("mount", "-o", "remount,rw", disk.toString()));
    }

    /** Authors and pipelines read why; API clients get the one body that api.md promises. */
    @Test
    void aSaveSaysThatTheDiskIsFull() {
        try (Running stet = new Running(disk.resolve("served"))) {
            Account ada = stet.account("eve@example.com", Plan.PRO);
            stet.draft(ada, "welcome", "Welcome", "", "hi");
            String key = stet.key(ada);
            Browser browser = Browser.of(stet, ada);
            Running.logged(() -> {
                fill();
                String html = "x".repeat(1 << 20);
                Browser.answered(500, "{\"error\":\"The server cannot save now: the disk is full\"}",
                        browser.post("/data/blocks", "{\"name\":\"large\",\"html\":\"" + html + "\"}"));
                Browser.answered(500, "{\"error\":\"The server cannot save now: the disk is full\"}",
                        browser.post("/data/images", "{\"name\":\"photo.png\",\"file\":\"" + Base64.getEncoder().encodeToString(PHOTO) + "\"}"));
                Client.Reply reply = stet.get(Running.TEMPLATES + "welcome", key);
                // unpublished; the count may or may not fit
                assertTrue(reply.status() == 404 || reply.text().equals("{\"error\":\"Internal server error\"}"), reply.text());
                try {
                    Files.delete(disk.resolve("filler"));
                } catch (IOException failure) {
                    throw new AssertionError(failure);
                }
                assertTrue(Running.comes(stet::isHealthy));
            });
            assertEquals(404, stet.get(Running.TEMPLATES + "welcome", key).status());
            assertEquals(0, stet.db.read(dao -> dao.images().room(ada.id())).files());
        }
    }

    /** Transactions still work, but uploads, backups and log rotation need new files. */
    @Test
    void missingInodesAreSeen() throws Exception {
        Path small = Files.createDirectory(home.resolve("small"));
        Machine.mount(small, "size=8m,nr_inodes=40");
        try (Running stet = new Running(small.resolve("data"))) {
            Running.logged(() -> {
                int files = 0;
                try {
                    while (true) {
                        Files.createFile(small.resolve("file" + files));
                        files++;
                    }
                } catch (IOException full) {
                    assertTrue(Running.comes(() -> stet.isFailing("the disk has no free inodes")));
                }
                Terminal.Result check = new Terminal(stet.folder).run("check");
                assertTrue(check.code() == 1 && check.out().contains("problem  space: No file can be created, because the file system has no free inodes"),
                        check.toString());
                try {
                    for (int i = 0; i < files; i++) {
                        Files.delete(small.resolve("file" + i));
                    }
                } catch (IOException failure) {
                    throw new AssertionError(failure);
                }
                assertTrue(Running.comes(stet::isHealthy));
            });
        } finally {
            Machine.run("umount", small.toString());
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
                    String shown = command + ", served " + isServed + ": " + result;
                    assertEquals(2, result.code(), shown);
                    assertEquals("", result.out(), shown);
                    assertEquals(1, result.err().lines().count(), shown);
                    assertTrue(result.err().matches("Not enough disk space in " + disk.resolve("data") + ": 1\\.0 MB needed, 0\\.0 MB free\\R"), shown);
                }
                Files.delete(disk.resolve("filler"));
                assertTrue(serving == null || Running.comes(() -> serving.get("/healthz", null).status() == 200));
                assertEquals(before, state());
            }
        }
        terminal.done("import", home.resolve("files").toString(), "--account", ADA, "--publish");
        assertEquals(1 + TEMPLATES, terminal.done("template", "list", ADA).lines().count());
        terminal.done("check");
    }
}
