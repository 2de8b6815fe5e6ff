package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import stet.base.Secret;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Password;
import stet.core.Role;
import stet.core.Version;
import stet.dao.CommentDao.NewComment;
import stet.dao.ReviewDao;
import stet.harness.Client;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.Db;

/** The effects and output of the commands. */
class CommandsTest {
    @TempDir
    Path folder;
    private Path data;
    private Terminal terminal;

    @BeforeEach
    void aTerminal() {
        data = folder.resolve("data");
        terminal = new Terminal(data);
    }

    // ---- accounts

    @Test
    void accountAddPrintsAGeneratedPassword() {
        Terminal.Result added = terminal.run("account", "add", "ada@example.com");
        assertEquals("0 Account ada@example.com added on plan pro: 1000000 requests per month, 20 keys; ada@example.com is an administrator. "
                + "Change the limits with \"account plan\". The password is shown only once:\n", added.code() + " " + unix(added.err()));
        assertTrue(added.line().matches("[0-9A-Za-z]{6}(-[0-9A-Za-z]{6}){3}"), added.out());
        assertTrue(Password.matches(added.line(), password("ada@example.com")));
        assertEquals("NAME             OWNER            PLAN  REQUESTS  KEYS  USERS  STATE  CREATED                   BYTES  STORAGE\n"
                + "ada@example.com  ada@example.com  pro   1000000   20    1      open   2026-01-31T09:00:00.000Z  0      1073741824\n",
                unix(terminal.done("account", "list")));
    }

    /** Without a plan, an account is for your own apps. */
    @ParameterizedTest
    @CsvSource({"account add ada@example.com, pro 1000000 20", "account add ada@example.com --plan free, free 100 1", "account add ada@example.com --plan pro, pro 5000 5",
        "account add ada@example.com --requests 7, pro 7 20", "account add ada@example.com --keys plan, pro 1000000 5",
        "account add ada@example.com --plan none --keys 3, none 0 3"})
    void aNewAccountHasThePlanAndLimitsOfItsOptions(String command, String expected) {
        terminal.done(command.split(" "));
        List<String> line = List.of(lastLine("account", "list").split(" +"));
        assertEquals(expected, String.join(" ", line.subList(2, 5)));
    }

    /** An account whose password could not be printed was not added, so the next one is the first. */
    @Test
    void onlyTheOwnerOfTheFirstAccountBecomesAnAdministrator() {
        terminal.room = 0;
        assertEquals(2, terminal.run("account", "add", "eve@example.com").code());
        terminal.room = Integer.MAX_VALUE;
        assertEquals("Account ada@example.com added on plan pro: 7 requests per month, 2 keys; ada@example.com is an administrator. "
                + "Change the limits with \"account plan\". The password is shown only once:\n",
                unix(terminal.run("account", "add", "ada@example.com", "--plan", "pro", "--requests", "7", "--keys", "2").err()));
        terminal.done("account", "add", "bob@example.com");
        terminal.done("account", "add", "bob@example.com", "--name", "Second");
        assertEquals("EMAIL            NAME  ADMINISTRATOR  ACCOUNTS\n"
                + "ada@example.com        yes            ada@example.com (owner)\n"
                + "bob@example.com        no             bob@example.com (owner), Second (owner)\n", unix(terminal.done("user", "list")));
    }

    @Test
    void passwordsComeFromAFileOrStandardInput() throws Exception {
        terminal.input = "correct horse\n";
        assertEquals("", terminal.done("account", "add", "ada@example.com", "--password-file", "-", "--plan", "pro"));
        assertTrue(Password.matches("correct horse", password("ada@example.com")));
        Path file = Files.writeString(folder.resolve("secret"), " battery staple \r\n");
        terminal.environment.put("STET_PASSWORD_FILE", file.toString());
        assertEquals("", terminal.done("account", "password", "ada@example.com"));
        assertTrue(Password.matches(" battery staple ", password("ada@example.com")));
    }

    /** A name with spaces around it would look like the name of another account. */
    @Test
    void spacesAroundAnAccountsNameAreRemoved() {
        terminal.account("ada@example.com", "pro");
        assertEquals("Account ada@example.com renamed to Acme\n", unix(terminal.run("account", "rename", "ada@example.com", " Acme ").err()));
        assertTrue(lastLine("account", "list").startsWith("Acme "), lastLine("account", "list"));
        assertEquals("An account named Acme already exists; choose another name\n", refused("account", "add", "bob@example.com", "--name", "Acme "));
        String added = unix(terminal.run("account", "add", "bob@example.com", "--name", " Cove ").err());
        assertTrue(added.startsWith("Account Cove added on plan pro: "), added);
    }

    @Test
    void anOwnersAddressIsNoPasswordEvenIfTheAccountIsNamed() {
        terminal.account("ada@example.com", "pro");
        terminal.done("account", "rename", "ada@example.com", "Acme");
        terminal.input = "ada@example.com\n";
        assertEquals("The password must not be the email address\n", refused("user", "password", "Acme", "--password-file", "-"));
        assertNull(password("ada@example.com"));
    }

    @Test
    void aPasswordChangedByAnAccountsNameIsReportedWithItsUser() {
        terminal.account("ada@example.com", "pro");
        terminal.done("account", "rename", "ada@example.com", "Acme");
        terminal.input = "correct horse\n";
        assertEquals("Password of ada@example.com changed\n", unix(terminal.run("user", "password", "Acme", "--password-file", "-").err()));
        assertEquals("Password of ada@example.com changed\n", unix(terminal.run("user", "password", "ADA@example.com", "--password-file", "-").err()));
    }

    @Test
    void accountDeleteDeletesItsKeys() {
        String key = terminal.account("ada@example.com", "pro");
        assertEquals("", terminal.done("account", "delete", "ada@example.com", "--yes"));
        assertEquals(List.of("NAME  OWNER  PLAN  REQUESTS  KEYS  USERS  STATE  CREATED  BYTES  STORAGE"), terminal.done("account", "list").lines().toList());
        try (Db db = Db.open(data, false)) {
            assertTrue(db.read(dao -> dao.keys().access(Secret.sha256(key))).isEmpty());
        }
    }

    // ---- users

    @Test
    void userListShowsAccountsAndRoles() {
        terminal.account("ada@example.com", "pro");
        terminal.account("zoe@example.com", "free");
        try (Db db = Db.open(data, false)) {
            db.change(dao -> {
                dao.members().setRole(2, 1, Role.EDITOR, terminal.clock.instant());
                dao.users().changeName(1, "Ada");
                dao.users().setAdministrator(1, true);
                dao.users().add("nobody@example.com", null, terminal.clock.instant());
            });
        }
        assertEquals("""
                EMAIL               NAME  ADMINISTRATOR  ACCOUNTS
                ada@example.com     Ada   yes            ada@example.com (owner), zoe@example.com (editor)
                nobody@example.com        no
                zoe@example.com           no             zoe@example.com (owner)
                """, unix(terminal.done("user", "list")));
        String nobody = "{\"email\":\"nobody@example.com\",\"name\":\"\",\"administrator\":false,\"accounts\":[]}";
        String json = terminal.done("user", "list", "--json");
        assertTrue(json.contains(nobody), json);
        assertTrue(json.contains("\"role\":\"editor\""), json);
    }

    @Test
    void userResetPrintsALinkThatARunningServeAccepts() {
        terminal.account("ada@example.com", "pro");
        assertTrue(terminal.done("user", "reset", "ada@example.com").matches("http://127\\.0\\.0\\.1:8080/reset#[0-9A-Za-z]{32}\\R"));
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            String link = terminal.done("user", "reset", "ADA@example.com", "--base-url", serving.url()).strip();
            assertTrue(link.startsWith(serving.url() + "/reset#"), link);
            String secret = "{\"secret\":\"" + link.substring(link.indexOf('#') + 1) + "\"";
            assertTrue(serving.post("/data/link", secret + "}").text().contains("\"madeBy\":\"command line\""));
            assertEquals(204, serving.post("/data/link/reset", secret + ",\"password\":\"battery staple\"}", "Connection: close").status());
        }
        assertTrue(Password.matches("battery staple", password("ada@example.com")));
    }

    @Test
    void userResetNeedsAUserAndAFixedAddress() {
        terminal.account("ada@example.com", "pro");
        assertEquals("User ava@example.com not found; did you mean ada@example.com?\n", refused("user", "reset", "ava@example.com"));
        assertEquals("--listen has no fixed port; use --base-url URL\n",
                refused("user", "reset", "ada@example.com", "--listen", "127.0.0.1:0"));
    }

    @Test
    void aResetLinkThatCannotBePrintedIsRevoked() {
        terminal.account("ada@example.com", "pro");
        terminal.room = 0;
        failsWith("The link works once, expires after 24 hours and is shown only once:\nThe link could not be printed, so it was revoked\n"
                + CANNOT_WRITE, "user", "reset", "ada@example.com");
        try (Db db = Db.open(data, false)) {
            assertEquals(0L, (long) db.read(dao -> dao.sql().number("select count(*) from links")));
        }
    }

    @Test
    void anAccountIsNamedByItsNameOrItsFirstOwner() {
        terminal.account("ada@example.com", "pro");
        terminal.done("account", "rename", "ada@example.com", "Harbour Books");
        assertEquals(terminal.done("usage", "Harbour Books"), terminal.done("usage", "ada@example.com"));
        terminal.done("account", "add", "ada@example.com", "--name", "Quay Books");
        assertEquals("ada@example.com owns several accounts; use one of their names: Harbour Books, Quay Books\n",
                refused("usage", "ada@example.com"));
        assertTrue(terminal.done("usage", "quay books").startsWith("used:       0\nlimit:      1000000\n"));
    }

    private String refused(String... command) {
        Terminal.Result result = terminal.run(command);
        assertEquals(1, result.code(), result.err());
        return unix(result.err());
    }

    // ---- change of plan (api.md, Quota: Pro starts a new, unused period; back on Free, the old window continues)

    @Test
    void aPlanChangesWithItsPeriodAndItsCount() {
        String key = terminal.account("ada@example.com", "free");
        use(key, 3);
        assertEquals("used:       3\nlimit:      100\nperiod end: 2026-03-02T09:00:00.000Z\n", usage());

        terminal.clock.advance(Duration.ofDays(1));
        terminal.done("account", "plan", "ada@example.com", "pro");
        assertEquals("used:       0\nlimit:      5000\nperiod end: 2026-03-01T09:00:00.000Z\n", usage());
        use(key, 2);

        terminal.clock.advance(Duration.ofDays(1));
        terminal.done("account", "plan", "ada@example.com", "pro");
        assertEquals("used:       2\nlimit:      5000\nperiod end: 2026-03-01T09:00:00.000Z\n", usage());

        terminal.done("account", "plan", "ada@example.com", "free");
        assertEquals("used:       3\nlimit:      100\nperiod end: 2026-03-02T09:00:00.000Z\n", usage());

        terminal.done("account", "plan", "ada@example.com", "pro", "--billing-anchor", "2026-02-01T09:00:00Z");
        assertEquals("used:       0\nlimit:      5000\nperiod end: 2026-03-01T09:00:00.000Z\n", usage());

        terminal.done("account", "plan", "ada@example.com", "pro", "--billing-anchor", "2026-01-15T00:00:00Z");
        assertEquals("used:       0\nlimit:      5000\nperiod end: 2026-02-15T00:00:00.000Z\n", usage());

        terminal.done("account", "plan", "ada@example.com", "none");
        assertTrue(usage().startsWith("used:       0\nlimit:      0\n"));
    }

    @Test
    void theSameAnchorKeepsTheCount() {
        String key = terminal.account("ada@example.com", "pro");
        use(key, 2);
        terminal.done("account", "plan", "ada@example.com", "pro", "--billing-anchor", Running.NOW);
        assertTrue(usage().startsWith("used:       2\n"));
    }

    @Test
    void ownLimitsStayUntilTheyAreChanged() {
        terminal.account("ada@example.com", "free");
        terminal.done("account", "plan", "ada@example.com", "free", "--requests", "1000000", "--keys", "3");
        terminal.done("account", "plan", "ada@example.com", "pro");
        assertEquals("ada@example.com  ada@example.com  pro   1000000   3", lastLine("account", "list").substring(0, 51));
        terminal.done("account", "plan", "ada@example.com", "pro", "--requests", "plan");
        assertEquals("ada@example.com  ada@example.com  pro   5000      3", lastLine("account", "list").substring(0, 51));
        terminal.done("account", "plan", "ada@example.com", "pro", "--keys", "plan");
        assertEquals("ada@example.com  ada@example.com  pro   5000      5", lastLine("account", "list").substring(0, 51));
    }

    @Test
    void aLimitChangesWithoutNamingThePlan() {
        String key = terminal.account("ada@example.com", "pro");
        use(key, 2);
        terminal.clock.advance(Duration.ofDays(1));
        assertEquals("Account ada@example.com is on plan pro: 7 requests per month, 5 keys, 1 GiB\n",
                unix(terminal.run("account", "plan", "ada@example.com", "--requests", "7").err()));
        assertEquals("Account ada@example.com is on plan pro: 7 requests per month, 9 keys, 1 GiB\n",
                unix(terminal.run("account", "plan", "ada@example.com", "--keys", "9").err()));
        assertEquals("used:       2\nlimit:      7\nperiod end: 2026-02-28T09:00:00.000Z\n", usage());
        terminal.done("account", "plan", "ada@example.com", "--requests", "plan", "--billing-anchor", "2026-01-15T00:00:00Z");
        assertEquals("used:       0\nlimit:      5000\nperiod end: 2026-02-15T00:00:00.000Z\n", usage());
    }

    @Test
    void aPlanChangeReportsTheLimits() {
        terminal.account("ada@example.com", "free");
        assertEquals("Account ada@example.com is on plan pro: 9 requests per month, 5 keys, 1 GiB\n",
                terminal.run("account", "plan", "ada@example.com", "pro", "--requests", "9").err());
        assertEquals("Account ada@example.com is on plan none: all requests get 403, 5 keys, 1 GiB\n",
                terminal.run("account", "plan", "ada@example.com", "none", "--keys", "5").err());
    }

    // ---- keys

    @Test
    void keyAddPrintsTheKeyAloneAndListsShowItsStartUntilItIsDeleted() {
        terminal.account("ada@example.com", "pro");
        Terminal.Result added = terminal.run("key", "add", "ada@example.com", "the \u00e9 mailer");
        assertEquals("", added.err());
        assertTrue(added.line().matches("stet_[0-9A-Za-z]{38}"));
        assertFalse(Secret.isMistyped(added.line()));
        assertEquals("2   the \u00e9 mailer  " + added.line().substring(0, 9) + "...  2026-01-31T09:00:00.000Z",
                lastLine("key", "list", "ada@example.com"));
        terminal.done("key", "delete", "ada@example.com", "2");
        assertEquals(2, terminal.done("key", "list", "ada@example.com").lines().count());
    }

    @Test
    void aRotatedKeyIsListedUntilItExpires() {
        String start = terminal.account("ada@example.com", "free").substring(0, 9) + "...";
        String fresh = terminal.done("key", "rotate", "ada@example.com", "1").strip();
        String lasting = "2   test  " + Secret.start(fresh) + "...  2026-01-31T09:00:00.000Z";
        assertEquals("1   test  " + start + "  2026-01-31T09:00:00.000Z             2026-02-01T09:00:00.000Z\n" + lasting + "\n",
                unix(terminal.done("key", "list", "ada@example.com")).split("\n", 2)[1]);
        terminal.clock.advance(Duration.ofHours(24));
        assertEquals(lasting + "\n", unix(terminal.done("key", "list", "ada@example.com")).split("\n", 2)[1]);
    }

    @Test
    void aNewKeyDeletesTheExpiredOnes() {
        terminal.account("ada@example.com", "free");
        terminal.done("key", "rotate", "ada@example.com", "1");
        terminal.clock.advance(Duration.ofHours(24));
        terminal.done("account", "plan", "ada@example.com", "pro");
        terminal.done("key", "add", "ada@example.com", "third");
        try (Db db = Db.open(data, false)) {
            assertEquals(List.of(2L, 3L), db.read(dao -> dao.keys().list(1)).stream().map(key -> key.id()).toList());
        }
    }

    @Test
    void aClockSetBackShowsThePeriodThatIsCounted() {
        String key = terminal.account("ada@example.com", "free");
        terminal.clock.advance(Duration.ofDays(30));
        use(key, 2);
        terminal.clock.advance(Duration.ofHours(-1));
        assertEquals("used:       0\nlimit:      100\nperiod end: 2026-03-02T09:00:00.000Z\n", usage());
    }

    // ---- when the machine fails

    @Test
    void aCorruptedDatabaseIsReportedWithExitCode2() throws Exception {
        terminal.account("ada@example.com", "free");
        long page = Long.parseLong(Rows.of(data, "select rootpage from sqlite_schema where name = 'accounts'").get(0));
        try (RandomAccessFile file = new RandomAccessFile(data.resolve("stet.db").toFile(), "rw")) {
            byte[] noise = new byte[4_096];
            Arrays.fill(noise, (byte) 0xa5);
            file.seek((page - 1) * noise.length);
            file.write(noise);
        }
        Terminal.Result result = terminal.run("account", "list");
        assertEquals(2, result.code());
        assertEquals("", result.out());
        assertEquals(1, result.err().lines().count(), result.err());
        assertTrue(result.err().startsWith("Database error: "), result.err());
    }

    // ---- a running serve applies changes at once

    /** One life of a template, a plan, a key and an account beside one serve, as each start takes long. */
    @Test
    void commandsTakeEffectInARunningServe() throws Exception {
        String key = terminal.account("ada@example.com", "pro");
        Path files = Files.createDirectories(folder.resolve("files/templates")).getParent();
        Files.writeString(files.resolve("templates/welcome.html"), "<p>one</p>");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            responds(serving, key, 404, "{\"error\":\"Not found\"}");
            terminal.done("import", files.toString(), "--account", "ada@example.com");
            responds(serving, key, 404, "{\"error\":\"template_not_published\"}");
            assertEquals("welcome  Never published  2026-01-31T09:00:00.000Z  welcome",
                    lastLine("template", "list", "ada@example.com"));
            terminal.done("template", "publish", "ada@example.com", "welcome");
            responds(serving, key, 200, "<p>one</p>");
            Files.writeString(files.resolve("templates/welcome.html"), "<p>two</p>");
            terminal.done("import", files.toString(), "--account", "ada@example.com");
            responds(serving, key, 200, "<p>one</p>");
            assertEquals("welcome  Published, with unpublished changes  2026-01-31T09:00:00.000Z  welcome",
                    lastLine("template", "list", "ada@example.com"));
            assertEquals("Template welcome published as version 2" + System.lineSeparator(),
                    terminal.run("template", "publish", "ada@example.com", "welcome").err());
            responds(serving, key, 200, "<p>two</p>");
            assertEquals("Template welcome is unchanged; nothing was published" + System.lineSeparator(),
                    terminal.run("template", "publish", "ada@example.com", "welcome").err());
            terminal.done("account", "plan", "ada@example.com", "none");
            responds(serving, key, 403, "No active subscription found");
            terminal.done("account", "plan", "ada@example.com", "pro");
            // Rejected requests are not counted, so they do not read the database; the service notices the change by polling.
            assertTrue(Running.comes(() -> get(serving, key).status() == 200));
            assertEquals("This moves template welcome to the trash; requests for the template then get 404. Confirm with --yes." + System.lineSeparator(),
                    terminal.run("template", "delete", "ada@example.com", "welcome").err());
            terminal.done("template", "delete", "ada@example.com", "welcome", "--yes");
            responds(serving, key, 404, "{\"error\":\"Not found\"}");
            terminal.done("key", "delete", "ada@example.com", "1");
            responds(serving, key, 401, "Invalid API key");
            terminal.done("account", "delete", "ada@example.com", "--yes");
            responds(serving, key, 401, "Invalid API key");
            assertEquals(0, serving.end());
        }
    }

    @Test
    void aKeyIsNotRotatedTwiceNorBesideAnEarlierRotation() {
        terminal.account("ada@example.com", "pro");
        terminal.done("key", "rotate", "ada@example.com", "1", "--overlap", "1h");
        assertEquals("1 A key from an earlier rotation still works; delete it first, or let the key being replaced expire immediately\n",
                codeAndErr("key", "rotate", "ada@example.com", "2"));
        assertEquals("1 This key has already been rotated; delete it or rotate the new key\n",
                codeAndErr("key", "rotate", "ada@example.com", "1"));
        assertEquals("1 Account ada@example.com has no key 9; \"key list\" shows the IDs\n",
                codeAndErr("key", "rotate", "ada@example.com", "9"));
        terminal.done("key", "rotate", "ada@example.com", "2", "--overlap", "0h");
        terminal.clock.advance(Duration.ofHours(1));
        terminal.done("key", "rotate", "ada@example.com", "3", "--overlap", "72h"); // expired keys do not count
    }

    @Test
    void aRotatedKeyKeepsWorkingForTheOverlap() throws Exception {
        String first = terminal.account("ada@example.com", "pro");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            String second = terminal.done("key", "rotate", "ada@example.com", "1", "--overlap", "1h").strip();
            assertTrue(second.matches("stet_[0-9A-Za-z]{38}"), second);
            responds(serving, first, 404, "{\"error\":\"Not found\"}");
            responds(serving, second, 404, "{\"error\":\"Not found\"}");
            String third = terminal.done("key", "rotate", "ada@example.com", "2", "--overlap", "0h").strip();
            responds(serving, first, 404, "{\"error\":\"Not found\"}");
            responds(serving, second, 401, "Invalid API key");
            responds(serving, third, 404, "{\"error\":\"Not found\"}");
            assertEquals(0, serving.end());
        }
        assertTrue(terminal.done("key", "list", "ada@example.com").lines().skip(1).allMatch(line -> line.split(" {2,}").length >= 5), "last use");
        terminal.clock.advance(Duration.ofHours(1));
        assertEquals(2, terminal.done("key", "list", "ada@example.com").lines().count());
    }

    private String codeAndErr(String... command) {
        Terminal.Result result = terminal.run(command);
        return result.code() + " " + unix(result.err());
    }

    // ---- space

    /** A template's versions, newest first. */
    private List<Integer> versions(String id) {
        try (Db db = Db.open(data, false)) {
            return db.read(dao -> dao.versions().list(1, id, Long.MAX_VALUE, Integer.MAX_VALUE)).stream().map(Version::number).toList();
        }
    }

    private void publish(String id, int times) {
        try (Db db = Db.open(data, false)) {
            for (int i = 0; i < times; i++) {
                byte[] html = (id + i).repeat(10_000).getBytes(StandardCharsets.UTF_8);
                db.change(dao -> {
                    dao.templates().save(1, new Draft(id, id, "", html, Map.of()), terminal.clock.instant());
                    dao.versions().publish(1, id, "", terminal.clock.instant());
                });
            }
        }
    }

    /** Comments on deleted versions and review links to them are deleted with them, and named before and afterwards. */
    @Test
    void templatePruneCountsCommentsAndReviewLinks() {
        terminal.account("ada@example.com", "pro");
        publish("welcome", 6);
        publish("receipt", 2);
        try (Db db = Db.open(data, false)) {
            db.change(dao -> {
                for (int number : List.of(1, 1, 2, 6)) {
                    dao.as(new Actor(1L, "Ada", "")).comments().add(1, "welcome",
                            new NewComment(number, null, false, "", "", null, "text", null), terminal.clock.instant());
                }
                for (int number : List.of(1, 6)) {
                    dao.as(new Actor(1L, "Ada", "")).reviews().add(1, "welcome", number, terminal.clock.instant(), "secret-" + number);
                }
                dao.as(new Actor(1L, "Ada", "")).reviews().add(1, "receipt", 1,
                        terminal.clock.instant().minus(ReviewDao.LIFETIME), "expired");
            });
        }
        assertEquals("This permanently deletes 6 old versions, 3 comments and 1 review link. Confirm with --yes.\n",
                unix(terminal.run("template", "prune", "ada@example.com", "--keep", "1").err()));
        assertEquals("4 old versions, 3 comments and 1 review link deleted\n",
                unix(terminal.run("template", "prune", "ada@example.com", "welcome", "--keep", "2", "--yes").err()));
        assertEquals("2 old versions deleted\n", unix(terminal.run("template", "prune", "ada@example.com", "--keep", "1", "--yes").err()));
    }

    /** Before, beside and after one serve, as each start takes long. */
    @Test
    void templatePruneKeepsTheNewestVersionsAndLeavesTheResponses() {
        String key = terminal.account("ada@example.com", "pro");
        publish("welcome", 60);
        publish("receipt", 3);
        Terminal.Result asked = terminal.run("template", "prune", "ada@example.com", "--keep", "2");
        assertEquals(1, asked.code());
        assertEquals("This permanently deletes 59 old versions. Confirm with --yes.\n", unix(asked.err()));
        assertEquals(60, versions("welcome").size());
        try (Terminal.Serving serving = terminal.serve("serve", "--listen", "127.0.0.1:0")) {
            String served = serving.get(Running.TEMPLATES + "welcome", key).text();
            assertEquals("58 old versions deleted\n",
                    unix(terminal.run("template", "prune", "ada@example.com", "welcome", "--keep", "2", "--yes").err()));
            assertEquals(List.of(60, 59), versions("welcome"));
            assertEquals(List.of(3, 2, 1), versions("receipt"));
            assertEquals(served, serving.get(Running.TEMPLATES + "welcome", key).text());
            assertEquals("1 old version deleted\n",
                    unix(terminal.run("template", "prune", "ada@example.com", "--keep", "2", "--yes").err()));
            assertEquals("Nothing to delete beyond the newest 2 versions\n",
                    unix(terminal.run("template", "prune", "ada@example.com", "--keep", "2").err()));
        }
        terminal.done("compact"); // collects unreferenced texts
        assertEquals(List.of("4"), Rows.of(data, "select count(*) from texts"));
        publish("welcome", 1);
        assertEquals(List.of(61, 60, 59), versions("welcome"), "no number is used twice");
    }

    /** An older version that is published again gets a new number and keeps its text. */
    @Test
    void templatePruneKeepsATextThatALaterVersionOrTheDraftHas() throws Exception {
        String key = terminal.account("ada@example.com", "pro");
        publish("welcome", 3);
        try (Db db = Db.open(data, false)) {
            db.change(dao -> dao.versions().publishAgain(1, "welcome", 1, "", terminal.clock.instant()));
        }
        terminal.done("template", "prune", "ada@example.com", "welcome", "--keep", "1", "--yes");
        assertEquals(List.of(4), versions("welcome"));
        try (Terminal.Serving serving = terminal.serve("serve", "--listen", "127.0.0.1:0")) {
            assertEquals("welcome0".repeat(10_000), serving.get(Running.TEMPLATES + "welcome?format=html", key).text());
        }
        try (Db db = Db.open(data, false)) {
            assertEquals("welcome2".repeat(10_000),
                    new String(db.read(dao -> dao.templates().find(1, "welcome")).orElseThrow().html(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void compactReportsTheFreedSpace() throws Exception {
        String key = terminal.account("ada@example.com", "pro");
        publish("welcome", 100);
        publish("receipt", 1);
        Path database = data.resolve("stet.db");
        long full = Files.size(database);
        terminal.done("template", "delete", "ada@example.com", "welcome", "--for-good", "--yes");
        assertTrue(Files.size(database) < 2 * full / 3, "much is given back by deleting");
        try (Terminal.Serving serving = terminal.serve("serve", "--listen", "127.0.0.1:0")) {
            String said = unix(terminal.done("compact"));
            assertTrue(said.matches("before: {5}4\\.[0-9] MB\nafter: {6}0\\.[0-9] MB\nfreed: {6}[34]\\.[0-9] MB\n"), said);
            assertTrue(Files.size(database) < full / 10);
            assertTrue(unix(terminal.done("compact")).endsWith("freed:      0.0 MB\n"));
            assertEquals(200, serving.get(Running.TEMPLATES + "receipt", key).status());
        }
    }

    // ---- help

    @ParameterizedTest
    @EnumSource(Command.class)
    void helpExplainsEveryCommandAndItsOptions(Command command) {
        String help = terminal.done(("help " + command.words()).split(" "));
        assertTrue(help.startsWith("java -jar stet.jar " + command.usage()), help);
        command.options().forEach(option -> assertTrue(help.contains(option.word()) && help.contains(option.variable()), help));
        assertEquals(help, terminal.done((command.words() + " --help").split(" ")));
    }

    @ParameterizedTest
    @CsvSource({"help, ''", "--help, ''", "help account, 'account '", "help key, 'key '"})
    void helpListsTheCommands(String line, String group) {
        List<String> listed = terminal.done(line.split(" ")).lines().filter(each -> each.startsWith("    ")).map(String::strip).toList();
        List<String> expected = Stream.of(Command.values()).map(Command::words).filter(words -> words.startsWith(group)).toList();
        assertEquals(expected.size(), listed.size(), listed.toString());
        expected.forEach(words -> assertTrue(listed.stream().anyMatch(each -> (each + " ").startsWith(words + " ")), words));
    }

    @Test
    void versionIsOneLine() {
        assertEquals(1, terminal.done("version").lines().count());
        assertEquals(terminal.done("version"), terminal.done("--version"));
    }

    @Test
    void helpNamesTheExitCodes() {
        assertTrue(terminal.done("help").contains("Exit codes: 0 success, 1 rejected or problem found, 2 system error, 3 out of memory, 4 changes found (--exit-code), 143 stopped by SIGTERM."));
    }

    // ---- machine-readable lists

    @Test
    void listsAndUsageArePrintedAsJson() {
        String start = terminal.account("ada@example.com", "pro").substring(0, 9);
        terminal.account("bob@example.com", "none");
        String name = "a \u00e9 \"name\"";
        try (Db db = Db.open(data, false)) {
            db.change(dao -> dao.templates().save(1, new Draft("welcome", name, "", new byte[0], Map.of()), terminal.clock.instant()));
        }
        String now = "\"2026-01-31T09:00:00.000Z\"";
        json("[{\"name\":\"ada@example.com\",\"owner\":\"ada@example.com\",\"plan\":\"pro\",\"requests\":5000,\"keys\":5,\"users\":1,\"state\":\"open\",\"createdAt\":" + now + ",\"bytes\":0,\"storage\":1073741824},"
                + "{\"name\":\"bob@example.com\",\"owner\":\"bob@example.com\",\"plan\":\"none\",\"requests\":0,\"keys\":1,\"users\":1,\"state\":\"open\",\"createdAt\":" + now + ",\"bytes\":0,\"storage\":1073741824}]", "account", "list");
        json("[{\"id\":1,\"name\":\"test\",\"key\":\"" + start + "...\",\"createdAt\":" + now + ",\"lastUsedAt\":null,\"expiresAt\":null}]", "key", "list", "ada@example.com");
        json("[{\"id\":\"welcome\",\"state\":\"never_published\",\"updatedAt\":" + now + ",\"name\":\"a \u00e9 \\\"name\\\"\"}]",
                "template", "list", "ada@example.com");
        json("[]", "template", "list", "bob@example.com");
        json("{\"used\":0,\"limit\":5000,\"periodStart\":" + now + ",\"periodEnd\":\"2026-02-28T09:00:00.000Z\"}", "usage", "ada@example.com");
    }

    /** Compares the output with the expected JSON, and its fields with the command's help. */
    private void json(String expected, String... command) {
        String[] line = Arrays.copyOf(command, command.length + 1);
        line[command.length] = "--json";
        assertEquals(expected + "\n", terminal.done(line));
        String help = terminal.done(Stream.concat(Stream.of("help"), Stream.of(command).filter(word -> !word.contains("@"))).toArray(String[]::new));
        String fields = help.lines().filter(each -> each.contains("--json") && each.contains(" with ")).findFirst().orElseThrow()
                .replaceFirst(".* with (.*?);.*", "$1");
        assertTrue(expected.equals("[]") || expected.replaceAll("^\\[?\\{|:(\"(\\\\.|[^\"\\\\])*\"|[0-9]+|null)|\\}.*", "").replace("\"", "")
                .equals(fields.replace(", ", ",")), fields + " of " + expected);
    }

    // ---- output that cannot be written

    private static final String CANNOT_WRITE = "Cannot write the output. The disk may be full, or the program reading the output may have exited.\n";

    @Test
    void outputThatCannotBeWrittenIsAnError() {
        terminal.account("ada@example.com", "pro");
        terminal.room = 0;
        failsWith(CANNOT_WRITE, "account", "list");
        failsWith("{\"error\":\"" + CANNOT_WRITE.strip() + "\",\"exitCode\":2}\n", "account", "list", "--json");
        failsWith(CANNOT_WRITE, "help");
    }

    @Test
    void aSecretThatCannotBePrintedIsUndone() {
        terminal.account("ada@example.com", "pro");
        String before = password("ada@example.com");
        terminal.room = 0;
        failsWith("The key could not be printed, so it was deleted\n" + CANNOT_WRITE, "key", "add", "ada@example.com", "ci");
        failsWith("The new key could not be printed, so it was deleted; the old key keeps working\n" + CANNOT_WRITE,
                "key", "rotate", "ada@example.com", "1", "--overlap", "0s");
        failsWith("Account bob@example.com added on plan free: 100 requests per 30 days, 1 key. Change the limits with \"account plan\". The password is shown only once:\nThe password could not be printed, so the account was deleted\n" + CANNOT_WRITE,
                "account", "add", "bob@example.com", "--plan", "free");
        failsWith("Password of ada@example.com changed. The password is shown only once:\nThe new password could not be printed, so the old password was restored\n" + CANNOT_WRITE,
                "user", "password", "ada@example.com");
        terminal.room = Integer.MAX_VALUE;
        assertEquals(before, password("ada@example.com"));
        assertEquals(2, terminal.done("account", "list").lines().count());
        assertEquals(2, terminal.done("key", "list", "ada@example.com").lines().count());
        assertTrue(lastLine("key", "list", "ada@example.com").matches("1 +test +\\S+ +\\S+Z"));
    }

    @Test
    void aPasswordThatWasChangedAgainIsNotRestored() {
        terminal.account("ada@example.com", "pro");
        terminal.room = 0;
        terminal.whenFull = () -> {
            try (Db db = Db.open(data, false)) {
                db.change(dao -> dao.users().changePassword(1, "another hash"));
            }
        };
        failsWith("Password of ada@example.com changed. The password is shown only once:\n"
                + "The password was not restored because it has been changed again\n"
                + CANNOT_WRITE, "account", "password", "ada@example.com");
        assertEquals("another hash", password("ada@example.com"));
    }

    @Test
    void outOfMemoryIsReportedWithExitCode3() {
        terminal.room = 0;
        terminal.whenFull = () -> {
            throw new OutOfMemoryError("Java heap space");
        };
        Terminal.Result result = terminal.run("help");
        assertEquals("3 Out of memory; give Java a larger heap, for example with -Xmx512m\n", result.code() + " " + unix(result.err()));
    }

    @Test
    void helpShowsRequiredOptionsWithoutBrackets() {
        assertTrue(terminal.done("help", "user", "two-factor").contains("user two-factor EMAIL --off "));
        assertTrue(terminal.done("help", "user", "administrator").contains("user administrator EMAIL [--data DIR] [--off] [--yes]"));
        assertTrue(terminal.done("help", "account", "delete").contains("account delete ACCOUNT --yes "));
    }

    private void failsWith(String err, String... command) {
        Terminal.Result result = terminal.run(command);
        assertEquals(2 + " " + err, result.code() + " " + unix(result.err()));
    }

    private void responds(Terminal.Serving serving, String key, int status, String body) {
        Client.Reply reply = get(serving, key);
        assertEquals(status + " " + body, reply.status() + " " + reply.text());
    }

    private static Client.Reply get(Terminal.Serving serving, String key) {
        return serving.get(Running.TEMPLATES + "welcome?format=html", key);
    }

    private void use(String key, int requests) {
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            for (int i = 0; i < requests; i++) {
                assertEquals(404, serving.get(Running.TEMPLATES + "any", key).status());
            }
        }
    }

    private String usage() {
        return unix(terminal.done("usage", "ada@example.com"));
    }

    private String lastLine(String... command) {
        return terminal.done(command).lines().reduce((first, last) -> last).orElseThrow();
    }

    private static String unix(String text) {
        return text.replace(System.lineSeparator(), "\n");
    }

    private String password(String email) {
        return Rows.of(data, "select password from users where email = '" + email + "'").get(0);
    }
}
