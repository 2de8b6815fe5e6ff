package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code Retry-After} as servers and proxies may send it (RFC 9110, 10.2.3), and which requests are repeated; OddServerTest tests all else of {@link ServerClient}. */
class ServerClientTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            0                             | 0
            2                             | 2
            10                            | 10
            11                            | 10
            86400                         | 10
            000000000000000007            | 10
            999999999                     | 10
            9999999999                    | 10
            99999999999999999999999999999 | 10
            ``                            | 1
            -5                            | 1
            +5                            | 1
            1.5                           | 1
            1e9                           | 1
            5 s                           | 1
            Sat, 31 Jan 2026 09:00:00 GMT | 1
            \u0663                        | 1
            """)
    void thePauseIsTheServersAtMostTenSeconds(String retryAfter, long seconds) {
        assertEquals(seconds, ServerClient.pauseSeconds(retryAfter));
    }

    @Test
    void onlyARollbackIsNotRepeated() {
        assertFalse(ask("POST", "/push/templates/welcome/rollback?note=").isRepeatable());
        assertTrue(ask("POST", "/push?note=").isRepeatable());
        assertTrue(ask("DELETE", "/push/previews/rollback").isRepeatable()); // a preview with this name
    }

    private static ServerClient.Ask ask(String method, String path) {
        return new ServerClient.Ask(method, path, BodyPublishers.noBody(), ServerClient.MAX_JSON_BYTES, "");
    }
}
