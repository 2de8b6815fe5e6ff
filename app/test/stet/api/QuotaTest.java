package stet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Running;

/** Promise 2, Exact: which requests are allowed and counted, and when a period ends (api.md, Quota). */
class QuotaTest {
    @AutoClose
    private final Running stet = new Running();

    private Account account(Plan plan) {
        Account account = stet.account(plan.word() + "@example.com", plan);
        stet.template(account, "welcome", "<p>hi</p>");
        return account;
    }

    private int status(String key) {
        return stet.get(Running.TEMPLATES + "welcome", key).status();
    }

    @ParameterizedTest(name = "32 threads, limit 100, {0} keys")
    @ValueSource(ints = {1, 5})
    void parallelRequestsAreGrantedUpToTheLimit(int keyCount) {
        Account account = account(Plan.PRO);
        stet.limit(account, 100);
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < keyCount; i++) {
            keys.add(stet.key(account));
        }
        String[] paths = {"welcome", "no-such", "welcome?format=html"};
        Map<Integer, Integer> statuses = new HashMap<>();
        Map<String, Integer> left = new HashMap<>();
        Crowd.of(32, thread -> (Callable<List<Client.Reply>>) () -> {
            List<Client.Reply> replies = new ArrayList<>();
            try (Client client = new Client(stet.server.address())) {
                for (int i = 0; i < 50; i++) {
                    replies.add(client.get(Running.TEMPLATES + paths[(thread + i) % 3], keys.get(thread % keyCount)));
                }
            }
            return replies;
        }).forEach(replies -> replies.forEach(reply -> {
            statuses.merge(reply.status() == 404 ? 200 /* an unknown template counts, too */ : reply.status(), 1, Integer::sum);
            if (reply.status() != 429) {
                left.merge(reply.header("RateLimit"), 1, Integer::sum);
            }
        }));
        assertEquals(Map.of(200, 100, 429, 1_500), statuses);
        assertEquals(100, stet.used(account));
        assertEquals(100, left.size(), "each granted request has a place of its own in the count");
    }

    @Test
    void only200sAnd404sOfTemplatesCount() {
        Account pro = account(Plan.PRO);
        stet.draft(pro, "unborn", "Unborn", "", "");
        String key = stet.key(pro);
        String none = stet.key(account(Plan.NONE));
        String[][] requests = {
            {"GET", "welcome", key, "200", "1"}, {"GET", "no-such", key, "404", "1"}, {"GET", "unborn", key, "404", "1"},
            {"HEAD", "welcome", key, "200", "1"}, {"GET", "welcome", "stet-unknown", "401", "0"},
            {"GET", "welcome", null, "401", "0"}, {"GET", "welcome", none, "403", "0"},
            {"GET", "welcome?format=", key, "400", "0"}, {"PUT", "welcome", key, "405", "0"},
            {"GET", "welcome/x", key, "404", "0"}};
        List<Integer> counted = Crowd.of(8, thread -> (Callable<Integer>) () -> {
            int sum = 0;
            try (Client client = new Client(stet.server.address())) {
                for (int i = 0; i < 100; i++) {
                    String[] request = requests[(thread * 3 + i) % requests.length];
                    int status = client.send(request[0], Running.TEMPLATES + request[1], request[2]).status();
                    assertEquals(Integer.parseInt(request[3]), status);
                    sum += Integer.parseInt(request[4]);
                }
            }
            return sum;
        });
        assertEquals(counted.stream().mapToInt(Integer::intValue).sum(), stet.used(pro));
    }

    @Test
    void theLastRequestIsGrantedOnce() {
        Account account = account(Plan.FREE);
        String key = stet.key(account);
        for (int round = 0; round < 20; round++) {
            stet.db.change(dao -> dao.usage().set(account, account.createdAt(), 99));
            List<Client.Reply> two = Crowd.of(2, thread -> () -> stet.get(Running.TEMPLATES + "welcome", key));
            assertEquals(List.of(200, 429), two.stream().map(Client.Reply::status).sorted().toList());
            assertEquals(List.of("2592000"), two.stream().filter(reply -> reply.status() == 429).map(reply -> reply.header("Retry-After")).toList());
            assertEquals(100, stet.used(account));
        }
    }

    @Test
    void aLimitOfZeroGrantsNothing() {
        Account account = account(Plan.FREE);
        String key = stet.key(account);
        stet.limit(account, 0);
        assertEquals(429, status(key));
        assertEquals(0, stet.used(account));
    }

    @ParameterizedTest(name = "the server is {0} across the boundary")
    @ValueSource(strings = {"up", "down"})
    void aFreePeriodEndsAfterThirtyDays(String server) {
        Account account = account(Plan.FREE);
        String key = stet.key(account);
        stet.db.change(dao -> dao.usage().set(account, account.createdAt(), 99));
        stet.clock.set("2026-03-02T08:59:59.999Z");
        assertEquals(200, status(key));
        Client.Reply refused = stet.get(Running.TEMPLATES + "welcome", key);
        assertEquals(429, refused.status());
        assertEquals("1", refused.header("Retry-After"));
        if (server.equals("down")) {
            stet.stop();
            stet.clock.set("2026-03-02T09:00:00Z");
            stet.start();
        }
        stet.clock.set("2026-03-02T09:00:00Z");
        Client.Reply granted = stet.get(Running.TEMPLATES + "welcome", key);
        assertEquals("\"monthly\";r=99;t=2592000", granted.header("RateLimit"));
        assertEquals(1, stet.used(account));
        stet.clock.advance(Duration.ofDays(365));
        assertEquals("\"monthly\";r=99;t=" + (13 * 30 - 365) * 86_400, stet.get(Running.TEMPLATES + "welcome", key).header("RateLimit"));
    }

    /** PeriodTest covers month lengths. */
    @ParameterizedTest(name = "Pro from Jan 31: at {0} it is {1}")
    @CsvSource({
        "2026-02-28T08:59:59.999Z, 429, 1",
        "2026-02-28T09:00:00Z,     200, 2678400",
        "2026-03-31T08:59:59.001Z, 200, 1"})
    void aProPeriodIsTheBillingMonth(String at, int status, long left) {
        Account account = account(Plan.PRO);
        String key = stet.key(account);
        stet.db.change(dao -> dao.usage().set(account, account.billingAnchor(), 5_000));
        assertEquals(429, status(key));
        stet.clock.set(at);
        Client.Reply reply = stet.get(Running.TEMPLATES + "welcome", key);
        assertEquals(status, reply.status());
        assertTrue(reply.header("RateLimit").endsWith(";t=" + left), reply.header("RateLimit"));
    }

    /** The count at each clock time, with 3 requests per period, is as if the clock had always been right. */
    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(delimiter = '|', textBlock = """
            400 days ahead and back  | free | 2026-01-31T10:00:00Z=200            2027-03-07T10:00:00Z=200,200 2026-01-31T10:00:01Z=200,200,429
            400 days ahead and back  | pro  | 2026-01-31T10:00:00Z=200            2027-03-07T10:00:00Z=200,200 2026-01-31T10:00:01Z=200,200,429
            ahead from the beginning | free | 2027-03-07T10:00:00Z=200,200        2026-01-31T10:00:00Z=200,200,200,429
            ahead from the beginning | pro  | 2027-03-07T10:00:00Z=200,200        2026-01-31T10:00:00Z=200,200,200,429
            ahead for good           | free | 2026-01-31T10:00:00Z=200            2027-03-07T10:00:00Z=200,200 2027-03-07T10:00:01Z=200,429
            ahead for good           | pro  | 2026-01-31T10:00:00Z=200            2027-03-07T10:00:00Z=200,200 2027-03-07T10:00:01Z=200,429
            ahead and ahead again    | free | 2027-03-07T10:00:00Z=200,200        2026-01-31T10:00:00Z=200     2027-03-07T10:00:00Z=200,429
            ahead and ahead again    | pro  | 2027-03-07T10:00:00Z=200,200        2026-01-31T10:00:00Z=200     2027-03-07T10:00:00Z=200,429
            a day back after a reset | free | 2026-03-02T08:00:00Z=200,200        2026-03-02T09:00:00Z=200,200 2026-03-01T09:00:00Z=200,429 2026-03-02T09:00:01Z=200,429 2026-04-01T09:00:00Z=200
            a day back after a reset | pro  | 2026-02-28T08:00:00Z=200,200        2026-02-28T09:00:00Z=200,200 2026-02-27T09:00:00Z=200,429 2026-02-28T09:00:01Z=200,429 2026-03-31T09:00:00Z=200
            before it was created    | free | 2025-12-31T10:00:00Z=200,200,200,429 2026-01-31T10:00:00Z=200,200,200,429
            """)
    void eachPeriodHasItsOwnCountWhereverTheClockWas(String journey, String plan, String steps) {
        for (boolean restart : new boolean[] {false, true}) {
            stet.clock.set(Running.NOW);
            Account account = stet.account(journey.replace(' ', '-') + restart + "@example.com", Plan.of(plan));
            stet.limit(account, 3);
            stet.template(account, "welcome", "<p>hi</p>");
            String key = stet.key(account);
            List<String> statuses = new ArrayList<>();
            for (String step : steps.split("\\s+")) {
                String[] expected = step.split("=");
                stet.clock.set(expected[0]);
                if (restart) {
                    stet.restart();
                }
                String[] all = expected[1].split(",");
                for (int i = 0; i < all.length; i++) {
                    Client.Reply reply = stet.get(Running.TEMPLATES + "welcome", key);
                    all[i] = Integer.toString(reply.status());
                    String left = Long.toString(stet.account(account.name()).period(stet.now()).secondsLeft(stet.now()));
                    assertEquals(reply.status() == 429 ? left : null, reply.header("Retry-After"), step);
                }
                statuses.add(expected[0] + "=" + String.join(",", all));
            }
            assertEquals(String.join("\n", steps.split("\\s+")), String.join("\n", statuses), "restart: " + restart);
        }
    }

    @Test
    void aClockSetBackIsLoggedOnce() {
        String key = stet.key(account(Plan.FREE));
        Running.logged(() -> stet.clock.set("2027-03-07T09:00:00Z"), "WARN clock-set-forward");
        String log = Running.logged(() -> {
            for (String instant : new String[] {"2027-03-07T08:59:01Z", Running.NOW, Running.NOW, "2026-01-31T08:59:30Z"}) {
                stet.clock.set(instant);
                status(key);
            }
        }, "WARN clock-set-back from=2027-03-07T");
        assertEquals(1, log.split("clock-set-back", -1).length - 1, log);
    }

    @Test
    void plansAndLimitsChangeAtOnce() {
        Account account = account(Plan.FREE);
        String key = stet.key(account);
        assertEquals(200, status(key));
        stet.db.change(dao -> dao.accounts().changePlan(account, Plan.NONE, null, stet.now()));
        assertEquals(403, status(key));
        stet.clock.advance(Duration.ofDays(1));
        stet.db.change(dao -> dao.accounts().changePlan(account, Plan.PRO, stet.now(), stet.now()));
        assertEquals("\"monthly\";r=4999;t=" + 28 * 86_400, stet.get(Running.TEMPLATES + "welcome", key).header("RateLimit"));
        stet.db.change(dao -> dao.accounts().changePlan(account, Plan.FREE, null, stet.now()));
        assertEquals("\"monthly\";r=98;t=" + 29 * 86_400, stet.get(Running.TEMPLATES + "welcome", key).header("RateLimit"));
        stet.limit(account, 1);
        assertEquals(429, status(key));
        stet.limit(account, 3);
        assertEquals(200, status(key));
        assertEquals(429, status(key));
    }

    @Tag("slow")
    @Test
    void tenantsNeverSeeEachOther() {
        List<String> keys = new ArrayList<>();
        for (String name : List.of("alice", "bob")) {
            Account account = stet.account(name + "@example.com", Plan.PRO);
            stet.limit(account, 1_000_000);
            stet.template(account, "welcome", "<p>" + name + "</p>");
            stet.template(account, "of-" + name, "<p>" + name + "</p>");
            keys.add(stet.key(account));
        }
        Crowd.of(4, thread -> (Callable<Void>) () -> {
            try (Client client = new Client(stet.server.address())) {
                for (int i = 0; i < 2_500; i++) {
                    int tenant = (i + thread) % 2;
                    String own = tenant == 0 ? "alice" : "bob";
                    String other = tenant == 0 ? "bob" : "alice";
                    switch (i % 3) {
                        case 0 -> assertEquals("<p>" + own + "</p>",
                                client.get(Running.TEMPLATES + "welcome?format=html", keys.get(tenant)).text());
                        case 1 -> assertTrue(client.get(Running.TEMPLATES + "of-" + own, keys.get(tenant)).text()
                                .startsWith("{\"id\":\"of-" + own + "\""));
                        default -> assertEquals("{\"error\":\"Not found\"}",
                                client.get(Running.TEMPLATES + "of-" + other, keys.get(tenant)).text());
                    }
                }
            }
            return null;
        });
        assertEquals(5_000, stet.used(stet.account("alice@example.com")));
        assertEquals(5_000, stet.used(stet.account("bob@example.com")));
    }

    @Test
    void anotherAccountsTemplateIsUnknown() {
        Account own = account(Plan.PRO);
        Account other = stet.account("other@example.com", Plan.PRO);
        stet.template(other, "published", "<p>secret</p>");
        stet.draft(other, "draft", "Draft", "", "<p>secret</p>");
        String key = stet.key(own);
        List<String> responses = new ArrayList<>();
        for (String id : List.of("no-such", "published", "draft")) {
            Client.Reply reply = stet.get(Running.TEMPLATES + id, key);
            Map<String, String> headers = new HashMap<>(reply.headers());
            headers.remove("date");
            headers.put("ratelimit", headers.get("ratelimit").replaceAll("r=\\d+", "r"));
            responses.add(reply.status() + " " + new TreeMap<>(headers) + reply.text());
        }
        assertEquals(responses.get(0), responses.get(1));
        assertEquals(responses.get(0), responses.get(2));
        assertEquals(3, stet.used(own));
        assertEquals(0, stet.used(other));
    }
}
