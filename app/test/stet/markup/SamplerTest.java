package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.core.Samples;
import stet.harness.Running;

/** Draft previews with test data. */
class SamplerTest {
    private static final int MAX_CHARS = 4 << 20;
    /** The limit of 8 Mi steps, and one long tag or value. */
    private static final int MAX_STEPS = 9 << 20;
    private static final Map<String, String> SAMPLES = Map.ofEntries(
            Map.entry("name", "Ada & \"Co\" <b>'"), Map.entry("user.name", "Grace"), Map.entry("empty", ""), Map.entry("no", "false"),
            Map.entry("zero", "0"), Map.entry("yes", "true"), Map.entry("items", "[{\"name\":\"Tea\",\"price\":3},{\"name\":\"Milk\",\"price\":1}]"),
            Map.entry("words", "[\"a\",\"<b>\"]"), Map.entry("none", "[]"), Map.entry("order", "{\"id\":7,\"lines\":[{\"n\":1},{\"n\":2}]}"),
            Map.entry("hollow", "{}"), Map.entry("broken", "[1,"), Map.entry("spaced", "  x  "), Map.entry("tags", "{{yes}}"));

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # values
            <p>{{name}}</p>                                  | <p>Ada &amp; &quot;Co&quot; &lt;b&gt;&#x27;</p>
            <p>{{ name }}</p>                                | <p>Ada &amp; &quot;Co&quot; &lt;b&gt;&#x27;</p>
            <p>{{{name}}}</p>                                | <p>Ada & "Co" <b>'</p>
            <p>{{{ name }}}</p>                              | <p>Ada & "Co" <b>'</p>
            <p>{{&name}}</p>                                 | <p>Ada & "Co" <b>'</p>
            {{user.name}} {{order.id}} {{order.none}}        | Grace 7 {{order.none}}
            [{{empty}}]                                      | []
            {{missing}} {{{missing}}} {{&missing}}           | {{missing}} {{{missing}}} {{&missing}}
            [{{spaced}}]                                     | [  x  ]
            {{broken}}                                       | [1,
            {{order.lines}}                                  | [object Object],[object Object]
            {{tags}}                                         | {{yes}}
            a{{! note }}b{{!-- {{name}} --}}c                | abc
            {{.}} {{this}}                                   | {{.}} {{this}}
            # sections
            {{#items}}{{name}} {{price}};{{/items}}          | Tea 3;Milk 1;
            {{#each items}}{{name}};{{/each}}                | Tea;Milk;
            {{#each items}}{{this.name}};{{/each}}           | Tea;Milk;
            {{#each words}}{{.}},{{this}};{{/each}}          | a,a;&lt;b&gt;,&lt;b&gt;;
            {{#words}}{{{.}}}{{/words}}                      | a<b>
            {{#none}}x{{/none}}                              | ``
            {{#each none}}x{{else}}empty{{/each}}            | empty
            {{#with order}}{{id}}{{/with}}                   | 7
            {{#order}}{{#lines}}{{n}}{{id}} {{/lines}}{{/order}} | `17 27 `
            {{#each items}}{{../yes}} {{@root.yes}};{{/each}} | true true;true true;
            {{#yes}}shown{{/yes}}{{#no}}hidden{{/no}}        | shown
            {{#missing}}once {{name}}{{/missing}}            | once Ada &amp; &quot;Co&quot; &lt;b&gt;&#x27;
            # inverted sections
            {{^none}}a{{/none}}{{^items}}b{{/items}}{{^no}}c{{/no}}{{^yes}}d{{/yes}}{{^empty}}e{{/empty}} | ace
            {{^missing}}the other side of it{{/missing}}     | ``
            {{#unless no}}a{{/unless}}{{#unless yes}}b{{/unless}} | a
            {{#items}}{{missing}}{{#if missing}}a{{/if}}{{yes}};{{/items}} | true;true;
            {{#missing}}{{.}}{{this}}{{@index}}{{../yes}}{{yes}}{{/missing}} | {{.}}{{this}}0truetrue
            {{#user}}{{user.name}}{{/user}}{{#if user.name}}a{{/if}} | Gracea
            # conditions
            {{#if yes}}a{{else}}b{{/if}}                     | a
            {{#if no}}a{{else}}b{{/if}}                      | b
            {{#if zero}}a{{^}}b{{/if}}                       | b
            {{#if no}}a{{else if yes}}b{{else}}c{{/if}}      | b
            {{#if no}}a{{else if zero}}b{{else}}c{{/if}}     | c
            {{#if no}}a{{else if zero}}b{{/if}}              | ``
            {{#if items}}{{#each items}}{{name}}{{/each}}{{/if}} | TeaMilk
            {{#if no}}{{#if yes}}a{{else}}b{{/if}}{{else}}c{{/if}} | c
            {{#if hollow}}a{{else}}b{{/if}}                  | a
            # what is at fault stays
            {{#items}}never closed {{name                    | never closed {{name
            {{/items}}text                                   | text
            {{> footer}}                                     | {{> footer}}
            """)
    void htmlIsFilled(String html, String filled) {
        assertEquals(filled, Sampler.html(html, Samples.data(SAMPLES)).text());
    }

    @Test
    void aSubjectIsNoHtml() {
        assertEquals("Ada & \"Co\" <b>'", Sampler.subject("{{name}}", Samples.data(SAMPLES)).text());
    }

    @Test
    void deepNestingIsBounded() {
        String html = "{{#a}}".repeat(5_000) + "x" + "{{/a}}".repeat(5_000);
        assertEquals("", Sampler.html(html, Samples.data(Map.of("a", "true"))).text(), "sections that are too deep are empty");
        assertEquals("x", Sampler.html("{{#a}}".repeat(90) + "x" + "{{/a}}".repeat(90), Samples.data(Map.of("a", "true"))).text());
    }

    @Test
    void longPathsAreRead() {
        assertEquals("b", Sampler.html("{{" + "./".repeat(100_000) + "a}}", Samples.data(Map.of("a", "b"))).text());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"x", "''", "{{this}}", "{{#if no}}y{{/if}}"})
    void multiplicationIsBounded(String body) {
        String array = "[" + "1,".repeat(999) + "1]";
        String html = "{{#a}}".repeat(20) + body + "{{/a}}".repeat(20);
        assertTimeoutPreemptively(Running.PATIENCE, () -> assertTrue(
                Sampler.html(html, Samples.data(Map.of("a", array, "no", "false"))).text().length() <= MAX_CHARS));
    }

    @Test
    void aLargeTextIsNotMultipliedOverTheBound() {
        String array = "[" + "1,".repeat(9_999) + "1]";
        String html = "{{#a}}" + "x".repeat(1 << 20) + "{{/a}}";
        assertEquals(MAX_CHARS, Sampler.html(html, Samples.data(Map.of("a", array))).text().length());
    }

    private static ObjectNode data(String json) {
        return (ObjectNode) Json.tree(json);
    }

    @Test
    void aDocumentFillsInHtmlAndSubject() {
        ObjectNode data = data("{\"user\":{\"name\":\"Ada\",\"tags\":[\"a\",\"b\"]},\"vip\":false,\"note\":\"false\",\"n\":\"0\"}");
        assertEquals("Ada: 0a1b -- yes yes {{x}}", Sampler.html(
                "{{user.name}}: {{#each user.tags}}{{@index}}{{this}}{{/each}} -{{#if vip}}x{{/if}}- {{#if note}}yes{{/if}} {{#if n}}yes{{/if}} {{x}}", data).text());
        assertEquals("{{m.x}}{{m}}{{m.x}}", Sampler.html("{{#each missing as |m|}}{{m.x}}{{m}}{{/each}}{{m.x}}", data).text());
        assertEquals("<Ada>", Sampler.subject("<{{user.name}}>", data).text());
    }

    @Test
    void singleValuesAreADocument() {
        Map<String, String> values = new TreeMap<>(Map.of("a.b", "c", "d", "[1]", "e", "false", "f", ""));
        assertEquals("{\"a.b\":\"c\",\"d\":[1],\"e\":false,\"f\":null}", Samples.data(values).toString());
    }

    /** Nested sections over the same large data, arrays or objects, with long whitespace and long values. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"{{@key}}{{this}}", "{{../../rows}}", "   {{~! a ~}}   ", "{{#if none}}{{else if none}}{{else if none}}a{{/if}}"})
    void dataThatMultipliesIsBounded(String body) {
        ObjectNode data = Json.object();
        for (int i = 0; i < 2_000; i++) {
            data.withArrayProperty("rows").add(i);
            data.withObjectProperty("map").put("key" + i, "value");
        }
        String html = "{{#each @root.rows}}{{#each @root.map as |value key|}}{{#with @root.rows}}".repeat(10) + body.replace("   ", " ".repeat(10_000))
                + "{{/with}}{{/each}}{{/each}}".repeat(10);
        assertTimeoutPreemptively(Running.PATIENCE, () -> {
            Sampler.Filled filled = Sampler.html(html, data);
            assertTrue(filled.cut());
            assertTrue(filled.text().length() <= MAX_CHARS);
            assertTrue(filled.work() <= MAX_STEPS, () -> filled.work() + " steps");
        });
    }

    /** Doubling a name's length at most doubles the work, at any depth. */
    @Test
    void lookingForANameTakesLinearWork() {
        assertTrue(work(20, 2_000) <= 2 * work(20, 1_000));
        assertEquals(work(20, 100_000) - work(20, 1), work(80, 100_000) - work(80, 1));
    }

    private static long work(int sections, int parts) {
        return Sampler.html("{{#o}}".repeat(sections) + "{{" + "x.".repeat(parts) + "y}}" + "{{/o}}".repeat(sections), Samples.data(Map.of("o", "{\"z\":1}"))).work();
    }
}
