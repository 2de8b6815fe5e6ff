package stet.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Readable names of browsers. */
class UserAgentTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0                                                                     | Firefox on Linux
            Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36                            | Chrome on Windows
            Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0              | Edge on Windows
            Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 OPR/112.0.0.0              | Opera on Windows
            Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15                         | Safari on macOS
            Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.0.0 Mobile/15E148 Safari/604.1 | Chrome on iPhone
            Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36 | Samsung Internet on Android
            Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36                             | Chrome on ChromeOS
            Lynx (Linux)                                                                                                                               | A browser on Linux
            curl/8.5.0                                                                                                                                 | curl
            ''                                                                                                                                         | Unknown
            """)
    void aHeaderNamesABrowserAndASystem(String header, String words) {
        assertEquals(words, UserAgent.words(UserAgent.stored(header)));
    }

    @Test
    void aLongHeaderIsShortened() {
        assertEquals("x".repeat(200), UserAgent.stored("\u0007" + "x".repeat(30_000)));
    }

    @Test
    void aMissingHeaderIsStoredEmpty() {
        assertEquals("", UserAgent.stored(null));
    }
}
