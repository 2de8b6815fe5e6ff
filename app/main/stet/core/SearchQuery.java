package stet.core;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.List;
import stet.base.Refusal;

/**
 * Matches templates and shared blocks that contain every word of the query. Different words may occur in different fields. Case is
 * ignored, and no character has a special meaning.
 */
public final class SearchQuery {
    /** Maximum number of characters in a query. */
    public static final int CHARACTERS = 200;
    /** Maximum number of words in a query; limited because every text is searched for each word. */
    public static final int WORDS = 8;

    private final List<String> words;

    private SearchQuery(List<String> words) {
        this.words = words;
    }

    /** @throws Refusal if the query is too long or has too many words */
    public static SearchQuery of(String query) {
        if (query.codePointCount(0, query.length()) > CHARACTERS) {
            throw new Refusal("q", "The search must be at most " + CHARACTERS + " characters");
        }
        List<String> words = Arrays.stream(composed(query).split("\\s+")).filter(word -> !word.isEmpty()).map(SearchQuery::folded).distinct()
                .toList();
        if (words.size() > WORDS) {
            throw new Refusal("q", "The search has " + words.size() + " words; the limit is " + WORDS);
        }
        return new SearchQuery(words);
    }

    public boolean isEmpty() {
        return words.isEmpty();
    }

    private static String composed(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFC);
    }

    /** Folds case character by character to preserve character positions. */
    private static String folded(String text) {
        return text.codePoints().map(c -> Character.toLowerCase(Character.toUpperCase(c)))
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    }

    /** Returns a query for the words that these texts do not contain. */
    public SearchQuery without(String... texts) {
        List<String> folded = Arrays.stream(texts).map(text -> folded(composed(text))).toList();
        return new SearchQuery(words.stream().filter(word -> folded.stream().noneMatch(text -> text.contains(word))).toList());
    }

    /** Byte position of the query's first word in UTF-8 text; -1 if any word is missing, and for an empty query. */
    public int find(byte[] html) {
        boolean isAsciiQuery = words.stream().allMatch(word -> word.chars().allMatch(c -> c < 128));
        byte[] text = isAsciiQuery ? html : folded(new String(html, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
        int first = -1;
        for (String word : words) {
            int place = find(text, word.getBytes(StandardCharsets.UTF_8));
            if (place < 0) {
                return -1;
            }
            first = first < 0 ? place : first;
        }
        return isAsciiQuery || first < 0 ? first : originalOffset(text, first, html);
    }

    /** Maps a byte position in folded HTML to the original HTML, because folding can change a character's length in bytes. */
    private static int originalOffset(byte[] folded, int place, byte[] html) {
        int characters = 0;
        for (int i = 0; i < place; i++) {
            characters += isContinuation(folded[i]) ? 0 : 1;
        }
        int same = 0;
        while (characters > 0 || same < html.length && isContinuation(html[same])) {
            characters -= isContinuation(html[same++]) ? 0 : 1;
        }
        return same;
    }

    /** True for a UTF-8 continuation byte. */
    private static boolean isContinuation(byte b) {
        return (b & 0xc0) == 0x80;
    }

    /** Knuth-Morris-Pratt search, which reads each byte only once. @param word in lower case */
    private static int find(byte[] text, byte[] word) {
        int[] borders = borders(word);
        int same = 0;
        for (int i = 0; i < text.length; i++) {
            byte c = text[i] >= 'A' && text[i] <= 'Z' ? (byte) (text[i] + ('a' - 'A')) : text[i];
            while (same > 0 && c != word[same]) {
                same = borders[same - 1];
            }
            if (c == word[same] && ++same == word.length) {
                return i - same + 1;
            }
        }
        return -1;
    }

    /** For each prefix of a word, the length of its longest proper prefix that is also a suffix. */
    private static int[] borders(byte[] word) {
        int[] borders = new int[word.length];
        for (int i = 1, same = 0; i < word.length; i++) {
            while (same > 0 && word[i] != word[same]) {
                same = borders[same - 1];
            }
            same += word[i] == word[same] ? 1 : 0;
            borders[i] = same;
        }
        return borders;
    }

    /**
     * A search result.
     *
     * @param line line of the match in the HTML, counted from 1; null if the name, ID, tags and subject contain all words
     * @param text excerpt of that line, or null
     */
    public record SearchMatch(String id, Integer line, String text) {
        /** Approximate maximum number of bytes that an excerpt shows before and after the start of the match. */
        private static final int BEFORE_BYTES = 12;
        private static final int AFTER_BYTES = 70;

        /** Returns the line and an excerpt for a match. @param place byte position of the match in the HTML */
        public static SearchMatch at(String id, byte[] html, int place) {
            int line = 1;
            int begin = 0;
            for (int i = 0; i < place; i++) {
                if (html[i] == '\n') {
                    line++;
                    begin = i + 1;
                }
            }
            int from = Math.max(begin, place - BEFORE_BYTES);
            while (from > begin && isContinuation(html[from])) {
                from--;
            }
            int to = place;
            while (to < html.length && html[to] != '\n' && html[to] != '\r'
                    && (to < place + AFTER_BYTES || isContinuation(html[to]))) {
                to++;
            }
            return new SearchMatch(id, line, new String(html, from, to - from, StandardCharsets.UTF_8).strip());
        }
    }
}
