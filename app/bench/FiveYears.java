package stet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Draft;
import stet.core.KeyGrant;
import stet.core.Password;
import stet.core.Plan;
import stet.sqlite.Db;
import stet.sqlite.Statistics;

/**
 * Simulates five years of a team that publishes 40 versions a day. The store itself writes the data, in a minute or two.
 *
 * <pre>
 * Data.AUTHOR     50 templates, one of them with 1,023 versions; 10 keys that fetch each template every day
 * 999 accounts    2 templates with 36 versions each; one key that fetches one of them every second day
 * total           73,000 versions of 16 KiB, 1,824,587 rows of requests, 61,000 counts
 * </pre>
 *
 * <p>HTML, days and times are deterministic, counted back from the start of today.
 */
final class FiveYears {
    private static final int DAYS = 5 * 365;
    private static final int ACCOUNTS = 999;
    private static final int VERSIONS = 36;
    private static final int TEMPLATES = 50;
    private static final int AUTHORED = 1_023;
    private static final int KEYS = 10;
    private static final long REQUESTS = 999_999_999;
    /** Statistics are summed in memory and written in batches of this many rows. */
    private static final int BATCH = 10_000;

    private final Db db;
    private final Statistics statistics;
    private final SecureRandom random = new SecureRandom();
    private final Instant end;
    private final Instant begin;
    private final List<String> keys = new ArrayList<>();
    private int counted;

    private FiveYears(Db db, Instant now) {
        this.db = db;
        this.statistics = new Statistics(db);
        this.end = now.truncatedTo(ChronoUnit.DAYS);
        this.begin = end.minus(Duration.ofDays(DAYS));
    }

    /** Returns a fresh copy of the data after the five years. */
    static Data copy() throws Exception {
        if (!Lab.JAR.equals(Lab.BUILT)) {
            throw new Broken("STET_JAR is not for this row: its data is made by the Stet that is built here");
        }
        Data made = new Data(Lab.FOLDER.resolve("five-years-" + Crowd.tables(Lab.JAR)));
        if (!made.exists()) {
            Lab.say("making the data \"five-years\", which is kept in " + made.folder());
            long begin = System.nanoTime();
            make(made);
            Lab.say("made in " + (System.nanoTime() - begin) / 1_000_000_000 + " s");
        }
        return Crowd.copyOf(made, "five-years");
    }

    private static void make(Data data) throws IOException {
        Data made = new Data(data.folder().resolveSibling("five-years.new"));
        Lab.delete(made.folder());
        Files.createDirectories(made.folder());
        try (Db db = Db.open(made.stet(), true)) {
            FiveYears years = new FiveYears(db, Instant.now());
            years.addAuthor(made.folder());
            for (int i = 0; i < ACCOUNTS; i++) {
                years.addAccount(i);
            }
            years.statistics.write();
            new stet.upkeep.Sweeper(db).sweep(years.end);
            Files.write(made.keys(), years.keys);
        }
        Files.move(made.folder(), data.folder(), StandardCopyOption.ATOMIC_MOVE);
    }

    private void addAuthor(Path folder) throws IOException {
        String password = Password.hash(Data.PASSWORD, Data.AUTHOR, random);
        Account account = add(Data.AUTHOR, Plan.PRO, password);
        List<KeyGrant> grants = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            String key = addKey(account, grants);
            if (i == 0) {
                Files.writeString(folder.resolve("author"), key + "\n");
            }
        }
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < TEMPLATES; i++) {
            ids.add(i == 0 ? "welcome" : "mail-" + i);
            addVersions(account, ids.get(i), i == 0 ? AUTHORED : 1, i);
        }
        request(account, grants, ids, 1);
    }

    private void addAccount(int number) {
        Account account = add("account" + number + "@example.com", Plan.FREE, null);
        List<KeyGrant> grants = new ArrayList<>();
        keys.add(addKey(account, grants));
        addVersions(account, "welcome", VERSIONS, 2L * number);
        addVersions(account, "receipt", VERSIONS, 2L * number + 1);
        request(account, grants, List.of("welcome"), 2);
    }

    private Account add(String email, Plan plan, String password) {
        return db.write(dao -> {
            dao.accounts().changeLimits(dao.accounts().add(email, plan, begin, begin, password).id(), REQUESTS, (long) KEYS);
            return dao.accounts().find(email).orElseThrow();
        });
    }

    private String addKey(Account account, List<KeyGrant> grants) {
        String key = Secret.newKey(random);
        db.change(dao -> dao.keys().add(account, "key " + (grants.size() + 1), key, begin));
        grants.add(db.read(dao -> dao.keys().access(Secret.sha256(key))).orElseThrow());
        return key;
    }

    /** Adds versions, spread over the five years. */
    private void addVersions(Account account, String id, int versions, long seed) {
        Duration between = Duration.between(begin, end).dividedBy(versions + 1);
        db.change(dao -> {
            for (int i = 1; i <= versions; i++) {
                Instant at = begin.plus(between.multipliedBy(i)).truncatedTo(ChronoUnit.MILLIS);
                byte[] html = Data.html(Data.HTML, seed << 32 | i);
                dao.templates().save(account.id(), new Draft(id, "Mail " + id, "Hi {{name}}", html, Map.of("a", "{\"name\": \"Ada\"}")), at);
                dao.versions().publish(account.id(), id, "version " + i, at);
            }
        });
    }

    /** Adds each key's requests for each template, and each period's usage. */
    private void request(Account account, List<KeyGrant> grants, List<String> ids, int everyDays) {
        Instant period = null;
        for (int day = 0; day < DAYS; day += everyDays) {
            Instant at = begin.plus(Duration.ofDays(day)).plus(Duration.ofHours(9));
            Instant start = account.period(at).start();
            if (!start.equals(period)) {
                period = start;
                db.change(dao -> dao.usage().set(account, start, 30L * grants.size() * ids.size()));
            }
            for (KeyGrant grant : grants) {
                for (String id : ids) {
                    statistics.counted(grant, start, id, 200, true, at);
                    if (++counted % BATCH == 0) {
                        statistics.write();
                    }
                }
            }
        }
    }
}
