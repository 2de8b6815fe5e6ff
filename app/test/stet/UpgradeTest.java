package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.Browser.answered;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import stet.core.Password;
import stet.core.Role;
import stet.core.Secret;
import stet.store.PersonDao.AccountMember;

/** The upgrade of a database in which an account was its own and only person: version 7. */
class UpgradeTest {
    private static final String SCHEMA = Window.resource("schema-7.sql");
    private static final String PASSWORD = "correct horse";

    private static void insert(Connection database, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }

    /** Two accounts and one that is deleted, a key that was rotated an hour ago and ends in an hour, and rows in each other table. */
    private static Path versionSeven() throws SQLException {
        Path folder = Running.temporary();
        long now = Instant.parse(Running.NOW).toEpochMilli();
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("stet.db"))) {
            try (Statement statement = database.createStatement()) {
                statement.executeUpdate(SCHEMA);
                statement.execute("pragma journal_mode = wal");
            }
            String hash = Password.hashCheaply(PASSWORD, new SecureRandom());
            insert(database, "insert into accounts (id, email, password, plan, created_at, billing_anchor) values (3, 'ada@example.com', ?, 'pro', ?, ?)",
                    hash, now - 86_400_000L, now - 86_400_000L);
            insert(database, "insert into accounts (id, email, plan, created_at) values (5, 'eve@example.com', 'free', ?)", now);
            insert(database, "insert into accounts (id, email, password, plan, created_at) values (4, null, ?, 'free', ?)", hash,
                    now);
            for (int account = 3; account <= 5; account++) {
                insert(database, "insert into sessions values (?, ?, ?, ?)", Secret.sha256("session-" + account), account,
                        now - 7_200_000, now - 3_600_000);
            }
            insert(database, "insert into api_keys (id, account_id, name, hash, start, created_at, expires_at) values (1, 3, 'website', ?, 'stet_old', ?, ?)",
                    Secret.sha256("the-old-key"), now - 7_200_000, now + 3_600_000);
            insert(database, "insert into api_keys (id, account_id, name, hash, start, created_at) values (2, 3, 'website', ?, 'stet_new', ?)",
                    Secret.sha256("the-new-key"), now - 3_600_000);
            insert(database, "insert into usage (account_id, plan, period_start, used) values (3, 'pro', ?, 41)",
                    now - 86_400_000L);
            insert(database, "insert into usage_log (usage_id, used) values ((select id from usage), 4)");
            insertTemplates(database, now);
            insertStatistics(database, now);
            Set<String> tables = new TreeSet<>(Rows.of(folder, "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"));
            tables.removeIf(table -> !Rows.of(folder, "select count(*) from " + table).equals(List.of("0")));
            assertEquals(Set.of(), tables, "tables without a row");
        }
        return folder;
    }

    /** A template and its version with a block, a deleted template, and one of the deleted account. */
    private static void insertTemplates(Connection database, long now) throws SQLException {
        byte[] draft = "<p>Hello {{name}}</p>{{> footer}}".getBytes(StandardCharsets.UTF_8);
        byte[] version = "<p>Hello {{name}}</p><i>old</i>".getBytes(StandardCharsets.UTF_8);
        byte[] footer = "<i>new</i>".getBytes(StandardCharsets.UTF_8);
        byte[] other = "<p>other</p>".getBytes(StandardCharsets.UTF_8);
        byte[] sha256 = Secret.sha256("Hi\0".getBytes(StandardCharsets.UTF_8), draft);
        byte[] otherSha256 = Secret.sha256("\0".getBytes(StandardCharsets.UTF_8), other);
        Object[][] texts = {{1, 3, draft}, {2, 3, version}, {3, 3, footer}, {4, 3, other}, {5, 3, other}, {6, 4, other}, {7, 5, other}};
        for (Object[] text : texts) {
            insert(database, "insert into texts values (?, ?, ?)", text);
        }
        insert(database, "insert into garbage values (?, 4)", now);
        String template = "insert into templates values (?, ?, ?, 'Name', ?, ?, ?, 2, ?, ?, ?)";
        insert(database, template, 1, 3, "welcome", now, now, 1, sha256, "Hi", 1);
        insert(database, template, 2, null, "deleted", now, now, null, otherSha256, "", 5);
        insert(database, template, 3, 4, "welcome", now, now, null, otherSha256, "", 6);
        insert(database, template, 4, 5, "welcome", now, now, null, otherSha256, "", 7);
        insert(database, "insert into samples values (1, 'name', 'Ann')");
        insert(database, "insert into versions values (1, 1, ?, 'first', ?, ?, 'name', 'Hi', 2, 1)", now, Secret.sha256(version), sha256);
        insert(database, "insert into version_blocks values (1, 1, 'footer', ?)", (Object) Secret.sha256("<i>old</i>"));
        insert(database, "insert into blocks values (3, 'footer', ?, 1, ?, 3)", now, Secret.sha256(footer));
        insert(database, "insert into includes values (3, 'template', 'welcome', 'footer')");
    }

    private static void insertStatistics(Connection database, long now) throws SQLException {
        String requests = "insert into requests values (3, ?, ?, 2, ?, ?, ?, ?)";
        insert(database, requests, now - 86_400_000L, now / 86_400_000L, "welcome", 0, 5, now);
        insert(database, requests, now - 86_400_000L, now / 86_400_000L, "", 1, 3, now);
        insert(database, "insert into key_uses values (2, ?)", now);
        insert(database, "insert into template_uses values (1, 2, ?)", now);
        String miss = "insert into misses (account_id, at, key_id, template, status) values (?, ?, 2, ?, ?)";
        insert(database, miss, 3, now - 1, "none", 404);
        insert(database, miss, 3, now, "none", 404);
        insert(database, miss, 3, now, "welcome", 429);
        insert(database, miss, 4, now, "none", 404);
    }

    private static void assertSound(Terminal terminal) {
        Terminal.Result check = terminal.run("check");
        assertEquals(0, check.code(), check.out());
        assertFalse(check.out().contains("problem"), check.out());
    }

    @Test
    void everyTableIsMoved() throws SQLException {
        try (Running stet = new Running(versionSeven())) {
            assertEquals("<p>Hello {{name}}</p><i>old</i>",
                    stet.get(Running.TEMPLATES + "welcome?format=html", "the-new-key").text());
            assertSound(new Terminal(stet.folder));
            assertEquals(List.of("3 404 none 2 2", "3 429 welcome 2 1"), Rows.of(stet.folder, "select account_id || ' ' || status || ' ' ||"
                    + " template || ' ' || key_id || ' ' || times from misses where account_id = 3 order by status"));
            String ada = "Cookie: stet=session-3";
            for (String path : List.of("/data/templates/welcome", "/data/templates/welcome/versions", "/data/blocks/footer", "/data/usage",
                    "/data/activity", "/data/members")) {
                assertEquals(200, Browser.of(stet).get(path, ada).status(), path);
            }
            String editor = Browser.of(stet).get("/data/templates/welcome", ada).text();
            assertTrue(editor.contains("{{> footer}}") && editor.contains("\\\"name\\\": \\\"Ann\\\""), editor);
            stet.db.sweep(stet.now());
            assertEquals(List.of("1", "2", "3", "7"), Rows.of(stet.folder, "select id from texts order by id"),
                    "the deleted account and template are gone");
            assertSound(new Terminal(stet.folder));
        }
    }

    @Test
    void aBackupOfVersionSevenIsRestored() throws SQLException {
        Path seven = versionSeven();
        Path folder = Running.temporary();
        try {
            Terminal terminal = new Terminal(folder);
            Terminal.Result restored = terminal.run("restore", seven.resolve("stet.db").toString());
            assertEquals(0, restored.code(), restored.err());
            assertSound(terminal);
            assertTrue(terminal.done("person", "list", "--json").contains(
                    "\"email\":\"ada@example.com\",\"name\":\"\",\"operator\":false,\"accounts\":[{"));
            assertTrue(terminal.done("template", "list", "ada@example.com").contains("welcome"));
        } finally {
            Running.delete(seven);
            Running.delete(folder);
        }
    }

    @Test
    void anAccountBecomesItsOwnerAndEverythingGoesOn() throws SQLException {
        try (Running stet = new Running(versionSeven())) {
            String session = ("{'email':'ada@example.com','name':'','operator':false,'id':3,'account':'ada@example.com','plan':'pro','role':'owner',"
                    + "'accounts':[{'id':3,'name':'ada@example.com','role':'owner','suspended':false}],'baseUrl':'"
                    + stet.server.url() + "'}")
                    .replace('\'', '"');
            Browser open = Browser.of(stet);
            answered(200, session, open.get("/data/session", "Cookie: stet=session-3"));
            assertEquals(200, open.get("/data/keys", "Cookie: stet=session-3").status());
            assertTrue(open.get("/data/session", "Cookie: stet=session-5").text().contains("\"email\":\"eve@example.com\""));
            assertEquals(401, open.get("/data/session", "Cookie: stet=session-4").status());
            answered(200, session, Browser.of(stet)
                    .post("/data/session", "{\"email\":\"ada@example.com\",\"password\":\"" + PASSWORD + "\"}"));
            List<AccountMember> people = stet.db.read(dao -> dao.people().members(3));
            assertEquals(1, people.size());
            assertEquals(Role.OWNER + " 2026-01-30T09:00:00Z", people.get(0).role() + " " + people.get(0).since());
            assertEquals(List.of("ada@example.com", "eve@example.com"), stet.db.read(dao -> dao.people().emails()));

            assertEquals(404, stet.get(Running.TEMPLATES + "any", "the-old-key").status());
            assertEquals(404, stet.get(Running.TEMPLATES + "any", "the-new-key").status());
            assertEquals(47, stet.used(stet.account("ada@example.com")));
            stet.clock.advance(Duration.ofHours(1));
            assertEquals(401, stet.get(Running.TEMPLATES + "any", "the-old-key").status());
            assertEquals(404, stet.get(Running.TEMPLATES + "any", "the-new-key").status());
        }
    }
}
