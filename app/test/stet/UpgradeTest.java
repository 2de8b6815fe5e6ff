package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.Browser.answered;

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

    /** Two accounts, one that is deleted, sessions, and a key that was rotated an hour ago and ends in an hour. */
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
        }
        return folder;
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
            assertEquals(43, stet.used(stet.account("ada@example.com")));
            stet.clock.advance(Duration.ofHours(1));
            assertEquals(401, stet.get(Running.TEMPLATES + "any", "the-old-key").status());
            assertEquals(404, stet.get(Running.TEMPLATES + "any", "the-new-key").status());
        }
    }
}
