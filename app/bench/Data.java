package stet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Password;
import stet.core.Plan;
import stet.dao.Dao;
import stet.sqlite.Db;

/**
 * A data folder with generated accounts, created once and reused.
 *
 * <pre>
 * stet/    serve's data folder
 * keys     the keys in use, one per line; each belongs to an account with the template "welcome"
 * author   the key of AUTHOR, whose account has a password and 1,000 templates, including "welcome"
 * </pre>
 */
record Data(Path folder) {
    static final String AUTHOR = "author@example.com";
    static final String PASSWORD = "only-for-the-benchmark";
    static final int AUTHORED = 1_000;
    static final int HTML = 16 << 10;
    private static final int TINY = 120;
    /** High enough that no benchmark reaches the limit. */
    private static final long REQUESTS = 999_999_999;
    /** Maximum number of polls for a stable count, and the pause between polls in ms. */
    private static final int LOOKS = 50;
    private static final int LOOK = 100;
    /** Accounts per transaction. */
    private static final int BATCH = 500;

    /**
     * Contents of a data folder.
     *
     * @param templates number per account
     * @param every     one in this many accounts is active; inactive accounts have only tiny templates
     * @param html      size of "welcome" in active accounts, in bytes
     */
    record Shape(int accounts, int templates, int every, int html) {
    }

    Path stet() {
        return folder.resolve("stet");
    }

    Path keys() {
        return folder.resolve("keys");
    }

    String authorKey() throws IOException {
        return Files.readString(folder.resolve("author")).strip();
    }

    boolean exists() {
        return Files.exists(folder);
    }

    /** Builds the folder under a temporary name, so that an interruption leaves no incomplete data. */
    void make(Shape shape) throws IOException {
        Data made = new Data(folder.resolveSibling(folder.getFileName() + ".new"));
        Lab.delete(made.folder);
        Files.createDirectories(made.folder);
        Instant now = Instant.now();
        SecureRandom random = new SecureRandom();
        List<String> keys = new ArrayList<>();
        String authorKey = Secret.newKey(random);
        try (Db db = Db.open(made.stet(), true)) {
            for (int begin = 0; begin < shape.accounts; begin += BATCH) {
                int first = begin;
                db.change(dao -> {
                    for (int i = first; i < Math.min(shape.accounts, first + BATCH); i++) {
                        String key = Secret.newKey(random);
                        boolean used = i % shape.every == 0;
                        addAccount(dao, shape, i, key, used ? shape.html : TINY, now);
                        if (used) {
                            keys.add(key);
                        }
                    }
                });
            }
            db.change(dao -> addAuthor(dao, authorKey, now));
        }
        Files.write(made.keys(), keys);
        Files.writeString(made.folder.resolve("author"), authorKey + "\n");
        Files.move(made.folder, folder, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void addAccount(Dao dao, Shape shape, int number, String key, int bytes, Instant now) {
        Account account = dao.accounts().add("account" + number + "@example.com", Plan.PRO, now, now, null);
        dao.accounts().changeLimits(account.id(), REQUESTS, null);
        dao.keys().add(account, "bench", key, now);
        for (int j = 0; j < shape.templates; j++) {
            addTemplate(dao, account, j == 0 ? "welcome" : "mail-" + j, html(j == 0 ? bytes : TINY, number + j), now);
        }
    }

    private static void addAuthor(Dao dao, String key, Instant now) {
        Account account = dao.accounts().add(AUTHOR, Plan.PRO, now, now, Password.hash(PASSWORD, AUTHOR, new SecureRandom()));
        dao.accounts().changeLimits(account.id(), REQUESTS, null);
        dao.keys().add(account, "bench", key, now);
        addTemplate(dao, account, "welcome", html(HTML, 0), now);
        for (int j = 1; j < AUTHORED; j++) {
            addTemplate(dao, account, "mail-" + j, html(TINY, j), now);
        }
    }

    private static void addTemplate(Dao dao, Account account, String id, byte[] html, Instant now) {
        dao.templates().save(account.id(), new Draft(id, "Mail " + id, "Hi {{name}}", html, Map.of()), now);
        dao.versions().publish(account.id(), id, "", now);
    }

    /** Returns HTML that resembles an email and differs by seed. */
    static byte[] html(int bytes, long seed) {
        Random random = new Random(seed);
        StringBuilder html = new StringBuilder("<!DOCTYPE html><html><body><p>Hello {{name}}, see {{action_url}}</p>");
        while (html.length() < bytes) {
            html.append("<td style=\"padding:").append(random.nextInt(100)).append("px\">")
                    .append(Long.toString(random.nextLong(), 36)).append("</td>\n");
        }
        return html.substring(0, bytes).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the number of requests counted on disk. Reads only, and works while serve is running. */
    long used() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + stet().resolve("stet.db"));
             Statement statement = connection.createStatement()) {
            statement.execute("pragma busy_timeout = 5000");
            statement.execute("pragma query_only = on");
            // A Stet named by STET_JAR may still keep a usage log.
            boolean isLogged = number(statement, "select count(*) from sqlite_schema where name = 'usage_log'") > 0;
            return number(statement, "select sum(used) from " + (isLogged ? "(select used from usage union all select used from usage_log)" : "usage"));
        }
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }

    /**
     * Like {@link #used}, but waits until the count is stable: the last requests are counted shortly after a load ends.
     */
    long usedAtRest() throws SQLException, InterruptedException {
        long before = used();
        for (int looks = 0; looks < LOOKS; looks++) {
            Thread.sleep(LOOK);
            long now = used();
            if (now == before) {
                return now;
            }
            before = now;
        }
        throw new Broken("requests are counted though there is no load");
    }
}
