package stet.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Running;
import stet.harness.Terminal;

/**
 * Flips bits in the small tables of a backup without its {@code FILE.sha256}: no served text may change unnoticed.
 * monitoring.md lists what may change.
 */
@Tag("slow")
class FlippedBitsTest {
    private static final int FLIPS = 250;

    @TempDir
    Path home;

    @AutoClose
    private final Running stet = new Running();

    /** Creates an account with rows in most tables. @return its backup */
    private Path backup() throws IOException {
        Account account = stet.account("ada@example.com", Plan.PRO, "correct horse");
        stet.member(account, "bob@example.com", Role.WRITER, "correct horse");
        String key = stet.key(account);
        Browser browser = Browser.of(stet, account);
        browser.post("/data/blocks", "{\"name\":\"footer\",\"html\":\"<p>{{company}}</p>\"}");
        for (String id : List.of("welcome", "receipt", "reminder")) {
            browser.post("/data/templates", "{\"id\":\"" + id + "\",\"name\":\"The " + id + "\"}");
            assertEquals(200, browser.put("/data/templates/" + id, "{\"revision\":1,\"subject\":\"Hi {{name}}\",\"html\":\"<p>{{total}}</p>"
                    + "{{> footer}}\",\"samples\":{\"default\":\"{\\\"name\\\":\\\"Ada\\\"}\"}}").status());
            assertEquals(200, browser.post("/data/templates/" + id + "/publish", "{\"revision\":2,\"note\":\"the first\"}").status());
            assertEquals(200, stet.get(Running.TEMPLATES + id, key).status());
        }
        browser.post("/data/invitations", "{\"role\":\"editor\"}");
        browser.get("/data/usage"); // writes the statistics
        Path copy = home.resolve("copy.db");
        new Terminal(stet.folder).done("backup", copy.toString());
        Files.delete(home.resolve("copy.db.sha256"));
        return copy;
    }

    private static <T> T query(Path database, String sql, Reading<T> reading) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:file:" + database + "?immutable=1");
                Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            return reading.of(rows);
        }
    }

    private interface Reading<T> {
        T of(ResultSet rows) throws SQLException;
    }

    /** All values by {@code table.column}. */
    private static Map<String, List<String>> columns(Path database) throws SQLException {
        Map<String, List<String>> columns = new TreeMap<>();
        List<String> tables = query(database, "select name from sqlite_schema where type = 'table'", rows -> {
            List<String> names = new ArrayList<>();
            while (rows.next()) {
                names.add(rows.getString(1));
            }
            return names;
        });
        for (String table : tables) {
            query(database, "select * from " + table, rows -> {
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    columns.put(table + "." + rows.getMetaData().getColumnName(i), new ArrayList<>());
                }
                while (rows.next()) {
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        byte[] value = rows.getBytes(i);
                        columns.get(table + "." + rows.getMetaData().getColumnName(i)).add(value == null ? "null" : HexFormat.of().formatHex(value));
                    }
                }
                return null;
            });
        }
        return columns;
    }

    /** Returns the file offsets of the small tables' bytes: one page per table, from its first cell on. */
    private static List<Integer> places(Path database, byte[] bytes) throws SQLException {
        int size = query(database, "pragma page_size", rows -> rows.getInt(1));
        List<Integer> roots = query(database, "select rootpage from sqlite_schema where type = 'table' and name not in ('texts', 'sqlite_sequence')", rows -> {
            List<Integer> pages = new ArrayList<>();
            while (rows.next()) {
                pages.add(rows.getInt(1));
            }
            return pages;
        });
        List<Integer> places = new ArrayList<>();
        for (int root : roots) {
            int page = (root - 1) * size;
            boolean isLeaf = bytes[page] == 13 || bytes[page] == 10;
            int begin = ByteBuffer.wrap(bytes, page + 5, 2).getShort() & 0xffff;
            for (int at = begin; isLeaf && at < size; at++) {
                places.add(page + at);
            }
        }
        return places;
    }

    @Test
    void nothingThatIsServedChangesUnnoticed() throws IOException, SQLException {
        Path copy = backup();
        byte[] intact = Files.readAllBytes(copy);
        Map<String, List<String>> before = columns(copy);
        List<Integer> places = places(copy, intact);
        Random random = new Random(24);
        Map<String, Integer> changed = new TreeMap<>();
        int accepted = 0; // with a changed value in a row
        for (int i = 0; i < FLIPS; i++) {
            byte[] flipped = intact.clone();
            flipped[places.get(random.nextInt(places.size()))] ^= (byte) (1 << random.nextInt(8));
            Path file = Files.write(copy, flipped);
            if (new Terminal(stet.folder).run("check", file.toString()).code() == 0) {
                Map<String, List<String>> after = columns(file);
                Set<String> columns = before.keySet().stream().filter(column -> !before.get(column).equals(after.get(column)))
                        .collect(Collectors.toCollection(TreeSet::new));
                columns.forEach(column -> changed.merge(column, 1, Integer::sum));
                accepted += columns.isEmpty() ? 0 : 1;
            }
        }
        String summary = accepted + " of " + FLIPS + ": " + changed;
        assertTrue(accepted > 0, "else monitoring.md promises too little");
        // serve writes image_settings and mail_settings whenever it starts
        changed.keySet().removeIf(column -> column.matches("(activity|requests|image_requests|template_uses|usage|samples|accounts|storage|opened|image_settings|mail_settings|mails)\\..*"
                + "|.*\\.(name|email|password|start|saved_by|made_by|created_by|note|tags|[a-z_]*_at|since|browser|address)"));
        assertEquals(Map.of(), changed, summary);
    }
}
