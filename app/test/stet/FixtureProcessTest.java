package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.Doubled;
import stet.harness.Jar;
import stet.harness.Running;
import stet.harness.Terminal;

/** The test double as a process: start, stop and leftovers. */
@Tag("jar")
class FixtureProcessTest {
    @TempDir
    Path folder;
    private Path seed;
    private Path temporary;
    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void folders() throws IOException {
        seed = Doubled.folder(folder);
        temporary = Files.createDirectory(folder.resolve("tmp"));
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void itIsReadyWhenItSaysSoAndEndsOnSigterm() throws Exception {
        Path portFile = folder.resolve("port");
        Process process = start("--port-file", portFile.toString());
        Doubled stet = ready(process);
        assertEquals(stet.url().getPort() + "\n", Files.readString(portFile));
        assertEquals("127.0.0.1", stet.url().getHost());
        assertEquals(200, stet.get("welcome", "stet-pro-key").status());
        assertEquals(1, leftOvers());
        process.toHandle().destroy();
        assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(0, leftOvers());
        assertEquals("", new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
    }

    @Test
    void withItsParentItEndsWhenStandardInputCloses() throws Exception {
        Process process = start("--with-parent");
        assertEquals(200, ready(process).get("welcome", "stet-free-key").status());
        process.getOutputStream().close();
        assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(0, process.exitValue());
        assertEquals(0, leftOvers());
        assertEquals("Standard input closed; stopping the test double (--with-parent)\n",
                new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
    }

    @Test
    void toldToEndItEndsItsCommand() throws Exception {
        Path file = folder.resolve("pid");
        Process process = start("--exec", "echo $$ > " + file + ".new; mv " + file + ".new " + file + "; exec sleep 600");
        assertTrue(Running.comes(() -> Files.exists(file)));
        ProcessHandle command = ProcessHandle.of(Long.parseLong(Files.readString(file).strip())).orElseThrow();
        process.toHandle().destroy();
        assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertTrue(Running.comes(() -> !command.isAlive()));
        assertEquals(0, leftOvers());
    }

    @Test
    void withoutItsParentItGoesOn() throws Exception {
        Process process = start();
        Doubled stet = ready(process);
        process.getOutputStream().close();
        assertEquals(200, stet.get("welcome", "stet-free-key").status());
        assertTrue(process.isAlive());
    }

    @Test
    void whatAKilledOneLeavesBehindTheNextOneDeletes() throws Exception {
        Process killed = start();
        ready(killed);
        Process running = start();
        Doubled other = ready(running);
        killed.destroyForcibly().waitFor();
        assertEquals(2, leftOvers());
        Process next = start();
        ready(next);
        assertEquals(2, leftOvers());
        assertEquals(200, other.get("welcome", "stet-pro-key").status());
        for (Process process : List.of(next, running)) {
            process.toHandle().destroy();
            assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
        assertEquals(0, leftOvers());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            fixture                                | "fixture" needs DIR: fixture DIR
            fixture no-such-folder                 | Folder HERE/no-such-folder not found
            fixture SEED --seed x                  | "fixture" has no option --seed; "help fixture" lists its options
            fixture SEED/pro/templates             | SEED/pro/templates is part of the account folder SEED/pro; use the account folder instead
            """)
    void badInputIsRefused(String line, String sentence) throws Exception {
        Terminal.Result result = new Terminal(folder.resolve("data")).run(line.replace("SEED", seed.toString()).split(" "));
        assertEquals(1, result.code());
        assertEquals(sentence.replace("SEED", seed.toString()).replace("HERE", Path.of("").toAbsolutePath().toString()),
                result.err().strip());
        assertEquals(1, result.err().lines().count());
        assertFalse(result.out().contains("STET_READY"));
    }

    private Process start(String... options) throws IOException {
        List<String> command = Jar.command(temporary, List.of(), "fixture", seed.toString());
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).start();
        processes.add(process);
        return process;
    }

    private static Doubled ready(Process process) throws IOException {
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) {
            throw new AssertionError(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
        }
        return new Doubled(URI.create(line.replace("STET_READY url=", "")));
    }

    private long leftOvers() throws IOException {
        try (Stream<Path> paths = Files.list(temporary)) {
            return paths.filter(path -> !path.getFileName().toString().startsWith("hsperfdata")).count();
        }
    }
}
