package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.access.TenancyTest;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;

/** Files never replace local changes made since the last import, unless the files' author asks for it. */
class ConflictTest {
    @TempDir
    static Path folder;
    private static Running stet;
    private static Terminal terminal;
    private static int cases;

    private final Account account;
    private final Browser browser;
    private final Path files;

    @BeforeAll
    static void start() {
        stet = new Running(folder.resolve("data"));
        terminal = new Terminal(folder.resolve("data"));
    }

    /** Each test has an account of its own. */
    ConflictTest() throws IOException {
        account = stet.account("team-" + ++cases + "@example.com", Plan.PRO);
        browser = Browser.of(stet, account);
        files = folder.resolve("files-" + cases);
        write("templates/welcome.html", "<p>one {{> footer}}</p>");
        write("templates/welcome.json", "{\"name\": \"Welcome\", \"tags\": [\"a\"]}");
        write("templates/welcome.samples/default.json", "{\"x\": \"1\"}");
        write("blocks/footer.html", "<i>one</i>");
    }

    @AfterAll
    static void end() {
        stet.close();
    }

    private void write(String path, String text) throws IOException {
        Files.createDirectories(files.resolve(path).getParent());
        Files.writeString(files.resolve(path), text);
    }

    private Terminal.Result importFiles(String... options) {
        return terminal.run(Stream.concat(Stream.of("import", files.toString(), "--account", account.name()), Stream.of(options))
                .toArray(String[]::new));
    }

    private void imported(String changes, String... options) {
        Terminal.Result result = importFiles(options);
        assertEquals("0 " + changes, result.code() + " " + result.out().strip().replaceAll("\\s+", " "), result.err());
    }

    private void refused(String sentence, String... options) throws SQLException {
        List<String> before = rows();
        Terminal.Result result = importFiles(options);
        assertEquals("Nothing was changed: " + sentence + ". \"pull\" downloads these changes; --overwrite overwrites them",
                result.err().strip());
        assertEquals(1, result.code());
        assertEquals("", result.out());
        assertEquals(before, rows());
    }

    private List<String> rows() throws SQLException {
        List<String> rows = TenancyTest.rows(stet.folder, account);
        rows.removeIf(row -> row.startsWith("garbage|") || row.startsWith("texts|") || row.startsWith("storage|") || row.startsWith("sessions|"));
        return rows;
    }

    private long revision() {
        return stet.db.read(dao -> dao.templates().revision(account.id(), "welcome")).orElseThrow();
    }

    private void edit(String html) {
        assertEquals(200, browser.put("/data/templates/welcome", "{\"revision\":" + revision() + ",\"subject\":\"\",\"html\":\"" + html
                + "\",\"samples\":{\"default\":\"{\\\"x\\\": \\\"1\\\"}\"}}").status());
    }

    private void publish() {
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":" + revision() + "}").status());
    }

    private String draft() {
        return new String(stet.db.read(dao -> dao.templates().find(account.id(), "welcome")).orElseThrow().html(), StandardCharsets.UTF_8);
    }

    private String live() {
        return new String(stet.db.read(dao -> dao.templates().published(account.id(), "welcome")).orElseThrow().html(), StandardCharsets.UTF_8);
    }

    private String path(String rest) {
        return "/data/templates/welcome" + rest;
    }

    /** Importing unchanged files also exits with 0, unless the account has changed. */
    @Test
    void anUnchangedImportRevertsNothing() throws SQLException {
        imported("block footer created welcome published welcome", "--publish");
        List<String> before = rows();
        imported("", "--publish");
        assertEquals(before, rows());
        edit("<p>urgent</p>");
        publish();
        String by = " by " + stet.owner(account).label() + " at 2026-01-31T09:00:00.000Z";
        refused("template welcome was changed in Stet" + by, "--publish");
        refused("template welcome was changed in Stet" + by);
        refused("template welcome was changed in Stet" + by, "--dry-run");
        assertEquals("<p>urgent</p>", live());
        imported("changed welcome published welcome", "--publish", "--overwrite");
        assertEquals("<p>one <i>one</i></p>", live());
        imported("", "--publish");
    }

    /** Imports files twice, then makes a change in the web application and another one to the files. */
    private void change(String change) throws IOException {
        imported("block footer created welcome published welcome", "--publish");
        write("templates/welcome.html", "<p>two</p>");
        imported("changed welcome published welcome", "--publish");
        switch (change) {
            case "rename" -> assertEquals(200, browser.put(path("/name"), "{\"name\":\"Hello\",\"revision\":1}").status());
            case "tag" -> assertEquals(200, browser.put(path("/tags"), "{\"add\":[\"b\"],\"remove\":[]}").status());
            case "test data" -> assertEquals(200, browser.put(path(""), "{\"revision\":" + revision()
                    + ",\"subject\":\"\",\"html\":\"<p>two</p>\",\"samples\":{\"default\":\"{}\"}}").status());
            case "edit" -> edit("<p>urgent</p>");
            case "edit and undo" -> {
                edit("<p>urgent</p>");
                edit("<p>two</p>");
            }
            case "publish again" -> assertEquals(200, browser.post(path("/versions/1/publish"), "{}").status());
            case "block" -> assertEquals(200, browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"urgent\"}").status());
            case "make" -> {
                assertEquals(201, browser.post("/data/templates", "{\"id\":\"made\",\"name\":\"Made\"}").status());
                write("templates/made.html", "<p>of files</p>");
            }
            case "trash and back" -> {
                assertEquals(204, browser.delete(path("")).status());
                assertEquals(200, browser.post("/data/deletions/welcome/restore", "{}").status());
            }
            case "nothing" -> { }
            default -> throw new AssertionError(change);
        }
        write("templates/welcome.html", "<p>three</p>");
        write("blocks/footer.html", "<i>two</i>");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            rename        | template welcome was changed in Stet
            tag           | template welcome was changed in Stet
            test data     | template welcome was changed in Stet
            edit          | template welcome was changed in Stet
            publish again | template welcome has a different live version, published in Stet
            block         | shared block footer was changed in Stet
            make          | template made was created in Stet and last changed
            """)
    void changesInStetPreventAnImport(String change, String what) throws IOException, SQLException {
        change(change);
        refused(what + " by " + stet.owner(account).label() + " at 2026-01-31T09:00:00.000Z", "--publish");
        refused(what + " by " + stet.owner(account).label() + " at 2026-01-31T09:00:00.000Z");
        assertEquals(0, importFiles("--publish", "--overwrite").code());
        assertEquals("<p>three</p>", live());
        imported("", "--publish");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing", "edit and undo", "trash and back"})
    void changesThatLeaveTheTextAsBeforePreventNoImport(String change) throws IOException {
        change(change);
        imported("block footer changed welcome published welcome", "--publish");
    }

    /** A version republished by hand stays live, even if the draft matches the files. */
    @Test
    void anUnchangedImportDoesNotPublishOverAVersionPublishedByHand() throws IOException, SQLException {
        imported("block footer created welcome published welcome", "--publish");
        write("templates/welcome.html", "<p>two</p>");
        imported("changed welcome published welcome", "--publish");
        assertEquals(200, browser.post(path("/versions/1/publish"), "{}").status());
        refused("template welcome has a different live version, published in Stet by " + stet.owner(account).label()
                + " at 2026-01-31T09:00:00.000Z", "--publish");
        imported("");
        assertEquals("<p>one <i>one</i></p>", live());
    }

    @Test
    void aDraftFromFilesThatWasPublishedByHandPreventsNoImport() throws IOException {
        imported("block footer created welcome");
        publish();
        write("templates/welcome.html", "<p>two</p>");
        imported("changed welcome");
        write("templates/welcome.html", "<p>three</p>");
        imported("changed welcome published welcome", "--publish");
    }

    /** Files that match the local draft, for example after a pull, become its source. */
    @Test
    void filesThatHaveTheChangeMayChangeItFurther() throws IOException {
        imported("block footer created welcome published welcome", "--publish");
        edit("<p>urgent</p>");
        publish();
        write("templates/welcome.html", "<p>urgent</p>");
        imported("", "--publish");
        write("templates/welcome.html", "<p>more urgent</p>");
        imported("changed welcome published welcome", "--publish");
    }

    /** The live version was made from the text in the files, so nothing is lost, although the draft in Stet is another one. */
    @Test
    void filesThatHaveTheLiveTextMayReplaceTheDraft() throws IOException, SQLException {
        imported("block footer created welcome published welcome", "--publish");
        edit("<p>urgent</p>");
        publish();
        edit("<p>one {{> footer}}</p>"); // as it came
        write("templates/welcome.html", "<p>other</p>");
        refused("template welcome has a different live version, published in Stet by " + stet.owner(account).label()
                + " at 2026-01-31T09:00:00.000Z", "--publish");
        write("templates/welcome.html", "<p>urgent</p>");
        imported("changed welcome", "--publish");
        assertEquals("<p>urgent</p> <p>urgent</p>", draft() + " " + live());
    }

    /** An edit made before the template was deleted permanently is no conflict. */
    @Test
    void aTemplateThatWasDeletedPermanentlyIsCreatedAgain() throws IOException {
        imported("block footer created welcome published welcome", "--publish");
        edit("<p>urgent</p>");
        assertEquals(204, browser.delete(path("")).status());
        assertTrue(importFiles().err().contains("in the trash"), importFiles().err());
        assertEquals(204, browser.delete("/data/deletions/welcome").status());
        assertTrue(stet.db.read(dao -> dao.sources().find(account.id(), "template", "welcome")).isEmpty());
        imported("created welcome published welcome", "--publish");
    }

    /** An edit made before the block was deleted is no conflict. */
    @Test
    void aBlockThatWasDeletedIsCreatedAgain() throws IOException {
        write("templates/welcome.html", "<p>no block</p>");
        imported("block footer created welcome");
        assertEquals(200, browser.put("/data/blocks/footer", "{\"revision\":1,\"html\":\"urgent\"}").status());
        assertEquals(204, browser.delete("/data/blocks/footer").status());
        imported("block footer");
    }

    @Test
    void aZipWithAConflictIsRefusedUnlessItOverwrites() throws SQLException {
        assertEquals(200, post("", "<p>one</p>").status());
        edit("<p>urgent</p>");
        String conflicts = "\"conflicts\":[{\"kind\":\"template\",\"id\":\"welcome\",\"what\":\"changed\",\"by\":\""
                + stet.owner(account).label() + "\",\"at\":\"2026-01-31T09:00:00.000Z\"}]";
        String rest = "\"created\":[],\"changed\":[\"welcome\"],\"unchanged\":0,\"blocks\":[],\"published\":[],";
        List<String> before = rows();
        answered(200, "{" + rest + conflicts + ",\"ignored\":[]}", post("?dryRun=true", "<p>two</p>"));
        answered(409, "{\"error\":\"Nothing was changed: template welcome was changed in Stet by " + stet.owner(account).label()
                + " at 2026-01-31T09:00:00.000Z\"," + rest + conflicts + "}", post("?publish=true", "<p>two</p>"));
        assertEquals(before, rows());
        answered(200, "{\"created\":[],\"changed\":[\"welcome\"],\"unchanged\":0,\"blocks\":[],\"published\":[\"welcome\"],"
                + conflicts.replace("conflicts", "overwritten")
                + ",\"warnings\":[\"Warning: templates/welcome.json: \\\"subject\\\": the subject is empty\"],\"ignored\":[]}", post("?publish=true&overwrite=true", "<p>two</p>"));
        assertEquals("<p>two</p>", draft());
        assertEquals("{\"how\":\"import\",\"at\":\"2026-01-31T09:00:00.000Z\",\"by\":\"" + stet.owner(account).label() + "\",\"note\":\"\"}",
                Json.tree(browser.get(path("")).text()).get("source").toString());
    }

    private Client.Reply post(String query, String html) {
        byte[] zip = new RawZip().file("templates/welcome.html", html).bytes();
        try (Client client = new Client(stet.server.address())) {
            return client.write(client.request("POST", "/data/import" + query, null, "Cookie: " + browser.cookie, "Connection: close",
                    "Content-Type: application/zip", "Content-Length: " + zip.length)
                    + new String(zip, StandardCharsets.ISO_8859_1)).read(false);
        }
    }
}
