package stet.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import stet.base.Log;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Disk;
import stet.harness.Jar;
import stet.harness.Machine;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.Db;

/** The real jar under load, killed, stopped and traced: every answered request is counted on disk. */
@Tag("jar")
class ProcessTest {
    private static final String KEY = "key-of-the-process-test";
    private static final String SESSION = "session-of-the-process-test";
    private static final int CLIENTS = 8;
    private static final int MANY = 32;

    private Path home;
    private Path data;

    @BeforeEach
    void fill() {
        home = Running.temporary();
        data = home.resolve("data");
        try (Db db = Db.serve(data, Log.none())) {
            db.change(dao -> {
                Instant now = Instant.now();
                Account account = dao.accounts().add("pro@example.com", Plan.PRO, now, now, null);
                dao.keys().add(account, "test", KEY, now);
                dao.templates().save(account.id(), new Draft("welcome", "Welcome", "", "<p>hi</p>".repeat(1_000).getBytes(StandardCharsets.UTF_8), Map.of()), now);
                dao.versions().publish(account.id(), "welcome", "", now);
            });
        }
    }

    @AfterEach
    void delete() {
        Running.delete(home);
    }

    private void limit(long requests) {
        try (Db db = Db.serve(data, Log.none())) {
            db.change(dao -> dao.accounts().setLimits(dao.accounts().find("pro@example.com").orElseThrow().id(), requests, null));
        }
    }

    private long used() {
        try (Db db = Db.serve(data, Log.none())) {
            return db.read(dao -> {
                Account account = dao.accounts().find("pro@example.com").orElseThrow();
                return dao.usage().used(account, account.billingAnchor());
            });
        }
    }

    private String integrity() {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("stet.db"));
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("pragma integrity_check")) {
            return result.getString(1);
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Lists a folder's files, except the file that serve writes soon after its start. */
    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("stet.db.opened"))
                    .collect(Collectors.toSet());
        }
    }

    /** Counts complete, counted responses on one connection until the server stops. @param mayBeCut allows an incomplete response */
    private static int load(Jar jar, int thread, AtomicInteger responses, boolean mayBeCut) throws IOException {
        return load(jar, KEY, thread, responses, mayBeCut);
    }

    private static int load(Jar jar, String key, int thread, AtomicInteger responses, boolean mayBeCut) throws IOException {
        String[] paths = {"welcome", "welcome?format=html", "no-such"};
        int counted = 0;
        try (Client client = new Client(jar.address)) {
            for (int i = thread; ; i++) {
                try {
                    client.write(client.request("GET", Running.TEMPLATES + paths[i % 3], key));
                    int status = client.receive(false).status();
                    assertTrue(status == 200 || status == 404 || status == 429, "status " + status);
                    counted += status == 429 ? 0 : 1;
                    responses.incrementAndGet();
                } catch (EOFException end) {
                    assertTrue(mayBeCut || end.getMessage().equals("no answer"), end.getMessage());
                    return counted;
                } catch (IOException | UncheckedIOException reset) {
                    return counted;
                }
            }
        } catch (UncheckedIOException refused) {
            return counted;
        }
    }

    /** After each of several kills, the counts exceed the responses by at most one request per client, and never the limit; no files are left over. */
    @Test
    void everyAnsweredRequestIsOnDiskAfterAKill() throws IOException {
        int rounds = 6;
        int limit = 2_400;
        limit(limit);
        Random random = new Random(3);
        long received = 0;
        for (int round = 1; round <= rounds; round++) {
            int end = 100 + random.nextInt(900);
            AtomicInteger responses = new AtomicInteger();
            try (Jar jar = new Jar(data)) {
                List<Integer> counted = Crowd.of(CLIENTS + 1, thread -> (Callable<Integer>) () -> {
                    if (thread < CLIENTS) {
                        return load(jar, thread, responses, true);
                    }
                    assertTrue(Running.comes(() -> responses.get() >= end));
                    jar.kill();
                    return 0;
                });
                received += counted.stream().mapToInt(Integer::intValue).sum();
            }
            assertEquals("ok", integrity());
            long used = used();
            assertTrue(used >= received, "round " + round + ": on disk " + used + ", answered " + received);
            assertTrue(used <= limit, "round " + round + ": on disk " + used);
            assertTrue(used - received <= (long) round * CLIENTS, "counts without an answer: " + (used - received));
            assertEquals(Set.of(), names(home.resolve("tmp")));
        }
        assertEquals(limit, used(), "the load was too small to reach the limit");
        assertEquals(Set.of("stet.db", "create.lock", "serve.lock", "native", "tmp"), names(data));
        assertEquals("", Files.readString(home.resolve("err")).lines().filter(line -> line.contains("ERROR"))
                .collect(Collectors.joining("\n")));
    }

    private static boolean has(PreparedStatement sum, long requests) {
        try (ResultSet result = sum.executeQuery()) {
            return result.getLong(1) >= requests;
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Kills the server under load with an account per client, so that commits cover several accounts. */
    @Test
    void everyAnsweredRequestOfSeveralAccountsIsOnDiskAfterAKill() throws Exception {
        List<Account> accounts = new ArrayList<>();
        try (Db db = Db.serve(data, Log.none())) {
            db.change(dao -> {
                for (int i = 0; i < MANY; i++) {
                    Instant now = Instant.now();
                    Account account = dao.accounts().add("client" + i + "@example.com", Plan.PRO, now, now, null);
                    dao.accounts().setLimits(account.id(), 1_000_000L, null);
                    dao.keys().add(account, "test", KEY + i, now);
                    accounts.add(account);
                }
            });
        }
        List<Integer> received;
        String database = "jdbc:sqlite:" + data.resolve("stet.db");
        try (Jar jar = new Jar(data); Connection connection = DriverManager.getConnection(database);
                PreparedStatement sums = connection.prepareStatement("select sum(used) from usage")) {
            received = Crowd.of(MANY + 1, thread -> (Callable<Integer>) () -> {
                if (thread < MANY) {
                    return load(jar, KEY + thread, thread, new AtomicInteger(), true);
                }
                assertTrue(Running.comes(() -> has(sums, 20L * MANY)));
                jar.kill();
                return 0;
            });
        }
        assertEquals("ok", integrity());
        try (Db db = Db.serve(data, Log.none())) {
            for (int i = 0; i < MANY; i++) {
                Account account = accounts.get(i);
                long used = db.read(dao -> dao.usage().used(account, account.billingAnchor()));
                assertTrue(used >= received.get(i) && used <= received.get(i) + 1, "on disk " + used + ", answered " + received.get(i));
            }
        }
    }

    /** Defaults: the folder stet-data and a fixed port, which this test uses if the port is free. */
    @Test
    void theJarRunsAsAProgramWithASmallHeapAndDefaults() throws Exception {
        Path jar = Path.of(System.getProperty("stet.jar", "target/stet.jar")).toAbsolutePath();
        ProcessBuilder program = new ProcessBuilder(jar.toString()).directory(home.toFile()).redirectErrorStream(true);
        program.environment().put("JAVA", Path.of(System.getProperty("java.home"), "bin", "java").toString());
        program.environment().put("JAVA_OPTS", "-XX:+PrintCommandLineFlags");
        try (ServerSocket taken = new ServerSocket()) {
            try {
                taken.bind(new InetSocketAddress("127.0.0.1", 8080));
            } catch (BindException byAnother) {
                // Another program has the port, which serves as well.
            }
            Process process = program.start();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(1, process.waitFor(), out);
            assertTrue(out.contains("-XX:MaxHeapSize=" + (256 << 20) + " ") && out.contains("-XX:+UseSerialGC"), out);
            assertTrue(out.contains("Cannot listen on port 8080 of 127.0.0.1: "), out);
        }
        assertTrue(Files.exists(home.resolve("stet-data/stet.db")));
    }

    /** An author's repeated steps. Each step stores a number that shows how many were done. */
    private record Work(String number, Step step, int cycle) {
        interface Step {
            void take(Client client, int n) throws IOException;
        }

        static Work of(String number, Step step) {
            return new Work(number, step, Integer.MAX_VALUE);
        }

        /** Two steps: saving a draft, then publishing it. */
        static Work draft(String id) {
            return of("""
                    select cast(cast(x.html as text) as integer) + coalesce((select cast(cast(y.html as text) as integer)
                      from versions v join texts y on y.id = v.text where v.template = t.row and v.number = t.published), 0)
                    from templates t join texts x on x.id = t.text where t.id = '%s'""".formatted(id), (client, n) -> {
                        int number = (n + 1) / 2;
                        if (n % 2 == 1) {
                            change(client, "PUT", "/data/templates/" + id, "{\"revision\":" + number + ",\"subject\":\"\",\"html\":\"" + number + "\",\"samples\":{}}");
                        } else {
                            change(client, "POST", "/data/templates/" + id + "/publish", "{\"revision\":" + (number + 1) + "}");
                        }
                    });
        }

        /** Returns whether the last answered step is on disk, and at most one more. */
        boolean has(int answered, int onDisk) {
            int more = (onDisk - answered) % cycle;
            return more == 0 || more == 1 || more == 1 - cycle;
        }
    }

    private static List<Work> works(long other, long ben) {
        String[] roles = {"writer", "editor", "owner"};
        return List.of(Work.draft("mail-0"), Work.draft("mail-1"), Work.draft("mail-2"),
                Work.of("select cast(cast(html as text) as integer) from blocks join texts on texts.id = text where name = 'footer'",
                        (client, n) -> change(client, "PUT", "/data/blocks/footer", "{\"revision\":" + n + ",\"html\":\"" + n + "\"}")),
                Work.of("select cast(name as integer) from templates where id = 'welcome'",
                        (client, n) -> change(client, "PUT", "/data/templates/welcome/name", "{\"name\":\"" + n + "\",\"revision\":" + n + "}")),
                Work.of("select count(*) + count(deleted_at) from templates where id like 'trash-%'", (client, n) -> {
                    if (n % 2 == 1) {
                        change(client, "POST", "/data/templates", "{\"id\":\"trash-" + n + "\",\"name\":\"Trash\"}");
                    } else {
                        change(client, "DELETE", "/data/templates/trash-" + (n - 1), "");
                    }
                }),
                Work.of("select count(*) from secrets where name = 'more'",
                        (client, n) -> change(client, "POST", "/data/keys", "{\"name\":\"more\"}")),
                Work.of("select coalesce(request_limit, 0) from accounts where id = " + other,
                        (client, n) -> change(client, "PUT", "/data/accounts/" + other + "/plan", "{\"plan\":\"pro\",\"requests\":" + n + "}")),
                new Work("select instr('writer editor owner', role) / 7 from members where user_id = " + ben,
                        (client, n) -> change(client, "PUT", "/data/members/" + ben, "{\"role\":\"" + roles[n % 3] + "\"}"), 3),
                Work.of("""
                        select cast(cast(html as text) as integer) from templates t join versions v on v.template = t.row and v.number = t.published
                          join texts on texts.id = v.text where t.id = 'imported'""",
                        (client, n) -> change(client, "POST", "/data/import?publish=true&overwrite=true", zip("templates/imported.html", n))));
    }

    private static String zip(String name, int text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry(name));
            zip.write(Integer.toString(text).getBytes(StandardCharsets.US_ASCII));
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** Covers drafts, publications, blocks, names, the trash, keys, plans, roles and imports. */
    @Test
    void everyConfirmedChangeIsOnDiskAfterAKill() throws IOException {
        List<Work> works = new ArrayList<>();
        try (Db db = Db.serve(data, Log.none())) {
            db.change(dao -> {
                Instant now = Instant.now();
                long account = dao.accounts().find("pro@example.com").orElseThrow().id();
                long ada = dao.users().find("pro@example.com").orElseThrow().id();
                long ben = dao.users().add("ben@example.com", null, now).id();
                Browser.addSession(dao, SESSION, ada, account, now);
                dao.users().setAdministrator(ada, true);
                dao.members().setRole(account, ben, Role.WRITER, now);
                dao.accounts().setLimits(account, null, 100_000L);
                dao.blocks().save(account, "footer", "0".getBytes(StandardCharsets.US_ASCII), now);
                for (int i = 0; i < 3; i++) {
                    dao.templates().save(account, new Draft("mail-" + i, "Mail", "", "0".getBytes(StandardCharsets.US_ASCII), Map.of()), now);
                }
                works.addAll(works(dao.accounts().add("other@example.com", Plan.PRO, now, now, null).id(), ben));
            });
        }
        int[] answered = new int[works.size()];
        for (int round = 1; round <= 3; round++) {
            int end = 200 * round;
            AtomicInteger responses = new AtomicInteger();
            try (Jar jar = new Jar(data)) {
                Crowd.of(works.size() + 1, thread -> (Callable<Void>) () -> {
                    if (thread < works.size()) {
                        author(jar, works.get(thread), thread, answered, responses);
                    } else {
                        assertTrue(Running.comes(() -> responses.get() >= end));
                        jar.kill();
                    }
                    return null;
                });
            }
            assertEquals("ok", integrity());
            for (int i = 0; i < works.size(); i++) {
                Work work = works.get(i);
                int onDisk = Rows.of(data, work.number).stream().mapToInt(Integer::parseInt).sum();
                assertTrue(answered[i] > 0 && work.has(answered[i], onDisk), work.number + ": answered " + answered[i] + ", on disk " + onDisk);
                answered[i] += Math.floorMod(onDisk - answered[i], work.cycle);
            }
        }
    }

    private static void author(Jar jar, Work work, int thread, int[] answered, AtomicInteger responses) {
        try (Client client = new Client(jar.address)) {
            while (true) {
                work.step.take(client, answered[thread] + 1);
                answered[thread]++;
                responses.incrementAndGet();
            }
        } catch (IOException | UncheckedIOException killed) {
            // Only responses before the kill count.
        }
    }

    private static void change(Client client, String method, String path, String body) throws IOException {
        client.write(client.request(method, path, null, "Cookie: stet=" + SESSION,
                "Content-Type: application/" + (body.startsWith("PK") ? "zip" : "json"), "Content-Length: " + body.length()) + body);
        Client.Reply reply = client.receive(false);
        assertTrue(reply.status() / 100 == 2, path + " " + reply.status() + " " + reply.text());
    }

    /** A build or a copy that overwrites the jar of a running service ends the service with a message, instead of requests that hang. */
    @Test
    void aReplacedJarEndsTheService() throws Exception {
        Path jar = Files.copy(Path.of(System.getProperty("stet.jar", "target/stet.jar")), home.resolve("stet.jar"));
        Process serve = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", jar.toString(),
                "serve", "--data", data.toString(), "--listen", "127.0.0.1:0").start();
        try (BufferedReader err = serve.errorReader(StandardCharsets.UTF_8)) {
            URI url = URI.create(serve.inputReader(StandardCharsets.UTF_8).readLine().substring("STET_READY url=".length()));
            assertTrue(err.readLine().contains(" started "));
            Files.write(jar, new byte[20 << 20]);
            HttpClient client = HttpClient.newHttpClient();
            assertTrue(Running.comes(() -> {
                for (String page : List.of("/", "/docs", "/data/session", "/api/v1/templates/welcome")) {
                    HttpRequest request = HttpRequest.newBuilder(url.resolve(page)).timeout(Duration.ofSeconds(1)).build();
                    client.sendAsync(request, HttpResponse.BodyHandlers.discarding()).exceptionally(failed -> null).join();
                }
                return !serve.isAlive();
            }));
            assertEquals(2, serve.exitValue());
            String last = err.lines().reduce("", (before, line) -> line);
            assertTrue(last.startsWith(jar + " was replaced while the service was running."), last);
        } finally {
            serve.destroyForcibly().waitFor();
        }
    }

    @Test
    void everyAnsweredRequestIsOnDiskAfterAStop() throws IOException {
        limit(1_000_000);
        AtomicInteger responses = new AtomicInteger();
        try (Jar jar = new Jar(data)) {
            List<Integer> counted = Crowd.of(CLIENTS + 1, thread -> (Callable<Integer>) () -> {
                if (thread < CLIENTS) {
                    return load(jar, thread, responses, false);
                }
                assertTrue(Running.comes(() -> responses.get() >= 1_000));
                long begin = System.nanoTime();
                int exit = jar.terminate();
                assertTrue(exit == 0 || exit == 143, "exit " + exit);
                assertTrue(System.nanoTime() - begin < 10_000_000_000L);
                return 0;
            });
            assertEquals(Set.of("stet.db", "create.lock", "serve.lock", "native", "tmp"), names(data), "the log is in the database");
            assertEquals(counted.stream().mapToInt(Integer::intValue).sum(), used());
            assertEquals("ok", integrity());
        }
    }

    /** Fails the disk before each sync of a trace, and checks that it then has everything that had been answered. */
    private static final class PowerFailures {
        private final Disk disk;
        private final Path folder;
        private final Random random = new Random(7);
        private int counted;
        private int saved;
        private int failures;

        /** @param folder gets the files as left by a failure */
        PowerFailures(Disk disk, Path folder) {
            this.disk = disk;
            this.folder = folder;
        }

        void replay(String line) {
            disk.replay(line, this::fail);
            if (line.contains("\"HTTP/1.1 200 ")) {
                if (line.contains("Ratelimit: ")) {
                    counted++;
                } else {
                    saved++;
                }
            }
        }

        /** Fails twice: once all unsynced writes are lost, and once some of them survive. */
        void fail() {
            assertHasAnswered(null);
            assertHasAnswered(random);
            failures++;
        }

        private void assertHasAnswered(Random surviving) {
            try {
                disk.fail(folder, surviving);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            String[] found = Rows.of(folder, """
                    select coalesce((select sum(used) from usage), 0) || ' ' || (select cast(subject as integer) from templates) || ' '
                      || (select group_concat(integrity_check) from pragma_integrity_check)""").get(0).split(" ", 3);
            assertTrue(Integer.parseInt(found[0]) >= counted && Integer.parseInt(found[1]) >= saved, String.join(" ", found) + " of " + this);
            assertEquals("ok", found[2], toString());
        }

        /** The four clients have sent at least 40 requests each, and each save has been synced at least twice: log and checkpoint. */
        void assertMany() {
            assertTrue(counted >= 120 && saved >= 40 && failures >= 80, toString());
        }

        @Override
        public String toString() {
            return counted + " counted, " + saved + " saved, " + failures + " failures";
        }
    }

    /**
     * Power failures around each sync, during requests, saves and a checkpoint: everything answered by then is on disk, and the database
     * is intact.
     */
    @Test
    void noAnswerLeavesBeforeItsCommitIsSynced() throws Exception {
        Machine.has("strace");
        limit(1_000_000);
        Path trace = home.resolve("trace");
        Path database = data.resolve("stet.db");
        String html = "x".repeat(100_000);
        try (Db db = Db.serve(data, Log.none())) {
            db.change(dao -> {
                Account account = dao.accounts().find("pro@example.com").orElseThrow();
                Browser.addSession(dao, SESSION, dao.users().find("pro@example.com").orElseThrow().id(), account.id(), Instant.now());
            });
        }
        Disk disk = new Disk(Files.readAllBytes(database));
        try (Jar jar = new Jar(data, "strace", "-f", "--seccomp-bpf", "-y", "-s", "200000", "-o", trace.toString(), "-e", Disk.CALLS)) {
            Crowd.of(4, thread -> () -> {
                try (Client client = new Client(jar.address)) {
                    for (int i = 0; i < 40 || Files.size(database) < 1 << 20 && i < 400; i++) { // until a checkpoint
                        if (thread > 0) {
                            assertEquals(200, client.get(Running.TEMPLATES + "welcome?format=variables", KEY).status());
                        } else {
                            change(client, "PUT", "/data/templates/welcome", "{\"revision\":" + (i + 1) + ",\"subject\":\"" + (i + 1) + "\",\"html\":\""
                                    + i + html + "\",\"samples\":{}}");
                        }
                    }
                }
                return null;
            });
            jar.kill();
        }
        Path failed = Files.createDirectory(home.resolve("failed"));
        PowerFailures failures = new PowerFailures(disk, failed);
        try (Stream<String> lines = Files.lines(trace, StandardCharsets.ISO_8859_1)) {
            lines.forEach(failures::replay);
        }
        failures.fail();
        failures.assertMany();
        assertEquals("", new Terminal(failed).run("check").out().lines().filter(line -> line.startsWith("problem"))
                .filter(line -> !line.matches("problem +(clock|permissions): .*")).collect(Collectors.joining("\n")));
    }
}
