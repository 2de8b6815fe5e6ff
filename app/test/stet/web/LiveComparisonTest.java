package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.AbstractList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Comparing the variables of two texts takes time linear in their number. */
class LiveComparisonTest {
    /** Variables of the live version, all of which the draft renames. Counts how often they are read. */
    private static final class OldVariables extends AbstractList<String> {
        private final int size;
        private long reads;

        OldVariables(int size) {
            this.size = size;
        }

        @Override
        public String get(int index) {
            reads++;
            return "old" + index;
        }

        @Override
        public int size() {
            return size;
        }
    }

    @Test
    void renamingAllVariablesReadsEachOnce() {
        OldVariables before = new OldVariables(40_000);
        List<String> after = IntStream.range(0, 40_000).mapToObj(i -> "new" + i).toList();
        assertEquals(after, LiveComparison.without(after, before));
        assertEquals(40_000, before.reads);
    }
}
