package stet.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Json;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Template;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Pictures;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.images.ImageFile;
import stet.testing.StetFixture;

/** Images in all ways of files: exports, imports, pushes, pulls, copies, seeds, galleries, the test double, and other systems' folders. */
class ImageFilesTest {
    private static final String ADA = "ada@example.com";
    private static final String TOKEN = "stet_deploy_ci-of-the-account";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account(ADA, Plan.PRO);
    private final Account bob = stet.account("bob@example.com", Plan.PRO);
    private final Terminal terminal = new Terminal(stet.folder);
    @TempDir
    private Path folder;

    private static byte[] accepted(byte[] file) {
        return ImageFile.of(file).bytes();
    }

    private static String address(byte[] file, String extension) {
        return "http://127.0.0.1:8080/images/" + HexFormat.of().formatHex(Secret.sha256(file)) + "." + extension;
    }

    private void image(Account account, String name, byte[] file) {
        stet.db.change(dao -> dao.images().save(account.id(), "images/" + name, ImageFile.of(file), stet.now()));
    }

    private SortedMap<String, byte[]> export(Account account) {
        SortedMap<String, byte[]> files = new TreeMap<>();
        stet.db.read(dao -> {
            Export.write(dao, account.id(), files::put);
            return null;
        });
        return files;
    }

    private static void assertSameFiles(SortedMap<String, byte[]> expected, SortedMap<String, byte[]> actual) {
        assertEquals(expected.keySet(), actual.keySet());
        expected.forEach((path, bytes) -> assertArrayEquals(bytes, actual.get(path), path));
    }

    private Client.Reply send(Account account, String method, String path, byte[] body) {
        try (Client client = stet.client()) {
            String head = client.request(method, path, TOKEN + account.id(), "Content-Type: application/zip", "Content-Length: " + body.length);
            return client.write(head + new String(body, StandardCharsets.ISO_8859_1)).read(false);
        }
    }

    private static byte[] zip(SortedMap<String, byte[]> files) {
        RawZip zip = new RawZip();
        files.forEach(zip::file);
        return zip.bytes();
    }

    /** Changes one to three images of the first account, each with a template that shows it. */
    private void changeImages(Random random) {
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            int i = random.nextInt(12);
            String name = "i" + random.nextInt(6) + List.of(".png", ".jpeg", ".gif").get(i % 3);
            image(ada, name, switch (i % 3) {
                case 0 -> Pictures.png(2 + i, 3, i);
                case 1 -> Pictures.jpeg(2 + i, 3, i);
                default -> Pictures.gif(2 + i, 3, i);
            });
            stet.draft(ada, "t" + random.nextInt(3), "T", "s", "<img src=\"{{> images/" + name + "}}\">" + random.nextInt(5));
        }
    }

    /** One account goes through many states; each is pushed, copied or imported into another account and exported there. */
    @Test
    void randomAccountsRoundTripByteForByte() {
        Random random = new Random(50);
        List.of(ada, bob).forEach(account -> stet.db.change(dao -> dao.tokens().add(account, "ci", Role.EDITOR, TOKEN + account.id(), null, stet.now())));
        Browser browser = Browser.of(stet, ada);
        Browser ofBob = Browser.of(stet, bob); // a user has at most 50 sessions
        stet.db.change(dao -> dao.members().setRole(bob.id(), stet.owner(ada).id(), Role.OWNER, stet.now()));
        for (int state = 0; state < 200; state++) {
            changeImages(random);
            SortedMap<String, byte[]> files = export(ada);
            switch (state % 3) {
                case 0 -> assertEquals(200, send(bob, "POST", "/push?publish=true&overwrite=true", zip(files)).status());
                case 1 -> assertEquals(200, browser.post("/data/copies/" + bob.id(), "{\"templates\":[\"" + String.join("\",\"", ids(files))
                        + "\"],\"publish\":true,\"overwrite\":true}").status());
                default -> {
                    Client.Reply reply = ofBob.postZip("/data/import?publish=true&overwrite=true", zip(files));
                    assertEquals(200, reply.status(), reply.text());
                }
            }
            SortedMap<String, byte[]> arrived = export(bob);
            if (state % 3 == 1) { // a copy takes the images that its templates use
                String used = files.entrySet().stream().filter(each -> each.getKey().endsWith(".html"))
                        .map(each -> new String(each.getValue(), StandardCharsets.UTF_8)).reduce("", String::concat);
                files.keySet().removeIf(path -> path.startsWith("images/") && !used.contains("{{> " + path + "}}"));
            }
            arrived.keySet().retainAll(files.keySet()); // files of earlier states are not pruned
            unpublished(files);
            unpublished(arrived);
            assertSameFiles(files, arrived);
        }
    }

    @Test
    void aPullWritesTheImagesByteForByte() throws IOException {
        Random random = new Random(51);
        for (int state = 0; state < 10; state++) {
            changeImages(random);
            Path pulled = folder.resolve("pulled-" + state);
            Terminal.Result pull = terminal.run("pull", pulled.toString(), "--account", ADA);
            assertEquals(0, pull.code(), pull.err());
            for (Map.Entry<String, byte[]> file : export(ada).entrySet()) {
                assertArrayEquals(file.getValue(), Files.readAllBytes(pulled.resolve(file.getKey())), file.getKey());
            }
        }
    }

    private static List<String> ids(SortedMap<String, byte[]> files) {
        return files.keySet().stream().filter(path -> path.matches("templates/[^/]*\\.html")).map(path -> path.substring(10, path.length() - 5)).toList();
    }

    /** Whether a draft is published differs, because only one account publishes. */
    private static void unpublished(SortedMap<String, byte[]> files) {
        files.replaceAll((path, bytes) -> path.endsWith(".json")
                ? new String(bytes, StandardCharsets.UTF_8).replace("\"published\" : true", "\"published\" : false").getBytes(StandardCharsets.UTF_8) : bytes);
    }

    @Test
    void theCommandLineExportsAndImportsImages() throws IOException {
        byte[] logo = accepted(Pictures.png(20, 10, 3));
        image(ada, "logo.png", Pictures.png(20, 10, 3));
        stet.template(ada, "welcome", "<img src=\"{{> images/logo.png}}\">");
        terminal.done("export", folder.toString(), "--account", ADA);
        assertArrayEquals(logo, Files.readAllBytes(folder.resolve("images/logo.png")));
        byte[] photo = Pictures.with(Pictures.png(20, 10, 4), 33, Pictures.chunk("tEXt", Pictures.latin("Author\0SECRET")));
        Files.write(folder.resolve("images/logo.png"), photo);
        Files.writeString(folder.resolve("images/logo.svg"), "<svg/>");
        Terminal.Result result = terminal.run("import", folder.toString(), "--account", ADA, "--publish", "--overwrite");
        assertEquals(0, result.code(), result.err());
        assertTrue(result.err().contains("Ignored: images/"), result.err());
        assertEquals("<img src=\"" + address(accepted(photo), "png") + "\">", stet.get("/api/v1/templates/welcome?format=html", stet.key(ada)).text());
        assertEquals(2, stet.db.read(dao -> dao.images().room(ada.id())).files());
        assertArrayEquals(accepted(photo), export(ada).get("images/logo.png"));
        assertTrue(terminal.run("check").out().contains("ok       images: files of images: 2"));
    }

    @Test
    void aPushSendsMissingImagesOnlyAndPullAndDiffHaveThem() throws IOException {
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.EDITOR, TOKEN + ada.id(), null, stet.now()));
        Files.createDirectories(folder.resolve("templates"));
        Files.createDirectories(folder.resolve("images"));
        Files.writeString(folder.resolve("templates/welcome.html"), "<img src=\"{{> images/logo.png}}\">");
        byte[] noise = new byte[300_000];
        new Random(1).nextBytes(noise);
        byte[] logo = Pictures.with(Pictures.png(20, 10, 3), 33, Pictures.chunk("iCCP", noise));
        Files.write(folder.resolve("images/logo.png"), logo);
        terminal.environment.put("STET_TOKEN", TOKEN + ada.id());
        String url = "http://127.0.0.1:" + stet.server.address().getPort();
        Terminal.Result first = terminal.run("push", folder.toString(), "--server", url);
        assertEquals(0, first.code(), first.err());
        assertTrue(sent(first) > 300_000);
        Files.writeString(folder.resolve("templates/welcome.html"), "<b><img src=\"{{> images/logo.png}}\"></b>");
        assertTrue(sent(terminal.run("push", folder.toString(), "--server", url)) < 3_000);
        Path pulled = folder.resolve("pulled");
        assertEquals(0, terminal.run("pull", pulled.toString(), "--server", url).code());
        assertArrayEquals(accepted(logo), Files.readAllBytes(pulled.resolve("images/logo.png")));
        assertEquals("", terminal.done("diff", pulled.toString(), "--server", url));
        Files.write(pulled.resolve("images/logo.png"), Pictures.png(3, 3, 3));
        assertEquals("Binary files account/images/logo.png and folder/images/logo.png differ\n", terminal.done("diff", pulled.toString(), "--server", url));
    }

    private static long sent(Terminal.Result result) {
        return Long.parseLong(result.err().replaceAll("(?s).*Sending (\\d+) bytes.*", "$1"));
    }

    @Test
    void anAddressOutlivesBackupsRestoresAndCompaction() {
        byte[] old = accepted(Pictures.png(20, 10, 3));
        image(ada, "logo.png", old);
        stet.template(ada, "welcome", "<img src='{{> images/logo.png}}'>");
        image(ada, "logo.png", Pictures.png(20, 10, 4));
        Path backup = folder.resolve("backup.db");
        terminal.done("backup", backup.toString());
        terminal.done("compact");
        stet.stop();
        terminal.done("restore", backup.toString());
        stet.start();
        String path = address(old, "png").replace("http://127.0.0.1:8080", "");
        assertArrayEquals(old, stet.get(path, null).body());
        assertTrue(terminal.run("check").out().contains("ok       images: files of images: 2"));
    }

    @Test
    void aCorruptedImageIsReported() {
        image(ada, "logo.png", Pictures.png(20, 10, 3));
        stet.db.change(dao -> dao.sql().update("update texts set html = x'00' where id = (select min(text) from images)"));
        assertTrue(terminal.run("check").out().contains("The image images/logo.png of ada@example.com is corrupted (wrong SHA-256); restore a backup"));
    }

    @Test
    void anImageHasConflictsAndIsPrunedLikeABlock() {
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.EDITOR, TOKEN + ada.id(), null, stet.now()));
        SortedMap<String, byte[]> files = new TreeMap<>(Map.of("images/logo.png", Pictures.png(3, 3, 1), "templates/welcome.html", "<img src='{{> images/logo.png}}'>".getBytes(StandardCharsets.UTF_8)));
        assertEquals(200, send(ada, "POST", "/push", zip(files)).status());
        image(ada, "logo.png", Pictures.png(3, 3, 2));
        files.put("images/logo.png", Pictures.png(3, 3, 3));
        Client.Reply reply = send(ada, "POST", "/push", zip(files));
        assertEquals(409, reply.status());
        assertTrue(reply.text().contains("image logo.png was changed in Stet"), reply.text());
        assertEquals(200, send(ada, "POST", "/push?overwrite=true", zip(files)).status());
        files.remove("images/logo.png");
        files.put("templates/welcome.html", "<b>".getBytes(StandardCharsets.UTF_8));
        assertEquals(200, send(ada, "POST", "/push?prune=true", zip(files)).status());
        assertFalse(export(ada).containsKey("images/logo.png"));
        assertEquals(3, stet.db.read(dao -> dao.images().room(ada.id())).files(), "emails that were sent still show them");
    }

    @Test
    void anUnknownImageOfAFileIsNamed() {
        stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.EDITOR, TOKEN + ada.id(), null, stet.now()));
        Client.Reply reply = send(ada, "POST", "/push?publish=true", new RawZip().file("templates/a.html", "\n<img src='{{> images/none.png}}'>").bytes());
        assertEquals(422, reply.status());
        assertTrue(reply.text().contains("templates/a.html: line 2: image \\\"none.png\\\" not found; add it on the page Images"), reply.text());
    }

    @Test
    void otherSystemsFoldersBringTheirImages() throws IOException {
        byte[] logo = Pictures.png(20, 10, 3);
        byte[] photo = Pictures.jpeg(20, 10, 4);
        Map<String, byte[]> files = new TreeMap<>();
        files.put("mails/welcome.html", ("<html><style>.a { background: url('img/Photo%201.JPG') }</style><body background=img/logo.png>"
                + "<img src=\"img/logo.png\"><IMG SRC='./img/../img/LOGO.PNG?v=1'><img src=\"https://example.com/img/logo.png\"><img src=\"{{logo}}\"><img src= img/logo.png>"
                + "<!--[if mso]><v:fill src=\"img/Photo 1.JPG\"/><![endif]--><img src=\"img/none.png\"><img src=\"img/vector.svg\"><td style=\"background:url(img/logo.png)\">")
                .getBytes(StandardCharsets.UTF_8));
        files.put("mails/deep/other.html", "<img src='../img/logo.png'><img src='/img/logo.png'><img src='../../../etc/passwd'>".getBytes(StandardCharsets.UTF_8));
        files.put("mails/img/logo.png", logo);
        files.put("mails/img/Photo 1.JPG", photo);
        files.put("mails/img/unused.png", logo);
        files.put("mails/img/vector.svg", "<svg/>".getBytes(StandardCharsets.UTF_8));
        RawZip zip = new RawZip();
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            zip.file(file.getKey(), file.getValue());
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
        }
        JsonNode plan = Json.readObject(Browser.of(stet, bob).postZip("/data/import", zip.bytes()).body());
        assertTrue(plan.path("notices").toString().contains("2 images imported; 9 addresses in the HTML were replaced with names"), plan.toString());
        assertTrue(plan.path("notices").toString().contains("Skipped: img/unused.png, img/vector.svg"), plan.toString());
        Terminal.Result result = terminal.run("import", folder.resolve("mails").toString(), "--account", ADA);
        assertEquals(0, result.code(), result.err());
        for (Account account : List.of(ada, bob)) {
            SortedMap<String, byte[]> there = export(account);
            assertEquals(List.of("images/logo.png", "images/photo-1.jpg"), there.keySet().stream().filter(path -> path.startsWith("images/")).toList());
            assertEquals("<html><style>.a { background: url('{{> images/photo-1.jpg}}') }</style><body background=\"{{> images/logo.png}}\">"
                    + "<img src=\"{{> images/logo.png}}\"><IMG SRC='{{> images/logo.png}}'><img src=\"https://example.com/img/logo.png\"><img src=\"{{logo}}\"><img src= \"{{> images/logo.png}}\">"
                    + "<!--[if mso]><v:fill src=\"{{> images/photo-1.jpg}}\"/><![endif]--><img src=\"img/none.png\"><img src=\"img/vector.svg\">"
                    + "<td style=\"background:url({{> images/logo.png}})\">", html(account, "welcome"));
        }
        assertEquals("<img src='{{> images/logo.png}}'><img src='{{> images/logo.png}}'><img src='../../../etc/passwd'>", html(bob, "deep-other"));
    }

    private String html(Account account, String id) {
        return new String(stet.db.read(dao -> dao.templates().find(account.id(), id)).map(Template::html).orElseThrow(), StandardCharsets.UTF_8);
    }

    /** Writes an account with an image and a template that shows it. @return the image */
    private byte[] writeAccount() throws IOException {
        byte[] logo = accepted(Pictures.png(20, 10, 3));
        Files.createDirectories(folder.resolve("templates"));
        Files.createDirectories(folder.resolve("images"));
        Files.writeString(folder.resolve("account.json"), "{\"email\": \"pro@example.com\", \"plan\": \"pro\", \"keys\": [{\"name\": \"ci\", \"key\": \"stet-test-key\"}]}");
        Files.writeString(folder.resolve("templates/welcome.html"), "<img src=\"{{> images/logo.png}}\">");
        Files.write(folder.resolve("images/logo.png"), logo);
        return logo;
    }

    @Test
    void theTestDoubleServesTheImagesOfItsFolder() throws IOException {
        byte[] logo = writeAccount();
        String file = HexFormat.of().formatHex(Secret.sha256(logo)) + ".png";
        try (StetFixture first = StetFixture.folder(folder).start(); StetFixture second = StetFixture.folder(folder).imagesUrl("https://img.example.com").start()) {
            assertEquals("<img src=\"" + address(logo, "png") + "\">", get(first, "/api/v1/templates/welcome?format=html"));
            assertEquals("<img src=\"https://img.example.com/" + file + "\">", get(second, "/api/v1/templates/welcome?format=html"));
            assertArrayEquals(logo, getBytes(first, "/images/" + file));
            first.reset();
            assertArrayEquals(logo, getBytes(first, "/images/" + file));
        }
    }

    @Test
    void theImagesOfAGalleryAreInItsPages() throws IOException {
        byte[] logo = writeAccount();
        Path gallery = folder.resolveSibling(folder.getFileName() + "-gallery");
        Terminal.Result preview = terminal.run("preview", folder.toString(), "--out", gallery.toString());
        assertEquals(0, preview.code(), preview.err());
        String page = Files.readString(gallery.resolve("welcome.default.html"));
        assertTrue(page.contains("data:image/png;base64," + java.util.Base64.getEncoder().encodeToString(logo)), page);
        assertFalse(page.contains("images.invalid"));
    }

    private static String get(StetFixture fixture, String path) throws IOException {
        return new String(getBytes(fixture, path), StandardCharsets.UTF_8);
    }

    private static byte[] getBytes(StetFixture fixture, String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) fixture.url().resolve(path).toURL().openConnection();
        connection.setRequestProperty("Authorization", "Bearer stet-test-key");
        try (var in = connection.getInputStream()) {
            return in.readAllBytes();
        }
    }
}
