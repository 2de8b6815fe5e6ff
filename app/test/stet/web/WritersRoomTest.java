package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;

/** Writers may use nine tenths of an account's limits, so that they cannot keep editors and owners from working. */
class WritersRoomTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO, "correct horse");
    private final Browser writer = Browser.of(stet, ada, stet.member(ada, "wes@example.com", Role.WRITER, "correct horse"));
    private final Browser editor = Browser.of(stet, ada, stet.member(ada, "eve@example.com", Role.EDITOR, "correct horse"));

    @BeforeEach
    void fill() {
        stet.draft(ada, "welcome", "Welcome", "", "<p>Hi</p>");
    }

    private static String error(Client.Reply reply) {
        return reply.status() + (reply.status() < 300 ? "" : " " + Json.tree(reply.text()).get("error").asText());
    }

    /**
     * @param had rows that exist before
     * @param writersLimit limit for writers, who have 9 of 10 rows
     * @param rows statement that inserts a row for each {@code value} of {@code generate}
     * @param refused error for writers at their limit
     * @param full error for editors at the account's limit
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiterString = " | ", quoteCharacter = '`', textBlock = """
            /data/templates | {"name":"x"} | 1 | 9000 | 10000 | insert into templates (account_id, id, name, subject, text, created_at, updated_at, saved_at, sha256, revision) select account_id, 'x' || value, 'x', '', text, created_at, updated_at, saved_at, sha256, 1 from templates, generate WHERE id = 'welcome' | Template limit for writers reached (9000 of 10000); delete a template first | Template limit reached (10000); delete a template first
            /data/blocks | {"name":"new","html":""} | 0 | 900 | 1000 | insert into blocks (account_id, name, updated_at, revision, sha256, text) select account_id, 'x' || value, 0, 1, sha256, text from templates, generate WHERE id = 'welcome' | Shared block limit for writers reached (900 of 1000); delete a shared block first | Shared block limit reached (1000); delete a shared block first
            /data/images | {"name":"new.png","file":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="} | 0 | 1800 | 2000 | insert into blocks (account_id, name, kind, updated_at, revision, sha256, text) select account_id, 'images/x' || value || '.png', 'image', 0, 1, sha256, text from templates, generate WHERE id = 'welcome' | Image limit for writers reached (1800 of 2000); delete an image first | Image limit reached (2000); delete an image first
            /data/templates/welcome/reviews | {} | 0 | 45 | 50 | insert into review_links (account_id, template, hash, maker_id, made_by, created_at, expires_at) select account_id, row, randomblob(32), 2, '', 0, 9999999999999 from templates, generate WHERE id = 'welcome' | Review link limit for writers reached (45 of 50); revoke a link first | Review link limit reached (50); revoke a link first
            /data/templates/welcome/comments | {"text":"hi"} | 0 | 450 | 500 | insert into comments (account_id, template, by_guest, written_by, written_at, quote, text) select account_id, row, 0, 'wes', 0, '', 'hi' from templates, generate WHERE id = 'welcome' | Comment limit for writers reached (450 of 500); delete comments first | Comment limit reached (500); delete comments first
            """)
    void writersStopAtTheirLimitAndEditorsAtTheAccounts(String path, String json, int had, int writersLimit, int limit, String rows, String refused, String full) {
        add(rows, 1, writersLimit - had - 1);
        assertEquals(2, writer.post(path, json).status() / 100, "the last for writers");
        assertEquals("422 " + refused, error(writer.post(path, json.replace("new", "more"))));
        assertEquals(2, editor.post(path, json.replace("new", "more")).status() / 100);
        add(rows, writersLimit, limit - writersLimit - 1);
        assertEquals("422 " + full, error(editor.post(path, json.replace("new", "most"))));
    }

    private void add(String rows, int from, int number) {
        stet.db.change(dao -> dao.sql().update(("with recursive generate (value) as (select ?1 union all select value + 1 from generate where value < ?1 + ?2 - 1) "
                + rows).replace("WHERE", "where"), from, number));
    }

    @Test
    void editorsAddTestDataBeyondTheLimitForWriters() {
        add("insert into samples (template, name, document, sha256, is_default) select row, 'x' || value, '{}', zeroblob(32), 0 from templates, generate WHERE id = 'welcome'",
                0, 17_999);
        stet.draft(ada, "other", "Other", "", "");
        assertEquals("200", error(set(writer, 1, "{\"a\":\"{}\"}")));
        assertEquals("422 This account would have 18001 sets of test data; the limit is 18000 for writers",
                error(set(writer, 2, "{\"a\":\"{}\",\"b\":\"{}\"}")));
        assertEquals("200", error(set(editor, 2, "{\"a\":\"{}\",\"b\":\"{}\"}")));
    }

    private static Client.Reply set(Browser browser, int revision, String samples) {
        return browser.put("/data/templates/other", "{\"subject\":\"\",\"html\":\"\",\"samples\":" + samples + ",\"revision\":" + revision + "}");
    }

    @Test
    void editorsAcceptFeaturesBeyondTheLimitForWriters() {
        add("insert into accepted_features (template, feature, at) select row, 'x' || value, 0 from templates, generate WHERE id = 'welcome'", 0, 17_999);
        String path = "/data/templates/welcome/features";
        assertEquals("200", error(writer.put(path, "{\"add\":[\"css-gap\"]}")));
        assertEquals("422 Accepted feature limit for writers reached (18000 of 20000); remove accepted features first", error(writer.put(path, "{\"add\":[\"css-filter\"]}")));
        assertEquals("200", error(editor.put(path, "{\"add\":[\"css-filter\"]}")));
    }

    @Test
    void editorsStoreBytesBeyondTheLimitForWriters() {
        stet.db.change(dao -> dao.storage().changeLimit(ada, 10_000L, stet.now()));
        assertEquals("200", error(save(writer, 1, 8_900)));
        assertEquals("422 The account would store 8.89 KiB; the limit for writers is 8.79 KiB. Delete templates and empty the trash, or ask an"
                + " administrator for more storage", error(save(writer, 2, 9_100)));
        assertEquals("200", error(save(editor, 2, 9_900)));
        assertEquals("422 The account would store 9.86 KiB; its limit is 9.77 KiB. Delete templates and empty the trash, or ask an administrator for more storage",
                error(save(editor, 3, 10_100)));
        assertEquals("200", error(save(writer, 3, 9_500)), "what becomes smaller");
    }

    /** The same for a pipeline's token: {@code token add} gives the writer role unless told otherwise. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiterString = " | ", quoteCharacter = '`', textBlock = """
            templates | templates | 1 | 9000 | insert into templates (account_id, id, name, subject, text, created_at, updated_at, saved_at, sha256, revision) select account_id, 'x' || value, 'x', '', text, created_at, updated_at, saved_at, sha256, 1 from templates, generate WHERE id = 'welcome'
            blocks | shared blocks | 0 | 900 | insert into blocks (account_id, name, updated_at, revision, sha256, text) select account_id, 'x' || value, 0, 1, sha256, text from templates, generate WHERE id = 'welcome'
            """)
    void editorsTokensPushBeyondTheLimitForWriters(String kind, String noun, int had, int writersLimit, String rows) {
        String ofWriter = token(Role.WRITER);
        String ofEditor = token(Role.EDITOR);
        add(rows, 1, writersLimit - had - 1);
        RawZip two = new RawZip().file(kind + "/one.html", "1").file(kind + "/two.html", "2");
        String refused = "422 The account would have " + (writersLimit + 1) + " " + noun + "; the limit is " + writersLimit + " for writers";
        assertEquals(refused, error(push(ofWriter, two)), "also both together");
        assertEquals("200", error(push(ofWriter, new RawZip().file(kind + "/one.html", "1"))), "the last for writers");
        assertEquals(refused, error(push(ofWriter, new RawZip().file(kind + "/two.html", "2"))));
        assertEquals("200", error(push(ofEditor, two)));
        assertEquals("200", error(push(ofWriter, new RawZip().file(kind + "/one.html", "changed"))), "nothing is added");
    }

    @Test
    void editorsTokensStoreBytesBeyondTheLimitForWriters() {
        stet.db.change(dao -> dao.storage().changeLimit(ada, 10_000L, stet.now()));
        RawZip large = new RawZip().file("templates/welcome.html", "x".repeat(9_100));
        assertEquals("422 The account would store 8.9 KiB; the limit for writers is 8.79 KiB. Delete templates and empty the trash, or ask an administrator for more storage",
                error(push(token(Role.WRITER), large)));
        assertEquals("200", error(push(token(Role.EDITOR), large)));
    }

    private String token(Role role) {
        String secret = Secret.newToken(new SecureRandom());
        stet.db.change(dao -> dao.tokens().add(ada, role.word(), role, secret, null, stet.now()));
        return secret;
    }

    private Client.Reply push(String token, RawZip files) {
        String zip = new String(files.bytes(), StandardCharsets.ISO_8859_1);
        try (Client client = new Client(stet.server.address())) {
            return client.write(client.request("POST", "/push?overwrite=true", token, "Content-Length: " + zip.length()) + zip).read(false);
        }
    }

    private static Client.Reply save(Browser browser, int revision, int bytes) {
        return browser.put("/data/templates/welcome", "{\"subject\":\"\",\"html\":\"" + "x".repeat(bytes) + "\",\"samples\":{},\"revision\":" + revision + "}");
    }

    /** Users who change their own data in a loop leave a few rows in the activity log. */
    @Test
    void ownChangesAreMergedInTheActivityLog() {
        String password = "correct horse";
        for (int i = 0; i < 4; i++) {
            String next = "battery staple " + i;
            assertEquals(204, writer.put("/data/password", "{\"current\":\"" + password + "\",\"password\":\"" + next + "\"}").status());
            password = next;
            assertEquals(200, writer.put("/data/user", "{\"name\":\"\",\"email\":\"wes" + i + "@example.com\",\"current\":\"" + password + "\"}").status());
        }
        assertEquals("email-changed wes3@example.com wes@example.com, password-changed wes@example.com ", String.join(", ", stet.db.read(dao ->
                dao.activity().since(ada.id(), stet.now(), 50)).stream().filter(row -> row.actor().startsWith("wes"))
                .map(row -> row.kind().word() + " " + row.subject() + " " + row.detail()).toList()));
    }
}
