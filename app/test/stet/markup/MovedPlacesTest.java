package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.harness.Running;
import stet.markup.MovedPlaces.Place;

/** A place is found again after edits, or lost, but never another. */
class MovedPlacesTest {
    /** A line with an identity, so that lines with the same text differ. */
    private record Line(String text, Object identity) {
        Line(String text) {
            this(text, new Object());
        }
    }

    private static String text(List<Line> lines) {
        return lines.stream().map(Line::text).collect(Collectors.joining());
    }

    private static int start(List<Line> lines, int index) {
        return text(lines.subList(0, index)).length();
    }

    /** The place is in brackets before the edit, and is either in brackets after it, or lost. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a[b]c                | a[b]c
            a[b]c                | xa[b]c
            a[b]c                | a[b]cx
            a[b]c                | axc
            a[b]c                | ac
            `a[b]b`              | ab
            `[b]b`               | bbb
            `x[b]`               | `x`
            <p>[Hi]</p>~<p>Ho    | <p>[Hi]</p>~<p>Hey
            <i>[Hi]</i>~<i>Hi    | <i>Hi
            1~2~3~4~5~6~7~[8]~9~10~11~12~13~14~15 | 0~2~3~4~5~6~7~[8]~9~10~11~12~13~14~16
            1~2~3~4~5~6~7~[8]~9~10~11~12~13~14~15 | 0~2~3~4~5~6~7~8!~9~10~11~12~13~14~16
            1~2~3~[4]~5~6~7      | 0~2~3~4~5~6~8
            # the first row or the second is gone, and something below has changed
            A~[A]~B~C~D          | A~B~E~D
            [A]~A~B~C~D          | A~B~E~D
            # one edit below many equal rows
            A~[A]~A~B~C~D        | A~[A]~A~B~E~D
            A~[A]~A~B~C~D        | A~A~A~E~C~D
            A~B~C~[D]~D~D        | A~E~C~[D]~D~D
            # a sentence between two edits
            1~<p>[Thanks] for your order number 7.</p>~2 | 0~<p>[Thanks] for your order number 7.</p>~3
            1~2~<p>Thanks for your order <b>[number]</b> 7.~3 | 1~0~<p>Thanks for your order <b>number</b> 7.~4
            1~<p>Thanks for your order [number 7.</p>~<p>We ship it tomorrow], at noon.~2 | 0~<p>Thanks for your order [number 7.</p>~<p>We ship it tomorrow], at noon.~3
            1~<p>[Thanks] for your order number 7.</p>~2~3 | 0~2~<p>[Thanks] for your order number 7.</p>~4
            1~<p>[Thanks] for your order number 7.</p>~<p>Thanks for your order number 7.</p>~2 | 0~<p>Thanks for your order number 7.</p>~3
            1~<p>[Thanks] for your order number 7.</p>~2 | 0~<p>Thanks for your order number 7.</p>~<p>Thanks for your order number 7.</p>~3
            1~<p>[Thanks] for your order number 7.</p>~2 | 0~<p>Thanks for your order number 8.</p>~3
            """)
    void aPlaceIsRightOrLost(String given, String expected) {
        String before = given.replace('~', '\n');
        String after = expected.replace('~', '\n');
        Place place = new MovedPlaces(before.replaceAll("[\\[\\]]", ""), after.replaceAll("[\\[\\]]", "")).find(before.indexOf('['), before.indexOf(']') - 1);
        int start = after.indexOf('[');
        assertEquals(start < 0 ? null : new Place(start, after.indexOf(']') - 1), place);
    }

    /**
     * In a text of more pieces than any mail has, only places beside the differences are found. Otherwise, a draft of the maximum size would
     * take seconds, during which nobody else can write.
     *
     * @param lines number of pieces
     */
    @ParameterizedTest
    @CsvSource({"32768, true", "32769, false", "1000000, false"})
    void tooManyPiecesAreNotSearched(int lines, boolean isFound) {
        String before = IntStream.range(0, lines).mapToObj(Integer::toHexString).collect(Collectors.joining("\n"));
        String after = "x" + before.substring(1, before.length() - 1) + "x";
        int middle = before.indexOf("\n" + Integer.toHexString(lines / 2)) + 1;
        Place place = new Place(middle, middle + 2);
        assertEquals(isFound ? place : null, new MovedPlaces(before, after).find(place.start(), place.end()));
    }

    /**
     * Random edits of a text with repeated lines. The same line is found again, or none.
     *
     * @param edits number of edits between two saves
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void twoThousandEditsLeadToNoOtherLine(int edits) {
        Random random = new Random(edits);
        int right = 0;
        int gone = 0;
        int lost = 0;
        for (int i = 0; i < 2_000; i++) {
            List<Line> before = new ArrayList<>();
            int kinds = 3 + random.nextInt(20);
            for (int n = 10 + random.nextInt(40); n > 0; n--) {
                before.add(new Line("<p>line " + random.nextInt(kinds) + "</p>\n"));
            }
            int commented = random.nextInt(before.size());
            List<Line> after = new ArrayList<>(before);
            for (int n = 0; n < edits; n++) {
                edit(after, random, kinds);
            }
            Line line = before.get(commented);
            int start = start(before, commented) + 3;
            Place found = new MovedPlaces(text(before), text(after)).find(start, start + line.text.length() - 8);
            int index = after.stream().map(Line::identity).toList().indexOf(line.identity);
            if (found == null) {
                lost += index < 0 ? 0 : 1;
                gone += index < 0 ? 1 : 0;
                continue;
            }
            int truth = index < 0 ? -1 : start(after, index) + 3;
            assertEquals(truth, found.start(), () -> commented + " of\n" + text(before) + "\nin\n" + text(after));
            right++;
        }
        assertTrue(right > 1_000 && gone > 20, right + " right, " + lost + " lost, " + gone + " gone");
    }

    private static void edit(List<Line> lines, Random random, int kinds) {
        int at = random.nextInt(lines.size());
        switch (random.nextInt(4)) {
            case 0 -> lines.add(at, new Line("<p>line " + random.nextInt(kinds) + "</p>\n"));
            case 1 -> lines.remove(at);
            case 2 -> lines.set(at, new Line("<p>new " + random.nextInt(1_000) + "</p>\n"));
            default -> {
                int to = Math.min(lines.size(), at + 1 + random.nextInt(4));
                lines.subList(at, to).clear();
            }
        }
        if (lines.isEmpty()) {
            lines.add(new Line("<p>line 0</p>\n"));
        }
    }

    /** Places on both sides of a difference in 4 MiB, whose repetitions take hours to compare one by one. Any could be another. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "ab", "<", "\n", "<p>a</p>\n"})
    void repetitiveTextsAreSearchedInLinearTime(String repeated) {
        String half = repeated.repeat((2 << 20) / repeated.length());
        int end = half.length();
        assertTimeoutPreemptively(Running.PATIENCE, () -> {
            MovedPlaces moved = new MovedPlaces(half + "x" + half, half + "yz" + half);
            for (int i = 0; i < 500; i++) {
                assertEquals(null, moved.find(end - i - 3, end - i));
                assertEquals(null, moved.find(end + 1 + i, end + 4 + i));
            }
        });
    }
}
