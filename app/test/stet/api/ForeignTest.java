package stet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.dao.Dao;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Running;
import stet.sqlite.Db;

/** Changes by another process, such as a command, apply to the next counted request, and soon to all other requests. */
class ForeignTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account account = stet.account("pro@example.com", Plan.PRO);
    private final String key = stet.key(account);

    @BeforeEach
    void fill() {
        stet.template(account, "welcome", "<p>0</p>");
    }

    private void elsewhere(Consumer<Dao> change) {
        try (Db other = Db.open(stet.folder, false)) {
            other.change(change);
        }
    }

    private String response() {
        return response("?format=html");
    }

    private String response(String format) {
        Client.Reply reply = stet.get(Running.TEMPLATES + "welcome" + format, key);
        return reply.status() + " " + reply.text();
    }

    @Test
    void aCountedResponseIsNeverOutdated() {
        for (int i = 1; i <= 30; i++) {
            assertEquals("200 <p>" + (i - 1) + "</p>", response());
            byte[] html = ("<p>" + i + "</p>").getBytes(StandardCharsets.UTF_8);
            elsewhere(dao -> {
                dao.templates().save(account.id(), new Draft("welcome", "Welcome", "", html, Map.of()), stet.now());
                dao.versions().publish(account.id(), "welcome", "", stet.now());
            });
        }
        assertEquals("200 <p>30</p>", response());
        elsewhere(dao -> dao.trash().remove(account.id(), "welcome", stet.now()));
        assertEquals("404 {\"error\":\"Not found\"}", response());
        elsewhere(dao -> dao.accounts().setLimits(account.id(), 1L, null));
        assertEquals("429 Plan limit exceeded", response());
        elsewhere(dao -> dao.accounts().changePlan(account, Plan.NONE, null, stet.now()));
        assertEquals("403 No active subscription found", response());
    }

    /** Without counted requests, only the periodic check can notice the change. */
    @Test
    void rejectionsAreOutdatedOnlyBriefly() {
        elsewhere(dao -> dao.accounts().changePlan(account, Plan.NONE, null, stet.now()));
        assertEquals("403 No active subscription found", response());
        elsewhere(dao -> dao.accounts().changePlan(account, Plan.PRO, stet.now(), stet.now()));
        assertTrue(Running.comes(() -> response().startsWith("200 ")), "still refused");
        elsewhere(dao -> dao.keys().delete(account.id(), dao.keys().list(account.id()).get(0).id(), stet.now()));
        assertTrue(Running.comes(() -> response("?format=x").startsWith("401 ")), "the key still opens");
    }

    @Test
    void aCountIsExactBesideAnotherWriter() {
        Crowd.of(2, thread -> () -> {
            for (int i = 0; i < 40; i++) {
                if (thread == 0) {
                    assertEquals("200 <p>0</p>", response());
                } else {
                    elsewhere(dao -> dao.accounts().changePlan(account, account.plan(), null, stet.now()));
                }
            }
            return null;
        });
        assertEquals(40, stet.used(account));
    }
}
