package stet.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Log;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Jar;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.Db;

/** Kills the real jar during heavy work: each change is complete or absent, and the next start cleans up. */
@Tag("jar")
class KilledWorkTest {
    private static final String ADA = "ada@example.com";
    private static final int DRAFTS = 150;
    /** Drafts published by one request. */
    private static final int MANY = 100;

    private Path home;
    private Path data;

    @BeforeEach
    void fill() throws IOException {
        home = Running.temporary();
        data = home.resolve("data");
        Path templates = Files.createDirectories(imported());
        for (int i = 0; i < DRAFTS; i++) {
            Files.writeString(templates.resolve("mail-" + i + ".html"), ("<p>Hi {{name}} " + i + "</p>\n").repeat(200));
        }
        new Terminal(data).account(ADA, "pro");
    }

    @AfterEach
    void delete() {
        Running.delete(home);
    }

    private Process command(String... arguments) throws IOException {
        List<String> command = Jar.command(home, List.of(), arguments);
        command.addAll(List.of("--data", data.toString()));
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(home.resolve("out").toFile()).start();
    }

    private Process importing() throws IOException {
        return command("import", home.resolve("files").toString(), "--account", ADA, "--publish");
    }

    private long count(String what) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("stet.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("pragma busy_timeout = 5000");
            try (ResultSet result = statement.executeQuery("select count(*) from " + what)) {
                return result.getLong(1);
            }
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }

    private static int exitCode(Process process) throws InterruptedException {
        assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        return process.exitValue();
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    /** Starts the server, which then removes unused data. */
    private void startedOnce() {
        try (Jar jar = new Jar(data)) {
            assertTrue(jar.address.getPort() > 0);
            assertTrue(Running.comes(() -> count("garbage") == 0 && count("accounts where deleted_at is not null") == 0
                    && count("templates where removed_at is not null") == 0), "the rest is removed");
        }
        assertEquals(0, count("""
                texts where id not in (select text from templates union select text from versions
                  union select draft_text from versions union select text from blocks)"""));
    }

    @ParameterizedTest(name = "killed after {0} texts were written")
    @ValueSource(ints = {DRAFTS / 2, DRAFTS})
    void anImportIsAllOrNothing(int texts) throws IOException, InterruptedException {
        Process importing = importing();
        assertTrue(Running.comes(() -> count("texts") >= texts || !importing.isAlive()));
        kill(importing);
        startedOnce();
        long templates = count("templates");
        assertTrue(templates == 0 || templates == DRAFTS, templates + " templates");
        assertEquals(templates, count("versions"));
        assertEquals(templates, count("texts"));
        assertEquals(0, exitCode(importing()), Files.readString(home.resolve("out")));
        assertEquals(DRAFTS, count("templates where published = 1"));
    }

    /** If killed at any step, each template's publication is complete or absent, and repeating the request publishes the others. */
    @Test
    void eachOfManyPublicationsIsAllOrNothing() throws IOException, InterruptedException {
        assertEquals(0, exitCode(command("import", home.resolve("files").toString(), "--account", ADA)));
        try (Db db = Db.serve(data, Log.none())) {
            db.change(dao -> Browser.addSession(dao, "session", dao.users().find(ADA).orElseThrow().id(),
                    dao.accounts().find(ADA).orElseThrow().id(), Instant.now()));
        }
        ArrayNode ids = Json.object().putArray("templates");
        ArrayNode seen = Json.object().putArray("templates");
        for (int i = 0; i < MANY; i++) {
            ids.add("mail-" + i);
        }
        try (Jar jar = new Jar(data); Client client = new Client(jar.address)) {
            for (JsonNode each : results(client.write(request(client, "/data/comparisons", ids)))) {
                seen.addObject().put("id", each.get("id").textValue()).put("revision", each.get("revision").longValue()).put("sha256", each.get("sha256").textValue());
            }
            client.write(request(client, "/data/publications", seen));
            assertTrue(Running.comes(() -> count("versions") > 0));
            jar.kill();
        }
        long published = count("versions");
        assertEquals(published, count("templates where published = 1"));
        assertEquals(published, count("activity where kind = 'template-published'"));
        try (Jar jar = new Jar(data); Client client = new Client(jar.address)) {
            assertEquals(MANY, results(client.write(request(client, "/data/publications", seen))).size());
        }
        assertEquals(MANY, count("versions"));
        assertEquals(MANY, count("templates where published = 1"));
    }

    private static String request(Client client, String path, ArrayNode templates) {
        String body = "{\"templates\":" + templates + "}";
        return client.request("POST", path, null, "Cookie: stet=session", "Content-Type: application/json", "Content-Length: " + body.length()) + body;
    }

    private static JsonNode results(Client client) {
        Client.Reply reply = client.read(false);
        assertEquals(200, reply.status(), reply.text());
        return Json.tree(reply.text()).get("results");
    }

    @Test
    void aKilledExportLeavesACompleteFolderOrNone() throws IOException, InterruptedException {
        assertEquals(0, exitCode(importing()));
        for (int templates = 1; templates <= DRAFTS; templates += DRAFTS / 3) {
            killExport(home, templates);
            if (Files.exists(exported())) {
                assertExported();
            }
        }
        assertEquals(0, exitCode(exporting()));
        assertExported();
        assertEquals(0, staged(home));
    }

    @Test
    void aKilledExportLeavesOldOrNewFilesInAnExistingFolder() throws IOException, InterruptedException {
        assertEquals(0, exitCode(importing()));
        Files.createDirectories(exported());
        for (int i = 0; i < DRAFTS; i++) {
            Files.writeString(exported().resolve("mail-" + i + ".html"), "older");
        }
        for (int templates = 1; templates <= DRAFTS; templates += DRAFTS / 3) {
            killExport(exported().getParent(), templates);
            for (int i = 0; i < DRAFTS; i++) {
                String html = html(exported(), i);
                assertTrue(html.equals("older") || html.equals(html(imported(), i)), html);
            }
        }
        assertEquals(0, exitCode(exporting()));
        assertExported();
        assertEquals(0, staged(exported().getParent()));
    }

    private Process exporting() throws IOException {
        return command("export", exported().getParent().toString(), "--account", ADA);
    }

    /** Kills an export once it has staged so many files of templates. @param folder has the stage */
    private void killExport(Path folder, int files) throws IOException, InterruptedException {
        Process exporting = exporting();
        assertTrue(Running.comes(() -> !exporting.isAlive() || staged(folder) >= files));
        kill(exporting);
    }

    private Path exported() {
        return home.resolve("out-folder").resolve("templates");
    }

    private Path imported() {
        return home.resolve("files").resolve("templates");
    }

    private static String html(Path folder, int number) throws IOException {
        return Files.readString(folder.resolve("mail-" + number + ".html"));
    }

    /** Each template has its HTML and its JSON. */
    private void assertExported() throws IOException {
        assertEquals(2 * DRAFTS, exported().toFile().list().length);
        for (int i = 0; i < DRAFTS; i++) {
            assertEquals(html(imported(), i), html(exported(), i));
        }
    }

    /** Returns how many files of templates unfinished exports have in this folder. */
    private static int staged(Path folder) {
        try (Stream<Path> stages = Files.list(folder).filter(file -> file.getFileName().toString().startsWith(".stet-export-"))) {
            return stages.map(stage -> stage.resolve("templates").toFile().list()).mapToInt(files -> files == null ? 0 : files.length).sum();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** If killed at any time, the file is the old or the new backup, with a matching checksum. */
    @Test
    void aKilledBackupLeavesTheOldOrTheNewFile() throws IOException, InterruptedException {
        assertEquals(0, exitCode(importing()));
        Path copy = home.resolve("copy.db");
        Path checksum = home.resolve("copy.db.sha256");
        assertEquals(0, exitCode(command("backup", copy.toString())));
        List<BooleanSupplier> steps = List.of(() -> files("copy.db.").size() > 1, () -> files("copy.db.sha256.").size() > 0,
                () -> Files.notExists(checksum));
        for (BooleanSupplier step : steps) {
            Process backing = command("backup", copy.toString());
            assertTrue(Running.comes(() -> !backing.isAlive() || step.getAsBoolean()));
            kill(backing);
            assertEquals(0, exitCode(command("check", copy.toString())), Files.readString(home.resolve("out")));
        }
    }

    /** If killed at any step, the folder contains the old or the new database, and the next restore works. */
    @Test
    void aKilledRestoreLeavesTheOldOrTheNewDatabase() throws IOException, InterruptedException, SQLException {
        assertEquals(0, exitCode(importing()));
        Path copy = home.resolve("copy.db");
        assertEquals(0, exitCode(command("backup", copy.toString())));
        // The copy is begun, is complete; the old database's folder is created, has the database; the new database is in use.
        List<BooleanSupplier> steps = List.of(() -> size("tmp") > 0, () -> size("tmp") >= copy.toFile().length(),
                () -> replaced().length > 0, () -> replaced().length > 0 && replaced()[replaced().length - 1].toPath().resolve("stet.db").toFile().exists(),
                () -> count("templates where name = 'changed since'") == 0);
        for (BooleanSupplier step : steps) {
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("stet.db"));
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate("update templates set name = 'changed since'");
            }
            for (File folder : replaced()) {
                Running.delete(folder.toPath());
            }
            Process restoring = command("restore", copy.toString());
            assertTrue(Running.comes(() -> !restoring.isAlive() || step.getAsBoolean()));
            kill(restoring);
            assertEquals(0, exitCode(command("check")), Files.readString(home.resolve("out")));
            long changed = count("templates where name = 'changed since'");
            assertTrue(changed == 0 || changed == DRAFTS, changed + " of " + DRAFTS);
            assertEquals(DRAFTS, count("templates where published = 1"));
            try (Jar jar = new Jar(data)) {
                assertTrue(jar.address.getPort() > 0);
            }
        }
        assertEquals(0, exitCode(command("restore", copy.toString())), Files.readString(home.resolve("out")));
        assertEquals(0, count("templates where name = 'changed since'"));
        assertEquals(0, size("tmp"));
    }

    /** A rollback journal left by a killed restore would need a rollback, which check cannot do. */
    @Test
    void aKilledRestoreLeavesNoRollbackJournal() throws IOException, InterruptedException {
        Machine.has("strace");
        assertEquals(0, exitCode(importing()));
        Path copy = home.resolve("copy.db");
        assertEquals(0, exitCode(command("backup", copy.toString())));
        String journal = data.resolve("stet.db-journal").toString();
        List<String> restore = new ArrayList<>(List.of("strace", "-f", "-o", home.resolve("trace").toString(), "-P", journal,
                "-e", "trace=unlink", "-e", "inject=unlink:signal=KILL")); // before the journal is deleted, which is its commit
        restore.addAll(Jar.command(home, List.of(), "restore", copy.toString(), "--data", data.toString()));
        Process restoring = new ProcessBuilder(restore).redirectErrorStream(true).redirectOutput(home.resolve("out").toFile()).start();
        assertTrue(restoring.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertTrue(Files.notExists(Path.of(journal)));
        assertEquals(0, exitCode(command("check")), Files.readString(home.resolve("out")));
    }

    /** Returns the total size of a folder's files in bytes. */
    private long size(String folder) {
        File[] files = data.resolve(folder).toFile().listFiles();
        return files == null ? 0 : Stream.of(files).mapToLong(File::length).sum();
    }

    /** Returns the folders of databases that restores have replaced. */
    private File[] replaced() {
        return data.toFile().listFiles(file -> file.getName().startsWith("replaced-"));
    }

    private List<String> files(String prefix) {
        try (Stream<Path> files = Files.list(home)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith(prefix)).toList();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void theNextStartFinishesAKilledDeletion() throws IOException, InterruptedException {
        assertEquals(0, exitCode(importing()));
        Process deleting = command("account", "delete", ADA, "--yes");
        assertTrue(Running.comes(() -> count("accounts where deleted_at is not null") > 0 && count("templates") < DRAFTS || !deleting.isAlive()));
        kill(deleting);
        try (Db db = Db.open(data, false)) {
            assertEquals(List.of(), db.read(dao -> dao.accounts().list()));
            db.change(dao -> dao.accounts().add(ADA, Plan.FREE, Instant.EPOCH, null, null));
        }
        startedOnce();
        for (String table : List.of("templates", "versions", "texts", "includes", "secrets")) {
            assertEquals(0, count(table), table);
        }
        assertEquals(1, count("accounts"));
    }

    @Test
    void theNextCompactFinishesAKilledOne() throws IOException, InterruptedException, SQLException {
        String free = "pragma_freelist_count where freelist_count > ";
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("stet.db"));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("""
                    with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
                    insert into texts (account_id, html) select -i % 10, randomblob(80000) from n""");
            statement.executeUpdate("delete from texts where account_id <> 0");
        }
        assertEquals(1, count(free + 8_000));
        Process compacting = command("compact");
        assertTrue(Running.comes(() -> count(free + 8_000) == 0 || !compacting.isAlive()));
        kill(compacting);
        assertEquals(1, count("pragma_integrity_check where integrity_check = 'ok'"));
        assertEquals(50, count("texts where length(html) = 80000"));
        assertEquals(0, exitCode(command("compact")));
        assertEquals(0, count(free + 0));
        assertTrue(Files.size(data.resolve("stet.db")) < 6_000_000);
    }
}
