package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Secret;
import stet.core.ServedTemplate;
import stet.sqlite.Db;

/** The real jar under load, killed, ended and traced: an answer that was sent is a count that is on disk. */
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
        try (Db db = Db.serve(data)) {
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
        try (Db db = Db.serve(data)) {
            db.change(dao -> dao.accounts().changeLimits(dao.accounts().find("pro@example.com").orElseThrow().id(), requests, null));
        }
    }

    private long used() {
        try (Db db = Db.serve(data)) {
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

    /** The files of a folder, without the note that a serve makes soon after its start. */
    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("stet.db.opened"))
                    .collect(Collectors.toSet());
        }
    }

    /** Number of whole, counted answers on one connection until the server was gone; none may come in part. */
    private static int load(Jar jar, int thread, AtomicInteger answers, boolean mayBeCut) throws IOException {
        return load(jar, KEY, thread, answers, mayBeCut);
    }

    private static int load(Jar jar, String key, int thread, AtomicInteger answers, boolean mayBeCut) throws IOException {
        String[] paths = {"welcome", "welcome?format=html", "no-such"};
        int counted = 0;
        try (Client client = new Client(jar.address)) {
            for (int i = thread; ; i++) {
                try {
                    client.write(client.request("GET", Running.TEMPLATES + paths[i % 3], key));
                    int status = client.receive(false).status();
                    assertTrue(status == 200 || status == 404 || status == 429, "status " + status);
                    counted += status == 429 ? 0 : 1;
                    answers.incrementAndGet();
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

    @Test
    void killedUnderLoad() throws IOException {
        int rounds = 6;
        int limit = 2_400;
        limit(limit);
        Random random = new Random(3);
        long received = 0;
        for (int round = 1; round <= rounds; round++) {
            int end = 100 + random.nextInt(900);
            AtomicInteger answers = new AtomicInteger();
            try (Jar jar = new Jar(data)) {
                List<Integer> counted = Crowd.of(CLIENTS + 1, thread -> (Callable<Integer>) () -> {
                    if (thread < CLIENTS) {
                        return load(jar, thread, answers, true);
                    }
                    assertTrue(Running.comes(() -> answers.get() >= end));
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

    /** Each client has an account, so that a commit counts for several; killed amid the load. */
    @Test
    void killedWhileSeveralAccountsAreCounted() throws Exception {
        List<Account> accounts = new ArrayList<>();
        try (Db db = Db.serve(data)) {
            db.change(dao -> {
                for (int i = 0; i < MANY; i++) {
                    Instant now = Instant.now();
                    Account account = dao.accounts().add("client" + i + "@example.com", Plan.PRO, now, now, null);
                    dao.accounts().changeLimits(account.id(), 1_000_000L, null);
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
        try (Db db = Db.serve(data)) {
            for (int i = 0; i < MANY; i++) {
                Account account = accounts.get(i);
                long used = db.read(dao -> dao.usage().used(account, account.billingAnchor()));
                assertTrue(used >= received.get(i) && used <= received.get(i) + 1, "on disk " + used + ", answered " + received.get(i));
            }
        }
    }

    @Test
    void theJarIsAProgramWithASmallHeap() throws Exception {
        Path jar = Path.of(System.getProperty("stet.jar", "target/stet.jar")).toAbsolutePath();
        ProcessBuilder program = new ProcessBuilder(jar.toString(), "version");
        program.environment().put("JAVA", Path.of(System.getProperty("java.home"), "bin", "java").toString());
        program.environment().put("JAVA_OPTS", "-XX:+PrintCommandLineFlags");
        Process process = program.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        assertTrue(out.contains("-XX:MaxHeapSize=" + (256 << 20) + " ") && out.contains("-XX:+UseSerialGC"), out);
        assertTrue(out.lines().anyMatch(line -> line.startsWith("Stet ")), out);
    }

    /** Each client saves a draft of its own and publishes it, again and again. */
    @Test
    void whatWasSavedAndPublishedSurvivesAKill() throws IOException {
        byte[] none = "0".getBytes(StandardCharsets.US_ASCII);
        try (Db db = Db.serve(data)) {
            db.change(dao -> {
                long account = dao.accounts().find("pro@example.com").orElseThrow().id();
                dao.sessions().add(Secret.sha256(SESSION), dao.people().find("pro@example.com").orElseThrow().id(), account, Instant.now());
                for (int client = 0; client < CLIENTS; client++) {
                    dao.templates().save(account, new Draft("mail-" + client, "Mail", "", none, Map.of()), Instant.now());
                }
            });
        }
        int[] saved = new int[CLIENTS];
        int[] published = new int[CLIENTS];
        for (int round = 1; round <= 3; round++) {
            int end = 100 * round;
            AtomicInteger answers = new AtomicInteger();
            try (Jar jar = new Jar(data)) {
                Crowd.of(CLIENTS + 1, thread -> (Callable<Void>) () -> {
                    if (thread < CLIENTS) {
                        author(jar, thread, saved, published, answers);
                    } else {
                        assertTrue(Running.comes(() -> answers.get() >= end));
                        jar.kill();
                    }
                    return null;
                });
            }
            assertEquals("ok", integrity());
            try (Db db = Db.serve(data)) {
                for (int client = 0; client < CLIENTS; client++) {
                    String id = "mail-" + client;
                    long account = db.read(dao -> dao.accounts().find("pro@example.com")).orElseThrow().id();
                    int draft = number(db.read(dao -> dao.templates().find(account, id)).orElseThrow().html());
                    int served = number(db.read(dao -> dao.templates().published(account, id)).map(ServedTemplate::html).orElse(none));
                    assertTrue(draft == saved[client] || draft == saved[client] + 1, id + ": saved " + saved[client] + ", on disk " + draft);
                    assertTrue(served >= published[client] && served <= draft,
                            id + ": published " + published[client] + ", on disk " + served);
                    saved[client] = draft;
                    published[client] = served;
                }
            }
        }
    }

    private static int number(byte[] html) {
        return Integer.parseInt(new String(html, StandardCharsets.US_ASCII));
    }

    private static void author(Jar jar, int thread, int[] saved, int[] published, AtomicInteger answers) {
        String path = "/data/templates/mail-" + thread;
        try (Client client = new Client(jar.address)) {
            while (true) {
                int next = saved[thread] + 1;
                change(client, "PUT", path, "{\"revision\":" + next + ",\"subject\":\"\",\"html\":\"" + next + "\",\"samples\":{}}");
                saved[thread] = next;
                change(client, "POST", path + "/publish", "{\"revision\":" + (next + 1) + "}");
                published[thread] = next;
                answers.incrementAndGet();
            }
        } catch (IOException | UncheckedIOException killed) {
            // The answers before it count.
        }
    }

    private static void change(Client client, String method, String path, String json) throws IOException {
        client.write(client.request(method, path, null, "Cookie: stet=" + SESSION, "Content-Type: application/json",
                "Content-Length: " + json.length()) + json);
        Client.Reply reply = client.receive(false);
        assertEquals(200, reply.status(), reply.text());
    }

    @Test
    void endedUnderLoad() throws IOException {
        limit(1_000_000);
        AtomicInteger answers = new AtomicInteger();
        try (Jar jar = new Jar(data)) {
            List<Integer> counted = Crowd.of(CLIENTS + 1, thread -> (Callable<Integer>) () -> {
                if (thread < CLIENTS) {
                    return load(jar, thread, answers, false);
                }
                assertTrue(Running.comes(() -> answers.get() >= 1_000));
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

    /**
     * No answer leaves before its count is synced: between the receipt of each request and the first byte of its answer
     * a sync of the write-ahead log has returned.
     */
    @Test
    void noAnswerLeavesBeforeItsCommitIsSynced() throws IOException {
        assumeTrue(hasStrace(), "strace is not here");
        Path trace = home.resolve("trace");
        int requests = 50;
        try (Jar jar = new Jar(data, "strace", "-f", "-y", "-s", "64", "-o", trace.toString(),
                "-e", "trace=read,recvfrom,readv,write,writev,sendto,sendmsg,fsync,fdatasync")) {
            try (Client client = new Client(jar.address)) {
                String[] paths = {"welcome", "welcome?format=html", "no-such", "welcome?format=variables"};
                for (int i = 0; i < requests; i++) {
                    int status = client.get(Running.TEMPLATES + paths[i % 4], KEY, "If-None-Match: \"x\"").status();
                    assertEquals(i % 4 == 2 ? 404 : 200, status);
                }
            }
            jar.terminate();
        }
        Pattern begun = Pattern.compile("^(\\d+) +(?:fsync|fdatasync)\\(\\d+<[^>]*-wal>");
        int answered = 0;
        boolean received = false;
        boolean synced = false;
        String syncing = null;
        for (String line : Files.readAllLines(trace, StandardCharsets.ISO_8859_1)) {
            Matcher sync = begun.matcher(line);
            if (line.contains("\"GET /api/")) {
                received = true;
                synced = false;
                syncing = null;
            } else if (received && sync.find()) {
                synced |= line.endsWith("= 0");
                syncing = sync.group(1);
            } else if (syncing != null && line.startsWith(syncing + " ") && line.contains("sync resumed>")) {
                synced |= line.endsWith("= 0");
            } else if (received && line.contains("\"HTTP/1.1 ")) {
                assertTrue(synced, "answer " + (answered + 1) + " left before the sync: " + line);
                answered++;
                received = false;
            }
        }
        assertEquals(requests, answered);
        assertEquals(requests, used());
    }

    private static boolean hasStrace() {
        try {
            return new ProcessBuilder("strace", "-f", "-o", "/dev/null", "true").start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }
}
