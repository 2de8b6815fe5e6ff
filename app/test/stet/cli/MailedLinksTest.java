package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.core.Plan;
import stet.harness.MailSink;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.Db;

/** Commands put emails into the queue, and serve sends them; a restored database sends none of its own. */
class MailedLinksTest {
    private static final String URL = "https://stet.example.com";

    @TempDir
    Path folder;
    private MailSink sink;
    private Terminal terminal;

    @BeforeEach
    void start() throws IOException {
        sink = new MailSink();
        terminal = new Terminal(folder.resolve("data"));
        terminal.account("ada@example.com", "pro");
        change("update users set confirmed = 1");
    }

    @AfterEach
    void close() {
        sink.close();
    }

    private void change(String sql) {
        try (Db db = Db.open(folder.resolve("data"), false)) {
            db.change(dao -> dao.sql().execute(sql));
        }
    }

    private long number(String sql) {
        try (Db db = Db.open(folder.resolve("data"), false)) {
            return db.read(dao -> dao.sql().number(sql));
        }
    }

    private Terminal.Serving serve() {
        return terminal.serve("serve", "--listen", "127.0.0.1:0", "--base-url", URL, "--smtp", sink.url(), "--smtp-from", "stet@example.com");
    }

    private static String alsoEmailed(String email) {
        return "Also emailed to " + email + " while serve runs with --smtp.\n";
    }

    private MailSink.Mail mail() {
        assertTrue(Running.comes(() -> !sink.mails.isEmpty()));
        return sink.mails.remove(0);
    }

    /** An invitation, a reset and two notices beside one serve, as each start takes long; an address that is not confirmed gets none. */
    @Test
    void aRunningServeSendsTheEmailsOfCommands() {
        Terminal.Serving serving = serve();
        Terminal.Result invited = terminal.run("user", "invite", "ben@example.com", "--account", "ada@example.com", "--base-url", URL);
        assertTrue(invited.err().startsWith(alsoEmailed("ben@example.com")), invited.err());
        MailSink.Mail mail = mail();
        assertEquals("ben@example.com Invitation to ada@example.com", mail.to() + " " + mail.header("Subject"));
        assertTrue(mail.text().contains(URL + "/join#") && mail.text().contains("because an administrator entered your address"), mail.text());
        assertFalse(mail.text().contains(invited.out().strip()), "the printed link has a secret of its own");

        assertTrue(terminal.run("user", "reset", "ada@example.com", "--base-url", URL).err().startsWith(alsoEmailed("ada@example.com")));
        mail = mail();
        assertTrue(mail.text().contains("An administrator made this link with which you can choose a new password for ada@example.com"), mail.text());

        terminal.done("user", "password", "ada@example.com");
        MailSink.Mail changed = mail();
        assertEquals("ada@example.com Your password was changed", changed.to() + " " + changed.header("Subject"));

        change("update users set totp_secret = randomblob(20), totp_step = 1 where email = 'ada@example.com'");
        terminal.done("user", "two-factor", "ada@example.com", "--off");
        changed = mail();
        assertEquals("ada@example.com Two-factor authentication was changed", changed.to() + " " + changed.header("Subject"));
        assertTrue(changed.text().contains("It is now off"), changed.text());

        change("update users set confirmed = 0"); // no email goes to an address that is not confirmed
        assertNotEmailed("user", "reset", "ada@example.com", "--base-url", URL);
        terminal.done("user", "password", "ada@example.com");
        serving.close();
        assertEquals(List.of(), sink.mails);
    }

    private void assertNotEmailed(String... command) {
        Terminal.Result result = terminal.run(command);
        assertEquals(0, result.code(), result.err());
        assertFalse(result.err().contains("emailed"), result.err());
    }

    @Test
    void theFirstOwnerIsInvitedByEmail() {
        Terminal.Serving serving = serve();
        try (Db db = Db.open(folder.resolve("data"), false)) {
            db.change(dao -> dao.accounts().addEmpty("Acme", Plan.PRO, terminal.clock.instant()));
        }
        assertTrue(terminal.run("account", "invite", "Acme", "olga@example.com", "--base-url", URL).err().startsWith(alsoEmailed("olga@example.com")));
        assertEquals("olga@example.com", mail().to());
        assertNotEmailed("account", "invite", "Acme", "--base-url", URL);
        assertEquals("\"olga\" is not a valid email address; enter an address such as ada@example.com",
                terminal.run("account", "invite", "Acme", "olga", "--base-url", URL).err().strip());
        serving.close();
    }

    /** The link is printed even if no further email may be sent. */
    @Test
    void anAddressGetsThreeInvitationsADayByCommand() {
        Terminal.Serving serving = serve();
        List<String> messages = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Terminal.Result invited = terminal.run("user", "invite", "ben@example.com", "--account", "ada@example.com", "--base-url", URL);
            assertEquals(0, invited.code());
            messages.add(invited.err().lines().findFirst().orElseThrow() + "\n");
        }
        assertEquals(List.of(alsoEmailed("ben@example.com"), alsoEmailed("ben@example.com"), alsoEmailed("ben@example.com"),
                "ben@example.com has had 3 invitations by email within a day; create a link without an email\n"), messages);
        assertTrue(terminal.run("user", "invite", "carl@example.com", "--account", "ada@example.com", "--base-url", URL).err().startsWith(alsoEmailed("carl@example.com")));
        serving.close();
    }

    @Test
    void withoutAMailServerCommandsPutNothingIntoTheQueue() {
        serve().close();
        assertEquals(1, number("select sends from mail_settings"));
        terminal.serve("serve", "--listen", "127.0.0.1:0").close();
        assertNotEmailed("user", "invite", "ben@example.com", "--account", "ada@example.com");
        assertNotEmailed("user", "reset", "ada@example.com");
        terminal.done("user", "password", "ada@example.com");
        assertEquals(0, number("select count(*) from mails"));
    }

    @Test
    void noNoticeTellsOfAPasswordThatWasUndone() {
        serve().close();
        terminal.room = 0;
        assertTrue(terminal.run("user", "password", "ada@example.com").err().contains("so the old password was restored"));
        assertEquals(0, number("select count(*) from mails"));
    }

    /** Even if the shell has serve's variables. */
    @Test
    void demosAndTestDoublesSendNothing() {
        terminal.environment.put("STET_SMTP", sink.url());
        terminal.environment.put("STET_SMTP_FROM", "stet@example.com");
        Terminal.Serving demo = terminal.serve("demo", "--listen", "127.0.0.1:0");
        assertTrue(demo.get("/data/mail", null).text().contains("{\"on\":false}"), demo.get("/data/mail", null).text());
        demo.close();
        assertEquals("\"demo\" has no option --smtp; \"help demo\" lists its options", terminal.run("demo", "--smtp", sink.url()).err().strip());
        assertEquals("\"fixture\" has no option --smtp; \"help fixture\" lists its options",
                terminal.run("fixture", folder.toString(), "--smtp", sink.url()).err().strip());
        assertEquals(List.of(), sink.commands);
    }

    /** Most of them were sent after the backup. */
    @Test
    void aRestoredDatabaseSendsNoneOfItsEmails() throws IOException {
        serve().close();
        assertTrue(terminal.run("user", "invite", "ben@example.com", "--account", "ada@example.com", "--base-url", URL).err().startsWith(alsoEmailed("ben@example.com")));
        change("insert into mails (kind, address, state, created_at, due_at) values ('reset', 'nobody@example.com', 'sending', 0, 0)");
        terminal.done("backup", folder.resolve("copy.db").toString());
        Terminal.Serving serving = serve();
        assertEquals("ben@example.com", mail().to());
        serving.close();
        terminal.done("restore", folder.resolve("copy.db").toString());
        assertEquals(2, number("select count(*) from mails where state = 'dropped' and outcome = 'the database was restored from a backup' and ended_at > 0"));
        serving = serve();
        assertTrue(terminal.run("user", "invite", "carl@example.com", "--account", "ada@example.com", "--base-url", URL).err().startsWith(alsoEmailed("carl@example.com")));
        assertEquals("carl@example.com", mail().to());
        serving.close();
        assertEquals(List.of(), sink.mails);
        assertTrue(Files.exists(folder.resolve("copy.db")));
    }
}
