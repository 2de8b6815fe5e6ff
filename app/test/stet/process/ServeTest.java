package stet.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.harness.Client;
import stet.harness.Jar;
import stet.harness.Running;
import stet.harness.Terminal;

/** Commands that run until stopped: start, stop, seeds and the demo. */
class ServeTest {
    private static final Pattern SIGN_IN =
            Pattern.compile("Sign in at http://127.0.0.1:[0-9]+ as demo@example.com with the password ([0-9A-Za-z-]{27})");
    private static final Pattern CURL =
            Pattern.compile("curl -H \"Authorization: Bearer (stet_[0-9A-Za-z]{38})\" \"http://127.0.0.1:([0-9]+)(/[^\"]+)\"");

    @TempDir
    Path folder;

    /** The lines of a run without accounts, from the start to the end. */
    @Test
    void itSaysWhereItListensHowToCreateAnAccountAndThatItEnded() throws IOException {
        Terminal terminal = new Terminal(folder.resolve("data"));
        Path portFile = folder.resolve("port");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0", "--port-file", portFile.toString(),
                "--base-url", "https://mail.example.com/")) {
            int port = URI.create(serving.url()).getPort();
            assertEquals("STET_READY url=http://127.0.0.1:" + port + System.lineSeparator(), serving.out());
            assertEquals(port + "\n", Files.readString(portFile));
            assertEquals("{\"status\":\"ok\"}", serving.get("/healthz", null).text());
            assertTrue(Running.comes(() -> serving.err().lines().count() == 2));
            List<String> lines = serving.err().lines().toList();
            assertTrue(lines.get(0).matches("[-0-9T:.]+Z INFO started version=\"\\(not packaged\\)\""
                    + " url=https://mail\\.example\\.com listen=127\\.0\\.0\\.1:" + port + " data=" + folder.resolve("data")
                    + " accounts=0 jdk=[0-9.]+ seconds=[0-9.]+"), lines.get(0));
            assertTrue(lines.get(1).matches("No account exists yet. Open this link to create the first account: "
                    + "https://mail\\.example\\.com/setup#[0-9A-Za-z-]{27}"), lines.get(1));
            assertEquals(0, serving.end());
            assertTrue(serving.err().lines().skip(2).findFirst().orElseThrow().matches("[-0-9T:.]+Z INFO ended"
                    + " why=interrupt answered=1 seconds=[0-9.]+"), serving.err());
        }
    }

    @Test
    void itListensOnIpv6() throws IOException {
        assumeTrue(hasIpv6(), "this machine has no IPv6");
        try (Terminal.Serving serving = new Terminal(folder.resolve("data")).serve("--listen", "[::1]:0")) {
            URI url = URI.create(serving.url());
            assertEquals("[::1]", url.getHost());
            assertEquals(200, serving.get("/healthz", null).status());
        }
    }

    // ---- seeds

    @Test
    void aSeedFillsAnEmptyDatabase() throws IOException {
        write("pro/account.json", """
                {"email": "pro@example.com", "plan": "pro", "createdAt": "2025-12-31T00:00:00Z",
                 "billingAnchor": "2026-01-31T00:00:00Z", "used": 4999, "password": "correct horse",
                 "keys": [{"name": "ci", "key": "pro-key-1"}, {"name": "app", "key": "pro-key-2"}]}
                """);
        write("pro/templates/welcome.html", "<p>Hi {{name}}</p>{{> footer}}");
        write("pro/templates/welcome.json", "{\"subject\": \"Hi {{name}} of {{company}}\"}");
        write("pro/templates/draft.html", "<p>later</p>");
        write("pro/templates/draft.json", "{\"published\": false}");
        write("pro/blocks/footer.html", "<p>{{unsubscribe_url}}</p>");
        write("free/account.json", """
                {"email": "free@example.com", "limits": {"requests": 1}, "keys": [{"name": "ci", "key": "free-key"}]}
                """);
        write("none/account.json", "{\"email\": \"none@example.com\", \"plan\": \"none\", \"keys\": [{\"name\": \"ci\", \"key\": \"none-key\"}]}");
        Terminal terminal = new Terminal(folder.resolve("data"));
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0", "--seed", folder.resolve("seed").toString())) {
            Client.Reply last = serving.get(Running.TEMPLATES + "welcome?format=variables", "pro-key-1");
            assertEquals("200 {\"variables\":[\"name\",\"company\",\"unsubscribe_url\"]}", last.status() + " " + last.text());
            assertEquals("\"monthly\";r=0;t=" + (27 * 24 + 15) * 3600, last.header("RateLimit"));
            assertEquals(429, serving.get(Running.TEMPLATES + "welcome", "pro-key-2").status());
            assertEquals("{\"error\":\"Not found\"}", serving.get(Running.TEMPLATES + "welcome", "free-key").text());
            assertEquals(429, serving.get(Running.TEMPLATES + "welcome", "free-key").status());
            assertEquals(403, serving.get(Running.TEMPLATES + "welcome", "none-key").status());
        }
        assertEquals(List.of(
                "NAME              OWNER             PLAN  REQUESTS  KEYS  USERS  STATE  CREATED",
                "free@example.com  free@example.com  free  1         1     1      open   2026-01-31T09:00:00.000Z",
                "none@example.com  none@example.com  none  0         1     1      open   2026-01-31T09:00:00.000Z",
                "pro@example.com   pro@example.com   pro   5000      5     1      open   2025-12-31T00:00:00.000Z"), terminal.done("account", "list")
                .lines().map(line -> line.replaceFirst(" +(BYTES|[0-9]+) +(STORAGE|1073741824)$", "")).toList(), "without the columns of the storage");
        assertEquals(List.of("draft: Never published", "welcome: Published"), terminal.done("template", "list", "pro@example.com")
                .lines().skip(1).map(line -> line.split(" {2,}")[0] + ": " + line.split(" {2,}")[1]).toList());

    }

    @Test
    void aSeedIsIgnoredIfAccountsExist() throws IOException {
        write("account.json", "{\"email\": \"eve@example.com\"}");
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.account("ada@example.com", "free");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0", "--seed", folder.resolve("seed").toString())) {
            assertEquals("Accounts already exist; the --seed folder " + folder.resolve("seed") + " was ignored",
                    serving.err().lines().findFirst().orElseThrow());
        }
        assertFalse(terminal.done("account", "list").contains("eve@example.com"));
    }

    /** A client asks again and again from before the start; the seed takes a while. */
    @Test
    void noRequestIsAnsweredBeforeTheSeedIsLoaded() throws Exception {
        write("account.json", "{\"email\": \"ada@example.com\", \"plan\": \"pro\", \"keys\": [{\"name\": \"ci\", \"key\": \"a-key-of-ada\"}]}");
        for (int i = 0; i < 400; i++) {
            write("templates/t" + i + ".html", "<p>Hello {{name}} " + i + "</p>");
        }
        int port = freePort();
        Set<String> responses = new ConcurrentSkipListSet<>();
        AtomicBoolean ready = new AtomicBoolean();
        Thread client = new Thread(() -> {
            while (!ready.get()) {
                try (Client connection = new Client(new InetSocketAddress("127.0.0.1", port))) {
                    responses.add(connection.get(Running.TEMPLATES + "t399?format=html", "a-key-of-ada").text());
                } catch (RuntimeException refused) {
                    Thread.onSpinWait();
                }
            }
        });
        client.start();
        try (Terminal.Serving serving = new Terminal(folder.resolve("data")).serve("--listen", "127.0.0.1:" + port,
                "--seed", folder.resolve("seed").toString())) {
            assertEquals("<p>Hello {{name}} 399</p>", serving.get(Running.TEMPLATES + "t399?format=html", "a-key-of-ada").text());
        } finally {
            ready.set(true);
            client.join();
        }
        responses.remove("<p>Hello {{name}} 399</p>");
        assertEquals(Set.of(), responses);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--listen", "--metrics"})
    void aSeedIsNotAddedByAStartThatIsRefused(String option) throws IOException {
        write("account.json", "{\"email\": \"ada@example.com\"}");
        Terminal terminal = new Terminal(folder.resolve("data"));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            terminal.environment.put("STET_LISTEN", "127.0.0.1:0");
            Terminal.Result result = terminal.run("serve", "--seed", folder.resolve("seed").toString(), option, "127.0.0.1:" + taken.getLocalPort());
            assertTrue(result.code() == 1 && result.err().contains(". Choose another address with " + option + " HOST:PORT."), result.toString());
        }
        assertEquals(1, terminal.done("account", "list").lines().count());
    }

    /** Returns a port outside the clients' range, because a client could otherwise connect to itself on that port. */
    private static int freePort() {
        for (int port = 20_000; ; port++) {
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException taken) {
                // Tries the next port.
            }
        }
    }

    @Test
    void theFolderOfOneAccountIsAlsoASeed() throws IOException {
        write("account.json", "{\"email\": \"ada@example.com\", \"keys\": [{\"name\": \"ci\", \"key\": \"a-key-of-ada\"}]}");
        write("templates/welcome.html", "<p>Hello</p>");
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.environment.put("STET_SEED", folder.resolve("seed").toString());
        terminal.environment.put("STET_LISTEN", "127.0.0.1:0");
        try (Terminal.Serving serving = terminal.serve()) {
            assertEquals("<p>Hello</p>", serving.get(Running.TEMPLATES + "welcome?format=html", "a-key-of-ada").text());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ada@example.com, correct horse, An account for ada@example.com already exists",
        "ada, correct horse, \"ada\" is not a valid email address; enter an address such as ada@example.com",
        "bob@example.com, short, The password must have at least 8 characters"})
    void aRejectedFirstAccountLeavesNoPartOfTheSeed(String email, String password, String sentence) throws IOException {
        write("account.json", "{\"email\": \"ada@example.com\"}");
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.input = password + "\n";
        String[] serve = {"serve", "--listen", "127.0.0.1:0", "--seed", folder.resolve("seed").toString(),
            "--admin-email", email, "--admin-password-file", "-"};
        assertEquals(new Terminal.Result(1, "", sentence + System.lineSeparator()), terminal.run(serve));
        assertEquals(1, terminal.done("account", "list").lines().count());
    }

    @Test
    void anAddressWithoutAHostMeansAllAddresses() {
        try (Terminal.Serving serving = new Terminal(folder.resolve("data")).serve("--listen", ":0")) {
            assertTrue(serving.url().matches("http://127\\.0\\.0\\.1:[1-9][0-9]*"), serving.url());
            assertEquals(200, serving.get("/healthz", null).status());
        }
    }

    @Test
    void theFirstAccountComesFromTheEnvironment() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "correct horse\n");
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.environment.putAll(Map.of("STET_LISTEN", "127.0.0.1:0", "STET_ADMIN_EMAIL", "ada@example.com",
                "STET_ADMIN_PASSWORD_FILE", secret.toString()));
        for (int start = 1; start <= 2; start++) { // the second start finds an account
            try (Terminal.Serving serving = terminal.serve()) {
                assertEquals(200, signIn(serving.url(), "ada@example.com", "correct horse"));
                assertFalse(serving.err().contains("setup#"), "no set-up link");
            }
        }
        assertTrue(terminal.done("account", "list").contains("ada@example.com  pro "));
    }

    @Test
    void aPasswordAndAPasswordFileInTheEnvironmentAreRefused() {
        Terminal terminal = new Terminal(folder.resolve("data"));
        terminal.environment.putAll(Map.of("STET_LISTEN", "127.0.0.1:0", "STET_ADMIN_EMAIL", "ada@example.com",
                "STET_ADMIN_PASSWORD_FILE", folder.resolve("secret").toString(), "STET_ADMIN_PASSWORD", "battery staple"));
        assertEquals("STET_ADMIN_PASSWORD and STET_ADMIN_PASSWORD_FILE are both set; use only one" + System.lineSeparator(), terminal.run("serve").err());
    }

    private static int signIn(String url, String email, String password) {
        HttpRequest session = HttpRequest.newBuilder(URI.create(url + "/data/session"))
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(
                        "{\"email\":\"" + email + "\",\"password\":\"" + password + "\"}")).build();
        try {
            return HttpClient.newHttpClient().send(session, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    // ---- the demo

    @Test
    void theDemosCurlCommandAndPasswordWork() throws Exception {
        Terminal terminal = new Terminal(folder.resolve("data"));
        try (Terminal.Serving demo = terminal.serve("demo", "--listen", "127.0.0.1:0")) {
            assertTrue(Running.comes(() -> CURL.matcher(demo.out()).find()), demo.out());
            Matcher curl = CURL.matcher(demo.out());
            assertTrue(curl.find());
            assertEquals(URI.create(demo.url()).getPort(), Integer.parseInt(curl.group(2)));
            Client.Reply welcome = demo.get(curl.group(3), curl.group(1));
            assertEquals(200, welcome.status());
            assertTrue(welcome.text().startsWith("<!doctype html>"), welcome.text());
            for (String id : List.of("welcome", "receipt", "password-reset")) {
                assertEquals(200, demo.get(Running.TEMPLATES + id, curl.group(1)).status(), id);
            }
            Matcher signIn = SIGN_IN.matcher(demo.out());
            assertTrue(signIn.find(), demo.out());
            assertEquals(200, signIn(demo.url(), "demo@example.com", signIn.group(1)));
            assertEquals(0, demo.end());
        }
        assertFalse(Files.exists(folder.resolve("data")), "a demo uses no data folder");
    }

    // ---- the real program

    @Tag("jar")
    @Test
    void whileIdleItExitsWithin10SecondsOfSigterm() throws Exception {
        Process serve = start("serve", "--listen", "127.0.0.1:0", "--data", folder.resolve("data").toString());
        ready(serve);
        serve.destroy();
        assertTrue(serve.waitFor(10, TimeUnit.SECONDS));
        assertEquals(143, serve.exitValue());
        assertFalse(Files.exists(folder.resolve("data/stet.db-wal")), "the database is closed");
    }

    /** The data of demos that still run stays until they end. */
    @Tag("jar")
    @Test
    void aKilledDemosDataIsDeletedByTheNextOne() throws Exception {
        Process killed = start("demo", "--listen", "127.0.0.1:0");
        ready(killed);
        assertEquals(1, demos());
        killed.destroyForcibly().waitFor();
        assertEquals(1, demos());
        Process next = start("demo", "--listen", "127.0.0.1:0");
        ready(next);
        assertEquals(1, demos());
        Process beside = start("demo", "--listen", "127.0.0.1:0");
        ready(beside);
        assertEquals(2, demos());
        next.destroy();
        beside.destroy();
        next.waitFor();
        beside.waitFor();
        assertEquals(0, demos());
    }

    @Tag("jar")
    @Test
    void aSecondServeOnTheSameDataIsRefused() throws Exception {
        String data = folder.resolve("data").toString();
        Process first = start("serve", "--listen", "127.0.0.1:0", "--data", data);
        ready(first);
        Process second = start("serve", "--listen", "127.0.0.1:0", "--data", data);
        assertEquals("The folder " + data + " is in use by another serve process or a restore\n", new String(second.getErrorStream().readAllBytes())
                .replace(System.lineSeparator(), "\n"));
        assertEquals(1, second.waitFor());
        first.destroy();
        assertEquals(143, first.waitFor());
    }

    @Tag("jar")
    @Test
    void anUnloadableLibraryIsReportedWithASolution() throws Exception {
        new Terminal(folder.resolve("data")).account("ada@example.com", "free");
        Process list = new ProcessBuilder(Jar.command(folder, List.of("-Dorg.sqlite.tmpdir=" + folder.resolve("gone")),
                "account", "list", "--data", folder.resolve("data").toString())).start();
        String sentence = new String(list.getErrorStream().readAllBytes());
        assertTrue(sentence.startsWith("Cannot load SQLite's library. Run java with -Dorg.sqlite.tmpdir=DIR, where DIR is a folder"
                + " that allows executable files"), sentence);
        assertEquals(1, sentence.lines().count());
        assertEquals(2, list.waitFor());
    }

    private Process start(String... arguments) throws IOException {
        return new ProcessBuilder(Jar.command(folder, List.of(), arguments)).start();
    }

    private static void ready(Process process) throws IOException {
        BufferedReader lines = process.inputReader();
        assertTrue(lines.readLine().startsWith("STET_READY url="));
    }

    private long demos() throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.filter(path -> path.getFileName().toString().startsWith("stet-demo-")).count();
        }
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName("::1"), 0));
            return true;
        } catch (IOException none) {
            return false;
        }
    }

    private void write(String path, String text) throws IOException {
        Path file = folder.resolve("seed").resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
