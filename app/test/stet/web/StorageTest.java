package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Pictures;
import stet.harness.RawZip;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;

/** Stored bytes are counted exactly, limited, and freed by deletion. */
class StorageTest {
    private static final String FULL = "{\"error\":\"The account would store ";
    private static final int KIB = 1 << 10;

    @AutoClose
    private final Running stet = new Running();
    private Account ada;
    private Browser browser;

    @BeforeEach
    void start() {
        ada = stet.account("ada@example.com", Plan.PRO, "correct horse");
        browser = Browser.of(stet, ada);
    }

    private void limit(long bytes) {
        stet.db.change(dao -> dao.storage().changeLimit(ada, bytes, stet.now()));
    }

    private long stored() {
        return stet.db.read(dao -> dao.storage().of(ada.id())).bytes();
    }

    /** Computes the size of an account's rows directly, in bytes. */
    private long counted() {
        String template = "template in (select row from templates where account_id = " + ada.id() + ")";
        return Rows.of(stet.folder, "select length(html) from texts where account_id = " + ada.id() + " union all "
                + "select octet_length(document) from samples where " + template + " union all "
                + "select octet_length(subject || variables || note) from versions where " + template + " union all "
                + "select octet_length(block) + 32 from version_blocks where " + template).stream().mapToLong(Long::parseLong).sum();
    }

    private void sweep() {
        stet.sweep();
        assertEquals(counted(), stored());
    }

    private Client.Reply save(String id, long revision, int bytes) {
        return save(id, revision, "x".repeat(bytes), "{}");
    }

    private Client.Reply save(String id, long revision, String html, String samples) {
        return browser.put("/data/templates/" + id, "{\"revision\":" + revision + ",\"subject\":\"\",\"html\":\"" + html + "\",\"samples\":"
                + samples + "}");
    }

    private void create(String id) {
        assertEquals(201, browser.post("/data/templates", "{\"id\":\"" + id + "\",\"name\":\"" + id + "\"}").status());
    }

    private static void full(Client.Reply reply) {
        assertEquals(422, reply.status(), reply.text());
        assertTrue(reply.text().startsWith(FULL), reply.text());
        assertTrue(reply.text().endsWith(". Delete templates and empty the trash, or ask an administrator for more storage\",\"field\":null}"), reply.text());
    }

    private JsonNode storage() {
        return Json.readObject(browser.get("/data/templates").body()).get("storage");
    }

    @Test
    void eachTextCountsUntilItIsDeleted() {
        assertEquals("{\"bytes\":0,\"limit\":1073741824}", storage().toString());
        create("welcome");
        assertEquals(200, save("welcome", 1, "\u00e9".repeat(500), "{\"default\":\"{\\\"name\\\":\\\"\u00e9\\\"}\"}").status());
        sweep();
        assertEquals(1_000 + 13, stored());
        assertEquals(201, browser.post("/data/blocks", "{\"name\":\"footer\",\"html\":\"0123456789\"}").status());
        assertEquals(200, save("welcome", 2, "a {{name}} {{> footer}}", "{}").status());
        sweep();
        assertEquals(23 + 10, stored());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":3,\"note\":\"12345\"}").status());
        sweep();
        assertEquals(33 + 21 + 4 + 5 + 6 + 32, stored()); // the expanded HTML, a variable, the note, the block
        answered(204, "", browser.delete("/data/templates/welcome"));
        sweep();
        assertEquals(101, stored(), "the trash counts");
        assertEquals(200, browser.post("/data/deletions/welcome/restore", "{}").status());
        answered(204, "", browser.delete("/data/templates/welcome"));
        answered(204, "", browser.delete("/data/deletions"));
        sweep();
        assertEquals(10, stored());
        answered(204, "", browser.delete("/data/blocks/footer"));
        sweep();
        assertEquals(0, stored());
    }

    @Test
    void beyondTheLimitNothingMoreIsStored() {
        limit(100 * KIB);
        create("welcome");
        create("other");
        assertEquals(200, save("welcome", 1, 60 * KIB).status());
        sweep();
        String before = browser.get("/data/templates/other").text();
        answered(422, FULL + "120 KiB; its limit is 100 KiB. Delete templates and empty the trash, or ask an administrator for more storage\","
                + "\"field\":null}", save("other", 1, 60 * KIB));
        assertEquals(before, browser.get("/data/templates/other").text());
        assertEquals(counted(), stored());
        full(browser.post("/data/blocks", "{\"name\":\"large\",\"html\":\"" + "y".repeat(50 * KIB) + "\"}"));
        full(save("other", 1, "", "{\"default\":\"{\\\"a\\\":\\\"" + "z".repeat(50 * KIB) + "\\\"}\"}"));
        full(browser.post("/data/templates", "{\"id\":\"copy\",\"name\":\"Copy\",\"copyOf\":\"welcome\"}"));
    }

    @Test
    void theLimitIsExactAndARenameNeedsNoRoom() {
        limit(100 * KIB);
        create("welcome");
        create("other");
        assertEquals(200, save("welcome", 1, 60 * KIB).status());
        answered(422, FULL + "100 KiB (102,401 bytes); its limit is 100 KiB (102,400 bytes). Delete templates and empty the trash, or ask an "
                + "administrator for more storage\",\"field\":null}", save("other", 1, 40 * KIB + 1));
        assertEquals(200, save("other", 1, 40 * KIB).status(), "what fits is stored");
        assertEquals(100 * KIB, stored());
        full(browser.post("/data/templates/welcome/publish", "{\"revision\":2,\"note\":\"one byte too many\"}"));
        assertEquals(200, browser.put("/data/templates/welcome/name", "{\"name\":\"Renamed\",\"revision\":1}").status());
    }

    @Test
    void onlyThePermanentDeletionMakesRoom() {
        limit(100 * KIB);
        create("welcome");
        create("other");
        assertEquals(200, save("welcome", 1, 60 * KIB).status());
        assertEquals(200, save("other", 1, 40 * KIB).status());
        answered(204, "", browser.delete("/data/templates/other"));
        sweep();
        full(save("welcome", 2, 61 * KIB));
        answered(204, "", browser.delete("/data/deletions"));
        sweep();
        assertEquals(200, save("welcome", 2, 61 * KIB).status());
    }

    /** An account over a lowered limit may still shorten a text, although the old text also counts briefly. */
    @Test
    void beyondTheLimitATextCanBeReplacedByAShorterOne() {
        create("welcome");
        assertEquals(200, save("welcome", 1, 60 * KIB).status());
        sweep();
        limit(50 * KIB);
        full(save("welcome", 2, 60 * KIB + 1));
        assertEquals(200, save("welcome", 2, 55 * KIB).status());
        assertEquals(55 * KIB, stored());
        full(save("welcome", 3, 56 * KIB));
        assertEquals(200, save("welcome", 3, 50 * KIB).status());
        limit(50 * KIB);
        for (int revision = 4; revision < 9; revision++) { // same size, within the limit: each replaces the previous one
            assertEquals(200, save("welcome", revision, "" + (char) ('a' + revision) + "x".repeat(50 * KIB - 1), "{}").status());
        }
        assertEquals(counted(), stored());
    }

    /** Further versions of the same text add rows with variables and blocks, but no text. */
    @Test
    void publishingTheSameAgainFillsNoDisk() {
        limit(500 * KIB);
        create("welcome");
        StringBuilder html = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            html.append("{{variable_").append(i).append("}}");
        }
        assertEquals(200, save("welcome", 1, html.toString(), "{}").status());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":2}").status());
        assertEquals(200, save("welcome", 2, html + "!", "{}").status());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":3}").status());
        Client.Reply reply;
        int versions = 2;
        do {
            reply = browser.post("/data/templates/welcome/versions/" + (versions - 1) + "/publish", "{}");
            versions++;
        } while (reply.status() == 200 && versions < 100);
        full(reply);
        assertTrue(versions > 10 && versions < 60, versions + " versions");
        assertTrue(stored() <= 500 * KIB);
        sweep();
    }

    @Test
    void requestsAtOnceStoreNoMoreThanTheLimit() throws InterruptedException, ExecutionException {
        limit(100 * KIB);
        int count = 12;
        for (int i = 0; i < count; i++) {
            create("t" + i);
        }
        ExecutorService users = Executors.newFixedThreadPool(count);
        List<Future<Client.Reply>> replies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = "t" + i;
            replies.add(users.submit(() -> save(id, 1, 30 * KIB)));
        }
        int saved = 0;
        for (Future<Client.Reply> reply : replies) {
            if (reply.get().status() == 200) {
                saved++;
            } else {
                full(reply.get());
            }
        }
        users.shutdown();
        assertEquals(3, saved);
        assertEquals(90 * KIB, stored());
        sweep();
    }

    @Test
    void anImportIsStoredAsAWholeOrNotAtAll() {
        limit(1_000 * KIB);
        RawZip fits = new RawZip();
        RawZip large = new RawZip();
        for (int i = 0; i < 9; i++) {
            fits.file("templates/t" + i + ".html", "a" + i + "x".repeat(100 * KIB - 2));
            large.file("templates/u" + i + ".html", "b" + i + "x".repeat(100 * KIB - 2));
        }
        answered(200, "{\"created\":[\"t0\",\"t1\",\"t2\",\"t3\",\"t4\",\"t5\",\"t6\",\"t7\",\"t8\"],\"changed\":[],\"unchanged\":0,\"blocks\":[],"
                + "\"published\":[],\"ignored\":[]}", importZip(fits));
        sweep();
        assertEquals(900 * KIB, stored());
        full(importZip(large));
        sweep();
        assertEquals(900 * KIB, stored(), "what was staged is gone");
        assertEquals(9, stet.db.read(dao -> dao.templates().list(ada.id())).size());
        full(importZip(new RawZip().file("templates/v.html", "").file("templates/v.samples/a.json", "{\"a\":\"" + "x".repeat(101 * KIB) + "\"}")));
        sweep();
        assertEquals(900 * KIB, stored());
    }

    /** The trash already counts, so that restoring adds nothing; anything that adds a byte is rejected. */
    @Test
    void beyondTheLimitOnlyRestoresArePossible() {
        long before = restoreBeyondTheLimit();
        full(importZip("?overwrite=true", MORE));
        full(importZip("?publish=true&overwrite=true", new RawZip().file("templates/other.html", "{{name}}").text()));
        full(browser.post("/data/templates/welcome/publish", "{\"revision\":2}"));
        Terminal.Result command = new Terminal(stet.folder).run("template", "publish", "ada@example.com", "welcome");
        assertEquals(1, command.code());
        assertTrue(command.err().startsWith("The account would store "), command.err());
        sweep();
        assertEquals(before, stored());
        assertEquals(2, stet.db.read(dao -> dao.templates().list(ada.id())).size());
    }

    private static final String MORE = new RawZip().file("templates/more.html", "x").file("templates/other.html", "short").text();

    /** Saves two templates, lowers the limit and restores one from the trash. Returns the stored bytes. */
    private long restoreBeyondTheLimit() {
        create("welcome");
        create("other");
        assertEquals(200, save("welcome", 1, "{{name}}" + "x".repeat(60 * KIB), "{}").status());
        assertEquals(200, save("other", 1, 20 * KIB).status());
        answered(204, "", browser.delete("/data/templates/welcome"));
        sweep();
        long before = stored();
        limit(before - 10 * KIB);
        assertEquals(200, browser.post("/data/deletions/welcome/restore", "{}").status());
        sweep();
        assertEquals(before, stored());
        return before;
    }

    @Test
    void aPublicationMayReachTheLimitAndADeletionMakesRoom() {
        long before = restoreBeyondTheLimit();
        limit(before + 4); // for the variable's name
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":2}").status());
        full(browser.post("/data/templates/other/publish", "{\"revision\":2,\"note\":\"n\"}"));
        full(importZip("?overwrite=true", MORE));
        answered(204, "", browser.delete("/data/templates/other"));
        answered(204, "", browser.delete("/data/deletions"));
        sweep();
        assertEquals(200, importZip("?publish=true&overwrite=true", MORE).status());
        sweep();
    }

    private Client.Reply importZip(RawZip zip) {
        return importZip("", zip.text());
    }

    private Client.Reply importZip(String parameters, String body) {
        return browser.postZip("/data/import" + parameters, body.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void eachAccountHasItsOwnCountAndLimit() {
        Account eve = stet.account("eve@example.com", Plan.FREE);
        limit(KIB);
        create("welcome");
        full(save("welcome", 1, 2 * KIB));
        Browser other = Browser.of(stet, eve);
        assertEquals(201, other.post("/data/templates", "{\"id\":\"welcome\",\"name\":\"Mine\"}").status());
        assertEquals(200, other.put("/data/templates/welcome", "{\"revision\":1,\"subject\":\"\",\"html\":\"" + "x".repeat(2 * KIB)
                + "\",\"samples\":{}}").status());
        assertEquals(0, stored());
    }

    @Test
    void aDeletedAccountIsCountedNoMore() {
        Account eve = stet.account("eve@example.com", Plan.FREE);
        stet.draft(eve, "welcome", "Welcome", "", "<p>Hi</p>");
        create("welcome");
        assertEquals(List.of("2"), Rows.of(stet.folder, "select count(*) from storage"));
        stet.db.change(dao -> dao.accounts().delete(eve, stet.now()));
        stet.sweep();
        assertEquals(List.of("1"), Rows.of(stet.folder, "select count(*) from storage"));
    }

    // ---- the administrator

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            500K    | 512000
            500M    | 524288000
            2G      | 2147483648
            1T      | 1099511627776
            default | 1073741824
            """)
    void aCommandSetsAnAccountsLimit(String size, long bytes, @TempDir Path folder) {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("bob@example.com", "free");
        terminal.done("account", "plan", "bob@example.com", "--storage", "7G");
        terminal.done("account", "plan", "bob@example.com", "--storage", size);
        terminal.done("account", "plan", "bob@example.com", "--keys", "3"); // does not change it
        String listed = terminal.done("account", "list", "--json");
        assertTrue(listed.endsWith(",\"bytes\":0,\"storage\":" + bytes + "}]\n"), listed);
        assertTrue(terminal.done("activity", "bob@example.com").contains("limit of storage: 7 GiB"));
    }

    /** Images have a limit of their own within the storage. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            500K    | 500 KiB
            500M    | 500 MiB
            2G      | 2 GiB
            default | 200 MiB
            """)
    void aCommandSetsAnAccountsImageLimit(String size, String limit, @TempDir Path folder) {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("bob@example.com", "free");
        terminal.done("account", "plan", "bob@example.com", "--images", "7G");
        String changed = terminal.run("account", "plan", "bob@example.com", "--images", size).err();
        assertTrue(changed.endsWith(", 1 GiB, " + limit + " of images" + System.lineSeparator()), changed);
        terminal.done("account", "plan", "bob@example.com", "--keys", "3"); // does not change it
        assertEquals(List.of(size.equals("default") ? "null" : "" + bytes(size)), Rows.of(folder.resolve("data"), "select coalesce(image_limit, 'null') from accounts"));
        assertTrue(terminal.done("activity", "bob@example.com").contains("limit of images: 7 GiB"));
    }

    private static long bytes(String size) {
        return Long.parseLong(size.substring(0, size.length() - 1)) << 10 * ("KMG".indexOf(size.charAt(size.length() - 1)) + 1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            account plan bob@example.com --storage 0G   | --storage is "0G"; use a size such as 500M or 2G, or "default"
            account plan bob@example.com --storage 5    | --storage is "5"; use a size such as 500M or 2G, or "default"
            account plan bob@example.com --storage 1.5G | --storage is "1.5G"; use a size such as 500M or 2G, or "default"
            account plan bob@example.com --storage -1G  | --storage is "-1G"; use a size such as 500M or 2G, or "default"
            account plan bob@example.com --images 0     | --images is "0"; use a size such as 500M or 2G, or "default"
            serve --account-images default              | --account-images is "default"; use a size such as 500M or 2G
            serve --account-storage default             | --account-storage is "default"; use a size such as 500M or 2G
            """)
    void anInvalidSizeIsRejected(String line, String sentence, @TempDir Path folder) {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("bob@example.com", "free");
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()), terminal.run(line.split(" ")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--account-images", "--account-storage"})
    void aServeWithAWrongSizeCreatesNoDatabase(String option, @TempDir Path folder) {
        assertEquals(1, new Terminal(folder.resolve("data")).run("serve", option, "default").code());
        assertTrue(Files.notExists(folder.resolve("data")));
    }

    /** Commands use the limit set by serve, even after it has stopped. */
    @Test
    void theServersLimitAppliesToAccountsWithoutOne(@TempDir Path folder) throws IOException {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("bob@example.com", "free");
        Path files = Files.createDirectories(folder.resolve("files/templates"));
        Files.writeString(files.resolve("large.html"), "x".repeat(2 << 20));
        String[] command = {"import", files.getParent().toString(), "--account", "bob@example.com"};
        terminal.serve("serve", "--listen", "127.0.0.1:0", "--account-storage", "1M").end();
        Terminal.Result refused = terminal.run(command);
        assertEquals("1 The account would store 2 MiB; its limit is 1 MiB. Delete templates and empty the trash, or ask an administrator"
                + " for more storage", refused.code() + " " + refused.err().strip());
        terminal.serve("serve", "--listen", "127.0.0.1:0").end();
        assertEquals(0, terminal.run(command).code());
        String check = terminal.done("check");
        assertTrue(check.contains("ok       storage: bytes stored by all accounts: 2097152"), check);
    }

    @Test
    void theServersImageLimitAppliesToAccountsWithoutOne(@TempDir Path folder) throws IOException {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("bob@example.com", "free");
        Path files = Files.createDirectories(folder.resolve("files/images"));
        byte[] noise = new byte[20_000];
        new Random(1).nextBytes(noise);
        Files.write(files.resolve("a.png"), Pictures.with(Pictures.png(8, 8, 1), 33, Pictures.chunk("iCCP", noise)));
        String[] command = {"import", files.getParent().toString(), "--account", "bob@example.com"};
        terminal.serve("serve", "--listen", "127.0.0.1:0", "--account-images", "16K").end();
        Terminal.Result refused = terminal.run(command);
        assertTrue(refused.code() == 1 && refused.err().contains("The images would take 19.71 KiB; the limit is 16 KiB. Delete unused files on the page Images,"
                + " or ask an administrator for a higher limit"), refused.err());
        terminal.serve("serve", "--listen", "127.0.0.1:0").end();
        assertEquals(0, terminal.run(command).code());
    }

    @Test
    void administratorsSeeAndChangeTheLimitsOfStorageAndImages() {
        stet.db.change(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        create("welcome");
        assertEquals(200, save("welcome", 1, 10).status());
        sweep();
        assertEquals(204, browser.put("/data/accounts/" + ada.id() + "/plan", "{\"plan\":\"pro\",\"storage\":2048}").status());
        String page = browser.get("/data/installation").text();
        assertTrue(page.contains("\"bytes\":10,\"storage\":2048,\"ownStorage\":2048,"), page);
        assertEquals(204, browser.put("/data/accounts/" + ada.id() + "/plan", "{\"plan\":\"pro\",\"storage\":2048,\"images\":4096}").status());
        assertTrue(browser.get("/data/installation").text().contains("\"imageBytes\":0,\"images\":4096,\"ownImages\":4096,"));
        assertEquals(4096, stet.db.read(dao -> dao.images().room(ada.id())).limit());
        assertTrue(browser.get("/data/activity").text().contains("limit of images: 4 KiB"), browser.get("/data/activity").text());
        assertEquals("{\"bytes\":10,\"limit\":2048}", storage().toString());
        assertEquals(204, browser.put("/data/accounts/" + ada.id() + "/plan", "{\"plan\":\"pro\"}").status());
        assertTrue(browser.get("/data/installation").text().contains("\"bytes\":10,\"storage\":1073741824,\"ownStorage\":null,\"imageBytes\":0,\"images\":209715200,\"ownImages\":null,"));
    }

    @Test
    void aLimitOfZeroIsRejected() {
        stet.db.change(dao -> dao.users().setAdministrator(stet.owner(ada).id(), true));
        answered(422, "{\"error\":\"\\\"images\\\" must be a whole number from 1 to 9223372036854775807\",\"field\":\"images\"}",
                browser.put("/data/accounts/" + ada.id() + "/plan", "{\"plan\":\"pro\",\"images\":0}"));
        answered(422, "{\"error\":\"\\\"storage\\\" must be a whole number from 1 to 9223372036854775807\",\"field\":\"storage\"}",
                browser.put("/data/accounts/" + ada.id() + "/plan", "{\"plan\":\"pro\",\"storage\":0}"));
    }
}
