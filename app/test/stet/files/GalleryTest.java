package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.harness.RawZip;
import stet.harness.Terminal;

/** The command {@code preview} writes a folder's emails as static pages. */
class GalleryTest {
    @TempDir
    Path folder;
    private Terminal terminal;

    @BeforeEach
    void fill() throws IOException {
        terminal = new Terminal(folder.resolve("data"));
        write("mails/blocks/footer.html", "<i>Bye {{name}}</i>\n");
        write("mails/templates/welcome.html", "<p title=\"{{title}}\">Hello {{name}} &amp; Co</p>{{> footer}}");
        write("mails/templates/welcome.json", "{\"name\": \"<b>Welcome</b>\", \"subject\": \"Hi {{name}} <3\"}");
        write("mails/templates/welcome.samples/ada.json", "{\"name\": \"Ada\", \"title\": \"\\\"countess\\\"\"}");
        write("mails/templates/welcome.samples/lena.json", "{\"name\": \"Lena \\ud83d\", \"title\": \"\"}");
        write("mails/templates/index.html", "<p>{{total}}</p>");
    }

    private void write(String path, String text) throws IOException {
        Files.createDirectories(folder.resolve(path).getParent());
        Files.writeString(folder.resolve(path), text);
    }

    private Terminal.Result preview() {
        return preview("gallery");
    }

    private Terminal.Result preview(String out) {
        return terminal.run("preview", folder.resolve("mails").toString(), "--out", folder.resolve(out).toString());
    }

    private String page(String name) throws IOException {
        return Files.readString(folder.resolve("gallery").resolve(name));
    }

    private List<String> names(String directory) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(directory))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** As in the editor: a list is repeated for each of its entries. */
    @Test
    void theSizeIsThatOfTheEmailFilledWithTheDefaultSet() throws IOException {
        write("mails/templates/long.html", "{{#lines}}" + "x".repeat(60 * 1024) + "{{/lines}}");
        write("mails/templates/long.samples/two.json", "{\"lines\": [{}, {}]}");
        preview();
        assertTrue(page("long.two.html").contains("the email is 120 KB as sent"), page("long.two.html").substring(0, 2000));
        write("mails/templates/long.samples/two.json", "{\"lines\": [{}]}");
        write("mails/templates/long.samples/first.json", "{\"lines\": [{}, {}]}");
        write("mails/templates/long.json", "{\"defaultSamples\": \"two\"}");
        preview("again");
        for (String set : List.of("first", "two")) {
            assertFalse(Files.readString(folder.resolve("again/long." + set + ".html")).contains("KB as sent"), set);
        }
    }

    @Test
    void eachEmailHasAPagePerSet() throws IOException {
        Terminal.Result result = preview();
        assertEquals("0 " + folder.resolve("gallery/index.html") + ": 3 emails\n", result.code() + " " + result.out());
        assertEquals(List.of("index.default.html", "index.html", "welcome.ada.html", "welcome.lena.html"), names("gallery"));
        String index = page("index.html");
        assertTrue(index.contains("<tr><td>&lt;b&gt;Welcome&lt;/b&gt; <code>welcome</code></td><td>Hi {{name}} &lt;3</td><td>name, title</td>"
                + "<td><a href=\"welcome.ada.html\">ada</a> <a href=\"welcome.lena.html\">lena</a></td></tr>"), index);
        assertTrue(index.contains("<td>total</td><td><a href=\"index.default.html\">default</a></td>"), index);
    }

    @Test
    void aPageHasItsRenderedEmailEscaped() throws IOException {
        preview();
        String ada = page("welcome.ada.html");
        assertTrue(ada.contains("<h1>Hi Ada &lt;3</h1>"), ada);
        assertTrue(ada.contains(" srcdoc=\"<p title=&quot;&amp;quot;countess&amp;quot;&quot;>Hello Ada &amp;amp; Co</p><i>Bye Ada</i>\n<base"), ada);
        assertTrue(page("welcome.lena.html").contains("Hello Lena ? &amp;amp; Co"), page("welcome.lena.html"));
    }

    @Test
    void warningsAreOnTheEmailsPageAndFailStrict() throws IOException {
        Terminal.Result strict = terminal.run("preview", folder.resolve("mails").toString(), "--out", folder.resolve("gallery").toString(), "--strict");
        assertEquals("1 ? Warning: templates/index.json: \"subject\": the subject is empty\n", strict.code() + " " + strict.err());
        assertEquals(0, preview().code(), "without --strict");
        assertTrue(page("index.default.html").contains("<li>Warning: templates/index.json: &quot;subject&quot;: the subject is empty</li>"));
    }

    /** Both the frame and the policy disable scripts. {@code HostilePagesTest} opens these pages in a browser. */
    @Test
    void eachPageHasThePolicyFirstAndTheEmailInASandbox() throws IOException {
        preview();
        for (String name : names("gallery")) {
            String page = page(name);
            assertTrue(page.substring(0, page.indexOf("<title>")).contains("default-src 'none'; style-src 'unsafe-inline'; img-src https: data:;"), name);
            assertFalse(page.contains("<script") || page.contains("script-src"), name);
            assertEquals(name.equals("index.html") ? 0 : 1, page.split("<iframe sandbox title=", -1).length - 1, name);
        }
    }

    @Test
    void aGalleryIsReplacedAndOtherFilesStay() throws IOException {
        preview();
        write("gallery/notes.txt", "mine");
        write("gallery/.git/config", "mine");
        Files.delete(folder.resolve("mails/templates/index.html"));
        Files.delete(folder.resolve("mails/templates/welcome.samples/lena.json"));
        assertEquals(0, preview().code());
        assertEquals(List.of(".git", "index.html", "notes.txt", "welcome.ada.html"), names("gallery"));
    }

    @Test
    void anEmptyFolderIsAccepted() throws IOException {
        Files.createDirectories(folder.resolve("empty"));
        assertEquals(0, preview("empty").code());
    }

    /** Such a folder is left unchanged. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            other/notes.txt     | other           | The folder FOLDER/other is neither empty nor a gallery; choose another folder
            other/index.html    | other           | FOLDER/other/index.html was not created by "preview"; choose another folder
            gallery/mine.html   | gallery         | FOLDER/gallery/mine.html was not created by "preview"; choose another folder
            file                | file            | FOLDER/file is not a folder
            """)
    void aFolderOfOtherFilesIsRefused(String file, String out, String sentence) throws IOException {
        preview();
        write(file, "");
        List<String> before = all();
        Terminal.Result result = preview(out);
        assertEquals("1 " + sentence.replace("FOLDER", folder.toString()), result.code() + " " + result.err().strip());
        assertEquals(before, all());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"mails/gallery", "./mails"})
    void aFolderAmongTheFilesIsRefused(String out) throws IOException {
        List<String> before = all();
        Terminal.Result result = preview(out);
        assertEquals("1 --out is inside " + folder + "/mails, so push would upload the gallery's pages as templates; choose another folder",
                result.code() + " " + result.err().strip());
        assertEquals(before, all());
    }

    private List<String> all() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> file + " " + file.toFile().lastModified()).sorted().toList();
        }
    }

    /** A link to a gallery page does not count as a page, because its target belongs to someone else. */
    @Test
    void aLinkToAGalleryPageIsNotReplaced() throws IOException {
        preview();
        write("mine", page("index.html"));
        Files.createSymbolicLink(folder.resolve("gallery/other.html"), folder.resolve("mine"));
        assertEquals(folder + "/gallery/other.html was not created by \"preview\"; choose another folder", preview().err().strip());
        assertTrue(Files.exists(folder.resolve("mine")));
    }

    @Test
    void errorsAreNamedAndTheGalleryIsWritten() throws IOException {
        write("mails/templates/welcome.html", "<p>one</p>\n{{> none}}{{#if a}}");
        Terminal.Result result = preview();
        assertEquals("1 Blocks publishing: templates/welcome.html: line 2: shared block \"none\" not found\n"
                + "Error: templates/welcome.html: line 2: \"{{#if a}}\" is not closed\n"
                + "? Warning: templates/index.json: \"subject\": the subject is empty\n", result.code() + " " + result.err());
        assertTrue(result.out().endsWith(": 3 emails\n"));
        assertTrue(page("index.html").contains("<li>Blocks publishing: templates/welcome.html: line 2: shared block &quot;none&quot; not found</li>"));
        assertTrue(page("welcome.ada.html").contains("srcdoc=\"<p>one</p>\n{{> none}}"));
    }

    @Test
    void anInvalidFileLeavesTheGalleryUnchanged() throws IOException {
        preview();
        write("mails/templates/x.html", "text");
        write("mails/templates/x.samples/y.json", "{");
        List<String> before = all();
        Terminal.Result result = preview();
        assertEquals(1, result.code());
        assertTrue(result.err().startsWith("templates/x.samples/y.json: Invalid JSON: "), result.err());
        assertEquals(before, all());
    }

    @Test
    void aZipIsPreviewed() throws IOException {
        Files.write(folder.resolve("mails.zip"), new RawZip().file("templates/welcome.html", "<p>{{name}}</p>").bytes());
        Terminal.Result result = terminal.run("preview", folder.resolve("mails.zip").toString(), "--out", folder.resolve("gallery").toString());
        assertEquals("0 [index.html, welcome.default.html]", result.code() + " " + names("gallery"), result.err());
    }

    /** Many emails of 4 MiB each when rendered; emails beyond the limit are listed without a page. */
    @Tag("slow")
    @Test
    void aGalleryIsBounded() throws IOException {
        write("mails/templates/welcome.html", "{{#each a}}" + "\"".repeat(1_000) + "{{/each}}");
        for (int set = 0; set < 18; set++) {
            write("mails/templates/welcome.samples/set" + set + ".json", "{\"a\": [" + "1,".repeat(4_999) + "1]}");
        }
        write("mails/templates/zebra.html", "<p>short</p>");
        Terminal.Result result = preview();
        long bytes = 0;
        for (String name : names("gallery")) {
            bytes += Files.size(folder.resolve("gallery").resolve(name));
        }
        assertEquals(0, result.code(), result.err());
        assertTrue(bytes > 200 << 20 && bytes < 300 << 20, bytes + " bytes");
        assertTrue(page("index.html").contains("<code>zebra</code></td><td colspan=\"3\">Not shown because the gallery has reached its maximum size"));
        assertTrue(page("welcome.set0.html").contains("This email is too long to show in full."));
    }
}
