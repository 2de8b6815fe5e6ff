package bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.jar.JarFile;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A copy of generated accounts, for one row. The jar to be measured makes them from a seed, so its schema does not matter.
 *
 * <pre>
 * stet/    serve's data folder
 * keys     1,000 accounts only: their keys, one per line
 * </pre>
 */
record Data(Path folder) {
    static final String PASSWORD = "only-for-the-benchmark";
    static final int HTML = 16 << 10;
    private static final int CELL = 60;
    private static final int ACCOUNTS = 1_000;
    /** High enough that no benchmark reaches the limit. */
    private static final long REQUESTS = 999_999_999;
    /** Between polls for a stable count, in ms. */
    private static final int POLL = 100;

    /** Writes the accounts' files, or changes the accounts by serve's URL. */
    interface Maker<T> {
        void make(T place) throws Exception;
    }

    Path stet() {
        return folder.resolve("stet");
    }

    Path keys() {
        return folder.resolve("keys");
    }

    private Path database() {
        return stet().resolve("stet.db");
    }

    /** Returns accounts 0 to 999, each with a key and the template "welcome". */
    static Data accounts(Path jar, String row) throws Exception {
        List<String> emails = IntStream.range(0, ACCOUNTS).mapToObj(i -> "account" + i + "@example.com").toList();
        Data data = copy(jar, "accounts", row, seed -> {
            for (String email : emails) {
                Files.write(account(seed, email, null).resolve("welcome.html"), html(HTML, email.hashCode()));
            }
        }, url -> { });
        Files.write(data.keys(), emails.stream().map(Data::key).toList());
        return data;
    }

    /** Returns a copy of the named data, made once for each schema and kept in {@link Lab#FOLDER}. @param seed writes files @param more changes the accounts */
    static Data copy(Path jar, String name, String row, Maker<Path> seed, Maker<String> more) throws Exception {
        Path made = Lab.FOLDER.resolve(name + "-" + schema(jar));
        if (!Files.exists(made)) {
            Lab.say("    making the data \"" + name + "\"");
            Path files = Lab.FOLDER.resolve("seed");
            Data next = new Data(Lab.FOLDER.resolve("new"));
            Lab.run(List.of("rm", "-rf", files.toString(), next.folder.toString()));
            seed.make(files);
            try (Child serve = Child.start("seed", Stream.concat(Lab.serve(jar, next, 0, "-Xmx2g").stream(),
                    Stream.of("--seed", files.toString())).toList())) {
                more.make(serve.url());
            }
            Files.move(next.folder, made, StandardCopyOption.ATOMIC_MOVE);
        }
        Data copy = new Data(Lab.FOLDER.resolve("of-" + row));
        Lab.run(List.of("rm", "-rf", copy.folder.toString()));
        Lab.run(List.of("cp", "-a", made.toString(), copy.folder.toString()));
        Lab.run(List.of("sync", copy.database().toString())); // Otherwise the system might write it back during the measurement.
        return copy;
    }

    private static String schema(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile()); InputStream schema = file.getInputStream(file.getEntry("stet/schema.sql"))) {
            return Integer.toHexString(Arrays.hashCode(schema.readAllBytes()));
        }
    }

    /** Writes a Pro account with a key. @param password null for none @return folder of its templates */
    static Path account(Path seed, String email, String password) throws IOException {
        Path folder = seed.resolve(email.replace('@', '-'));
        Path templates = Files.createDirectories(folder.resolve("templates"));
        Map<String, Object> settings = new HashMap<>(Map.of("email", email, "plan", "pro", "limits", Map.of("requests", REQUESTS),
                "keys", List.of(Map.of("name", "bench", "key", key(email)))));
        if (password != null) {
            settings.put("password", password);
        }
        Files.write(folder.resolve("account.json"), Client.JSON.writeValueAsBytes(settings));
        return templates;
    }

    /** Returns the key of a seeded account. */
    static String key(String email) {
        return "bench-key-of-" + email.replaceFirst("@.*", "");
    }

    /** Returns HTML that resembles an email and differs by seed. */
    static byte[] html(int bytes, long seed) {
        Random random = new Random(seed);
        StringBuilder html = new StringBuilder("<!DOCTYPE html><html><body><p>Hello {{name}}, see {{action_url}}</p>");
        while (html.length() < bytes - CELL) {
            html.append("<p style=\"padding:").append(random.nextInt(100)).append("px\">")
                    .append(Long.toString(random.nextLong(), 36)).append("</p>\n");
        }
        return html.append("x".repeat(bytes - html.length())).toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a zip of new drafts of these templates. */
    static byte[] zip(List<String> ids, int bytes, long seed) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (String id : ids) {
                zip.putNextEntry(new ZipEntry("templates/" + id + ".html"));
                zip.write(html(bytes, seed + id.hashCode()));
            }
        }
        return out.toByteArray();
    }

    /** Returns the number of requests counted on disk, once it is stable: the last are counted shortly after a load ends. */
    long counted() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database()); Statement statement = connection.createStatement()) {
            statement.execute("pragma busy_timeout = 5000");
            statement.execute("pragma query_only = on");
            long before = -1;
            while (true) {
                try (ResultSet result = statement.executeQuery("select sum(used) from usage")) {
                    if (result.getLong(1) == before) {
                        return before;
                    }
                    before = result.getLong(1);
                }
                Thread.sleep(POLL);
            }
        }
    }
}
