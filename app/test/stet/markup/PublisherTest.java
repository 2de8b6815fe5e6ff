package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.base.Refusal;
import stet.harness.Running;

/** Publishing expands shared blocks; errors name the problem and its position. */
class PublisherTest {
    private final Map<String, String> blocks = new HashMap<>(Map.of(
            "footer", "<i>{{company}}</i>", "frame", "[{{> footer}}|{{>footer}}]", "page", "<{{> frame}}>",
            "rows", "{{#*inline \"row\"}}{{n}}{{/inline}}", "table", "{{#a}}{{> cell}}{{/a}}",
            "a", "\n{{> b}}", "b", "\n\n{{> c}}", "c", "{{> a}}", "self", "{{> self}}", "open", "line 1\nline 2 {{ x\n"));

    private Publisher.Expansion publish(String subject, String html) {
        return new Publisher(name -> Optional.ofNullable(blocks.get(name))).publish(subject, html, false);
    }

    private static String html(Publisher.Expansion publication) {
        return new String(publication.html(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '¦', textBlock = """
            <p>{{> footer}}</p>      ¦ <p><i>{{company}}</i></p>
            {{>footer}}{{> footer }} ¦ <i>{{company}}</i><i>{{company}}</i>
            {{~> footer ~}}          ¦ <i>{{company}}</i>
            {{> page}}               ¦ <[<i>{{company}}</i>|<i>{{company}}</i>]>
            {{> "footer"}}{{> 'footer' }}{{> [footer]}} ¦ <i>{{company}}</i><i>{{company}}</i><i>{{company}}</i>
            {{#*inline "row"}}{{n}}{{/inline}}{{#each a}}{{> row}}{{/each}} ¦ {{#*inline "row"}}{{n}}{{/inline}}{{#each a}}{{> row}}{{/each}}
            {{> row}}{{#*inline 'row'}}{{n}}{{/inline}} ¦ {{> row}}{{#*inline 'row'}}{{n}}{{/inline}}
            {{#*inline "row"}}{{n}}{{/inline}}{{> row a b=1}} ¦ {{#*inline "row"}}{{n}}{{/inline}}{{> row a b=1}}
            {{#a}}{{#*inline "footer"}}x{{/inline}}{{> footer}}{{/a}}{{> footer}} ¦ {{#a}}{{#*inline "footer"}}x{{/inline}}{{> footer}}{{/a}}<i>{{company}}</i>
            {{#*inline "row"}}{{> footer}}{{/inline}}{{> row}} ¦ {{#*inline "row"}}<i>{{company}}</i>{{/inline}}{{> row}}
            {{#*inline "f"}}{{> @partial-block}}{{/inline}}{{#> f}}x{{/f}} ¦ {{#*inline "f"}}{{> @partial-block}}{{/inline}}{{#> f}}x{{/f}}
            {{> rows}}{{> row}}      ¦ {{#*inline "row"}}{{n}}{{/inline}}{{> row}}
            {{#*inline "cell"}}x{{/inline}}{{> table}} ¦ {{#*inline "cell"}}x{{/inline}}{{#a}}{{> cell}}{{/a}}
            {{! {{> footer}}         ¦ {{! {{> footer}}
            {{!-- {{> none}} --}}    ¦ {{!-- {{> none}} --}}
            """)
    void blocksAreExpanded(String html, String whole) {
        assertEquals(whole, html(publish("", html)));
    }

    @Test
    void blocksAndVariablesAtAnyDepthAreListed() {
        Publisher.Expansion publication = publish("Hi {{name}}", "{{> page}}{{last}}");
        assertEquals(Set.of("page", "frame", "footer"), publication.blocks().keySet());
        assertEquals(List.of("name", "company", "last"), publication.variables());
    }

    @Test
    void onlyTagsOfBlocksIncludeBlocks() {
        assertEquals(List.of("b"), Publisher.included("{{> b}} {{>b}} {{> b!}} {{{{> no"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '¦', quoteCharacter = '`', textBlock = """
            ``         ¦ `x
            {{> none}}`       ¦ line 2: shared block "none" not found
            ``         ¦ {{> No such}}     ¦ line 1: "{{> No such}}" passes a value to a shared block, which is not supported; blocks use the variables of the email
            ``         ¦ {{> table}}       ¦ shared block "table", line 1: shared block "cell" not found
            ``         ¦ {{#a}}{{#*inline "row"}}{{/inline}}{{/a}}{{> row}} ¦ line 1: shared block "row" not found
            ``         ¦ {{> self}}        ¦ shared block "self", line 1: shared block "self" includes itself: self > self
            ``         ¦ {{> a}}           ¦ shared block "c", line 1: shared block "a" includes itself: a > b > c > a
            ``         ¦ {{> open}}        ¦ shared block "open", line 2: "{{" is not closed
            ``         ¦ `1
            2
            3 {{name`                      ¦ line 3: "{{" is not closed
            ``         ¦ {{{name}}         ¦ line 1: "{{" is not closed
            ``         ¦ {{! note          ¦ line 1: "{{" is not closed
            {{name     ¦ x                 ¦ subject, line 1: "{{" is not closed
            {{>footer}} ¦ x                ¦ subject, line 1: a subject cannot include a shared block
            {{a        ¦ {{> x}}{{> y}}    ¦ line 1: shared block "x" not found; line 1: shared block "y" not found; subject, line 1: "{{" is not closed
            """)
    void aRefusalNamesTheProblemAndItsPlace(String subject, String html, String sentence) {
        assertEquals(sentence, assertThrows(Refusal.class, () -> publish(subject, html)).getMessage());
    }

    @Test
    void blocksNestToAnyDepth() throws InterruptedException {
        int depth = 5_000;
        for (int i = 0; i < depth; i++) {
            blocks.put("n" + i, "{{> n" + (i + 1) + "}}");
        }
        blocks.put("n" + depth, "<b>{{deep}}</b>");
        String[] whole = new String[1];
        Thread small = new Thread(null, () -> whole[0] = html(publish("", "{{> n0}}")), "small-stack", 256 << 10);
        small.start();
        small.join();
        assertEquals("<b>{{deep}}</b>", whole[0]);
        blocks.put("n" + depth, "{{> n0}}");
        assertTrue(assertThrows(Refusal.class, () -> publish("", "{{> n0}}")).getMessage().contains("includes itself"));
    }

    @Test
    void manyBlocksTakeNoQuadraticTime() {
        int depth = 100_000;
        for (int i = 0; i < depth; i++) {
            blocks.put("n" + i, "{{> n" + (i + 1) + "}}");
        }
        blocks.put("n" + depth, "");
        assertTimeout(Running.PATIENCE, () -> publish("", "{{> n0}}"));
    }

    /** Each of 60 blocks includes the next twice. */
    private void doubling(String last) {
        for (int i = 0; i < 60; i++) {
            blocks.put("n" + i, "{{> n" + (i + 1) + "}}{{> n" + (i + 1) + "}}");
        }
        blocks.put("n60", last);
    }

    @Test
    void expansionsThatGrowAreBounded() {
        doubling("x");
        Refusal refusal = assertTimeout(Running.PATIENCE, () -> assertThrows(Refusal.class, () -> publish("", "{{> n0}}")));
        assertEquals("line 1: the HTML, including its shared blocks, is at least 1099511627776 bytes; the limit is 4194304 (4 MiB)", refusal.getMessage());
    }

    @Test
    void eachBlockIsExpandedOnce() {
        doubling("");
        assertEquals("", assertTimeout(Running.PATIENCE, () -> html(publish("", "{{> n0}}"))));
    }

    @Test
    void manyProblemsAreListedUpToABound() {
        Publisher publisher = new Publisher(name -> Optional.empty());
        String html = "{{> none}}\n".repeat(10_000);
        assertEquals(html, publisher.expand("Hello", html));
        assertEquals(1_000, publisher.problems().first().size());
        assertEquals(9_000, publisher.problems().more());
        assertEquals(new Problems.Problem(Problems.Level.REFUSED, null, "html", 1_000, "", "shared block \"none\" not found"),
                publisher.problems().first().get(999));
        assertEquals("lines 1, 2, 3 and 997 more: shared block \"none\" not found",
                assertThrows(Refusal.class, () -> publish("Hello", html)).getMessage());
    }

    @Test
    void aRefusalNamesFiftyProblems() {
        String different = IntStream.rangeClosed(1, 1_000).mapToObj(i -> "{{> n" + i + "}}\n").collect(Collectors.joining());
        assertTrue(assertThrows(Refusal.class, () -> publish("Hello", different)).getMessage()
                .endsWith("; line 50: shared block \"n50\" not found; and 950 more"));
    }
}
