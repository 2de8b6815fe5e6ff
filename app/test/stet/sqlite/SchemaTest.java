package stet.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.harness.Terminal;

/** A database with the right version number but another schema, as unreleased versions created it, is refused when it is opened. */
class SchemaTest {
    @TempDir
    Path home;

    private static void script(Path database, String script) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database); Statement statement = connection.createStatement()) {
            for (String sql : script.split(";")) {
                statement.execute(sql);
            }
        }
    }

    /** @param difference in the refusal @param found named by check */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            drop table comments                                   | table comments is missing, and  | table comments
            drop index versions_text                              | index versions_text is missing) | index versions_text
            alter table accounts add column tint text             | table accounts differs)         | table accounts
            alter table accounts rename column label to caption   | table accounts differs          | table accounts
            drop index users_email; create index users_email on users (email) | index users_email differs) | index users_email
            """)
    void aDifferentSchemaIsRejected(String script, String difference, String found) throws Exception {
        Path data = home.resolve("data");
        Terminal terminal = new Terminal(data);
        terminal.account("ada@example.com", "pro");
        Path backup = home.resolve("backup.db");
        terminal.done("backup", backup.toString());
        Files.delete(home.resolve("backup.db.sha256"));
        for (Path database : new Path[] {data.resolve("stet.db"), backup}) {
            script(database, script);
        }
        String sentence = " does not have the tables of this version of Stet (the " + difference;
        for (String command : new String[] {"account list", "serve --listen 127.0.0.1:0", "backup " + home.resolve("other.db")}) {
            Terminal.Result refused = terminal.run(command.split(" "));
            assertTrue(refused.code() == 1 && refused.out().isEmpty() && refused.err().startsWith(data.resolve("stet.db") + sentence), refused.toString());
        }
        Terminal.Result restored = new Terminal(home.resolve("new")).run("restore", backup.toString());
        assertTrue(restored.code() == 1 && restored.err().startsWith(backup + sentence), restored.toString());
        for (String[] check : new String[][] {{"check"}, {"check", backup.toString()}}) {
            Terminal.Result checked = terminal.run(check);
            assertTrue(checked.code() == 1 && checked.out().contains("problem  schema: The " + found + " "), checked.toString());
        }
    }

    /** Litestream adds tables, and a vacuum changes the order of all objects. */
    @Test
    void otherTablesAndAnotherOrderAreAllowed() throws SQLException, IOException {
        Path data = home.resolve("data");
        Terminal terminal = new Terminal(data);
        terminal.account("ada@example.com", "pro");
        script(data.resolve("stet.db"), "create table _litestream_seq (id integer primary key, seq integer); vacuum");
        assertEquals(2, terminal.done("account", "list").lines().count());
    }
}
