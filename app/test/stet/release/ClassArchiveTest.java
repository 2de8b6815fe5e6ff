package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.harness.Running;

/** The launcher makes serve write a class archive, uses the archive, and silently ignores one that does not match. */
@Tag("jar")
class ClassArchiveTest {
    /** A class loaded by serve and every command. */
    private static final String FROM_ARCHIVE = " stet.Stet source: shared objects file (top)";

    @TempDir
    Path home;
    private Path jar;

    /** Result of a run. */
    private record Run(int code, String out, String err, String classes) {
        boolean usesTheArchive() {
            return classes.contains(FROM_ARCHIVE);
        }
    }

    @BeforeEach
    void aJarOfOurOwn() throws IOException {
        assumeTrue(System.getProperty("java.vm.name").contains("HotSpot") || System.getProperty("java.vm.name").contains("OpenJDK"));
        jar = Files.copy(Path.of(System.getProperty("stet.jar", "target/stet.jar")), home.resolve("stet.jar"));
        jar.toFile().setExecutable(true);
    }

    private ProcessBuilder program(String... arguments) {
        List<String> command = new ArrayList<>(List.of(jar.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder program = new ProcessBuilder(command).directory(home.toFile());
        program.environment().put("JAVA", Path.of(System.getProperty("java.home"), "bin", "java").toString());
        program.environment().put("JAVA_OPTS", "-Xlog:class+load:file=classes.log");
        program.environment().remove("JAVA_TOOL_OPTIONS");
        return program;
    }

    private Run run(String... arguments) throws Exception {
        Process process = program(arguments).redirectError(home.resolve("err").toFile()).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), out, Files.readString(home.resolve("err")), Files.readString(home.resolve("classes.log")));
    }

    /** Runs serve until it is ready, then stops it. */
    private Run serve() throws Exception {
        Path out = home.resolve("serve.out");
        Process process = program("serve", "--listen=127.0.0.1:0", "--data=the data").redirectOutput(out.toFile())
                .redirectError(home.resolve("err").toFile()).start();
        try {
            assertTrue(Running.comes(() -> contains(out, "STET_READY")));
        } finally {
            process.destroy();
            assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
        Run run = new Run(process.exitValue(), Files.readString(out), Files.readString(home.resolve("err")),
                Files.readString(home.resolve("classes.log")));
        assertEquals(143, run.code(), run.err());
        assertTrue(run.out().lines().count() == 1 && !run.err().contains("[warning]"), run.out() + run.err());
        return run;
    }

    private static boolean contains(Path file, String text) {
        try {
            return Files.readString(file).contains(text);
        } catch (IOException notYet) {
            return false;
        }
    }

    /**
     * One journey, as each start takes a second: serve makes the archive, commands and serve use it, a truncated or corrupted one is
     * ignored, and one of another jar is replaced.
     */
    @Test
    void serveMakesAnArchiveThatIsUsedWhileItFits() throws Exception {
        assertFalse(serve().usesTheArchive());
        assertEquals(List.of(), archives(), "the first run makes only the folder");
        assertFalse(serve().usesTheArchive());
        Path made = archives().get(0);
        byte[] whole = Files.readAllBytes(made);
        for (int left : new int[] {0, 100, whole.length / 2, whole.length - 4_096}) {
            write(made, Arrays.copyOf(whole, left)); // after a power failure
            assertFalse(list().usesTheArchive(), left + " bytes");
            assertEquals(List.of(), archives());
        }
        Files.write(made, whole);
        assertTrue(list().usesTheArchive());
        Path archive = archives().get(0);
        FileTime time = Files.getLastModifiedTime(archive);
        assertTrue(serve().usesTheArchive());
        assertEquals(time, Files.getLastModifiedTime(archive));

        for (int left : new int[] {0, 100, whole.length / 2, whole.length - 4_096}) {
            write(archive, Arrays.copyOf(whole, left)); // an incomplete copy of the folder
            assertFalse(list().usesTheArchive(), left + " bytes");
        }
        for (int place : new int[] {50_000, whole.length - 200_000}) {
            byte[] corrupted = whole.clone();
            Arrays.fill(corrupted, place, place + 64, (byte) 0xA5);
            write(archive, corrupted);
            list();
        }
        write(archive, new byte[whole.length]);
        assertFalse(list().usesTheArchive());
        write(archive, whole);
        assertTrue(list().usesTheArchive());

        // another jar of the same name and size
        Files.setLastModifiedTime(jar, FileTime.fromMillis(Files.getLastModifiedTime(archive).toMillis() + 2_000));
        assertFalse(list().usesTheArchive());
        assertFalse(serve().usesTheArchive());
        assertEquals(1, archives().size());
    }

    private static void write(Path archive, byte[] bytes) throws IOException {
        Files.deleteIfExists(archive); // in a folder without write permission
        Files.write(archive, bytes);
    }

    /** Runs a command; its output must be the same as without an archive. */
    private Run list() throws Exception {
        Run list = run("account", "list", "--data", "the data");
        assertEquals("0 NAME  OWNER  PLAN  REQUESTS  KEYS  USERS  STATE  CREATED  BYTES  STORAGE\n", list.code() + " " + list.out() + list.err());
        return list;
    }

    private List<Path> archives() throws IOException {
        try (var files = Files.list(home.resolve("the data/native"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("classes")).toList();
        }
    }
}
