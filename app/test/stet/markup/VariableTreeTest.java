package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Samples;
import stet.harness.Running;

/** A text's variables as a tree with examples, and variables missing from the test data. */
class VariableTreeTest {
    private static VariableTree tree(String html, String data) {
        return VariableTree.of("", html, Json.tree(data));
    }

    private static String shown(VariableTree tree) {
        return tree.variables().stream().map(VariableTreeTest::shown).collect(Collectors.joining("; "));
    }

    /** Formats a variable with its inner variables: {@code items[] > image, price}, {@code user > name, (mail > to), age}. */
    private static String shown(VariableTree.Variable variable) {
        String names = variable.inner().stream()
                .map(each -> each.inner().isEmpty() || variable.inner().size() == 1 ? shown(each) : "(" + shown(each) + ")")
                .collect(Collectors.joining(", "));
        return variable.name() + (variable.isList() ? "[]" : "") + (variable.inner().isEmpty() ? "" : " > " + names);
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '¦', quoteCharacter = '`', textBlock = """
            # without test data
            {{name}} {{name}} {{mail}}                          ¦ {} ¦ name; mail ¦ name, mail
            {{user.name}} {{user.mail.to}} {{user/age}}         ¦ {} ¦ user > name, (mail > to), age ¦ user
            {{#each items}}{{image}} {{this.price}}{{/each}}    ¦ {} ¦ items[] > image, price ¦ items
            {{#items}}{{image}}{{/items}}{{#words}}{{.}}{{/words}} ¦ {} ¦ items[] > image; words[] ¦ items, words
            {{#if vip}}{{name}}{{else}}{{other}}{{/if}}         ¦ {} ¦ vip; name; other ¦ vip, name, other
            {{^none}}{{name}}{{/none}}                          ¦ {} ¦ none; name ¦ none, name
            {{#with user}}{{name}}{{../top}}{{@root.all}}{{/with}} ¦ {} ¦ user > name; top; all ¦ user, top, all
            {{#each a}}{{#each b}}{{c}}{{../d}}{{../../e}}{{/each}}{{/each}} ¦ {} ¦ a[] > (b[] > c), d; e ¦ a, e
            {{#each items as |item i|}}{{item.title}}{{i}}{{/each}} ¦ {} ¦ items[] > title ¦ items
            {{#each items}}x{{else}}{{empty}}{{/each}}          ¦ {} ¦ items[]; empty ¦ items, empty
            {{#if a}}{{else each items}}{{b}}{{else}}{{c}}{{/if}} ¦ {} ¦ a; items[] > b; c ¦ a, items, c
            {{items.length}} {{items.[0].title}} {{lookup map key}} {{date day "x"}} ¦ {} ¦ items[] > title; map; key; day ¦ items, map, key, day
            {{#each items}}{{@index}}{{#if @first}}{{a}}{{/if}}{{/each}} {{this}} {{.}} ¦ {} ¦ items[] > a ¦ items
            {{#each items}}{{#each .}}{{a}}{{/each}}{{/each}}   ¦ {} ¦ items[] > a ¦ items
            # with test data
            {{#vip}}{{name}}{{/vip}}                            ¦ {"vip":true,"name":"Ada"} ¦ vip; name ¦ ``
            {{#user}}{{name}}{{/user}}                          ¦ {"user":{"name":"Ada"}} ¦ user > name ¦ ``
            {{#each items}}{{title}}{{price}}{{company}}{{/each}} ¦ {"items":[{"title":"a"},{"price":1}],"company":"b"} ¦ items[] > title, price; company ¦ ``
            {{#each items}}{{title}}{{price}}{{/each}}{{name}}  ¦ {"items":[{"title":"a"}]} ¦ items[] > title, price; name ¦ items[].price, name
            {{#each items}}{{title}}{{/each}}                   ¦ {"items":[]} ¦ items[] > title ¦ ``
            {{#user}}{{name}}{{/user}}                          ¦ {"user":null} ¦ user > name ¦ ``
            {{#each map}}{{a}}{{/each}}                         ¦ {"map":{"x":{"b":1}}} ¦ map[] > a ¦ map[].a
            {{user.name}} {{user.age}}                          ¦ {"user":{"name":"Ada"}} ¦ user > name, age ¦ user.age
            {{user.name}} {{user.age}}                          ¦ {"user.name":"Ada"} ¦ user > name, age ¦ user.age
            {{#each groups}}{{#each rows}}{{n}}{{m}}{{/each}}{{/each}} ¦ {"groups":[{"rows":[]},{"rows":[{"n":1}]}]} ¦ groups[] > rows[] > n, m ¦ groups[].rows[].m
            # faults
            {{#each items}}{{a                                  ¦ {} ¦ items[] ¦ items
            {{/each}}{{a}}{{else}}{{b}}                         ¦ {} ¦ a; b ¦ a, b
            """)
    void namesFormThisTreeAndTheseAreMissing(String html, String data, String expected, String missing) {
        VariableTree tree = tree(html, data);
        assertEquals(expected, shown(tree));
        assertEquals(missing, String.join(", ", tree.missing()));
    }

    @Test
    void theSubjectComesFirstAndExamplesComeFromTheTestData() {
        ObjectNode data = (ObjectNode) Json.tree("{\"items\":[{},{\"price\":3}],\"name\":\"Ada\"}");
        VariableTree tree = VariableTree.of("{{name}}", "{{#each items}}{{price}}{{none}}{{/each}}", data);
        assertEquals("name; items[] > price, none", shown(tree));
        assertEquals("Ada", tree.variables().get(0).example().asText());
        assertEquals("[{},{\"price\":3}]", tree.variables().get(1).example().toString());
        assertEquals(3, tree.variables().get(1).inner().get(0).example().asInt());
        assertEquals(null, tree.variables().get(1).inner().get(1).example());
        assertTrue(tree.variables().get(1).inner().get(1).isMissing());
    }

    @Test
    void aNameWithADotHasItsExample() {
        VariableTree tree = VariableTree.of("{{order.number}}", "", Samples.data(Map.of("order.number", "1042")));
        assertEquals("order > number", shown(tree));
        assertEquals("1042", tree.variables().get(0).inner().get(0).example().asText());
    }

    @Test
    void theFirstThousandNamesAreInTheTree() {
        VariableTree tree = tree(IntStream.range(0, 1_234).mapToObj(i -> "{{n" + i + "}}").collect(Collectors.joining()), "{}");
        assertEquals(1_000, tree.variables().size());
        assertEquals("n999", tree.variables().get(999).name());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"{{a}}", "{{#each a}}", "{{#each a}}{{b}}{{/each}}", "{{#a}}{{#a}}{{/a}}", "{{a.b.c.d}}", "{{../a}}", "{{else}}", "{{#if a}}{{else if b}}"})
    void hostileTextTakesLinearTime(String part) {
        ObjectNode data = Json.object();
        ObjectNode inner = data;
        for (int depth = 0; depth < 15; depth++) {
            for (int i = 0; i < 100; i++) {
                inner.withArrayProperty("a").add(i);
            }
            inner = inner.withArrayProperty("a").addObject();
        }
        String deep = "{{#each a}}".repeat(25);
        assertTimeoutPreemptively(Running.PATIENCE, () -> {
            assertTrue(VariableTree.of("", part.repeat((1 << 18) / part.length()), data).variables().size() <= 1_000);
            assertTrue(VariableTree.of("", deep + part.repeat((1 << 18) / part.length()), data).variables().size() <= 1_000);
            VariableTree.of("", "{{" + "a.".repeat(1 << 17) + "a}}", data);
        });
    }
}
