package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.AbstractList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Comparing the variables of two versions looks at each name a fixed number of times, however many there are. */
class PublishingStepsTest {

    /** Names that count how often one is looked at. */
    private static final class Counted extends AbstractList<String> {
        private final int size;
        private long looks;

        Counted(int size) {
            this.size = size;
        }

        @Override
        public String get(int index) {
            looks++;
            return "old" + index;
        }

        @Override
        public int size() {
            return size;
        }
    }

    private static long looks(int renamed) {
        Counted before = new Counted(renamed);
        List<String> after = IntStream.range(0, renamed).mapToObj(i -> "new" + i).toList();
        assertEquals(after, Publishing.without(after, before));
        return before.looks;
    }

    @Test
    void renamingAllVariablesTakesLinearTime() {
        assertTrue(looks(1_000) > 0);
        assertEquals(2 * looks(1_000), looks(2_000));
        assertEquals(40_000, looks(40_000));
    }
}
