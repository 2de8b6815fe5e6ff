package stet.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The names a published text asks for (spec.md, Resources: variables), one row a construct. */
class VariablesTest {

    @ParameterizedTest(name = "{0} asks for {1}")
    @CsvSource(delimiter = '¦', quoteCharacter = '`', textBlock = """
            {{name}}                                       ¦ name
            {{ name }}                                     ¦ name
            {{{name}}}                                     ¦ name
            {{{ name }}}                                   ¦ name
            {{&name}}                                      ¦ name
            {{& name }}                                    ¦ name
            {{user.name}}                                  ¦ user.name
            {{#items}}x{{/items}}                          ¦ items
            {{^items}}x{{/items}}                          ¦ items
            {{# items }}{{name}}{{/ items }}               ¦ items name
            {{#each items}}{{name}}{{/each}}               ¦ items name
            {{#if vip}}x{{/if}}                            ¦ vip
            {{#unless vip}}x{{/unless}}                    ¦ vip
            {{#with user}}{{name}}{{/with}}                ¦ user name
            {{#if a}}x{{else if other}}y{{else}}z{{/if}}   ¦ a other
            {{#if a}}x{{^}}y{{/if}}                        ¦ a
            {{#each .}}{{.}}{{/each}}                      ¦
            {{.}} {{this}} {{else}}                        ¦
            {{! note }} {{!name}}                          ¦
            {{!-- {{name}} --}}{{other}}                   ¦ other
            {{> footer}}                                   ¦
            {{b}}{{a}}{{b}}{{ a }}                         ¦ b a
            <a href="{{url}}">x</a><img src='{{image}}'>   ¦ url image
            <a href="https://x/{{id}}?a={{token}}&b=1">    ¦ id token
            <style>.x{color:{{color}}}</style>             ¦ color
            <pre><code>{{code}}</code></pre>               ¦ code
            <script>var x = "{{x}}";</script>              ¦ x
            <!--[if mso]>{{outlook}}<![endif]-->           ¦ outlook
            <!-- {{comment}} -->                           ¦ comment
            {{~name~}} {{~ other ~}} {{{~raw~}}}           ¦ name other raw
            {{~#if a~}}x{{~/if~}}                          ¦ a
            {{#each users as |user id|}}{{user.name}} {{id}} {{note}}{{/each}}{{id}} ¦ users note id
            {{#each a as |x|}}{{#each b as |x|}}{{x}}{{/each}}{{x}}{{/each}}{{x}}    ¦ a b x
            {{@index}} {{@key}} {{@first}}                 ¦
            {{@root.company}}                              ¦ company
            {{../name}} {{../../other.x}}                  ¦ name other.x
            {{this.name}} {{this/other}} {{./third}}       ¦ name other third
            {{upper name}}                                 ¦ name
            {{format date "dd.MM.yyyy"}}                   ¦ date
            {{format date 'a b' 3 true null}}              ¦ date
            {{link text=label href=(url path)}}            ¦ label path
            {{#if (eq plan "pro")}}x{{/if}}                ¦ plan
            {{outer (inner a) b}}                          ¦ a b
            {{name | upcase}}                              ¦ name
            {{lookup items 0}}                             ¦ items
            {{items.[0].name}}                             ¦ items.[0].name
            {{first_name}} {{first-name}} {{$x}} {{_y}}    ¦ first_name first-name $x _y
            {{größe}} {{名前}}                              ¦ größe 名前
            {{123}} {{1a}} {{"text"}} {{true}} {{}} {{ }}  ¦
            {name} { {name} } {%name%} %name% ${name}      ¦
            {{#items}}                                     ¦ items
            {{/items}}{{name}}                             ¦ name
            {{name                                         ¦
            {{name} {{other}}                              ¦ other
            `{{
              name
            }}`                                            ¦ name
            {{=<% %>=}}{{name}}                            ¦ name
            """)
    void constructs(String text, String names) {
        List<String> expected = names == null ? List.of() : List.of(names.split(" "));
        assertEquals(expected, Variables.in("", text));
        assertEquals(expected, Variables.in(text, ""));
    }

    @Test
    void theSubjectComesFirst() {
        assertEquals(List.of("c", "a", "b"), Variables.in("{{c}} {{a}}", "{{b}} {{a}} {{c}}"));
    }

    @Test
    void aSectionOfTheSubjectEndsWithIt() {
        assertEquals(List.of("a", "x"), Variables.in("{{#each a as |x|}}", "{{x}}"));
    }

    /** Each is as long as a draft may be; what takes quadratic time takes minutes, and recursion a stack. */
    @ParameterizedTest(name = "2 MiB of {0}")
    @ValueSource(strings = {"{{", "{", "}}", "{{!", "{{!--", "{{!-- }}", "{{{", "{{a", "{{a}}", "{{#a}}", "{{/a}}", "{{#each a as |b|}}",
        "{{#a}}{{b}}", "{{ }", "{{a}", "{{~", "{{>a}}", "{{\"", "{{'a\" }}", "{{a.b.c}}"})
    void hostileTextTakesLinearTime(String part) {
        String text = part.repeat((2 << 20) / part.length());
        assertTimeout(Duration.ofSeconds(10), () -> {
            Tag.in(text);
            Variables.in("", text);
            Publisher publisher = new Publisher(name -> Optional.empty());
            publisher.expand("", text);
        });
    }

    @ParameterizedTest(name = "2 MiB of {0} in one tag")
    @ValueSource(strings = {"../", "this.", "a ", "a.", "\"", "'\"", "(", "a=", "|", "as |a| ", "[", "~", "\n"})
    void hostileTagsTakeLinearTime(String part) throws InterruptedException {
        String text = "{{" + part.repeat((2 << 20) / part.length()) + "x}}";
        Throwable[] failure = new Throwable[1];
        Thread small = new Thread(null, () -> {
            try {
                assertTimeout(Duration.ofSeconds(10), () -> Variables.in("", text));
            } catch (Throwable thrown) {
                failure[0] = thrown;
            }
        }, "small-stack", 256 << 10);
        small.start();
        small.join();
        assertEquals(null, failure[0]);
    }
}
