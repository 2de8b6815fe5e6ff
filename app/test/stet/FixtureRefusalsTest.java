package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Json;
import stet.base.Refusal;
import stet.fixture.Expectation;
import stet.harness.Client;
import stet.harness.Doubled;
import stet.harness.Running;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** Error messages of the test double's controls for invalid input, which changes nothing. */
class FixtureRefusalsTest {

    @RegisterExtension
    static final StetExtension DOUBLE = StetExtension.of(Doubled.DATA);
    private static final StetFixture fixture = DOUBLE.fixture();
    private static final Doubled stet = new Doubled(fixture.url());

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            POST   | /reset                 | {"all": true}                        | "all" is not a known field
            POST   | /reset                 | []                                   | The JSON must be an object
            PUT    | /clock                 | {}                                   | A clock needs exactly one of "now" (stopped), "from" (running) and "offset" (running)
            PUT    | /clock                 | {"now": "tomorrow"}                  | "tomorrow" is not a valid UTC time; enter a time such as 2026-01-31T09:00:00.000Z
            PUT    | /clock                 | {"now": "-0005-01-01T00:00:00Z"}     | The clock's time must be between the years 1970 and 9999
            PUT    | /clock                 | {"offset": "P99999Y"}                | The clock's time must be between the years 1970 and 9999
            PUT    | /clock                 | {"offset": "30 days"}                | "offset" is "30 days"; use a duration such as P30D or PT90S
            PUT    | /clock                 | {"now": "2026-01-01T00:00:00Z", "offset": "P1D"} | A clock needs exactly one of "now" (stopped), "from" (running) and "offset" (running)
            GET    | /clock?account=a&account=b | ``                               | "account" must have exactly one value
            GET    | /clock?bearer=x        | ``                                   | "bearer" is not a known parameter; known parameters: account
            PUT    | /clock                 | {"bearer": "x", "offset": "PT1H"}    | "bearer" is not a known field
            POST   | /faults                | {"account": 5, "status": 500}        | "account" must be a string
            GET    | /clock?acount=x        | ``                                   | "acount" is not a known parameter; known parameters: account
            POST   | /reset?hard=1          | ``                                   | "hard" is not a known parameter
            GET    | /accounts/pro@example.com?x | ``                              | "x" is not a known parameter
            POST   | /clock/advance         | {"by": "P"}                          | "by" is "P"; use a duration such as P30D or PT90S
            POST   | /clock/advance         | {}                                   | Specify either "by" with a duration, or "to" with "periodEnd"
            POST   | /clock/advance         | {"to": "periodEnd"}                  | "to" must be "periodEnd" and requires an "account"
            POST   | /clock/advance         | {"to": "periodEnd", "by": "P1D", "account": "pro@example.com"} | Specify either "by" with a duration, or "to" with "periodEnd"
            POST   | /clock/advance         | {"by": 5}                            | "by" must be a string
            POST   | /clock/advance         | {"by": "PT99999999999999H"}          | "by" is "PT99999999999999H", which moves the clock too far; use a shorter duration
            POST   | /faults                | {"status": 399}                      | "status" must be a whole number from 400 to 599
            POST   | /faults                | {"status": 600}                      | "status" must be a whole number from 400 to 599
            POST   | /faults                | {"drop": true, "body": "x"}          | "body" needs a "status"
            POST   | /faults                | {"drop": true, "headers": {"A": "1"}} | "headers" needs a "status"
            POST   | /faults                | {"status": 502, "type": "text/html"} | "type" requires a "body" and must be a media type such as "text/html"
            POST   | /faults                | {"status": 502, "body": "", "type": "html"} | "type" requires a "body" and must be a media type such as "text/html"
            POST   | /faults                | {"status": 404, "body": "", "error": "Not found"} | "error" requires status 404 without a "body" and must be "Not found" or "template_not_published"
            POST   | /faults                | {"status": 502, "headers": {"A b": ""}} | "headers" must not contain "A b"
            POST   | /faults                | {"status": 502, "headers": {"content-length": "1"}} | "headers" must not contain "content-length"
            POST   | /faults                | {"status": 502, "headers": {"Content-Type": "a/b"}} | "headers" cannot be combined with "Content-Type"; use "type"
            POST   | /faults                | {"status": 502, "retryAfter": 1, "headers": {"Retry-After": "1"}} | "headers" cannot be combined with "Retry-After"; use "retryAfter"
            POST   | /faults                | {"status": 502, "headers": {"A": "\\n"}} | "A" must be at most 1000 characters of printable ASCII
            POST   | /faults                | {"status": 502, "headers": {"A": 1}} | "headers.A" must be a string
            POST   | /faults                | {"status": "500"}                    | "status" must be a whole number from 400 to 599
            POST   | /faults                | {"status": 500, "time": 1}           | "time" is not a known field; did you mean "times"?
            POST   | /faults                | {"status": 500, "times": 0}          | "times" must be a whole number from 1 to 999999999
            POST   | /faults                | {"delayMs": 25001}                   | "delayMs" must be a whole number from 0 to 25000
            POST   | /faults                | {"drop": "yes"}                      | "drop" must be true or false
            POST   | /faults                | {"drop": true, "status": 500}        | "drop" cannot be combined with "status" because no bytes are sent
            POST   | /faults                | {"drop": true, "truncate": true}     | "truncate" cannot be combined with "drop"
            POST   | /faults                | {"never": true, "delayMs": 5}        | "never" cannot be combined with "delayMs" because no response is sent
            POST   | /faults                | {"drop": true, "bytesPerSecond": 5}  | "drop" cannot be combined with "bytesPerSecond" because no bytes are sent
            POST   | /faults                | {"bytesPerSecond": 0}                | "bytesPerSecond" must be a whole number from 1 to 999999999
            POST   | /faults                | {"delayMs": 50, "maxDelayMs": 49}    | "maxDelayMs" must be a whole number from 50 to 25000
            POST   | /faults                | {"status": 500, "after": -1}         | "after" must be a whole number from 0 to 999999999
            POST   | /faults                | {"status": 500, "error": "Not found"} | "error" requires status 404 without a "body" and must be "Not found" or "template_not_published"
            POST   | /faults                | {"status": 404, "error": "gone"}     | "error" requires status 404 without a "body" and must be "Not found" or "template_not_published"
            POST   | /faults                | {"delayMs": 5, "retryAfter": 9}      | "retryAfter" needs a "status"
            POST   | /faults                | {"status": 429, "retryAfter": 2678401} | "retryAfter" must be a whole number from 0 to 2678400
            POST   | /faults                | {"key": "k", "status": 500}          | "key" is not a known field
            POST   | /faults                | {"template": "a", "stat": 429}       | "stat" is not a known field
            POST   | /faults                | {"template": "a", "times": 2}        | A fault requires at least one of "status", "delayMs", "maxDelayMs", "drop", "truncate", "bytesPerSecond" and "never"
            POST   | /verify                | {"template": "a", "time": 1}         | "time" is not a known field; did you mean "times"?
            POST   | /verify                | {"times": 1, "never": true}          | Give only one of "times", "never" and a range ("atLeast", "atMost")
            POST   | /verify                | {"atLeast": 2, "atMost": 1}          | The number of requests must be at least 0, and atLeast must not exceed atMost
            POST   | /verify                | {"withinMs": 25001}                  | "withinMs" must be a whole number from 0 to 25000
            GET    | /requests?wait=0       | ``                                   | "wait" is "0", but must be a whole number from 1 to 10000
            GET    | /requests?status=abc   | ``                                   | "status" is "abc", but must be a whole number from 100 to 999
            GET    | /requests?template=a&template=b | ``                          | "template" must have exactly one value
            GET    | /requests?key=a        | ``                                   | "key" is not a known parameter; known parameters: account, bearer, keyName, limit, method, path, since, status, template, timeoutMs, wait
            DELETE | /requests?wait=1       | ``                                   | "wait" is not a known parameter; known parameters: account, bearer, keyName, method, path, status, template
            POST   | /accounts              | {"key": "short"}                     | A key must have 8 to 255 characters: A-Z a-z 0-9 - . _ ~ + /, and = only at the end
            POST   | /accounts              | {"clock": {}}                        | A clock needs exactly one of "now" (stopped), "from" (running) and "offset" (running)
            POST   | /accounts              | {"clock": {"offset": "P99999Y"}}     | The clock's time must be between the years 1970 and 9999
            POST   | /accounts/free@example.com/keys | {"name": "b"}               | free@example.com has reached its key limit (1); delete a key or raise the limit
            POST   | /accounts/pro@example.com/keys | {"key": "stet-free-key"}     | This key already exists; use another key
            POST   | /accounts/pro@example.com/keys/ci/rotate | {"key": "stet-free-key"} | This key already exists; use another key
            POST   | /accounts/pro@example.com/keys/ci/rotate | {"endsIn": "-P1D"} | "endsIn" must not be negative
            DELETE | /accounts/pro@example.com/blocks/footer | ``                  | The shared block "footer" is still used by welcome; remove it there first
            PUT    | /accounts/pro@example.com/templates/welcome | {"samples": {"a": 1}} | "samples.a" must be a string
            PUT    | /accounts/pro@example.com/templates/welcome | {"sets": {"a": 1}} | "sets.a" must be an object
            PUT    | /accounts/pro@example.com/templates/welcome | {"sets": {"a b": {}}} | "a b" is not a valid test data name; use 1 to 64 letters, digits, - and _, starting with a letter or digit
            PUT    | /accounts/pro@example.com/templates/welcome | {"sets": {"a": {}}, "defaultSamples": "b"} | Test data "b" not found
            PUT    | /accounts/pro@example.com/templates/welcome | {"sets": {"default": {}}, "samples": {"a": "1"}} | Both "samples" and a file define the test data "default"; remove one of them
            PATCH  | /accounts/pro@example.com | {"used": 1, "plan": "gold"}       | "gold" is not a plan; choose free, pro or none
            PATCH  | /accounts/pro@example.com | {"plan": "none", "used": -1}      | "used" must be a whole number from 0 to 999999999
            PATCH  | /accounts/pro@example.com | {"plan": "none", "emale": 1}      | "emale" is not a known field
            PATCH  | /accounts/pro@example.com | {"limits": {"reqs": 1}}           | "limits.reqs" is not a known field
            PATCH  | /accounts/pro@example.com | {"limits": 5}                     | "limits" must be an object
            POST   | /accounts              | {"email": "pro@example.com"}         | An account for pro@example.com already exists
            POST   | /accounts              | {"email": "nobody"}                  | "nobody" is not a valid email address; enter an address such as ada@example.com
            POST   | /accounts              | {"templates": {"a b": {}}}           | "a b" is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit
            POST   | /accounts              | {"templates": {"a": {"text": ""}}}   | "templates.a.text" is not a known field
            PUT    | /accounts/pro@example.com/templates/welcome | {"html": "{{x"} | line 1: "{{" is not closed
            PUT    | /accounts/pro@example.com/blocks/footer | {}                  | "html" is missing
            """)
    void badInputIsNamedAndChangesNothing(String method, String path, String json, String sentence) {
        String before = stet.done("GET", "/accounts", "");
        Client.Reply reply = stet.control(method, path, json);
        JsonNode body = Json.readObject(reply.body());
        assertEquals(400, reply.status(), reply.text());
        assertEquals(sentence, body.get("error").textValue());
        assertEquals(1, body.size());
        assertEquals(before, stet.done("GET", "/accounts", ""));
        assertEquals("{\"faults\":[]}", stet.done("GET", "/faults", ""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            GET    | /accounts/nobody@other.org                    | ``  | Account nobody@other.org not found
            PATCH  | /accounts/fre@example.com                    | ``  | Account fre@example.com not found; did you mean free@example.com?
            DELETE | /accounts/nobody@other.org                    | ``  | Account nobody@other.org not found
            POST   | /accounts/nobody@other.org/reset               | ``  | Account nobody@other.org was neither loaded at startup nor added
            GET    | /accounts/nobody@other.org/keys                | ``  | Account nobody@other.org not found
            POST   | /accounts/nobody@other.org/keys                | ``  | Account nobody@other.org not found
            DELETE | /accounts/pro@example.com/keys/no            | ``  | pro@example.com has no key "no"
            POST   | /accounts/pro@example.com/keys/no/rotate     | ``  | pro@example.com has no key "no"
            PUT    | /accounts/nobody@other.org/templates/welcome   | ``  | Account nobody@other.org not found
            GET    | /accounts/pro@example.com/templates/no       | ``  | pro@example.com has no template "no"
            DELETE | /accounts/pro@example.com/templates/no       | ``  | pro@example.com has no template "no"
            PUT    | /accounts/nobody@other.org/blocks/footer       | ``  | Account nobody@other.org not found
            GET    | /accounts/pro@example.com/blocks/no          | ``  | pro@example.com has no shared block "no"
            DELETE | /accounts/pro@example.com/blocks/no          | ``  | pro@example.com has no shared block "no"
            GET    | /clock?account=nobody@other.org               | ``  | Account nobody@other.org not found
            DELETE | /clock?account=nobody@other.org               | ``  | Account nobody@other.org not found
            PUT    | /clock         | {"offset": "P1D", "account": "x@y.z"} | Account x@y.z not found
            POST   | /clock/advance | {"by": "P1D", "account": "x@y.z"} | Account x@y.z not found
            POST   | /faults        | {"status": 500, "account": "x@y.z"} | Account x@y.z not found
            POST   | /faults        | {"status": 500, "bearer": "stet-no-key"} | No account in this test double has the key stet-...; use "bearer" for the key itself and "keyName" for its name
            DELETE | /faults?account=x@y.z                        | ``  | Account x@y.z not found
            DELETE | /faults/7                                    | ``  | Fault 7 not found
            GET    | /requests?account=x@y.z                      | ``  | Account x@y.z not found
            GET    | /requests?bearer=ci                          | ``  | No account in this test double has the key ci; use "bearer" for the key itself and "keyName" for its name
            GET    | /requests?keyName=cI                         | ``  | No account in this test double has a key named "cI"
            GET    | /requests?keyName=free&account=pro@example.com | ``  | No account in this test double has a key named "free"
            DELETE | /requests?bearer=stet-no-key                 | ``  | No account in this test double has the key stet-...; use "bearer" for the key itself and "keyName" for its name
            POST   | /verify | {"account": "x@y.z", "never": true} | Account x@y.z not found
            POST   | /verify | {"keyName": "c", "never": true} | No account in this test double has a key named "c"
            POST   | /verify | {"bearer": "stet-no-key", "never": true} | No account in this test double has the key stet-...; use "bearer" for the key itself and "keyName" for its name
            GET    | /no-such                                     | ``  | Unknown control /_fixture/no-such
            """)
    void whatIsNotThereIsNotFound(String method, String path, String json, String sentence) {
        Client.Reply reply = stet.control(method, path, json);
        assertEquals("404 " + sentence, reply.status() + " " + Json.readObject(reply.body()).get("error").textValue());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            GET    | /reset                               | POST
            POST   | /clock                               | GET, HEAD, PUT, DELETE
            GET    | /clock/advance                       | POST
            PATCH  | /faults                              | GET, HEAD, POST, DELETE
            GET    | /faults/1                            | DELETE
            POST   | /requests                            | GET, HEAD, DELETE
            GET    | /verify                              | POST
            DELETE | /accounts                            | GET, HEAD, POST
            PUT    | /accounts/pro@example.com            | GET, HEAD, PATCH, DELETE
            POST   | /accounts/pro@example.com/templates/x | GET, HEAD, PUT, DELETE
            PUT    | /accounts/pro@example.com/keys       | GET, HEAD, POST
            OPTIONS | /reset                              | POST
            """)
    void anotherMethodIsToldThoseThereAre(String method, String path, String methods) {
        Client.Reply reply = stet.control(method, path, "");
        assertEquals("405 " + methods + " {\"error\":\"This control accepts " + methods + "\"}",
                reply.status() + " " + reply.header("Allow") + " " + reply.text());
    }

    /** The Java API also rejects a typo instead of treating it as "no requests" or "done". */
    @Test
    void aTypoInJavaIsRefused() {
        Expectation account = Expectation.requests().account("x@y.z").never();
        Expectation bearer = Expectation.requests().bearer("stet-no-key").never();
        List<Executable> typos = List.of(() -> fixture.verify(account), () -> fixture.verify(bearer),
                () -> fixture.requests().list(account), () -> fixture.requests().clear(bearer),
                () -> fixture.clock().follow("x@y.z"), () -> fixture.faults().clear("stet-no-key"));
        for (Executable typo : typos) {
            assertThrows(Refusal.class, typo);
        }
    }

    @Test
    void inProductionThereAreNoControls() {
        try (Running production = new Running()) {
            Doubled other = new Doubled(production.server.url());
            for (String route : List.of("GET ", "POST /reset", "GET /clock", "PUT /clock", "POST /clock/advance", "POST /faults",
                    "GET /faults", "DELETE /faults", "GET /requests", "DELETE /requests", "POST /verify", "POST /accounts", "GET /accounts/a@b.c",
                    "PATCH /accounts/a@b.c", "PUT /accounts/a@b.c/templates/x", "DELETE /accounts/a@b.c/templates/x",
                    "PUT /accounts/a@b.c/blocks/x", "POST /accounts/a@b.c/keys", "GET /assets/1/fixture.js")) {
                Client.Reply reply = other.control(route.split(" ")[0], route.substring(route.indexOf(' ') + 1), "{}");
                assertEquals("404 {\"error\":\"Not found\"}", reply.status() + " " + reply.text(), route);
            }
        }
    }
}
