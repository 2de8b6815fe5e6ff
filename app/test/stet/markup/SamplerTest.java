package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The preview of a draft with its samples. */
class SamplerTest {
    private static final Map<String, String> SAMPLES = Map.ofEntries(
            Map.entry("name", "Ada & \"Co\" <b>'"), Map.entry("user.name", "Grace"), Map.entry("empty", ""), Map.entry("no", "false"),
            Map.entry("zero", "0"), Map.entry("yes", "true"), Map.entry("items", "[{\"name\":\"Tea\",\"price\":3},{\"name\":\"Milk\",\"price\":1}]"),
            Map.entry("words", "[\"a\",\"<b>\"]"), Map.entry("none", "[]"), Map.entry("order", "{\"id\":7,\"lines\":[{\"n\":1},{\"n\":2}]}"),
            Map.entry("hollow", "{}"), Map.entry("broken", "[1,"), Map.entry("spaced", "  x  "), Map.entry("tags", "{{yes}}"));

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # values
            <p>{{name}}</p>                                  | <p>Ada &amp; &quot;Co&quot; &lt;b&gt;&#39;</p>
            <p>{{ name }}</p>                                | <p>Ada &amp; &quot;Co&quot; &lt;b&gt;&#39;</p>
            <p>{{{name}}}</p>                                | <p>Ada & "Co" <b>'</p>
            <p>{{{ name }}}</p>                              | <p>Ada & "Co" <b>'</p>
            <p>{{&name}}</p>                                 | <p>Ada & "Co" <b>'</p>
            {{user.name}} {{order.id}} {{order.none}}        | Grace 7 {{order.none}}
            [{{empty}}]                                      | []
            {{missing}} {{{missing}}} {{&missing}}           | {{missing}} {{{missing}}} {{&missing}}
            [{{spaced}}]                                     | [  x  ]
            {{broken}}                                       | [1,
            {{order.lines}}                                  | [{&quot;n&quot;:1},{&quot;n&quot;:2}]
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
            {{#missing}}once {{name}}{{/missing}}            | once Ada &amp; &quot;Co&quot; &lt;b&gt;&#39;
            # inverted sections
            {{^none}}a{{/none}}{{^items}}b{{/items}}{{^no}}c{{/no}}{{^yes}}d{{/yes}}{{^empty}}e{{/empty}} | ace
            {{^missing}}the other side of it{{/missing}}     | ``
            {{#unless no}}a{{/unless}}{{#unless yes}}b{{/unless}} | a
            # conditions
            {{#if yes}}a{{else}}b{{/if}}                     | a
            {{#if no}}a{{else}}b{{/if}}                      | b
            {{#if zero}}a{{^}}b{{/if}}                       | b
            {{#if no}}a{{else if yes}}b{{else}}c{{/if}}      | b
            {{#if no}}a{{else if zero}}b{{else}}c{{/if}}     | c
            {{#if no}}a{{else if zero}}b{{/if}}              | ``
            {{#if items}}{{#each items}}{{name}}{{/each}}{{/if}} | TeaMilk
            {{#if no}}{{#if yes}}a{{else}}b{{/if}}{{else}}c{{/if}} | c
            {{#if hollow}}a{{else}}b{{/if}}                  | b
            # what is at fault stays
            {{#items}}never closed {{name                    | never closed {{name
            {{/items}}text                                   | text
            {{> footer}}                                     | {{> footer}}
            """)
    void inAnHtml(String html, String filled) {
        assertEquals(filled, Sampler.html(html, SAMPLES).text());
    }

    @Test
    void aSubjectIsNoHtml() {
        assertEquals("Ada & \"Co\" <b>'", Sampler.subject("{{name}}", SAMPLES).text());
    }

    @Test
    void deepNestingIsBounded() {
        String html = "{{#a}}".repeat(5_000) + "x" + "{{/a}}".repeat(5_000);
        assertEquals("", Sampler.html(html, Map.of("a", "true")).text());
        assertEquals("x", Sampler.html("{{#a}}".repeat(90) + "x" + "{{/a}}".repeat(90), Map.of("a", "true")).text());
        assertTrue(Sampler.html("{{" + "./".repeat(100_000) + "a}}", Map.of("a", "b")).text().equals("b"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"x", "''", "{{this}}", "{{#if no}}y{{/if}}"})
    void multiplicationIsBounded(String body) {
        String array = "[" + "1,".repeat(999) + "1]";
        String html = "{{#a}}".repeat(20) + body + "{{/a}}".repeat(20);
        assertTimeoutPreemptively(Duration.ofMinutes(2), () -> assertTrue(
                Sampler.html(html, Map.of("a", array, "no", "false")).text().length() <= 9 << 20));
    }

    @Test
    void aLargeTextIsNotMultipliedOverTheBound() {
        String array = "[" + "1,".repeat(9_999) + "1]";
        String html = "{{#a}}" + "x".repeat(1 << 20) + "{{/a}}";
        assertTrue(Sampler.html(html, Map.of("a", array)).text().length() <= 9 << 20);
    }

    /** A name twice as long takes at most twice the work, at any depth. */
    @Test
    void lookingForANameTakesLinearWork() {
        assertTrue(work(20, 2_000) <= 2 * work(20, 1_000));
        assertEquals(work(20, 100_000) - work(20, 1), work(80, 100_000) - work(80, 1));
    }

    private static long work(int sections, int parts) {
        return Sampler.html("{{#o}}".repeat(sections) + "{{" + "x.".repeat(parts) + "y}}" + "{{/o}}".repeat(sections), Map.of("o", "{\"z\":1}")).work();
    }
}
