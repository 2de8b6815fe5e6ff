package stet.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Codes match the standards' test vectors; clock tolerance. */
class TotpTest {
    private static final byte[] SECRET = "12345678901234567890".getBytes(StandardCharsets.US_ASCII);

    /** RFC 6238, appendix B: the last six of each vector's eight digits. */
    @ParameterizedTest
    @CsvSource({"59, 287082", "1111111109, 081804", "1111111111, 050471", "1234567890, 005924", "2000000000, 279037",
        "20000000000, 353130"})
    void theCodesAreThoseOfTheStandard(long second, String code) {
        assertEquals(code, Totp.code(SECRET, Instant.ofEpochSecond(second)));
    }

    /** 2000000000 is in step 66666666, which starts at 1999999980. */
    @ParameterizedTest
    @CsvSource({"1999999950, 0", "2000000000, 0", "2000000039, 0", "2000000000, 66666665"})
    void aCodeOfTheStepBeforeOrAfterIsValid(long second, long last) {
        assertEquals(OptionalLong.of(66_666_666), Totp.step(SECRET, "279037", Instant.ofEpochSecond(second), last));
    }

    @ParameterizedTest
    @CsvSource({
        "1999999949, 0", // two steps early
        "2000000040, 0", // two steps late
        "2000000000, 66666666", // used
        "2000000000, 66666667"}) // older than the last used step
    void aCodeOfAnotherOrUsedStepIsInvalid(long second, long last) {
        assertEquals(OptionalLong.empty(), Totp.step(SECRET, "279037", Instant.ofEpochSecond(second), last));
    }

    /** RFC 4648, section 10, and the full alphabet. */
    @ParameterizedTest
    @CsvSource({"666f6f6261, MZXW6YTB", "00443214c74254b635cf84653a56d7c675be77df, ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "'', ''"})
    void secretsAreTypedInBase32(String hex, String text) {
        assertEquals(text, Totp.base32(HexFormat.of().parseHex(hex)));
        assertEquals(text, Totp.normalized(" " + Totp.inGroups(text).toLowerCase(Locale.ROOT) + "\n"));
    }
}
