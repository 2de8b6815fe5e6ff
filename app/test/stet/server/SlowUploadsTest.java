package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Secret;
import stet.core.Account;
import stet.core.User;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;

/** Clients whose requests arrive slowly or never: nobody else waits for them, and they are disconnected. */
class SlowUploadsTest {
    private static final int WINDOW = 1_024;
    private static final int FILES = 6;
    private static final int SHORT = 32;
    private static final String BUSY = "503 {\"error\":\"The server is busy; try again in a few seconds\"}";
    private static final String DRAFT = "{\"revision\":1,\"subject\":\"\",\"samples\":{},\"html\":\"";

    private final Running stet = new Running();
    private final Account account = stet.account("ada@example.com", Plan.PRO);
    private final Browser ada = Browser.of(stet, account);
    private final List<Client> slow = new ArrayList<>();
    private final byte[] zip = new RawZip().file("templates/pushed.html", "<p>pushed</p>").bytes();

    SlowUploadsTest() {
        stet.template(account, "mail", "<p>hi</p>".repeat(20_000));
    }

    @AfterEach
    void close() {
        slow.forEach(Client::close);
        stet.close();
    }

    private String token(Account of, Role role) {
        String secret = Secret.newToken(new SecureRandom());
        stet.db.change(dao -> dao.tokens().add(of, "ci " + secret.substring(5, 12), role, secret, null, stet.now()));
        return secret;
    }

    /** Sends a head and the first byte of a body. */
    private Client begin(String method, String path, String key, String type, int length, String... headers) {
        List<String> lines = new ArrayList<>(Arrays.asList(headers));
        lines.add("Content-Type: " + type);
        lines.add("Content-Length: " + length);
        Client client = new Client(stet.server.address());
        slow.add(client);
        return client.write(client.request(method, path, key, lines.toArray(String[]::new)) + "{");
    }

    private Client beginPush(String token) {
        return begin("POST", "/push", token, "application/zip", 60_000_000);
    }

    private Client beginSave(Browser browser, int length) {
        return begin("PUT", "/data/templates/mail", null, "application/json", length, "Cookie: " + browser.cookie);
    }

    private Client beginImport(Browser browser) {
        return begin("POST", "/data/import", null, "application/zip", 60_000_000, "Cookie: " + browser.cookie);
    }

    private Client.Reply push(String token) {
        Client client = stet.client();
        return client.write(client.request("POST", "/push", token, "Content-Type: application/zip", "Content-Length: " + zip.length)
                + new String(zip, StandardCharsets.ISO_8859_1)).read(false);
    }

    private void assertServed(Browser browser, String token) {
        assertEquals(200, browser.get("/data/templates").status());
        Client.Reply opened = browser.get("/data/templates/mail");
        assertEquals(200, opened.status());
        String revision = opened.text().replaceAll("(?s).*\"revision\":(\\d+).*", "$1");
        assertEquals(200, browser.put("/data/templates/mail", DRAFT.replace(":1", ":" + revision) + "x".repeat(50_000) + "\"}").status());
        assertEquals(200, browser.post("/data/check", "{\"subject\":\"\",\"html\":\"x\",\"samples\":{}}").status());
        assertEquals(200, browser.get("/data/export").status());
        assertEquals(200, browser.postZip("/data/import?replace=true", zip).status());
        assertEquals(200, push(token).status());
    }

    /** Each check counts as a second. */
    private void checkPacesUntil(BooleanSupplier condition) {
        assertTrue(Running.comes(() -> {
            stet.server.checkPaces();
            return condition.getAsBoolean();
        }));
    }

    private long inFlight() {
        return stet.server.inFlight();
    }

    /** One user and one token at their limits; the account's other users and tokens go on. */
    @Test
    void oneTokenOrUserLeavesPlacesToTheAccountsOthers() {
        String writer = token(account, Role.WRITER);
        User ben = stet.member(account, "ben@example.com", Role.WRITER, "a long word");
        Browser bens = Browser.of(stet, account, ben);
        for (int i = 0; i < FILES; i++) {
            beginPush(writer);
            beginSave(bens, 1_000_000);
        }
        assertTrue(Running.comes(() -> inFlight() == 2 * FILES && stet.folder.resolve("tmp").toFile().list().length == 2 * FILES));
        assertEquals(503, push(writer).status());
        Client.Reply refused = Browser.of(stet, account, ben).put("/data/templates/mail", DRAFT + "x".repeat(50_000) + "\"}");
        assertEquals(BUSY, refused.status() + " " + refused.text(), "a user's limit is not that of a session");
        assertServed(ada, token(account, Role.EDITOR));
        assertEquals(200, bens.get("/data/templates").status(), "without a body");
    }

    @ParameterizedTest
    @ValueSource(strings = {"push", "import", "save"})
    void sixAccountsLeavePlacesToTheOthers(String what) {
        for (int i = 0; i < 6; i++) {
            Account other = stet.account("slow" + i + "@example.com", Plan.PRO);
            String token = token(other, Role.WRITER);
            Browser browser = Browser.of(stet, other);
            for (int j = 0; j < FILES; j++) {
                switch (what) {
                    case "push" -> beginPush(token);
                    case "import" -> beginImport(browser);
                    default -> beginSave(browser, 1_000_000);
                }
            }
        }
        assertTrue(Running.comes(() -> inFlight() == 36));
        assertServed(ada, token(account, Role.EDITOR));
        assertTrue(slow.stream().allMatch(client -> client.available() == 0), "none has been refused");
    }

    /** Short bodies are limited by user, too, because each occupies a thread. */
    @Test
    void shortBodiesOfOneUserAreLimited() {
        User ben = stet.member(account, "ben@example.com", Role.WRITER, "a long word");
        Browser bens = Browser.of(stet, account, ben);
        for (int i = 0; i < SHORT; i++) {
            beginSave(bens, 30_000);
        }
        assertTrue(Running.comes(() -> inFlight() == SHORT));
        assertEquals(503, bens.post("/data/check", "{}").status());
        assertServed(ada, token(account, Role.EDITOR));
    }

    @Test
    void stalledClientsAreDisconnected() {
        Client push = beginPush(token(account, Role.WRITER));
        Client save = beginSave(ada, 1_000_000);
        Client shortSave = beginSave(ada, 1_000);
        Client signIn = begin("POST", "/data/session", null, "application/json", 1_000);
        Client deaf = new Client(stet.server.address(), WINDOW);
        slow.add(deaf);
        String one = deaf.request("GET", "/data/templates/mail", null, "Cookie: " + ada.cookie);
        deaf.write(one.repeat(60));
        assertTrue(Running.comes(() -> inFlight() == 5 && deaf.available() > 0));
        String log = Running.logged(() -> {
            checkPacesUntil(() -> inFlight() == 0);
            stet.db.metrics().logSlowClients(stet.log);
        }, "slow-clients");
        assertTrue(push.isClosedByServer() && save.isClosedByServer() && shortSave.isClosedByServer() && signIn.isClosedByServer());
        assertTrue(log.contains(" WARN slow-clients sending=") && log.contains(" reading="), log);
        assertFalse(log.contains("ERROR"), log);
        assertEquals(0, stet.folder.resolve("tmp").toFile().list().length);
        assertServed(ada, token(account, Role.EDITOR));
    }

    /** The JDK's server reads heads, and bodies that no route reads. */
    @Test
    void headsAndUnreadBodiesAreLimitedToo() {
        Client head = new Client(stet.server.address());
        slow.add(head.write("GET /healthz HTTP/1.1\r\nHost: "));
        Client unread = begin("GET", Running.TEMPLATES + "mail", null, "text/plain", 60_000);
        assertTrue(Running.comes(() -> unread.available() > 0), "401 although the body has not arrived");
        String log = Running.logged(() -> {
            checkPacesUntil(() -> stet.db.metrics().slowClients() == 2);
        });
        assertTrue(head.isClosedByServer());
        assertEquals(401, unread.read(false).status());
        assertTrue(unread.isClosedByServer());
        assertFalse(log.contains("ERROR"), log);
        assertServed(ada, token(account, Role.EDITOR));
    }

    /** The rights are those of the moment when the body has arrived. */
    @ParameterizedTest
    @CsvSource({"suspended, 403", "signed out, 401"})
    void aRightThatEndsWhileTheBodyArrivesIsGone(String event, int status) {
        String body = DRAFT + "x".repeat(50_000) + "\"}";
        Client client = beginSave(ada, body.length());
        assertTrue(Running.comes(() -> inFlight() == 1));
        if (event.equals("suspended")) {
            stet.db.change(dao -> dao.accounts().setSuspended(account, true, stet.now()));
        } else {
            ada.delete("/data/session");
        }
        assertEquals(status, client.write(body.substring(1)).read(false).status());
    }
}
