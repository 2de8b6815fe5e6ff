package stet.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import stet.core.Json;
import stet.core.Period;
import stet.core.Traffic;

/** What a page is made from is looked at a fixed number of times, however much of it there is. */
class StepsTest {

    /** Counts how often one is looked at. */
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
        assertEquals(after, Publishing.without(after, before));
        return before.looks;
    }

    @Test
    void renamingAllVariablesTakesLinearTime() {
        assertTrue(looks(1_000) > 0);
        assertEquals(2 * looks(1_000), looks(2_000));
        assertEquals(40_000, looks(40_000));
    }

    @Test
    void theDaysOfAPeriodTakeOneLookAtItsTraffic() {
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        Period period = new Period(start, start.plus(Duration.ofDays(30)));
        long first = start.toEpochMilli() / 86_400_000;
        Counted<Traffic> traffic = new Counted<>(3_000, i -> new Traffic(first + i % 30, 1, "ci", "welcome", false, 1, start));
        ArrayNode days = Json.object().putArray("days");
        Dashboard.days(days, traffic, period, start.plus(Duration.ofDays(29)));
        assertEquals("30 100", days.size() + " " + days.get(29).get("ok"));
        assertEquals(3_000, traffic.looks);
    }
}
