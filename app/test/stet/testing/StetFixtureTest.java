package stet.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Refusal;
import stet.core.Plan;
import stet.fixture.Accounts;
import stet.fixture.Expectation;
import stet.fixture.Fault;
import stet.fixture.RecordedRequest;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Doubled;
import stet.harness.Running;
import stet.harness.Terminal;

/** The test double inside the test's JVM. */
class StetFixtureTest {
    private static final String KEY = "stet-test-key";

    private static StetFixture fixture(String html) {
        return StetFixture.account("pro@example.com").plan(Plan.PRO).key(KEY).template("welcome", "Hi", html)
                .now(Instant.parse(Running.NOW)).start();
    }

    @Test
    void doublesSideBySideShareNothing() {
        try (StetFixture one = fixture("one"); StetFixture two = fixture("two")) {
            assertNotEquals(one.url(), two.url());
            assertEquals(URI.create(one.url() + "/api/v1"), one.baseUrl());
            one.faults().add(Fault.status(503));
            assertEquals(503, new Doubled(one.url()).get("welcome", KEY).status());
            assertEquals("two", new Doubled(two.url()).get("welcome?format=html", KEY).text());
            one.clock().advance(Duration.ofDays(1));
            assertEquals(Instant.parse(Running.NOW), two.clock().instant());
            assertEquals(1, one.requests().list().size());
            one.reset();
            assertEquals("one", new Doubled(one.url()).get("welcome?format=html", KEY).text());
            assertEquals(Instant.parse(Running.NOW), one.clock().instant());
        }
    }

    @Test
    void mistakesInCodeAreReported(@TempDir Path seed) {
        assertEquals("Call account(EMAIL) first; accounts read from a folder cannot be changed here",
                assertThrows(IllegalStateException.class, () -> StetFixture.folder(seed).key(KEY)).getMessage());
        assertEquals("\"used\" must be a whole number from 0 to 999999999",
                assertThrows(Refusal.class, () -> StetFixture.account("a@example.com").used(-1)).getMessage());
        assertEquals("\"requests\" must be a whole number from 0 to 999999999",
                assertThrows(Refusal.class, () -> StetFixture.account("a@example.com").limit(-1)).getMessage());
        assertEquals("Host no.invalid cannot be resolved; use another name or its address", assertThrows(Refusal.class, () ->
                StetFixture.account("a@example.com").listen(InetSocketAddress.createUnresolved("no.invalid", 0))).getMessage());
    }

    @Test
    void accountsTemplatesAndPlansAreSetInCode() {
        try (StetFixture fixture = twoAccounts()) {
            Doubled stet = new Doubled(fixture.url());
            Accounts.TemplateState later = fixture.accounts().template("a@example.com", "later").orElseThrow();
            assertEquals("lena {lena={\"x\": 7}}", later.draft().defaultSamples() + " " + later.draft().sets());
            assertEquals(403, stet.get("welcome", "stet-other-key").status());
            fixture.accounts().plan("b@example.com", Plan.PRO);
            assertEquals(404, stet.get("welcome", "stet-other-key").status(), "the other account has no templates");
            fixture.accounts().publish("a@example.com", "later", "", "<p>{{y}}</p>");
            assertEquals("<p>{{y}}</p>", stet.get("later?format=html", KEY).text());
        }
    }

    @Test
    void aQuotaIsUsedUpRenewedAndLimitedInCode() {
        try (StetFixture fixture = twoAccounts()) {
            Doubled stet = new Doubled(fixture.url());
            assertEquals("404 429", stet.get("later", KEY).status() + " " + stet.get("later", KEY).status());
            assertEquals(100, fixture.accounts().used("a@example.com"));
            fixture.clock().advance("a@example.com", Duration.ofDays(30));
            assertEquals(200, stet.get("welcome", KEY).status());
            fixture.accounts().limits("a@example.com", 1L, null);
            assertEquals(429, stet.get("welcome", KEY).status());
        }
    }

    @Test
    void requestsAreAwaitedInCode() throws Exception {
        try (StetFixture fixture = twoAccounts()) {
            Doubled stet = new Doubled(fixture.url());
            stet.get("welcome", KEY); // the last of its quota
            stet.get("welcome", KEY);
            fixture.faults().add(Fault.delay(Duration.ofMillis(1)).bearer(KEY).template("welcome").times(1));
            stet.get("welcome", KEY);
            List<RecordedRequest> refused = fixture.requests().await(request -> request.status() == 429, 2, Duration.ofSeconds(5));
            assertEquals(List.of(false, true), refused.stream().map(request -> request.fault() != null).toList());
            assertEquals("0 of 1 requests were received within 1 ms", assertThrows(AssertionError.class,
                    () -> fixture.requests().await(request -> request.status() == 500, 1, Duration.ofMillis(1))).getMessage());
        }
    }

    /** A Free account that has used 99 of its 100 requests, and an account without a plan. */
    private static StetFixture twoAccounts() {
        return StetFixture.account("a@example.com").key(KEY).used(99).draft("later", "", "<p>{{x}}</p>")
                .samples("later", "lena", "{\"x\": 7}").block("footer", "f").template("welcome", "S", "{{> footer}}")
                .account("b@example.com").plan(Plan.NONE).key("stet-other-key").start();
    }

    @Test
    void wrongValuesInCodeAreRefused() {
        try (StetFixture fixture = twoAccounts()) {
            assertEquals("Account x@y.z not found", assertThrows(Refusal.class,
                    () -> fixture.clock().set("x@y.z", Instant.EPOCH)).getMessage());
            assertEquals("The clock's time must be between the years 1970 and 9999", assertThrows(Refusal.class,
                    () -> fixture.clock().advance(Duration.ofSeconds(Long.MAX_VALUE))).getMessage());
            assertEquals("line 1: \"{{\" is not closed", assertThrows(Refusal.class,
                    () -> fixture.accounts().publish("a@example.com", "bad", "", "{{x")).getMessage());
            assertEquals("\"status\" must be a whole number from 400 to 599", assertThrows(Refusal.class, () -> Fault.status(600)).getMessage());
            assertEquals("\"x\" is not a valid email address; enter an address such as ada@example.com",
                    assertThrows(Refusal.class, () -> StetFixture.account("x")).getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {400_000_000, 1_000_000_000, Long.MAX_VALUE / 31_556_952})
    void aDurationUntilATimeThatCannotBeStoredIsRefused(long years) {
        try (StetFixture fixture = twoAccounts()) {
            assertEquals("\"expiresIn\" is too long; use a shorter duration", assertThrows(Refusal.class,
                    () -> fixture.accounts().keys().rotate("a@example.com", "default", Duration.ofSeconds(years * 31_556_952))).getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"+1000000000-12-31T23:59:59.999999999Z", "+400000000-01-01T00:00:00Z", "-400000000-01-01T00:00:00Z",
        "+10000-01-01T00:00:00Z", "-0001-12-31T23:59:59.999Z", "-292275055-05-16T16:47:04.192Z"})
    void aTimeOfAnAccountWithoutAFourDigitYearIsRefused(String time) {
        StetFixture.Builder account = StetFixture.account("a@example.com");
        String sentence = "\"" + time + "\" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z";
        assertEquals(sentence, assertThrows(Refusal.class, () -> account.createdAt(Instant.parse(time))).getMessage());
        assertEquals(sentence, assertThrows(Refusal.class, () -> account.billingAnchor(Instant.parse(time))).getMessage());
    }

    @Test
    @Timeout(60)
    void aWaitMayHaveNoEnd() throws Exception {
        try (StetFixture fixture = twoAccounts()) {
            Doubled stet = new Doubled(fixture.url());
            assertEquals(200, stet.get("welcome", KEY).status());
            CountDownLatch isWaiting = new CountDownLatch(1);
            Predicate<RecordedRequest> isRefused = request -> {
                isWaiting.countDown(); // when the requests so far are counted
                return request.status() == 429;
            };
            CompletableFuture<List<RecordedRequest>> wait = CompletableFuture.supplyAsync(
                    () -> fixture.requests().await(isRefused, 1, ChronoUnit.FOREVER.getDuration()));
            isWaiting.await();
            stet.get("welcome", KEY);
            assertEquals(1, wait.join().size());
        }
    }

    /** Eight concurrent tests on one double, each with its own account, faults and clock: half in Java, half over HTTP. */
    @Tag("slow")
    @Test
    @Timeout(300)
    void testsInParallelDoNotSeeEachOther() throws Exception {
        try (StetFixture fixture = fixture("<p>shared</p>")) {
            Crowd.of(8, number -> () -> {
                Accounts.AddedAccount own = fixture.accounts().add(Plan.FREE);
                for (int round = 0; round < 100; round++) {
                    if (number % 2 == 0) {
                        oneOfMany(fixture, own, number, round);
                    } else {
                        oneOfManyOverHttp(new Doubled(fixture.url()), own, number, round);
                    }
                }
                return null;
            });
            assertEquals(8, fixture.requests().list().size() + fixture.requests().dropped());
        }
    }

    private static void oneOfMany(StetFixture fixture, Accounts.AddedAccount own, int number, int round) {
        fixture.reset(own.email());
        fixture.accounts().publish(own.email(), "welcome", "", "<p>" + number + "." + round + "</p>");
        Instant now = Instant.parse("2026-02-01T00:00:00Z").plus(Duration.ofDays(number * 1_000L + round));
        fixture.clock().set(own.email(), now);
        fixture.accounts().used(own.email(), 99);
        fixture.faults().add(Fault.status(500).bearer(own.key()).times(1));
        expectRound(new Doubled(fixture.url()), own, number, round, seconds -> fixture.clock().advance(own.email(), Duration.ofSeconds(seconds)));
        fixture.verify(Expectation.requests().account(own.email()).status(200).times(3));
        fixture.requests().clear(Expectation.requests().account(own.email()).status(200));
        assertEquals(List.of(500, 429), fixture.requests().list(Expectation.requests().account(own.email())).stream()
                .map(RecordedRequest::status).toList());
        fixture.requests().clear(Expectation.requests().account(own.email()).status(429));
    }

    private static void oneOfManyOverHttp(Doubled stet, Accounts.AddedAccount own, int number, int round) {
        String account = "/accounts/" + own.email();
        stet.done("POST", account + "/reset", "");
        stet.done("PUT", account + "/templates/welcome", "{\"html\": \"<p>" + number + "." + round + "</p>\"}");
        stet.done("PUT", "/clock", "{\"now\": \"2027-01-" + (10 + number) + "T00:00:00Z\", \"account\": \"" + own.email() + "\"}");
        stet.done("PATCH", account, "{\"used\": 99}");
        stet.done("POST", "/faults", "{\"account\": \"" + own.email() + "\", \"status\": 500, \"times\": 1}");
        expectRound(stet, own, number, round, seconds -> stet.done("POST", "/clock/advance",
                "{\"to\": \"periodEnd\", \"account\": \"" + own.email() + "\"}"));
        stet.done("POST", "/verify", "{\"account\": \"" + own.email() + "\", \"status\": 200, \"times\": 3}");
        stet.done("POST", "/verify", "{\"account\": \"" + own.email() + "\", \"times\": 5}");
        stet.done("DELETE", "/requests?account=" + own.email() + "&status=200", "");
        stet.done("DELETE", "/requests?account=" + own.email() + "&status=429", "");
    }

    /** Expects a fault, a 200, a 429 and the next period. @param advance advances the account's clock by seconds */
    private static void expectRound(Doubled stet, Accounts.AddedAccount own, int number, int round, LongConsumer advance) {
        try (Client client = stet.client()) {
            assertEquals(500, client.get(Running.TEMPLATES + "welcome", own.key()).status());
            assertEquals("<p>" + number + "." + round + "</p>", client.get(Running.TEMPLATES + "welcome?format=html", own.key()).text());
            Client.Reply refused = client.get(Running.TEMPLATES + "welcome", own.key());
            assertEquals(429, refused.status());
            advance.accept(Long.parseLong(refused.header("Retry-After")));
            assertEquals(200, client.get(Running.TEMPLATES + "welcome", own.key()).status());
            assertEquals("\"monthly\";r=98;t=2592000", client.get(Running.TEMPLATES + "welcome", own.key()).header("RateLimit"));
        }
    }

    /** Each request sees the data from before or after a reset, never a mix; connections survive resets. */
    @Tag("slow")
    @Test
    @Timeout(300)
    void resetsUnderLoadMixNoData() throws Exception {
        try (StetFixture fixture = fixture("<p>start</p>")) {
            AtomicBoolean isOver = new AtomicBoolean();
            AtomicLong responses = new AtomicLong();
            Crowd.of(7, number -> () -> {
                if (number == 0) {
                    try {
                        for (int i = 0; i < 300; i++) {
                            fixture.accounts().publish("pro@example.com", "welcome", "", "<p>other</p>");
                            fixture.reset();
                        }
                    } finally {
                        isOver.set(true);
                    }
                    return null;
                }
                try (Client client = new Doubled(fixture.url()).client()) {
                    while (!isOver.get()) {
                        Client.Reply reply = client.get(Running.TEMPLATES + "welcome?format=html", KEY);
                        assertEquals(200, reply.status());
                        assertTrue(Set.of("<p>start</p>", "<p>other</p>").contains(reply.text()), reply.text());
                        responses.incrementAndGet();
                    }
                }
                return null;
            });
            assertTrue(responses.get() > 6, responses.toString()); // more than one for each client
            fixture.reset();
            assertEquals(0, fixture.accounts().used("pro@example.com"));
        }
    }

    @Test
    void exportsOfProductionAreServedByteForByte(@TempDir Path folder) throws Exception {
        Terminal terminal = new Terminal(folder.resolve("data"));
        List<String> keys = new ArrayList<>();
        for (String email : List.of("one@example.com", "two@example.com")) {
            keys.add(terminal.account(email, "pro"));
            Path files = Doubled.write(folder.resolve(email),
                    "templates/odd.html", "\uFEFF<p>{{a}} \u00e9\u2713 {{#each rows}}\r\n\t{{> part}}{{/each}} " + email + "</p>\r\n\n",
                    "templates/odd.json", "{\"name\": \"Odd \u00e9\", \"subject\": \"{{subject}}\", \"samples\": {\"a\": \"1\"}}",
                    "templates/empty.html", "", "templates/draft.html", "<p>", "templates/draft.json", "{\"published\": false}",
                    "blocks/part.html", "<i>{{part}}</i> ");
            terminal.done("import", files.toString(), "--account", email, "--publish");
            terminal.done("import", Path.of("app/demo").toString(), "--account", email, "--publish");
            Path seed = folder.resolve("seed").resolve(email);
            terminal.done("export", seed.toString(), "--account", email);
            Doubled.write(seed, "account.json", "{\"email\": \"" + email + "\", \"plan\": \"pro\", \"keys\": [{\"name\": \"k\", \"key\": \""
                    + keys.get(keys.size() - 1) + "\"}]}");
        }
        try (Terminal.Serving production = terminal.serve("serve", "--listen", "127.0.0.1:0");
                StetFixture fixture = StetFixture.start(folder.resolve("seed"))) {
            Doubled real = new Doubled(URI.create(production.url()));
            Doubled doubled = new Doubled(fixture.url());
            for (String key : keys) {
                for (String id : List.of("odd", "empty", "draft", "welcome", "receipt", "password-reset")) {
                    for (String format : List.of("html", "variables")) {
                        Client.Reply expected = real.get(id + "?format=" + format, key);
                        Client.Reply actual = doubled.get(id + "?format=" + format, key);
                        assertEquals(id.equals("draft") ? 404 : 200, actual.status());
                        assertArrayEquals(expected.body(), actual.body(), id);
                        assertEquals(expected.header("ETag"), actual.header("ETag"), id);
                    }
                }
            }
        }
    }

    /** In a container network, the double accepts host names given with expose. */
    @Test
    void exposedItIsReachedByTheNamesItWasGiven() {
        try (StetFixture fixture = StetFixture.folder(Path.of("app/examples/stet")).listen(new InetSocketAddress("0.0.0.0", 0)).expose("Stet").start();
                Client client = new Client(new InetSocketAddress("127.0.0.1", fixture.port()))) {
            String get = "GET /_fixture/clock HTTP/1.1\r\nHost: ";
            assertEquals(200, client.write(get + "stet:8080\r\n\r\n").read(false).status());
            assertEquals(200, client.write(get + "STET\r\n\r\n").read(false).status());
            assertEquals(403, client.write(get + "stet2\r\n\r\n").read(false).status());
            assertEquals(403, client.write(get + "stet\r\nOrigin: http://evil.example\r\n\r\n").read(false).status());
            assertEquals(200, client.write(get + "localhost\r\nOrigin: http://localhost\r\n\r\n").read(false).status());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"FD00::1", "[fd00::1]"})
    void exposedItIsReachedByAnIpv6Address(String host) {
        try (StetFixture fixture = StetFixture.folder(Path.of("app/examples/stet")).expose(host).start();
                Client client = new Client(new InetSocketAddress("127.0.0.1", fixture.port()))) {
            assertEquals(200, client.write("GET /_fixture/clock HTTP/1.1\r\nHost: [fd00::1]:8080\r\n\r\n").read(false).status());
        }
    }

    /** A thread that still reads a request is waited for, which the interrupt ends. */
    @Test
    void aCloseThatIsInterruptedAlsoEndsTheThreadsForImages() {
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        StetFixture fixture = StetFixture.start(Path.of("app/examples/stet"));
        try (Client images = new Doubled(fixture.url()).client(); Client slow = new Doubled(fixture.url()).client()) {
            assertEquals(404, images.get("/images/" + "0".repeat(64) + ".png", null).status());
            slow.write("POST /_fixture/faults HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
            assertTrue(Running.comes(() -> Thread.getAllStackTraces().entrySet().stream().anyMatch(each -> !others.contains(each.getKey())
                    && each.getKey().getName().startsWith("stet-") && Stream.of(each.getValue()).anyMatch(call -> call.getMethodName().equals("read0")))));
            Thread.currentThread().interrupt();
            fixture.close();
            assertTrue(Thread.interrupted());
        }
        assertTrue(Running.comes(() -> threads(others).isEmpty()), () -> threads(others).toString());
    }

    @Tag("slow")
    @Test
    @Timeout(300)
    void manyStartsLeaveNothingBehind(@TempDir Path folder) throws Exception {
        Path seed = Doubled.folder(folder);
        Set<Thread> others = Thread.getAllStackTraces().keySet(); // servers of other tests that are closing
        startOften(seed, 20);
        long heap = heap();
        int files = openFiles();
        Set<Path> folders = folders();
        Crowd.of(2, thread -> () -> {
            startOften(seed, 100);
            return null;
        });
        assertTrue(Running.comes(() -> threads(others).isEmpty()), () -> threads(others).toString());
        assertTrue(openFiles() <= files + 10, files + " open files became " + openFiles());
        assertTrue(Running.comes(() -> folders.containsAll(folders()))); // folders of other programs may also disappear
        long after = heap();
        assertTrue(after < heap + (16 << 20), heap + " bytes became " + after);
    }

    private static void startOften(Path seed, int times) {
        for (int i = 0; i < times; i++) {
            try (StetFixture fixture = StetFixture.start(seed); Client client = new Doubled(fixture.url()).client()) {
                fixture.faults().add(Fault.delay(Duration.ofMillis(1)).times(1));
                assertEquals(200, client.get(Running.TEMPLATES + "welcome", "stet-pro-key").status());
            }
        }
    }

    /** Returns the names of this JVM's server threads, except those of other tests. */
    private static List<String> threads(Set<Thread> others) {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> !others.contains(thread)).map(Thread::getName)
                .filter(name -> name.startsWith("stet-") || name.startsWith("HTTP-Dispatcher") || name.startsWith("server-timer"))
                .sorted().toList();
    }

    private static long heap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            used = Math.min(used, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return used;
    }

    private static int openFiles() {
        String[] descriptors = new File("/proc/self/fd").list();
        return descriptors == null ? 0 : descriptors.length;
    }

    private static Set<Path> folders() {
        File[] folders = new File(System.getProperty("java.io.tmpdir")).listFiles((folder, name) -> name.startsWith("stet-fixture-"));
        return Stream.of(folders).map(File::toPath).collect(Collectors.toSet());
    }
}
