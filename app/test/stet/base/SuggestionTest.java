package stet.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An unknown id gets a suggestion only if a similar id exists. */
class SuggestionTest {
    private static final List<String> IDS = List.of("welcome", "password-reset", "receipt", "a");

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({"welcom, welcome", "welcome2, welcome", "Welcome, welcome", "WELCOME, welcome", "welcmoe, welcome", "wlcom, welcome", "passwordreset, password-reset",
        "password_reset, password-reset", "pasword-rest, password-reset", "reciept, receipt", "b, a"})
    void aSimilarIdIsSuggested(String id, String meant) {
        assertEquals("\"" + id + "\" is unknown; did you mean \"" + meant + "\"?", Suggestion.unknown(id, IDS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"goodbye", "wlcm", "reset"})
    void anIdThatDiffersMoreIsNotSuggested(String id) {
        assertNull(Suggestion.unknown(id, IDS));
    }

    @Test
    void theOrderOfTheIdsDoesNotMatter() {
        assertEquals(Optional.of("abcxy"), Suggestion.nearest("abcde", List.of("abcx", "abcxy"))); // "abcx" is too short for two edits
        assertEquals(Optional.of("abcxy"), Suggestion.nearest("abcde", List.of("abcxy", "abcx")));
    }

    @Test
    void idsOfMoreThan64CharactersAreNotCompared() {
        assertNull(Suggestion.unknown("w".repeat(65), List.of("w".repeat(64))));
        assertEquals("\"" + "w".repeat(63) + "\" is unknown; did you mean \"" + "w".repeat(64) + "\"?",
                Suggestion.unknown("w".repeat(63), List.of("w".repeat(64))));
    }
}
