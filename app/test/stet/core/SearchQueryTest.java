package stet.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import stet.harness.Running;

/** Search finds the words' first match in time linear in the text's length. */
class SearchQueryTest {
    private static String text(Random random, int length, String alphabet) {
        return IntStream.range(0, length).mapToObj(i -> alphabet.charAt(random.nextInt(alphabet.length())) + "")
                .reduce("", String::concat);
    }

    @Test
    void theFirstPlaceOfAWordIsFound() {
        Random random = new Random(16);
        for (int i = 0; i < 5_000; i++) {
            String alphabet = i % 2 == 0 ? "abA" : "a\u00e9\u20ac";
            String text = text(random, random.nextInt(30), alphabet);
            String word = text(random, 1 + random.nextInt(6), alphabet);
            int place = text.toLowerCase(Locale.ROOT).indexOf(word.toLowerCase(Locale.ROOT));
            assertEquals(place < 0 ? -1 : text.substring(0, place).getBytes(UTF_8).length,
                    SearchQuery.of(word).find(text.getBytes(UTF_8)), word + " in " + text);
        }
    }

    @Test
    void aWordThatIsLikeTheTextTakesNoLonger() {
        byte[] text = "a".repeat(64 << 20).getBytes(UTF_8);
        assertTimeout(Running.PATIENCE, () -> assertEquals(-1, SearchQuery.of("a".repeat(199) + "b").find(text)));
    }
}
