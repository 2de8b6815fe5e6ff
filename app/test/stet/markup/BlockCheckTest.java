package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
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

    /** Blocks that count how often they are looked up. */
    private static final class Counted implements Function<String, Optional<String>> {
        private final Map<String, String> blocks;
        int lookups;

        Counted(Map<String, String> blocks) {
            this.blocks = blocks;
        }

        @Override
        public Optional<String> apply(String name) {
            lookups++;
            return Optional.ofNullable(blocks.get(name));
        }

        long problems() {
            BlockCheck check = new BlockCheck(this);
            return blocks.keySet().stream().filter(name -> check.problem(name).isPresent()).count();
        }
    }

    @Test
    void emptyBlocksThatIncludeHundredsOfOthersAreNotExpanded() {
        Counted blocks = new Counted(dense(999, 399, "", ""));
        assertEquals(0, blocks.problems());
        assertEquals(999, blocks.lookups);
    }

    /** Two blocks together define an inline partial, which only an expansion finds. */
    @Test
    void expansionsThatFindNothingAreFew() {
        Map<String, String> blocks = new TreeMap<>(dense(300, 1, "{{> row}}", "{{#*inl{{> end}}"));
        blocks.put("end", "ine \"row\"}}x{{/inline}}");
        Counted counted = new Counted(blocks);
        counted.problems();
        assertTrue(counted.lookups < 300 * 300 / 2, "lookups: " + counted.lookups);
    }

    /** The names of a block matter to all blocks that include it, at any depth, but only a few are looked up and kept for each. */
    @ParameterizedTest
    @ValueSource(strings = {"{{> x%d}}", "{{#*inline \"x%d\"}}{{/inline}}"})
    void manyNamesAreNotKeptForEachBlock(String tag) {
        String names = IntStream.range(0, 20_000).mapToObj(i -> tag.replace("%d", String.valueOf(i))).collect(Collectors.joining());
        Counted blocks = new Counted(dense(300, 1, "", names));
        BlockCheck check = new BlockCheck(blocks);
        ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = memory.getCurrentThreadAllocatedBytes();
        assertTrue(check.problem("b0").isPresent(), "no email could include it");
        long kilobytes = (memory.getCurrentThreadAllocatedBytes() - before) >> 10;
        assertTrue(blocks.lookups < 3_000 && kilobytes < 150_000, blocks.lookups + " lookups, " + kilobytes + " KB");
    }

    /** Random blocks are rejected if and only if an email that includes one cannot be published. @param scale divides limits and texts, so that most runs are short */
    @ParameterizedTest
    @CsvSource({"1, 500, 64", "2, 500, 64", "3, 500, 64", "4, 40, 1"})
    void theResultIsThatOfExpandingEachBlock(long seed, int runs, int scale) {
        ExpansionLimits limits = new ExpansionLimits(Publisher.LIMITS.bytes() / scale, Publisher.LIMITS.steps() / scale);
        Random random = new Random(seed);
        List<String> wrong = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            Map<String, String> blocks = randomBlocks(random, scale);
            BlockCheck check = new BlockCheck(name -> Optional.ofNullable(blocks.get(name)), limits);
            for (String name : blocks.keySet()) {
                Publisher publisher = new Publisher(other -> Optional.ofNullable(blocks.get(other)), limits);
                publisher.expand("", "{{> " + name + "}}");
                boolean isRefused = !publisher.problems().stopping(true).isEmpty();
                boolean isFound = check.problem(name).isPresent();
                // An inline partial that is not visible at a tag is left to the email that includes the block.
                boolean isLeft = isRefused && !isFound && blocks.values().stream().anyMatch(text -> text.contains("#*inline"));
                if (isRefused != isFound && !isLeft) {
                    wrong.add(name + " of run " + run);
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    private static Map<String, String> randomBlocks(Random random, int scale) {
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
        return blocks;
    }
}
