package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.access.TenancyTest;
import stet.base.Json;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Crowd;
import stet.harness.Running;
import stet.harness.Terminal;

/** The commands push, pull, diff, rollback and status give the same results on a data folder and a server. */
class PushCommandsTest {
    private static final String TOKEN = "stet_deploy_of-the-test";

    @TempDir
    Path folder;
    private Running stet;
    private Terminal terminal;
    private Account ada;
    private Browser browser;
    private Wire wire;
    private String place = "server";

    @BeforeEach
    void start() throws IOException {
        stet = new Running(folder.resolve("data"));
        terminal = new Terminal(folder.resolve("data"));
        ada = stet.account("ada@example.com", Plan.PRO);
        browser = Browser.of(stet, ada);
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.EDITOR, TOKEN, null, stet.now()));
        wire = new Wire(stet.server.address().getPort());
        terminal.environment.put("STET_TOKEN", TOKEN);
        write("templates/welcome.html", "<p>one</p>\n<p>{{name}}</p>\n{{> footer}}\n");
        write("templates/welcome.json", "{\"name\": \"Welcome\", \"subject\": \"Hi\"}");
        write("blocks/footer.html", "<i>one</i>\n");
    }

    @AfterEach
    void end() throws IOException {
        wire.close();
        stet.close();
    }

    /** Forwards bytes in both directions and counts those sent to the server. */
    private static final class Wire implements AutoCloseable {
        private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final AtomicLong sent = new AtomicLong();
        private final Thread accepting;

        Wire(int port) throws IOException {
            accepting = start(() -> {
                while (true) {
                    Socket client = listening.accept();
                    Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                    start(() -> copy(client, server, sent));
                    start(() -> copy(server, client, new AtomicLong()));
                }
            });
        }

        private interface Work {
            void run() throws IOException;
        }

        private static Thread start(Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException closed) {
                    // closed
                }
            });
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        private static void copy(Socket from, Socket to, AtomicLong count) throws IOException {
            try (from; to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] slice = new byte[8 << 10];
                for (int read = in.read(slice); read >= 0; read = in.read(slice)) {
                    count.addAndGet(read);
                    out.write(slice, 0, read);
                    out.flush();
                }
            }
        }

        String url() {
            return "http://127.0.0.1:" + listening.getLocalPort();
        }

        /** Waits for the accepting thread, in whose system call the socket still accepts connections. */
        @Override
        public void close() throws IOException {
            listening.close();
            try {
                accepting.join();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Path files() {
        return folder.resolve("files");
    }

    private void write(String path, String text) throws IOException {
        Files.createDirectories(files().resolve(path).getParent());
        Files.writeString(files().resolve(path), text);
    }

    private String read(String path) throws IOException {
        return Files.readString(files().resolve(path));
    }

    private Terminal.Result run(String command, String... options) {
        Stream<String> where = place.equals("server") ? Stream.of("--server", wire.url()) : Stream.of("--account", ada.name());
        Stream<String> operand = command.equals("status") || command.equals("rollback") ? Stream.of() : Stream.of(files().toString());
        Terminal.Result result = terminal.run(Stream.of(Stream.of(command), operand, Stream.of(options), where).flatMap(each -> each)
                .toArray(String[]::new));
        return new Terminal.Result(result.code(), result.out().replace(" at " + wire.url(), "").replace(System.lineSeparator(), "\n"),
                result.err().replace(System.lineSeparator(), "\n"));
    }

    private void done(String out, String command, String... options) {
        Terminal.Result result = run(command, options);
        assertEquals("0 " + out, result.code() + " " + result.out(), result.err());
    }

    private List<String> rows() throws SQLException {
        List<String> rows = TenancyTest.rows(stet.folder, ada);
        rows.removeIf(row -> row.matches("(?s)(garbage|texts|storage|sessions|secret_uses)\\|.*"));
        return rows;
    }

    private void edit(String html) {
        long revision = stet.db.read(dao -> dao.templates().revision(ada.id(), "welcome")).orElseThrow();
        assertEquals(200, browser.put("/data/templates/welcome",
                "{\"revision\":" + revision + ",\"subject\":\"Hi\",\"html\":\"" + html + "\",\"samples\":{}}").status());
    }

    private String live() {
        return new String(stet.db.read(dao -> dao.templates().published(ada.id(), "welcome")).orElseThrow().html(), StandardCharsets.UTF_8);
    }

    private String author() {
        return place.equals("server") ? "token ci" : "command line";
    }

    private String lastPush() {
        return "Last push by " + author() + " at 2026-01-31T09:00:00.000Z: abc123\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "data folder"})
    void aPushPublishesAndPushingTheSameAgainChangesNothing(String where) throws SQLException {
        place = where;
        assertEquals(4, run("push", "--publish", "--dry-run", "--exit-code").code());
        done("ada@example.com:\n+ welcome\n~ footer (shared block)\n^ welcome published; needs name\n= 0 unchanged\n",
                "push", "--publish", "--note", "abc123");
        List<String> before = rows();
        done("ada@example.com, a dry run:\n= 1 unchanged\n", "push", "--publish", "--dry-run", "--exit-code");
        done("ada@example.com:\n= 1 unchanged\n", "push", "--publish", "--note", "def456");
        assertEquals(before, rows());
        done("ada@example.com: 1 template, 1 shared block\n" + lastPush(), "status");
    }

    /** The edit is reported, pulled, merged with the local change, and published; then nothing is left to pull. */
    @ParameterizedTest
    @ValueSource(strings = {"server", "data folder"})
    void anEditInStetRejectsAPushUntilItIsPulled(String where) throws IOException {
        place = where;
        run("push", "--publish", "--note", "abc123");
        edit("<p>urgent</p>\\n<p>{{name}}</p>\\n{{> footer}}\\n");
        write("templates/welcome.html", "<p>one</p>\n<p>{{name}}</p>\n<p>more</p>\n{{> footer}}\n");
        String conflict = "! template welcome was changed in Stet by ada@example.com at 2026-01-31T09:00:00.000Z\n";
        Terminal.Result refused = run("push", "--publish");
        assertEquals("1 ada@example.com:\n~ welcome\n" + conflict + "= 0 unchanged\n", refused.code() + " " + refused.out());
        assertTrue(refused.err().endsWith("Nothing was changed. \"pull\" downloads the changed drafts, and \"pull --published\" downloads the live versions; --overwrite overwrites the changes made in Stet\n"),
                refused.err());
        done("ada@example.com: 1 template, 1 shared block\n" + lastPush() + conflict, "status");
        done("""
                --- account/templates/welcome.html
                +++ folder/templates/welcome.html
                @@ -1,3 +1,4 @@
                -<p>urgent</p>
                +<p>one</p>
                 <p>{{name}}</p>
                +<p>more</p>
                 {{> footer}}
                """, "diff");

        pullIsRefused("templates/welcome.html");
        done("", "pull", "--overwrite");
        assertEquals("<p>urgent</p>\n<p>{{name}}</p>\n{{> footer}}\n", read("templates/welcome.html"));
        assertEquals("<i>one</i>\n", read("blocks/footer.html"));
        write("templates/welcome.html", "<p>urgent</p>\n<p>more</p>\n{{> footer}}\n");
        done("ada@example.com:\n~ welcome\n^ welcome published; no longer needs name\n= 0 unchanged\n", "push", "--publish", "--note", "abc123");
        assertEquals("<p>urgent</p>\n<p>more</p>\n<i>one</i>\n\n", live());
        done("ada@example.com: 1 template, 1 shared block\n" + lastPush(), "status");
        done("", "pull");
        assertEquals("{\n  \"templates\": {},\n  \"blocks\": {}\n}\n", read("stet-pulled.json"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "data folder"})
    void diffNamesChangesOfLineEndings(String where) throws IOException {
        place = where;
        run("push");
        edit("<p>urgent</p>\\n<p>{{name}}</p>\\n{{> footer}}\\n");
        write("templates/welcome.html", "<p>urgent</p>\r\n<p>{{name}}</p>\n{{> footer}}\r");
        done("""
                Only line endings changed:
                --- account/templates/welcome.html
                +++ folder/templates/welcome.html
                @@ -1,3 +1,3 @@
                -<p>urgent</p>
                +<p>urgent</p>\r
                 <p>{{name}}</p>
                -{{> footer}}
                +{{> footer}}\r
                \\ No newline at end of file
                """, "diff");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "data folder"})
    void aRollbackLastsUntilTheFilesChange(String where) throws IOException {
        place = where;
        run("push", "--publish", "--note", "abc123");
        write("templates/welcome.html", "<p>urgent</p>\n<p>more</p>\n{{> footer}}\n");
        run("push", "--publish", "--note", "abc123");
        done("", "rollback", "welcome", "--note", "oh");
        assertEquals("<p>one</p>\n<p>{{name}}</p>\n<i>one</i>\n\n", live());
        assertTrue(run("rollback", "welcome", "--to", "3").err().contains("Version 3 is already live"));
        done("ada@example.com: 1 template, 1 shared block\n" + lastPush() + "? template welcome was rolled back to an earlier version by "
                + author() + " at 2026-01-31T09:00:00.000Z\n", "status");
        done("ada@example.com:\n= 1 unchanged\n", "push");
        done("ada@example.com:\n? welcome was rolled back and will serve an earlier version until its files or shared blocks change\n= 1 unchanged\n", "push", "--publish", "--note", "abc123");
        assertEquals("<p>one</p>\n<p>{{name}}</p>\n<i>one</i>\n\n", live());
        write("templates/welcome.html", "<p>fixed</p>");
        done("ada@example.com:\n~ welcome\n^ welcome published; no longer needs name\n= 0 unchanged\n", "push", "--publish", "--note", "abc123");
        assertEquals("<p>fixed</p>", live());
        done("ada@example.com: 1 template, 1 shared block\n" + lastPush(), "status");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "data folder"})
    void diffReportsEachFileAsJsonAndByExitCode(String where) throws IOException {
        place = where;
        done("{\"files\":[{\"path\":\"blocks/footer.html\",\"change\":\"added\",\"lines\":[\"--- /dev/null\",\"+++ folder/blocks/footer.html\","
                + "\"@@ -0,0 +1 @@\",\"+<i>one</i>\"]},{\"path\":\"templates/welcome.html\",\"change\":\"added\",\"lines\":[\"--- /dev/null\","
                + "\"+++ folder/templates/welcome.html\",\"@@ -0,0 +1,3 @@\",\"+<p>one</p>\",\"+<p>{{name}}</p>\",\"+{{> footer}}\"]},"
                + "{\"path\":\"templates/welcome.json\",\"change\":\"added\",\"lines\":[\"--- /dev/null\",\"+++ folder/templates/welcome.json\","
                + "\"@@ -0,0 +1,5 @@\",\"+{\",\"+  \\\"name\\\": \\\"Welcome\\\",\",\"+  \\\"published\\\": true,\",\"+  \\\"subject\\\": \\\"Hi\\\"\",\"+}\"]}]}\n", "diff", "--json");
        assertEquals(0, run("diff").code(), "without --exit-code");
        assertEquals(4, run("diff", "--exit-code").code());
        assertEquals(4, run("diff", "--exit-code", "--json").code());
        run("push");
        done("", "diff", "--exit-code");
        done("{\"files\":[]}\n", "diff", "--exit-code", "--json");
        write("templates/welcome.html", "<p>two</p>\n<p>{{name}}</p>\n{{> footer}}\n");
        write("templates/new.html", "\u001b[31m");
        Files.delete(files().resolve("blocks/footer.html"));
        JsonNode files = Json.tree(run("diff", "--json").out()).get("files");
        assertEquals("[\"blocks/footer.html\",\"templates/new.html\",\"templates/new.json\",\"templates/welcome.html\"] [\"removed\",\"added\",\"added\",\"changed\"]",
                (files.findValues("path") + " " + files.findValues("change")).replace(", ", ","));
        Files.delete(files().resolve("templates/new.html"));
        Terminal.Result failed = terminal.run("diff", folder.resolve("no-such").toString(), "--exit-code", "--json", "--account", ada.name());
        assertEquals("1 1 ", failed.code() + " " + Json.tree(failed.err()).get("exitCode") + " " + failed.out());
    }

    @Test
    void previewReportsProblemsAsJsonAndByExitCode() throws IOException {
        String out = folder.resolve("gallery").toString();
        Terminal.Result result = terminal.run("preview", files().toString(), "--out", out, "--json");
        assertEquals(0, result.code(), result.err());
        assertEquals("{\"index\":" + Json.tree(result.out()).get("index") + ",\"emails\":1,\"errors\":[],\"warnings\":[]}\n", result.out());
        assertEquals(Path.of(out, "index.html").toString(), Json.tree(result.out()).get("index").asText());
        write("templates/welcome.html", "{{#open}}");
        write("templates/welcome.json", "{\"subject\": \"\"}");
        result = terminal.run("preview", files().toString(), "--out", out, "--json");
        JsonNode json = Json.tree(result.out());
        assertEquals("1  1 1", result.code() + " " + result.err() + " " + json.get("errors").size() + " " + json.get("warnings").size(), result.out());
    }

    private SortedMap<String, String> folder() throws IOException {
        SortedMap<String, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(files())) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                files.put(files().relativize(path).toString(), Files.readString(path));
            }
        }
        return files;
    }

    private void pullIsRefused(String paths, String... options) throws IOException {
        SortedMap<String, String> before = folder();
        Terminal.Result refused = run("pull", options);
        assertEquals("1 Nothing was written. The folder has changes that are not in Stet: " + paths + ". Create a branch from the last pushed commit,"
                + " pull there and merge it, or discard these changes with --overwrite\n", refused.code() + " " + refused.err());
        assertEquals(before, folder());
    }

    /** A pull keeps or rejects changes made only in the folder; with --overwrite, it replaces files that were edited in Stet or have a live version. */
    @ParameterizedTest
    @ValueSource(strings = {"server", "data folder"})
    void pullReplacesLocalChangesOnlyWithOverwrite(String where) throws IOException {
        place = where;
        write("templates/receipt.html", "receipt");
        write("templates/other.html", "other");
        write("templates/welcome.samples/a.json", "{}");
        write("templates/welcome.samples/b.json", "{}");
        run("push", "--publish");
        write("templates/receipt.html", "here alone");
        write("blocks/footer.html", "here alone");
        edit("urgent"); // without test data
        Terminal.Result pulled = run("pull");
        assertEquals("0 templates/receipt.html differs but was not edited in Stet; the local file was kept\n"
                + "blocks/footer.html differs but was not edited in Stet; the local file was kept\n5 files changed\n", pulled.code() + " " + pulled.err());
        assertEquals("here alone urgent here alone", read("templates/receipt.html") + " " + read("templates/welcome.html") + " "
                + read("blocks/footer.html"));
        assertEquals(Set.of("blocks/footer.html", "stet-pulled.json", "templates/other.html", "templates/receipt.html",
                "templates/welcome.html", "templates/welcome.json"), folder().keySet());
        edit("more urgent");
        assertEquals(0, run("pull").code(), "the folder has what was pulled before");
        edit("most urgent");
        write("templates/welcome.html", "changed in both");
        pullIsRefused("templates/receipt.html; templates/welcome.html; blocks/footer.html", "--published");
        pullIsRefused("templates/welcome.html");
        assertEquals(0, run("pull", "--overwrite").code());
        assertEquals("here alone most urgent", read("templates/receipt.html") + " " + read("templates/welcome.html"));
        assertEquals(0, run("pull", "--published", "--overwrite").code());
        assertEquals("receipt", read("templates/receipt.html"));
    }

    /** The draft written by an earlier pull is missing from the folder, so a push must not replace it. */
    @Test
    void afterAPullOfLiveVersionsTheEarlierPullOfDraftsPermitsNoPush() throws IOException {
        run("push", "--publish");
        edit("live");
        long revision = stet.db.read(dao -> dao.templates().revision(ada.id(), "welcome")).orElseThrow();
        assertEquals(200, browser.post("/data/templates/welcome/publish", "{\"revision\":" + revision + "}").status());
        edit("draft");
        assertEquals(0, run("pull").code());
        assertEquals("draft", read("templates/welcome.html"));
        assertEquals(0, run("pull", "--published").code());
        assertEquals("live", read("templates/welcome.html"));
        assertTrue(run("push").out().contains("! template welcome was changed in Stet by ada@example.com"));
        assertEquals(0, run("pull", "--overwrite").code());
        write("templates/welcome.html", "merged");
        assertEquals(0, run("push").code());
    }

    /** Another system's folder is converted locally. The server receives its own format, and a second push sends no files. */
    @Test
    void aFolderOfAnotherSystemIsConvertedAndPushed() throws IOException {
        Path mails = folder.resolve("postmark");
        Files.createDirectories(mails.resolve("hi"));
        Files.writeString(mails.resolve("hi/content.html"), "<p>Hi %recipient.name%</p>");
        Files.writeString(mails.resolve("hi/meta.json"), "{\"Name\": \"Hi\", \"Alias\": \"hi-2\", \"Subject\": \"Hi\", \"LayoutTemplate\": null}");
        Files.writeString(mails.resolve("hi/content.txt"), "Hi");
        String[] push = {"push", mails.toString(), "--server", "http://127.0.0.1:" + stet.server.address().getPort(), "--json"};
        JsonNode plan = Json.tree(terminal.done(push));
        assertEquals("[\"hi-2\"] [\"IDs come from file names or file contents: hi/content.html becomes template hi-2\",\"Skipped: hi/content.txt\",\"Warning: hi/content.html: line 1: \\\"%recipient.name%\\\" is a tag of Mailgun"
                + " and will not be filled in; use {{name}} instead\"]", plan.get("created") + " " + plan.get("notices"));
        assertEquals("<p>Hi %recipient.name%</p>",
                new String(stet.db.read(dao -> dao.templates().find(ada.id(), "hi-2")).orElseThrow().html(), StandardCharsets.UTF_8));
        assertEquals(1, Json.tree(terminal.done(push)).get("unchanged").asInt());
    }

    @Test
    void errorsOfAConvertedFolderPrecedeItsWarnings() throws IOException {
        Path mails = folder.resolve("postmark");
        Files.createDirectories(mails.resolve("hi"));
        Files.writeString(mails.resolve("hi/content.html"), "<p>Hi %recipient.name%</p>\n{{#if a}}");
        Files.writeString(mails.resolve("hi/meta.json"), "{\"Name\": \"Hi\", \"Alias\": \"hi-2\", \"Subject\": \"Hi\"}");
        String printed = terminal.done("push", mails.toString(), "--server", "http://127.0.0.1:" + stet.server.address().getPort(), "--publish", "--force");
        assertEquals("Error: templates/hi-2.html: line 2: \"{{#if a}}\" is not closed / Warning: hi/content.html: line 1: \"%recipient.name%\""
                + " is a tag of Mailgun and will not be filled in; use {{name}} instead", printed.lines()
                .filter(line -> line.startsWith("? ") && line.contains("line ")).map(line -> line.substring(2)).collect(Collectors.joining(" / ")));
    }

    @Test
    void pullKeepsThatATemplateIsNotToBePublished() throws IOException {
        write("templates/kept.html", "kept");
        write("templates/kept.json", "{\"published\": false}");
        run("push");
        edit("urgent");
        stet.db.change(dao -> dao.templates().save(ada.id(), new Draft("kept", "Kept", "", "urgent".getBytes(StandardCharsets.UTF_8),
                Map.of()), stet.now()));
        assertEquals(0, run("pull").code());
        done("ada@example.com:\n^ welcome published\n= 2 unchanged\n", "push", "--publish");
    }

    /** Unchanged files keep their author's formatting. */
    @Test
    void pullWritesOnlyWhatDiffers() throws IOException {
        run("push");
        assertEquals("The folder is up to date\n", run("pull").err());
        assertEquals("{\"name\": \"Welcome\", \"subject\": \"Hi\"}", read("templates/welcome.json"));
        Files.delete(files().resolve("blocks/footer.html"));
        assertEquals("1 file changed\n", run("pull").err());
        assertEquals("<i>one</i>\n", read("blocks/footer.html"));
        write("templates/other.html", "only here");
        assertEquals("templates/other.html is not in the account; the local file was kept\nThe folder is up to date\n", run("pull").err());
    }

    @Test
    void aPullOfLiveVersionsHasTheBlocksAsTags() throws IOException {
        run("push", "--publish");
        write("templates/welcome.html", "two");
        run("push");
        assertEquals(0, run("pull", "--published").code());
        assertEquals("<p>one</p>\n<p>{{name}}</p>\n{{> footer}}\n", read("templates/welcome.html"));
    }

    @Test
    void aPushSendsOnlyWhatDiffers() throws IOException, SQLException {
        String random = IntStream.range(0, 40_000).mapToObj(i -> Integer.toString(i * 7919 % 9_973, 36)).collect(Collectors.joining(" "));
        for (int i = 0; i < 10; i++) {
            write("templates/mail-" + i + ".html", random + i);
        }
        assertEquals(0, run("push", "--publish").code());
        long all = wire.sent.getAndSet(0);
        List<String> before = rows();
        done("ada@example.com:\n= 11 unchanged\n", "push", "--publish");
        long none = wire.sent.getAndSet(0);
        assertEquals(before, rows());
        write("templates/mail-3.html", random + "changed");
        done("ada@example.com:\n~ mail-3\n^ mail-3 published\n? Warning: templates/mail-3.json: \"subject\": the subject is empty\n= 10 unchanged\n", "push", "--publish");
        long one = wire.sent.get();
        System.out.println("Bytes on the wire: " + all + " for all, " + none + " for nothing, " + one + " for one of eleven");
        assertTrue(all > 300_000 && none < 3_000 && one < all / 8, all + ", " + none + ", " + one);
    }

    /** A template omitted from the zip is published if one of its shared blocks has changed. */
    @Test
    void aChangedBlockPublishesTheTemplatesThatIncludeIt() throws IOException {
        write("templates/draft.html", "{{> footer}}");
        write("templates/draft.json", "{\"published\": false}");
        run("push", "--publish");
        write("blocks/footer.html", "<i>two</i>\n");
        done("ada@example.com:\n~ footer (shared block)\n^ welcome published\n= 2 unchanged\n", "push", "--publish");
        assertTrue(live().contains("<i>two</i>"));
    }

    @Test
    void jsonHasPrunedTemplatesAndTheLastChange() throws IOException {
        write("templates/old.html", "old");
        run("push");
        Files.delete(files().resolve("templates/old.html"));
        JsonNode plan = Json.tree(run("push", "--prune", "--json").out());
        assertEquals("{\"account\":\"ada@example.com\",\"created\":[],\"changed\":[],\"unchanged\":1,\"blocks\":[],\"published\":[],\"pruned\":[\"old\"]}", plan.toString());
        JsonNode state = Json.tree(run("status", "--json").out());
        assertEquals("ada@example.com [] 1 1", state.get("account").asText() + " " + state.get("changed") + " " + state.get("templates").size()
                + " " + state.get("blocks").size());
        assertEquals("{\"how\":\"push\",\"at\":\"2026-01-31T09:00:00.000Z\",\"by\":\"token ci\",\"note\":\"\"}", state.get("last").toString());
        terminal.clock.advance(Duration.ofMinutes(1));
        write("blocks/footer.html", "<i>imported</i>");
        terminal.done("import", files().toString(), "--account", "ada@example.com");
        assertTrue(run("status").out().contains("\nLast import by command line at 2026-01-31T09:01:00.000Z\n"));
    }

    @Test
    void anEmptyFolderPrunesNothing() throws IOException {
        for (String file : List.of("templates/welcome.html", "templates/welcome.json")) {
            Files.delete(files().resolve(file));
        }
        assertEquals(0, run("push").code());
        Files.delete(files().resolve("blocks/footer.html"));
        Terminal.Result refused = run("push", "--prune");
        assertTrue(refused.err().contains("--prune would remove all unused shared blocks from earlier pushes because their files are missing. Check that you are pushing the right files"),
                refused.toString());
        assertTrue(terminal.done("status", "--account", "ada@example.com").contains("1 shared block"));
    }

    /** @param words command line, with URL for the server's address */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            push DIR --server x | --server is "x"; use a URL such as https://mail.example.com
            push DIR --server URL --account ada@example.com | --account applies to the data folder only; with --server, the deploy token selects the account
            push DIR --server URL --exit-code | --exit-code needs --dry-run
            push DIR --server URL --token x | --token would be visible in the process list; use --token-file FILE or the variable STET_TOKEN
            rollback none --server URL | URL: Not found
            rollback welcome --server URL --to x | --to is "x"; it must be a whole number from 1 to 999999999
            push none --server URL | Folder none not found
            status --server http://192.0.2.1 | The token would be sent to http://192.0.2.1 unencrypted. Use https or --allow-http.
            status --server http://no.invalid | The token would be sent to http://no.invalid unencrypted. Use https or --allow-http.
            """)
    void anInvalidCommandLineIsRejected(String words, String sentence) {
        Terminal.Result result = terminal.run(words.replace("DIR", files().toString()).replace("URL", wire.url()).split(" "));
        assertEquals("1 " + sentence.replaceFirst("^URL", wire.url()), result.code() + " " + result.err().strip());
    }

    /** A seed has no author. */
    @Test
    void statusNamesASeedWithoutAuthor() throws IOException {
        stet.db.change(dao -> dao.sources().recordSeed(ada.id(), "block", "footer", new byte[32], stet.now()));
        done("ada@example.com: 0 templates, 0 shared blocks\nLast seed at 2026-01-31T09:00:00.000Z\n", "status");
        String json = run("status", "--json").out();
        assertTrue(json.contains("\"last\":{\"how\":\"seed\",\"at\":\"2026-01-31T09:00:00.000Z\",\"by\":null,\"note\":\"\"}"), json);
    }

    @Test
    void aPushNeedsAnAccountOrAServer() {
        assertEquals("\"push\" needs --account ACCOUNT, or --server URL", terminal.run("push", files().toString()).err().strip());
    }

    private Terminal.Result runWithTokenFile(byte[] content) throws IOException {
        return run("status", "--token-file", Files.write(folder.resolve("token"), content).toString());
    }

    @Test
    void aTokenFileOverridesTheVariable() throws IOException {
        terminal.environment.put("STET_TOKEN", "wrong");
        assertEquals("ada@example.com: 0 templates, 0 shared blocks\n", runWithTokenFile((TOKEN + "\n").getBytes(StandardCharsets.UTF_8)).out());
    }

    @Test
    void aMissingOrInvalidTokenIsRejected() throws IOException {
        terminal.environment.remove("STET_TOKEN");
        assertEquals("Set a deploy token with STET_TOKEN or --token-file FILE\n", run("status").err());
        for (String form : List.of("\u00e4" + TOKEN, TOKEN + "\n" + TOKEN)) {
            assertEquals("The deploy token has invalid characters. The token must be one line of ASCII.\n",
                    runWithTokenFile(form.getBytes(StandardCharsets.UTF_8)).err());
        }
        assertEquals("The file " + folder.resolve("token") + " is not UTF-8; convert it to UTF-8\n", runWithTokenFile(new byte[] {-1}).err());
        terminal.environment.put("STET_TOKEN", "wrong");
        assertEquals("1 " + wire.url() + ": The deploy token is missing, unknown, deleted or expired; API keys are not accepted\n", run("push").code() + " " + run("push").err());
    }

    @Test
    void aServerThatCannotBeReachedIsReported() throws IOException {
        wire.close();
        assertEquals("2 Cannot connect to " + wire.url() + "\n", run("push").code() + " " + run("push").err());
    }

    /**
     * A response that follows a longer one is read completely. A redirect is reported and not followed.
     *
     * @param begin first part of the body before the right response
     * @param error part of the error message
     */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(quoteCharacter = '`', value = {"503, `{\"error\":\"busy `, 0, 2, ``", "503, <html>, 2, 1, unexpected response with status 503",
        "301, `{\"moved\":\" `, 2, 1, a redirect to https://stet.example.com/; is this a Stet server?"})
    void aRollbackIsRetriedOnlyIfTheServerReportsThatItDidNothing(int status, String begin, int code, long requested, String error) throws IOException {
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicLong requests = new AtomicLong();
        proxy.createContext("/", exchange -> {
            boolean first = requests.incrementAndGet() == 1;
            byte[] body = (first ? begin + "busy ".repeat(100) + "\"}" : "{\"template\":\"welcome\",\"version\":3,\"of\":1}").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Retry-After", "0");
            if (status == 301) {
                exchange.getResponseHeaders().set("Location", "https://stet.example.com/");
            }
            exchange.sendResponseHeaders(first ? status : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        proxy.start();
        try {
            Terminal.Result result = terminal.run("rollback", "welcome", "--server", "http://127.0.0.1:" + proxy.getAddress().getPort());
            assertEquals(code + " " + requested, result.code() + " " + requests.get(), result.err());
            assertTrue(result.err().contains(error), result.err());
        } finally {
            proxy.stop(0);
        }
    }

    @Test
    void aRotatedTokenWorksUntilItIsDeleted() {
        String secret = terminal.done("token", "add", "ada@example.com", "github", "--role", "editor", "--expires", "90d").strip();
        assertTrue(secret.matches("stet_deploy_[0-9A-Za-z]{49}"), secret);
        terminal.environment.put("STET_TOKEN", secret);
        done("ada@example.com: 0 templates, 0 shared blocks\n", "status");
        String next = terminal.done("token", "rotate", "ada@example.com", "2", "--overlap", "1h").strip();
        JsonNode list = Json.tree("{\"tokens\":" + terminal.done("token", "list", "ada@example.com", "--json") + "}").get("tokens");
        assertEquals("{\"id\":2,\"name\":\"github\",\"role\":\"editor\",\"token\":\"" + secret.substring(0, 16)
                + "...\",\"createdAt\":\"2026-01-31T09:00:00.000Z\",\"lastUsedAt\":\"2026-01-31T09:00:00.000Z\","
                + "\"expiresAt\":\"2026-01-31T10:00:00.000Z\"}", list.get(1).toString());
        assertEquals("3 github editor 2026-05-01T09:00:00.000Z", list.get(2).get("id").asText() + " " + list.get(2).get("name").asText() + " "
                + list.get(2).get("role").asText() + " " + list.get(2).get("expiresAt").asText());
        assertEquals(0, run("status").code());
        terminal.done("token", "delete", "ada@example.com", "2");
        assertTrue(run("status").err().contains("The deploy token is missing, unknown, deleted or expired"));
        terminal.environment.put("STET_TOKEN", next);
        assertEquals(0, run("status").code());
    }

    @Test
    void aTokenThatCannotBePrintedReplacesNothing() {
        terminal.done("token", "add", "ada@example.com", "github", "--expires", "90d");
        terminal.room = 0;
        for (String overlap : List.of("24h", "0s")) {
            assertTrue(terminal.run("token", "rotate", "ada@example.com", "2", "--overlap", overlap).err()
                    .startsWith("The new token could not be printed, so it was deleted; the old token keeps working"));
        }
        terminal.room = Integer.MAX_VALUE;
        assertEquals("2026-05-01T09:00:00.000Z", Json.tree("{\"tokens\":" + terminal.done("token", "list", "ada@example.com", "--json") + "}")
                .get("tokens").get(1).get("expiresAt").asText());
    }

    @Test
    void invalidTokenCommandsAreRejected() {
        for (String[] wrong : new String[][] {{"token delete ada@example.com 9", "Account ada@example.com has no token 9; \"token list\" shows the IDs"},
            {"token rotate ada@example.com 3 --overlap 73h", "--overlap must be at most 72h"},
            {"key rotate ada@example.com 3 --overlap 73h", "--overlap must be at most 72h"},
            {"token add ada@example.com x --role owner", "A deploy token's role must be writer or editor"},
            {"token add ada@example.com x --expires soon", "--expires is \"soon\"; use a duration such as 30s, 15m, 24h or 7d"}}) {
            Terminal.Result result = terminal.run(wrong[0].split(" "));
            assertEquals("1 " + wrong[1], result.code() + " " + result.err().strip());
        }
    }

    /** Otherwise a plan could be too long for a command to read. */
    @Test
    void aPlanListsOnlyTheFirstOfManyVariablesAndConflicts() throws IOException {
        String names = IntStream.range(0, 100).mapToObj(i -> "{{v" + i + "}}").collect(Collectors.joining());
        for (int i = 0; i < 1_100; i++) {
            write("templates/mail-" + i + ".html", names);
        }
        JsonNode plan = Json.tree(run("push", "--publish", "--json").out());
        assertEquals("1101 200", plan.get("published").size() + " " + plan.get("variables").size());
        stet.db.change(dao -> dao.sql().update("update templates set name = name || ' of here'"));
        write("templates/mail-7.html", "");
        Terminal.Result refused = run("push", "--json");
        assertEquals("1 1000", refused.code() + " " + Json.tree(refused.out()).get("conflicts").size());
        String sentence = terminal.run("import", files().toString(), "--account", ada.name()).err();
        assertTrue(sentence.contains("; and at least 990 more. "), sentence);
    }

    /** Two concurrent pushes are both applied completely, one after the other. */
    @Test
    void concurrentPushesAreAppliedOneAfterTheOther() throws IOException {
        for (String name : List.of("one", "two")) {
            for (int i = 0; i < 40; i++) {
                Path file = folder.resolve(name + "/templates/mail-" + i + ".html");
                Files.createDirectories(file.getParent());
                Files.writeString(file, name);
            }
        }
        List<Integer> codes = Crowd.of(2, thread -> () -> terminal.run("push", folder.resolve(thread == 0 ? "one" : "two").toString(),
                "--server", wire.url(), "--publish").code());
        assertEquals(List.of(0, 0), codes);
        Set<String> texts = IntStream.range(0, 40).mapToObj(i -> new String(stet.db.read(dao -> dao.templates().published(ada.id(), "mail-" + i))
                .orElseThrow().html(), StandardCharsets.UTF_8)).collect(Collectors.toSet());
        assertEquals(1, texts.size(), texts.toString());
    }

    /** Returns the sorted latencies of an app's requests while something runs, in µs. */
    private long[] requests(Runnable work, String key) {
        List<Long> times = new ArrayList<>();
        AtomicBoolean isDone = new AtomicBoolean();
        Thread app = new Thread(() -> {
            try (Client client = new Client(stet.server.address())) {
                while (!isDone.get()) {
                    long begin = System.nanoTime();
                    assertEquals(200, client.get(Running.TEMPLATES + "mail-7", key).status());
                    times.add((System.nanoTime() - begin) / 1_000);
                }
            }
        });
        app.start();
        work.run();
        isDone.set(true);
        assertTrue(Running.comes(() -> !app.isAlive()));
        return times.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    /** Prints how long and large a push of 1,000 templates is with 3 of them changed, and how long requests take beside a push of all. */
    @Tag("slow")
    @Test
    void pushesOfAThousandTemplatesAreMeasured() throws IOException {
        for (int i = 0; i < 1_000; i++) {
            write("templates/mail-" + i + ".html", "<p>mail " + i + "</p>" + "<p>text</p>\n".repeat(1_000));
        }
        assertEquals(0, run("push", "--publish").code());
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 3; i++) {
                write("templates/mail-" + i + ".html", "<p>round " + round + "</p>");
            }
            wire.sent.set(0);
            long begin = System.nanoTime();
            Terminal.Result result = run("push", "--publish");
            System.out.println("3 of 1,000 templates: " + (System.nanoTime() - begin) / 1_000_000 + " ms, " + wire.sent + " bytes sent");
            assertTrue(result.out().endsWith("= 998 unchanged\n"), result.out());
        }
        String key = stet.key(ada);
        stet.limit(ada, 10_000_000);
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 1_000; i++) {
                write("templates/mail-" + i + ".html", "<p>other " + round + " " + i + "</p>" + "<p>text</p>\n".repeat(1_000));
            }
            long[] times = requests(() -> assertEquals(0, run("push", "--publish").code()), key);
            System.out.println("Requests of an app beside a push of 1,000 templates: " + times.length + ", in ms: 50% "
                    + times[times.length / 2] / 1_000.0 + ", 99% " + times[times.length * 99 / 100] / 1_000.0 + ", 99.9% "
                    + times[times.length * 999 / 1_000] / 1_000.0 + ", longest " + times[times.length - 1] / 1_000.0);
        }
    }
}
