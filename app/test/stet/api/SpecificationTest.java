package stet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Secret;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Client;
import stet.harness.Running;

/** The API over HTTP, row by row, ordered by the headings of api.md. */
class SpecificationTest {
    private static final String NO_KEY = "";

    @AutoClose
    private static final Running stet = new Running();
    private static final Map<String, String> KEYS = new HashMap<>();

    @BeforeAll
    static void fill() {
        Account pro = stet.account("pro@example.com", Plan.PRO);
        stet.block(pro, "footer", "<i>{{company}}</i>");
        stet.draft(pro, "welcome", "Welcome", "Hi {{name}}", "<p>{{ name }} {{> footer}}</p>\n");
        stet.publish(pro, "welcome");
        stet.template(pro, "silent", "<p>\u00e9\u2713</p>");
        stet.template(pro, "blank", "");
        stet.template(pro, "edited", "<p>published</p>");
        stet.draft(pro, "unborn", "Unborn", "", "<p>a draft</p>");
        stet.clock.advance(Duration.ofMillis(7));
        stet.draft(pro, "edited", "Renamed", "New", "<p>draft {{new}}</p>");

        Account free = stet.account("free@example.com", Plan.FREE);
        stet.template(free, "foreign", "<p>secret</p>");
        stet.draft(free, "foreign-draft", "Foreign", "", "<p>secret</p>");
        Account none = stet.account("none@example.com", Plan.NONE);
        stet.template(none, "welcome", "<p>none</p>");
        Account exhausted = stet.account("exhausted@example.com", Plan.FREE);
        stet.template(exhausted, "welcome", "<p>exhausted</p>");
        stet.db.change(dao -> dao.usage().set(exhausted, exhausted.createdAt(), 100));

        for (Account account : new Account[] {pro, free, none, exhausted}) {
            KEYS.put(account.name().replaceAll("@.*", ""), stet.key(account));
        }
        String deleted = stet.key(pro);
        stet.db.change(dao -> dao.keys().list(pro.id()).stream().reduce((first, last) -> last)
                .ifPresent(key -> dao.keys().delete(pro.id(), key.id(), stet.now())));
        KEYS.put("deleted", deleted);
        KEYS.put("ended", ended(pro));
        stet.limit(none, 100);
        KEYS.put("ended-none", ended(stet.account(none.name())));
        KEYS.put("unknown", "stet-no-such-key");
        KEYS.put("mistyped", KEYS.get("pro").substring(0, 42) + (KEYS.get("pro").endsWith("x") ? "y" : "x"));
        KEYS.put("-", null);
    }

    /** A rotated key that has expired. */
    private static String ended(Account account) {
        String ended = stet.key(account);
        stet.db.change(dao -> dao.keys().list(account.id()).stream().reduce((first, last) -> last)
                .ifPresent(key -> dao.keys().rotate(account, key.id(), Secret.newKey(new SecureRandom()), stet.now(), stet.now())));
        return ended;
    }

    @ParameterizedTest(name = "[{index}] {0} {1} {2} is {3}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # key     | method | path                                     | status | content type             | whole body | counted
            # The format
            pro       | GET    | /api/v1/templates/welcome                  | 200 | application/json         | {"id":"welcome","name":"Welcome","subject":"Hi {{name}}","html":"<p>{{ name }} <i>{{company}}</i></p>\\n","variables":["name","company"],"updatedAt":"2026-01-31T09:00:00.000Z"} | 1
            pro       | GET    | /api/v1/templates/welcome?format=html      | 200 | text/html; charset=utf-8 | `<p>{{ name }} <i>{{company}}</i></p>
            ` | 1
            pro       | GET    | /api/v1/templates/welcome?format=variables | 200 | application/json         | {"variables":["name","company"]} | 1
            # The template: an empty string if the version was published without a subject; updatedAt includes draft edits
            pro       | GET    | /api/v1/templates/silent                   | 200 | application/json         | {"id":"silent","name":"silent","subject":"","html":"<p>\u00e9\u2713</p>","variables":[],"updatedAt":"2026-01-31T09:00:00.000Z"} | 1
            pro       | GET    | /api/v1/templates/silent?format=html       | 200 | text/html; charset=utf-8 | <p>\u00e9\u2713</p> | 1
            pro       | GET    | /api/v1/templates/silent?format=variables  | 200 | application/json         | {"variables":[]} | 1
            pro       | GET    | /api/v1/templates/blank?format=html        | 200 | text/html; charset=utf-8 | `` | 1
            pro       | GET    | /api/v1/templates/edited                   | 200 | application/json         | {"id":"edited","name":"Renamed","subject":"","html":"<p>published</p>","variables":[],"updatedAt":"2026-01-31T09:00:00.007Z"} | 1
            pro       | GET    | /api/v1/templates/edited?format=html       | 200 | text/html; charset=utf-8 | <p>published</p> | 1
            # The key
            -         | GET    | /api/v1/templates/welcome                  | 401 | text/plain; charset=utf-8 | Missing API key | 0
            -         | GET    | /api/v1/templates/no-such                  | 401 | text/plain; charset=utf-8 | Missing API key | 0
            unknown   | GET    | /api/v1/templates/welcome                  | 401 | text/plain; charset=utf-8 | Invalid API key | 0
            mistyped  | GET    | /api/v1/templates/welcome                  | 401 | text/plain; charset=utf-8 | Invalid API key | 0
            deleted   | GET    | /api/v1/templates/welcome                  | 401 | text/plain; charset=utf-8 | Invalid API key | 0
            none      | GET    | /api/v1/templates/welcome                  | 403 | text/plain; charset=utf-8 | No active subscription found | 0
            none      | GET    | /api/v1/templates/no-such                  | 403 | text/plain; charset=utf-8 | No active subscription found | 0
            # Quota: both 404s of templates count
            pro       | GET    | /api/v1/templates/no-such                  | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/foreign                  | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/foreign-draft            | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/unborn                   | 404 | application/json         | {"error":"template_not_published"} | 1
            pro       | GET    | /api/v1/templates/unborn?format=html       | 404 | application/json         | {"error":"template_not_published"} | 1
            pro       | GET    | /api/v1/templates/no-such?format=variables | 404 | application/json         | {"error":"Not found"} | 1
            exhausted | GET    | /api/v1/templates/welcome                  | 429 | text/plain; charset=utf-8 | Plan limit exceeded | 0
            # The order of checks
            exhausted | GET    | /api/v1/templates/no-such                  | 429 | text/plain; charset=utf-8 | Plan limit exceeded | 0
            exhausted | GET    | /api/v1/templates/welcome?format=htm       | 429 | text/plain; charset=utf-8 | Plan limit exceeded | 0
            exhausted | GET    | /api/v1/templates/no-such?format=htm       | 429 | text/plain; charset=utf-8 | Plan limit exceeded | 0
            ended     | GET    | /api/v1/templates/welcome                  | 401 | text/plain; charset=utf-8 | Invalid API key | 0
            ended     | GET    | /api/v1/templates/no-such?format=htm       | 401 | text/plain; charset=utf-8 | Invalid API key | 0
            ended-none | GET   | /api/v1/templates/welcome?format=htm       | 401 | text/plain; charset=utf-8 | Invalid API key | 0
            pro       | GET    | /api/v1/templates/unborn?format=htm        | 404 | application/json         | {"error":"template_not_published"} | 1
            none      | GET    | /api/v1/templates/welcome?format=htm       | 403 | text/plain; charset=utf-8 | No active subscription found | 0
            unknown   | GET    | /api/v1/templates/welcome?format=htm       | 401 | text/plain; charset=utf-8 | Invalid API key | 0
            -         | GET    | /api/v1/templates/welcome?format=htm       | 401 | text/plain; charset=utf-8 | Missing API key | 0
            # The format: anything else is unknown, empty or repeated; never 500
            pro       | GET    | /api/v1/templates/welcome?format=          | 400 | application/json         | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format           | 400 | application/json         | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format=HTML      | 400 | application/json         | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format=xml       | 400 | application/json         | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format=json      | 400 | application/json         | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format=html%20   | 400 | application/json         | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format=%C0%AF    | 400 | application/json         | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format=html&format=html      | 400 | application/json | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format=html&format=variables | 400 | application/json | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format[]=html    | 400 | application/json         | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/welcome?format%5B%5D=xml | 400 | application/json         | {"error":"invalid_format"} | 0
            pro       | GET    | /api/v1/templates/no-such?format=xml       | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/silent?other=x&%66ormat=variables | 200 | application/json | {"variables":[]} | 1
            pro       | GET    | /api/v1/templates/silent?format=%76ariables | 200 | application/json        | {"variables":[]} | 1
            pro       | GET    | /api/v1/templates/silent?Format=xml&formatted=1 | 200 | application/json    | {"id":"silent","name":"silent","subject":"","html":"<p>\u00e9\u2713</p>","variables":[],"updatedAt":"2026-01-31T09:00:00.000Z"} | 1
            # The order of checks: other methods on the template path, before the key is looked at
            -         | POST   | /api/v1/templates/welcome                  | 405 | application/json         | {"error":"Method not allowed"} | 0
            pro       | POST   | /api/v1/templates/welcome                  | 405 | application/json         | {"error":"Method not allowed"} | 0
            pro       | PUT    | /api/v1/templates/welcome                  | 405 | application/json         | {"error":"Method not allowed"} | 0
            pro       | DELETE | /api/v1/templates/welcome                  | 405 | application/json         | {"error":"Method not allowed"} | 0
            -         | PATCH  | /api/v1/templates/no-such                  | 405 | application/json         | {"error":"Method not allowed"} | 0
            -         | OPTIONS| /api/v1/templates/welcome                  | 405 | application/json         | {"error":"Method not allowed"} | 0
            pro       | TRACE  | /api/v1/templates/welcome                  | 405 | application/json         | {"error":"Method not allowed"} | 0
            pro       | get    | /api/v1/templates/welcome                  | 405 | application/json         | {"error":"Method not allowed"} | 0
            pro       | BREW   | /api/v1/templates/welcome?format=htm       | 405 | application/json         | {"error":"Method not allowed"} | 0
            # other paths
            pro       | GET    | /api/v1/templates                          | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /api/v1                                    | 404 | application/json         | {"error":"Not found"} | 0
            -         | GET    | /api/v1/                                   | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /api/v2/templates/welcome                  | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /api/v1/Templates/welcome                  | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /api/v1/templates/welcome/html             | 404 | application/json         | {"error":"Not found"} | 0
            pro       | POST   | /api/v1/other                              | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /template/welcome                          | 404 | application/json         | {"error":"Not found"} | 0
            # The id: paths that only look like the endpoint's; another spelling of the same id is the same id
            pro       | GET    | /api/v1/templates/welcome/                 | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /api/v1/templates//welcome                 | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /api/v1/templates/                         | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /api%2Fv1/templates/welcome                | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /x/../api/v1/templates/welcome             | 404 | application/json         | {"error":"Not found"} | 0
            pro       | GET    | /api/v1/templates/../templates/welcome     | 404 | application/json         | {"error":"Not found"} | 0
            # The id: one that no template can have is an unknown id like any other
            pro       | GET    | /api/v1/templates/a%2Fb                    | 404 | application/json         | {"error":"Not found"} | 1
            -         | GET    | /api/v1/templates/a%2Fb                    | 401 | text/plain; charset=utf-8 | Missing API key | 0
            exhausted | GET    | /api/v1/templates/a%2Fb                    | 429 | text/plain; charset=utf-8 | Plan limit exceeded | 0
            none      | GET    | /api/v1/templates/a%00b                    | 403 | text/plain; charset=utf-8 | No active subscription found | 0
            pro       | POST   | /api/v1/templates/a%2Fb                    | 405 | application/json         | {"error":"Method not allowed"} | 0
            pro       | GET    | /api/v1/templates/a%00b                    | 404 | application/json         | {"error":"Not found"} | 1
            -         | GET    | /api/v1/templates/a%00b                    | 401 | text/plain; charset=utf-8 | Missing API key | 0
            pro       | GET    | /api/v1/templates/welcome%00               | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/welcome%2F..             | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/%C0%AF                   | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/%FF?format=htm           | 404 | application/json         | {"error":"Not found"} | 1
            unknown   | GET    | /api/v1/templates/%FF                      | 401 | text/plain; charset=utf-8 | Invalid API key | 0
            pro       | GET    | /api/v1/templates/300-LETTERS              | 404 | application/json         | {"error":"Not found"} | 1
            -         | GET    | /api/v1/templates/300-LETTERS              | 401 | text/plain; charset=utf-8 | Missing API key | 0
            pro       | GET    | /api/v1/templates/..                       | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/a.b                      | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/%25                      | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/%F0%9F%93%A7             | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/WELCOME                  | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/:id                      | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/welcome%20               | 404 | application/json         | {"error":"Not found"} | 1
            pro       | GET    | /api/v1/templates/%73ilent?format=variables| 200 | application/json         | {"variables":[]} | 1
            # operation
            -         | GET    | /healthz                                   | 200 | application/json         | {"status":"ok"} | 0
            """)
    void theApiRespondsAsSpecified(String key, String method, String path, int status, String type, String body, int counted) {
        long before = used();
        Client.Reply reply = stet.send(method, path.replace("300-LETTERS", "i".repeat(300)), KEYS.get(key));
        assertEquals(status, reply.status());
        assertEquals(type, reply.header("Content-Type"));
        assertEquals(body, reply.text());
        assertEquals(Integer.toString(reply.body().length), reply.header("Content-Length"));
        assertEquals(counted, used() - before, "counted");
        assertHeadersOf(reply);
    }

    /** Checks the headers of each status (api.md, Headers). */
    private static void assertHeadersOf(Client.Reply reply) {
        int status = reply.status();
        assertEquals("nosniff", reply.header("X-Content-Type-Options"));
        assertEquals(challenge(reply), reply.header("WWW-Authenticate"));
        assertEquals(status == 405 ? "GET, HEAD" : null, reply.header("Allow"));
        boolean version = status == 200 && !reply.text().equals("{\"status\":\"ok\"}");
        assertEquals(version ? "private, no-cache" : "no-store", reply.header("Cache-Control"));
        assertEquals(version ? '"' + reply.sha256() + '"' : null, reply.header("ETag"));
        assertNull(reply.header("Access-Control-Allow-Origin"));
        assertNull(reply.header("Transfer-Encoding"));
        assertNull(reply.header("Set-Cookie"));
        assertEquals(status == 429 ? "2592000" : null, reply.header("Retry-After"));
        assertTrue(status != 429 || "\"monthly\";r=0;t=2592000".equals(reply.header("RateLimit")), reply.header("RateLimit"));
    }

    /** RFC 6750, 3.1: a request without a key gets no error code. */
    private static String challenge(Client.Reply reply) {
        return reply.status() != 401 ? null
                : "Bearer realm=\"stet\"" + (reply.text().equals("Missing API key") ? "" : ", error=\"invalid_token\"");
    }

    /** Other methods on the paths beside the API (RFC 9110, 15.5.6); the paths of the pages' data are internal. */
    @ParameterizedTest(name = "{0} {1} is {2}")
    @CsvSource(delimiter = '|', textBlock = """
            POST    | /healthz                       | 405 | GET, HEAD
            PUT     | /healthz                       | 405 | GET, HEAD
            OPTIONS | /healthz                       | 405 | GET, HEAD
            DELETE  | /                              | 405 | GET, HEAD
            POST    | /docs                          | 405 | GET, HEAD
            POST    | /docs/api                      | 405 | GET, HEAD
            POST    | /signin                        | 405 | GET, HEAD
            PATCH   | /templates/welcome             | 405 | GET, HEAD
            PUT     | /assets/x/app.js               | 405 | GET, HEAD
            POST    | /review                        | 405 | GET, HEAD
            PUT     | /push                          | 405 | GET, HEAD, POST
            POST    | /pull                          | 405 | GET, HEAD
            GET     | /push/templates/welcome/rollback | 405 | POST
            DELETE  | /push/templates/welcome/versions | 405 | GET, HEAD
            POST    | /no-such                       | 404 |
            POST    | /healthz/x                     | 404 |
            PATCH   | /data/templates                | 404 |
            """)
    void otherMethodsGet405OnPublicPaths(String method, String path, int status, String allowed) {
        Client.Reply reply = stet.send(method, path, null);
        assertEquals(status, reply.status());
        assertEquals(allowed, reply.header("Allow"));
        assertEquals(status == 405 ? "{\"error\":\"Method not allowed\"}" : "{\"error\":\"Not found\"}", reply.text());
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(delimiter = '|', textBlock = """
            welcome                  | 200
            welcome?format=html      | 200
            welcome?format=variables | 200
            blank?format=html        | 200
            no-such                  | 404
            unborn                   | 404
            welcome?format=xml       | 400
            """)
    void headIsGetWithoutTheBody(String path, int status) {
        assertHead(path, KEYS.get("pro"), status, status == 400 ? 0 : 1);
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(delimiter = '|', textBlock = """
            -         | 401
            unknown   | 401
            none      | 403
            exhausted | 429
            """)
    void headIsRefusedAsGetIs(String key, int status) {
        assertHead("welcome", KEYS.get(key), status, 0);
    }

    /** api.md, The request: HEAD is handled like GET. */
    private static void assertHead(String path, String key, int status, int counted) {
        Client.Reply get = stet.get(Running.TEMPLATES + path, key);
        long before = used();
        try (Client client = new Client(stet.server.address())) {
            Client.Reply head = client.send("HEAD", Running.TEMPLATES + path, key);
            assertEquals(status, head.status());
            assertEquals(get.status(), head.status());
            assertEquals(steadyHeaders(get), steadyHeaders(head));
            assertEquals(Integer.toString(get.body().length), head.header("Content-Length"));
            assertEquals(counted, used() - before);
            // No body precedes the next response.
            assertEquals(200, client.get("/healthz", null).status());
        }
    }

    /** The headers that do not change from one request to the next. */
    private static Map<String, String> steadyHeaders(Client.Reply reply) {
        Map<String, String> headers = new HashMap<>(reply.headers());
        headers.remove("date");
        headers.computeIfPresent("ratelimit", (name, value) -> value.replaceAll("r=\\d+", "r"));
        return headers;
    }

    @ParameterizedTest(name = "If-None-Match: {0} is {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            TAG                   | 304
            W/TAG                 | 304
            *                     | 304
            "other", TAG          | 304
            "other",W/TAG,"third" | 304
            "other"               | 200
            TAGx                  | 200
            bare                  | 200
            JSONTAG               | 200
            """)
    void ifNoneMatchRevalidates(String condition, int status) {
        String path = Running.TEMPLATES + "welcome?format=html";
        Client.Reply plain = stet.get(path, KEYS.get("pro"));
        String other = stet.get(Running.TEMPLATES + "welcome", KEYS.get("pro")).header("ETag");
        assertNotEquals(other, plain.header("ETag"));
        String value = condition.replace("JSONTAG", other).replace("TAG", plain.header("ETag"))
                .replace("bare", plain.header("ETag").replace("\"", ""));
        for (String method : new String[] {"GET", "HEAD"}) {
            long before = used();
            try (Client client = new Client(stet.server.address())) {
                Client.Reply reply = client.send(method, path, KEYS.get("pro"), "If-None-Match: " + value);
                assertEquals(status, reply.status());
                assertEquals(1, used() - before, "a 304 counts as a 200 does");
                assertEquals(plain.header("ETag"), reply.header("ETag"));
                assertEquals("private, no-cache", reply.header("Cache-Control"));
                assertEquals("nosniff", reply.header("X-Content-Type-Options"));
                assertTrue(reply.header("RateLimit") != null);
                assertEquals(status == 304, reply.header("Content-Type") == null);
                // RFC 9110, 8.6: the Content-Length of a 304 would have to match the 200's.
                String length = reply.header("Content-Length");
                assertTrue(length == null || length.equals(plain.header("Content-Length")), length);
                assertEquals(200, client.get("/healthz", null).status());
            }
        }
    }

    @ParameterizedTest(name = "{0} with If-None-Match: * stays {1}")
    @CsvSource(delimiter = '|', textBlock = """
            pro       | no-such            | 404
            pro       | unborn             | 404
            pro       | welcome?format=xml | 400
            exhausted | welcome            | 429
            none      | welcome            | 403
            -         | welcome            | 401
            """)
    void onlyA200BecomesA304(String key, String path, int status) {
        assertEquals(status, stet.get(Running.TEMPLATES + path, KEYS.get(key), "If-None-Match: *").status());
    }

    /** RFC 9110, 13.1.1: a strong comparison, evaluated before If-None-Match (13.2.2). A 412 is not counted. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            If-Match: TAG                            | 200
            If-Match: *                              | 200
            If-Match: "other", TAG                   | 200
            If-Match: "other"~If-Match: TAG          | 200
            if-match:TAG                             | 200
            If-Match: "other"                        | 412
            If-Match: W/TAG                          | 412
            If-Match: bare                           | 412
            If-Match: JSONTAG                        | 412
            If-Match:                                | 412
            If-Match: TAG~If-None-Match: "other"     | 200
            If-Match: TAG~If-None-Match: TAG         | 304
            If-Match: "other"~If-None-Match: TAG     | 412
            If-Match: "other"~If-None-Match: "other" | 412
            """)
    void ifMatchIsComparedFirstAndStrongly(String conditions, int status) {
        String path = Running.TEMPLATES + "welcome?format=html";
        String tag = stet.get(path, KEYS.get("pro")).header("ETag");
        String[] lines = conditions.replace("JSONTAG", stet.get(Running.TEMPLATES + "welcome", KEYS.get("pro")).header("ETag"))
                .replace("TAG", tag).replace("bare", tag.replace("\"", "")).split("~");
        for (String method : new String[] {"GET", "HEAD"}) {
            long before = used();
            Client.Reply reply = stet.send(method, path, KEYS.get("pro"), lines);
            assertEquals(status, reply.status());
            assertEquals(status == 412 ? 0 : 1, used() - before);
            assertEquals(status == 412 ? null : tag, reply.header("ETag"));
            assertEquals(status == 412, reply.header("RateLimit") == null);
            boolean hasError = reply.text().equals("{\"error\":\"Precondition failed\"}");
            assertEquals(status == 412 && method.equals("GET"), hasError);
        }
    }

    @ParameterizedTest(name = "{0} {1} with If-Match stays {2}")
    @CsvSource(delimiter = '|', textBlock = """
            pro       | no-such            | 404
            pro       | unborn             | 404
            pro       | welcome?format=xml | 400
            exhausted | welcome            | 429
            none      | welcome            | 403
            -         | welcome            | 401
            """)
    void onlyA200BecomesA412(String key, String path, int status) {
        assertEquals(status, stet.get(Running.TEMPLATES + path, KEYS.get(key), "If-Match: \"other\"").status());
    }

    @Test
    void ifMatchIsAlsoEvaluatedForDocuments() {
        String tag = stet.get("/docs/api", null).header("ETag");
        assertEquals(200, stet.get("/docs/api", null, "If-Match: " + tag).status());
        assertEquals(412, stet.get("/docs/api", null, "If-Match: \"other\"").status());
    }

    @Test
    void severalLinesOfIfNoneMatchAreOneList() {
        String path = Running.TEMPLATES + "welcome";
        String tag = stet.get(path, KEYS.get("pro")).header("ETag");
        assertEquals(304, stet.get(path, KEYS.get("pro"), "If-None-Match: \"other\"", "If-None-Match: " + tag).status());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # plan | requests | seconds of 30 days, and from January 31 to February 28
            FREE   | 100      | 2592000
            PRO    | 5000     | 2419200
            """)
    void quotaHeadersSayWhatIsLeftAndForHowLong(Plan plan, int requests, int seconds) {
        Account account = stet.account("quota-" + plan + "@example.com", plan);
        stet.template(account, "welcome", "<p>hi</p>");
        String key = stet.key(account);
        String[] paths = {"welcome", "no-such", "welcome?format=html"};
        for (int used = 1; used <= 3; used++) {
            Client.Reply reply = stet.get(Running.TEMPLATES + paths[used - 1], key);
            assertEquals("\"monthly\";q=" + requests + ";w=" + seconds, reply.header("RateLimit-Policy"));
            assertEquals("\"monthly\";r=" + (requests - used) + ";t=" + seconds, reply.header("RateLimit"));
        }
        for (String path : new String[] {"welcome?format=xml", "a/b"}) {
            assertNull(stet.get(Running.TEMPLATES + path, key).header("RateLimit"));
        }
    }

    @Test
    void authoredHtmlIsNotRunInThisOrigin() {
        assertEquals("sandbox; default-src 'none'",
                stet.get(Running.TEMPLATES + "welcome?format=html", KEYS.get("pro")).header("Content-Security-Policy"));
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # api.md, The key
            no Authorization                   | `` | 401 | Missing API key
            empty                              | `Authorization:` | 401 | Invalid API key
            another scheme                     | `Authorization: Basic x` | 401 | Invalid API key
            the scheme alone                   | `Authorization: Bearer` | 401 | Invalid API key
            the scheme and a space             | `Authorization: Bearer ` | 401 | Invalid API key
            the key alone                      | `Authorization: KEY` | 401 | Invalid API key
            no blank                           | `Authorization: BearerKEY` | 401 | Invalid API key
            two lines                          | `Authorization: Bearer KEY~Authorization: Bearer KEY` | 401 | Invalid API key
            a list                             | `Authorization: Bearer KEY, Bearer KEY` | 401 | Invalid API key
            two tokens                         | `Authorization: Bearer KEY KEY` | 401 | Invalid API key
            a quoted key                       | `Authorization: Bearer "KEY"` | 401 | Invalid API key
            10 KB                              | `Authorization: Bearer LONG` | 401 | Invalid API key
            not ASCII                          | `Authorization: Bearer \u00e9\u00ff\u0080` | 401 | Invalid API key
            padding alone                      | `Authorization: Bearer ====` | 401 | Invalid API key
            lower case scheme                  | `Authorization: bearer KEY` | 200 | {"variables":[]}
            several spaces                     | `Authorization: BEARER   KEY` | 200 | {"variables":[]}
            spaces behind                      | `Authorization: Bearer KEY   ` | 200 | {"variables":[]}
            lower case header                  | `authorization:Bearer KEY` | 200 | {"variables":[]}
            in a cookie                        | `Cookie: api_key=KEY` | 401 | Missing API key
            in another header                  | `X-Api-Key: KEY` | 401 | Missing API key
            a session without a key            | `Cookie: __Host-stet=0123456789; stet=0123456789` | 401 | Missing API key
            """)
    void onlyOneWellFormedBearerKeyIsAccepted(String name, String lines, int status, String body) {
        String sent = lines.replace("KEY", KEYS.get("pro")).replace("LONG", "k".repeat(10_000));
        long before = used();
        Client.Reply[] reply = new Client.Reply[1];
        String log = Running.logged(() -> reply[0] = stet.get(Running.TEMPLATES + "silent?format=variables", null,
                sent.isEmpty() ? new String[0] : sent.split("~")));
        assertEquals(status, reply[0].status());
        assertEquals(body, reply[0].text());
        assertEquals(challenge(reply[0]), reply[0].header("WWW-Authenticate"));
        assertEquals(status == 200 ? 1 : 0, used() - before);
        assertEquals("", log);
    }

    @Test
    void aKeyInTheQueryOrTheBodyIsMissing() {
        long before = used();
        String path = Running.TEMPLATES + "silent?api_key=" + KEYS.get("pro");
        assertEquals("Missing API key", stet.get(path, null).text());
        try (Client client = new Client(stet.server.address())) {
            String body = "Authorization: Bearer " + KEYS.get("pro");
            client.write(client.request("GET", Running.TEMPLATES + "silent", null, "Content-Length: " + body.length()) + body);
            assertEquals("Missing API key", client.read(false).text());
        }
        assertEquals(before, used());
    }

    /** Requests used by all accounts together. */
    private static long used() {
        return stet.db.read(dao -> dao.accounts().list()).stream()
                .mapToLong(account -> account.plan() == Plan.NONE ? 0 : stet.used(account)).sum();
    }
}
