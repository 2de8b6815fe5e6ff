package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.harness.Jar;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Terminal;

/** Only their owner can access the files of the data folder. */
class DataFolderTest {
    /** User and group IDs. */
    private static final int NOBODY = 65_534;
    private static final int ANOTHER = 65_533;

    @TempDir
    Path folder;
    private Path data;
    private Terminal terminal;

    @BeforeEach
    void aFolderThatEverybodyMayLookInto() throws IOException {
        assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"), "there are no modes here");
        data = Files.createDirectories(folder.resolve("data"));
        mode(folder, "rwxr-xr-x");
        mode(data, "rwxr-xr-x");
        terminal = new Terminal(data);
    }

    @Test
    void aNewDatabaseIsPrivate() throws IOException {
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertEquals(404, serving.get(Running.TEMPLATES + "any", terminal.account("ada@example.com", "pro")).status());
            assertEquals(Set.of(), open());
            assertTrue(Files.exists(data.resolve("stet.db-wal")));
        }
        assertEquals(Set.of(), open());
    }

    @Test
    void anExistingDatabaseBecomesPrivate() throws IOException {
        terminal.account("ada@example.com", "pro");
        Files.copy(data.resolve("stet.db"), data.resolve("stet-v10.db"));
        try (Stream<Path> files = Files.list(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                mode(file, "rw-r--r--");
            }
        }
        Files.writeString(data.resolve("serve.lock"), "");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertEquals(200, serving.get("/healthz", null).status());
            assertEquals(Set.of(), open());
            assertTrue(Files.exists(data.resolve("stet-v10.db")) && Files.exists(data.resolve("stet.db-wal")));
        }
        mode(data.resolve("stet.db"), "rw-rw-rw-");
        terminal.done("account", "list");
        assertEquals(Set.of(), open());
    }

    @Test
    void theStartDeletesTemporaryFilesOfDeadProcesses() throws IOException {
        Path temporary = Files.createDirectory(data.resolve("tmp"));
        String running = ProcessHandle.current().parent().orElseThrow().pid() + "-1.tmp";
        for (String name : List.of(running, ProcessHandle.current().pid() + "-2.tmp", "999999999999-3.tmp", "4.tmp", "-5.tmp")) {
            Files.writeString(temporary.resolve(name), "");
        }
        terminal.serve("--listen", "127.0.0.1:0").close();
        assertEquals(List.of(running), List.of(temporary.toFile().list()));
    }

    @Tag("jar")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rwx------ | root  | Cannot read the folder DATA: it is owned by root, but Stet runs as nobody; run chown -R 65534:65534 DATA (for a container, on its host, with the folder that is mounted as DATA)
            rwx------ | 65533 | Cannot read the folder DATA: it is owned by 65533, but Stet runs as nobody; run Stet as 65533, or chown -R 65534:65534 DATA (for a container, on its host, with the folder that is mounted as DATA)
            rwxr-xr-x | root  | Cannot read DATA/stet.db: it is owned by root, but Stet runs as nobody
            rwxrwxrwx | root  | Cannot read DATA/stet.db: it is owned by root, but Stet runs as nobody
            """)
    void aFolderOfSomebodyElseSaysWhose(String permissions, String owner, String sentence) throws Exception {
        String[] nobody = as(NOBODY);
        terminal.account("ada@example.com", "pro");
        done("chown", owner, data.toString());
        mode(data, permissions);
        Terminal.Result refused = new Terminal.Result(2, "", sentence.replace("DATA", data.toString()) + "\n");
        assertEquals(refused, run(concat(nobody, java("account", "list"))));
        assertEquals(refused, run(concat(nobody, java("check"))));
    }

    /** Another user could write, but the folder's owner could not read the files. */
    @Tag("jar")
    @Test
    void aCommandOfAnotherUserCreatesNothing() throws Exception {
        String[] another = as(ANOTHER);
        done("chown", NOBODY + ":" + NOBODY, data.toString());
        mode(data, "rwxrwxrwx");
        Terminal.Result refused = run(concat(another,
                java("account", "add", "ada@example.com")));
        assertTrue(refused.code() == 1 && refused.err().startsWith("The data in " + data + " belongs to the user nobody, who could not read files"),
                refused.toString());
        assertEquals(0, data.toFile().list().length);
    }

    /** Files that root's commands create in the folder belong to its owner, so that the service can use them; others belong to root. */
    @Test
    void rootsCommandsKeepTheOwner() throws Exception {
        Machine.may(System.getProperty("user.name").equals("root"), "only root can create files for another user");
        done("chown", NOBODY + ":" + ANOTHER, data.toString());
        mode(data, "rwx------");
        terminal.account("ada@example.com", "pro");
        terminal.done("backup", data.resolve("today.db").toString());
        terminal.done("backup", folder.resolve("mine.db").toString());
        terminal.done("restore", folder.resolve("mine.db").toString());
        terminal.serve("--listen", "127.0.0.1:0", "--backup-dir", data.resolve("backups").toString(), "--access-log", data.resolve("access.log").toString()).close();
        List<String> others = new ArrayList<>();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.toList()) {
                if (!(Files.getAttribute(file, "unix:uid") + ":" + Files.getAttribute(file, "unix:gid")).equals(NOBODY + ":" + ANOTHER)) {
                    others.add(data.relativize(file).toString());
                }
            }
        }
        assertEquals(List.of(), others);
        assertTrue(Files.exists(data.resolve("today.db.sha256")) && Files.exists(data.resolve("serve.lock")));
        assertEquals(0, Files.getAttribute(folder.resolve("mine.db"), "unix:uid"));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(data)));
    }

    /** Kubernetes mounts a volume that belongs to root and whose group is the service's (fsGroup). */
    @Test
    void aFolderOwnedByRootIsAProblemOnlyIfOthersCanWrite() throws Exception {
        Machine.may(System.getProperty("user.name").equals("root"), "only root can create files for another user");
        terminal.account("ada@example.com", "pro");
        Files.createDirectory(data.resolve("lost+found"));
        done("chown", "-R", NOBODY + ":" + NOBODY, data.toString());
        done("chown", "0", data.toString(), data.resolve("lost+found").toString());
        done("chmod", "2775", data.toString());
        String report = terminal.done("check");
        assertTrue(report.contains("ok       permissions: only nobody has access to the files; root owns the folder"), report);
        done("chmod", "2777", data.toString());
        assertTrue(terminal.run("check").out().contains("problem  permissions: Other users can write to " + data + "; its owner, root, can change this"
                + " with chmod o-w " + data));
    }

    /** @param how the folder's permissions, or its file system */
    @Tag("jar")
    @ParameterizedTest
    @CsvSource({"permissions, its permissions deny access", "mount, the file system is mounted read-only"})
    void aReadOnlyFolderCanBeReadAndWritesSayWhyNot(String how, String reason) throws Exception {
        List<String> prefix = new ArrayList<>(List.of(as(NOBODY)));
        if (how.equals("mount")) {
            prefix.addAll(0, List.of("unshare", "--mount", "sh", "-c",
                    "mount -t tmpfs tmpfs copy && cp -a data/. copy && mount --move copy data && mount -o remount,ro data && exec \"$@\"", "-"));
        }
        Files.createDirectory(folder.resolve("copy"));
        String[] nobody = prefix.toArray(String[]::new);
        Machine.may(run(concat(nobody, List.of("true"))).code() == 0, "no file system can be mounted here");
        terminal.account("ada@example.com", "pro");
        mode(folder, "rwxrwxrwx");
        done("chown", "-R", NOBODY + ":" + NOBODY, data.toString());
        mode(data.resolve("stet.db"), "r--------");
        mode(data, "r-x------");
        Terminal.Result refused = new Terminal.Result(2, "", "Cannot write to the folder " + data + ": " + reason + "\n");
        for (String command : List.of("account add eve@example.com", "account label ada@example.com x", "serve --listen 127.0.0.1:0", "compact")) {
            assertEquals(refused, run(concat(nobody, java(command.split(" ")))), command);
        }
        for (String command : List.of("account list", "check", "backup " + folder.resolve("copy.db"),
                "export " + folder.resolve("files") + " --account ada@example.com")) {
            Terminal.Result read = run(concat(nobody, java(command.split(" "))));
            assertEquals(0, read.code(), command + ": " + read);
        }
        assertEquals(Set.of("data", "copy", "out", "err", "copy.db", "copy.db.sha256", "files"), Set.of(folder.toFile().list()));
    }

    /** Returns files that others may read, write or execute. */
    private Set<String> open() throws IOException {
        Set<String> open = new TreeSet<>();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!PosixFilePermissions.toString(Files.getPosixFilePermissions(file)).endsWith("------")) {
                    open.add(data.relativize(file).toString());
                }
            }
        }
        return open;
    }

    /** Commands that need no temporary files work; the others say which folder cannot be written, and what to do. */
    @ParameterizedTest(name = "full: {0}")
    @Tag("jar")
    @ValueSource(booleans = {false, true})
    void aMissingOrFullTemporaryFolderIsNamed(boolean isFull) throws Exception {
        Path temporary = folder.resolve("no-tmp");
        Path files = Files.createDirectories(folder.resolve("files/templates")).getParent();
        Files.writeString(files.resolve("templates/welcome.html"), new String(new byte[9_000]).replace('\0', 'x'));
        String account = " --account ada@example.com";
        Path own = folder.resolve("own"); // a new folder, in which check finds no problem
        if (isFull) {
            Machine.mount(Files.createDirectory(temporary));
            Files.write(temporary.resolve("filler"), new byte[(int) temporary.toFile().getUsableSpace()]);
        }
        try {
            for (String command : List.of("account add ada@example.com", "import " + files + account, "account list", "export " + folder.resolve("exported")
                    + account, "backup " + folder.resolve("copy.db"), "check")) {
                Terminal.Result result = runIn(temporary, command + " --data " + own);
                assertEquals(0, result.code(), command + ": " + result.err());
            }
            Terminal.Result unwritten = new Terminal.Result(2, "", "Cannot create temporary data in " + temporary + ": "
                    + (isFull ? "No space left on device" : "file or folder not found")
                    + ". Run java with -Djava.io.tmpdir=DIR, where DIR is a writable folder\n");
            assertEquals(unwritten, runIn(temporary, "pull " + folder.resolve("pulled") + account + " --data " + own));
            String unserved = isFull ? "2 Cannot load SQLite's library, because the disk of " + temporary + " is full. "
                    : "2 System error: " + unwritten.err();
            for (String command : List.of("demo", "fixture " + files)) {
                Terminal.Result result = runIn(temporary, command + " --listen 127.0.0.1:0");
                assertTrue((result.code() + " " + result.err()).startsWith(unserved), command + ": " + result);
            }
        } finally {
            if (isFull) {
                Machine.run("umount", temporary.toString());
            }
        }
    }

    private Terminal.Result runIn(Path temporary, String command) throws InterruptedException {
        return run(Jar.command(temporary, List.of(), command.split(" ")).toArray(String[]::new));
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private List<String> java(String... arguments) {
        List<String> command = Jar.command(Path.of(System.getProperty("java.io.tmpdir")), List.of(), arguments);
        command.addAll(List.of("--data", data.toString()));
        return command;
    }

    /** A command prefix for another user. Skips the test if this process cannot run commands as this user, or the user cannot read the jar. */
    private String[] as(int user) throws InterruptedException {
        String[] prefix = {"setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"};
        List<String> readsJar = List.of("test", "-r", Path.of("target/stet.jar").toAbsolutePath().toString());
        Machine.may(System.getProperty("user.name").equals("root") && run(concat(prefix, readsJar)).code() == 0,
                "only root can be another user for a while, who has to be able to read the jar");
        return prefix;
    }

    private void done(String... command) throws InterruptedException {
        Terminal.Result result = run(command);
        assertEquals(0, result.code(), String.join(" ", command) + ": " + result);
    }

    private static String[] concat(String[] prefix, List<String> command) {
        return Stream.concat(Stream.of(prefix), command.stream()).toArray(String[]::new);
    }

    private Terminal.Result run(String... command) throws InterruptedException {
        try {
            Path out = folder.resolve("out");
            Path err = folder.resolve("err");
            int code = new ProcessBuilder(command).directory(folder.toFile())
                    .redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
            return new Terminal.Result(code, Files.readString(out), Files.readString(err));
        } catch (IOException missing) {
            return new Terminal.Result(127, "", missing.getMessage());
        }
    }
}
