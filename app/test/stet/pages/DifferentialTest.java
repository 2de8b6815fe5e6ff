package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import stet.core.Account;
import stet.core.Plan;
import stet.files.Export;
import stet.files.Folder;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.harness.Running;
import stet.http.Failure;
import stet.testing.StetFixture;

/**
 * Production and a double loaded from its export give identical responses to identical requests: status, headers and body. Fault
 * responses match those of the failing service.
 */
class DifferentialTest {
    private static final List<String> IDS = List.of("welcome", "odd", "silent", "blank", "unborn", "edited", "renamed", "forced", "no-such", "a%2Fb", "%FF",
            "WELCOME", "", "..", "welcome/", "300");
    private static final List<String> QUERIES = List.of("", "?format=html", "?format=variables", "?format=htm", "?format=html&format=html",
            "?other=1&%66ormat=html");
    private static final List<String> PATHS = List.of("/api/v1/templates", "/api/v1/", "/api/v1", "/api/v2/templates/welcome", "/api/v1/Templates/welcome",
            "/healthz", "/api/v1/templates/welcome/html", "/v1/templates/welcome");

    /** A request. @param header a line, or null */
    private record Sent(String method, String path, String key, String header) {
        Client.Reply to(Client client) {
            return client.send(method, path, key, header == null ? new String[0] : new String[] {header});
        }
    }

    /** Everything that can differ between responses for a client, except the machine's time. */
    private static String seen(Client.Reply reply) {
        Map<String, String> headers = new TreeMap<>(reply.headers());
        headers.remove("date");
        return reply.status() + " " + headers + " " + new String(reply.body(), StandardCharsets.ISO_8859_1);
    }

    private static void fill(Running production, Account account) {
        production.block(account, "part", "<i>{{part}}</i> ");
        production.draft(account, "welcome", "Welcome", "Hi {{name}}", "<p>Hello {{name}} {{> part}}</p>\r\n");
        production.draft(account, "odd", "Odd \u00e9", "{{subject}}", "\uFEFF<p>{{a}} \u00e9\u2713 {{#each rows}}\r\n\t{{> part}}{{/each}}</p>\r\n\n");
        production.draft(account, "silent", "silent", "", "<p></p>");
        production.draft(account, "blank", "blank", "", "");
        production.draft(account, "edited", "edited", "Before", "<p>before</p>");
        production.draft(account, "renamed", "renamed", "", "<p>{{! a note }}{{[first name]}}</p>");
        production.draft(account, "forced", "forced", "", "<p>{{#open}}</p>");
        for (String id : List.of("welcome", "odd", "silent", "blank", "edited", "renamed")) {
            production.publish(account, id);
        }
        production.db.change(dao -> dao.versions().publish(account.id(), "forced", dao.versions().prepare(account.id(), "forced", true), "",
                production.now()));
        production.draft(account, "unborn", "Unborn", "", "<p>secret draft</p>");
        production.clock.advance(Duration.ofHours(5));
        production.draft(account, "edited", "edited", "After", "<p>after {{> part}}</p>");
        production.block(account, "part", "<b>new</b>");
        production.clock.advance(Duration.ofHours(1));
        production.db.change(dao -> dao.templates().rename(account.id(), "renamed", "Another name", production.now()));
    }

    @Test
    @Timeout(300)
    void productionAndDoubleReturnTheSameResponses(@TempDir Path folder) throws Exception {
        try (Running production = new Running()) {
            Account pro = production.account("pro@example.com", Plan.PRO);
            Account none = production.account("none@example.com", Plan.NONE);
            Account small = production.account("small@example.com", Plan.FREE);
            fill(production, pro);
            production.template(small, "welcome", "<p>small</p>");
            production.template(none, "welcome", "<p>none</p>");
            production.db.change(dao -> dao.accounts().setLimits(small.id(), 3L, null));
            for (Account account : List.of(pro, none, small)) {
                production.db.change(dao -> dao.keys().add(production.account(account.name()), "tests", key(account), production.now()));
                export(production, production.account(account.name()), folder.resolve(account.name()));
            }
            try (StetFixture fixture = StetFixture.folder(folder).now(production.now()).start();
                    Client real = production.client(); Client doubled = new Doubled(fixture.url()).client()) {
                Set<Sent> conditional = new LinkedHashSet<>();
                for (Sent request : requests(pro, none, small)) {
                    Client.Reply expected = request.to(real);
                    assertEquals(seen(expected), seen(request.to(doubled)), request.toString());
                    Optional.ofNullable(expected.header("ETag"))
                            .ifPresent(etag -> conditional.add(new Sent("GET", request.path, key(pro), "If-None-Match: " + etag)));
                }
                assertFalse(conditional.isEmpty());
                for (Sent request : conditional) {
                    assertEquals(seen(request.to(real)), seen(request.to(doubled)), request.toString());
                }
                production.clock.advance(Duration.ofDays(31));
                fixture.clock().set(production.now());
                String next = seen(real.send("GET", Running.TEMPLATES + "welcome", key(small)));
                assertTrue(next.startsWith("200"), next);
                assertEquals(next, seen(doubled.send("GET", Running.TEMPLATES + "welcome", key(small))));
            }
        }
    }

    private static void export(Running production, Account account, Path folder) throws IOException {
        try (Folder.FolderTarget target = new Folder.FolderTarget(folder)) {
            production.db.read(dao -> {
                Export.writeServed(dao, account.id(), target);
                return target.writeNew("account.json", Export.accountJson(dao, account));
            });
            target.commit();
        }
    }

    /** The key that an export generates for an account's only key. */
    private static String key(Account account) {
        return "stet-test-key-" + account.id() + "-1";
    }

    private static List<Sent> requests(Account pro, Account none, Account small) {
        List<Sent> requests = new ArrayList<>();
        for (String id : IDS) {
            for (String query : QUERIES) {
                for (String method : List.of("GET", "HEAD")) {
                    requests.add(new Sent(method, Running.TEMPLATES + id.replace("300", "i".repeat(300)) + query, key(pro), null));
                }
            }
            for (String other : new String[] {null, "stet-no-such", key(none), key(small)}) {
                requests.add(new Sent("GET", Running.TEMPLATES + id, other, null));
            }
            requests.add(new Sent("POST", Running.TEMPLATES + id, key(pro), "Content-Length: 0"));
        }
        for (String authorization : List.of("Basic c3RldDo=", "Bearer", "Bearer  " + key(pro), "bearer " + key(pro), key(pro),
                "Bearer " + key(pro).replace("key", "key "), "Bearer \"" + key(pro) + "\"")) {
            requests.add(new Sent("GET", Running.TEMPLATES + "welcome", null, "Authorization: " + authorization));
        }
        PATHS.forEach(path -> requests.add(new Sent("GET", path, key(pro), null)));
        return requests;
    }

    @Test
    @Timeout(300)
    void faultsReturnTheResponsesOfTheFailingService() {
        try (Running production = new Running();
                StetFixture fixture = StetFixture.account("a@example.com").plan(Plan.PRO).createdAt(Instant.parse(Running.NOW)).key("stet-test-key")
                        .template("welcome", "", "").limit(10).now(Instant.parse(Running.NOW)).start();
                Client doubled = new Doubled(fixture.url()).client()) {
            Doubled controls = new Doubled(fixture.url());
            Account account = production.account("a@example.com", Plan.PRO);
            production.limit(account, 10);
            production.db.change(dao -> dao.keys().add(production.account("a@example.com"), "tests", "stet-test-key", production.now()));
            production.template(account, "welcome", "");
            production.draft(account, "unborn", "unborn", "", "");
            String path = Running.TEMPLATES + "welcome";
            assertAlike(fixture, controls, doubled, "{\"status\": 401}", null, production.get(path, null));
            assertAlike(fixture, controls, doubled, "{\"status\": 401}", "stet-no-such", production.get(path, "stet-no-such"));
            // A real 404 uses one request; a fault is not counted, and shows the current usage.
            controls.done("PATCH", "/accounts/a@example.com", "{\"used\": 1}");
            assertAlike(fixture, controls, doubled, "{\"status\": 404}", "stet-test-key", production.get(Running.TEMPLATES + "no-such", "stet-test-key"));
            controls.done("PATCH", "/accounts/a@example.com", "{\"used\": 2}");
            assertAlike(fixture, controls, doubled, "{\"status\": 404, \"error\": \"template_not_published\"}", "stet-test-key",
                    production.get(Running.TEMPLATES + "unborn", "stet-test-key"));
            Account counted = production.account("a@example.com");
            production.db.change(dao -> dao.usage().set(counted, counted.period(production.now()).start(), 10));
            assertAlike(fixture, controls, doubled, "{\"status\": 429}", "stet-test-key", production.get(path, "stet-test-key"));
            production.db.change(dao -> dao.accounts().changePlan(production.account("a@example.com"), Plan.NONE, null, production.now()));
            assertAlike(fixture, controls, doubled, "{\"status\": 403}", "stet-test-key", production.get(path, "stet-test-key"));
            Client.Reply[] broken = new Client.Reply[1];
            Running.logged(() -> {
                production.clock.fail(() -> new IllegalStateException("injected"));
                broken[0] = production.get(path, "stet-test-key");
                production.clock.set(Running.NOW);
            });
            assertAlike(fixture, controls, doubled, "{\"status\": 500}", "stet-test-key", broken[0]);
            // A real 503 would take a wait of 10 s.
            controls.done("POST", "/faults", "{\"status\": 503, \"times\": 1}");
            Client.Reply busy = doubled.get(path, "stet-test-key");
            assertEquals("503 2 " + new String(Failure.BUSY.response().body(), StandardCharsets.UTF_8),
                    busy.status() + " " + busy.header("Retry-After") + " " + busy.text());
        }
    }

    private static void assertAlike(StetFixture fixture, Doubled controls, Client doubled, String fault, String key, Client.Reply real) {
        controls.done("POST", "/faults", fault.replace("}", ", \"times\": 1}"));
        assertEquals(seen(real), seen(doubled.get(Running.TEMPLATES + "welcome", key)), fault);
        assertEquals(0, fixture.faults().list().size());
    }
}
