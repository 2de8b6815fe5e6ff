package stet.base;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Password;
import stet.core.Validation;

/** Rules for texts, keys, passwords and times. */
class TextTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    @ParameterizedTest(name = "[{index}]")
    @ValueSource(strings = {"", "\ufeffBOM", "a\0b", "\ud83d\ude80", "\r\n\r", "\ufffd\uffff", "e\u0301"})
    void utf8IsOneToOne(String text) {
        byte[] bytes = Utf8.encode(text);
        assertArrayEquals(text.getBytes(StandardCharsets.UTF_8), bytes);
        assertEquals(Optional.of(text), Utf8.decode(bytes));
    }

    @Test
    void textsAndBytesWithoutACounterpartAreRefused() {
        for (String text : List.of("\ud800", "\udc00", "a\ud83db", "\ude80\ud83d")) {
            assertThrows(Refusal.class, () -> Utf8.encode(text));
        }
        for (byte[] bytes : new byte[][] {{(byte) 0x80}, {(byte) 0xc0, (byte) 0x80}, {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
            {(byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80}, {(byte) 0xe2, (byte) 0x82}}) {
            assertEquals(Optional.empty(), Utf8.decode(bytes));
        }
    }

    @Test
    void keysAreRandomAndCheckThemselves() {
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            String key = Secret.newKey(RANDOM);
            assertTrue(key.matches("stet_[0-9A-Za-z]{38}"), key);
            assertFalse(Secret.isMistyped(key));
            assertEquals(key, Validation.key(key));
            keys.add(key);
        }
        assertEquals(1_000, keys.size());
    }

    @Test
    void everyMistypedCharacterIsNoticed() {
        String key = Secret.newKey(RANDOM);
        for (int i = 5; i < key.length(); i++) {
            char other = key.charAt(i) == 'a' ? 'b' : 'a';
            String mistyped = key.substring(0, i) + other + key.substring(i + 1);
            assertTrue(Secret.isMistyped(mistyped), mistyped);
            assertThrows(Refusal.class, () -> Validation.key(mistyped));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stet_short", "stet-fixture-key", "12345678", "a.b~c+d/e_f-g=="})
    void chosenKeysAreNotChecked(String key) {
        assertFalse(Secret.isMistyped(key));
        assertEquals(key, Validation.key(key));
        assertFalse(Secret.start(key).length() > key.length() / 2);
    }

    @Test
    void aPasswordMatchesOnlyItsOwnHash() {
        String hash = Password.hash("correct horse \u00e9", "ada@example.com", RANDOM);
        assertTrue(hash.startsWith("pbkdf2-sha512$220000$"), hash);
        assertTrue(Password.matches("correct horse \u00e9", hash));
        assertFalse(Password.matches("correct horse e", hash));
        assertNotEquals(hash, Password.hash("correct horse \u00e9", "ada@example.com", RANDOM));
    }

    @Test
    void aPasswordHas8CharactersTo1024Bytes() {
        assertEquals("The password must have at least 8 characters",
                assertThrows(Refusal.class, () -> Password.hash("1234567", "ada@example.com", RANDOM)).getMessage());
        assertThrows(Refusal.class, () -> Password.hash("x".repeat(1_025), "ada@example.com", RANDOM));
    }

    @Test
    void aNewPasswordIsInGroups() {
        assertTrue(Secret.newPassword(RANDOM).matches("([0-9A-Za-z]{6}-){3}[0-9A-Za-z]{6}"));
    }

    @ParameterizedTest
    @CsvSource({"2026-01-31T09:00:00Z, 2026-01-31T09:00:00.000Z", "2026-01-31T09:00:00.5Z, 2026-01-31T09:00:00.500Z",
        "1969-12-31T23:59:59.999Z, 1969-12-31T23:59:59.999Z", "2026-01-31T09:00:00.123456789Z, 2026-01-31T09:00:00.123Z"})
    void timesHaveMilliseconds(String text, String written) {
        assertEquals(written, Timestamp.format(Timestamp.parse("at", text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2026-01-31", "2026-02-30T00:00:00Z", "2026-01-31T09:00:00", "now", "+1000000000-12-31T23:59:59Z"})
    void otherTextsAreNoTimes(String text) {
        assertEquals("at", assertThrows(Refusal.class, () -> Timestamp.parse("at", text)).field());
    }

    @ParameterizedTest(name = "{0} {1} is {2}")
    @CsvSource(quoteCharacter = '`', textBlock = """
            id,      welcome,            true
            id,      9-a_B,              true
            id,      -a,                 false
            id,      _a,                 false
            id,      a.b,                false
            id,      a b,                false
            id,      ``,                 false
            id,      A64,                true
            id,      A65,                false
            id,      \u00e9,             false
            email,   a@b,                true
            email,   ada+x@example.com,  true
            email,   ada,                false
            email,   @b,                 false
            email,   a@,                 false
            email,   a@b@c,              false
            email,   a b@c,              false
            name,    Welcome,            true
            name,    ``,                 false
            name,    `  `,               false
            name,    A200,               true
            name,    A201,               false
            subject, ``,                 true
            subject, A998,               true
            subject, A999,               false
            key,     1234567,            false
            key,     12345678,           true
            key,     1234 678,           false
            key,     A255,               true
            key,     A256,               false
            key,     =1234567,           false
            """)
    void textsFollowTheirRules(String rule, String text, boolean allowed) {
        String value = text.matches("A\\d+") ? "A".repeat(Integer.parseInt(text.substring(1))) : text;
        Function<String, String> check = switch (rule) {
            case "id" -> id -> Validation.id("id", id);
            case "email" -> Validation::email;
            case "name" -> Validation::name;
            case "subject" -> Validation::subject;
            default -> Validation::key;
        };
        assertEquals(allowed ? value : "refused: " + rule, resultOf(check, value));
    }

    private static String resultOf(Function<String, String> check, String value) {
        try {
            return check.apply(value);
        } catch (Refusal refusal) {
            return "refused: " + refusal.field();
        }
    }

    @ParameterizedTest(name = "[{index}]")
    @ValueSource(strings = {"a\nb", "a\rb", "\ud83d"})
    void subjectsAreOneLineOfText(String subject) {
        assertThrows(Refusal.class, () -> Validation.subject(subject));
    }

    @Test
    void aSurrogatePairIsOneCharacter() {
        assertEquals(200, Validation.name("\ud83d\ude80".repeat(200)).codePointCount(0, 400));
    }
}
