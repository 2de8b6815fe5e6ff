package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Litestream beside the real program, as copies.md has it, with a replica in a folder. */
@Tag("jar")
class LitestreamTest {
    private static final String ADA = "ada@example.com";
    private static final int TEMPLATES = 20;
    private static final int IMPORTS = 7;
    /** Litestream empties the log beyond 10,000 pages of 4 KiB, and looks each second. */
    private static final long LOG_BYTES = 60L << 20;

    @TempDir
    Path home;

    private Path data;
    private Path config;
    private String litestream;
    private String key;
    private Jar jar;
    private Process replication;
    private int restores;

    @AfterEach
    void end() throws InterruptedException {
        if (replication != null) {
            replication.destroyForcibly().waitFor();
        }
        if (jar != null) {
            jar.close();
        }
    }

    private static String program() {
        String found = Arrays.stream(System.getenv("PATH").split(File.pathSeparator)).map(folder -> folder + "/litestream")
                .filter(file -> Files.isExecutable(Path.of(file))).findFirst().orElse(null);
        assertTrue(found != null || !"required".equals(System.getProperty("stet.browser")), "there is no litestream; .ci/run installs it");
        assumeTrue(found != null, "there is no litestream");
        return found;
    }

    @Test
    void bothAreKilledAndNothingIsLostThatWasReplicated() throws Exception {
        litestream = program();
        data = home.resolve("data");
        config = Files.writeString(home.resolve("litestream.yml"), "dbs: [{path: " + data.resolve("stet.db") + ", replicas: [{path: "
                + home.resolve("replica") + "}]}]\n");
        Terminal terminal = new Terminal(data);
        key = terminal.account(ADA, "pro");
        terminal.done("account", "plan", ADA, "--requests", "1000000");
        jar = new Jar(data);
        replication = new ProcessBuilder(litestream, "replicate", "-config", config.toString()).redirectErrorStream(true)
                .redirectOutput(home.resolve("litestream.log").toFile()).start();

        AtomicInteger answered = new AtomicInteger();
        importTexts(terminal, 0);
        CompletableFuture<Void> load = load(jar, answered);
        long longest = 0;
        for (int i = 1; i < IMPORTS; i++) {
            importTexts(terminal, i);
            longest = Math.max(longest, Files.size(data.resolve("stet.db-wal")));
        }
        assertTrue(longest > 0 && longest < LOG_BYTES, longest + " bytes");
        terminal.done("template", "prune", ADA, "--keep", "2", "--yes");
        terminal.done("compact");
        terminal.done("backup", home.resolve("beside.db").toString());
        assertEquals(143, jar.terminate());
        load.get(1, TimeUnit.MINUTES);
        jar = new Jar(data);
        load = load(jar, answered);
        importTexts(terminal, IMPORTS);
        assertEquals(143, jar.terminate());
        load.get(1, TimeUnit.MINUTES);
        int replicated = answered.get();
        assertTrue(replicated > 100);
        assertTrue(Running.comes(() -> used(restored()) == replicated), () -> "not replicated: " + replicated);

        jar = new Jar(data);
        load = load(jar, answered);
        int before = answered.get();
        assertTrue(Running.comes(() -> answered.get() > before + 100));
        replication.destroyForcibly().waitFor();
        jar.kill();
        load.get(1, TimeUnit.MINUTES);

        Terminal restored = restored();
        assertTrue(used(restored) >= replicated && used(restored) <= used(terminal), "of " + replicated + " to " + answered + ": " + used(restored));
        assertEquals(versions(data), versions(Path.of(restored.environment.get("STET_DATA"))));
        Terminal.Result check = restored.run("check");
        assertEquals(0, check.code(), check.out());
        try (Terminal.Serving serving = restored.serve("serve", "--listen", "127.0.0.1:0")) {
            assertEquals(text(IMPORTS, 3), serving.get(Running.TEMPLATES + "t3?format=html", key).text());
        }
    }

    private static String text(int number, int template) {
        return ("<p>" + number + "." + template + "</p>\n").repeat(50_000);
    }

    private void importTexts(Terminal terminal, int number) throws IOException {
        Path templates = Files.createDirectories(home.resolve("files/templates"));
        for (int i = 0; i < TEMPLATES; i++) {
            Files.writeString(templates.resolve("t" + i + ".html"), text(number, i));
        }
        terminal.done("import", home.resolve("files").toString(), "--account", ADA, "--publish");
    }

    /** Counts the requests that are answered until the server is gone. */
    private CompletableFuture<Void> load(Jar server, AtomicInteger answered) {
        return CompletableFuture.allOf(Stream.generate(() -> CompletableFuture.runAsync(() -> {
            try {
                while (true) {
                    try (Client client = new Client(server.address)) {
                        if (client.get(Running.TEMPLATES + "t3?format=variables", key).status() == 200) {
                            answered.incrementAndGet();
                        }
                    }
                }
            } catch (RuntimeException | AssertionError gone) {
                // The server has ended.
            }
        })).limit(2).toArray(CompletableFuture[]::new));
    }

    /** A folder of its own with what the replica holds now. */
    private Terminal restored() {
        try {
            Path copy = home.resolve("restored-" + ++restores + ".db");
            Process restore = new ProcessBuilder(litestream, "restore", "-config", config.toString(), "-o", copy.toString(),
                    data.resolve("stet.db").toString()).redirectErrorStream(true).redirectOutput(home.resolve("restore.log").toFile()).start();
            assertEquals(0, restore.waitFor(), () -> read("restore.log") + read("litestream.log"));
            Terminal terminal = new Terminal(home.resolve("restored-" + restores));
            Terminal.Result result = terminal.run("restore", copy.toString());
            assertEquals(0, result.code(), result.err());
            return terminal;
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    private String read(String name) {
        try {
            return Files.readString(home.resolve(name));
        } catch (IOException failure) {
            return failure.toString();
        }
    }

    private static long used(Terminal terminal) {
        try {
            return new ObjectMapper().readTree(terminal.done("usage", ADA, "--json")).get("used").asLong();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static long versions(Path folder) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("stet.db"));
                Statement statement = connection.createStatement()) {
            return statement.executeQuery("select count(*) from versions").getLong(1);
        }
    }
}
