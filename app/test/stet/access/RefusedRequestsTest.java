package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Requests refused with 403 leave a line in the log; repeated ones are counted, so that no client can flood the log. */
class RefusedRequestsTest {
    private static final String OWNERS = "why=\"Only owners of the account can do this\"";
    private static final String CROSS_SITE = "why=\"Requests from another site are not allowed\"";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private Browser writer;

    @BeforeEach
    void fill() {
        writer = Browser.of(stet, ada, stet.member(ada, "will@example.com", Role.WRITER, "correct horse"));
        stet.template(ada, "welcome", "<p>Hi</p>");
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.WRITER, "stet_deploy_writer", null, stet.now()));
    }

    private void logs(String expected, Runnable work) {
        assertEquals(expected, String.join("\n", Running.logged(work).lines().map(line -> line.substring(25)).toList()));
    }

    @Test
    void aRejectedRequestIsLoggedWithUserRouteAndReason() {
        logs("WARN request-rejected method=DELETE path=/data/templates/:id " + OWNERS + " by=will@example.com address=127.0.0.1",
                () -> assertEquals(403, writer.delete("/data/templates/welcome").status()));
        logs("WARN request-rejected method=POST path=/data/templates/:id/publish why=\"Only editors and owners of the account can do this\""
                + " by=will@example.com address=192.0.2.7", () -> assertEquals(403,
                writer.post("/data/templates/welcome/publish", "{\"revision\":1}", "X-Forwarded-For: 192.0.2.7").status()));
        logs("WARN request-rejected method=GET path=/data/installation why=\"Only administrators of this server can do this\""
                + " by=will@example.com address=127.0.0.1", () -> assertEquals(403, writer.get("/data/installation").status()));
        logs("WARN request-rejected method=POST path=/push why=\"Publishing, pruning and rollback require a deploy token with the editor role\""
                + " by=\"token ci\" address=127.0.0.1",
                () -> assertEquals(403, stet.send("POST", "/push?prune=true", "stet_deploy_writer", "Content-Length: 0").status()));
        logs("WARN request-rejected method=POST path=/data/check " + CROSS_SITE + " address=127.0.0.1",
                () -> assertEquals(403, writer.post("/data/check", "{}", "Sec-Fetch-Site: cross-site").status()));
        stet.db.change(dao -> dao.accounts().setSuspended(ada, true, stet.now()));
        logs("WARN request-rejected method=GET path=/data/templates why=\"This account is suspended; contact an administrator\""
                + " by=will@example.com address=127.0.0.1", () -> assertEquals(403, writer.get("/data/templates").status()));
    }

    /** The API's refusals are on the Usage page; 404 and 401 are no refusals of rights. */
    @Test
    void responsesOtherThanRejectionsAreNotLogged() {
        String key = stet.key(stet.account("none@example.com", Plan.NONE));
        logs("", () -> {
            assertEquals(403, stet.get(Running.TEMPLATES + "welcome", key).status());
            assertEquals(404, writer.get("/data/templates/no-such").status());
            assertEquals(401, Browser.of(stet).get("/data/templates").status());
        });
    }

    @Test
    void repeatedRefusalsAreCounted() {
        logs("WARN request-rejected method=GET path=/data/keys " + OWNERS + " by=will@example.com address=127.0.0.1\n"
                + "WARN request-rejected method=POST path=/data/check " + CROSS_SITE + " address=127.0.0.1\n"
                + "WARN repeated of=request-rejected failure=\"OWNERS_ONLY will@example.com\" times=5 seconds=0",
                () -> {
                    for (String path : List.of("keys", "keys", "tokens", "webhook", "backups", "keys")) {
                        assertEquals(403, writer.get("/data/" + path).status());
                    }
                    writer.post("/data/check", "{}", "Sec-Fetch-Site: cross-site");
                });
    }

    /** Neither many addresses nor long or hostile values flood or forge the log, nor do they use up the lines for failures. */
    @Test
    void aFloodOfRejectionsLeavesBoundedSafeLines() {
        String log = Running.logged(() -> {
            try (Client client = stet.client()) {
                for (int i = 0; i < 400; i++) {
                    client.write("GET /data/session HTTP/1.1\r\nHost: evil.example\u0085" + "h".repeat(3_000)
                            + "\r\nX-Forwarded-For: 198.51." + i / 200 + "." + i % 200 + "\r\n\r\n");
                    assertEquals(403, client.read(false).status());
                }
            }
            stet.clock.fail(() -> new IllegalStateException("injected"));
            assertEquals(500, stet.get(Running.TEMPLATES + "welcome", stet.key(ada)).status());
        });
        assertEquals(101, log.lines().filter(line -> line.contains(" WARN request-rejected ")).count());
        assertTrue(log.contains(" WARN repeated of=others failure=\"\" times=299 seconds="), log);
        assertTrue(log.contains(" ERROR request-failed "), log);
        assertTrue(log.lines().filter(line -> line.contains(" WARN ")).allMatch(line -> line.length() < 800 && line.chars().allMatch(c -> c < 127)));
    }
}
