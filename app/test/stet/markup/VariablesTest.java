package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The variables of a published text (api.md, Variables), one construct per row. */
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
            {{~name~}} {{~ other ~}}                         ¦ name other
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
            {{first_name}} {{first-name}} {{$x}} {{_y}}    ¦ first_name first-name $x _y
            {{größe}} {{名前}} {{a:b}} {{a?}}               ¦ größe 名前 a:b a?
            {{}} {{ }}                                     ¦
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
    void aTextAsksForTheseNames(String text, String names) {
        List<String> expected = names == null ? List.of() : List.of(names.split(" "));
        assertEquals(expected, Variables.in("", text));
        assertEquals(expected, Variables.in(text, ""));
    }

    /** For each text, the names that Handlebars 4.7.10 looked up while rendering it, separated by commas. */
    @ParameterizedTest(name = "{0} asks for {1}")
    @CsvSource(delimiter = '¦', quoteCharacter = '`', textBlock = """
            # paths and segment literals
            {{[first name]}}                               ¦ first name
            {{user.[first name]}}                          ¦ user.first name
            {{user/name}}                                  ¦ user.name
            {{../user/name}}                               ¦ user.name
            {{../a}} {{../../b.c}}                         ¦ a,b.c
            {{@root/user}}                                 ¦ user
            {{@root}} {{@root.a.b}} {{@index}} {{@../index}} {{@x.y}} ¦ a.b
            {{items.[0].name}} {{list.0.name}}             ¦ items.0.name,list.0.name
            {{a.[b.c]}} {{[a/b]}}                          ¦ a.b.c,a/b
            {{this}} {{.}} {{..}} {{../..}} {{this.a}} {{this/b}} {{./c}} {{this/../d}} ¦ a,b,c,d
            # literals alone are names, and given to a helper they are not
            {{1a}} {{123}} {{12.5}}                        ¦ 1a,123,12.5
            {{"text"}} {{'a text'}} {{true}} {{null}}      ¦ text,a text,true,null
            {{f -1 -1.5 1x -x}} {{f 'a b' 3 true null x}}  ¦ 1x,-x,x
            {{\u00a0name\u00a0}}                                     ¦ name
            # whitespace control
            {{~{a}~}} {{~{ b }~}} {{~&c~}}                 ¦ a,b,c
            {{~#if a~}}{{~b~}}{{~else~}}{{~c~}}{{~/if~}}   ¦ a,b,c
            # comments
            {{!-- c --~}}{{x}}                             ¦ x
            {{~!-- {{x}} --~}}                             ¦
            {{~! {{x ~}}b{{!name}} {{! name}}{{y}}         ¦ y
            {{!-- a }} {{b}} --}} {{y}}                    ¦ y
            # helpers, what they are given, and strings with braces
            {{first name}}                                 ¦ name
            {{f a "}}" d}}                                 ¦ a,d
            {{f "{{" a}} {{f '}}' b}}                      ¦ a,b
            {{f 'it\\'s' a}} {{f "a\\"b}}" c}}               ¦ a,c
            {{f a=b c="d" e=(g h i=j) k=1 l=true m=@index n=@root.o}} ¦ b,h,j,o
            {{f (g) h}} {{a (b c) (d)}}                    ¦ h,c
            {{f [a b] [c]=d}}                              ¦ a b,d
            {{lookup items 0}} {{log x}} {{log}} {{if}}    ¦ items,x
            {{#each each}}{{/each}} {{f as}}               ¦ each,as
            # sections
            {{#if a}}x{{^}}y{{b}}{{/if}}                   ¦ a,b
            {{#if a}}x{{~^~}}y{{b}}{{/if}}                 ¦ a,b
            {{#if a}}x{{else if b}}{{c}}{{else}}{{d}}{{/if}} ¦ a,b,c,d
            {{^items}}x{{^}}{{y}}{{/items}}                ¦ items,y
            {{#foo.bar}}x{{/foo.bar}}{{#[a b]}}{{/[a b]}}  ¦ foo.bar,a b
            {{elsewhere}}                                  ¦ elsewhere
            # what a section declares
            {{#each a as |x|}}{{x}}{{x.y}}{{./x}}{{/each}} ¦ a,x
            {{#each a as |x|}}{{x}}{{this.x}}{{/each}}     ¦ a,x
            {{#each a as |x|}}{{x}}{{else}}{{x}}{{/each}}  ¦ a,x
            {{#each a as | x |}}{{[x]}}{{x/c}}{{/each}}    ¦ a
            {{#each a as |b c|}}{{f b c d}}{{#if b}}{{c.d}}{{/if}}{{/each}} ¦ a,d
            {{#if a}}{{else each b as |x|}}{{x}}{{else}}{{x}}{{/if}} ¦ a,b,x
            {{#if a}}{{else each b as |x|}}{{x}}{{x.y}}{{/if}} ¦ a,b
            {{#if a}}{{else each b as |x|}}{{/if}}{{c}}{{x}} ¦ a,b,c,x
            {{#a}}{{#b as |c|}}{{c}}{{/b}}{{c}}{{/a}}      ¦ a,b,c
            # partials, decorators, raw blocks, braces that are text
            {{#> footer}}x{{y}}{{/footer}}                 ¦ y
            {{#> layout ctx title=t}}{{/layout}}           ¦ ctx,t
            {{#> (f a)}}x{{/undefined}}                    ¦ a
            {{#*inline "p"}}{{x}}{{/inline}}{{y}}          ¦ x,y
            {{{{raw}}}} {{x}} {{{{/raw}}}}{{y}}            ¦ raw,y
            {{{{raw a}}}} {{x}} {{{{/raw}}}}{{y}}          ¦ a,y
            \\{{x}}{{y}}                                   ¦ y
            \\\\{{x}}{{y}}                                 ¦ x,y
            a\\{{x}} b {{y}} \\{{{z}}} {{w}}                 ¦ y,w
            """)
    void namesAreThoseThatHandlebarsLooksUp(String text, String names) {
        List<String> expected = names == null ? List.of() : List.of(names.split(","));
        assertEquals(expected, Variables.in("", text));
        assertEquals(expected, Variables.in(text, ""));
    }

    /** The author is warned of each, once. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"{{ .Name }}", "{{&nbsp;name&nbsp;}}", "{{<b>name</b>}}", "{{name;}}", "{{%name%}}", "{{ user[\"name\"] }}",
        "{{foo.this}}", "{{foo/../bar}}", "{{a=b}}", "{{f a=b=c}}", "{{(f a)}}", "{{f (g}}", "{{f g)}}", "{{#if a && b}}x{{/if}}", "{{f \"x}}",
        "{{.a}}", "{{f [a}}", "{{@}}", "{{#each a as |x}}y{{/each}}", "{{a ()}}", "{{f b=}}", "{{name!}}", "{{{~raw~}}}"})
    void tagsThatHandlebarsCannotCompileHaveNoName(String text) {
        assertEquals(List.of(), Variables.in("", text));
        int[] unread = {0};
        Variables.read(text, new Variables.Listener() {
            @Override
            public void name(String name, Tag tag) {
                throw new AssertionError(name);
            }

            @Override
            public void unread(Tag tag) {
                unread[0]++;
            }
        });
        assertEquals(1, unread[0]);
    }

    @Test
    void theSubjectComesFirst() {
        assertEquals(List.of("c", "a", "b"), Variables.in("{{c}} {{a}}", "{{b}} {{a}} {{c}}"));
    }

    @Test
    void aSectionOfTheSubjectEndsWithIt() {
        assertEquals(List.of("a", "x"), Variables.in("{{#each a as |x|}}", "{{x}}"));
    }
}
