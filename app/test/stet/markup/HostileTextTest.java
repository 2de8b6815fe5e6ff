package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Samples;
import stet.harness.Running;

/** Texts designed to make a tag parser slow or overflow its stack. */
class HostileTextTest {
    /**
     * Each text is as long as a draft can be, so that quadratic algorithms would take minutes and recursion would overflow the
     * stack.
     */
    @Tag("slow")
    @ParameterizedTest(name = "2 MiB of {0}")
    @ValueSource(strings = {"{{", "{", "}}", "{{!", "{{!--", "{{!-- }}", "{{{", "{{a", "{{a}}", "{{#a}}", "{{/a}}", "{{#each a as |b|}}",
        "{{#a}}{{b}}", "{{ }", "{{a}", "{{~", "{{>a}}", "{{\"", "{{'a\" }}", "{{a.b.c}}", "{{[a", "{{ \"{{\" ", "{{f '{{' \"", "{{{{a", "{{{{a}}}}", "\\{{", "{{else}}", "{{#a}}{{/b}}", "{{a b}}", "%7B%7B",
        "{<b>", "{<b>{a", "{&#123;", "&#123;", "{&zwnj;", "&zwnj;", "{a", "{a|", "@A", "%A", "$[", "[a,", "{!!", "<a b=\"c>", "<a b='>'\"<", "<!--[if mso]><!-- -->", "<!--[if !mso]><!-->",
        "<!--[if mso", "<!--[if (", "<!-- [if mso", "<![if mso]>", "<![endif]-->", "[if mso", "<![CDATA[>", "<style>", "{{a\u200b}}"})
    void hostileTextTakesLinearTime(String part) {
        takesLinearTime(part.repeat((2 << 20) / part.length()));
    }

    /** The text that each tag searches for exists, but only at the end. */
    @Tag("slow")
    @ParameterizedTest(name = "2 MiB of {0} before {1}")
    @CsvSource({"'{{{{ ', {{{{/", "{{{{[, ]}}", "'{{{{\"a ', '\"}}'", "{{{{a, }}}}{{{{/a}}}}", "{{[, ]}}", "{{!--, --}}", "'<a ', >"})
    void hostileTextBeforeItsEndTakesLinearTime(String part, String end) {
        takesLinearTime(part.repeat((2 << 20) / part.length()) + end);
    }

    /** One part of a text is long, and what would end it is missing. */
    @ParameterizedTest(name = "{0}, then 2 MiB of {1}, then {2}")
    @CsvSource({"'<!--[if ', 'ms ', !]>x<![endif]-->", "'<!--[if ', (, ]>x<![endif]-->", "<!--[if mso]><!, -, ' x -->'", "'<!--[if mso]>', ' ', 'x -->'",
        "'<!--[if mso]><!--', ' -', ' x -->'", "<a href=y>z</a>, <!--[if mso]><a href=x></a><![endif]-->, <a href=y>z</a>"})
    void hostilePartsTakeLinearTime(String before, String part, String after) {
        takesLinearTime(before + part.repeat((2 << 20) / part.length()) + after);
    }

    private static void takesLinearTime(String text) {
        assertTimeoutPreemptively(Running.PATIENCE, () -> {
            Variables.in("", text);
            Publisher publisher = new Publisher(name -> Optional.empty());
            publisher.expand("", text);
            Checks.of("", text, text, List.of(), 0, publisher);
            Sampler.html(text, Samples.data(Map.of()));
        });
    }

    @ParameterizedTest(name = "2 MiB of {0} in one tag")
    @ValueSource(strings = {"../", "this.", "a ", "a.", "\"", "'\"", "(", "a=", "|", "as |a| ", "[", "~", "\n"})
    void hostileTagsTakeLinearTime(String part) throws InterruptedException {
        String text = "{{" + part.repeat((2 << 20) / part.length()) + "x}}";
        Throwable[] failure = new Throwable[1];
        Thread small = new Thread(null, () -> {
            try {
                assertTimeout(Running.PATIENCE, () -> Variables.in("", text));
            } catch (Throwable thrown) {
                failure[0] = thrown;
            }
        }, "small-stack", 256 << 10);
        small.start();
        small.join();
        assertEquals(null, failure[0]);
    }
}
