package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.Terminal;

/** {@code check DIR --data app.json} names the variables that an app's data lacks (types.md). */
class AppDataTest {
    @TempDir
    Path folder;

    @BeforeEach
    void templates() throws IOException {
        Files.createDirectories(folder.resolve("mails/templates/order.samples"));
        Files.createDirectories(folder.resolve("mails/blocks"));
        Files.writeString(folder.resolve("mails/templates/order.html"), "{{name}} {{#if code}}{{code}}{{/if}} {{#each rows}}{{title}}{{/each}} {{> footer}}");
        Files.writeString(folder.resolve("mails/templates/order.samples/a.json"), "{\"name\": \"Ada\", \"rows\": [{\"title\": \"Tea\"}], \"shop\": {\"name\": \"Tea\"}}");
        Files.writeString(folder.resolve("mails/blocks/footer.html"), "{{shop.name}}");
        Files.writeString(folder.resolve("mails/templates/plain.html"), "none");
    }

    /** A tag among the image's bytes is no variable. */
    @Test
    void anImageHasNoVariables() throws IOException {
        Files.createDirectories(folder.resolve("mails/images"));
        String gif = "GIF89a\1\0\1\0\u0081\0\0{{colours}}.,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"; // one pixel, with a table of four colours
        Files.write(folder.resolve("mails/images/dot.gif"), gif.getBytes(StandardCharsets.ISO_8859_1));
        Files.writeString(folder.resolve("mails/templates/plain.html"), "<img src=\"{{> images/dot.gif}}\">");
        Path file = Files.writeString(folder.resolve("app.json"), "{\"plain\": {}}");
        assertEquals("ok       " + file + ": all variables of 1 template\n",
                new Terminal(folder.resolve("data")).done("check", folder.resolve("mails").toString(), "--data", file.toString()));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"order": {"name": "Ada", "rows": [], "shop": {"name": "x"}}} | 0 | ok       FILE: all variables of 1 template|
            {"order": {"name": "Ada", "rows": [], "shop": {}}, "plain": {}} | 1 | problem  FILE: order: shop.name is not filled | 1 problem found
            {"order": {"nam": "Ada", "rows": [{"titel": 1}], "shop": null}} | 1 | problem  FILE: order: name is not filled/problem  FILE: order: rows[0].title is not filled/problem  FILE: order: shop is not filled | 3 problems found
            {"order": {"name": "Ada", "rows": {"tea": {"titel": 1}}, "shop": {"name": "x"}}} | 1 | problem  FILE: order: rows.tea.title is not filled | 1 problem found
            {"ordr": {}}                                                  | 1 | | Template ordr not found; did you mean order?
            {"order": []}                                                 | 1 | | "order" must be an object
            {}                                                            | 0 | ok       FILE: all variables of 0 templates|
            """)
    void variablesThatTheAppsDataLacksAreReported(String data, int code, String out, String err) throws IOException {
        Path file = Files.writeString(folder.resolve("app.json"), data);
        Terminal.Result result = new Terminal(folder.resolve("data")).run("check", folder.resolve("mails").toString(), "--data", file.toString());
        assertEquals(code + "\n" + (out == null ? "" : out.strip().replace("/problem", "\nproblem") + "\n") + (err == null ? "" : err + "\n"),
                result.code() + "\n" + result.out().replace(file.toString(), "FILE") + result.err());
    }
}
