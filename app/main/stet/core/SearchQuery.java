package stet.core;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

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
        List<String> words = Arrays.stream(query.split("\\s+")).filter(word -> !word.isEmpty()).map(SearchQuery::lower).distinct().toList();
        if (words.size() > WORDS) {
            throw new Refusal("q", "The search has " + words.size() + " words, the most is " + WORDS);
        }
        return new SearchQuery(words);
    }

    public boolean isEmpty() {
        return words.isEmpty();
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** The words that are in none of these texts. */
    public SearchQuery without(String... texts) {
        List<String> lower = Arrays.stream(texts).map(SearchQuery::lower).toList();
        return new SearchQuery(words.stream().filter(word -> lower.stream().noneMatch(text -> text.contains(word))).toList());
    }

    /** The place of the first word in a text of UTF-8, in bytes; -1 where one of the words is not in it. */
    public int find(byte[] html) {
        int first = -1;
        String text = null;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            int place;
            if (word.chars().allMatch(c -> c < 128)) {
                place = find(html, word.getBytes(StandardCharsets.US_ASCII));
            } else {
                text = text == null ? lower(new String(html, StandardCharsets.UTF_8)) : text;
                int character = text.indexOf(word);
                place = character < 0 ? -1 : Math.min(html.length, text.substring(0, character).getBytes(StandardCharsets.UTF_8).length);
            }
            if (place < 0) {
                return -1;
            }
            first = i == 0 ? place : first;
        }
        return first;
    }

    /** @param word of ASCII in lower case */
    private static int find(byte[] html, byte[] word) {
        byte lower = word[0];
        byte upper = (byte) Character.toUpperCase(lower);
        int last = html.length - word.length;
        for (int i = 0; i <= last; i++) {
            if ((html[i] == lower || html[i] == upper) && isAt(html, i, word)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isAt(byte[] html, int from, byte[] word) {
        for (int i = 1; i < word.length; i++) {
            byte c = html[from + i];
            if (c != word[i] && (c < 'A' || c > 'Z' || c + ('a' - 'A') != word[i])) {
                return false;
            }
        }
        return true;
    }
}
