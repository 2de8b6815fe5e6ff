package stet.harness;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Reads the database directly. */
public final class Rows {
    private Rows() {
    }

    /** The first column of each row as text. */
    public static List<String> of(Path folder, String query) {
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("stet.db"));
                Statement statement = database.createStatement(); ResultSet result = statement.executeQuery(query)) {
            List<String> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(result.getString(1));
            }
            return rows;
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }
}
