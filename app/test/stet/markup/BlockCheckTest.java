package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.markup.Publisher.ExpansionLimits;

/** Many blocks that include each other are checked with one look at each, and with the result of expanding each of them. */
class BlockCheckTest {
    /** Each block includes the next ones. @param last the text of the last block, or of all blocks that include nothing */
    private static Map<String, String> dense(int number, int includes, String more, String last) {
        return IntStream.range(0, number).boxed().collect(Collectors.toMap(i -> "b" + i, i -> i == number - 1 ? last
                : IntStream.range(i + 1, Math.min(i + 1 + includes, number)).mapToObj(j -> "{{> b" + j + "}}").collect(Collectors.joining()) + more));
    }

    /** @return number of blocks with a problem, and how often blocks were looked up */
    private static String checked(Map<String, String> blocks) {
        AtomicInteger lookups = new AtomicInteger();
        BlockCheck check = new BlockCheck(name -> {
            lookups.incrementAndGet();
            return Optional.ofNullable(blocks.get(name));
        });
        long problems = blocks.keySet().stream().filter(name -> check.problem(name).isPresent()).count();
        return problems + " " + lookups.get();
    }

    @Test
    void emptyBlocksThatIncludeHundredsOfOthersAreNotExpanded() {
        assertEquals("0 999", checked(dense(999, 399, "", "")));
    }

    /** Two blocks together define an inline partial, which only an expansion finds. */
    @Test
    void expansionsThatFindNothingAreFew() {
        Map<String, String> blocks = new TreeMap<>(dense(300, 1, "{{> row}}", "{{#*inl{{> end}}"));
        blocks.put("end", "ine \"row\"}}x{{/inline}}");
        String[] got = checked(blocks).split(" ");
        assertTrue(Integer.parseInt(got[1]) < 300 * 300 / 2 && Integer.parseInt(got[1]) > 0, "lookups: " + got[1]);
    }

    /** The names of a block matter to all blocks that include it, at any depth, but only a few are looked up and kept for each. */
    @ParameterizedTest
    @ValueSource(strings = {"{{> x%d}}", "{{#*inline \"x%d\"}}{{/inline}}"})
    void manyNamesAreNotKeptForEachBlock(String tag) {
        String names = IntStream.range(0, 20_000).mapToObj(i -> tag.replace("%d", String.valueOf(i))).collect(Collectors.joining());
        Map<String, String> blocks = dense(300, 1, "", names);
        AtomicInteger lookups = new AtomicInteger();
        BlockCheck check = new BlockCheck(name -> {
            lookups.incrementAndGet();
            return Optional.ofNullable(blocks.get(name));
        });
        ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = memory.getCurrentThreadAllocatedBytes();
        assertTrue(check.problem("b0").isPresent(), "no email could include it");
        long kilobytes = (memory.getCurrentThreadAllocatedBytes() - before) >> 10;
        assertTrue(lookups.get() < 3_000 && kilobytes < 150_000, lookups + " lookups, " + kilobytes + " KB");
    }

    /** @param scale divides the limits and the texts, so that most runs are short */
    @ParameterizedTest
    @CsvSource({"1, 500, 64", "2, 500, 64", "3, 500, 64", "4, 40, 1"})
    void randomBlocks(long seed, int runs, int scale) {
        ExpansionLimits limits = new ExpansionLimits(Publisher.LIMITS.bytes() / scale, Publisher.LIMITS.steps() / scale);
        Random random = new Random(seed);
        int wrong = 0;
        for (int run = 0; run < runs; run++) {
            Map<String, String> blocks = new TreeMap<>();
            int number = 1 + random.nextInt(8);
            for (int i = 0; i < number; i++) {
                StringBuilder text = new StringBuilder();
                for (int parts = random.nextInt(5); parts > 0; parts--) {
                    text.append(switch (random.nextInt(9)) {
                        case 0, 1, 2 -> "{{> b" + random.nextInt(number) + "}}";
                        case 3 -> "{{> \"b" + Math.min(number - 1, i + 1) + "\"}}";
                        case 4 -> "{{> gone}}";
                        case 5 -> "{{#*inline \"gone\"}}x{{/inline}}";
                        case 6 -> "x".repeat(random.nextInt(1_200_000 / scale));
                        case 7 -> "{{> b0 a=1}}";
                        default -> "\u00fc{{name}}";
                    });
                }
                blocks.put("b" + i, text.toString());
            }
            BlockCheck check = new BlockCheck(name -> Optional.ofNullable(blocks.get(name)), limits);
            for (String name : blocks.keySet()) {
                Publisher publisher = new Publisher(other -> Optional.ofNullable(blocks.get(other)), limits);
                publisher.expand("", "{{> " + name + "}}");
                boolean isRefused = !publisher.problems().stopping(true).isEmpty();
                boolean isFound = check.problem(name).isPresent();
                // An inline partial that is not visible at a tag is left to the email that includes the block.
                boolean isLeft = isRefused && !isFound && blocks.values().stream().anyMatch(text -> text.contains("#*inline"));
                wrong += isRefused == isFound || isLeft ? 0 : 1;
            }
        }
        assertEquals(0, wrong);
    }
}
