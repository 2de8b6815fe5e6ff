package stet.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The client address behind proxies, for each forwarded list and set of trusted proxies. */
class TrustedProxiesTest {
    private static String client(String trusted, String peer, List<String> forwarded) {
        try {
            return TrustedProxies.of(trusted).client(InetAddress.getByName(peer), forwarded).getHostAddress();
        } catch (UnknownHostException noAddress) {
            throw new AssertionError(noAddress);
        }
    }

    /** A slash separates header lines. */
    @ParameterizedTest(name = "{1} forwards {2}, trusted are {0}: {3}")
    @CsvSource(delimiter = '|', textBlock = """
            127.0.0.0/8,::1       | 127.0.0.1    |                                    | 127.0.0.1
            127.0.0.0/8,::1       | 127.9.9.9    | 203.0.113.7                        | 203.0.113.7
            127.0.0.0/8,::1       | ::1          | 203.0.113.7                        | 203.0.113.7
            127.0.0.0/8,::1       | 192.0.2.1    | 203.0.113.7                        | 192.0.2.1
            none                  | 127.0.0.1    | 203.0.113.7                        | 127.0.0.1
            127.0.0.1             | 127.0.0.1    | 192.0.2.66, 203.0.113.7            | 203.0.113.7
            127.0.0.1             | 127.0.0.1    | 192.0.2.66 / 203.0.113.7           | 203.0.113.7
            127.0.0.1             | 127.0.0.1    | 203.0.113.7 / 127.0.0.1            | 203.0.113.7
            127.0.0.1,10.0.0.0/8  | 127.0.0.1    | 192.0.2.66, 203.0.113.7, 10.1.2.3  | 203.0.113.7
            127.0.0.1,10.0.0.0/8  | 127.0.0.1    | 10.9.9.9,10.1.2.3                  | 10.9.9.9
            10.128.0.0/9          | 10.128.0.1   | 10.127.255.255                     | 10.127.255.255
            10.128.0.0/9          | 10.127.0.1   | 203.0.113.7                        | 10.127.0.1
            10.1.2.3/8            | 10.200.0.1   | 203.0.113.7                        | 203.0.113.7
            0.0.0.0/0             | 192.0.2.1    | 203.0.113.7                        | 203.0.113.7
            0.0.0.0/0             | ::1          | 203.0.113.7                        | 0:0:0:0:0:0:0:1
            2001:db8:0:8000::/49  | 2001:db8:0:ffff::1 | 203.0.113.7                  | 203.0.113.7
            2001:db8:0:8000::/49  | 2001:db8:0:7fff::1 | 203.0.113.7                  | 2001:db8:0:7fff:0:0:0:1
            ::ffff:10.0.0.1       | 10.0.0.1     | ::ffff:203.0.113.7                 | 203.0.113.7
            127.0.0.1             | ::ffff:127.0.0.1 | 203.0.113.7                    | 203.0.113.7
            127.0.0.1             | 127.0.0.1    | 203.0.113.7:4711                   | 203.0.113.7
            127.0.0.1             | 127.0.0.1    | 2001:db8::7                        | 2001:db8:0:0:0:0:0:7
            127.0.0.1             | 127.0.0.1    | [2001:db8::7]                      | 2001:db8:0:0:0:0:0:7
            127.0.0.1             | 127.0.0.1    | [2001:db8::7]:4711                 | 2001:db8:0:0:0:0:0:7
            127.0.0.1             | 127.0.0.1    | 203.0.113.7, unknown               | 127.0.0.1
            127.0.0.1,10.0.0.1    | 127.0.0.1    | 203.0.113.7, unknown, 10.0.0.1     | 10.0.0.1
            127.0.0.1             | 127.0.0.1    | ,                                  | 127.0.0.1
            127.0.0.1             | 127.0.0.1    | 203.0.113.7,                       | 127.0.0.1
            """)
    void theClientIsTheRightmostUntrustedAddress(String trusted, String peer, String forwarded, String client) {
        assertEquals(client, client(trusted, peer, forwarded == null ? List.of() : Arrays.asList(forwarded.split("/"))));
    }

    /** Host names are not looked up, and malformed addresses are not repaired. */
    @ParameterizedTest
    @ValueSource(strings = {"localhost", "example.com", "example.com:80", "a:b", "1.2.3", "1", "01.2.3.4", "256.1.1.1", "1.2.3.4.", "0x7f.1.1.1", ":", ":::",
        "1:2:3:4:5:6:7", "fe80::1%eth0", "[203.0.113.7", "2001:db8::7]", "203.0.113.7:", "203.0.113.7:123456", "[]:1", "\"[2001:db8::7]\"", "for=203.0.113.7"})
    void anEntryThatIsNoAddressEndsTheSearch(String entry) {
        assertEquals("127.0.0.1", client("127.0.0.1", "127.0.0.1", List.of("203.0.113.7", entry)));
        assertEquals(entry, assertThrows(IllegalArgumentException.class, () -> TrustedProxies.of("10.0.0.0/8, " + entry)).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/ 8", "203.0.113.7:80", "none", ""})
    void anInvalidNetworkIsRejected(String entry) {
        assertEquals(entry, assertThrows(IllegalArgumentException.class, () -> TrustedProxies.of("127.0.0.1," + entry)).getMessage());
    }

    @Test
    void aVeryLongForwardedListIsNotSearchedToItsEnd() {
        assertEquals("10.0.0.1", client("10.0.0.0/8", "10.0.0.1", List.of("203.0.113.7" + ",10.0.0.1".repeat(5_000))));
    }
}
