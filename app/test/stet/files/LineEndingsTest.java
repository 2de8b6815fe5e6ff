package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;

/** Changes of line endings and byte order marks are reported before they are published; the published bytes are the author's. */
class LineEndingsTest {
    private static final String ENDINGS = ": only line endings changed";
    private static final String MARK = ": the file begins with a byte order mark (U+FEFF), which becomes part of the email; save the file as UTF-8 without it";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);
    private final Terminal terminal = new Terminal(stet.folder);

    @TempDir
    Path folder;

    @BeforeEach
    void publish() throws IOException {
        save("<p>a</p>\n<p>b</p>\n", "<i>\n</i>\n", "{\n}");
        terminal.done("push", folder.toString(), "--account", "ada@example.com", "--publish");
    }

    private void save(String html, String block, String samples) throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve("templates")).resolve("a.html"), html);
        Files.writeString(Files.createDirectories(folder.resolve("blocks")).resolve("f.html"), block);
        Files.writeString(Files.createDirectories(folder.resolve("templates/a.samples")).resolve("x.json"), samples);
    }

    /** @param hasEndings whether only line endings differ @param hasMark whether the file has a byte order mark, which is a change, too */
    @ParameterizedTest
    @CsvSource({"<p>a</p>\\r\\n<p>b</p>\\r\\n, true, false", "<p>a</p>\\r<p>b</p>\\r, true, false", "<p>a</p>\\r\\n<p>b</p>\\n, true, false",
        "<p>a</p>\\r\\n<p>c</p>\\r\\n, false, false", "\\ufeff<p>a</p>\\n<p>b</p>\\n, false, true", "\\ufeff<p>c</p>, false, true",
        "<p>a</p>\\n<p>b</p>, false, false"})
    void lineEndingsAndMarksOfATemplateAreReportedByEachCommand(String escaped, boolean hasEndings, boolean hasMark) throws IOException {
        String html = escaped.replace("\\ufeff", "\ufeff").translateEscapes();
        save(html, "<i>\n</i>\n", "{\n}");
        String expected = (hasEndings ? "? Warning: templates/a.html" + ENDINGS + "\n" : "") + (hasMark ? "? Warning: templates/a.html" + MARK + "\n" : "");
        assertEquals(expected, warnings(terminal.done("push", folder.toString(), "--account", "ada@example.com", "--publish", "--dry-run")));
        assertEquals(expected, warnings(terminal.run("import", folder.toString(), "--account", "ada@example.com", "--dry-run").err()));
        String plan = browser.postZip("/data/import?dryRun=true", new RawZip().file("templates/a.html", html).file("templates/a.samples/x.json", "{\n}").bytes()).text();
        assertEquals(hasEndings + " " + hasMark, plan.contains("templates/a.html" + ENDINGS) + " " + plan.contains("templates/a.html" + MARK), plan);
        assertEquals(hasEndings, terminal.done("diff", folder.toString(), "--account", "ada@example.com")
                .startsWith("Only line endings changed:\n--- account/templates/a.html\n+++ folder/templates/a.html\n"));
        // The push itself reports the same and publishes the author's bytes; the next one has nothing to report.
        assertEquals(expected, warnings(terminal.done("push", folder.toString(), "--account", "ada@example.com", "--publish")));
        String key = terminal.done("key", "add", "ada@example.com", "k").strip();
        try (Client client = stet.client()) {
            assertEquals(html, client.get(Running.TEMPLATES + "a?format=html", key).text());
        }
        assertEquals("", warnings(terminal.done("push", folder.toString(), "--account", "ada@example.com", "--publish", "--dry-run")));
    }

    @Test
    void lineEndingsOfABlockAndTestDataAreReported() throws IOException {
        save("<p>a</p>\n<p>b</p>\n", "<i>\r\n</i>\r\n", "{\r\n}");
        String push = terminal.done("push", folder.toString(), "--account", "ada@example.com", "--dry-run");
        assertEquals("? Warning: blocks/f.html" + ENDINGS + "\n? Warning: templates/a.samples/x.json" + ENDINGS + "\n", warnings(push));
        String diff = terminal.done("diff", folder.toString(), "--account", "ada@example.com");
        assertEquals("""
                Only line endings changed:
                --- account/blocks/f.html
                +++ folder/blocks/f.html
                @@ -1,2 +1,2 @@
                -<i>
                -</i>
                +<i>\r
                +</i>\r
                Only line endings changed:
                --- account/templates/a.samples/x.json
                +++ folder/templates/a.samples/x.json
                @@ -1,2 +1,2 @@
                -{
                +{\r
                 }
                \\ No newline at end of file
                """, diff);
    }

    /** A difference contains each byte, except on a terminal or in a CI system, where carriage returns are shown. */
    @Test
    void carriageReturnsOfADifferenceAreShownInACiSystem() throws IOException {
        save("<p>a</p>\r\n<p>c</p>\r\n", "<i>\n</i>\n", "{\n}");
        String diff = terminal.done("diff", folder.toString(), "--account", "ada@example.com");
        assertTrue(diff.endsWith("@@ -1,2 +1,2 @@\n-<p>a</p>\n-<p>b</p>\n+<p>a</p>\r\n+<p>c</p>\r\n"), diff);
        terminal.environment.put("CI", "true");
        String shown = terminal.done("diff", folder.toString(), "--account", "ada@example.com");
        assertTrue(shown.endsWith("@@ -1,2 +1,2 @@\n-<p>a</p>\n-<p>b</p>\n+<p>a</p>\\r\n+<p>c</p>\\r\n"), shown);
    }

    private static String warnings(String out) {
        StringBuilder warnings = new StringBuilder();
        out.lines().filter(line -> line.contains(ENDINGS) || line.contains(MARK)).forEach(line -> warnings.append(line).append('\n'));
        return warnings.toString();
    }
}
