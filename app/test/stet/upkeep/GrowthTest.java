package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stet.core.Account;
import stet.core.Actor;
import stet.core.DailyRequests;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.SearchQuery;
import stet.dao.Dao;
import stet.dao.RequestLogDao;
import stet.dao.Sql;
import stet.harness.Browser;
import stet.sqlite.Db;
import stet.sqlite.SqliteSteps;

/** SQLite's steps grow no faster than the data: ten times the rows take about ten times the steps at most, and rows not read take none. */
class GrowthTest {
    private static final String AUTHOR = "ada@example.com";
    private static final Instant NOW = Instant.parse("2026-01-31T09:00:00Z");
    private static final int FEW = 30;
    private static final int TIMES = 10;
    /** Maximum growth factor of the steps for ten times as many rows. For quadratic work, the factor is up to 100. */
    private static final double IN_PROPORTION = 11;
    /** The same for work that depends on the number of rows only through the depth of their tree. */
    private static final double CONSTANT = 1.3;

    @TempDir
    static Path folder;

    private interface Work {
        void on(Dao dao, long account);
    }

    private interface Fill {
        void add(Dao dao, Account author, int number);
    }

    /** @param things kind of data that grows */
    private record Case(String name, Things things, double factor, Work work) {
        @Override
        public String toString() {
            return name + ", " + things.name().toLowerCase(Locale.ROOT);
        }
    }

    private enum Things {
        ACCOUNTS(FEW, (dao, author, i) -> {
            Account added = dao.accounts().add("account" + i + "@example.com", Plan.PRO, NOW, NOW, null);
            publish(dao, added, "welcome", "<p>text</p>");
            dao.usage().set(added, added.period(NOW).start(), i);
        }),
        PERIODS(FEW, (dao, author, i) -> dao.usage().set(author, author.period(NOW.minus(Duration.ofDays(32L * (i + 1)))).start(), 1)),
        TEMPLATES(FEW, (dao, author, i) -> publish(dao, author, "mail-" + i, "<p>text</p>")),
        USERS(FEW, (dao, author, i) -> publish(dao, author, "mail-" + i, "<p>text</p>{{> footer}}")),
        /** Templates fetched daily with two keys. */
        FETCHED(FEW, (dao, author, i) -> {
            for (int day = 0; day < 3; day++) {
                Instant at = NOW.minus(Duration.ofDays(day));
                for (long key = 1; key <= 2; key++) {
                    dao.requestLog().add(new RequestLogDao.RequestRow(author.id(), author.period(NOW).start(), DailyRequests.day(at), key, "mail-" + i, false),
                            new RequestLogDao.Tally(1, at));
                }
            }
        }),
        /** Sessions of users without an account. */
        SESSIONS(FEW, (dao, author, i) -> Browser.addSession(dao, "session" + i, dao.users().add("user" + i + "@example.com", null, NOW).id(),
                null, NOW)),
        /** More than the newest versions, which are searched for an identical text. */
        VERSIONS(120, (dao, author, i) -> publish(dao, author, "welcome", "<p>text " + i + "</p>"));

        private final int few;
        private final Fill fill;

        Things(int few, Fill fill) {
            this.few = few;
            this.fill = fill;
        }
    }

    private static void publish(Dao dao, Account account, String id, String html) {
        dao.templates().save(account.id(), draft(id, html), NOW);
        dao.versions().publish(account.id(), id, "", NOW);
    }

    private static Draft draft(String id, String html) {
        return new Draft(id, id, "Hi", html(html), Map.of("a", "{}"));
    }

    private static byte[] html(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Case all(String name, Things things, Work work) {
        return new Case(name, things, IN_PROPORTION, work);
    }

    private static Case constant(String name, Things things, Work work) {
        return new Case(name, things, CONSTANT, work);
    }

    private static Case check(Things things) {
        return all("check", things, (dao, account) -> {
            Integrity.references(dao.sql(), problem -> { });
            new Check(NOW).content(dao.sql());
        });
    }

    static Stream<Case> cases() {
        return Stream.of(
                check(Things.ACCOUNTS), check(Things.TEMPLATES), check(Things.VERSIONS), check(Things.USERS),
                all("account list", Things.ACCOUNTS, (dao, account) -> assertTrue(dao.accounts().lines().size() > FEW)),
                all("user list", Things.ACCOUNTS, (dao, account) -> assertTrue(dao.users().all().size() > FEW)),
                all("counts for the metrics", Things.ACCOUNTS, (dao, account) -> assertTrue(dao.usage().usedSince(NOW.minus(Duration.ofDays(32))).size() >= FEW)),
                constant("counts for the metrics", Things.PERIODS, (dao, account) -> assertEquals(1, dao.usage().usedSince(NOW.minus(Duration.ofDays(32))).size())),
                constant("first page of administration", Things.ACCOUNTS, (dao, account) -> assertEquals(20, dao.accounts().summaries("", 20).size())),
                all("search in administration", Things.ACCOUNTS, (dao, account) -> assertEquals(0, dao.accounts().summaries("nowhere", 20).size())),
                all("list", Things.TEMPLATES, (dao, account) -> assertTrue(dao.templates().list(account).size() > FEW)),
                all("search", Things.TEMPLATES, (dao, account) -> assertEquals(0, dao.library().search(account, SearchQuery.of("nowhere")).templates().size())),
                all("outdated blocks", Things.USERS, (dao, account) -> assertEquals(0, dao.blocks().stale(account).size())),
                constant("keys that fetch a template", Things.FETCHED, (dao, account) -> assertEquals(2,
                        dao.requestLog().callers(account, Set.of("mail-7"), DailyRequests.day(NOW) - 30).get("mail-7").size())),
                all("requests by key", Things.FETCHED, (dao, account) -> assertEquals(2,
                        dao.requestLog().byKey(account, dao.accounts().find(account).orElseThrow().period(NOW).start()).size())),
                constant("expired sessions at a sign-in", Things.SESSIONS, (dao, account) -> dao.sessions().deleteUnusedSince(NOW.minus(Duration.ofDays(30)))),
                constant("save", Things.TEMPLATES, GrowthTest::save),
                constant("publish", Things.TEMPLATES, GrowthTest::publishOne),
                constant("outdated blocks of one", Things.USERS, (dao, account) -> assertEquals(0, dao.blocks().stale(account, "welcome").size())),
                all("save the block", Things.USERS, (dao, account) ->
                        assertTrue(dao.blocks().save(account, "footer", html("<p>new</p>"), NOW.plusSeconds(1)))),
                constant("first page of the history", Things.VERSIONS, (dao, account) -> assertEquals(20, dao.versions().list(account, "welcome", Long.MAX_VALUE, 20).size())),
                constant("save", Things.VERSIONS, GrowthTest::save),
                constant("publish", Things.VERSIONS, GrowthTest::publishOne),
                constant("delete the oldest", Things.VERSIONS, (dao, account) -> assertEquals(5, dao.oldVersions().prune(account, "welcome", 3, 5, NOW).versions())),
                constant("served version", Things.VERSIONS, (dao, account) -> dao.templates().published(account, "welcome").orElseThrow()));
    }

    private static void save(Dao dao, long account) {
        assertTrue(dao.templates().save(account, draft("welcome", "<p>new</p>"), NOW.plusSeconds(1)));
    }

    private static void publishOne(Dao dao, long account) {
        save(dao, account);
        dao.versions().publish(account, "welcome", "", NOW.plusSeconds(1));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void stepsGrowNoFasterThanTheData(Case each) throws SQLException, IOException {
        int size = each.things.few;
        long few = steps(each, size);
        long many = steps(each, TIMES * size);
        assertTrue(few > 5 && many <= few * each.factor, few + " steps with " + size + ", " + many + " with " + TIMES * size);
    }

    /** Steps for the work beside this many things. */
    private static long steps(Case each, int size) throws SQLException, IOException {
        Path made = folder.resolve(each.things + "-" + size);
        if (Files.notExists(made)) {
            make(made, each.things, size);
        }
        Path copy = Files.copy(made.resolve("stet.db"), folder.resolve("copy.db"), StandardCopyOption.REPLACE_EXISTING);
        try (Sql sql = new Sql(DriverManager.getConnection("jdbc:sqlite:" + copy))) {
            sql.execute("pragma foreign_keys = on; pragma journal_mode = off");
            Dao dao = new Dao(sql, Actor.NONE);
            long account = dao.accounts().find(AUTHOR).orElseThrow().id();
            return SqliteSteps.of(sql.connection, () -> each.work.on(dao, account));
        }
    }

    private static void make(Path data, Things things, int size) {
        Instant begin = NOW.minus(Duration.ofDays(40_000));
        try (Db db = Db.open(data, true)) {
            db.change(dao -> {
                Account author = dao.accounts().add(AUTHOR, Plan.PRO, begin, begin, null);
                dao.blocks().save(author.id(), "footer", html("<p>old</p>"), NOW);
                publish(dao, author, "welcome", "<p>text</p>");
                dao.usage().set(author, author.period(NOW).start(), 1);
                for (int i = 0; i < size; i++) {
                    things.fill.add(dao, author, i);
                }
            });
        }
    }
}
