package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.harness.Jar;
import stet.harness.Terminal;

/** A path is a path, even if it looks like a URI or has characters that mean something in a URI or to the driver. */
class SpecialPathsTest {
    @TempDir
    Path folder;

    @BeforeEach
    void onUnix() {
        assumeTrue(File.separatorChar == '/', "Windows does not allow these names");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a?b", "a?mode=memory", "a?mode=memory&cache=shared", "a#b", "100%", "%41", "%00", "a b", " a", "a;b", "a&b=c", "'a'", "\"a\"",
        "a\\b", "[a]", "{a}", "a*", "jdbc:sqlite:a", "file:a", "file:a?mode=ro", ":memory:", ":resource:a", "a:b", "-a", "~", "$HOME"})
    void aFolderOrFileMayHaveAnyName(String name) throws IOException {
        Path data = folder.resolve(name);
        Terminal terminal = new Terminal(data);
        terminal.account("ada@example.com", "pro");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertEquals("{\"status\":\"ok\"}", serving.get("/healthz", null).text());
            terminal.account("joe@example.com", "free");
        }
        Path backup = Files.createDirectory(folder.resolve("b")).resolve(name);
        terminal.done("backup", backup.toString());
        terminal.done("check", backup.toString());
        terminal.account("eve@example.com", "free");
        terminal.done("restore", backup.toString());
        terminal.done("check");
        terminal.done("compact");
        assertEquals(List.of("ada@example.com", "joe@example.com"), accounts(terminal.done("account", "list")));
        assertEquals(Set.of(name, "b"), names(folder));
        assertEquals(Set.of(name, name + ".sha256"), names(folder.resolve("b")));
    }

    /** Relative paths, which a test can only give to a program of its own. */
    @Tag("jar")
    @ParameterizedTest
    @ValueSource(strings = {"file:data", "file:///data", ":memory:", "jdbc:sqlite:a?mode=memory"})
    void aRelativePathIsTakenLiterally(String name) throws IOException, InterruptedException {
        Path here = Files.createDirectory(folder.resolve("here"));
        String top = name.replaceFirst("/.*", "");
        if (name.contains("/")) {
            Files.createDirectories(here.resolve(name).getParent());
        }
        assertEquals("0 ", run(here, "account", "add", "ada@example.com", "--name", "Ada", "--password-file", "-", "--data", name));
        assertEquals("0 ", run(here, "backup", name + ".db", "--data", name));
        assertEquals("0 ", run(here, "restore", name + ".db", "--data", name));
        assertEquals("0 Ada", run(here, "account", "list", "--data", name).replaceFirst("(?s) NAME.*\n(\\S+).*", " $1"));
        assertEquals(name.contains("/") ? Set.of(top) : Set.of(name, name + ".db", name + ".db.sha256"), names(here));
    }

    private String run(Path here, String... arguments) throws IOException, InterruptedException {
        ProcessBuilder program = new ProcessBuilder(Jar.command(folder, List.of(), arguments)).directory(here.toFile());
        program.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = program.start();
        process.outputWriter().append("correct horse battery\n").close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + out;
    }

    private static List<String> accounts(String list) {
        return list.lines().skip(1).map(line -> line.split(" ")[0]).toList();
    }

    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).filter(file -> !file.startsWith("hsperfdata_")).collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
