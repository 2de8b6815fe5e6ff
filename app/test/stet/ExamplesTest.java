package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples of the test double are files that run; those that are Maven projects run by the build itself. */
class ExamplesTest {
    @TempDir
    Path folder;

    @Tag("jar")
    @Test
    void theOneForNode() throws Exception {
        run("node", "node", "--test", "app/examples/shipping-mail.test.mjs");
    }

    @Tag("jar")
    @Test
    void theOneForTheShell() throws Exception {
        run("curl", "sh", "app/examples/shipping-mail.sh");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ShippingMailTest.java", "shipping-mail.test.mjs", "shipping-mail.sh"})
    void testDoubleLinksThemAndTheServiceHasThem(String name) throws IOException {
        assertTrue(Files.readString(Path.of("app/docs/test-double.md")).contains("](../examples/" + name + ")"), name);
        try (Running stet = new Running()) {
            Client.Reply reply = stet.get("/docs/" + name, null);
            assertEquals("200 text/plain; charset=utf-8", reply.status() + " " + reply.header("Content-Type"));
            assertEquals(Files.readString(Path.of("app/examples", name)), reply.text());
        }
    }

    @Test
    void testDoubleQuotesTheirAccount() throws IOException {
        assertTrue(Files.readString(Path.of("app/docs/test-double.md"))
                .contains("\n```json\n" + Files.readString(Path.of("app/examples/stet/account.json")) + "```\n"));
    }

    private void run(String needed, String... command) throws IOException, InterruptedException {
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(each -> Files.isExecutable(Path.of(each, needed))), needed + " is not installed");
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JAR", System.getProperty("stet.jar"));
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(120, TimeUnit.SECONDS), () -> read(output));
            assertEquals(0, process.exitValue(), () -> read(output));
        } finally {
            process.destroy();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            return failure.toString();
        }
    }
}
