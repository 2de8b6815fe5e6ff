package stet.markup;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds places in a text again after an edit, or reports that they cannot be found. A place is found only if the fewest edits
 * that explain the new text leave no other.
 *
 * <pre>
 * before  same start ······ [removed] ······ same end       a place in the same start stays, and one in the same end moves along
 * after   same start ·· [added] ·· same end
 * </pre>
 *
 * <ul>
 * <li>After an insertion or a deletion, the same start and the same end may overlap, as in a list from which one of two equal rows was
 * removed: either may be gone, so a place in the overlap is lost.
 * <li>There may have been several edits, such as one of equal rows removed and a text below changed. A place therefore stays only if the
 * text between it and the first difference occurs nowhere else in both texts; the same applies from the last difference on.
 * <li>Every other place is found by its surroundings: pieces of the source, each beginning with a tag or a line, that occur once in
 * each text. A piece as long as a sentence needs no surroundings. In a text with too many pieces, such a place is lost.
 * </ul>
 *
 * <p>Takes linear time.
 */
public final class MovedPlaces {
    /** Number of pieces on each side of a place that must be unchanged. */
    private static final int AROUND = 6;
    private static final int REPEATED = -1;
    /** Minimum length of a piece that is certain without its surroundings. A shorter one may have been deleted in one place and typed in another. */
    private static final int SENTENCE = 24;
    /** Longest text beside a difference that is searched for elsewhere; a longer one counts as repeated if so much of it is. */
    private static final int MAX_BESIDE = 1 << 16;
    /**
     * Maximum number of pieces, many more than mails have. Others wait for the transaction that moves the places, and a draft of the maximum
     * size may consist of a million pieces, which would take seconds and 200 MB.
     */
    private static final int MAX_PIECES = 1 << 15;

    private final String before;
    private final String after;
    private final boolean isSame;
    private final boolean isReplaced;
    /** Places that end up to here stay. */
    private final int stableEnd;
    /** Places that begin from here on move along with the end of the text. */
    private final int movedStart;
    /** Length of text beside the differences that also occurs elsewhere; negative until needed. */
    private int repeatedBefore = -1;
    private int repeatedBehind = -1;
    /** The pieces of both texts; null until needed. */
    private SplitText oldPieces;
    private SplitText newPieces;

    /** A range of a text. @param end index after the last char */
    public record Place(int start, int end) {
    }

    public MovedPlaces(String before, String after) {
        this.before = before;
        this.after = after;
        int shorter = Math.min(before.length(), after.length());
        int sameStart = 0;
        while (sameStart < shorter && before.charAt(sameStart) == after.charAt(sameStart)) {
            sameStart++;
        }
        int sameEnd = 0;
        while (sameEnd < shorter && before.charAt(before.length() - 1 - sameEnd) == after.charAt(after.length() - 1 - sameEnd)) {
            sameEnd++;
        }
        this.isSame = before.length() == after.length() && sameStart == shorter;
        int overlap = isSame ? 0 : Math.max(0, sameStart + sameEnd - shorter);
        this.isReplaced = sameStart + sameEnd < shorter;
        this.stableEnd = sameStart - overlap;
        this.movedStart = isSame ? shorter : before.length() - sameEnd + overlap;
    }

    /** The place in the edited text; null if it is gone or more than one is possible, or for an empty range or one beyond the old text. */
    public Place find(int start, int end) {
        if (start < 0 || end <= start || end > before.length()) {
            return null;
        }
        if (isSame) {
            return new Place(start, end);
        }
        int by = after.length() - before.length();
        if (end <= stableEnd) {
            return confirmed(new Place(start, end), start, end, stableEnd - start > repeatedBefore());
        }
        if (start >= movedStart) {
            return confirmed(new Place(start + by, end + by), start, end, end - movedStart > repeatedBehind());
        }
        return isReplaced ? bySurroundings(start, end) : null;
    }

    /** The new place of text beside the differences, if it is certain or the surroundings of its old place confirm it; otherwise null. */
    private Place confirmed(Place place, int start, int end, boolean isCertain) {
        return isCertain || place.equals(bySurroundings(start, end)) ? place : null;
    }

    private int repeatedBefore() {
        if (repeatedBefore < 0) {
            repeatedBefore = Math.max(repeated(new StringBuilder(before).reverse(), before.length() - stableEnd),
                    repeated(new StringBuilder(after).reverse(), after.length() - stableEnd));
        }
        return repeatedBefore;
    }

    private int repeatedBehind() {
        if (repeatedBehind < 0) {
            repeatedBehind = Math.max(repeated(before, movedStart), repeated(after, after.length() - before.length() + movedStart));
        }
        return repeatedBehind;
    }

    /** Length of the longest text that begins at a place and also occurs elsewhere, by the algorithm of Knuth, Morris and Pratt. */
    private static int repeated(CharSequence text, int place) {
        int length = Math.min(MAX_BESIDE, text.length() - place);
        int[] border = new int[length + 1];
        for (int i = 1, matched = 0; i < length; i++) {
            while (matched > 0 && text.charAt(place + i) != text.charAt(place + matched)) {
                matched = border[matched];
            }
            matched += text.charAt(place + i) == text.charAt(place + matched) ? 1 : 0;
            border[i + 1] = matched;
        }
        int longest = 0;
        for (int i = 0, matched = 0; i < text.length() && length > 0; i++) {
            matched = matched == length ? border[matched] : matched;
            while (matched > 0 && text.charAt(i) != text.charAt(place + matched)) {
                matched = border[matched];
            }
            matched += text.charAt(i) == text.charAt(place + matched) ? 1 : 0;
            longest = Math.max(longest, i + 1 - matched == place ? border[matched] : matched);
        }
        return longest >= length && length == MAX_BESIDE ? text.length() : longest;
    }

    /** A place in the pieces that have the same surroundings in both texts; null if that is not certain. */
    private Place bySurroundings(int start, int end) {
        if (oldPieces == null) {
            oldPieces = new SplitText(before);
            newPieces = new SplitText(after);
        }
        if (oldPieces.isTooMany || newPieces.isTooMany) {
            return null;
        }
        int first = newPieces.same(oldPieces, oldPieces.at(start));
        int last = newPieces.same(oldPieces, oldPieces.at(end - 1));
        if (first < 0 || last - first != oldPieces.at(end - 1) - oldPieces.at(start)) {
            return null;
        }
        int at = newPieces.starts[first] + start - oldPieces.starts[oldPieces.at(start)];
        return after.regionMatches(at, before, start, end - start) ? new Place(at, at + end - start) : null;
    }

    /** A text in pieces, with the pieces around each that occur nowhere else. */
    private static final class SplitText {
        private static final long PRIME = 1_000_003;

        final int[] starts;
        final int count;
        final boolean isTooMany;
        private final String text;
        private final long[] hashes;
        /** Pieces by the hash of their surroundings, and long ones by their own hash. */
        private final Map<Long, Integer> places = new HashMap<>();
        private final Map<Long, Integer> sentences = new HashMap<>();

        SplitText(String text) {
            this.text = text;
            int[] found = new int[16];
            int size = 0;
            for (int i = 0; i < text.length() && size <= MAX_PIECES; i++) {
                if (i == 0 || text.charAt(i) == '<' || text.charAt(i - 1) == '\n') {
                    found = size == found.length ? Arrays.copyOf(found, 2 * size) : found;
                    found[size++] = i;
                }
            }
            this.starts = found;
            this.isTooMany = size > MAX_PIECES;
            this.count = isTooMany ? 0 : size;
            this.hashes = new long[count];
            for (int i = 0; i < count; i++) {
                for (int at = starts[i]; at < end(i); at++) {
                    hashes[i] = hashes[i] * PRIME + text.charAt(at) + 1;
                }
            }
            for (int i = 0; i < count; i++) {
                places.merge(around(i), i, (one, other) -> REPEATED);
                if (isSentence(i)) {
                    sentences.merge(hashes[i], i, (one, other) -> REPEATED);
                }
            }
        }

        /** End of a piece. */
        private int end(int i) {
            return i + 1 == count ? text.length() : starts[i + 1];
        }

        private boolean isSentence(int i) {
            return end(i) - starts[i] >= SENTENCE;
        }

        /** Hash of a piece and its surroundings. */
        private long around(int i) {
            long around = 0;
            for (int at = i - AROUND; at <= i + AROUND; at++) {
                around = around * 31 * PRIME + (at < 0 || at >= count ? 1 : hashes[at]);
            }
            return around;
        }

        /** The piece that contains a place. */
        int at(int place) {
            int found = Arrays.binarySearch(starts, 0, count, place);
            return found >= 0 ? found : -found - 2;
        }

        /**
         * The piece that matches one of another text by its surroundings or, if it is as long as a sentence, by itself; negative if none
         * certainly does.
         */
        int same(SplitText other, int i) {
            int found = only(places, other.places, other.around(i));
            return found >= 0 || !other.isSentence(i) ? found : only(sentences, other.sentences, other.hashes[i]);
        }

        /** The piece with a hash; negative if there is none or more than one in either text. */
        private static int only(Map<Long, Integer> own, Map<Long, Integer> others, long hash) {
            return others.get(hash) == REPEATED ? REPEATED : own.getOrDefault(hash, REPEATED);
        }
    }
}
