package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Activity;
import stet.core.Actor;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;

/** Messages to an account's webhook, recorded by a listener. */
class WebhookTest {
    private static final String NONE = "{\"webhook\":null}";

    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile int status = 200;
    private HttpServer listener;
    private String url;
    private Browser browser;

    @BeforeEach
    void listen() throws IOException {
        listener = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 20);
        listener.setExecutor(threads);
        listener.createContext("/hook", this::receive);
        listener.start();
        url = "http://127.0.0.1:" + listener.getAddress().getPort() + "/hook";
        stet.restartWithPrivateWebhooks();
        browser = Browser.of(stet, ada);
    }

    @AfterEach
    void close() {
        stet.close();
        listener.stop(0);
        threads.shutdownNow();
    }

    private void receive(HttpExchange exchange) throws IOException {
        int response = status;
        assertEquals("application/json", exchange.getRequestHeaders().getFirst("Content-Type"));
        texts.add(new ObjectMapper().readTree(exchange.getRequestBody()).get("text").asText().replaceAll("(?<=(ada|will|ben))@\u200b(?=example)", "@"));
        exchange.sendResponseHeaders(response, -1);
        exchange.close();
    }

    /** Adds a receiver that answers no message before the end. */
    private void hang(String path, CountDownLatch messages, CountDownLatch end) {
        listener.createContext(path, exchange -> {
            exchange.getRequestBody().readAllBytes(); // otherwise the JDK's server ends the connection after maxReqTime
            messages.countDown();
            await(end);
            exchange.close();
        });
    }

    /** Makes the receiver answer messages no sooner than at the end, the first one with this status and others with 200. */
    private void answerLater(int first, CountDownLatch arrived, CountDownLatch end) {
        status = first;
        listener.removeContext("/hook");
        listener.createContext("/hook", exchange -> {
            arrived.countDown();
            await(end);
            receive(exchange);
            status = 200;
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private String next() throws InterruptedException {
        return texts.poll(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Records a publication in an account. */
    private void publishes(Account account, int number) {
        stet.db.change(dao -> dao.as(new Actor(null, "cli", "")).activity().add(account.id(), Activity.ActivityKind.TEMPLATE_PUBLISHED, "before", number, "",
                stet.now()));
    }

    private void set(Browser owner) {
        answered(200, "{\"webhook\":{\"url\":\"" + url + "\",\"pending\":false,\"triedAt\":null,\"failure\":null}}",
                owner.put("/data/webhook", "{\"url\":\"" + url + "\"}"));
    }

    /** Sends the test message. After that, earlier messages have been sent or never will be. */
    private void settled() throws InterruptedException {
        answered(204, "", browser.post("/data/webhook/test", "{}"));
        assertEquals("ada@example.com\nThis is a test message.", next());
    }

    /** A message that a shutdown interrupts is sent after the restart. */
    @Test
    void aShutdownIsNoFailedAttempt() throws InterruptedException {
        set(browser);
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        listener.removeContext("/hook");
        hang("/hook", arrived, end);
        publishes(ada, 1);
        assertTrue(arrived.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        listener.removeContext("/hook");
        listener.createContext("/hook", this::receive);
        stet.restart();
        String text = next();
        end.countDown();
        assertTrue(text.endsWith("cli published version 1 of before. " + stet.server.url() + "/templates/before"), text);
    }

    /** As on a full disk, where it would otherwise be sent twice a second. */
    @Test
    void aMessageThatCannotBeRecordedIsNotSentAgain() throws Exception {
        set(browser);
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db")); Statement statement = other.createStatement()) {
            statement.execute("create trigger full before update on webhooks begin select raise(abort, 'full'); end");
            Running.logged(() -> publishes(ada, 1), "work-failed task=webhooks");
            statement.execute("drop trigger full");
        }
        String text = next();
        assertTrue(text.endsWith("cli published version 1 of before. " + stet.server.url() + "/templates/before"), text);
        settled();
        assertEquals(List.of(), List.copyOf(texts));
    }

    /** A test message requested while another message is being sent, even one that fails, is sent at once. */
    @ParameterizedTest
    @ValueSource(ints = {200, 500})
    void aTestRequestedDuringAnAttemptIsSent(int first) throws InterruptedException {
        set(browser);
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        answerLater(first, arrived, end);
        answered(204, "", browser.post("/data/webhook/test", "{}"));
        assertTrue(arrived.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        stet.clock.advance(Duration.ofMillis(1));
        answered(204, "", browser.post("/data/webhook/test", "{}"));
        end.countDown();
        assertEquals("ada@example.com\nThis is a test message.", next());
        assertEquals("ada@example.com\nThis is a test message.", next());
        assertTrue(Running.comes(() -> browser.get("/data/webhook").text().contains("\"pending\":false")));
    }

    /** A webhook that is set while a message of the former one with the same URL is being sent, has sent nothing. */
    @ParameterizedTest
    @ValueSource(ints = {200, 500})
    void anAttemptThatEndsAfterItsWebhookWasReplacedChangesNothing(int first) throws InterruptedException {
        set(browser);
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        answerLater(first, arrived, end);
        publishes(ada, 1);
        assertTrue(arrived.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        answered(204, "", browser.delete("/data/webhook"));
        publishes(ada, 2);
        set(browser);
        if (first == 500) {
            Running.logged(end::countDown, "webhook-failed");
            assertTrue(browser.get("/data/webhook").text().endsWith("\"pending\":false,\"triedAt\":null,\"failure\":null}}"));
        }
        end.countDown();
        String text = next();
        assertTrue(text.endsWith("cli published version 1 of before. " + stet.server.url() + "/templates/before"), text);
        settled();
    }

    @Test
    void reviewRequestsAndPublicationsAreSent() throws InterruptedException {
        set(browser);
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>hi</p>");
        Browser will = Browser.of(stet, ada, stet.member(ada, "will@example.com", Role.WRITER, "correct horse"));
        assertEquals(200, will.post("/data/templates/welcome/request", "{\"note\":\"for the sale\"}").status());
        assertEquals("ada@example.com\nwill@example.com requested a review of welcome: for the sale " + stet.server.url() + "/templates/welcome", next());
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"note\":\"the sale\"}").status());
        assertEquals("ada@example.com\nada@example.com published version 1 of welcome: the sale " + stet.server.url() + "/templates/welcome", next());
        settled();
    }

    @Test
    void onlyImportsThatPublishAreSentEachAsOneLine() throws InterruptedException {
        set(browser);
        RawZip first = new RawZip().file("templates/one.html", "<p>1</p>").file("templates/two.html", "<p>2</p>");
        assertEquals(200, browser.postZip("/data/import", first.bytes()).status());
        RawZip second = new RawZip().file("templates/one.html", "<p>3</p>").file("blocks/foot.html", "b");
        assertEquals(200, browser.postZip("/data/import?publish=true", second.bytes()).status());
        assertEquals("ada@example.com\nada@example.com imported files: 1 changed, 1 published, 1 block. " + stet.server.url() + "/activity", next());
        settled();
    }

    /** A suspended account sends nothing until it is resumed. */
    @Test
    void neitherSuspensionNorARestartLosesMessages() throws InterruptedException {
        set(browser);
        stet.db.change(dao -> dao.accounts().setSuspended(ada, true, stet.now()));
        publishes(ada, 2);
        listener.removeContext("/hook");
        stet.db.change(dao -> dao.accounts().setSuspended(dao.accounts().find(ada.id()).orElseThrow(), false, stet.now()));
        stet.restart();
        assertTrue(Running.comes(() -> browser.get("/data/webhook").text().endsWith("\"failure\":\"the server returned status 404\"}}")), () -> browser.get("/data/webhook").text() + texts);
        listener.createContext("/hook", this::receive);
        stet.clock.advance(Duration.ofMinutes(1));
        String text = next();
        assertTrue(text.endsWith("cli published version 2 of before. " + stet.server.url() + "/templates/before"), text);
    }

    @Test
    void aNewWebhookSendsOnlyLaterActivity() throws InterruptedException {
        publishes(ada, 1);
        set(browser);
        settled();
        answered(204, "", browser.delete("/data/webhook"));
        answered(200, NONE, browser.get("/data/webhook"));
        answered(404, "{\"error\":\"Not found\"}", browser.post("/data/webhook/test", "{}"));
        publishes(ada, 3);
        set(browser);
        settled();
    }

    /** A push of hundreds of templates is one message of a few lines, each of at most 300 characters of a note. */
    @Test
    void manyEventsAreOneShortMessage() throws InterruptedException {
        set(browser);
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>hi</p>");
        stet.db.change(dao -> {
            Actor hostile = new Actor(null, "<!channel> @here a&b x@y.example", "");
            for (int i = 1; i <= 300; i++) {
                dao.as(hostile).activity().add(ada.id(), Activity.ActivityKind.TEMPLATE_PUBLISHED, "welcome", i, i == 1 ? "<https://evil|x>\n@all " + "y".repeat(999) : "", stet.now());
            }
        });
        String[] lines = next().split("\n");
        assertEquals(12, lines.length);
        assertEquals("&lt;!channel&gt; @\u200bhere a&amp;b x@\u200by.example published version 1 of welcome: &lt;https://evil|x&gt; @\u200ball "
                + "y".repeat(300 - 22) + "\u2026 " + stet.server.url() + "/templates/welcome", lines[1]);
        assertEquals("And 290 more: " + stet.server.url() + "/activity", lines[11]);
        settled();
    }

    /** No chat service finds a mention, link, image or code in names and notes, wherever it looks for them. */
    @Test
    void namesAndNotesAreOnlyText() throws InterruptedException {
        List<String> rows = """
            @channel => @ZWchannel
            .@channel => .@ZWchannel
            -@here => -@ZWhere
            +@all => +@ZWall
            _@here_ => _@ZWhere_
            x@everyone => x@ZWeveryone
            é@here => é@ZWhere
            @@here => @ZW@ZWhere
            (@here) => (@ZWhere)
            a:@here => a:@ZWhere
            @ here => @ZW here
            ada@here.example => ada@ZWhere.example
            <!channel> => &lt;!channel&gt;
            <!subteam^S1|@x> => &lt;!subteam^S1|@ZWx&gt;
            <@U1> => &lt;@ZWU1&gt;
            <@&1> => &lt;@ZW&amp;1&gt;
            <#C1> => &lt;#C1&gt;
            <users/all> => &lt;users/all&gt;
            <at>x</at> => &lt;at&gt;x&lt;/at&gt;
            <https://evil.example|x> => &lt;https://evil.example|x&gt;
            &lt;!here&gt; => &amp;lt;!here&amp;gt;
            &#64;here => &amp;#64;here
            [x](https://evil.example) => [x]ZW(https://evil.example)
            ![](https://evil.example/p) => ![]ZW(https://evil.example/p)
            [![a](b)](c) => [![a]ZW(b)]ZW(c)
            [x][y] => [x]ZW[y]ZW
            [x](<https://evil.example>) => [x]ZW(&lt;https://evil.example&gt;)
            @x](y) => @ZWx]ZW(y)
            """.lines().toList();
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>hi</p>");
        set(browser);
        for (int from = 0; from < rows.size(); from += 10) { // as many as are listed in a message
            List<String> some = rows.subList(from, Math.min(rows.size(), from + 10));
            stet.db.change(dao -> some.forEach(row -> {
                String text = row.split(" => ")[0];
                dao.as(new Actor(null, text, "")).activity().add(ada.id(), Activity.ActivityKind.TEMPLATE_PUBLISHED, "welcome", 1, text, stet.now());
            }));
            assertEquals("ada@example.com\n" + some.stream().map(row -> row.split(" => ")[1].replace("ZW", "\u200b")).map(text ->
                    text + " published version 1 of welcome: " + text + " " + stet.server.url() + "/templates/welcome")
                    .collect(Collectors.joining("\n")), next());
        }
    }

    /** Backticks would make code of the lines that follow. The account's name and label are users' texts, too. */
    @Test
    void theAccountsNameIsOnlyText() throws InterruptedException {
        assertEquals(200, browser.put("/data/account", "{\"name\":\"```Shop\",\"label\":\".@here\"}").status());
        set(browser);
        answered(204, "", browser.post("/data/webhook/test", "{}"));
        assertEquals("`\u200b`\u200b`\u200bShop (.@\u200bhere)\nThis is a test message.", next());
    }

    @Test
    void aRejectedPushIsSentOnce() throws InterruptedException {
        set(browser);
        String token = "{\"name\":\"ci\",\"role\":\"writer\"}";
        String secret = browser.post("/data/tokens", token).text().replaceAll(".*\"secret\":\"([^\"]+)\".*", "$1");
        stet.draft(ada, "welcome", "Welcome", "Hi", "<p>made here</p>");
        String zip = new RawZip().file("templates/welcome.html", "<p>pushed</p>").text();
        for (int i = 0; i < 3; i++) {
            for (String query : List.of("", "?dryRun=true")) {
                try (Client client = stet.client()) {
                    assertEquals(409, client.write(client.request("POST", "/push" + query, secret, "Content-Type: application/zip",
                            "Content-Length: " + zip.length()) + zip).read(false).status());
                }
            }
        }
        String text = next();
        assertEquals("ada@example.com\nA push by token ci was rejected because templates or shared blocks had been changed in Stet. " + stet.server.url() + "/activity", text);
        settled();
    }

    @Test
    void theQuotaIsSentAt80And100Percent() throws InterruptedException {
        stet.template(ada, "welcome", "<p>hi</p>");
        stet.limit(ada, 10);
        String key = stet.key(ada);
        set(browser);
        for (int i = 0; i < 8; i++) {
            assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
        }
        stet.clock.advance(Duration.ofMinutes(1));
        assertEquals("ada@example.com\nAt least 80% of this period's 10 requests have been used.", next());
        for (int i = 0; i < 3; i++) {
            assertEquals(i < 2 ? 200 : 429, stet.get(Running.TEMPLATES + "welcome", key).status());
            stet.clock.advance(Duration.ofSeconds(20));
        }
        assertEquals("ada@example.com\nAll 10 requests for this period have been used. The API returns 429 until 2026-02-28T09:00:00.000Z.", next());
        stet.clock.advance(Duration.ofMinutes(5));
        settled();
    }

    /** Failures are sent only to an administrator's webhook, once each. */
    @Test
    void aFailedBackupIsSentToAdministrators(@TempDir Path folder) throws Exception {
        set(browser);
        Account ben = stet.account("ben@example.com", Plan.PRO);
        User admin = stet.member(ben, "admin@example.com", Role.OWNER, "correct horse");
        stet.db.change(dao -> dao.users().setAdministrator(admin.id(), true));
        Path backups = folder.resolve("backups");
        stet.stop();
        stet.backUpTo(backups);
        set(Browser.of(stet, ben, admin));
        assertTrue(Running.comes(() -> backups.toFile().list().length > 1));
        Path gone = Files.move(backups, folder.resolve("elsewhere"));
        stet.clock.advance(Duration.ofDays(1).plusNanos(1_234)); // clocks are finer than the database
        assertTrue(Running.comes(() -> {
            stet.clock.advance(Duration.ofMinutes(1)); // backups are checked once a minute
            return !texts.isEmpty();
        }));
        String text = next();
        assertTrue(text.startsWith("ben@example.com\nThe server's backup failed: "), text);
        Files.move(gone, backups);
        stet.clock.advance(Duration.ofMinutes(1));
        browser = Browser.of(stet, ada);
        settled();
        assertNull(texts.poll());
    }

    /** After three attempts, with pauses, the message is dropped; the next message is sent. */
    @Test
    void aMessageIsTriedAtMostThreeTimes() throws InterruptedException {
        set(browser);
        status = 500;
        publishes(ada, 1);
        String log = Running.logged(() -> {
            String first = null;
            for (Duration pause : List.of(Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ZERO)) {
                try {
                    String text = next();
                    first = first == null ? text : first;
                    assertEquals(first, text);
                } catch (InterruptedException ended) {
                    throw new AssertionError(ended);
                }
                assertTrue(Running.comes(() -> browser.get("/data/webhook").text().endsWith("\"failure\":\"the server returned status 500\"}}")));
                stet.clock.advance(pause);
            }
        }, "try=3");
        assertTrue(log.contains("webhook-failed account=" + ada.id() + " host=127.0.0.1 try=3 reason=\"the server returned status 500\""), log);
        assertTrue(Running.comes(() -> browser.get("/data/webhook").text().contains("\"pending\":false")));
        status = 200;
        settled();
        assertNull(texts.poll());
        assertTrue(Running.comes(() -> browser.get("/data/webhook").text().endsWith("\"failure\":null}}")));
    }

    /** While a listener hangs, the API responds and other accounts' messages are sent; from then on, those come first. */
    @Tag("slow")
    @Test
    void aHangingListenerDelaysNothing() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch hangs = new CountDownLatch(2);
        hang("/hang", hangs, end);
        Account ben = stet.account("ben@example.com", Plan.PRO);
        stet.template(ben, "welcome", "<p>hi</p>");
        String key = stet.key(ben);
        set(browser);
        assertEquals(200, Browser.of(stet, ben).put("/data/webhook", "{\"url\":\"" + url.replace("/hook", "/hang") + "\"}").status());
        publishes(ben, 1);
        assertTrue(Running.comes(() -> hangs.getCount() == 1));
        assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
        settled();
        Browser bens = Browser.of(stet, ben);
        assertTrue(Running.comes(() -> bens.get("/data/webhook").text().contains("no response within 10 s")), () -> bens.get("/data/webhook").text());
        stet.clock.advance(Duration.ofMinutes(1));
        settled();
        stet.restart(); // although the second attempt hangs
        end.countDown();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hooks.example", "ftp://hooks.example/", "https://", "https://user:word@hooks.example/", "https://hooks.example/#a",
        "https://hooks.example:99999/", "https://hooks.example/a b", "javascript:alert(1)"})
    void anInvalidUrlIsRejected(String wrong) {
        answered(422, "{\"error\":\"Enter a URL of at most 500 characters, such as https://hooks.example.com/services/1\",\"field\":\"url\"}",
                browser.put("/data/webhook", "{\"url\":\"" + wrong + "\"}"));
        answered(200, NONE, browser.get("/data/webhook"));
    }

    /** Without the administrator's permission, webhooks can reach neither this machine and its network nor plain HTTP URLs. */
    @ParameterizedTest
    @CsvSource({"https://127.0.0.1/, 127.0.0.1", "https://localhost/, 127.0.0.1", "https://169.254.169.254/latest, 169.254.169.254",
        "https://[::1]/, 0:0:0:0:0:0:0:1"})
    void privateAddressesAreRejected(String target, String address) {
        try (Running closed = new Running()) {
            Account eve = closed.account("eve@example.com", Plan.PRO);
            Browser theirs = Browser.of(closed, eve);
            answered(422, "{\"error\":\"Enter a URL of at most 500 characters, such as https://hooks.example.com/services/1\",\"field\":\"url\"}",
                    theirs.put("/data/webhook", "{\"url\":\"" + target.replace("https", "http") + "\"}"));
            assertEquals(200, theirs.put("/data/webhook", "{\"url\":\"" + target + "\"}").status());
            assertEquals(204, theirs.post("/data/webhook/test", "{}").status());
            assertTrue(Running.comes(() -> theirs.get("/data/webhook").text().contains("resolves to " + address + ", which is not a public address")));
        }
    }
}
