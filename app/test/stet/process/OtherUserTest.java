package stet.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Terminal;

/**
 * Runs the program as another user in a folder that this user may not read, like {@code sudo -u stet} in a home folder. Every
 * file reported as written must exist.
 */
@Tag("jar")
class OtherUserTest {
    private static final String[] NOBODY = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    private static final String ADA = "ada@example.com";
    private static final Path JAR = Path.of(System.getProperty("stet.jar", "target/stet.jar")).toAbsolutePath();

    private final Path home = Running.temporary();
    private final Path folder = home.resolve("folder");
    private final Path data = home.resolve("data");

    @BeforeEach
    void folders() throws Exception {
        mode(home, "rwxrwxrwx");
        Files.createDirectory(folder);
        Machine.may(System.getProperty("user.name").equals("root") && run(List.of(NOBODY), "test", "-r", JAR.toString()).code() == 0,
                "only root can be another user for a while, who has to be able to read the jar");
        assertEquals(0, launch("account", "add", ADA).code());
        mode(folder, "rwx------");
    }

    @AfterEach
    void delete() {
        Running.delete(home);
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private Terminal.Result run(List<String> prefix, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(arguments));
        Path out = home.resolve("out");
        Path err = home.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
                .redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("JAVA", Path.of(System.getProperty("java.home"), "bin", "java").toString());
        builder.environment().put("STET_DATA", data.toString());
        Process process = builder.start();
        boolean hasEnded = process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        process.destroyForcibly();
        return new Terminal.Result(hasEnded ? process.exitValue() : -1, Files.readString(out), Files.readString(err));
    }

    /** Runs the jar as an executable. */
    private Terminal.Result launch(String... arguments) throws Exception {
        return run(concat(NOBODY, JAR.toString()), arguments);
    }

    /** Runs the jar with {@code java -jar}. */
    private Terminal.Result java(String... arguments) throws Exception {
        return run(concat(NOBODY, Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-jar", JAR.toString()), arguments);
    }

    private static List<String> concat(String[] first, String... second) {
        return Stream.concat(Stream.of(first), Stream.of(second)).toList();
    }

    /** Performance data files of this user's JVMs. */
    private static Set<String> performanceFiles() throws IOException {
        Path shared = Path.of("/tmp/hsperfdata_nobody");
        try (Stream<Path> files = Files.exists(shared) ? Files.list(shared) : Stream.empty()) {
            return files.map(file -> file.getFileName().toString()).filter(name -> !name.matches("[0-9]+"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "backup today.db                      | Cannot read today.db.sha256: permission denied",
        "export out --account ada@example.com | Cannot write to the folder out: permission denied"
    })
    void aFolderThatCannotBeWrittenIsRefused(String line, String reason) throws Exception {
        assertEquals(new Terminal.Result(2, "", reason + "\n"), launch(line.split(" ")));
        assertEquals(Set.of(), performanceFiles());
    }

    /** The system's temporary folder may contain other folders; only if it cannot be written is it the cause. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "import FILES --account ada@example.com | rwx------",
        "push FILES --account ada@example.com   | rwx------",
        "preview FILES --out OUT                | rwx------",
        "pull FILES --account ada@example.com   | -wx-wx-wx"
    })
    void anUnreadableFolderInTheTemporaryFolderIsNamed(String line, String permissions) throws Exception {
        Path templates = Files.createDirectories(home.resolve("files/templates"));
        Files.writeString(templates.resolve("welcome.html"), "<p>Hi</p>");
        mode(templates, permissions);
        Terminal.Result result = run(concat(NOBODY, Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData", "-Djava.io.tmpdir=" + home, "-jar", JAR.toString()),
                line.replace("FILES", home.resolve("files").toString()).replace("OUT", home.resolve("gallery").toString()).split(" "));
        assertEquals(new Terminal.Result(2, "", "System error: " + templates + ": permission denied\n"), result);
    }

    /** A folder that the user may write to but not list. */
    @Test
    void exportedFilesExistAsReported() throws Exception {
        mode(folder, "rwx-wx-wx");
        assertEquals(new Terminal.Result(0, "", "1 file exported to out\n"), launch("export", "out", "--account", ADA, "--with-account"));
        assertEquals(Set.of(), performanceFiles());
        assertTrue(Files.isRegularFile(folder.resolve("out/account.json")));
    }

    /** The JVM changes its working folder before the program starts, so relative paths lose their meaning. */
    @Test
    void relativePathsAreRefusedIfTheJvmLeftTheFolder() throws Exception {
        for (String line : List.of("backup x", "restore x", "check x", "export x --account ada@example.com",
                "import x --account ada@example.com", "fixture x", "serve --listen 127.0.0.1:0 --seed x", "account list --data x",
                "account add eve@example.com --password-file x")) {
            assertEquals(new Terminal.Result(1, "", "x is a relative path, but this user has no permission to read the working directory."
                    + " Use an absolute path or start java with -XX:-UsePerfData.\n"), java(line.split(" ")), line);
        }
        assertEquals(Set.of(), performanceFiles());
        assertEquals(0, java("backup", home.resolve("absolute.db").toString()).code());
        assertTrue(Files.isRegularFile(home.resolve("absolute.db")));
    }
}
