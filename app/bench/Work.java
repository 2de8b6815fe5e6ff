package stet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import stet.base.Json;

/**
 * Heavy work for a user or administrator.
 *
 * @param before preparation, not measured
 * @param action work to measure
 * @param after  check that the work was done
 */
record Work(String name, Step before, Step action, Step after) {
    private static final int DRAFTS = 3_000;
    private static final int CHECKS = 20;
    private static final int AT_ONCE = 4;
    /** Maximum time for a deletion, in s. */
    private static final int REMOVED = 120;
    /** Duration of the control in s. */
    private static final int CONTROL = 6;
    /** Preparation for compacting: texts per transaction, number of transactions, and the fraction of texts deleted. */
    private static final int STEP = 100;
    private static final int STEPS = 200;
    private static final int PART = 8;
    /** Number of pages that the load and serve may free in the meantime. */
    private static final int SPARE = 1_000;
    private static final String TAG = "{{x}}";
    private static final Step NOTHING = scene -> { };

    /** A step that may fail. */
    interface Step {
        void run(Scene scene) throws Exception;
    }

    /** Returns whether this is a command, which older versions may lack. */
    boolean isCommand() {
        return name.equals("backup") || name.equals("compact");
    }

    static List<Work> all() {
        return List.of(
                control(0), control(10),
                new Work("dry run of 3,000 drafts, web", Work::zip, scene -> importZip(scene, "?dryRun=true"), scene -> templates(scene, 0)),
                new Work("import of 3,000 drafts, web", Work::zip, scene -> importZip(scene, ""), scene -> templates(scene, DRAFTS)),
                new Work("dry run of 3,000 drafts, command line", Work::files, scene -> importFolder(scene, "--dry-run"),
                        scene -> lines(scene, 0)),
                new Work("import of 3,000 drafts, command line", Work::files, scene -> importFolder(scene), scene -> lines(scene, DRAFTS)),
                new Work("export of 10,000 templates", scene -> scene.browser(Crowd.LARGE),
                        scene -> scene.browser(Crowd.LARGE).download("/data/export", scene.folder().resolve("export.zip")), Work::exported),
                new Work("20 checks of 2 MB of tags, one by one", scene -> scene.browser(Crowd.WEB), scene -> check(scene, CHECKS), NOTHING),
                new Work("20 checks of 2 MB of tags, 4 at once", scene -> scene.browser(Crowd.WEB), Work::checkAtOnce, NOTHING),
                publish(),
                new Work("usage page of 1.8 million rows", scene -> scene.browser(Crowd.LARGE), Work::usage, NOTHING),
                new Work("deleting 100,000 requests and 10,000 templates", NOTHING, Work::delete, Work::deleted),
                new Work("compact", Work::free, scene -> scene.command("compact"), Work::compacted),
                new Work("backup", NOTHING, scene -> scene.command("backup", scene.folder().resolve("backup.db").toString()),
                        scene -> Files.size(scene.folder().resolve("backup.db"))));
    }

    /** Returns the control: work outside Stet. @param nice the process's nice value; 0 is the default */
    private static Work control(int nice) {
        return new Work("control: another program that computes, nice " + nice, NOTHING, scene -> {
            List<String> loop = List.of("nice", "-n", Integer.toString(nice), "timeout", Integer.toString(CONTROL), "sh", "-c",
                    "while :; do :; done");
            try (Child busy = Child.start(Lab.log("control"), loop)) {
                busy.output(2 * CONTROL);
            }
        }, NOTHING);
    }

    // ---- import and export

    private static void zip(Scene scene) throws Exception {
        scene.browser(Crowd.WEB);
        Path file = scene.folder().resolve("import.zip");
        if (Files.exists(file)) {
            return;
        }
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < DRAFTS; i++) {
                zip.putNextEntry(new ZipEntry(path(i)));
                zip.write(Data.html(Data.HTML, i));
            }
        }
    }

    private static void files(Scene scene) throws IOException {
        Path folder = scene.folder().resolve("import");
        Files.createDirectories(folder.resolve("templates"));
        for (int i = 0; i < DRAFTS; i++) {
            Files.write(folder.resolve(path(i)), Data.html(Data.HTML, i));
        }
    }

    private static String path(int number) {
        return "templates/import-" + number + ".html";
    }

    private static void importZip(Scene scene, String query) throws Exception {
        JsonNode imported = scene.browser(Crowd.WEB).sendZip("/data/import" + query, scene.folder().resolve("import.zip"));
        expect(DRAFTS, imported.get("created").size(), "drafts created");
    }

    private static void templates(Scene scene, int expected) throws Exception {
        expect(expected, scene.browser(Crowd.WEB).get("/data/templates").get("templates").size(), "templates");
    }

    private static void importFolder(Scene scene, String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("import", scene.folder().resolve("import").toString(), "--account", Crowd.SHELL));
        words.addAll(List.of(options));
        String output = scene.command(words.toArray(String[]::new));
        expect(DRAFTS, output.lines().filter(line -> line.startsWith("created")).count(), "drafts created");
    }

    private static void lines(Scene scene, int expected) throws Exception {
        String output = scene.command("template", "list", Crowd.SHELL);
        expect(expected, output.lines().filter(line -> line.startsWith("import-")).count(), "templates");
    }

    private static void exported(Scene scene) throws IOException {
        try (ZipFile zip = new ZipFile(scene.folder().resolve("export.zip").toFile())) {
            expect(Crowd.MANY, zip.stream().filter(entry -> entry.getName().endsWith(".html")).count(), "files of html");
        }
    }

    // ---- checks and publishing

    private static void check(Scene scene, int times) throws Exception {
        ObjectNode draft = Json.object().put("subject", "").put("html", TAG.repeat((2 << 20) / TAG.length()));
        draft.putObject("samples");
        for (int i = 0; i < times; i++) {
            JsonNode checked = scene.browser(Crowd.WEB).send("POST", "/data/check", draft);
            expect(1, checked.get("variables").size(), "variables");
        }
    }

    private static void checkAtOnce(Scene scene) throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            all.add(Background.run(() -> check(scene, CHECKS / AT_ONCE)));
        }
        for (CompletableFuture<Void> each : all) {
            Background.await(each);
        }
    }

    private static Work publish() {
        long[] revisions = new long[Crowd.UNPUBLISHED];
        return new Work("publishing of 1,000, web", scene -> {
            for (int i = 0; i < revisions.length; i++) {
                revisions[i] = scene.browser(Crowd.DRAFTS).get("/data/templates/draft-" + i).get("revision").longValue();
            }
        }, scene -> {
            for (int i = 0; i < revisions.length; i++) {
                scene.browser(Crowd.DRAFTS).send("POST", "/data/templates/draft-" + i + "/publish",
                        Json.object().put("revision", revisions[i]).put("note", ""));
            }
        }, scene -> {
            int published = 0;
            for (JsonNode template : scene.browser(Crowd.DRAFTS).get("/data/templates").get("templates")) {
                published += template.get("state").textValue().equals("published") ? 1 : 0;
            }
            expect(revisions.length, published, "templates published");
        });
    }

    // ---- others

    private static void usage(Scene scene) throws Exception {
        JsonNode usage = scene.browser(Crowd.LARGE).get("/data/usage");
        if (usage.get("templates").isEmpty() || usage.get("keys").isEmpty()) {
            throw new Broken("the usage page has nothing on it");
        }
    }

    /** Runs the command and waits until the server has removed the data. */
    private static void delete(Scene scene) throws Exception {
        try (Connection database = scene.database(); Statement statement = database.createStatement()) {
            long account = number(statement, "select id from accounts where " + Crowd.nameColumn(database) + " = '" + Crowd.LEAVING + "'");
            scene.command("account", "delete", Crowd.LEAVING, "--yes");
            String left = "select exists (select 1 from requests where account_id = " + account + ")";
            for (int tries = REMOVED * 5; number(statement, left) != 0; tries--) {
                if (tries == 0) {
                    throw new Broken("the account is not removed after " + REMOVED + " s");
                }
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet result = statement.executeQuery(sql)) {
            return result.next() ? result.getLong(1) : 0;
        }
    }

    private static void deleted(Scene scene) throws Exception {
        if (scene.command("account", "list").contains(Crowd.LEAVING)) {
            throw new Broken("the account is still there");
        }
    }

    /**
     * Frees 51 MB scattered among other texts: less than a tenth of the file, so serve does not release the space automatically.
     */
    private static void free(Scene scene) throws Exception {
        try (Connection database = scene.database(); Statement statement = database.createStatement()) {
            statement.execute("pragma busy_timeout = 5000");
            for (int i = 0; i < STEPS; i++) {
                statement.executeUpdate("with recursive n (i) as (select 1 union all select i + 1 from n where i < " + STEP + ")"
                        + " insert into texts (account_id, html) select -i % " + PART + ", randomblob(" + Data.HTML + ") from n");
            }
            long first = number(statement, "select max(id) from texts") - (long) STEP * STEPS;
            for (int i = 0; i < STEPS; i++) {
                statement.executeUpdate("delete from texts where account_id = -1 and id between " + (first + i * (long) STEP)
                        + " and " + (first + (i + 1) * (long) STEP));
            }
        }
    }

    private static void compacted(Scene scene) throws Exception {
        try (Connection database = scene.database(); Statement statement = database.createStatement()) {
            expect(0, number(statement, "pragma freelist_count") / SPARE, "thousand free pages");
        }
    }

    private static void expect(long expected, long is, String what) {
        if (is != expected) {
            throw new Broken(Figures.whole(is) + " instead of " + Figures.whole(expected) + " " + what);
        }
    }
}
