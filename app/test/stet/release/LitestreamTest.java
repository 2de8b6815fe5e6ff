package stet.release;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Secret;
import stet.harness.Client;
import stet.harness.Jar;
import stet.harness.Machine;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.images.ImageFile;

/** Litestream with the real program, as described in backup.md; the replica is a folder. */
@Tag("jar")
class LitestreamTest {
    private static final String ADA = "ada@example.com";
    private static final int TEMPLATES = 20;
    private static final int IMPORTS = 7;
    /** Litestream restarts the log beyond 10,000 pages of 4 KiB, which it checks once a second. All imports together write 120 MB. */
    private static final long LOG_BYTES = 80L << 20;

    @TempDir
    Path home;

    private Path data;
    private Path config;
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

    /**
     * One journey, as each part needs the state of the one before: imports under load beside Litestream, which must keep up; commands
     * beside both; clean restarts; a kill of both; and a restore of the replica.
     */
    @Test
    void bothAreKilledAndNothingIsLostThatWasReplicated() throws Exception {
        Machine.may(Machine.run("litestream", "version") >= 0, "there is no litestream");
        data = home.resolve("data");
        config = Files.writeString(home.resolve("litestream.yml"), "dbs: [{path: " + data.resolve("stet.db") + ", replicas: [{path: "
                + home.resolve("replica") + "}]}]\n");
        Terminal terminal = terminal(data);
        key = terminal.account(ADA, "pro");
        terminal.done("account", "plan", ADA, "--requests", "1000000");
        jar = new Jar(data);
        replication = litestream("litestream.log", "replicate");

        importTexts(terminal, 0);
        CompletableFuture<Void> load = load();
        long longest = 0;
        for (int i = 1; i < IMPORTS; i++) {
            importTexts(terminal, i);
            long segments = segments();
            assertTrue(Running.comes(() -> segments() > segments), "Litestream no longer replicates");
            longest = Math.max(longest, Files.size(data.resolve("stet.db-wal")));
        }
        assertTrue(longest > 0 && longest < LOG_BYTES, longest + " bytes");
        terminal.done("template", "prune", ADA, "--keep", "2", "--yes");
        terminal.done("compact");
        terminal.done("backup", home.resolve("beside.db").toString());
        assertEquals(143, jar.terminate());
        load.get(1, TimeUnit.MINUTES);
        jar = new Jar(data);
        load = load();
        importTexts(terminal, IMPORTS);
        assertEquals(143, jar.terminate());
        load.get(1, TimeUnit.MINUTES);
        long replicated = used(terminal);
        assertTrue(replicated > 0);
        assertTrue(Running.comes(() -> replica() && used(terminal(copy())) == replicated), () -> "not replicated: " + replicated + read("restore.log"));

        jar = new Jar(data);
        load = load();
        assertTrue(Running.comes(() -> used(terminal) > replicated));
        replication.destroyForcibly().waitFor();
        jar.kill();
        load.get(1, TimeUnit.MINUTES);

        assertTrue(replica(), () -> read("restore.log"));
        Terminal restored = terminal(home.resolve("restored"));
        restored.done("restore", copy().resolve("stet.db").toString());
        long counted = used(restored);
        assertTrue(counted >= replicated && counted <= used(terminal), counted + " of " + replicated + " to " + used(terminal));
        restored.done("check");
        try (Terminal.Serving serving = restored.serve("serve", "--listen", "127.0.0.1:0")) {
            assertEquals(text(IMPORTS, 3), serving.get(Running.TEMPLATES + "t3?format=html", key).text());
            for (int i = 0; i <= IMPORTS; i++) {
                byte[] logo = ImageFile.of(Pictures.png(40, 20, i)).bytes();
                assertArrayEquals(logo, serving.get("/images/" + HexFormat.of().formatHex(Secret.sha256(logo)) + ".png", null).body());
            }
        }
    }

    /** Uses real time, like the program's counts. */
    private static Terminal terminal(Path data) {
        Terminal terminal = new Terminal(data);
        terminal.clock.set(Instant.now().toString());
        return terminal;
    }

    private Process litestream(String log, String command, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of("litestream", command, "-config", config.toString()));
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(home.resolve(log).toFile()).start();
    }

    /** Number of times that Litestream has copied a part of the log, after which it checks the log's size. */
    private long segments() {
        return read("litestream.log").lines().filter(line -> line.contains("wal segment written")).count();
    }

    private static String text(int number, int template) {
        return ("<p>" + number + "." + template + "</p>\n").repeat(50_000);
    }

    private void importTexts(Terminal terminal, int number) throws IOException {
        Path templates = Files.createDirectories(home.resolve("files/templates"));
        for (int i = 0; i < TEMPLATES; i++) {
            Files.writeString(templates.resolve("t" + i + ".html"), text(number, i));
        }
        Files.write(Files.createDirectories(home.resolve("files/images")).resolve("logo.png"), Pictures.png(40, 20, number)); // replaced by each import
        terminal.done("import", home.resolve("files").toString(), "--account", ADA, "--publish");
    }

    /** Sends requests one by one until the server is gone. */
    private CompletableFuture<Void> load() {
        Jar server = jar;
        return CompletableFuture.runAsync(() -> {
            try {
                while (true) {
                    try (Client client = new Client(server.address)) {
                        client.get(Running.TEMPLATES + "t3?format=variables", key);
                    }
                }
            } catch (RuntimeException gone) {
                // the server has stopped
            }
        });
    }

    private Path copy() {
        return home.resolve("copy-" + restores);
    }

    /** Restores the replica's current state into the next {@link #copy}. */
    private boolean replica() {
        try {
            if (Files.exists(copy())) {
                Running.delete(copy());
            }
            restores++;
            return litestream("restore.log", "restore", "-o", copy().resolve("stet.db").toString(), data.resolve("stet.db").toString()).waitFor() == 0;
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    private String read(String name) {
        try {
            return Files.readString(home.resolve(name)) + Files.readString(home.resolve("litestream.log"));
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
}
