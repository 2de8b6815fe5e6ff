package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.harness.Machine;

/** Browser-independent tests of the page modules, run by {@code node --test}. */
class PageModulesTest {
    private static final int MINUTES = 5;

    @Test
    void nodeTestsPass(@TempDir Path folder) throws Exception {
        Machine.has("node");
        // In a browser, the page declares that these are modules; node needs this file.
        Files.writeString(folder.resolve("package.json"), "{\"type\": \"module\"}");
        copy(Path.of("app/static"), folder.resolve("static"));
        List<Path> tests = copy(Path.of("app/test/pages"), folder.resolve("test")).stream().filter(file -> file.toString().endsWith(".test.js")).toList();
        assertTrue(tests.size() >= 7);
        Path output = folder.resolve("output");
        Process node = new ProcessBuilder(Stream.concat(Stream.of("node", "--test"), tests.stream().map(Path::toString)).toList())
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(node.waitFor(MINUTES, TimeUnit.MINUTES), "node goes on");
            assertEquals(0, node.exitValue(), () -> text(output));
        } finally {
            node.destroyForcibly();
        }
    }

    /** Copies the files that the tests read, from a folder and its subfolders. */
    private static List<Path> copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            return files.filter(file -> file.toString().matches(".*\\.(?:js|css|html|txt)")).sorted().map(file -> {
                try {
                    Path copy = to.resolve(from.relativize(file));
                    Files.createDirectories(copy.getParent());
                    return Files.copy(file, copy);
                } catch (IOException failure) {
                    throw new UncheckedIOException(failure);
                }
            }).toList();
        }
    }

    private static String text(Path output) {
        try {
            return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            return failure.toString();
        }
    }
}
