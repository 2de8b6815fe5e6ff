package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Version;
import stet.harness.Client;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.Db;

/** Backups made under full load and during publishing contain everything answered before they started, byte for byte. */
@Tag("slow")
class PromiseOfBackupTest {
    private static final int BACKUPS = 20;
    private static final int ACCOUNTS = 4;
    private static final int TEMPLATES = 3;
    /** Versions of each template published during a backup. */
    private static final int ROUNDS = 2;

    @TempDir
    Path home;

    @AutoClose
    private final Running stet = new Running();
    private final Terminal terminal = new Terminal(stet.folder);
    private final List<Account> accounts = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private final List<AtomicInteger> answered = new ArrayList<>();
    /** The last version reported as published, for each template in each account. */
    private final List<AtomicInteger> published = new ArrayList<>();
    private final Semaphore rounds = new Semaphore(0);
    private final AtomicBoolean end = new AtomicBoolean();

    private static String html(int account, int template, int version) {
        return ("<p>Grüße " + account + " " + template + " " + version + "</p>\n").repeat(1 + 37 * version % 500);
    }

    private Void ask(int account) {
        try (Client client = new Client(stet.server.address())) {
            for (int i = 0; !end.get(); i++) {
                Client.Reply reply = client.get(Running.TEMPLATES + "mail-" + i % TEMPLATES + "?format=html", keys.get(account));
                if (reply.status() != 503) { // the template was published too often to be read consistently
                    assertEquals(200, reply.status());
                    answered.get(account).incrementAndGet();
                }
            }
        }
        return null;
    }

    /** Publishes all templates for several rounds during each backup. */
    private Void publishAll() throws InterruptedException {
        for (int version = 2; !end.get(); version++) {
            rounds.acquire();
            for (int i = 0; i < ACCOUNTS * TEMPLATES; i++) {
                publish(i / TEMPLATES, i % TEMPLATES, version);
            }
        }
        return null;
    }

    private void publish(int account, int template, int version) {
        stet.template(accounts.get(account), "mail-" + template, html(account, template, version));
        published.get(account * TEMPLATES + template).set(version);
    }

    private static List<Integer> values(List<AtomicInteger> counters) {
        return counters.stream().map(AtomicInteger::get).toList();
    }

    @Test
    void aBackupHoldsWhatWasAnsweredBeforeItBegan() throws Exception {
        for (int account = 0; account < ACCOUNTS; account++) {
            accounts.add(stet.account(account + "@example.com", Plan.PRO));
            stet.limit(accounts.get(account), 900_000_000);
            keys.add(stet.key(accounts.get(account)));
            answered.add(new AtomicInteger());
            for (int template = 0; template < TEMPLATES; template++) {
                published.add(new AtomicInteger());
                publish(account, template, 1);
            }
        }
        List<List<Integer>> answeredBefore = new ArrayList<>();
        List<List<Integer>> publishedBefore = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Void>> load = new ArrayList<>();
            IntStream.range(0, ACCOUNTS).forEach(account -> load.add(threads.submit(() -> ask(account))));
            load.add(threads.submit(this::publishAll));
            for (int i = 0; i < BACKUPS; i++) {
                rounds.release(ROUNDS);
                List<Integer> before = values(answered);
                assertTrue(Running.comes(() -> IntStream.range(0, ACCOUNTS)
                        .allMatch(account -> answered.get(account).get() > before.get(account)) || load.stream().anyMatch(Future::isDone)));
                answeredBefore.add(values(answered));
                publishedBefore.add(values(published));
                Terminal.Result result = terminal.run("backup", home.resolve(i + ".db").toString());
                assertEquals(0, result.code(), result.err());
            }
            end.set(true);
            rounds.release();
            for (Future<Void> each : load) {
                each.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            end.set(true);
            threads.shutdownNow();
        }
        for (int i = 0; i < BACKUPS; i++) {
            check(i, answeredBefore.get(i), publishedBefore.get(i));
        }
    }

    /** Restores a backup into a new folder and compares everything. */
    private void check(int backup, List<Integer> answeredBefore, List<Integer> publishedBefore) {
        Path folder = home.resolve("restored-" + backup);
        terminal.environment.put("STET_DATA", folder.toString());
        Terminal.Result result = terminal.run("restore", home.resolve(backup + ".db").toString());
        assertEquals(0, result.code(), result.err());
        try (Db db = Db.open(folder, false)) {
            for (int i = 0; i < ACCOUNTS; i++) {
                Account account = accounts.get(i);
                long used = db.read(dao -> dao.usage().used(account, account.period(stet.now()).start()));
                assertTrue(used >= answeredBefore.get(i), "backup " + backup + ": " + used + " of " + answeredBefore.get(i));
                for (int template = 0; template < TEMPLATES; template++) {
                    check(db, i, template, publishedBefore.get(i * TEMPLATES + template));
                }
            }
        }
    }

    private void check(Db db, int account, int template, int least) {
        long id = accounts.get(account).id();
        String name = "mail-" + template;
        int versions = db.read(dao -> dao.versions().list(id, name, Long.MAX_VALUE, Integer.MAX_VALUE)).size();
        assertTrue(versions >= least, versions + " of " + least);
        for (int number = 1; number <= versions; number++) {
            int version = number;
            Version.VersionText text = db.read(dao -> dao.versions().find(id, name, version)).orElseThrow();
            assertEquals(html(account, template, number), new String(text.html(), StandardCharsets.UTF_8));
        }
        String served = db.read(dao -> new String(dao.templates().published(id, name).orElseThrow().html(), StandardCharsets.UTF_8));
        assertEquals(html(account, template, versions), served);
    }
}
