package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Validation;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;

/** Zips made by users and programs can be imported; broken or oversized zips are rejected with an explanation. */
class ZipTest {
    private static final int HTML_BYTES = 2 << 20;
    private static final String A = "templates/a.html";
    private static final String BROKEN = "The file is corrupted or password-protected; create the zip file again";
    private static final String LINK = "This is a symbolic link, which imports do not follow; replace it with a file or folder";
    private static final String FOREIGN = "Unexpected file in an account's folder; Stet reads only templates/ID.html,"
            + " templates/ID.json, templates/ID.samples/NAME.json, blocks/NAME.html, images/NAME.png and account.json";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Browser browser = Browser.of(stet, ada);

    @TestFactory
    Stream<DynamicTest> zipsOfUsersAndProgramsAreRead() {
        byte[] large = new byte[5 << 20];
        return Stream.of(
                // folder layouts
                reads("a folder in front", new RawZip().file("mails/" + A, "a").file("mails/account.json", "{}"), "a"),
                reads("a hyphen before templates/", new RawZip().file("email-templates/" + A, "a").file("email-templates/blocks/f.html", "f"), "a"),
                reads("a folder in front that is called templates", new RawZip().file("templates/" + A, "a").file("templates/blocks/f.html", ""), "a"),
                reads("several folders in front", new RawZip().file("2026/mails/" + A, "a").file("2026/mails/templates/a.json", "{}"), "a"),
                reads("paths that begin with ./", new RawZip().file("./" + A, "a"), "a"),
                reads("backslashes of Windows", new RawZip().file("mails\\templates\\a.html", "a").file("mails\\templates\\a.json", "{}"), "a"),
                // encodings
                reads("stored", new RawZip().stored(A, "a", false), "a"),
                reads("streamed", new RawZip().streamed(A, "a").streamed("templates/b.html", "b"), "a, b"),
                reads("stored and streamed", new RawZip().stored(A, "a", true), "a"),
                reads("as a large zip", new RawZip().file(A, "a").saying(1), "a"),
                reads("empty html", new RawZip().stored(A, "", false), "a"),
                reads("a byte order mark", new RawZip().file(A, "a").file("templates/a.json", "\ufeff{\"name\": \"A\"}"), "a"),
                // types of entries
                reads("a file with a Unix mode", new RawZip().mode(0100644, A, "a").mode(0040755, "templates/", ""), "a"),
                reads("a file of Windows", new RawZip().from(0, 0x20, bytes(A), new byte[0], "a"), "a"),
                reads("a file with permissions only", new RawZip().mode(0644, A, "a"), "a"),
                reads("a folder without a slash", new RawZip().file(A, "a").mode(0040755, "templates", "").from(0, 0x10, bytes("blocks"), new byte[0], ""), "a"),
                reads("links in other programs' folders", new RawZip().file(A, "a").mode(0120777, "node_modules/.bin/x", "../x.js")
                        .mode(0120777, ".git", "../x"), "a", ".git", "node_modules/"),
                reads("a pipe and a device", new RawZip().file(A, "a").mode(0010644, "pipe", "").mode(0020644, "device", ""), "a", "device", "pipe"),
                // charsets of names
                reads("a name in code page 437", new RawZip().from(0, 0, latin1("Begr\u0081\u00e1ung.html"), new byte[0], "a"), "Begru-ung"),
                reads("a name in UTF-8 without the flag", new RawZip().from(3, 0, bytes("Begrüßung.html"), new byte[0], "a"), "Begru-ung"),
                reads("a Unicode path", new RawZip().from(0, 0, latin1("Begr?ung.html"), RawZip.unicodePath(latin1("Begr?ung.html"), "Grüße.html"), "a"), "Gru-e"),
                reads("a Unicode path after another field", new RawZip().from(0, 0, latin1("\u0099l.html"), join(new byte[] {65, 65, 1, 0, 7},
                        RawZip.unicodePath(latin1("\u0099l.html"), "mails/Öl.html")), "a"), "Ol"),
                reads("the Unicode path of another name", new RawZip().from(0, 0, latin1("\u0099l.html"), RawZip.unicodePath(latin1("x"), "x.html"), "a"), "Ol"),
                reads("a Unicode path that is not UTF-8", new RawZip().from(0, 0, bytes("b.html"), join(Arrays.copyOf(
                        RawZip.unicodePath(bytes("b.html"), "cc"), 10), new byte[] {-1}), "a"), "b"),
                // other files found in practice
                reads("what macOS adds", new RawZip().file(A, "a").file("__MACOSX/templates/._a.html", "x").file(".DS_Store", "x"), "a",
                        ".DS_Store", "__MACOSX/"),
                reads("what Windows adds", new RawZip().file(A, "a").file("templates/Thumbs.db", "x").file("desktop.ini", "x"), "a",
                        "desktop.ini", "templates/Thumbs.db"),
                reads("a repository", new RawZip().file("r/" + A, "a").file("r/.git/objects/pack", large).file("r/.git/HEAD", "x")
                        .file("r/package.json", "{}").file("r/node_modules/x/index.html", "x").file("r/README.html", "x"), "a",
                        ".git/", "README.html", "node_modules/", "package.json"),
                reads("images and notes", new RawZip().file(A, "a").file("pictures/1.png", "x").file("pictures/2.png", "x").file("templates/img/x.png", "x")
                        .file("blocks/notes.txt", "x").file("templates/a.txt", "x"), "a", "blocks/notes.txt", "pictures/", "templates/a.txt", "templates/img/"),
                reads("more ignored files than are listed", many(), "a", "0.png", "1.png", "10.png", "11.png", "12.png", "13.png", "14.png",
                        "15.png", "16.png", "17.png", "90 more"),
                reads("an ignored file is not unpacked", new RawZip().file(A, "a").broken(".git/pack", 5 << 20).broken("b.png", 1), "a",
                        ".git/", "b.png"));
    }

    @TestFactory
    Stream<DynamicTest> brokenAndForeignZipsAreRefused() {
        byte[] html = new byte[HTML_BYTES];
        byte[] tooLong = new byte[HTML_BYTES + 1];
        RawZip names = new RawZip().file("templates/t0.html", html);
        for (int i = 1; i <= 64; i++) {
            names.again("templates/t" + i + ".html", html);
        }
        return Stream.of(
                refuses("no zip", "no zip".getBytes(StandardCharsets.UTF_8), "The file is not a zip file or is truncated; create it again"),
                refuses("nothing", new byte[0], "The zip file is empty; add templates or shared blocks"),
                refuses("cut off where a file ends", new RawZip().file(A, "a").file("templates/b.html", "b").cutOff(),
                        "The file is not a zip file or is truncated; create it again"),
                refuses("cut off in its end", cut(new RawZip().file(A, "a").bytes(), 1), "The file is not a zip file or is truncated; create it again"),
                refuses("more behind its end", cut(new RawZip().file(A, "a").bytes(), -1), "The zip file is corrupted (unexpected data after the end); create it again"),
                refuses("another sum", new RawZip().changed(A, "a").bytes(), A + ": " + BROKEN),
                refuses("no deflated bytes", new RawZip().broken(A, 1).bytes(), A + ": " + BROKEN),
                refuses("longer than it says", new RawZip().lying(A, html, 10).bytes(), A + ": " + BROKEN),
                refuses("shorter than it says", new RawZip().lying(A, "a".getBytes(StandardCharsets.UTF_8), 10).bytes(), A + ": " + BROKEN),
                refuses("too long", new RawZip().file(A, tooLong).bytes(), A + ": The file is 2097153 bytes; the limit is 2097152 (2 MiB)"),
                refuses("a page that is too long, beside an image", new RawZip().lying("b.html", bytes("a"), 100 << 20).file("logo.png", "x").bytes(),
                        "b.html: The file is 104857600 bytes; the limit is 2097152 (2 MiB)"),
                refuses("one file by many names", names.bytes(),
                        "The templates and blocks in the zip file exceed 128 MiB; import them on the command line"),
                refuses("more entries than can be", new RawZip().file(A, "a").saying(1L << 40).bytes(),
                        "The zip file has more than 100000 files, or its file names, comments and extra fields are too long in total; split the zip file"),
                refuses("a path twice", new RawZip().file(A, "a").file(A, "b").bytes(), A + ": The file appears twice; remove one copy"),
                refuses("a path in two spellings", new RawZip().file(A, "a").file("templates\\a.html", "b").bytes(), A + ": The file appears twice; remove one copy"),
                refuses("a path that leads out", new RawZip().file("../" + A, "a").bytes(), "../" + A + ": " + FOREIGN),
                refuses("a path from the root", new RawZip().file("/" + A, "a").bytes(), "/" + A + ": " + FOREIGN),
                refuses("a symbolic link", new RawZip().mode(0120777, A, "../b.html").bytes(), A + ": " + LINK),
                refuses("a link that is no template", new RawZip().file(A, "a").mode(0120777, "logo.png", "/etc/passwd").bytes(), "logo.png: " + LINK),
                refuses("a link to a folder", new RawZip().file(A, "a").mode(0120777, "blocks/", "../x").bytes(), "blocks/: " + LINK),
                refuses("a link in a folder in front", new RawZip().file("mails/" + A, "a").mode(0120777, "mails/blocks/f.html", "/x").bytes(),
                        "mails/blocks/f.html: " + LINK),
                refuses("a link among another system's files", new RawZip().mode(0120777, "b.html", "a.html").bytes(), "b.html: " + LINK),
                refuses("a link of macOS", new RawZip().from(19, 0120777 << 16, bytes(A), new byte[0], "b").bytes(), A + ": " + LINK),
                refuses("a link's mode in a zip of Windows", new RawZip().from(0, 0120777 << 16, bytes(A), new byte[0], "b").bytes(), A + ": " + LINK),
                refuses("a link of Windows", new RawZip().from(0, 0x420, bytes(A), new byte[0], "b").bytes(), A + ": " + LINK),
                refuses("a pipe as a template", new RawZip().mode(0010644, A, "").bytes(), A + ": This is not a file"),
                refuses("a device as a template", new RawZip().mode(0020644, A, "a").bytes(), A + ": This is not a file"),
                refuses("a socket as a block", new RawZip().file(A, "a").mode(0140644, "blocks/f.html", "a").bytes(), "blocks/f.html: This is not a file"),
                refuses("a folder as a template", new RawZip().mode(0040755, A, "").bytes(), A + ": This is not a file"),
                refuses("a folder with content", new RawZip().mode(0040755, "templates/", "a").file(A, "a").bytes(),
                        "templates/: This is a folder with content of its own; create the zip file again"),
                refuses("a template that is a folder with content", new RawZip().mode(0040755, A, "a").bytes(),
                        A + ": This is a folder with content of its own; create the zip file again"),
                refuses("two accounts", new RawZip().file("x/" + A, "a").file("y/" + A, "a").bytes(), "y/" + A + ": " + FOREIGN),
                refuses("a template in the wrong place", new RawZip().file(A, "a").file("welcome.html", "b").bytes(), "welcome.html: " + FOREIGN),
                refuses("settings in the wrong place", new RawZip().file(A, "a").file("templates/mails/a.json", "{}").bytes(),
                        "templates/mails/a.json: " + FOREIGN),
                refuses("nothing that is a template", new RawZip().file("photos/1.jpg", "x").file("notes.txt", "x").bytes(),
                        "Nothing to import; add files such as templates/ID.html or blocks/NAME.html. Ignored: notes.txt, photos/"),
                refuses("an account without templates", new RawZip().file("account.json", "{}").bytes(),
                        "Nothing to import; add files such as templates/ID.html or blocks/NAME.html"));
    }

    @Test
    void anExportOfNothingIsImportedAgain() throws IOException {
        Client.Reply export = browser.get("/data/export");
        assertEquals("stet.zip", export.header("Content-Disposition").replaceFirst(".*filename=\"(.*)\"", "$1"));
        assertEquals("{\"created\":[],\"changed\":[],\"unchanged\":0,\"blocks\":[],\"published\":[],\"ignored\":[]}",
                post("/data/import", export.body()).text());
        assertTrue(Running.comes(() -> temporaryFiles() == 0), "temporary files stay");
    }

    /**
     * The maximum number of templates, sets and blocks with all their files: the export can be imported again, and nothing can be added. One journey,
     * because such an account takes a while to fill.
     */
    @Tag("slow")
    @Test
    void theLargestAccountIsExportedImportedAgainAndFull() throws IOException {
        RawZip zip = new RawZip();
        for (int i = 0; i < Validation.TEMPLATES; i++) {
            zip.file("templates/t" + i + ".html", "<p>" + i + "</p>");
            zip.file("templates/t" + i + ".samples/ada.json", "{}").file("templates/t" + i + ".samples/lena.json", "{ }");
        }
        for (int i = 0; i < Validation.BLOCKS; i++) {
            zip.file("blocks/b" + i + ".html", "<p>" + i + "</p>");
        }
        byte[] all = zip.bytes();
        Client.Reply first = post("/data/import", all);
        assertEquals(200, first.status(), first.text());
        Client.Reply again = post("/data/import?dryRun=true", browser.get("/data/export").body());
        assertEquals("{\"created\":[],\"changed\":[],\"unchanged\":10000,\"blocks\":[],\"published\":[],\"ignored\":[]}", again.text());
        assertTrue(Running.comes(() -> temporaryFiles() == 0), "temporary files stay");
        // That is the limit.
        Browser.answered(422, "{\"error\":\"Template limit reached (10000); delete a template first\",\"field\":null}",
                browser.post("/data/templates", "{\"name\":\"One more\"}"));
        Browser.answered(422, "{\"error\":\"Shared block limit reached (1000); delete a shared block first\",\"field\":null}",
                browser.post("/data/blocks", "{\"name\":\"more\",\"html\":\"\"}"));
        Browser.answered(422, "{\"error\":\"The account would have 10001 templates; the limit is 10000\",\"field\":null}",
                post("/data/import", new RawZip().file("templates/more.html", "x").bytes()));
        Browser.answered(422, "{\"error\":\"The account would have 1001 shared blocks; the limit is 1000\",\"field\":null}",
                post("/data/import", new RawZip().file("blocks/more.html", "x").bytes()));
        String save = "{\"revision\":1,\"subject\":\"\",\"html\":\"<p>0</p>\",\"samples\":{%s}}";
        Browser.answered(422, "{\"error\":\"This account would have 20001 sets of test data; the limit is 20000\",\"field\":\"samples\"}",
                browser.put("/data/templates/t0", save.formatted("\"a\":\"{}\",\"b\":\"{}\",\"c\":\"{}\"")));
        assertEquals(200, browser.put("/data/templates/t0", save.formatted("\"a\":\"{}\",\"b\":\"{}\"")).status());
        Browser.answered(422, "{\"error\":\"This account would have 20001 sets of test data; the limit is 20000\",\"field\":\"samples\"}",
                post("/data/import?overwrite=true", new RawZip().file("templates/t0.html", "x").file("templates/t0.samples/a.json", "{}")
                        .file("templates/t0.samples/b.json", "{}").file("templates/t0.samples/c.json", "{}").bytes()));
        assertEquals(204, browser.delete("/data/templates/t1").status());
        assertEquals(200, browser.put("/data/templates/t0", save.replace("1,", "2,").formatted("\"a\":\"{}\",\"b\":\"{}\",\"c\":\"{}\"")).status());
        Browser.answered(422, "{\"error\":\"This account would have 20001 sets of test data; the limit is 20000\",\"field\":\"samples\"}",
                browser.post("/data/deletions/t1/restore", "{}"));
        Browser.answered(422, "{\"error\":\"An account can have at most 10000 templates\",\"field\":null}",
                post("/data/import", zip.file("templates/more.html", "x").bytes()));
    }

    /** The command line also imports zips, even those with more content than the web application accepts. */
    @Tag("slow")
    @Test
    void theCommandLineImportsAZip() throws IOException {
        byte[] html = new byte[HTML_BYTES];
        RawZip zip = new RawZip();
        for (int i = 0; i < 65; i++) {
            zip.file("templates/t" + i + ".html", html);
        }
        zip.file("logo.png", "x");
        Path folder = Running.temporary();
        try {
            Path file = Files.write(folder.resolve("stet.zip"), zip.bytes());
            Terminal terminal = new Terminal(stet.folder);
            Terminal.Result result = terminal.run("import", file.toString(), "--account", "ada@example.com", "--dry-run");
            assertEquals(0, result.code(), result.err());
            assertEquals(65, result.out().lines().count());
            assertTrue(result.err().contains("Ignored: logo.png"), result.err());
        } finally {
            Running.delete(folder);
        }
    }

    /** The command line and a push reject links as the pages do; a push does so on the client and on the server. */
    @Test
    void noLinkIsImportedOrPushed() throws IOException {
        byte[] zip = new RawZip().mode(0120777, A, "../shared/a.html").bytes();
        Path folder = Running.temporary();
        try {
            Path file = Files.write(folder.resolve("mails.zip"), zip);
            Terminal terminal = new Terminal(stet.folder);
            for (String command : List.of("import", "push")) {
                Terminal.Result result = terminal.run(command, file.toString(), "--account", "ada@example.com", "--publish");
                assertEquals("1 " + A + ": " + LINK + "\n", result.code() + " " + result.err());
            }
            String token = terminal.done("token", "add", "ada@example.com", "ci", "--role", "editor").strip();
            try (Client client = stet.client()) {
                String head = client.request("POST", "/push?publish=true", token, "Content-Type: application/zip", "Content-Length: " + zip.length);
                Client.Reply reply = client.write(head + new String(zip, StandardCharsets.ISO_8859_1)).read(false);
                assertEquals("422 {\"error\":\"" + A + ": " + LINK + "\",\"field\":null}", reply.status() + " " + reply.text());
            }
            assertEquals("", terminal.done("template", "list", "ada@example.com").replaceAll(".*UPDATED.*\n", ""));
        } finally {
            Running.delete(folder);
        }
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] latin1(String name) {
        return name.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    private DynamicTest reads(String name, RawZip zip, String created, String... ignored) {
        return DynamicTest.dynamicTest(name, () -> {
            Client.Reply reply = post("/data/import?dryRun=true", zip.bytes());
            assertEquals(200, reply.status(), reply.text());
            assertTrue(reply.text().contains("\"created\":[" + quoted(List.of(created.split(", "))) + "]"), reply.text());
            assertTrue(reply.text().endsWith("\"ignored\":[" + quoted(List.of(ignored)) + "]}"), reply.text());
        });
    }

    private DynamicTest refuses(String name, byte[] zip, String sentence) {
        return DynamicTest.dynamicTest(name, () -> {
            Client.Reply reply = post("/data/import", zip);
            Browser.answered(422, "{\"error\":\"" + sentence + "\",\"field\":null}", reply);
            assertEquals("{\"templates\":[],\"deleted\":0,\"storage\":{\"bytes\":0,\"limit\":1073741824}}", browser.get("/data/templates").text());
        });
    }

    private Client.Reply post(String path, byte[] zip) {
        return browser.postZip(path, zip);
    }

    private static RawZip many() {
        RawZip zip = new RawZip().file(A, "a");
        for (int i = 0; i < 100; i++) {
            zip.file(i + ".png", "x");
        }
        return zip;
    }

    /** @param less bytes to remove from the end; negative to add bytes */
    private static byte[] cut(byte[] zip, int less) {
        return Arrays.copyOf(zip, zip.length - less);
    }

    private static String quoted(List<String> texts) {
        return texts.isEmpty() ? "" : "\"" + String.join("\",\"", texts) + "\"";
    }

    private int temporaryFiles() {
        String[] files = stet.folder.resolve("tmp").toFile().list();
        return files == null ? 0 : files.length;
    }
}
