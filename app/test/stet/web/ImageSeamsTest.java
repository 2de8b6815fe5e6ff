package stet.web;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Client.Reply;
import stet.harness.Pictures;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.images.ImageFile;
import stet.sqlite.WritingLock;

/** Images where they meet other parts: guests, copies, pushes, the trash, backups, and changes at the same time. */
class ImageSeamsTest {
    private static final String URL = "http://127.0.0.1:8080/images/";
    private static final String TOKEN = "stet_deploy_ci-of-the-account";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final Account bob = stet.account("bob@example.com", Plan.PRO);
    private final String key = stet.key(ada);
    private final Browser browser = Browser.of(stet, ada);
    private final Terminal terminal = new Terminal(stet.folder);
    private final byte[] blue = ImageFile.of(Pictures.png(40, 20, 0xff)).bytes();
    private final byte[] red = ImageFile.of(Pictures.png(40, 20, 0x01)).bytes();
    @TempDir
    private Path folder;

    @BeforeEach
    void publish() {
        stet.image(ada, "logo.png", blue);
        stet.template(ada, "welcome", "<img src='{{> images/logo.png}}'>");
        stet.db.change(dao -> dao.tokens().add(bob, "ci", Role.EDITOR, TOKEN, null, stet.now()));
    }

    private static String file(byte[] bytes) {
        return HexFormat.of().formatHex(Secret.sha256(bytes)) + ".png";
    }

    private static String img(byte[] bytes) {
        return "<img src='" + URL + file(bytes) + "'>";
    }

    private static String body(String fields, byte[] file) {
        return "{" + fields + ",\"file\":\"" + Base64.getEncoder().encodeToString(file) + "\"}";
    }

    private static JsonNode json(Reply reply) {
        return Json.readObject(reply.body());
    }

    private String html(Account account) {
        return stet.get("/api/v1/templates/welcome?format=html", account == ada ? key : stet.key(account)).text();
    }

    private int status(byte[] bytes) {
        return stet.get("/images/" + file(bytes), null).status();
    }

    private long count(String query) {
        return stet.db.read(dao -> dao.sql().number(query));
    }

    private void assertSound(String... checks) {
        String out = terminal.run("check").out();
        for (String check : checks) {
            assertTrue(out.contains("ok       " + check + ": "), out);
        }
    }

    private Reply pushToBob(String parameters, RawZip zip) {
        byte[] bytes = zip.bytes();
        try (Client client = stet.client()) {
            String head = client.request("POST", "/push" + parameters, TOKEN, "Content-Type: application/zip", "Content-Length: " + bytes.length);
            return client.write(head + new String(bytes, StandardCharsets.ISO_8859_1)).read(false);
        }
    }

    /** A guest loads the draft's images like a recipient, which does not count toward the guest's requests. */
    @Test
    void aGuestSeesTheDraftsImagesAndNoOthers() {
        byte[] green = ImageFile.of(Pictures.png(40, 20, 0x77)).bytes();
        stet.image(ada, "logo.png", red);
        stet.image(ada, "secret-plan.png", green);
        String secret = json(browser.post("/data/templates/welcome/reviews", "{}")).get("url").asText().replaceFirst(".*/review#", "");
        Browser guest = Browser.of(stet);
        for (byte[] current : List.of(red, blue)) {
            Reply review = guest.post("/data/review", "{\"secret\":\"" + secret + "\"}");
            assertEquals(200, review.status(), review.text());
            Reply preview = guest.get(json(review).get("preview").asText());
            assertTrue(preview.text().contains("/images/" + file(current)), preview.text());
            assertFalse((review.text() + preview.text()).matches("(?s).*(secret-plan|" + file(green) + ").*"));
            for (int i = 0; i < 300; i++) {
                assertEquals(200, guest.get("/images/" + file(current)).status());
            }
            stet.image(ada, "logo.png", blue);
        }
        assertEquals(401, guest.get("/data/images").status());
        assertEquals(401, guest.get("/data/images/logo.png").status());
        assertEquals(401, guest.post("/data/images", body("\"name\":\"evil.png\"", green)).status());
        assertEquals(401, guest.put("/data/images/logo.png", body("\"revision\":3", green)).status());
        assertEquals(401, guest.delete("/data/images/logo.png").status());
        assertEquals(401, guest.delete("/data/image-files/" + file(red)).status());
    }

    /** Publishing prepares the email before it waits for the lock. */
    @Test
    void aPublishThatWaitsUsesTheImageThatIsReplacedMeanwhile() {
        stet.draft(ada, "other", "Other", "", "<img src='{{> images/other.png}}'>");
        stet.image(ada, "other.png", red);
        byte[] green = ImageFile.of(Pictures.png(40, 20, 0x77)).bytes();
        WritingLock.hold(stet.db);
        try (Client client = stet.client()) {
            try {
                String given = "{\"revision\":1,\"force\":false}";
                client.write(client.request("POST", "/data/templates/other/publish", null, "Cookie: " + browser.cookie, "Connection: close", "Content-Type: application/json",
                        "Content-Length: " + given.length()) + given);
                assertTrue(Running.comes(() -> WritingLock.isWaitedFor(stet.db)));
                stet.image(ada, "other.png", green);
                stet.db.change(dao -> dao.images().deleteFile(ada.id(), Secret.sha256(red), stet.now()));
            } finally {
                WritingLock.release(stet.db);
            }
            Reply published = client.read(false);
            assertEquals(200, published.status(), published.text());
        }
        assertEquals(img(green), stet.get("/api/v1/templates/other?format=html", key).text());
        assertEquals("404 200", status(red) + " " + status(green));
        assertSound("images");
    }

    /** The trigger deletes a file, as an owner and the sweeper do, after the import has found it and while it stores its texts. */
    @Test
    void anImportStoresAFileThatIsDeletedMeanwhile() {
        stet.image(ada, "logo.png", red);
        stet.image(bob, "logo.png", blue);
        stet.db.change(dao -> dao.blocks().delete(bob.id(), "images/logo.png", stet.now()));
        stet.db.changeUncached(dao -> dao.sql().execute("create trigger deletes after insert on texts when cast(new.html as text) = 'last' begin"
                + " delete from texts where id = (select text from images where account_id = " + bob.id() + ");"
                + " delete from images where account_id = " + bob.id() + "; end"));
        RawZip zip = new RawZip().file("images/logo.png", blue).file("templates/welcome.html", "<img src='{{> images/logo.png}}'>").file("templates/zz.html", "last");
        Reply reply = Browser.of(stet, bob).postZip("/data/import?publish=true", zip.bytes());
        assertEquals(200, reply.status(), reply.text());
        stet.db.changeUncached(dao -> dao.sql().execute("drop trigger deletes"));
        assertEquals(img(blue), html(bob));
        assertArrayEquals(blue, stet.get("/images/" + file(blue), null).body());
        assertEquals(1, count("select count(*) from images i join texts x on x.id = i.text where i.account_id = " + bob.id()));
        assertSound("images", "texts");
    }

    @Test
    void theTrashKeepsTheFilesOfItsVersions() {
        stet.image(ada, "logo.png", red);
        answered(204, "", browser.delete("/data/templates/welcome"));
        stet.clock.advance(Duration.ofDays(29));
        stet.sweep();
        Browser later = Browser.of(stet, ada);
        answered(422, "{\"error\":\"The file is still used by version 1 of template welcome in the trash; delete it only when no image and no version uses it\",\"field\":null}",
                later.delete("/data/image-files/" + file(blue)));
        assertEquals("404 200", stet.get("/api/v1/templates/welcome?format=html", key).status() + " " + status(blue));
        assertEquals(200, later.post("/data/deletions/welcome/restore", "{}").status());
        assertEquals(img(blue), html(ada));
        answered(200, "{\"templates\":[{\"id\":\"welcome\",\"name\":\"welcome\",\"draftChanged\":false,\"blocks\":[\"images/logo.png\"]}]}", later.get("/data/stale"));
    }

    /** A copy has its own file, which the original's deletion does not take away. */
    @Test
    void aCopyOutlivesItsOriginal() {
        stet.db.change(dao -> dao.members().setRole(bob.id(), stet.owner(ada).id(), Role.OWNER, stet.now()));
        stet.image(bob, "logo.png", red);
        stet.template(bob, "welcome", "<img src='{{> images/logo.png}}'>");
        String copies = "/data/copies/" + bob.id();
        Reply copied = browser.post(copies, "{\"templates\":[\"welcome\"],\"publish\":true,\"overwrite\":true}");
        assertEquals(200, copied.status(), copied.text());
        assertEquals(img(blue), html(bob));
        stet.db.change(dao -> dao.accounts().delete(ada.id(), stet.now()));
        stet.sweep();
        assertEquals("200 200", status(blue) + " " + status(red));
        stet.restart();
        assertArrayEquals(blue, stet.get("/images/" + file(blue), null).body());
    }

    @Test
    void aCopyReplacesAnImageOnlyIfItIsToOverwrite() {
        stet.db.change(dao -> dao.members().setRole(bob.id(), stet.owner(ada).id(), Role.OWNER, stet.now()));
        stet.image(bob, "logo.png", red);
        stet.template(bob, "welcome", "<img src='{{> images/logo.png}}'>");
        Reply refused = browser.post("/data/copies/" + bob.id(), "{\"templates\":[\"welcome\"],\"publish\":true,\"overwrite\":false}");
        assertTrue(refused.status() == 409 && refused.text().contains("image logo.png"), refused.status() + refused.text());
        assertEquals(img(red), html(bob));
    }

    /** An image's digest is in each email that shows it, so it must not be enough to get the image. */
    @Test
    void aPushByDigestClaimsNoBytesOfAnotherAccount() {
        String digest = HexFormat.of().formatHex(Secret.sha256(blue));
        String claim = "{\"blocks\":{\"images/logo.png\":\"" + digest + "\"}}";
        RawZip zip = new RawZip().file("stet-unchanged.json", claim).file("templates/welcome.html", "<img src='{{> images/logo.png}}'>");
        Reply refused = pushToBob("?publish=true", zip);
        assertTrue(refused.status() == 409 && refused.text().contains("The account changed during the push"), refused.status() + refused.text());
        stet.image(bob, "logo.png", red);
        assertEquals(409, pushToBob("?publish=true&overwrite=true", zip).status());
        assertEquals("1 0", count("select count(*) from images where account_id = " + bob.id()) + " " + count("select count(*) from templates where account_id = " + bob.id()));
        stet.db.change(dao -> dao.accounts().delete(ada.id(), stet.now()));
        assertEquals(404, status(blue));
    }

    /** @param limit of storage or of images, which the second of two files exceeds */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            storage | The account would store
            images  | The images would take
            """)
    void anImportBeyondALimitLeavesNothing(String limit, String words) {
        byte[] green = ImageFile.of(Pictures.png(90, 90, 0x77)).bytes();
        stet.db.change(dao -> {
            if (limit.equals("storage")) {
                dao.storage().changeLimit(bob, (long) red.length + 100, stet.now());
            } else {
                dao.images().changeLimit(bob.id(), (long) red.length + 100, stet.now());
            }
        });
        RawZip zip = new RawZip().file("images/a.png", red).file("images/b.png", green).file("templates/welcome.html", "<img src='{{> images/a.png}}'>");
        Browser other = Browser.of(stet, bob);
        for (Reply reply : List.of(pushToBob("?publish=true", zip), other.postZip("/data/import?publish=true", zip.bytes()))) {
            assertEquals(422, reply.status());
            assertTrue(reply.text().contains(words), reply.text());
        }
        assertEquals("404 0", status(red) + " " + count("select (select count(*) from images where account_id = 2) + (select count(*) from blocks where account_id = 2)"));
        stet.clock.advance(Duration.ofDays(2));
        stet.sweep();
        assertEquals(0, count("select count(*) from texts where account_id = " + bob.id()));
        assertEquals(201, Browser.of(stet, bob).post("/data/images", body("\"name\":\"a.png\"", red)).status());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            If-None-Match: TAG            | 304
            If-None-Match: W/TAG          | 304
            If-None-Match: "a", TAG       | 304
            If-None-Match: *              | 304
            If-None-Match: "a"            | 200
            If-None-Match: TA             | 200
            If-Modified-Since: Fri, 30 Jan 2099 00:00:00 GMT | 200
            If-Match: TAG                 | 200
            Range: bytes=0-9              | 200
            Accept: image/webp            | 200
            Accept-Encoding: gzip         | 200
            """)
    void anImageIsSentUnlessTheClientHasIt(String header, int status) {
        String sent = header.replace("TAG", '"' + file(blue).replace(".png", "") + '"');
        for (String method : List.of("GET", "HEAD")) {
            Reply reply = stet.send(method, "/images/" + file(blue), null, sent);
            assertEquals(status, reply.status());
            assertEquals(method.equals("GET") && status == 200 ? blue.length : 0, reply.body().length);
            assertEquals("public, max-age=31536000, immutable nosniff default-src 'none'; sandbox cross-origin", String.join(" ", reply.header("Cache-Control"),
                    reply.header("X-Content-Type-Options"), reply.header("Content-Security-Policy"), reply.header("Cross-Origin-Resource-Policy")));
            assertEquals(status == 200 ? "" + blue.length : null, reply.header("Content-Length"));
            assertEquals('"' + file(blue).replace(".png", "") + '"', reply.header("ETag"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD"})
    void anImageWithAnotherTagFailsThePrecondition(String method) {
        assertEquals(412, stet.send(method, "/images/" + file(blue), null, "If-Match: \"a\"").status());
    }

    /** A database without an image's file says so, serves everything else, and takes the file again from an author or a backup. */
    @ParameterizedTest
    @ValueSource(strings = {"author", "backup"})
    void aMissingFileIsReportedAndCanBeAddedAgain(String by) {
        Path backup = folder.resolve("backup.db");
        terminal.done("backup", backup.toString());
        stet.db.changeUncached(dao -> dao.sql().update("delete from images where account_id = ?", ada.id()));
        stet.restart();
        String check = terminal.run("check").out();
        assertTrue(check.contains("problem  images: The image images/logo.png of ada@example.com has no file; restore a backup or add the image again"), check);
        assertTrue(check.contains("problem  images: The image images/logo.png in version 1 of template welcome of ada@example.com has no file; restore a backup or add the image again"), check);
        assertEquals("404 " + img(blue), status(blue) + " " + html(ada));
        if (by.equals("author")) {
            assertEquals(201, Browser.of(stet, ada).post("/data/images", body("\"name\":\"logo.png\"", blue)).status());
        } else {
            stet.stop();
            terminal.done("restore", backup.toString());
            stet.start();
        }
        assertArrayEquals(blue, stet.get("/images/" + file(blue), null).body());
        assertSound("images", "texts");
    }

    /** Everything that can happen to a database in a year: the old address serves the old bytes. */
    @Test
    void restoredImagesAreStillServedAfterAYear() {
        stet.image(ada, "logo.png", red);
        stet.publish(ada, "welcome");
        Path backup = folder.resolve("backup.db");
        terminal.done("backup", backup.toString());
        stet.db.change(dao -> dao.accounts().delete(ada.id(), stet.now()));
        stet.sweep();
        assertEquals("404 404 0", status(blue) + " " + status(red) + " " + count("select count(*) from texts"));
        stet.stop();
        terminal.done("restore", backup.toString());
        stet.start();
        assertEquals("200 200 " + img(red), status(blue) + " " + status(red) + " " + html(ada));
        for (int month = 0; month < 13; month++) {
            stet.clock.advance(Duration.ofDays(30));
            stet.sweep();
        }
        terminal.done("compact");
        stet.restart();
        for (byte[] bytes : List.of(blue, red)) {
            assertArrayEquals(bytes, stet.get("/images/" + file(bytes), null).body());
        }
        assertSound("images", "texts");
    }
}
