package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Browser;
import stet.harness.Client;
import stet.harness.Running;

/** Requests that another site can make a browser send are rejected and change nothing. */
class CrossSiteTest {
    private static final String CROSS_SITE = "{\"error\":\"Requests from another site are not allowed\"}";
    private static final String WRONG_TYPE = "{\"error\":\"Unsupported media type\"}";

    @AutoClose
    private static final Running stet = new Running();

    @AutoClose
    private static final Running named = new Running("https://mail.example.com", null);
    private static final Account ada = stet.account("ada@example.com", Plan.PRO);
    private static final Account eve = named.account("eve@example.com", Plan.PRO);

    @BeforeAll
    static void fill() {
        stet.draft(ada, "welcome", "Welcome", "", "");
    }

    /** Returns header lines; {@code own} stands for this server's origin, a space for no header. */
    private static List<String> lines(String site, String origin, String type) {
        List<String> lines = new ArrayList<>();
        if (site != null) {
            lines.add("Sec-Fetch-Site: " + site);
        }
        if (origin != null) {
            lines.add("Origin: " + (origin.equals("own") ? stet.server.url() : origin));
        }
        if (type != null) {
            lines.add("Content-Type: " + type);
        }
        return lines;
    }

    @ParameterizedTest(name = "Sec-Fetch-Site {0}, Origin {1}, {2} is {3}")
    @CsvSource(delimiter = '|', textBlock = """
            same-origin | own                  | application/json | 200
            same-origin |                      | application/json | 200
            same-origin | https://evil.example | application/json | 200
            same-origin | null                 | application/json | 200
            same-origin | own                  | text/plain       | 415
            none        | own                  | application/json | 200
            none        |                      | application/json | 200
            none        |                      | text/plain       | 415
            same-site   | own                  | application/json | 403
            same-site   |                      | application/json | 403
            same-site   | https://evil.example | application/json | 403
            same-site   | null                 | text/plain       | 403
            cross-site  | own                  | application/json | 403
            cross-site  |                      | application/json | 403
            cross-site  | https://evil.example | application/json | 403
            cross-site  | null                 | application/json | 403
            cross-site  | https://evil.example | text/plain       | 403
            anything    | own                  | application/json | 403
                        | own                  | application/json | 200
                        | own                  | text/plain       | 415
                        |                      | application/json | 200
                        |                      | text/plain       | 415
                        | https://evil.example | application/json | 403
                        | https://evil.example | text/plain       | 403
                        | null                 | application/json | 403
                        | null                 | text/plain       | 403
                        | http://127.0.0.1:1   | application/json | 403
            same-origin | own                  | application/json; charset=utf-8 | 200
            same-origin | own                  | APPLICATION/JSON | 200
            same-origin | own                  | application/x-www-form-urlencoded | 415
            same-origin | own                  | multipart/form-data; boundary=x   | 415
            same-origin | own                  | application/json-patch+json       | 415
            """)
    void anUnsafeRequestNeedsTheSameOriginAndJson(String site, String origin, String type, int status) {
        String[] lines = lines(site, origin, type).toArray(String[]::new);
        String before = stet.db.read(dao -> dao.templates().find(ada.id(), "welcome")).orElseThrow().name();
        String after = before.equals("One") ? "Two" : "One";
        Client.Reply reply = Browser.of(stet, ada).put("/data/templates/welcome/name", "{\"name\":\"" + after + "\",\"revision\":" + stet.db.read(dao ->
                dao.templates().lastNaming(ada.id(), "welcome")).orElseThrow().revision() + "}", lines);
        String error = Map.of(403, CROSS_SITE, 415, WRONG_TYPE).get(status);
        assertEquals(status, reply.status());
        assertTrue(error == null || reply.text().equals(error), reply.text());
        assertEquals(status == 200 ? after : before, stet.db.read(dao -> dao.templates().find(ada.id(), "welcome")).orElseThrow().name());
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            POST   | /data/setup                | {"token":"x","name":"a","email":"a@b","password":"correct horse","plan":"free"}
            POST   | /data/session              | {"email":"ada@example.com","password":"x"}
            DELETE | /data/session              |
            DELETE | /data/sessions             |
            DELETE | /data/templates/welcome    |
            POST   | /data/templates            | {"name":"Made"}
            POST   | /data/keys                 | {"name":"made"}
            """)
    void anotherSitesRequestsAreRejected(String method, String path, String body) {
        Browser browser = Browser.of(stet, ada);
        Client.Reply reply = browser.send(method, path, body, "Sec-Fetch-Site: cross-site", "Origin: https://evil.example");
        Browser.answered(403, CROSS_SITE, reply);
        assertEquals(200, browser.get("/data/session").status());
        assertEquals(1, stet.db.read(dao -> dao.templates().list(ada.id())).size());
        assertEquals(0, stet.db.read(dao -> dao.keys().list(ada.id())).size());
    }

    @ParameterizedTest(name = "{0} to {1} is {2}")
    @CsvSource(delimiter = '|', textBlock = """
            http  | 127.0.0.1               | 200
            http  | 127.0.0.1:8080          | 200
            http  | localhost:8080          | 200
            http  | LOCALHOST               | 200
            http  | localhost.:8080         | 200
            http  | [::1]:8080              | 200
            http  | 192.168.1.7             | 200
            http  | evil.example            | 403
            http  | localhost.evil.example  | 403
            http  | 127.0.0.1.evil.example  | 403
            http  | evil.example:8080       | 403
            http  | mail.example.com        | 403
            https | mail.example.com        | 200
            https | MAIL.example.com        | 200
            https | mail.example.com:443    | 200
            https | mail.example.com:80     | 403
            https | mail.example.com:8443   | 403
            https | mail.example.com.       | 200
            https | Mail.Example.Com.:443   | 200
            https | mail.example.com:       | 200
            https | mail.example.com..      | 403
            https | mail.example.com.evil.example | 403
            https | x@mail.example.com      | 403
            https | mail.example.com:443:443 | 403
            https | [2001:db8::7]           | 200
            https | [2001:DB8:0::7]:8443    | 200
            https | [evil.example]          | 403
            https | 127.0.0.1:8080          | 200
            https | evil.example            | 403
            https | evilmail.example.com    | 403
            """)
    void onlyStetsHostsAreAccepted(String scheme, String host, int status) {
        Browser browser = scheme.equals("http") ? Browser.of(stet, ada) : Browser.of(named, eve);
        browser.cookie = scheme.equals("http") ? browser.cookie : "__Host-" + browser.cookie;
        for (Client.Reply reply : List.of(browser.get("/data/session", "Host: " + host),
                browser.post("/data/check", "{\"subject\":\"\",\"html\":\"\",\"samples\":{}}", "Host: " + host))) {
            assertEquals(status, reply.status(), reply.text());
            if (status == 403) {
                String expected = scheme.equals("http") ? stet.server.url().getAuthority() : "mail.example.com";
                assertEquals(unknown(host, expected), Json.tree(reply.text()).path("error").asText());
            }
        }
    }

    private static String unknown(String host, String expected) {
        return "Unknown host \"" + host + "\"; Stet expects \"" + expected
                + "\". Set --base-url to the URL that browsers use, and make sure that proxies pass on the Host header unchanged.";
    }

    /** Base URLs with and without a port, in other spellings; proxies may drop the port of an IPv6 address. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            https://mail.example.com:92    | mail.example.com:92
            https://mail.example.com:92    | MAIL.example.com.:92
            https://Mail.Example.com.:443  | mail.example.com
            http://mail.example.com        | mail.example.com:80
            http://mail.example.com:80     | mail.example.com
            https://[2001:db8::7]:92       | [2001:db8::7]
            """)
    void otherSpellingsOfTheHostAreAccepted(String baseUrl, String host) {
        try (Running other = new Running(baseUrl, null)) {
            Client.Reply reply = wrongPassword(other, baseUrl, host);
            assertEquals(422, reply.status(), reply.text());
        }
    }

    @ParameterizedTest(name = "{0}: {1}, expected {2}")
    @CsvSource(delimiter = '|', textBlock = """
            https://mail.example.com:92    | mail.example.com     | mail.example.com:92
            https://mail.example.com:92    | mail.example.com:443 | mail.example.com:92
            https://mail.example.com:92    | mail.example.com:80  | mail.example.com:92
            https://Mail.Example.com.:443  | mail.example.com:80  | mail.example.com
            http://mail.example.com        | mail.example.com:443 | mail.example.com
            https://[2001:db8::7]:92       | evil.example         | [2001:db8::7]:92
            """)
    void aRejectedHostIsReportedWithTheExpectedOne(String baseUrl, String host, String expected) {
        try (Running other = new Running(baseUrl, null)) {
            Client.Reply[] reply = new Client.Reply[1];
            String log = Running.logged(() -> reply[0] = wrongPassword(other, baseUrl, host));
            String error = unknown(host, expected);
            assertEquals("403 " + error, reply[0].status() + " " + Json.tree(reply[0].text()).path("error").asText());
            assertTrue(log.contains(" WARN request-rejected method=POST path=/data/session why=\"" + error.replace("\"", "\\\"")
                    + "\" address=127.0.0.1\n"), log);
        }
    }

    /** Signs in with a wrong password, which is a 422 if the host is accepted. */
    private static Client.Reply wrongPassword(Running other, String baseUrl, String host) {
        String origin = baseUrl.toLowerCase(Locale.ROOT).replaceFirst("\\.?(:443|:80)?$", "");
        String body = "{\"email\":\"a@example.com\",\"password\":\"x\"}";
        try (Client client = other.client()) {
            return client.write("POST /data/session HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + origin
                    + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body).read(false);
        }
    }

    @Test
    void aLongHostIsShortenedInTheResponse() {
        Client.Reply reply = Browser.of(named, eve).get("/data/session", "Host: " + "h".repeat(9_000));
        assertTrue(reply.status() == 403 && reply.body().length < 600 && reply.text().contains("h".repeat(200)), reply.text());
    }

    /** RFC 6797: only with https, on pages and API alike. */
    @Test
    void browsersKeepToHttps() {
        for (String path : List.of("/", "/docs", "/healthz", "/data/session", Running.TEMPLATES + "welcome", "/no-such")) {
            assertEquals("max-age=31536000", named.get(path, null).header("Strict-Transport-Security"), path);
            assertNull(stet.get(path, null).header("Strict-Transport-Security"), path);
        }
    }
}
