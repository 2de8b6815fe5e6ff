package stet.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stet.base.Json;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.Timestamp;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Validation;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Running;

/** Promise 1, Frozen: published text is served byte for byte, and only publishing changes it. */
class FrozenTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("pro@example.com", Plan.PRO);
    private final String key = stet.key(account);

    @BeforeEach
    void fill() {
        stet.limit(account, 1_000_000);
    }

    private Client.Reply html(String id) {
        return stet.get(Running.TEMPLATES + id + "?format=html", key);
    }

    private String updatedAt(String id) {
        return Json.readObject(stet.get(Running.TEMPLATES + id, key).body()).get("updatedAt").textValue();
    }

    @Test
    void aVersionIsTheSameBytesAfterEditsARestartAndARestore() throws SQLException, IOException {
        stet.block(account, "inner", "<i>{{inner}}</i>");
        stet.block(account, "footer", "{{> inner}}<b>one</b>");
        stet.draft(account, "welcome", "Welcome", "Hi {{name}}", "<p>{{name}}</p>{{> footer}}");
        stet.publish(account, "welcome");
        Set<String> seen = new HashSet<>();
        Runnable read = () -> {
            try (Client client = new Client(stet.server.address())) {
                for (int i = 0; i < 200; i++) {
                    seen.add(client.get(Running.TEMPLATES + "welcome?format=html", key).sha256());
                }
            }
        };
        read.run();
        stet.draft(account, "welcome", "Welcome", "Changed {{other}}", "<p>changed</p>");
        read.run();
        stet.block(account, "inner", "<i>two</i>");
        read.run();
        stet.restart();
        read.run();
        Path backup = stet.folder.resolve("backup.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("vacuum into '" + backup + "'");
        }
        stet.stop();
        Files.move(backup, stet.folder.resolve("stet.db"), StandardCopyOption.REPLACE_EXISTING);
        stet.start();
        read.run();
        assertEquals(Set.of(HexFormat.of().formatHex(Secret.sha256("<p>{{name}}</p><i>{{inner}}</i><b>one</b>"))), seen);
        assertEquals(List.of("name", "inner"), variables());
    }

    @Test
    void draftsTheirBlocksAndPublishingMoveUpdatedAt() {
        stet.block(account, "inner", "<i>{{inner}}</i>");
        stet.block(account, "footer", "{{> inner}}<b>one</b>");
        stet.draft(account, "welcome", "Welcome", "Hi {{name}}", "<p>{{name}}</p>{{> footer}}");
        stet.publish(account, "welcome");
        String published = updatedAt("welcome");
        stet.clock.advance(Duration.ofSeconds(1));
        stet.draft(account, "welcome", "Welcome", "Changed {{other}}", "<p>changed</p>");
        assertNotEquals(published, updatedAt("welcome"));
        stet.clock.advance(Duration.ofSeconds(1));
        stet.block(account, "deep", "<u>one</u>");
        stet.block(account, "header", "{{> deep}}");
        stet.draft(account, "welcome", "Welcome", "Hi {{name}}", "{{> header}}{{> footer}}");
        for (String block : List.of("deep", "inner")) { // only in the draft, and also in the live version
            stet.clock.advance(Duration.ofSeconds(1));
            stet.block(account, block, "<i>two</i>");
            assertEquals(Timestamp.format(stet.now()), updatedAt("welcome"), "a block within a block: " + block);
        }
        stet.clock.advance(Duration.ofSeconds(1));
        stet.publish(account, "welcome");
        assertEquals("<i>two</i><i>two</i><b>one</b>", html("welcome").text());
        assertEquals("2026-01-31T09:00:05.000Z", updatedAt("welcome"));
    }

    private List<String> variables() {
        return StreamSupport.stream(Json.readObject(
                stet.get(Running.TEMPLATES + "welcome?format=variables", key).body()).get("variables").spliterator(), false)
                .map(JsonNode::textValue).toList();
    }

    @Test
    void publishingIsAtomicAndVisibleAtOnce() {
        stet.template(account, "welcome", "<p>{{v0}}</p>");
        AtomicBoolean done = new AtomicBoolean();
        Crowd.of(5, thread -> (Callable<Void>) () -> {
            try (Client client = new Client(stet.server.address())) {
                if (thread == 4) {
                    for (int i = 1; i <= 100; i++) {
                        stet.template(account, "welcome", "<p>{{v" + i + "}}</p>");
                        assertEquals("{\"variables\":[\"v" + i + "\"]}",
                                client.get(Running.TEMPLATES + "welcome?format=variables", key).text());
                    }
                    done.set(true);
                }
                int latest = 0;
                while (!done.get()) {
                    Map<?, ?> fields = new ObjectMapper().readValue(
                            client.get(Running.TEMPLATES + "welcome", key).body(), Map.class);
                    String variable = ((List<?>) fields.get("variables")).get(0).toString();
                    assertEquals("<p>{{" + variable + "}}</p>", fields.get("html"));
                    int number = Integer.parseInt(variable.substring(1));
                    assertTrue(number >= latest, "went back");
                    latest = number;
                }
            }
            return null;
        });
    }

    static List<String> exactTexts() {
        return List.of("", "\ufeff<p>BOM</p>", "a\0b", "\ud83d\ude80 \u0000 \ud834\udd1e", "one\r\ntwo\rthree\n", "</script><!-- -->",
                "\u2028\u2029\u0085\u00a0\ufffd", "\"\\\\u0041", "e\u0301 \u00e9", "x".repeat(Validation.HTML_BYTES), "\u20ac".repeat(Validation.HTML_BYTES / 3));
    }

    @ParameterizedTest(name = "[{index}]")
    @MethodSource("exactTexts")
    void theHtmlIsServedByteForByte(String html) {
        stet.draft(account, "exact", "exact", "", html);
        // Handlebars rejects NUL, so only the author's "Publish anyway" publishes it.
        stet.db.change(dao -> dao.versions().publish(account.id(), "exact", dao.versions().prepare(account.id(), "exact", html.contains("\0")), "", stet.now()));
        byte[] bytes = html.getBytes(StandardCharsets.UTF_8);
        Client.Reply reply = html("exact");
        assertArrayEquals(bytes, reply.body());
        assertEquals(Integer.toString(bytes.length), reply.header("Content-Length"));
        assertEquals(html, Json.readObject(stet.get(Running.TEMPLATES + "exact", key).body()).get("html").textValue());
    }

    @Test
    void textsThatAreNotUtf8AreRejected() {
        for (String broken : List.of("\ud83d", "a\ude80b")) {
            for (Executable check : List.<Executable>of(() -> Validation.html(broken), () -> Validation.subject(broken))) {
                String error = assertThrows(Refusal.class, check).getMessage();
                assertTrue(error.contains("unpaired surrogate"), error);
            }
        }
        for (byte[] broken : new byte[][] {{(byte) 0xff}, {(byte) 0xc0, (byte) 0xaf}, {(byte) 0xed, (byte) 0xa0, (byte) 0x80}}) {
            Refusal refusal = assertThrows(Refusal.class, () -> Validation.html(broken));
            assertEquals("The HTML is not UTF-8; convert it to UTF-8", refusal.getMessage());
        }
    }

    @Test
    void htmlLongerThan2MiBIsRejected() {
        assertEquals("The HTML is 2097153 bytes; the limit is 2097152 (2 MiB)",
                assertThrows(Refusal.class, () -> Validation.html(new byte[Validation.HTML_BYTES + 1])).getMessage());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "2026-01-31T09:00:00Z,          2026-01-31T09:00:00.000Z",
        "2026-01-31T09:00:00.100Z,      2026-01-31T09:00:00.100Z",
        "2026-01-31T09:00:00.007999Z,   2026-01-31T09:00:00.007Z",
        "2026-12-31T23:59:59.999Z,      2026-12-31T23:59:59.999Z"})
    void updatedAtAlwaysHasMilliseconds(String now, String updatedAt) {
        stet.clock.set(now);
        stet.template(account, "welcome", "");
        assertEquals(updatedAt, updatedAt("welcome"));
    }

    @Test
    void renamingAndPublishingMoveUpdatedAtUnlikeASaveWithoutAChange() {
        stet.template(account, "welcome", "<p>1</p>");
        String first = updatedAt("welcome");
        stet.clock.advance(Duration.ofSeconds(1));
        stet.draft(account, "welcome", "welcome", "", "<p>1</p>");
        assertEquals(first, updatedAt("welcome"), "nothing was changed");
        stet.block(account, "footer", "x");
        assertEquals(first, updatedAt("welcome"), "a block it does not use");
        stet.draft(account, "welcome", "New name", "", "<p>1</p>");
        assertEquals("2026-01-31T09:00:01.000Z", updatedAt("welcome"));
        stet.clock.advance(Duration.ofSeconds(1));
        stet.publish(account, "welcome");
        assertEquals("2026-01-31T09:00:02.000Z", updatedAt("welcome"));
    }

    /** Saves everything that the page saves with a draft; the API returns none of it. */
    @Test
    void testDataMovesNothingThatTheApiReturns() {
        stet.template(account, "welcome", "<p>{{name}}</p>");
        Client.Reply before = stet.get(Running.TEMPLATES + "welcome", key);
        stet.clock.advance(Duration.ofSeconds(1));
        String draft = "\"subject\":\"\",\"html\":\"<p>{{name}}</p>\"";
        Client.Reply saved = Browser.of(stet, account).put("/data/templates/welcome", "{\"revision\":1," + draft + ",\"samples\":{\"lena\":\"{}\"}}");
        assertEquals(200, saved.status(), saved.text());
        assertEquals("{\"lena\":\"{}\"} 2", Json.readObject(saved.body()).get("samples") + " " + Json.readObject(saved.body()).get("revision"));
        Client.Reply after = stet.get(Running.TEMPLATES + "welcome", key);
        assertEquals(before.text() + before.header("ETag"), after.text() + after.header("ETag"));
    }

    @Test
    void aBlockThatOnlyTheLiveVersionUsesMovesUpdatedAt() {
        stet.block(account, "inner", "one");
        stet.block(account, "footer", "{{> inner}}");
        stet.template(account, "welcome", "{{> footer}}");
        stet.template(account, "other", "<p>no block</p>");
        stet.draft(account, "welcome", "welcome", "", "<p>no block any more</p>");
        stet.clock.advance(Duration.ofSeconds(1));
        stet.block(account, "inner", "two");
        assertEquals("2026-01-31T09:00:01.000Z", updatedAt("welcome"), "at any depth");
        assertEquals("2026-01-31T09:00:00.000Z", updatedAt("other"));
        assertEquals("one", html("welcome").text());
        stet.publish(account, "welcome");
        stet.clock.advance(Duration.ofSeconds(1));
        stet.block(account, "inner", "three");
        assertEquals("2026-01-31T09:00:01.000Z", updatedAt("welcome"), "an older version that used it is not live");
    }

    @Test
    void aDeletedTemplateIsUnknownAndItsIdIsFree() {
        stet.template(account, "welcome", "<p>1</p>");
        assertEquals(200, html("welcome").status());
        stet.db.change(dao -> assertTrue(dao.trash().remove(account.id(), "welcome", stet.now())));
        assertEquals("{\"error\":\"Not found\"}", html("welcome").text());
        stet.draft(account, "welcome", "Again", "", "<p>2</p>");
        assertEquals("{\"error\":\"template_not_published\"}", html("welcome").text());
        stet.publish(account, "welcome");
        assertEquals("<p>2</p>", html("welcome").text());
    }
}
