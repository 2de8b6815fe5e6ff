package stet.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Draft;
import stet.core.Samples;
import stet.harness.Rows;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.Db;

/** Templates as files: an export contains the imported bytes. */
class ImportExportTest {
    private static final String ADA = "ada@example.com";

    @TempDir
    Path folder;
    private Path files;
    private Terminal terminal;
    private String key;

    @BeforeEach
    void anAccount() {
        files = folder.resolve("files");
        terminal = new Terminal(folder.resolve("data"));
        key = terminal.account(ADA, "pro");
    }

    /** Writes two templates, one of them not to be published, and a block in a block. */
    private void writeFiles() throws IOException {
        write("templates/welcome.html", "\ufeff<p>Hi {{name}}</p>\r\n{{> footer}}\u0000\ud83d\udc1d");
        write("templates/welcome.json", """
                {"samples": {"z": "1", "name": "Ada \\ud83d\\udc1d"}, "subject": "Hi {{name}}", "name": "Welcome"}""");
        write("templates/draft.html", "");
        write("templates/draft.json", "{\"published\": false}");
        write("blocks/footer.html", "<p>{{> address}}</p>");
        write("blocks/address.html", "{{street}}");
    }

    @Test
    void anExportHasTheImportedHtmlAndTheSettingsInOneForm() throws IOException {
        writeFiles();
        assertEquals("""
                block      address
                block      footer
                created    draft
                created    welcome
                published  welcome
                """, importFiles("--publish", "--force"));
        SortedMap<String, byte[]> exported = export("one");
        assertEquals("""
                {
                  "defaultSamples": "default",
                  "name": "Welcome",
                  "published": true,
                  "subject": "Hi {{name}}"
                }
                """, text(exported, "templates/welcome.json"));
        assertEquals("""
                {
                  "name": "Ada \ud83d\udc1d",
                  "z": "1"
                }
                """, text(exported, "templates/welcome.samples/default.json"));
        assertEquals("""
                {
                  "name": "draft",
                  "published": false,
                  "subject": ""
                }
                """, text(exported, "templates/draft.json"));
        for (String path : new String[] {"templates/welcome.html", "templates/draft.html", "blocks/footer.html", "blocks/address.html"}) {
            assertArrayEquals(Files.readAllBytes(files.resolve(path)), exported.get(path), path);
        }
        assertEquals(7, exported.size());
    }

    @Test
    void importingTheSameFilesOrTheirExportChangesNothing() throws IOException {
        writeFiles();
        importFiles("--publish", "--force");
        assertEquals("", importFiles("--publish", "--force"));
        SortedMap<String, byte[]> first = export("one");
        files = folder.resolve("one");
        assertEquals("", importFiles("--publish", "--force"));
        assertEquals("", importFiles("--publish"));
        assertSameFiles(first, export("two"));
    }

    @Test
    void anExportImportedIntoAnotherAccountIsExportedUnchanged() throws IOException {
        writeFiles();
        importFiles("--publish", "--force");
        SortedMap<String, byte[]> first = export("one");
        files = folder.resolve("one");
        terminal.environment.put("STET_DATA", folder.resolve("other").toString());
        terminal.account(ADA, "free");
        importFiles("--publish", "--force");
        assertSameFiles(first, export("two"));
    }

    @Test
    void theLongestTestDataIsImportedAgain() throws IOException {
        String longest = "{\"a\": \"" + "x".repeat(Samples.BYTES - 40) + "\"}";
        try (Db db = Db.open(folder.resolve("data"), false)) {
            db.change(dao -> dao.templates().save(1, new Draft("welcome", "Welcome", "", new byte[0], Map.of("a", "{\"b\": 7}\r\n ", "long", longest)),
                    terminal.clock.instant()));
        }
        files = folder.resolve("one");
        SortedMap<String, byte[]> first = export("one");
        assertEquals("{\"b\": 7}\r\n ", text(first, "templates/welcome.samples/a.json"));
        assertEquals("", importFiles());
        terminal.environment.put("STET_DATA", folder.resolve("other").toString());
        terminal.account(ADA, "free");
        assertEquals("created    welcome\n", importFiles());
        assertSameFiles(first, export("two"));
    }

    private static final String HALF_OF_THE_TEST_DATA = "{\"a\": \"" + "x".repeat(Samples.BYTES / 2) + "\"}";

    @Test
    void aTemplateHasAtMost20SetsOfTestData() throws IOException {
        write("templates/welcome.html", "{{name}}");
        for (int i = 0; i <= Samples.SETS; i++) {
            write("templates/welcome.samples/set-" + (10 + i) + ".json", "{}");
        }
        assertEquals("templates/welcome.samples/set-30.json: welcome can have at most 20 sets of test data\n", refused());
        write("templates/welcome.samples/set-30.json", null);
        assertEquals("created    welcome\n", importFiles());
    }

    @Test
    void theTestDataOfATemplateHasAtMost1MiB() throws IOException {
        write("templates/welcome.html", "{{name}}");
        write("templates/welcome.samples/set-10.json", HALF_OF_THE_TEST_DATA);
        write("templates/welcome.samples/set-11.json", HALF_OF_THE_TEST_DATA);
        assertEquals("templates/welcome.samples/set-11.json: The test data of welcome must be at most 1048576 bytes (1 MiB)\n", refused());
    }

    @Test
    void anImportHasAtMost16MillionCharactersOfTestData() throws IOException {
        for (int i = 0; i < 33; i++) {
            write("templates/large-" + i + ".html", "");
            write("templates/large-" + i + ".samples/a.json", HALF_OF_THE_TEST_DATA);
        }
        assertEquals("The import has more than 16 million characters of new or changed test data; split it into several imports\n", refused());
    }

    @Test
    void testDataDefinedTwiceIsRefused() throws IOException {
        write("templates/welcome.html", "{{name}}");
        write("templates/welcome.json", "{\"samples\": {\"a\": \"b\"}}");
        write("templates/welcome.samples/default.json", "{}");
        assertEquals("templates/welcome.json: Both \"samples\" and a file define the test data \"default\"; remove one of them\n", refused());
    }

    private static final String MOST_BLOCKS = IntStream.range(0, 1_000).mapToObj(i -> "{{> b" + i + "}}").collect(Collectors.joining());

    @Test
    void aTemplateIncludesAtMost1000Blocks() throws IOException {
        write("templates/welcome.html", MOST_BLOCKS + "{{> one-more}}");
        assertEquals("templates/welcome.html: The HTML can include at most 1000 shared blocks\n", refused());
        write("templates/welcome.html", MOST_BLOCKS + "{{> b0}}");
        assertEquals("created    welcome\n", importFiles());
    }

    /** Of the included blocks, none exists. */
    @Test
    void aBlockIncludesAtMost1000Blocks() throws IOException {
        write("blocks/footer.html", MOST_BLOCKS + "{{> one-more}}");
        assertEquals("blocks/footer.html: The HTML can include at most 1000 shared blocks\n", refused());
        write("blocks/footer.html", MOST_BLOCKS + "{{> b0}}");
        assertEquals("blocks/footer.html: line 1: shared block \"b0\" not found\n", refused());
    }

    /** The last transaction of an import is short even with test data: 90,090 rows for blocks and 10,240 parts of test data are too many. */
    @Test
    void testDataCountsTowardTheLimitOfChanges() throws IOException {
        String large = "{\"a\": \"" + "x".repeat(Samples.BYTES - 100) + "\"}";
        for (int i = 0; i < 90; i++) {
            write("templates/uses-" + i + ".html", MOST_BLOCKS);
        }
        for (int i = 0; i < 5; i++) {
            write("templates/large-" + i + ".html", "");
            write("templates/large-" + i + ".samples/a.json", large);
        }
        assertEquals("The import has more than 100000 changes; split it into several imports. Each of these counts as"
                + " one change: a template, a set of test data, a use of a shared block, and every 512 characters of test data\n", refused());
    }

    /** Changing the default rewrites the set's document. */
    @Test
    void anotherDefaultCountsTowardTheLimitOfTestData() throws IOException {
        String large = "{\"a\": \"" + "x".repeat(Samples.BYTES - 100) + "\"}";
        for (int part = 0; part < 2; part++) {
            for (int i = 0; i < 9; i++) {
                write("templates/t-" + part + i + ".html", "");
                write("templates/t-" + part + i + ".samples/a.json", large);
                write("templates/t-" + part + i + ".samples/b.json", "{}");
            }
            assertEquals(9, importFiles().lines().count());
        }
        for (int i = 0; i < 18; i++) {
            write("templates/t-" + i / 9 + i % 9 + ".json", "{\"defaultSamples\": \"b\"}");
        }
        assertEquals("The import has more than 16 million characters of new or changed test data; split it into several imports\n", refused());
    }

    @Test
    void onlyTestDataThatDiffersIsWritten() throws IOException, SQLException {
        write("templates/welcome.html", "");
        write("templates/welcome.samples/large.json", "{\"a\": \"" + "x".repeat(100_000) + "\"}");
        write("templates/welcome.samples/small.json", "{}");
        write("templates/welcome.samples/gone.json", "{}");
        assertEquals("created    welcome\n", importFiles());
        write("templates/welcome.samples/small.json", "{ }");
        write("templates/welcome.samples/new.json", "{}");
        write("templates/welcome.samples/gone.json", null);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("data/stet.db"));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("""
                    create table written (row);
                    create trigger sample_added after insert on samples begin insert into written values ('added ' || new.name); end;
                    create trigger sample_changed after update of document on samples begin insert into written values ('changed ' || new.name); end;
                    create trigger sample_deleted after delete on samples begin insert into written values ('deleted ' || old.name); end;
                    """);
        }
        assertEquals("changed    welcome\n", importFiles());
        assertEquals(List.of("added new", "changed small", "deleted gone"),
                Rows.of(folder.resolve("data"), "select row from written order by row"));
    }

    private String refused() {
        Terminal.Result result = terminal.run("import", files.toString(), "--account", ADA);
        assertEquals(1, result.code());
        return unix(result.err());
    }

    /** Each change to the files changes the template; a set may be in either file. */
    @Test
    void eachChangeOfTestDataChangesTheTemplate() throws IOException {
        write("templates/welcome.html", "{{name}}");
        write("templates/welcome.json", "{\"samples\": {\"name\": \"Ada\", \"items\": \"[{\\\"a\\\": 1}]\"}}");
        assertEquals("created    welcome\n", importFiles());
        String[][] changes = {
            {"templates/welcome.samples/lena.json", "\ufeff{ \"name\":\t\"Lena\" }\r\n"},
            {"templates/welcome.samples/lena.json", "{\"name\": \"Lena\"}"},
            {"templates/welcome.json", "{\"defaultSamples\": \"lena\", \"samples\": {\"name\": \"Ada\"}}"},
            {"templates/welcome.json", "{\"samples\": {\"name\": \"Ada\"}}"},
            {"templates/welcome.json", null}};
        for (String[] change : changes) {
            write(change[0], change[1]);
            assertEquals("changed    welcome\n", importFiles(), change[0] + " " + change[1]);
            assertEquals("", importFiles(), change[0] + " " + change[1]);
        }
        SortedMap<String, byte[]> exported = export("after");
        assertEquals(List.of("templates/welcome.html", "templates/welcome.json", "templates/welcome.samples/lena.json"),
                List.copyOf(exported.keySet()));
        assertTrue(text(exported, "templates/welcome.json").contains("\"defaultSamples\": \"lena\""));
    }

    @Test
    void theFileOfDeletedTestDataIsNamed() throws IOException {
        write("templates/welcome.html", "{{name}}");
        write("templates/welcome.samples/default.json", "{}");
        write("templates/welcome.samples/lena.json", "{}");
        importFiles();
        export("before");
        write("templates/welcome.samples/default.json", null);
        importFiles();
        Terminal.Result again = terminal.run("export", folder.resolve("before").toString(), "--account", ADA);
        assertEquals("templates/welcome.samples/default.json is not in the account; the local file was kept\n", unix(again.err()).lines()
                .filter(line -> line.contains("local file was kept")).map(line -> line + "\n").collect(Collectors.joining()));
    }

    @Test
    void aDryRunSaysWhatWouldChangeAndChangesNothing() throws IOException {
        write("templates/welcome.html", "<p>one</p>");
        Terminal.Result result = terminal.run("import", files.toString(), "--account", ADA, "--publish", "--dry-run");
        assertEquals("created    welcome\npublished  welcome\n", unix(result.out()));
        assertEquals("Templates: 1 created, 0 changed, 0 unchanged, 1 published; shared blocks: 0 saved"
                + " (dry run; nothing was changed)\n? Warning: templates/welcome.json: \"subject\": the subject is empty\n", unix(result.err()));
        assertEquals(1, terminal.done("template", "list", ADA).lines().count());
    }

    /** @param file beside a valid file @param code exit code for both */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"notes.txt, 0", "templates/broken.html, 1", "templates/odd.json, 1"})
    void aDryRunReportsWhatTheImportReports(String file, int code) throws IOException {
        write("templates/welcome.html", "<p>one</p>");
        write("blocks/footer.html", "<p>footer</p>");
        write(file, "{{#open}}");
        Terminal.Result dry = terminal.run("import", files.toString(), "--account", ADA, "--publish", "--dry-run");
        Terminal.Result done = terminal.run("import", files.toString(), "--account", ADA, "--publish");
        assertEquals(code, done.code());
        assertEquals(done, new Terminal.Result(dry.code(), dry.out(), dry.err().replace(" (dry run; nothing was changed)", "")));
        assertEquals(code == 0, done.err().contains("Ignored: notes.txt"), done.err());
    }

    @Test
    void onlyWhatIsServedDifferentlyIsPublished() throws IOException {
        write("templates/one.html", "<p>{{> footer}}</p>");
        write("templates/two.html", "<p>two</p>");
        write("templates/three.html", "<p>three</p>");
        write("templates/three.json", "{\"published\": false}");
        write("blocks/footer.html", "old");
        importFiles("--publish");
        write("blocks/footer.html", "new");
        write("templates/three.html", "<p>three times</p>");
        assertEquals("block      footer\nchanged    three\n", importFiles());
        assertEquals("published  one\n", importFiles("--publish"));
        write("blocks/footer.html", "newer");
        assertEquals("block      footer\n", importFiles());
        write("blocks/footer.html", "new");
        assertEquals("block      footer\n", importFiles("--publish"), "it is live with this text");
        write("templates/two.json", "{\"name\": \"two\", \"subject\": \"Hi {{name}}\"}");
        assertEquals("changed    two\npublished  two\n", importFiles("--publish"));
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertEquals("<p>new</p>", serving.get(Running.TEMPLATES + "one?format=html", key).text());
            assertEquals("{\"variables\":[\"name\"]}", serving.get(Running.TEMPLATES + "two?format=variables", key).text());
            assertEquals("{\"error\":\"template_not_published\"}", serving.get(Running.TEMPLATES + "three", key).text());
        }
    }

    @Test
    void anImportIsAllOrNothing() throws IOException {
        write("templates/a.html", "<p>a</p>");
        write("blocks/footer.html", "<p>footer</p>");
        write("templates/z.html", "{{> unknown}}");
        assertEquals(new Terminal.Result(1, "", "templates/z.html: line 1: shared block \"unknown\" not found" + System.lineSeparator()),
                terminal.run("import", files.toString(), "--account", ADA, "--publish"));
        assertEquals(1, terminal.done("template", "list", ADA).lines().count());
        assertTrue(export("out").isEmpty());
    }

    @Test
    void filesOfADeletedTemplateAreKeptAndNamed() throws IOException {
        write("templates/one.html", "<p>one</p>");
        write("templates/two.html", "<p>two</p>");
        importFiles();
        export("out");
        terminal.done("template", "delete", ADA, "two", "--yes");
        assertEquals("templates/two.html is not in the account; the local file was kept\n"
                + "templates/two.json is not in the account; the local file was kept\n"
                + "2 files exported to " + folder.resolve("out") + "\n",
                unix(terminal.run("export", folder.resolve("out").toString(), "--account", ADA).err()));
        assertEquals("<p>two</p>", Files.readString(folder.resolve("out/templates/two.html")));
    }

    /** Imports two templates and a block. @return a folder for their export, which exists with an older file and others, or does not exist yet */
    private Path importedFor(boolean isNew) throws IOException {
        write("templates/a.html", "<p>a</p>");
        write("templates/z.html", "<p>z</p>");
        write("blocks/footer.html", "footer");
        importFiles("--publish");
        Path out = folder.resolve("out");
        if (!isNew) { // such as a Git checkout
            Files.createDirectories(out.resolve(".git"));
            Files.writeString(out.resolve(".git/HEAD"), "ref: refs/heads/main");
            Files.writeString(Files.createDirectories(out.resolve("templates")).resolve("a.html"), "<p>older</p>");
            Files.writeString(out.resolve("templates/mine.txt"), "mine");
        }
        return out;
    }

    @ParameterizedTest(name = "a new folder: {0}")
    @ValueSource(booleans = {true, false})
    void anExportIsAllOrNothing(boolean isNew) throws Exception {
        Path out = importedFor(isNew);
        SortedMap<String, byte[]> before = read(folder);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("data/stet.db"));
                Statement statement = connection.createStatement()) {
            assertEquals(1, statement.executeUpdate("update texts set html = cast('<p>x</p>' as blob) where html = cast('<p>z</p>' as blob)"));
        }
        for (String option : List.of("", "--published")) {
            Terminal.Result result = terminal.run(("export " + out + " --account " + ADA + " " + option).split(" "));
            assertEquals(2, result.code());
            assertTrue(result.err().contains("Corrupted data in account ada@example.com: ") && result.err().contains("template z"), result.err());
            assertEquals(isNew, Files.notExists(out));
            assertSameOutsideData(before, read(folder));
            assertEquals(List.of(), stages(isNew ? folder : out));
        }
    }

    private static void assertSameOutsideData(SortedMap<String, byte[]> before, SortedMap<String, byte[]> after) {
        before.keySet().removeIf(path -> path.startsWith("data/"));
        after.keySet().removeIf(path -> path.startsWith("data/"));
        assertSameFiles(before, after);
    }

    @ParameterizedTest(name = "a new folder: {0}")
    @ValueSource(booleans = {true, false})
    void anExportKeepsOtherFilesAndRemovesAKilledExportsFolder(boolean isNew) throws IOException {
        Path out = importedFor(isNew);
        Set<String> before = isNew ? Set.of() : read(out).keySet();
        Path beside = isNew ? folder : out;
        Files.createDirectory(beside.resolve(".stet-export-999999999-1")); // of a process that does not exist
        SortedMap<String, byte[]> exported = export("out");
        assertTrue(exported.keySet().containsAll(before), exported.keySet()::toString);
        assertEquals("<p>a</p>", text(exported, "templates/a.html"));
        assertEquals("footer", text(exported, "blocks/footer.html"));
        assertEquals(List.of(), stages(beside));
    }

    @Test
    void aNewFolderOfAnExportHasThePermissionsOfTheUmask() throws IOException {
        importedFor(true);
        export("out");
        assertEquals(Files.getPosixFilePermissions(Files.createDirectory(folder.resolve("plain"))), Files.getPosixFilePermissions(folder.resolve("out")));
    }

    @ParameterizedTest
    @ValueSource(strings = {".stet-export-1a-2", ".stet-export-1-2.old", ".stet-export-12345678a-1", ".stet-export-1234567890-1"})
    void aFolderWhoseNameNoExportHasIsKept(String name) throws IOException {
        Path out = importedFor(false);
        Path other = Files.createDirectory(out.resolve(name));
        export("out");
        assertTrue(Files.isDirectory(other));
    }

    /** The export fails after it has moved the first files. */
    @Test
    void anExportThatFailsWithinItsLastStepIsUndone() throws IOException {
        write("templates/a.html", "<p>a</p>");
        write("templates/b.html", "<p>b</p>");
        write("templates/b.samples/ada.json", "{}");
        importFiles();
        Path out = folder.resolve("out");
        Files.writeString(Files.createDirectories(out.resolve("templates")).resolve("a.html"), "<p>older</p>");
        Files.writeString(out.resolve("templates/b.samples"), "in the place of a folder");
        SortedMap<String, byte[]> before = read(out);
        assertEquals(2, terminal.run("export", out.toString(), "--account", ADA).code());
        assertSameFiles(before, read(out));
        assertEquals(List.of(), stages(out));
    }

    private static List<String> stages(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith(".stet-")).toList();
        }
    }

    /** Expanding blocks can make a version longer than the draft limit. */
    @Test
    void aLongVersionIsExported() throws IOException {
        write("templates/long.html", "{{> part}}{{> part}}");
        write("blocks/part.html", "<p>part</p>".repeat(150_000));
        importFiles("--publish");
        Terminal.Result result = terminal.run("export", folder.resolve("out").toString(), "--account", ADA, "--published");
        assertEquals("templates/long.html exceeds 2 MiB with its shared blocks, so it cannot be imported or used by a test double\n"
                + "2 files exported to " + folder.resolve("out") + "\n", unix(result.err()));
        assertEquals(3_300_000, Files.size(folder.resolve("out/templates/long.html")));
    }

    @Test
    void anExportToAFileIsRejected() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "text");
        Terminal.Result result = terminal.run("export", file.toString(), "--account", ADA);
        assertEquals("1 " + file + " is not a folder\n", result.code() + " " + unix(result.err()));
        assertEquals("text", Files.readString(file));
    }

    private static final String LINK = ": This is a symbolic link, which exports do not follow; replace it with a file or folder";

    /** Imports a template and a block, then exports them into a folder with a link at this path. */
    private Terminal.Result exportThroughLink(String path, Path target) throws IOException {
        write("templates/welcome.html", "<p>one</p>");
        write("blocks/footer.html", "footer");
        importFiles();
        Path link = folder.resolve("out").resolve(path);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, target);
        return terminal.run("export", folder.resolve("out").toString(), "--account", ADA);
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocks/footer.html", "templates/welcome.json", "templates/.welcome.html.new"})
    void anExportWritesThroughNoLinkToAFile(String path) throws IOException {
        Path mine = Files.writeString(folder.resolve("mine"), "mine");
        assertEquals(new Terminal.Result(1, "", path + LINK + System.lineSeparator()), exportThroughLink(path, mine));
        assertEquals(Set.of(path), read(folder.resolve("out")).keySet(), "only the link is there");
        assertEquals("mine", Files.readString(mine));
    }

    @Test
    void anExportWritesThroughNoLinkToAFolder() throws IOException {
        Path mine = Files.createDirectory(folder.resolve("mine"));
        assertEquals(new Terminal.Result(1, "", "templates" + LINK + System.lineSeparator()), exportThroughLink("templates", mine));
        assertTrue(read(folder.resolve("out")).isEmpty() && read(mine).isEmpty());
    }

    @Test
    void theDemosFilesAreAsAnExportWritesThem() throws Exception {
        Path demo = Path.of("app/demo");
        assertEquals(0, terminal.run("import", demo.toString(), "--account", ADA, "--publish").code());
        SortedMap<String, byte[]> expected = new TreeMap<>(read(demo));
        expected.remove("account.json");
        assertSameFiles(expected, export("out"));
    }

    @Test
    void aFolderInAZipReadsAsOneOnADisk() throws IOException {
        write("account.json", "{\"email\": \"ada@example.com\"}");
        write("templates/welcome.html", "<p>zipped</p>");
        write("blocks/footer.html", "footer");
        Path zip = folder.resolve("files.zip");
        try (FileSystem inside = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            for (String path : read(files).keySet()) {
                Files.createDirectories(inside.getPath("/" + path).getParent());
                Files.copy(files.resolve(path), inside.getPath("/" + path));
            }
        }
        try (FileSystem inside = FileSystems.newFileSystem(zip)) {
            AccountFiles zipped = Seed.read(inside.getPath("/")).get(0).files();
            assertEquals("<p>zipped</p>", new String(zipped.draft("welcome").html(), StandardCharsets.UTF_8));
            assertEquals("footer", new String(zipped.block("footer"), StandardCharsets.UTF_8));
        }
    }

    /** Emails written for Mustache and Handlebars. */
    @ParameterizedTest
    @CsvSource({
        "receipt, 'name,purchase_date,receipt_id,receipt_details,description,amount,total,support_url'",
        "comment, 'commenter_name,body,attachments,url,size,action_url,notifications_url'",
        "trial, 'user.first_name,vip,plan.name,days,discount,upgrade_url'"})
    void realEmailsAreServedAsTheyAreWrittenWithTheirVariables(String id, String variables) throws IOException {
        write("templates/receipt.html", """
                <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\r
                <html><head><style>@media only screen { .body { width: 100% !important; } }</style></head>\r
                <body><!--[if mso]><p>{{ name }}</p><![endif]-->\r
                <p>Hi {{name}}, thank you for your purchase on {{ purchase_date }}.</p><h3>{{receipt_id}}</h3>\r
                <table>{{#each receipt_details}}<tr><td>{{description}}</td><td>{{amount}}</td></tr>{{/each}}\r
                <tr><td>{{total}}</td></tr></table><a href="{{support_url}}">Support</a></body></html>\r
                """);
        write("templates/comment.html", """
                <p>{{commenter_name}} wrote: {{{body}}}</p>
                {{#attachments}}{{#each . }}<a href="{{ url }}"><img src="{{url}}" alt=""></a> {{&size}}{{/each}}{{/attachments}}
                {{! a note to ourselves }}<a href="{{action_url}}">Reply</a> <a href="{{notifications_url}}">Settings</a>
                """);
        write("templates/trial.html", """
                <p>{{user.first_name}},{{#if vip}} dear guest,{{else}} hello,{{/if}} your {{plan.name}} trial ends in {{ days }} days.</p>
                {{#unless vip}}{{^discount}}<a href="{{upgrade_url}}?from={{plan.name}}">Upgrade</a>{{/discount}}{{/unless}}
                """);
        importFiles("--publish");
        try (Terminal.Serving serving = terminal.serve("--listen", "127.0.0.1:0")) {
            assertArrayEquals(Files.readAllBytes(files.resolve("templates/" + id + ".html")),
                    serving.get(Running.TEMPLATES + id + "?format=html", key).body());
            assertEquals("{\"variables\":[\"" + variables.replace(",", "\",\"") + "\"]}",
                    serving.get(Running.TEMPLATES + id + "?format=variables", key).text());
        }
    }

    private String importFiles(String... options) {
        String[] command = Stream.concat(Stream.of("import", files.toString(), "--account", ADA), Stream.of(options)).toArray(String[]::new);
        return unix(terminal.done(command));
    }

    private SortedMap<String, byte[]> export(String name) throws IOException {
        assertEquals("", terminal.done("export", folder.resolve(name).toString(), "--account", ADA));
        return read(folder.resolve(name));
    }

    /** Returns the bytes of all files in a folder, by path. */
    private static SortedMap<String, byte[]> read(Path folder) throws IOException {
        SortedMap<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                files.put(folder.relativize(path).toString().replace('\\', '/'), Files.readAllBytes(path));
            }
        }
        return files;
    }

    private static void assertSameFiles(SortedMap<String, byte[]> expected, SortedMap<String, byte[]> actual) {
        assertEquals(expected.keySet(), actual.keySet());
        expected.forEach((path, bytes) -> assertArrayEquals(bytes, actual.get(path), path));
    }

    private static String text(SortedMap<String, byte[]> files, String path) {
        return new String(files.get(path), StandardCharsets.UTF_8);
    }

    private static String unix(String text) {
        return text.replace(System.lineSeparator(), "\n");
    }

    private void write(String path, String text) throws IOException {
        Path file = files.resolve(path);
        Files.createDirectories(file.getParent());
        if (text == null) {
            Files.delete(file);
        } else {
            Files.writeString(file, text);
        }
    }
}
