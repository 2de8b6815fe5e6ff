package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static stet.harness.Browser.answered;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Files loaded by browsers: pages, assets, and authored HTML in a preview. */
class PagesTest {
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src 'self'; font-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; "
            + "frame-ancestors 'none'";
    /** Opens clicked links outside the preview. */
    private static final String BASE = "<base target=\"_blank\">";
    private static final String NOT_FOUND = "{\"error\":\"Not found\"}";

    @AutoClose
    private static final Running stet = new Running();
    private static final Account ada = stet.account("ada@example.com", Plan.FREE);

    private static byte[] page() throws IOException {
        try (InputStream page = PagesTest.class.getResourceAsStream("/stet/static/index.html")) {
            assumeTrue(page != null, "The pages are not on the class path");
            return page.readAllBytes();
        }
    }

    /** Returns the path of this version's assets, with its fingerprint: {@code /assets/0123456789abcdef/}. */
    private static String assets() {
        Matcher folder = Pattern.compile("src=\"(/assets/[0-9a-f]{16}/)app.js\"").matcher(Browser.of(stet).get("/").text());
        assertTrue(folder.find());
        return folder.group(1);
    }

    private static Map<String, String> headers(Client.Reply reply) {
        Map<String, String> headers = new HashMap<>(reply.headers());
        headers.remove("date");
        headers.remove("connection");
        return headers;
    }

    private static String preview(Account account, String html) {
        String json = "{\"subject\":\"\",\"html\":\"" + html.replace("\"", "\\\"") + "\",\"samples\":{\"a\":\"{\\\"name\\\":\\\"<b>Ada</b>\\\"}\"}}";
        Matcher address = Pattern.compile("\"preview\":\"(/previews/[A-Za-z0-9_-]{24})\"").matcher(
                Browser.of(stet, account).post("/data/check", json).text());
        assertTrue(address.find());
        return address.group(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/templates", "/templates/welcome", "/templates/no-such", "/templates/%3Cscript%3E", "/templates/welcome/preview", "/blocks/footer/preview", "/blocks", "/blocks/footer", "/stale",
        "/keys", "/usage", "/account", "/security", "/signin", "/setup"})
    void eachPageIsTheSameFileWithTheseHeaders(String path) throws IOException {
        byte[] page = page();
        Client.Reply reply = Browser.of(stet).get(path);
        assertEquals(200, reply.status());
        assertEquals(new String(page, StandardCharsets.UTF_8), reply.text().replace(assets(), "/assets/"));
        assertEquals(Map.of("content-type", "text/html; charset=utf-8", "content-length", Integer.toString(reply.body().length),
                "cache-control", "no-cache", "etag", '"' + reply.sha256() + '"', "content-security-policy", POLICY,
                "cross-origin-opener-policy", "same-origin", "cross-origin-resource-policy", "same-origin",
                "referrer-policy", "same-origin", "x-content-type-options", "nosniff"), headers(reply));
        Client.Reply again = Browser.of(stet).get(path, "If-None-Match: " + reply.header("ETag"));
        assertEquals(304, again.status());
        assertEquals(reply.header("ETag"), again.header("ETag"));
        assertEquals(POLICY, again.header("Content-Security-Policy"));
        assertEquals(200, Browser.of(stet).get(path, "If-None-Match: \"another\"").status());
    }

    /** A browser gets a page; a program gets JSON. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({"/keys/, true", "/login, true", "/nothing/here, true", "/api/v1, false", "/api/v1/templates, false", "/api/v2/templates/x, false",
        "/data/nothing, false"})
    void anUnknownPathReturnsAPageToBrowsersOnly(String path, boolean isPage) throws IOException {
        Client.Reply browser = Browser.of(stet).get(path, "Accept: text/html,application/xhtml+xml,*/*;q=0.8");
        assertEquals(404, browser.status());
        if (isPage) {
            assertEquals(new String(page(), StandardCharsets.UTF_8), browser.text().replace(assets(), "/assets/"));
            assertEquals(POLICY, browser.header("Content-Security-Policy"));
            assertEquals("no-store", browser.header("Cache-Control"));
        } else {
            answered(404, NOT_FOUND, browser);
        }
        answered(404, NOT_FOUND, Browser.of(stet).get(path));
    }

    @ParameterizedTest(name = "/assets/{0}")
    @ValueSource(strings = {"no-such.js", "..%2fschema.sql", "..%2Findex.html", "%2e%2e%2fschema.sql", "..", "../schema.sql", "../../schema.sql",
        "%00", "index.html%00", "index.html%00.js", "", "schema.sql", "Handler.class", ".html", "index.htm", "%5c..%5cschema.sql", "a/b.js",
        "index.html/", "%C0%AE%C0%AE.html", "META-INF/MANIFEST.MF", "frame", "frame/", "frame/no-such.js", "frame%2Fdom.js", "frame/../app.js",
        "frame/%2e%2e/app.js", "frame/..%2fapp.js", "../static/app.js", "frame//dom.js", "frame/./dom.js", "frame/dom.js/",
        "frame/dom.js/x", "frame%5Cdom.js", "frame/dom.js%00", "Frame/dom.js", ".frame/dom.js", "frame/.js", "a/b/c.js", "../docs/README.html"})
    void onlyFilesOfThePagesAreAssets(String name) {
        answered(404, NOT_FOUND, Browser.of(stet).get("/assets/" + name));
        answered(404, NOT_FOUND, Browser.of(stet).get("/assets/any/" + name));
    }

    @ParameterizedTest
    @CsvSource({"index.html, text/html; charset=utf-8", "app.js, text/javascript; charset=utf-8", "frame/dom.js, text/javascript; charset=utf-8",
            "frame/style.css, text/css; charset=utf-8", "frame/favicon.svg, image/svg+xml"})
    void onlyAssetsOfThisVersionAreCachedForAYear(String name, String type) throws IOException {
        page();
        Client.Reply reply = Browser.of(stet).get(assets() + name);
        assertEquals(200, reply.status());
        assertEquals(type, reply.header("Content-Type"));
        assertEquals("public, max-age=31536000, immutable", reply.header("Cache-Control"));
        Client.Reply other = Browser.of(stet).get("/assets/0123456789abcdef/" + name);
        assertEquals(reply.text(), other.text());
        assertEquals(type, other.header("Content-Type"));
        assertEquals("no-cache", other.header("Cache-Control"));
        answered(404, NOT_FOUND, Browser.of(stet).get("/assets/" + name));
    }

    @Test
    void documentsLinkTheStylesOfThisVersion() throws IOException {
        page();
        Client.Reply reply = Browser.of(stet).get("/docs/api");
        assertTrue(reply.text().contains("href=\"" + assets() + "frame/docs.css\""));
        assertEquals("no-cache", reply.header("Cache-Control"));
    }

    @Test
    void aPreviewIsSandboxedHtml() {
        String hostile = "<script>alert(1)</script><img src=x onerror=alert(1)><meta http-equiv=refresh content=0>"
                + "<base href=//evil.example><form action=//evil.example></form><p>{{name}}</p>";
        String path = preview(ada, hostile);
        Client.Reply reply = Browser.of(stet).get(path);
        assertEquals(200, reply.status());
        assertEquals(hostile.replace("http-equiv", "http-equiv=\"\" http-equiv").replace("{{name}}", "&lt;b&gt;Ada&lt;/b&gt;") + BASE,
                Browser.unmarked(reply).text());
        String nonce = reply.text().substring("<script nonce=\"".length()).split("\"", 2)[0];
        assertEquals(Map.of("content-type", "text/html; charset=utf-8", "content-length", Integer.toString(reply.body().length),
                "cache-control", "no-store", "content-security-policy", "sandbox allow-scripts; script-src 'nonce-" + nonce
                + "'; default-src 'none'; style-src 'unsafe-inline'; "
                + "img-src 'self' https: data:; font-src https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
                "referrer-policy", "no-referrer", "x-content-type-options", "nosniff"), headers(reply));
        assertEquals("sandbox" + reply.header("Content-Security-Policy").split("'nonce-" + nonce + "'")[1],
                Browser.of(stet).get(path, "Sec-Fetch-Dest: document").header("Content-Security-Policy"));
        assertNotEquals(path, preview(ada, hostile));
    }

    @ParameterizedTest(name = "/previews/{0}")
    @ValueSource(strings = {"1", "AAAAAAAAAAAAAAAAAAAAAAAA", "%00", "", "..%2fkeys", "welcome"})
    void anUnknownPreviewIsNotFound(String id) {
        answered(404, NOT_FOUND, Browser.of(stet).get("/previews/" + id));
    }

    @Tag("slow")
    @Test
    void anAccountsPreviewsReplaceOnlyItsOwn() {
        Account eve = stet.account("eve@example.com", Plan.FREE);
        String adas = preview(ada, "<p>ada</p>");
        String first = preview(eve, "<p>first</p>");
        String last = "";
        for (int i = 0; i < 50; i++) { // more than the 8 that an account has at a time
            last = preview(eve, "<p>" + i + "</p>");
        }
        answered(404, NOT_FOUND, Browser.of(stet).get(first));
        answered(200, "<p>49</p>" + BASE, Browser.unmarked(Browser.of(stet).get(last)));
        answered(200, "<p>ada</p>" + BASE, Browser.unmarked(Browser.of(stet).get(adas)));
    }

    @Tag("slow")
    @Test
    void theLatestOfManyLargePreviewsIsKept() {
        Account eve = stet.account("eve-large@example.com", Plan.FREE);
        String large = "x".repeat(2 << 20);
        String last = "";
        for (int i = 0; i < 12; i++) {
            last = preview(i % 2 == 0 ? eve : ada, large);
        }
        assertEquals(large.length() + BASE.length(), Browser.unmarked(Browser.of(stet).get(last)).body().length);
    }
}
