package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import stet.base.Json;
import stet.base.Refusal;
import stet.core.Plan;
import stet.fixture.AccountDescription;
import stet.fixture.Accounts;
import stet.fixture.Fault;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** A running double's accounts: keys, clocks, and single-account resets. */
class FixtureAccountsTest {
    private static final String PRO = "stet-pro-key";
    private static final String FREE = "stet-free-key";
    private static final String ACCOUNT = "/accounts/pro@example.com";

    @RegisterExtension
    static final StetExtension DOUBLE = StetExtension.of(Doubled.DATA);
    private static final StetFixture fixture = DOUBLE.fixture();
    private static final Doubled stet = new Doubled(fixture.url());

    private static JsonNode json(String text) {
        return Json.readObject(text.getBytes(StandardCharsets.UTF_8));
    }

    /** All accounts exist, but the list shows only the first ones. */
    @Tag("slow")
    @Test
    void theListOfAccountsIsBounded() {
        for (int i = 0; i < 500; i++) {
            fixture.accounts().add(Plan.FREE);
        }
        JsonNode list = json(stet.done("GET", "/accounts", ""));
        assertEquals("500 502", list.get("accounts").size() + " " + list.get("total"));
        assertEquals("pro@example.com", list.get("accounts").get(1).get("email").textValue());
    }

    /** An added account may have the email address of a user who owns an account of another name. */
    @Test
    void anOwnerOfAnotherAccountGetsAnAccount() {
        try (StetFixture web = StetFixture.folder(Doubled.DATA).web().start(); Client client = new Doubled(web.url()).client()) {
            Doubled served = new Doubled(web.url());
            String cookie = data(client, "POST", "/data/session", "{\"email\": \"pro@example.com\", \"password\": \"a long word\"}", "")
                    .cookies().stream().filter(each -> !each.contains("-known=")).findFirst().orElseThrow().split(";")[0];
            String link = json(data(client, "POST", "/data/invitations", "{\"role\": \"owner\"}", cookie).text()).get("links").get(0).get("link").textValue();
            assertEquals(200, data(client, "POST", "/data/link/register", "{\"secret\": \"" + link.replaceAll(".*#", "")
                    + "\", \"name\": \"Eve\", \"email\": \"eve@example.com\", \"password\": \"five long words here\"}", "").status());
            assertEquals(204, data(client, "DELETE", "/data/membership", null, cookie).status());
            String eve = "{\"email\":\"eve@example.com\",\"key\":\"stet-eve-key\"}";
            assertEquals(eve, served.done("POST", "/accounts", eve));
            assertEquals("[\"default\"]", json(served.done("GET", "/accounts/eve@example.com", "")).get("keys").toString());
            assertTrue(served.control("POST", "/accounts", "{\"email\": \"eve@example.com\"}").text().contains("already exists"));
        }
    }

    @Test
    void keysAreAddedRotatedAndDeleted() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\"}");
        assertEquals("{\"name\":\"second\",\"key\":\"my-own-key\"}", stet.done("POST", ACCOUNT + "/keys", "{\"name\": \"second\", \"key\": \"my-own-key\"}"));
        String fresh = json(stet.done("POST", ACCOUNT + "/keys", "")).get("key").textValue();
        assertEquals("200 200", stet.get("welcome", "my-own-key").status() + " " + stet.get("welcome", fresh).status());
        stet.done("POST", ACCOUNT + "/keys/second/rotate", "{\"key\": \"my-next-key\", \"endsIn\": \"PT1H\"}");
        assertEquals("200 200", stet.get("welcome", "my-own-key").status() + " " + stet.get("welcome", "my-next-key").status());
        JsonNode keys = json(stet.done("GET", ACCOUNT + "/keys", "")).get("keys");
        assertEquals("[ci, second, default, second]", keys.findValuesAsText("name").toString());
        assertEquals("2026-02-01T10:00:00.000Z", keys.get(1).get("endsAt").textValue());
        stet.done("POST", "/clock/advance", "{\"by\": \"PT1H\"}");
        assertEquals("401 200", stet.get("welcome", "my-own-key").status() + " " + stet.get("welcome", "my-next-key").status());
        stet.done("POST", ACCOUNT + "/keys/default/rotate", "");
        assertEquals(401, stet.get("welcome", fresh).status());
        stet.done("DELETE", ACCOUNT + "/keys/" + keys.get(0).get("id"), "");
        assertEquals(401, stet.get("welcome", PRO).status());
        stet.done("POST", "/reset", "");
        assertEquals("200 401", stet.get("welcome", PRO).status() + " " + stet.get("welcome", "my-next-key").status());
    }

    @Test
    void anAccountIsListedAndDeleted() {
        JsonNode accounts = json(stet.done("GET", "/accounts", "")).get("accounts");
        assertEquals("[free@example.com, pro@example.com]", accounts.findValuesAsText("email").toString());
        assertEquals("[\"footer\"]", accounts.get(1).get("blocks").toString());
        stet.done("DELETE", "/accounts/free@example.com", "");
        assertEquals(401, stet.get("welcome", FREE).status());
        assertEquals(404, stet.control("GET", "/accounts/free@example.com", "").status());
        stet.done("POST", "/accounts/free@example.com/reset", "");
        assertEquals(200, stet.get("welcome", FREE).status());
    }

    @Test
    void anAccountThatIsDeletedWhileAnExpectationWaitsLeavesItAnswered() throws Exception {
        stet.done("POST", "/accounts", "{\"email\": \"gone@example.com\"}");
        CompletableFuture<Client.Reply> verified = CompletableFuture.supplyAsync(() -> stet.control("POST", "/verify",
                "{\"account\": \"gone@example.com\", \"template\": \"welcom\", \"withinMs\": 1500}"));
        stet.done("DELETE", "/accounts/gone@example.com", "");
        // 404 if the expectation arrived after the deletion
        assertTrue(Set.of(417, 404).contains(verified.get(2, TimeUnit.MINUTES).status()));
        stet.done("POST", "/reset", "");
    }

    @Test
    void aTemplateIsReadBack() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\"}");
        stet.done("PUT", ACCOUNT + "/templates/welcome", "{\"subject\": \"Draft\", \"samples\": {\"name\": \"Ada\"}, \"publish\": false}");
        assertEquals("{\"id\":\"welcome\",\"name\":\"Welcome\",\"published\":true,\"updatedAt\":\"2026-02-01T09:00:00.000Z\",\"draft\":{\"subject\":\"Draft\","
                + "\"html\":\"<p>Hello {{name}} {{> footer}}</p>\\r\\n\",\"samples\":{\"name\":\"Ada\"},\"sets\":{\"default\":{\"name\":\"Ada\"}},\"defaultSamples\":\"default\"},\"served\":{\"subject\":\"Hi {{name}}\","
                + "\"html\":\"<p>Hello {{name}} <i>{{company}}</i></p>\\r\\n\",\"variables\":[\"name\",\"company\"]}}",
                stet.done("GET", ACCOUNT + "/templates/welcome", ""));
        assertTrue(stet.done("GET", ACCOUNT + "/templates/unborn", "").endsWith("\"samples\":{},\"sets\":{},\"defaultSamples\":null},\"served\":null}"));
        stet.done("PUT", ACCOUNT + "/templates/unborn", "{\"sets\": {\"ada\": {\"name\": \"Ada\"}, \"lena\": {\"items\": [{\"a\": 1.5}], \"vip\": true}},"
                + " \"defaultSamples\": \"lena\", \"publish\": false}");
        assertTrue(stet.done("GET", ACCOUNT + "/templates/unborn", "").endsWith("\"samples\":{\"items\":\"[{\\\"a\\\":1.5}]\",\"vip\":\"true\"},"
                + "\"sets\":{\"ada\":{\"name\":\"Ada\"},\"lena\":{\"items\":[{\"a\":1.5}],\"vip\":true}},\"defaultSamples\":\"lena\"},\"served\":null}"));
        assertEquals("{\"name\":\"footer\",\"html\":\"<i>{{company}}</i>\"}", stet.done("GET", ACCOUNT + "/blocks/footer", ""));
        stet.done("PUT", ACCOUNT + "/blocks/spare", "{\"html\": \"\"}");
        stet.done("DELETE", ACCOUNT + "/blocks/spare", "");
        assertEquals(404, stet.control("GET", ACCOUNT + "/blocks/spare", "").status());
    }

    @Test
    void aResetGivesAnAddedAccountItsClockBack() {
        String clock = "/clock?account=own@example.com";
        stet.done("POST", "/accounts", "{\"email\": \"own@example.com\", \"clock\": {\"now\": \"2026-05-01T00:00:00Z\"}}");
        String own = stet.done("GET", clock, "");
        stet.done("DELETE", clock, "");
        assertNotEquals(own, stet.done("GET", clock, ""));
        stet.done("POST", "/accounts/own@example.com/reset", "");
        assertEquals(own, stet.done("GET", clock, ""));
        stet.done("DELETE", "/accounts/own@example.com", "");
        stet.done("POST", "/accounts/own@example.com/reset", "");
        assertEquals(own, stet.done("GET", clock, ""));
        stet.done("DELETE", "/accounts/own@example.com", "");
        stet.done("POST", "/accounts", "{\"email\": \"own@example.com\"}");
        stet.done("POST", "/accounts/own@example.com/reset", "");
        assertNotEquals(own, stet.done("GET", clock, ""));
    }

    /** The web application's trash, invitations and activity. */
    @Test
    void aResetRestoresEverythingThatTheDatabaseHasOfAnAccount() {
        try (StetFixture web = StetFixture.folder(Doubled.DATA).web().start(); Client client = new Doubled(web.url()).client()) {
            Doubled served = new Doubled(web.url());
            String cookie = data(client, "POST", "/data/session", "{\"email\": \"pro@example.com\", \"password\": \"a long word\"}", "")
                    .cookies().stream().filter(each -> !each.contains("-known=")).findFirst().orElseThrow().split(";")[0];
            List<String> pages = List.of("/data/templates", "/data/deletions", "/data/members");
            String before = texts(client, pages, cookie);
            for (int round = 0; round < 2; round++) {
                data(client, "POST", "/data/invitations", "{\"role\": \"editor\"}", cookie);
                for (String id : List.of("welcome", "unborn")) {
                    data(client, "DELETE", "/data/templates/" + id, null, cookie);
                }
                served.done("PUT", "/accounts/free@example.com/templates/beside" + round, "{\"html\": \"beside\"}");
                assertEquals(404, served.get("welcome", PRO).status());
                assertNotEquals(before, texts(client, pages, cookie));
                served.done("POST", "/accounts/pro@example.com/reset", "");
                assertEquals(before, texts(client, pages, cookie));
                assertTrue(texts(client, List.of("/data/activity"), cookie).startsWith("200 {\"rows\":[],"));
                assertEquals(200, served.get("welcome", PRO).status());
            }
        }
    }

    private static Client.Reply data(Client client, String method, String path, String json, String cookie) {
        String body = json == null ? "" : json;
        return client.write(client.request(method, path, null, "Cookie: " + cookie, "Content-Type: application/json",
                "Content-Length: " + body.length()) + body).read(false);
    }

    private static String texts(Client client, List<String> pages, String cookie) {
        return String.join("\n", pages.stream().map(page -> client.get(page, null, "Cookie: " + cookie)).map(reply ->
                reply.status() + " " + reply.text()).toList());
    }

    @Test
    void aResetThatWouldGiveAKeyToTwoAccountsIsRefused() {
        stet.done("DELETE", ACCOUNT + "/keys/ci", "");
        stet.done("POST", "/accounts", "{\"email\": \"new@example.com\", \"key\": \"" + PRO + "\"}");
        Client.Reply refused = stet.control("POST", ACCOUNT + "/reset", "");
        assertEquals("400 {\"error\":\"Another account now uses a key of pro@example.com; delete or reset that account first\"}",
                refused.status() + " " + refused.text());
        stet.done("DELETE", "/accounts/new@example.com", "");
        stet.done("POST", ACCOUNT + "/reset", "");
        assertEquals(200, stet.get("welcome", PRO).status());
    }

    @Test
    void oneAccountIsResetAlone() {
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-01T09:00:00Z\"}");
        String added = stet.done("POST", "/accounts", "{\"email\": \"own@example.com\", \"key\": \"own-account-key\", \"plan\": \"pro\", \"used\": 5,"
                + " \"blocks\": {\"sign\": \"<b>S</b>\"}, \"templates\": {\"hi\": {\"html\": \"{{> sign}}\", \"samples\": {\"a\": \"1\"}}},"
                + " \"clock\": {\"now\": \"2026-05-01T00:00:00Z\"}}");
        assertEquals("{\"email\":\"own@example.com\",\"key\":\"own-account-key\"}", added);
        for (String email : List.of("own@example.com", "pro@example.com")) {
            String key = email.startsWith("own") ? "own-account-key" : PRO;
            String id = email.startsWith("own") ? "hi" : "welcome";
            String account = stet.done("GET", "/accounts/" + email, "");
            String template = stet.done("GET", "/accounts/" + email + "/templates/" + id, "");
            String clock = stet.done("GET", "/clock?account=" + email, "");
            for (int round = 0; round < 3; round++) {
                stet.done("PUT", "/accounts/" + email + "/templates/" + id, "{\"html\": \"other\"}");
                stet.done("PUT", "/accounts/" + email + "/templates/more" + round, "{\"html\": \"more\"}");
                stet.done("DELETE", "/accounts/" + email + "/templates/more" + round, "");
                stet.done("PUT", "/accounts/free@example.com/templates/beside", "{\"html\": \"beside\"}");
                stet.done("PATCH", "/accounts/" + email, "{\"used\": 77, \"plan\": \"free\"}");
                stet.done("POST", "/clock/advance", "{\"by\": \"P40D\", \"account\": \"" + email + "\"}");
                stet.done("POST", "/faults", "{\"bearer\": \"" + key + "\", \"status\": 500, \"times\": 1}");
                stet.done("POST", "/faults", "{\"bearer\": \"" + FREE + "\", \"status\": 403, \"times\": 1}");
                assertEquals(500, stet.get(id, key).status());
                stet.done("POST", "/faults", "{\"account\": \"" + email + "\", \"status\": 500}");
                stet.done("POST", "/accounts/" + email + "/keys/" + (key.equals(PRO) ? "ci" : "default") + "/rotate", "");
                assertEquals(403, stet.get("welcome", FREE).status());
                stet.done("POST", "/accounts/" + email + "/reset", "");
                assertEquals(account, stet.done("GET", "/accounts/" + email, ""));
                assertEquals(template, stet.done("GET", "/accounts/" + email + "/templates/" + id, ""));
                assertEquals(clock, stet.done("GET", "/clock?account=" + email, ""));
                assertEquals(200, stet.get(id, key).status());
                stet.done("POST", "/accounts/" + email + "/reset", "");
                assertEquals("beside", stet.get("beside?format=html", FREE).text());
                assertEquals(0, json(stet.done("GET", "/requests?account=" + email, "")).get("requests").size());
                assertEquals(2 * (round + 1), json(stet.done("GET", "/requests?account=free@example.com", "")).get("requests").size());
            }
            stet.done("DELETE", "/requests", "");
        }
        stet.done("POST", "/reset", "");
        assertEquals(401, stet.get("hi", "own-account-key").status());
        assertEquals(404, stet.control("POST", "/accounts/own@example.com/reset", "").status());
    }

    @Test
    void clocksRunFromAnInstantGoToThePeriodsEndAndBackToEverybodys() {
        JsonNode clock = json(stet.done("PUT", "/clock", "{\"from\": \"2026-02-01T00:00:00Z\"}"));
        assertTrue(clock.has("offset") && clock.get("now").textValue().startsWith("2026-02-01T00:0"), clock.toString());
        String common = "{\"now\":\"2026-02-10T00:00:00.000Z\"}";
        stet.done("PUT", "/clock", "{\"now\": \"2026-02-10T00:00:00Z\"}");
        stet.done("PATCH", ACCOUNT, "{\"used\": 5000}");
        assertEquals(429, stet.get("welcome", PRO).status());
        assertEquals("{\"now\":\"2026-02-28T09:00:00.000Z\"}", stet.done("POST", "/clock/advance", "{\"to\": \"periodEnd\", \"account\": \"pro@example.com\"}"));
        assertEquals(200, stet.get("welcome", PRO).status());
        assertEquals(common, stet.done("GET", "/clock?account=free@example.com", ""));
        stet.done("DELETE", "/clock?account=pro@example.com", "");
        assertEquals(common, stet.done("GET", "/clock?account=pro@example.com", ""));
        stet.done("DELETE", "/clock", "");
        assertTrue(stet.done("GET", "/clock", "").contains("\"offset\":\"PT0S\""));
    }

    @Test
    void aDescriptionMakesAnotherAccountEachTime() {
        AccountDescription description = new AccountDescription(null).plan(Plan.PRO).template("hi", "", "<p>hi</p>");
        Accounts.Added first = fixture.accounts().add(description);
        Accounts.Added second = fixture.accounts().add(description);
        assertEquals("200 200", stet.get("hi", first.key()).status() + " " + stet.get("hi", second.key()).status());
        assertEquals(4, fixture.accounts().list().size());
    }

    @Test
    void inJavaTheyAreTheSame() {
        Accounts accounts = fixture.accounts();
        Accounts.Added added = accounts.add(new AccountDescription(null).plan(Plan.PRO).key("tests", "my-java-key").used(3)
                .block("sign", "<b>S</b>").template("hi", "Hi", "S", "{{> sign}}", Map.of("a", "1"), true).limits(10L, 3L));
        assertEquals("my-java-key", added.key());
        assertEquals("<b>S</b>", stet.get("hi?format=html", "my-java-key").text());
        Accounts.AccountState state = accounts.show(added.email());
        assertEquals("pro 4 [tests] [hi] [sign] 10 3", state.plan() + " " + state.used() + " " + state.keys() + " " + state.templates() + " "
                + state.blocks() + " " + state.limits().requests() + " " + state.limits().keys());
        assertEquals(3, accounts.list().size());
        assertEquals(Plan.PRO, accounts.plan(added.email()));
        String next = accounts.keys().rotate(added.email(), "tests", Duration.ofMinutes(5));
        String third = accounts.keys().add(added.email(), "third");
        assertEquals("200 200 200", stet.get("hi", next).status() + " " + stet.get("hi", third).status() + " " + stet.get("hi", "my-java-key").status());
        fixture.clock().advance(added.email(), Duration.ofMinutes(5));
        assertEquals(401, stet.get("hi", "my-java-key").status());
        assertTrue(accounts.keys().delete(added.email(), "third"));
        assertFalse(accounts.keys().delete(added.email(), "third"));
        accounts.deleteTemplate(added.email(), "hi");
        assertTrue(accounts.template(added.email(), "hi").isEmpty());
        assertTrue(accounts.deleteBlock(added.email(), "sign"));
        fixture.faults().add(Fault.status(500).account(added.email()));
        fixture.reset(added.email());
        assertEquals("<b>S</b>", accounts.template(added.email(), "hi").orElseThrow().served().html());
        assertEquals(Map.of("a", "1"), accounts.template(added.email(), "hi").orElseThrow().draft().samples());
        assertEquals(Map.of("default", "{\n  \"a\": \"1\"\n}\n"), accounts.template(added.email(), "hi").orElseThrow().draft().sets());
        assertEquals(200, stet.get("hi", "my-java-key").status());
        fixture.clock().run(Instant.parse("2026-02-01T00:00:00Z"));
        fixture.clock().toPeriodEnd(added.email());
        assertEquals(state.period().end().isBefore(fixture.clock().now(added.email())), false);
        accounts.delete(added.email());
        assertEquals(401, stet.get("hi", "my-java-key").status());
        assertThrows(Refusal.class, () -> fixture.reset("no@example.com"));
    }
}
