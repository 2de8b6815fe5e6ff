package stet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Refusal;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Running;
import stet.sqlite.Db;

/** API keys (api.md, The key): how many there can be, and when they stop working. */
class KeysTest {
    @AutoClose
    private final Running stet = new Running();

    @ParameterizedTest(name = "20 at once on {0} give {1}")
    @CsvSource({"FREE, 1", "PRO, 5"})
    void keysMadeAtOnceStayWithinTheLimit(Plan plan, int keys) {
        Account account = stet.account("keys@example.com", plan);
        List<Boolean> made = Crowd.of(20, thread -> () -> {
            try {
                stet.key(account);
                return true;
            } catch (Refusal refusal) {
                assertEquals("keys@example.com has reached its key limit (" + keys + "); delete a key or raise the limit", refusal.getMessage());
                return false;
            }
        });
        assertEquals(keys, made.stream().filter(yes -> yes).count());
        assertEquals(keys, stet.db.read(dao -> dao.keys().list(account.id())).size());
    }

    /** After any process deletes a key, no new request gets a 200. */
    @ParameterizedTest(name = "deleted by {0}")
    @CsvSource({"this process", "another process"})
    void noRequestIsGrantedOnceItsKeyIsDeleted(String by) {
        Account account = stet.account("keys@example.com", Plan.PRO);
        stet.limit(account, 1_000_000);
        stet.template(account, "welcome", "<p>hi</p>");
        String key = stet.key(account);
        long id = stet.db.read(dao -> dao.keys().list(account.id())).get(0).id();
        CountDownLatch warm = new CountDownLatch(8);
        AtomicBoolean deleted = new AtomicBoolean();
        List<Integer> late = Crowd.of(9, thread -> (Callable<Integer>) () -> {
            if (thread == 8) {
                assertTrue(warm.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
                if (by.equals("this process")) {
                    stet.db.change(dao -> dao.keys().delete(account.id(), id, stet.now()));
                } else {
                    try (Db other = Db.open(stet.folder, false)) {
                        other.change(dao -> dao.keys().delete(account.id(), id, stet.now()));
                    }
                }
                deleted.set(true);
                return 0;
            }
            int granted = 0;
            try (Client client = new Client(stet.server.address())) {
                int rest = 50; // requests to send after the deletion
                while (rest > 0) {
                    boolean after = deleted.get();
                    int status = client.get(Running.TEMPLATES + "welcome", key).status();
                    warm.countDown();
                    granted += after && status == 200 ? 1 : 0;
                    rest -= after ? 1 : 0;
                }
            }
            return granted;
        });
        assertEquals(0, late.stream().mapToInt(Integer::intValue).sum());
        assertEquals("Invalid API key", stet.get(Running.TEMPLATES + "welcome", key).text());
    }

    /** The key is checked again in the transaction that counts: what was valid when the request was read is not enough. */
    @Test
    void aKeyThatExpiresBeforeItsRequestIsCountedIsRefused() {
        Account account = stet.account("ada@example.com", Plan.PRO);
        stet.template(account, "welcome", "<p>Hi</p>");
        String key = stet.key(account);
        long id = stet.db.read(dao -> dao.keys().list(account.id())).get(0).id();
        stet.db.change(dao -> dao.keys().rotate(account, id, Secret.newKey(new SecureRandom()), stet.now(), stet.now().plusMillis(1)));
        stet.clock.showLater(Duration.ofMillis(1), "stet.api.Counter");
        Client.Reply reply = stet.get(Running.TEMPLATES + "welcome", key);
        assertEquals("401 Invalid API key", reply.status() + " " + reply.text());
        stet.clock.set(Running.NOW);
        assertEquals(0, stet.used(account));
        assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
        assertEquals(1, stet.used(account));
    }

    @Test
    void noKeyIsWrittenAnywhere() throws IOException {
        Account account = stet.account("keys@example.com", Plan.PRO);
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            keys.add(stet.key(account));
        }
        String log = Running.logged(() -> keys.forEach(key -> stet.get(Running.TEMPLATES + "welcome", key)));
        stet.server.close();
        try (Stream<Path> files = Files.walk(stet.folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String bytes = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                for (String key : keys) {
                    assertFalse(bytes.contains(key.substring(10)), file.toString());
                    assertFalse(log.contains(key.substring(10)));
                }
            }
        }
    }

    @Test
    void keysBeyondThePlanKeepWorkingAfterADowngrade() {
        Account account = stet.account("keys@example.com", Plan.PRO);
        stet.template(account, "welcome", "");
        List<String> keys = Stream.generate(() -> stet.key(account)).limit(3).toList();
        stet.db.change(dao -> dao.accounts().changePlan(account, Plan.FREE, null, stet.now()));
        for (String key : keys) {
            assertEquals(200, stet.get(Running.TEMPLATES + "welcome", key).status());
        }
        assertEquals("keys@example.com has reached its key limit (1); delete a key or raise the limit",
                assertThrows(Refusal.class, () -> stet.key(stet.account("keys@example.com"))).getMessage());
    }

    @Test
    void noTwoAccountsHaveTheSameKey() {
        Account one = stet.account("one@example.com", Plan.PRO);
        Account other = stet.account("other@example.com", Plan.PRO);
        String key = Secret.newKey(new SecureRandom());
        stet.db.change(dao -> dao.keys().add(one, "first", key, stet.now()));
        assertEquals("This key already exists; use another key", assertThrows(Refusal.class,
                () -> stet.db.change(dao -> dao.keys().add(other, "second", key, stet.now()))).getMessage());
    }

    @Test
    void anotherAccountDeletesNoKey() {
        Account one = stet.account("one@example.com", Plan.PRO);
        Account other = stet.account("other@example.com", Plan.PRO);
        String key = stet.key(one);
        stet.db.change(dao -> assertFalse(dao.keys().delete(other.id(), dao.keys().list(one.id()).get(0).id(), stet.now())));
        assertEquals(404, stet.get(Running.TEMPLATES + "no-such", key).status(), "the key is valid");
    }
}
