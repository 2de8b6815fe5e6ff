package stet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import stet.base.Secret;
import stet.core.Account;
import stet.core.DailyRequests;
import stet.core.Draft;
import stet.core.Password;
import stet.core.Plan;
import stet.dao.Dao;
import stet.sqlite.Db;

/** Data folders of several sizes, each varying one kind of data. The DAOs write each folder in at most half a minute. */
enum GrowthData {
    /** Accounts, each with a user, a key, a template and a year of counted periods. The author is an administrator. */
    ACCOUNTS("accounts", 1, 1_000, 20_000),
    /** Published templates of the author, fetched every day. */
    TEMPLATES("templates", 10, 1_000, 10_000),
    /** Versions of the author's template "welcome". */
    VERSIONS("versions", 1, 50, 5_000),
    /** Published templates of the author that include the shared block "footer". */
    USERS("users of a block", 10, 1_000);

    static final int HTML = 4 << 10;
    static final String BLOCK = "footer";
    private static final int BLOCK_HTML = 1 << 10;
    private static final int PERIODS = 12;
    private static final int DAYS = 26;
    private static final long REQUESTS = 999_999_999;
    /** Rows per transaction. */
    private static final int BATCH = 500;

    final String things;
    final List<Integer> sizes;

    GrowthData(String things, Integer... sizes) {
        this.things = things;
        this.sizes = List.of(sizes);
    }

    /** Returns a fresh copy. */
    Data copy(int size) throws Exception {
        Data made = new Data(Lab.FOLDER.resolve("growth-" + name().toLowerCase(Locale.ROOT) + "-" + size + "-" + Crowd.tables(Lab.JAR)));
        if (!made.exists()) {
            long begin = System.nanoTime();
            make(made, size);
            Lab.say("    made " + Figures.whole(size) + " " + things + " in " + (System.nanoTime() - begin) / 1_000_000 + " ms");
        }
        return Crowd.copyOf(made, "growth");
    }

    private void make(Data data, int size) throws IOException {
        Data made = new Data(data.folder().resolveSibling("growth.new"));
        Lab.delete(made.folder());
        Files.createDirectories(made.folder());
        SecureRandom random = new SecureRandom();
        Instant begin = Instant.now().minus(Duration.ofDays(360)).truncatedTo(ChronoUnit.MILLIS);
        String key = Secret.newKey(random);
        try (Db db = Db.open(made.stet(), true)) {
            String password = Password.hash(Data.PASSWORD, Data.AUTHOR, random);
            Account author = db.write(dao -> account(dao, Data.AUTHOR, password, key, begin));
            db.change(dao -> dao.accounts().setAdministrator(dao.people().find(Data.AUTHOR).orElseThrow(), true, begin));
            switch (this) {
                case ACCOUNTS -> batches(db, 1, size, (dao, i) -> account(dao, "account" + i + "@example.com", null, Secret.newKey(random), begin));
                case TEMPLATES -> {
                    batches(db, 1, size, (dao, i) -> publish(dao, author, "mail-" + i, "", i, begin));
                    db.change(dao -> fetchAll(dao, author));
                }
                case VERSIONS -> batches(db, 1, size, (dao, i) -> publish(dao, author, "welcome", "", i, begin.plus(Duration.ofMinutes(i))));
                case USERS -> {
                    db.change(dao -> dao.blocks().save(author.id(), BLOCK, Data.html(BLOCK_HTML, 0), begin));
                    batches(db, 0, size, (dao, i) -> publish(dao, author, "mail-" + i, "{{> " + BLOCK + "}}", i, begin));
                }
            }
        }
        Files.writeString(made.keys(), key + "\n");
        Files.writeString(made.folder().resolve("author"), key + "\n");
        Files.move(made.folder(), data.folder(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Adds requests for each template on each of the last {@link #DAYS} days. */
    private static void fetchAll(Dao dao, Account author) {
        Instant now = Instant.now();
        for (int i = 0; i < DAYS; i++) {
            Instant at = now.minus(Duration.ofDays(i));
            dao.sql().update("""
                    insert into requests (account_id, period_start, day, key_id, template, missed, requests, last_at)
                    select ?1, ?2, ?3, k.id, t.id, 0, 7, ?4
                    from api_keys k join templates t on t.account_id = k.account_id
                    where k.account_id = ?1
                    """, author.id(), author.period(at).start(), DailyRequests.day(at), at);
        }
    }

    private static void batches(Db db, int from, int to, BiConsumer<Dao, Integer> add) {
        for (int first = from; first < to; first += BATCH) {
            int begin = first;
            db.change(dao -> {
                for (int i = begin; i < Math.min(to, begin + BATCH); i++) {
                    add.accept(dao, i);
                }
            });
        }
    }

    private static Account account(Dao dao, String email, String password, String key, Instant begin) {
        Account added = dao.accounts().add(email, Plan.PRO, begin, begin, password);
        dao.accounts().changeLimits(added.id(), REQUESTS, null);
        Account account = dao.accounts().find(added.id()).orElseThrow();
        dao.keys().add(account, "bench", key, begin);
        for (int i = 0; i < PERIODS; i++) {
            Instant at = begin.plus(Duration.ofDays(31L * i));
            dao.usage().set(account, account.period(at).start(), 1_000 + i);
        }
        publish(dao, account, "welcome", "", added.id(), begin);
        return account;
    }

    private static void publish(Dao dao, Account account, String id, String end, long seed, Instant at) {
        byte[] html = (new String(Data.html(HTML, seed), StandardCharsets.US_ASCII) + end).getBytes(StandardCharsets.US_ASCII);
        dao.templates().save(account.id(), new Draft(id, "Mail " + id, "Hi {{name}}", html, Map.of("a", "{\"name\": \"Ada\"}")), at);
        dao.versions().publish(account.id(), id, "version of " + at, at);
    }
}
