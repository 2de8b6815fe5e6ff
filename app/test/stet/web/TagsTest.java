package stet.web;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Plan;
import stet.core.Template;
import stet.core.TemplateDetails;
import stet.dao.Author;
import stet.files.AccountFiles;
import stet.files.Folder;
import stet.files.Import;
import stet.files.ImportOptions;
import stet.files.PublishMode;
import stet.files.Source;
import stet.files.TemplateFile;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.harness.Running;
import stet.harness.Terminal;

/** Template tags in the web application and in files, without effect on the API; and exporting selected templates as a zip. */
class TagsTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);
    private final String key = stet.key(ada);

    private Client.Reply change(String add, String remove) {
        return browser.put("/data/templates/welcome/tags", "{\"add\":[" + add + "],\"remove\":[" + remove + "]}");
    }

    @Test
    void tagsAreAddedRemovedAndCopied() {
        stet.template(ada, "welcome", "<p>hi</p>");
        answered(200, "{\"tags\":[\"order mails\",\"shop\",\"Über+\"]}", change("\" shop\",\"\u00dcber+\",\"order mails\"", ""));
        answered(200, "{\"tags\":[\"order mails\",\"Über+\"]}", change("\"Order Mails\",\"\u00fcBER+\"", "\"SHOP\",\"no such\""));
        answered(200, "{\"tags\":[\"order mails\",\"Über+\"]}", change("", ""));
        answered(200, "{\"tags\":[\"order mails\",\"Über+\"]}", change("\"U\u0308ber+\",\"\uff4frder mails\",\"\u00fcber\ufe0f+\"", ""));
        answered(404, "{\"error\":\"Not found\"}", browser.put("/data/templates/no-such/tags", "{\"add\":[\"shop\"]}"));
        assertTrue(browser.post("/data/templates", "{\"id\":\"copy\",\"name\":\"Copy\",\"copyOf\":\"welcome\"}").text()
                .contains("\"tags\":[\"order mails\",\"Über+\"]"));
    }

    @Test
    void tagsChangeNeitherTheRevisionNorTheApi() {
        stet.template(ada, "welcome", "<p>hi</p>");
        Client.Reply before = stet.get(Running.TEMPLATES + "welcome", key);
        String editor = browser.get("/data/templates/welcome").text().replaceFirst(",\"tags.*", "");
        stet.clock.advance(Duration.ofHours(1));
        answered(200, "{\"tags\":[\"shop\"]}", change("\"shop\"", ""));
        assertEquals(editor, browser.get("/data/templates/welcome").text().replaceFirst(",\"tags.*", ""), "no new revision, no new time");
        Client.Reply after = stet.get(Running.TEMPLATES + "welcome", key);
        assertEquals(before.text() + before.header("ETag"), after.text() + after.header("ETag"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            ""              | "\\"\\" is not a valid tag; use 1 to 40 letters, digits, spaces and . _ : / + & -, starting with a letter or digit, and ending with a letter, digit or +"
            "-a"            | "\\"-a\\" is not a valid tag; use 1 to 40 letters, digits, spaces and . _ : / + & -, starting with a letter or digit, and ending with a letter, digit or +"
            "a,b"           | "\\"a,b\\" is not a valid tag; use 1 to 40 letters, digits, spaces and . _ : / + & -, starting with a letter or digit, and ending with a letter, digit or +"
            "a\\nb"         | "\\"a\\nb\\" is not a valid tag; use 1 to 40 letters, digits, spaces and . _ : / + & -, starting with a letter or digit, and ending with a letter, digit or +"
            "a\\u202eb"     | "\\"a\u202eb\\" is not a valid tag; use 1 to 40 letters, digits, spaces and . _ : / + & -, starting with a letter or digit, and ending with a letter, digit or +"
            "\\u3164"       | "The tag must not contain the invisible character U+3164"
            "a\\uffa0b"     | "The tag must not contain the invisible character U+FFA0"
            "a\\u17b4"      | "The tag must not contain the invisible character U+17B4"
            "\\ufe0f"       | "The tag must not contain the invisible character U+FE0F"
            "a \\u034fb"    | "The tag must not contain the invisible character U+034F"
            7               | "\\"add[0]\\" must be a string"
            """)
    void anInvalidTagIsRejected(String tag, String sentence) {
        stet.template(ada, "welcome", "<p>hi</p>");
        Client.Reply reply = change(tag, "");
        assertEquals(422, reply.status());
        assertTrue(reply.text().startsWith("{\"error\":" + sentence + ","), reply.text());
    }

    @Test
    void aTemplateHasAtMostTwentyTagsOfFortyCharacters() {
        stet.template(ada, "welcome", "<p>hi</p>");
        String full = "{\"error\":\"A template can have at most 20 tags\",\"field\":\"tags\"}";
        for (int many : new int[] {21, 90_000}) { // even the largest body must not block other writers
            answered(422, full,
                    assertTimeout(Running.PATIENCE, () -> change(
                            IntStream.rangeClosed(1, many).mapToObj(i -> "\"t" + i + "\"").collect(Collectors.joining(",")), "")));
        }
        Client.Reply long41 = change("\"" + "a".repeat(41) + "\"", "");
        assertTrue(long41.status() == 422 && long41.text().contains(" is not a valid tag; use 1 to 40 letters"), long41.text());
        assertEquals(200, change("\"" + "a".repeat(40) + "\"", "").status());
        assertEquals(200, change(IntStream.rangeClosed(1, 19).mapToObj(i -> "\"t" + i + "\"").collect(Collectors.joining(",")), "").status());
        answered(422, full, change("\"one more\"", ""));
    }

    /** Returns a zip's files as lines of path and text. */
    private static List<String> files(byte[] zip) throws IOException {
        List<String> files = new ArrayList<>();
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                files.add(entry.getName() + " " + new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("\\s+", " ").strip());
            }
        }
        return files;
    }

    private void exportTo(Terminal terminal, Path folder) {
        terminal.done("export", folder.toString(), "--account", "ada@example.com");
    }

    @Test
    void tagsAreImportedAndExported(@TempDir Path folder) throws IOException {
        Terminal terminal = new Terminal(stet.folder);
        Path in = Doubled.write(folder.resolve("in"), "templates/welcome.html", "<p>hi</p>", "templates/welcome.json", "{\"tags\": [\"shop\", \"Autumn\"]}");
        String[] imports = {"import", in.toString(), "--account", "ada@example.com"};
        assertEquals("created    welcome\n", terminal.done(imports).replace("\r", ""));
        assertEquals("", terminal.done(imports), "importing it again changes nothing");
        assertTrue(browser.get("/data/templates").text().contains("\"tags\":[\"Autumn\",\"shop\"]"));
        exportTo(terminal, folder.resolve("one"));
        String exported = Files.readString(folder.resolve("one/templates/welcome.json"));
        assertTrue(exported.contains("  \"tags\": [\n    \"Autumn\",\n    \"shop\"\n  ]\n}"), exported);
        exportTo(terminal, folder.resolve("two"));
        assertEquals(exported, Files.readString(folder.resolve("two/templates/welcome.json")));
    }

    @Test
    void anImportReplacesAndRemovesTagsWithoutChangingTheDraft(@TempDir Path folder) throws IOException {
        Terminal terminal = new Terminal(stet.folder);
        Path in = Doubled.write(folder.resolve("in"), "templates/welcome.html", "<p>hi</p>", "templates/welcome.json", "{\"tags\": [\"shop\"]}");
        Path json = in.resolve("templates/welcome.json");
        String[] imports = {"import", in.toString(), "--account", "ada@example.com"};
        terminal.done(imports);
        long revision = stet.db.read(dao -> dao.templates().revision(ada.id(), "welcome")).orElseThrow();
        Files.writeString(json, "{\"tags\": [\"winter\"]}");
        assertEquals("changed    welcome\n", terminal.done(imports).replace("\r", ""));
        assertTrue(browser.get("/data/templates").text().contains("\"tags\":[\"winter\"]"));
        assertEquals(revision, stet.db.read(dao -> dao.templates().revision(ada.id(), "welcome")).orElseThrow(), "the draft is the same");
        Files.delete(json);
        terminal.done(imports);
        assertTrue(browser.get("/data/templates").text().contains("\"tags\":[]"));
        exportTo(terminal, folder.resolve("three"));
        assertFalse(Files.readString(folder.resolve("three/templates/welcome.json")).contains("tags"));
    }

    @Test
    void aFileThatListsATagTwiceIsRejected(@TempDir Path folder) throws IOException {
        Path in = Doubled.write(folder, "templates/welcome.html", "<p>hi</p>", "templates/welcome.json", "{\"tags\": [\"shop\", \"Shop\"]}");
        Terminal.Result refused = new Terminal(stet.folder).run("import", in.toString(), "--account", "ada@example.com");
        assertEquals("1 templates/welcome.json: A tag is listed twice; remove the duplicate", refused.code() + " " + refused.err().strip());
    }

    /** Importing plain HTML keeps the template's other parts, even if they change while the files are read. */
    @Test
    void importedHtmlKeepsConcurrentChangesOfTheRest(@TempDir Path folder) throws IOException {
        stet.template(ada, "welcome", "<p>old</p>");
        AtomicBoolean isRead = new AtomicBoolean();
        Source source = Folder.toImport(Files.writeString(folder.resolve("welcome.html"), "<p>new</p>"));
        try (AccountFiles files = AccountFiles.toImport(source, id -> {
            Template now = stet.db.read(dao -> dao.templates().find(ada.id(), id)).orElseThrow();
            TemplateDetails details = stet.db.read(dao -> dao.details().find(ada.id(), id)).orElseThrow();
            if (!isRead.getAndSet(true)) {
                stet.db.change(dao -> dao.templates().rename(ada.id(), id, "Renamed", stet.now()));
                answered(200, "{\"tags\":[\"shop\"]}", change("\"shop\"", ""));
            }
            return Optional.of(new TemplateFile(now.name(), now.subject(), now.samples(), details, true, null));
        })) {
            assertEquals(List.of("welcome"),
                    new Import(stet.db, ada, files, ImportOptions.of(PublishMode.NONE, true), Author.of(Actor.NONE), stet.clock)
                            .run().texts().changed());
        }
        Template after = stet.db.read(dao -> dao.templates().find(ada.id(), "welcome")).orElseThrow();
        assertEquals("Renamed <p>new</p>", after.name() + " " + new String(after.html(), StandardCharsets.UTF_8));
        assertTrue(browser.get("/data/templates").text().contains("\"tags\":[\"shop\"]"));
    }

    @Test
    void selectedTemplatesAreExportedWithTheirBlocks() throws IOException {
        stet.block(ada, "inner", "<i>inner</i>");
        stet.block(ada, "footer", "{{> inner}}");
        stet.block(ada, "unused", "<i>unused</i>");
        stet.template(ada, "welcome", "<p>{{> footer}}</p>");
        stet.template(ada, "receipt", "<p>receipt</p>");
        stet.template(ada, "other", "<p>{{> unused}}</p>");
        stet.db.change(dao -> dao.library().changeTags(ada.id(), "receipt", List.of("shop"), List.of(), stet.now()));
        Client.Reply zip = browser.post("/data/export", "{\"templates\":[\"welcome\",\"receipt\",\"welcome\"]}");
        assertEquals("200 application/zip", zip.status() + " " + zip.header("Content-Type"));
        assertEquals(List.of("blocks/footer.html {{> inner}}", "blocks/inner.html <i>inner</i>", "templates/receipt.html <p>receipt</p>",
                "templates/receipt.json { \"name\": \"receipt\", \"published\": true, \"subject\": \"\", \"tags\": [ \"shop\" ] }",
                "templates/welcome.html <p>{{> footer}}</p>",
                "templates/welcome.json { \"name\": \"welcome\", \"published\": true, \"subject\": \"\" }"), files(zip.body()));
        assertArrayEquals(zip.body(), browser.post("/data/export", "{\"templates\":[\"receipt\",\"welcome\"]}").body());
    }

    @Test
    void anInvalidSelectionIsNotExported() {
        stet.template(ada, "welcome", "<p>hi</p>");
        answered(422, "{\"error\":\"Template no-such not found\",\"field\":\"templates\"}",
                browser.post("/data/export", "{\"templates\":[\"welcome\",\"no-such\"]}"));
        answered(422, "{\"error\":\"Choose at least one template\",\"field\":\"templates\"}", browser.post("/data/export", "{\"templates\":[]}"));
        String many = IntStream.range(0, 10_000).mapToObj(i -> "\"" + "x".repeat(58) + i + "\"").collect(Collectors.joining(","));
        assertEquals(422, browser.post("/data/export", "{\"templates\":[" + many + "]}").status(), "a body of 600 KB is read");
        assertEquals(413, browser.post("/data/export", "{\"templates\":[" + many + "," + many + "]}").status());
    }
}
