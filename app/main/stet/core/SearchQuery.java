package stet.core;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Words that a template must have, all of them, in any of its texts. Case does not matter; no character has another meaning. */
public final class SearchQuery {
    /** Characters of a query, at most. */
    public static final int CHARACTERS = 200;
    /** Words of a query, at most: each is searched for in each text. */
    public static final int WORDS = 8;

    private final List<String> words;

    private SearchQuery(List<String> words) {
        this.words = words;
    }

    /** @throws Refusal for a query that is too long, or has too many words */
    public static SearchQuery of(String query) {
        if (query.codePointCount(0, query.length()) > CHARACTERS) {
            throw new Refusal("q", "The search has more than " + CHARACTERS + " characters");
        }
        List<String> words = Arrays.stream(query.split("\\s+")).filter(word -> !word.isEmpty()).map(SearchQuery::folded).distinct()
                .toList();
        if (words.size() > WORDS) {
            throw new Refusal("q", "The search has " + words.size() + " words, the limit is " + WORDS);
        }
        return new SearchQuery(words);
    }

    public boolean isEmpty() {
        return words.isEmpty();
    }

    /** Ignores case one character at a time, so that the characters of both texts have the same numbers. */
    private static String folded(String text) {
        return text.codePoints().map(c -> Character.toLowerCase(Character.toUpperCase(c)))
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    }

    /** The words that are in none of these texts. */
    public SearchQuery without(String... texts) {
        List<String> folded = Arrays.stream(texts).map(SearchQuery::folded).toList();
        return new SearchQuery(words.stream().filter(word -> folded.stream().noneMatch(text -> text.contains(word))).toList());
    }

    /** The place of the first word in a text of UTF-8, in bytes; -1 where one of the words is not in it. */
    public int find(byte[] html) {
        int first = -1;
        byte[] folded = null; // for a word that is not ASCII alone
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            byte[] text = html;
            if (!word.chars().allMatch(c -> c < 128)) {
                folded = folded == null ? folded(new String(html, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8) : folded;
                text = folded;
            }
            int place = find(text, word.getBytes(StandardCharsets.UTF_8));
            if (place < 0) {
                return -1;
            }
            first = i == 0 ? text == html ? place : samePlace(folded, place, html) : first;
        }
        return first;
    }

    /** The place in the html of a character of the folded html: folding can change how many bytes a character has. */
    private static int samePlace(byte[] folded, int place, byte[] html) {
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

    /** Whether a byte of UTF-8 continues a character. */
    private static boolean isContinuation(byte b) {
        return (b & 0xc0) == 0x80;
    }

    /** Reads each byte once, whatever the word is like (Knuth, Morris and Pratt). @param word in lower case */
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

    /** For each beginning of a word, the length of the longest shorter beginning that it ends with. */
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
     * A template that a search has found.
     *
     * @param line of the html where it was found, from 1; null where name, id, tags and subject were enough
     * @param text some of that line, or null
     */
    public record Found(String id, Integer line, String text) {
        /** Bytes of the line that are shown before the place, and after it. */
        private static final int BEFORE_BYTES = 12;
        private static final int AFTER_BYTES = 70;

        /** The line around a place in an html. @param place in bytes */
        public static Found at(String id, byte[] html, int place) {
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
            return new Found(id, line, new String(html, from, to - from, StandardCharsets.UTF_8).strip());
        }
    }
}
