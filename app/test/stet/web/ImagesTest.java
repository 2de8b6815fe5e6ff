package stet.web;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.harness.Browser.answered;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Browser;
import stet.harness.Client.Reply;
import stet.harness.Crowd;
import stet.harness.Pictures;
import stet.harness.RawZip;
import stet.harness.Running;
import stet.images.ImageFile;

/** Images: their names in drafts, their frozen addresses in versions, what the addresses serve, and when a file may be deleted. */
class ImagesTest {
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";
    private static final String URL = "http://127.0.0.1:8080/images/";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private final String key = stet.key(ada);
    private final Browser browser = Browser.of(stet, ada);
    private final byte[] blue = ImageFile.of(Pictures.png(40, 20, 0xff)).bytes();
    private final byte[] red = ImageFile.of(Pictures.png(40, 20, 0x01)).bytes();

    private static String file(byte[] bytes, String extension) {
        return HexFormat.of().formatHex(Secret.sha256(bytes)) + "." + extension;
    }

    private static String body(String fields, byte[] file) {
        return "{" + fields + (fields.isEmpty() ? "" : ",") + "\"file\":\"" + Base64.getEncoder().encodeToString(file) + "\"}";
    }

    private static JsonNode json(Reply reply) {
        return Json.readObject(reply.body());
    }

    /** Checks one field of a response. */
    private static void field(int status, String value, Reply reply, String field) {
        JsonNode found = json(reply).path(field);
        assertEquals(status + " " + value, reply.status() + " " + (found.isTextual() ? found.asText() : found.toString()));
    }

    private void add(String name, byte[] file) {
        assertEquals(201, browser.post("/data/images", body("\"name\":\"" + name + "\"", file)).status());
    }

    private long count(String query) {
        return stet.db.read(dao -> dao.sql().number(query));
    }

    private String html(String id) {
        return stet.get("/api/v1/templates/" + id + "?format=html", key).text();
    }

    @Test
    void anImageIsFrozenWithTheVersion() {
        answered(201, "{\"name\":\"logo.png\",\"path\":\"/images/" + file(blue, "png") + "\",\"width\":40,\"height\":20,\"bytes\":" + blue.length + ",\"revision\":1}",
                browser.post("/data/images", body("\"name\":\"logo.png\"", blue)));
        stet.template(ada, "welcome", "<img src=\"{{> images/logo.png}}\" alt=\"{{company}}\">");
        assertEquals("<img src=\"" + URL + file(blue, "png") + "\" alt=\"{{company}}\">", html("welcome"));
        assertEquals("{\"variables\":[\"company\"]}", stet.get("/api/v1/templates/welcome?format=variables", key).text());
        assertEquals(200, browser.put("/data/images/logo.png", body("\"revision\":1", red)).status());
        assertEquals("<img src=\"" + URL + file(blue, "png") + "\" alt=\"{{company}}\">", html("welcome"));
        stet.publish(ada, "welcome");
        assertEquals("<img src=\"" + URL + file(red, "png") + "\" alt=\"{{company}}\">", html("welcome"));
        for (byte[] bytes : List.of(blue, red)) {
            assertArrayEquals(bytes, stet.get("/images/" + file(bytes, "png"), null).body());
        }
        stet.clock.advance(Duration.ofDays(400));
        stet.sweep();
        stet.restart();
        assertArrayEquals(blue, stet.get("/images/" + file(blue, "png"), null).body());
    }

    @Test
    void aReplacedImageMakesTemplatesStaleUntilTheyArePublished() {
        add("logo.png", blue);
        stet.template(ada, "welcome", "<img src='{{> images/logo.png}}'>");
        stet.clock.advance(Duration.ofHours(1));
        assertEquals(200, browser.put("/data/images/logo.png", body("\"revision\":1", red)).status());
        assertEquals("2026-01-31T10:00:00.000Z", Json.readObject(stet.get("/api/v1/templates/welcome", key).body()).path("updatedAt").asText());
        answered(200, "{\"templates\":[{\"id\":\"welcome\",\"name\":\"welcome\",\"draftChanged\":false,\"blocks\":[\"images/logo.png\"]}]}", browser.get("/data/stale"));
        answered(200, "{\"templates\":[\"welcome\"],\"blocks\":[],\"stale\":[\"welcome\"]}", browser.get("/data/images/logo.png"));
        stet.publish(ada, "welcome");
        answered(200, "{\"templates\":[]}", browser.get("/data/stale"));
    }

    @Test
    void anImageOfAnEarlierRevisionIsNotReplaced() {
        add("logo.png", blue);
        assertEquals(200, browser.put("/data/images/logo.png", body("\"revision\":1", red)).status());
        field(422, "This image has been replaced since you opened the page; reload the page and look at it again", browser.put("/data/images/logo.png", body("\"revision\":1", blue)), "error");
        assertEquals(file(red, "png"), json(browser.get("/data/images")).at("/images/0/path").asText().replace("/images/", ""));
    }

    @Test
    void anAddressServesItsBytesToEveryone() {
        add("logo.png", blue);
        String path = "/images/" + file(blue, "png");
        String tag = "\"" + file(blue, "png").replace(".png", "") + "\"";
        Reply reply = stet.get(path, null);
        assertEquals(200, reply.status());
        assertArrayEquals(blue, reply.body());
        assertEquals(List.of("image/png", tag, "public, max-age=31536000, immutable", "nosniff", "default-src 'none'; sandbox", "cross-origin"),
                List.of(reply.header("Content-Type"), reply.header("ETag"), reply.header("Cache-Control"), reply.header("X-Content-Type-Options"),
                        reply.header("Content-Security-Policy"), reply.header("Cross-Origin-Resource-Policy")));
        assertNull(reply.header("Set-Cookie"));
        assertEquals(0, stet.used(ada));
    }

    @Test
    void anAddressIsOnlyRead() {
        add("logo.png", blue);
        assertEquals(405, stet.send("POST", "/images/" + file(blue, "png"), null, "Content-Length: 0").status());
    }

    @Test
    void anAddressThatDiffersServesNothing() {
        add("logo.png", blue);
        String path = "/images/" + file(blue, "png");
        for (String other : List.of("/images/" + file(blue, "jpg"), "/images/" + file(red, "png"), "/images/logo.png", path.toUpperCase(Locale.ROOT), path + ".png", path + "/x",
                "/images/%2e%2e", "/images/" + file(blue, "png").toUpperCase(Locale.ROOT))) {
            assertEquals("404 " + NOT_FOUND, stet.get(other, null).status() + " " + stet.get(other, null).text(), other);
        }
    }

    @Test
    void requestsByRecipientsAreShownForThirtyDaysAndThenDeleted() {
        add("logo.png", blue);
        for (int i = 0; i < 3; i++) {
            stet.get("/images/" + file(blue, "png"), null);
            stet.get("/images/" + file(blue, "png"), null, "Sec-Fetch-Site: same-origin");
        }
        JsonNode image = json(browser.get("/data/images")).path("images").get(0);
        assertEquals("logo.png 3 3", image.path("name").asText() + " " + image.path("requests") + " " + image.path("today"));
        stet.clock.advance(Duration.ofDays(31));
        image = json(Browser.of(stet, ada).get("/data/images")).path("images").get(0);
        assertEquals("0 0", image.path("requests") + " " + image.path("today"));
        for (int day = 0; day < 70; day++) {
            stet.clock.advance(Duration.ofDays(1));
            stet.sweep();
        }
        assertEquals(0, count("select count(*) from image_requests"));
    }

    /** An address does not say whose email it was in, so requests are shown only to accounts with a common member. */
    @Test
    void requestsAreNotShownIfAForeignAccountHasTheFile() {
        add("logo.png", blue);
        Account bob = stet.account("bob@example.com", Plan.PRO);
        Browser other = Browser.of(stet, bob);
        assertEquals(201, other.post("/data/images", body("\"name\":\"copy.png\"", blue)).status());
        stet.get("/images/" + file(blue, "png"), null);
        for (Browser each : List.of(browser, other)) {
            JsonNode image = json(each.get("/data/images")).path("images").get(0);
            assertFalse(image.has("requests") || image.has("today"), image.toString());
        }
        stet.db.change(dao -> dao.members().setRole(bob.id(), stet.owner(ada).id(), Role.WRITER, stet.now()));
        for (Browser each : List.of(browser, other)) {
            JsonNode image = json(each.get("/data/images")).path("images").get(0);
            assertEquals("1 1", image.path("requests") + " " + image.path("today"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {{> images/none.png}}          | image "none.png" not found; add it on the page Images
            {{> images/Logo.png}}          | image "Logo.png" not found; add it on the page Images
            {{> images/logo.svg}}          | "images/logo.svg" is not a valid image name; use letters, digits, - and _, then .png, .jpg, .jpeg or .gif
            {{> images/../logo.png}}       | "{{> images/../logo.png}}" has ".." after a name; Handlebars accepts it only at the start of a path
            {{> images/a b.png}}           | "{{> images/a b.png}}" passes a value to a shared block, which is not supported; blocks use the variables of the email
            """)
    void aDraftWithAnUnknownOrMisnamedImageIsNotPublished(String tag, String problem) {
        add("logo.png", blue);
        stet.draft(ada, "welcome", "Welcome", "", "<img src=\"" + tag + "\">");
        Reply reply = browser.post("/data/templates/welcome/publish", "{\"revision\":1,\"force\":false}");
        field(422, "line 1: " + problem, reply, "error");
        assertEquals(404, stet.get("/api/v1/templates/welcome", key).status());
    }

    @Test
    void anyValidNameIsFoundInAnySpellingOfTheTag() {
        for (String name : List.of("2.png", "2x-3.png", "a.png", "A_b-9.png")) {
            add(name, blue);
            stet.template(ada, "welcome", "<img src='{{> images/" + name + "}}'><img src='{{>images/" + name + " }}'><img src='{{~> \"images/" + name + "\"}}'>");
            assertEquals(("<img src='" + URL + file(blue, "png") + "'>").repeat(3), html("welcome"));
        }
    }

    @Test
    void anImageCanBeInABlock() {
        add("logo.png", blue);
        field(201, "frame", browser.post("/data/blocks", "{\"name\":\"frame\",\"html\":\"<img src='{{> images/logo.png}}'>\"}"), "name");
        stet.template(ada, "welcome", "{{> frame}}");
        assertEquals("<img src='" + URL + file(blue, "png") + "'>", html("welcome"));
        assertEquals(List.of("frame"), json(browser.get("/data/blocks")).get("blocks").findValuesAsText("name"), "an image is not listed as a block");
        answered(422, "{\"error\":\"The image \\\"images/logo.png\\\" is still used by frame; remove it there first\",\"field\":null}", browser.delete("/data/images/logo.png"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "name":"logo.jpg"        | "The file is a PNG; name it logo.png"
            "name":"logo.svg"        | "\\"logo.svg\\" is not a valid image name; use 1 to 64 letters, digits, - and _, starting with a letter or digit, then .png, .jpg, .jpeg or .gif"
            "name":"../logo.png"     | "\\"../logo.png\\" is not a valid image name; use 1 to 64 letters, digits, - and _, starting with a letter or digit, then .png, .jpg, .jpeg or .gif"
            "name":"a/b.png"         | "\\"a/b.png\\" is not a valid image name; use 1 to 64 letters, digits, - and _, starting with a letter or digit, then .png, .jpg, .jpeg or .gif"
            "name":"bild\\u202e.png" | "\\"bild\u202e.png\\" is not a valid image name; use 1 to 64 letters, digits, - and _, starting with a letter or digit, then .png, .jpg, .jpeg or .gif"
            "name":".png"            | "\\".png\\" is not a valid image name; use 1 to 64 letters, digits, - and _, starting with a letter or digit, then .png, .jpg, .jpeg or .gif"
            """)
    void anInvalidNameIsRejected(String name, String sentence) {
        answered(422, "{\"error\":" + sentence + ",\"field\":\"name\"}", browser.post("/data/images", body(name, blue)));
        field(200, "[]", browser.get("/data/images"), "images");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Foto (1).PNG      | foto-1.png
            ../../etc/passwd  | passwd.png
            логотип.png       | image.png
            .png              | png.png
            a.b.c.jpeg        | a-b-c.png
            """)
    void aNameIsDerivedFromTheFilesAndNumberedIfItIsTaken(String given, String name) {
        field(201, name, browser.post("/data/images", body("\"fileName\":\"" + given + "\"", blue)), "name");
        field(201, name, browser.post("/data/images", body("\"fileName\":\"" + given + "\"", blue)), "name");
        field(201, name.replace(".png", "-2.png"), browser.post("/data/images", body("\"fileName\":\"" + given + "\"", red)), "name");
        answered(422, "{\"error\":\"An image named " + name + " already exists; choose another name, or replace the image\",\"field\":\"name\"}",
                browser.post("/data/images", body("\"name\":\"" + name + "\"", red)));
    }

    @Test
    void aLongNameIsShortenedForItsNumber() {
        String name = "a".repeat(64);
        field(201, name + ".png", browser.post("/data/images", body("\"fileName\":\"" + name + "b.PNG\"", blue)), "name");
        field(201, "a".repeat(62) + "-2.png", browser.post("/data/images", body("\"fileName\":\"" + name + ".png\"", red)), "name");
        field(201, "a".repeat(62) + "-3.png", browser.post("/data/images", body("\"fileName\":\"" + name + ".png\"", ImageFile.of(Pictures.png(9, 9, 9)).bytes())), "name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<svg onload='alert(1)'/>", "", "GIF89a", "<html>"})
    void aFileThatIsNoImageIsRejected(String file) {
        field(422, "file", browser.post("/data/images", body("\"name\":\"logo.png\"", file.getBytes(StandardCharsets.UTF_8))), "field");
        field(200, "[]", browser.get("/data/images"), "images");
    }

    @Test
    void aFileThatIsNotBase64IsRejected() {
        answered(422, "{\"error\":\"\\\"file\\\" is not Base64; use Base64\",\"field\":\"file\"}", browser.post("/data/images", "{\"name\":\"logo.png\",\"file\":\"%%%\"}"));
    }

    @Test
    void aFileIsKeptUntilAnOwnerDeletesItAndNothingUsesIt() {
        add("logo.png", blue);
        stet.template(ada, "welcome", "<img src='{{> images/logo.png}}'>");
        assertEquals(200, browser.put("/data/images/logo.png", body("\"revision\":1", red)).status());
        stet.publish(ada, "welcome");
        String old = "/data/image-files/" + file(blue, "png");
        answered(422, "{\"error\":\"The file is still used by version 1 of template welcome; delete it only when no image and no version uses it\",\"field\":null}", browser.delete(old));
        answered(422, "{\"error\":\"The file is still used by images/logo.png, version 2 of template welcome; delete it only when no image and no version uses it\",\"field\":null}",
                browser.delete("/data/image-files/" + file(red, "png")));
        answered(204, "", browser.delete("/data/templates/welcome"));
        answered(422, "{\"error\":\"The file is still used by version 1 of template welcome in the trash; delete it only when no image and no version uses it\",\"field\":null}", browser.delete(old));
        answered(204, "", browser.delete("/data/deletions"));
        stet.sweep();
        assertArrayEquals(blue, stet.get("/images/" + file(blue, "png"), null).body()); // sent emails outlive versions

        Browser bob = Browser.of(stet, ada, stet.member(ada, "bob@example.com", Role.EDITOR, "the password of bob"));
        assertEquals(403, bob.delete(old).status());
        answered(204, "", browser.delete(old));
        answered(404, NOT_FOUND, browser.delete(old));
        answered(404, NOT_FOUND, browser.delete("/data/image-files/other"));
        assertEquals(404, stet.get("/images/" + file(blue, "png"), null).status());
        stet.sweep();
        assertEquals(1, count("select count(*) from texts"));
        assertTrue(browser.get("/data/activity").text().contains("image-file-deleted"));
    }

    @Test
    void theNameCanBeDeletedAndUsedAgain() {
        add("logo.png", blue);
        answered(204, "", browser.delete("/data/images/logo.png"));
        answered(404, NOT_FOUND, browser.delete("/data/images/logo.png"));
        assertEquals(200, stet.get("/images/" + file(blue, "png"), null).status());
        JsonNode image = json(browser.get("/data/images")).path("images").get(0);
        assertEquals("null logo.png", image.path("name").asText("null") + " " + image.path("lastName").asText());
        add("logo.png", blue);
        assertEquals(1, json(browser.get("/data/images")).path("images").size());
        assertEquals(1, count("select count(*) from texts"));
    }

    @Test
    void equalFilesAreStoredOncePerAccount() {
        add("a.png", blue);
        add("b.png", blue);
        assertEquals(1, count("select count(*) from texts"));
        Browser other = Browser.of(stet, stet.account("bob@example.com", Plan.PRO));
        assertEquals(201, other.post("/data/images", body("\"name\":\"a.png\"", blue)).status());
        assertEquals(2, count("select count(*) from texts"));
    }

    @Test
    void anImageBeyondTheLimitIsNotStored() {
        add("a.png", blue);
        stet.db.change(dao -> dao.images().changeLimit(ada.id(), (long) blue.length, stet.now()));
        Reply full = browser.post("/data/images", body("\"name\":\"c.png\"", red));
        assertEquals(422, full.status());
        assertTrue(full.text().contains("The images would take"), full.text());
        stet.sweep();
        assertEquals(1, count("select count(*) from texts"));
    }

    @Test
    void anotherAccountsImageIsNotFound() {
        add("a.png", blue);
        Browser other = Browser.of(stet, stet.account("bob@example.com", Plan.PRO));
        answered(404, NOT_FOUND, other.get("/data/images/a.png"));
        answered(404, NOT_FOUND, other.delete("/data/image-files/" + file(blue, "png")));
    }

    /** As with texts, only what adds to an account over its limit is refused. */
    @Test
    void anAccountOverItsLimitCanStillUseTheFilesThatItHas() {
        add("a.png", blue);
        add("b.png", red);
        stet.db.change(dao -> dao.images().changeLimit(ada.id(), 1L, stet.now()));
        Browser writer = Browser.of(stet, ada, stet.member(ada, "will@example.com", Role.WRITER, "a long password"));
        byte[] green = ImageFile.of(Pictures.png(40, 20, 0x77)).bytes();
        for (Browser each : List.of(browser, writer)) {
            String by = each == browser ? "o" : "w";
            assertEquals(201, each.post("/data/images", body("\"name\":\"a.png\"", blue)).status());
            assertEquals(201, each.post("/data/images", body("\"name\":\"c" + by + ".png\"", blue)).status());
            assertEquals(200, each.put("/data/images/c" + by + ".png", body("\"revision\":1", red)).status());
            assertEquals(422, each.post("/data/images", body("\"name\":\"d.png\"", green)).status());
            assertEquals(422, each.put("/data/images/c" + by + ".png", body("\"revision\":2", green)).status());
        }
        String path = "/data/import";
        assertEquals(200, browser.postZip(path, new RawZip().file("images/e.png", blue).bytes()).status());
        assertEquals(422, browser.postZip(path, new RawZip().file("images/f.png", green).bytes()).status());
        assertEquals("2 5", count("select count(*) from images") + " " + count("select count(*) from blocks"));
    }

    @Test
    void aSuspendedOrDeletedAccountServesNoImages() {
        add("logo.png", blue);
        String path = "/images/" + file(blue, "png");
        assertEquals(200, stet.get(path, null).status());
        stet.db.change(dao -> dao.accounts().setSuspended(ada, true, stet.now()));
        assertEquals(404, stet.get(path, null).status());
        stet.db.change(dao -> dao.accounts().setSuspended(stet.account("ada@example.com"), false, stet.now()));
        assertEquals(200, stet.get(path, null).status());
        stet.db.change(dao -> dao.accounts().delete(ada.id(), stet.now()));
        assertEquals(404, stet.get(path, null).status());
        stet.sweep();
        assertEquals(0, count("select (select count(*) from texts) + (select count(*) from images)"));
    }

    @Test
    void previewsShowTheImageFromThisServer() {
        add("logo.png", blue);
        Reply checked = browser.post("/data/check", "{\"subject\":\"Hi\",\"html\":\"<img src='{{> images/logo.png}}'>\",\"samples\":{}}");
        assertEquals(200, checked.status(), checked.text());
        Reply preview = browser.get(json(checked).path("preview").asText());
        assertTrue(preview.text().contains("/images/" + file(blue, "png")), preview.text());
        assertFalse(preview.text().contains("8080"), preview.text());
        assertTrue(preview.header("Content-Security-Policy").contains("img-src 'self' https: data:"));
    }

    @Test
    void aCheckWarnsUnlessTheAddressOfImagesIsPublic() {
        add("logo.png", blue);
        String draft = "{\"subject\":\"Hi\",\"html\":\"<img alt='' width='40' height='20' src='{{> images/logo.png}}'>\",\"samples\":{}}";
        assertEquals("recipients cannot load images from http://127.0.0.1:8080/images; ask the administrator to set --images-url to an address with https",
                json(browser.post("/data/check", draft)).at("/problems/0/sentence").asText());
        stet.db.change(dao -> dao.images().setUrl("https://img.example.com/images"));
        field(200, "[]", browser.post("/data/check", draft), "problems");
    }

    /** @param url with PORT for the server's own */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            http://127.0.0.1:PORT/images | The image was loaded from this server, but recipients cannot load it: the address has no https or leads to their own computer. Set --images-url to a public address with https
            http://127.0.0.1:PORT/docs   | 127.0.0.1:PORT returned 404; let the proxy pass /images/ on to this server
            http://no-such-host.invalid  | The host no-such-host.invalid is unknown; check --images-url and the DNS
            http://127.0.0.1:1           | Nothing listens at 127.0.0.1:1; start the proxy or change --images-url
            """)
    void anAdministratorLearnsWhyRecipientsCannotLoadImages(String url, String problem) {
        String port = "" + stet.server.address().getPort();
        stet.db.change(dao -> {
            dao.users().setAdministrator(stet.owner(ada).id(), true);
            dao.images().setUrl(url.replace("PORT", port));
        });
        JsonNode result = json(browser.post("/data/installation/images", "{}"));
        assertEquals(problem.replace("PORT", port), result.path("problem").asText());
    }

    @Test
    void aNewUrlOfImagesChangesNoPublishedVersion() {
        add("logo.png", blue);
        stet.template(ada, "welcome", "<img src='{{> images/logo.png}}'>");
        stet.db.change(dao -> dao.images().setUrl("https://img.example.com/i"));
        assertEquals("<img src='" + URL + file(blue, "png") + "'>", html("welcome"));
        answered(200, "{\"templates\":[]}", browser.get("/data/stale"));
        stet.publish(ada, "welcome");
        assertEquals("<img src='https://img.example.com/i/" + file(blue, "png") + "'>", html("welcome"));
    }

    @Test
    void concurrentUploadsOfAFileCountOnce() {
        List<Integer> statuses = Crowd.of(8, number -> () -> {
            Browser own = Browser.of(stet, ada);
            return IntStream.range(0, 12).mapToObj(file -> own.post("/data/images",
                    body("\"name\":\"i" + number + "-" + file + ".png\"", Pictures.png(20 + file, 20, file))).status()).toList();
        }).stream().flatMap(List::stream).toList();
        assertTrue(Set.of(201, 503).containsAll(statuses), statuses.toString());
        long files = stet.db.read(dao -> dao.images().room(ada.id())).files();
        assertTrue(files > 0 && files <= 12, files + " files");
    }
}
