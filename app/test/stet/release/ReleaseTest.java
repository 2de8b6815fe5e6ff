package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.cli.Command;

/** The parts of a release are consistent. {@code app/package/release} builds them, and {@code app/package/try} installs them. */
class ReleaseTest {
    private static final Path NODE = Path.of("app/clients/node");

    /** All packages, and the commands in the documents, use the version in pom.xml. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "app/clients/node/package.json | \"version\": \"([^\"]+)\"",
        "app/clients/cli/package.json | \"version\": \"([^\"]+)\"",
        "app/docs/npm.md | stet-cli-(\\d+\\.\\d+\\.\\d+)\\.tgz",
        "app/clients/python/PKG-INFO | (?m)^Version: (.+)$",
        "app/docs/testing-java.md | stet-testing:(\\d+\\.\\d+\\.\\d+)",
        "app/docs/testing-java.md | <artifactId>stet-testing</artifactId>\\s+<version>(.+)</version>",
        "app/docs/testing-node.md | stet-fixture-(\\d+\\.\\d+\\.\\d+)\\.tgz",
        "app/docs/testing-python.md | stet_fixture-(\\d+\\.\\d+\\.\\d+)-",
        "app/docs/testing-go.md | @v(\\d+\\.\\d+\\.\\d+)",
        "app/docs/test-double.md | stet:(\\d+\\.\\d+\\.\\d+)",
        ".github/RELEASES.md | stet-(\\d+\\.\\d+\\.\\d+)-linux",
        "app/docs/run.md | stet-(\\d+\\.\\d+\\.\\d+)-linux",
        "app/docs/run.md | stet_(\\d+\\.\\d+\\.\\d+)_all\\.deb"})
    void theVersionIsThatOfThePom(String file, String pattern) throws IOException {
        String version = first("pom.xml", "(?m)^  <version>(.+)</version>$");
        assertEquals(version, first(file, pattern));
    }

    /** The runtime in the tarball and the image contains all JDK modules that Stet uses. Jackson works without java.desktop. */
    @Tag("jar")
    @Test
    void theRuntimeHasEachModuleThatStetUses() throws IOException {
        StringWriter printed = new StringWriter();
        ToolProvider.findFirst("jdeps").orElseThrow().run(new PrintWriter(printed), new PrintWriter(printed), "--ignore-missing-deps",
                "--multi-release", "base", "--print-module-deps", System.getProperty("stet.jar"));
        TreeSet<String> used = new TreeSet<>(List.of(printed.toString().strip().split(",")));
        assertTrue(used.contains("jdk.httpserver"), printed.toString());
        used.removeAll(List.of("java.base", "java.desktop"));
        used.removeAll(List.of(first("app/package/runtime", "--add-modules (\\S+)").split(",")));
        assertEquals("[]", used.toString());
    }

    /** The program that a release runs from its source compiles with the jar, and knows each command and option. */
    @Tag("jar")
    @Test
    void theManPageHasEachCommandAndOption(@TempDir Path folder) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        int code = new ProcessBuilder("java", "-cp", System.getProperty("stet.jar"), "app/package/Documents.java", folder.toString(), "1.0.0", "2026-01-31T09:00:00Z")
                .redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
        assertEquals(0, code, Files.readString(log));
        String page = Files.readString(folder.resolve("stet.1")).replace("\\-", "-");
        for (Command command : Command.values()) {
            assertTrue(page.contains(".SS \"" + command.words()), command.words());
            command.options().stream().filter(option -> !option.isVariableOnly()).forEach(option -> assertTrue(page.contains("\n.B " + option.usage()), option.word()));
        }
    }

    @Test
    void theNodePackageHasTheFilesThatItNames() throws IOException {
        JsonNode description = new ObjectMapper().readTree(NODE.resolve("package.json").toFile());
        TreeSet<String> files = new TreeSet<>();
        description.get("files").forEach(file -> files.add(file.asText()));
        files.removeAll(List.of("stet.jar", "LICENSE")); // added by app/package/release
        JsonNode main = description.get("exports").get(".");
        assertEquals("[./stet.d.cts, ./stet.cjs]", List.of(main.get("types").asText(), main.get("default").asText()).toString());
        assertEquals("[stet.cjs, stet.d.cts]", files.toString());
        for (String file : files) {
            assertTrue(Files.isRegularFile(NODE.resolve(file)), file);
        }
    }

    private static String first(String file, String pattern) throws IOException {
        return Pattern.compile(pattern).matcher(Files.readString(Path.of(file))).results().findFirst()
                .orElseThrow(() -> new AssertionError(file + " does not match " + pattern)).group(1);
    }
}
