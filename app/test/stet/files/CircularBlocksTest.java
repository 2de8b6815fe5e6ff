package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.access.TenancyTest;
import stet.base.Json;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;

/** A shared block that no email could include is rejected on each route by which it may arrive. */
class CircularBlocksTest {
    private static final String TOKEN = "stet_deploy_of-the-account";

    @TempDir
    Path folder;
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    CircularBlocksTest() {
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.EDITOR, TOKEN, null, stet.now()));
    }

    private Client.Reply push(String query, RawZip files) {
        byte[] body = files.bytes();
        try (Client client = new Client(stet.server.address())) {
            return client.write(client.request("POST", "/push" + query, TOKEN, "Connection: close", "Content-Length: " + body.length)
                    + new String(body, StandardCharsets.ISO_8859_1)).read(false);
        }
    }

    private static String error(Client.Reply reply) {
        return reply.status() + " " + Json.tree(reply.text()).path("error").asText();
    }

    private String command(RawZip files, String... arguments) throws IOException {
        Path zip = folder.resolve("files.zip");
        Files.write(zip, files.bytes());
        Terminal.Result result = new Terminal(stet.folder).run(arguments);
        return (result.code() == 1 ? "422 " : result.code() + " ") + result.err().strip();
    }

    private String seed(String c, String b) throws IOException {
        Path seed = folder.resolve("seed");
        Files.createDirectories(seed.resolve("blocks"));
        Files.writeString(seed.resolve("account.json"), "{\"email\": \"seeded@example.com\"}");
        Files.writeString(seed.resolve("blocks/a.html"), "<p>a</p>");
        Files.writeString(seed.resolve("blocks/b.html"), b);
        Files.writeString(seed.resolve("blocks/c.html"), c);
        try {
            List<Seed> seeds = Seed.read(seed);
            stet.db.change(dao -> seeds.forEach(each -> each.into(dao, stet.now(), new SecureRandom())));
            return "seeded";
        } catch (Refusal refusal) {
            return "422 " + refusal.getMessage();
        }
    }

    /** Another account whose blocks were saved without a check. */
    private String copy(String c, String b) {
        Account source = stet.db.write(dao -> dao.accounts().addWithOwner("source", "ada@example.com", null, Plan.PRO, stet.now()));
        stet.block(source, "a", "<p>a</p>");
        stet.block(source, "b", b);
        stet.block(source, "c", c);
        stet.draft(source, "mail", "Mail", "", "{{> c}}");
        return error(Browser.of(stet, source).post("/data/copies/" + ada.id(), "{\"templates\":[\"mail\"]}"));
    }

    @ParameterizedTest(name = "{0}: {1} {2}")
    @CsvSource(delimiter = '|', textBlock = """
            page   | x {{> c}}   | b         | shared block "c", line 1: shared block "c" includes itself: c > c
            push   | x {{> c}}   | b         | blocks/c.html: line 1: shared block "c" includes itself: c > c
            plan   | x {{> c}}   | b         | blocks/c.html: line 1: shared block "c" includes itself: c > c
            zip    | x {{> c}}   | b         | blocks/c.html: line 1: shared block "c" includes itself: c > c
            import | x {{> c}}   | b         | blocks/c.html: line 1: shared block "c" includes itself: c > c
            copy   | x {{> c}}   | b         | blocks/c.html: line 1: shared block "c" includes itself: c > c
            seed   | x {{> c}}   | b         | blocks/c.html: line 1: shared block "c" includes itself: c > c
            page   | {{> b}}     | {{> c}}   | shared block "b", line 1: shared block "c" includes itself: c > b > c
            push   | {{> a}}{{> b}} | {{> c}} | blocks/c.html: line 1: shared block "b" includes itself: b > c > b
            zip    | {{> b}}     | {{> c}}   | blocks/c.html: line 1: shared block "b" includes itself: b > c > b
            import | {{> b}}     | {{> c}}   | blocks/c.html: line 1: shared block "b" includes itself: b > c > b
            copy   | {{> b}}     | {{> c}}   | blocks/c.html: line 1: shared block "b" includes itself: b > c > b
            seed   | {{> b}}     | {{> c}}   | blocks/c.html: line 1: shared block "b" includes itself: b > c > b
            page   | {{> nothing}} | b       | shared block "c", line 1: shared block "nothing" not found
            push   | {{> nothing}} | b       | blocks/c.html: line 1: shared block "nothing" not found
            import | {{> nothing}} | b       | blocks/c.html: line 1: shared block "nothing" not found
            copy   | {{> nothing}} | b       | blocks/c.html: line 1: shared block "nothing" not found
            seed   | {{> nothing}} | b       | blocks/c.html: line 1: shared block "nothing" not found
            """)
    void aBlockThatNoEmailCouldIncludeIsRejected(String route, String c, String b, String sentence) throws IOException, SQLException {
        RawZip files = new RawZip().file("blocks/a.html", "<p>a</p>").file("blocks/b.html", b).file("blocks/c.html", c);
        List<String> before = TenancyTest.rows(stet.folder, ada);
        String got = switch (route) {
            case "push" -> error(push("", files));
            case "plan" -> error(push("?dryRun=true", files));
            case "zip" -> error(browser.postZip("/data/import", files.bytes()));
            case "import" -> command(files, "import", folder.resolve("files.zip").toString(), "--account", ada.name());
            case "copy" -> copy(c, b);
            case "seed" -> seed(c, b);
            default -> {
                stet.block(ada, "a", "<p>a</p>");
                stet.block(ada, "b", b);
                before = TenancyTest.rows(stet.folder, ada);
                yield error(browser.post("/data/blocks", "{\"name\":\"c\",\"html\":\"" + c + "\"}"));
            }
        };
        assertEquals("422 " + sentence, got);
        assertEquals(filtered(before), filtered(TenancyTest.rows(stet.folder, ada)));
    }

    private static List<String> filtered(List<String> rows) {
        return rows.stream().filter(row -> !row.matches("(?s)(garbage|texts|storage|sessions|secret_uses|activity|members|users)\\|.*")).toList();
    }

    /** A block that came before and one that comes now. */
    @Test
    void aCircleWithABlockOfTheAccountIsRejected() {
        assertEquals(200, push("", new RawZip().file("blocks/a.html", "a").file("blocks/b.html", "{{> a}}").file("blocks/c.html", "{{> b}}")).status());
        assertEquals("422 blocks/a.html: shared block \"b\", line 1: shared block \"a\" includes itself: a > c > b > a",
                error(push("", new RawZip().file("blocks/a.html", "{{> c}}"))));
    }

    /** A tower of 200 blocks, each of which includes the one below. @param times how often */
    private static RawZip tower(int times) {
        RawZip files = new RawZip().file("blocks/b-0.html", "bottom");
        IntStream.range(1, 200).forEach(i -> files.file("blocks/b-" + i + ".html", ("{{> b-" + (i - 1) + "}}").repeat(times)));
        return files;
    }

    @Test
    void aTowerOfBlocksIsAccepted() {
        assertEquals(200, push("", tower(1)).status());
    }

    /** Each level is twice as long as the one below, so the blocks must be measured without expanding them. */
    @Test
    void aTowerOfDoubledBlocksIsTooLong() {
        String error = error(push("", tower(2)));
        assertTrue(error.startsWith("422 blocks/b-100.html: line 1: the HTML, including its shared blocks, is "), error);
    }
}
