package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program, run as one, makes an archive of its classes, uses it, and is silent about one that does not fit. */
@Tag("jar")
class ClassArchiveTest {
    /** A class that every command and a serve load. */
    private static final String FROM_ARCHIVE = " stet.Stet source: shared objects file (top)";

    @TempDir
    Path home;
    private Path jar;
    private Path archive;

    /** Output of a run. */
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
        archive = home.resolve("the data/native/classes.jsa");
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

    /** Runs a serve until it is ready, and until what it does in the background is done. */
    private Run serve(String file) throws Exception {
        Path out = home.resolve("serve.out");
        Process process = program("serve", "--listen=127.0.0.1:0", "--data=the data").redirectOutput(out.toFile())
                .redirectError(home.resolve("err").toFile()).start();
        try {
            assertTrue(Running.comes(() -> contains(out, "STET_READY") && Files.exists(archive.resolveSibling(file))));
        } finally {
            process.destroy();
            assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
        return new Run(process.exitValue(), Files.readString(out), Files.readString(home.resolve("err")),
                Files.readString(home.resolve("classes.log")));
    }

    private static boolean contains(Path file, String text) {
        try {
            return Files.readString(file).contains(text);
        } catch (IOException notYet) {
            return false;
        }
    }

    @Test
    void aServeMakesItAndAllUseItWhileItFits() throws Exception {
        Run first = serve("classes.txt");
        assertTrue(!first.usesTheArchive() && first.err().contains("classes-archived"), first.err());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(archive)));
        FileTime made = Files.getLastModifiedTime(archive);
        assertTrue(list().usesTheArchive());
        Run second = serve("classes.txt");
        assertTrue(second.usesTheArchive() && !second.err().contains("classes-"), second.err());
        assertEquals(made, Files.getLastModifiedTime(archive));

        byte[] whole = Files.readAllBytes(archive);
        for (int left : new int[] {100, whole.length - 4_096}) {
            Files.write(archive, Arrays.copyOf(whole, left)); // half a copy of the folder
            list();
        }
        for (int place : new int[] {50_000, whole.length - 200_000}) {
            byte[] rotten = whole.clone();
            Arrays.fill(rotten, place, place + 64, (byte) 0xA5);
            Files.write(archive, rotten);
            list();
        }
        Files.write(archive, new byte[whole.length]);
        assertFalse(list().usesTheArchive());
        Files.write(archive, whole);
        assertTrue(list().usesTheArchive());

        // Another jar of the same name and size
        Files.setLastModifiedTime(jar, FileTime.fromMillis(Files.getLastModifiedTime(jar).toMillis() + 60_000));
        assertFalse(list().usesTheArchive());
        Files.delete(archive.resolveSibling("classes.txt"));
        Files.createFile(archive.resolveSibling("classes1.tmp")); // of a process that was killed
        assertFalse(serve("classes.txt").usesTheArchive());
        assertTrue(list().usesTheArchive());
        assertEquals(List.of("classes.jsa", "classes.txt"), classes());
    }

    /** Runs a command, which prints no word more than it does without an archive. */
    private Run list() throws Exception {
        Run list = run("account", "list", "--data", "the data");
        assertEquals("0 NAME  OWNER  PLAN  REQUESTS  KEYS  PEOPLE  STATE  CREATED  BYTES  STORAGE\n", list.code() + " " + list.out() + list.err());
        return list;
    }

    @Test
    void aServeGoesOnWithoutIt() throws Exception {
        Files.createDirectories(home.resolve("the data"));
        Files.createDirectories(archive.resolveSibling("classes.txt/full")); // no archive can be put in place
        Run serve = serve("classes.txt");
        assertTrue(serve.code() == 0 || serve.code() == 143, serve.err());
        assertTrue(!serve.err().contains("Exception in"), serve.err());
    }

    private List<String> classes() throws IOException {
        try (var files = Files.list(archive.getParent())) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith("classes")).sorted().toList();
        }
    }
}
