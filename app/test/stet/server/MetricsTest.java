package stet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.access.AuthHeader;
import stet.access.TrustedProxies;
import stet.base.Metrics;
import stet.base.Refusal;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.Exposition;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.upkeep.Backups;
import stet.upkeep.Upkeep;

/** The metrics and their separate listener. */
class MetricsTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress("127.0.0.1", 0);
    private static final Pattern NAME = Pattern.compile("\\b(?:stet|process|jvm)_[a-z_]+");

    private Running stet;
    private Account account;
    private String key;

    @BeforeEach
    void start() {
        stet = new Running();
        account = stet.account("ada@example.com", Plan.PRO);
        key = stet.key(account);
        stet.template(account, "welcome", "<p>hi</p>");
        stet.server.close();
        stet.server = new Server(stet.db, stet.upkeep, stet.clock, settings(ANY_PORT), null, null);
    }

    private static Server.Settings settings(InetSocketAddress metrics) {
        return new Server.Settings(ANY_PORT, null, TrustedProxies.LOOPBACK, AuthHeader.NONE, metrics, false, null, null);
    }

    @AfterEach
    void end() {
        stet.close();
    }

    private Client.Reply scrape(String method, String path) {
        URI url = stet.server.metricsUrl();
        try (Client client = new Client(new InetSocketAddress(url.getHost(), url.getPort()))) {
            return client.send(method, path, null);
        }
    }

    private Exposition metrics() {
        Client.Reply reply = scrape("GET", "/metrics");
        assertEquals(200, reply.status());
        assertEquals("text/plain; version=0.0.4; charset=utf-8", reply.header("Content-Type"));
        return new Exposition(reply.text());
    }

    private int status(String path, String bearer) {
        return stet.get(Running.TEMPLATES + path, bearer).status();
    }

    @Test
    void requestsCommitsAndCacheHitsAreCounted() {
        for (int i = 0; i < 5; i++) {
            assertEquals(200, status("welcome", key));
        }
        assertEquals(404, status("no-such", key));
        assertEquals(401, status("welcome", "stet_wrong"));
        assertEquals(400, status("welcome?format=no", key));
        assertEquals(401, stet.get("/data/templates/welcome", null).status());
        assertEquals(401, stet.get("/pull", null).status());
        assertTrue(Running.comes(() -> metrics().value("stet_http_request_duration_seconds_count{area=\"api\"}") == 8
                && metrics().value("stet_http_request_duration_seconds_count{area=\"web\"}") == 2), "an answer is counted once it is sent");
        Exposition after = metrics();
        assertEquals(5, after.value("stet_http_requests_total{area=\"api\",status=\"200\"}"));
        assertEquals(1, after.value("stet_http_requests_total{area=\"api\",status=\"404\"}"));
        assertEquals(1, after.value("stet_http_requests_total{area=\"api\",status=\"401\"}"));
        assertEquals(1, after.value("stet_http_requests_total{area=\"api\",status=\"400\"}"));
        assertEquals(0, after.value("stet_http_requests_total{area=\"api\",status=\"500\"}"));
        assertEquals(2, after.value("stet_http_requests_total{area=\"web\",status=\"401\"}"));
        assertEquals(8, after.value("stet_http_request_duration_seconds_count{area=\"api\"}"));
        assertEquals(8, after.value("stet_api_request_work_seconds_count"));
        assertEquals(6, after.value("stet_commit_requests_sum"), "counted: 200 and 404");
        assertEquals(6, after.value("stet_commit_requests_count"), "one after the other");
        assertTrue(after.value("stet_commit_duration_seconds_count") >= 6);
        assertEquals(5, after.value("stet_cache_hits_total{cache=\"responses\"}"));
        assertEquals(2, after.value("stet_cache_misses_total{cache=\"responses\"}"));
        assertEquals(6, after.value("stet_cache_hits_total{cache=\"keys\"}"));
        assertEquals(2, after.value("stet_cache_misses_total{cache=\"keys\"}"));
        double whole = after.values.get("stet_http_request_duration_seconds_sum{area=\"api\"}").doubleValue();
        double work = after.values.get("stet_api_request_work_seconds_sum").doubleValue();
        assertTrue(0 < work && work < whole, work + " of " + whole);
    }

    @Test
    void figuresOfTheProcessAndItsCachesAreThere() {
        assertFalse(metrics().types.keySet().stream().anyMatch(name -> name.startsWith("stet_backup_")), "there are none");
        assertEquals(200, status("welcome", key));
        Exposition now = metrics();
        assertEquals(1, now.value("stet_build_info{version=\"(not packaged)\",jdk=\"" + System.getProperty("java.version") + "\"}"));
        for (String positive : List.of("process_start_time_seconds", "jvm_memory_used_bytes{area=\"heap\"}", "jvm_memory_max_bytes{area=\"heap\"}",
                "stet_database_bytes", "stet_database_wal_bytes", "stet_disk_free_bytes", "stet_http_requests_in_flight",
                "stet_threads{state=\"busy\"}", "stet_cache_bytes{cache=\"responses\"}", "stet_cache_bytes{cache=\"keys\"}")) {
            assertTrue(now.value(positive) > 0, positive);
        }
    }

    /** Restarts with backups that are made only when the test says so: after {@code close}, no timer makes one. */
    private Backups backUpTo(Path folder) {
        Backups backups = new Backups(stet.db, folder, Duration.ofDays(7), 2, stet.clock, null);
        stet.server.close();
        stet.server = new Server(stet.db, new Upkeep(stet.upkeep.sweeper(), Optional.of(backups)), stet.clock, settings(ANY_PORT), null, null);
        return backups;
    }

    /**
     * Before the first backup, only the interval is exported, so that an alert can distinguish missing backups from disabled
     * ones.
     */
    @Test
    void theBackupsIntervalAndLastTimeAreExported() throws IOException {
        Path folder = stet.folder.resolve("backups");
        backUpTo(folder).close();
        assertEquals(7 * 86_400, metrics().value("stet_backup_interval_seconds"));
        assertFalse(metrics().types.containsKey("stet_backup_last_timestamp_seconds"));
        Files.createFile(folder.resolve("stet-2026-01-30T000000Z.db"));
        backUpTo(folder);
        assertEquals(Instant.parse("2026-01-30T00:00:00Z").getEpochSecond(), metrics().value("stet_backup_last_timestamp_seconds"));
        assertEquals(7 * 86_400, metrics().value("stet_backup_interval_seconds"));
    }

    @Test
    void accountsNearTheirLimitAreCountedInTheBackground() {
        Account bob = stet.account("bob@example.com", Plan.FREE);
        Account eve = stet.account("eve@example.com", Plan.FREE);
        stet.account("nobody@example.com", Plan.NONE);
        Account none = stet.account("none@example.com", Plan.FREE);
        stet.db.change(dao -> dao.accounts().setLimits(none.id(), 0L, null)); // never counts as being at its limit
        for (Account each : List.of(account, bob, eve)) {
            long used = each == account ? 3_999 : each == bob ? 80 : 100;
            stet.db.change(dao -> dao.usage().set(each, each.period(stet.now()).start(), used));
        }
        assertTrue(Running.comes(() -> metrics().types.containsKey("stet_accounts")));
        Exposition counted = metrics();
        assertEquals(5, counted.value("stet_accounts"));
        assertEquals(2, counted.value("stet_accounts_at_limit{percent=\"80\"}"));
        assertEquals(1, counted.value("stet_accounts_at_limit{percent=\"100\"}"));
        assertEquals(200, status("welcome", key)); // the 4,000th of 5,000
        stet.clock.advance(Duration.ofSeconds(29));
        assertEquals(2, metrics().value("stet_accounts_at_limit{percent=\"80\"}"), "counted every 30 seconds");
        assertEquals(2, metrics().value("stet_accounts_at_limit{percent=\"80\"}"), "a scrape starts no count");
        stet.clock.advance(Duration.ofSeconds(1));
        assertTrue(Running.comes(() -> metrics().value("stet_accounts_at_limit{percent=\"80\"}") == 3));
        stet.clock.advance(Duration.ofDays(31));
        assertTrue(Running.comes(() -> metrics().value("stet_accounts_at_limit{percent=\"80\"}") == 0), "a new period");
    }

    @Test
    void aDatabaseThatFailsFailsNoScrape() throws SQLException {
        assertTrue(Running.comes(() -> metrics().types.containsKey("stet_accounts")));
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + stet.folder.resolve("stet.db"));
                Statement statement = other.createStatement()) {
            statement.execute("pragma foreign_keys = off");
            statement.execute("alter table usage rename to lost");
        }
        String log = Running.logged(() -> {
            assertEquals(500, status("welcome", key));
            stet.clock.advance(Duration.ofSeconds(30));
            assertTrue(Running.comes(() -> !metrics().types.containsKey("stet_accounts")));
            assertEquals(1, metrics().value("stet_http_requests_total{area=\"api\",status=\"500\"}"));
        }, "work-failed");
        assertTrue(log.contains("work-failed") && log.contains("request-failed"), log);
    }

    // ---- the listener

    @ParameterizedTest
    @ValueSource(strings = {"/", "/healthz", "/metrics/", "/metrics/x", "/data/session", "/docs", "/api/v1/templates/welcome", "/signin"})
    void theListenerServesNothingElse(String path) {
        Client.Reply reply = scrape("GET", path);
        assertEquals("404 {\"error\":\"Not found\"}", reply.status() + " " + reply.text());
    }

    @Test
    void thePageIsReadOnlyAndNowhereElse() {
        assertEquals(404, scrape("POST", "/metrics").status());
        assertEquals(200, scrape("HEAD", "/metrics").status());
        assertEquals(404, stet.get("/metrics", null).status());
        assertEquals(404, stet.get("/metrics", key).status());
        assertEquals(200, scrape("GET", "/metrics?collect[]=all").status());
    }

    @Test
    void healthIsOneOrZero() {
        assertTrue(scrape("GET", "/metrics").text().contains("\nstet_healthy 1\n"));
        stet.db.health().failed("the database is malformed");
        assertTrue(scrape("GET", "/metrics").text().contains("\nstet_healthy 0\n"));
    }

    @Test
    void anAddressThatIsTakenIsRefused() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, ANY_PORT.getAddress())) {
            Refusal refusal = assertThrows(Refusal.class, () -> new Server(stet.db, stet.upkeep, stet.clock,
                    settings(new InetSocketAddress("127.0.0.1", taken.getLocalPort())), null, null));
            assertEquals("metrics", refusal.field());
            Path folder = Running.temporary();
            Terminal.Result result = new Terminal(folder).run("serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:" + taken.getLocalPort());
            assertEquals(1, result.code());
            assertTrue(result.err().matches("Cannot listen on port " + taken.getLocalPort() + " of 127\\.0\\.0\\.1: .*\\."
                    + " Choose another address with --metrics HOST:PORT\\.\\R"), result.err());
            Running.delete(folder);
        }
    }

    @Test
    void anAddressWithoutAHostIsRefused() {
        Terminal.Result wrong = new Terminal(Path.of("none")).run("serve", "--metrics", "9100");
        assertEquals("--metrics is \"9100\"; use HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080" + System.lineSeparator(), wrong.err());
    }

    @Test
    void theOptionStartsTheListener() {
        Path folder = Running.temporary();
        Terminal terminal = new Terminal(folder);
        terminal.environment.put("STET_METRICS", "127.0.0.1:0");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertTrue(Running.comes(() -> serving.err().contains(" INFO started ")));
            URI url = URI.create(serving.err().replaceAll("(?s).* metrics=(\\S+) .*", "$1"));
            assertEquals("/metrics", url.getPath());
            try (Client client = new Client(new InetSocketAddress(url.getHost(), url.getPort()))) {
                assertEquals(200, client.get("/metrics", null).status());
            }
        }
        Running.delete(folder);
    }

    // ---- events that are logged instead

    @Test
    void slowCommitsAreOneLineAndFastOnesNone() {
        Metrics metrics = new Metrics();
        assertEquals("", Running.logged(() -> {
            metrics.addCommit(999_000_000);
            metrics.logSlowCommits(stet.log);
        }));
        String log = Running.logged(() -> {
            metrics.addCommit(1_250_000_000);
            metrics.addCommit(3_500_000_000L);
            metrics.logSlowCommits(stet.log);
            metrics.logSlowCommits(stet.log);
        });
        assertTrue(log.endsWith(" WARN slow-commit commits=2 seconds=3.5\n"), log);
        assertEquals(1, log.lines().count(), log);
    }

    @Test
    void aChangeByACommandIsALine() {
        Path folder = Running.temporary();
        Terminal terminal = new Terminal(folder);
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            terminal.account("ada@example.com", "pro");
            assertTrue(Running.comes(() -> serving.err().contains(" INFO changed-by-command\n")), serving.err());
        }
        Running.delete(folder);
    }

    // ---- dashboard and alerts

    @Test
    void theDashboardAndTheAlertsQueryOnlyExistingMetrics() throws IOException {
        backUpTo(stet.folder.resolve("backups"));
        assertTrue(Running.comes(() -> metrics().types.containsKey("stet_backup_last_timestamp_seconds")));
        assertTrue(Running.comes(() -> metrics().types.containsKey("stet_accounts")));
        Set<String> names = metrics().names();
        JsonNode dashboard = new ObjectMapper().readTree(Files.readString(Path.of("app/docs/grafana.json")));
        List<String> queries = new ArrayList<>(dashboard.findValuesAsText("expr"));
        List<String> alerts = Files.readAllLines(Path.of("app/docs/alerts.yml")).stream().filter(line -> line.strip().startsWith("expr: ")).toList();
        assertTrue(queries.size() >= 12 && alerts.size() >= 8, queries.size() + " and " + alerts.size());
        queries.addAll(alerts);
        Set<String> asked = new TreeSet<>();
        queries.forEach(query -> NAME.matcher(query).results().forEach(found -> asked.add(found.group())));
        Set<String> unknown = new TreeSet<>(asked);
        unknown.removeAll(names);
        assertEquals(Set.of(), unknown);
    }

    @Test
    void theDocumentNamesEachMetric() throws IOException {
        backUpTo(stet.folder.resolve("backups"));
        assertTrue(Running.comes(() -> metrics().types.containsKey("stet_backup_last_timestamp_seconds")));
        assertTrue(Running.comes(() -> metrics().types.containsKey("stet_accounts")));
        Set<String> named = new TreeSet<>();
        NAME.matcher(Files.readString(Path.of("app/docs/monitoring.md"))).results().forEach(found -> named.add(found.group()));
        assertEquals(List.of(), metrics().types.keySet().stream().filter(name -> !named.contains(name)).toList(), "not in monitoring.md");
    }
}
