package stet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import stet.base.Json;

/**
 * Accounts for the load benchmarks. The measured jar imports them from files, so its schema does not matter; each row works on
 * a copy.
 *
 * <pre>
 * 1,000 accounts    one key, one template of 16 KiB: the first row's load
 * WEB, SHELL        an empty account each, to import into
 * DRAFTS            1,000 drafts of 16 KiB, to publish
 * LARGE             10,000 templates and 1.8 million rows of requests
 * LEAVING           10,000 templates and 100,000 rows of requests
 * HEAVY             one template of 2 MiB, with a key
 * </pre>
 */
final class Crowd {
    static final String WEB = "web@example.com";
    static final String SHELL = "shell@example.com";
    static final String DRAFTS = "drafts@example.com";
    static final String LARGE = "large@example.com";
    static final String LEAVING = "leaving@example.com";
    static final String HEAVY = "heavy@example.com";
    static final String HEAVY_KEY = "bench-heavy-key";
    static final int USED = 1_000;
    static final int UNPUBLISHED = 1_000;
    static final int MANY = 10_000;
    static final int HEAVY_HTML = 2 << 20;
    private static final int HTML = 4 << 10;
    /** High enough that no benchmark reaches the limit. */
    private static final long REQUESTS = 999_999_999;
    /** Days with requests: fewer than the shortest month has, so that they all fall in the current period. */
    private static final int DAYS = 26;
    private static final int KEYS = 7;
    private static final int LEAVING_DAYS = 10;
    private static final long DAY = 86_400_000;

    private Crowd() {
    }

    /** Returns a fresh copy for the measured jar. @param name row that uses the copy */
    static Data copy(Lab lab, String name) throws Exception {
        return copy(lab, Lab.JAR, name);
    }

    static Data copy(Lab lab, Path jar, String name) throws Exception {
        Data crowd = new Data(Lab.folder(jar).resolve("crowd-" + tables(jar)));
        if (!crowd.exists()) {
            Lab.say("making the data \"crowd\", which is kept in " + crowd.folder());
            make(lab, jar, crowd);
        }
        Data copy = copyOf(crowd, name);
        addRequests(copy);
        sync(copy);
        return copy;
    }

    /** Copies a data folder to a sibling folder. */
    static Data copyOf(Data data, String name) throws IOException {
        Data copy = new Data(data.folder().resolveSibling(name));
        Lab.delete(copy.folder());
        try (Stream<Path> paths = Files.walk(data.folder())) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Files.copy(path, copy.folder().resolve(data.folder().relativize(path)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        sync(copy);
        return copy;
    }

    private static void sync(Data copy) throws IOException {
        // Otherwise the system might still write the file back during the measurement.
        try (FileChannel database = FileChannel.open(copy.stet().resolve("stet.db"), StandardOpenOption.WRITE)) {
            database.force(true);
        }
    }

    /** Identifies a jar's schema, because data of an older schema would be migrated at each start. */
    static String tables(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile());
                InputStream schema = file.getInputStream(Optional.ofNullable(file.getEntry("stet/schema.sql"))
                        .orElseGet(() -> file.getEntry("schema.sql")))) { // location in older jars
            return Integer.toHexString(Arrays.hashCode(schema.readAllBytes()));
        }
    }

    // ---- files, and the database into which serve imports them

    private static void make(Lab lab, Path jar, Data crowd) throws Exception {
        Data made = new Data(crowd.folder().resolveSibling("crowd.new"));
        Path seed = crowd.folder().resolveSibling("crowd.seed");
        Lab.delete(made.folder());
        Lab.delete(seed);
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < USED; i++) {
            keys.add("bench-key-of-account-" + i);
            Path account = account(seed, "account" + i + "@example.com", null, keys.get(i));
            Files.write(account.resolve("welcome.html"), Data.html(Data.HTML, i));
        }
        account(seed, WEB, Data.PASSWORD, null);
        account(seed, SHELL, null, null);
        Path drafts = account(seed, DRAFTS, Data.PASSWORD, null);
        for (int i = 0; i < UNPUBLISHED; i++) {
            Files.write(drafts.resolve("draft-" + i + ".html"), Data.html(Data.HTML, i));
            Files.writeString(drafts.resolve("draft-" + i + ".json"), "{\"subject\": \"Hi {{name}}\", \"published\": false}");
        }
        for (Path many : List.of(account(seed, LARGE, Data.PASSWORD, null), account(seed, LEAVING, null, null))) {
            for (int i = 0; i < MANY; i++) {
                Files.write(many.resolve("mail-" + i + ".html"), Data.html(HTML, i));
            }
        }
        Files.write(account(seed, HEAVY, null, HEAVY_KEY).resolve("welcome.html"), Data.html(HEAVY_HTML, 0));
        try (Child serve = Child.start(Lab.log("seed"), lab.java(List.of("-Xmx3g"), "-jar", jar.toString(), "serve", "--data",
                made.stet().toString(), "--listen", "127.0.0.1:0", "--seed", seed.toString()))) {
            serve.url();
        }
        Files.write(made.keys(), keys);
        Lab.delete(seed);
        Files.move(made.folder(), crowd.folder(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** @return folder of the account's templates */
    private static Path account(Path seed, String email, String password, String key) throws IOException {
        ObjectNode settings = Json.object().put("email", email).put("plan", "pro");
        settings.putObject("limits").put("requests", REQUESTS);
        if (password != null) {
            settings.put("password", password);
        }
        if (key != null) {
            settings.putArray("keys").addObject().put("name", "bench").put("key", key);
        }
        Path folder = seed.resolve(email.replace('@', '-'));
        Path templates = Files.createDirectories(folder.resolve("templates"));
        Files.write(folder.resolve("account.json"), Json.write(settings));
        return templates;
    }

    // ---- request statistics, which would take 20 days to accumulate

    private static void addRequests(Data data) throws Exception {
        Instant begin = Instant.now().minus(Duration.ofDays(DAYS)).minusSeconds(60);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.stet().resolve("stet.db"))) {
            connection.setAutoCommit(false);
            addRequests(connection, LARGE, begin, DAYS, KEYS);
            addRequests(connection, LEAVING, begin, LEAVING_DAYS, 1);
            connection.commit();
        }
    }

    /** Returns the column that holds the account's name; older versions had only an email address. */
    static String nameColumn(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet columns = statement.executeQuery(
                "select count(*) from pragma_table_info('accounts') where name = 'name'")) {
            return columns.getInt(1) == 1 ? "name" : "email";
        }
    }

    /** Adds one row per day, key and template, all in the current period. */
    private static void addRequests(Connection connection, String email, Instant begin, int days, int keys) throws Exception {
        String name = nameColumn(connection);
        try (PreparedStatement anchor = connection.prepareStatement("update accounts set billing_anchor = ? where " + name + " = ?")) {
            anchor.setLong(1, begin.toEpochMilli());
            anchor.setString(2, email);
            anchor.executeUpdate();
        }
        try (PreparedStatement rows = connection.prepareStatement("""
                with recursive
                  days (day) as (select 0 union all select day + 1 from days where day + 1 < ?1),
                  keys (id) as (select 1 union all select id + 1 from keys where id < ?2)
                insert into requests (account_id, period_start, day, key_id, template, missed, requests, last_at)
                select a.id, ?3, ?4 + d.day, k.id, t.id, 0, 7, ?3 + d.day * ?5
                from accounts a, days d, keys k, templates t
                where a.%s = ?6 and t.account_id = a.id
                order by a.id, d.day, k.id, t.id
                """.formatted(name))) {
            rows.setInt(1, days);
            rows.setInt(2, keys);
            rows.setLong(3, begin.toEpochMilli());
            rows.setLong(4, begin.toEpochMilli() / DAY);
            rows.setLong(5, DAY);
            rows.setString(6, email);
            rows.executeUpdate();
        }
    }
}
