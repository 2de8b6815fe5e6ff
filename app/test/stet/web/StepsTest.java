package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.AbstractList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Comparing the variables of two texts takes time linear in their number. */
class StepsTest {

    /** Counts accesses to its elements. */
    private static final class Counted<T> extends AbstractList<T> {
        private final int size;
        private final IntFunction<T> made;
        private long looks;

        Counted(int size, IntFunction<T> made) {
            this.size = size;
            this.made = made;
        }

        @Override
        public T get(int index) {
            looks++;
            return made.apply(index);
        }

        @Override
        public int size() {
            return size;
        }
    }

    private static long looks(int renamed) {
        Counted<String> before = new Counted<>(renamed, i -> "old" + i);
        List<String> after = IntStream.range(0, renamed).mapToObj(i -> "new" + i).toList();
        assertEquals(after, LiveComparison.without(after, before));
        return before.looks;
    }

    @Test
    void renamingAllVariablesTakesLinearTime() {
        assertTrue(looks(1_000) > 0);
        assertEquals(2 * looks(1_000), looks(2_000));
        assertEquals(40_000, looks(40_000));
    }
}
