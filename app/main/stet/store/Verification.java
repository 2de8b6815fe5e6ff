package stet.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import stet.core.Secret;

/** Verifies what a database holds: SQLite's own structure, references between tables, and the SHA-256 of each text. */
final class Verification {
    /** Problems of one kind that are listed at most. */
    static final int MAX_PROBLEMS = 20;

    private final Sql sql;
    private final List<String> problems = new ArrayList<>();

    private Verification(Sql sql) {
        this.sql = sql;
    }

    /**
     * Reads the whole database, one text at a time.
     *
     * @return one sentence for each problem, none where all is well; after damage to the structure the texts are not read
     * @throws StoreException when the file cannot be read at all
     */
    static List<String> problems(Sql sql) {
        Verification verification = new Verification(sql);
        verification.structure();
        if (verification.problems.isEmpty()) {
            verification.references();
            verification.texts();
        }
        return verification.problems;
    }

    private void structure() {
        sql.each("pragma integrity_check(" + MAX_PROBLEMS + ")", row -> {
            String found = row.text("integrity_check");
            if (!found.equals("ok")) {
                add("The file is damaged: " + found.strip().replaceAll("\\s+", " "), MAX_PROBLEMS);
            }
        });
    }

    private void references() {
        int most = problems.size() + MAX_PROBLEMS;
        sql.each("pragma foreign_key_check", row ->
                add("Row " + row.number("rowid") + " of " + row.text("table") + " has lost its row of " + row.text("parent"), most));
    }

    /** Compares without sorting, which would take memory for all texts. */
    private void texts() {
        compare("""
                select 'Version ' || v.number || ' of the template ' || t.id as name, a.email, null as subject, v.sha256, x.html
                from versions v
                left join templates t on t.row = v.template
                left join accounts a on a.id = t.account_id
                left join texts x on x.id = v.text
                """);
        compare("""
                select 'The draft of the template ' || t.id as name, a.email, t.subject, t.sha256, x.html
                from templates t
                left join accounts a on a.id = t.account_id
                left join texts x on x.id = t.text
                """);
        compare("""
                select 'The shared block ' || b.name as name, a.email, null as subject, b.sha256, x.html
                from blocks b
                left join accounts a on a.id = b.account_id
                left join texts x on x.id = b.text
                """);
    }

    private void compare(String texts) {
        int most = problems.size() + MAX_PROBLEMS;
        sql.each(texts, row -> {
            byte[] html = row.bytes("html");
            String owner = row.text("email") == null ? " of a deleted account" : " of " + row.text("email");
            if (html == null) {
                add(row.text("name") + owner + " has no text", most);
                return;
            }
            String subject = row.text("subject");
            byte[] digest = subject == null ? Secret.sha256(html)
                    : Secret.sha256((subject + "\0").getBytes(StandardCharsets.UTF_8), html);
            if (!Arrays.equals(digest, row.bytes("sha256"))) {
                add(row.text("name") + owner + " is not what was saved: its SHA-256 is "
                        + HexFormat.of().formatHex(digest).substring(0, 16) + "..., not "
                        + HexFormat.of().formatHex(row.bytes("sha256")).substring(0, 16) + "...", most);
            }
        });
    }

    private void add(String problem, int most) {
        if (problems.size() < most) {
            problems.add(problem);
        }
    }
}
