package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.markup.ClientSupport.FeatureKind;

/** Findings in CSS, and how often each char is read. */
class CssTest {
    /** The features found, except words and whole values. */
    private static String found(String css, boolean isAttribute) {
        List<String> found = new ArrayList<>();
        new Css(css, Long.MAX_VALUE, (kind, name, place) -> {
            if (kind != FeatureKind.WORD && kind != FeatureKind.VALUE) {
                found.add(kind.name().toLowerCase(Locale.ROOT) + " " + name);
            }
        }).read(0, css.length(), isAttribute);
        return String.join(", ", found);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a { color: RED }                               | selector type, property color
            .a.b > p:Hover, #c ~ [d] + *, a b              | ``
            .a.b > p:Hover, #c ~ [d] + *, a b { }          | selector class, selector chained, selector child, selector type, pseudo hover, selector group, selector id, selector sibling, selector attribute, selector adjacent, selector universal, selector group, selector type, selector descendant, selector type
            p::before:not(.a .b):nth-child(2n + 1) { }     | selector type, pseudo before, pseudo not, pseudo nth-child
            a { width: calc(1em + 50%); margin: -1.5px }   | selector type, property width, function calc, unit em, unit %, property margin, unit px
            a { background: url( "x;y}" ) no-repeat; top: 0em } | selector type, property background, url  "x;y}" , property top, unit em
            a { b: f(g;h: 1px}i{) ; j: k } l { m: n }      | selector type, property b, function f, unit px, property j, selector type, property m
            a { b: f(g(;)h: i;) ; j: k }                   | selector type, property b, function f, function g, property j
            @supports (a: b;{}) { c { d: e } }             | at supports, selector type, property d
            a { b: f)c; d: e }                             | selector type, property b, property d
            a { b: "}" ; c: '\\';' ; d: e\\;f; }           | selector type, property b, property c, property d
            a { /* b: c; } */ d: e /* f */ }               | selector type, other css-comment, other css-comment, property d
            <!-- a { b: c } -->                            | selector type, property b
            @import url(a.css); @media (max-width: 1px) and (HOVER) { a { b: c } } d { } | at import, at media, media max-width, media hover, selector type, property b, selector type
            @font-face { src: url(a) } @keyframes a { from { b: 1s } 50% { c: d } } e { } | at font-face, property src, url a, at keyframes, property b, unit s, property c, selector type
            a { b { c: d } &:hover { e: f } }              | selector type, other nesting, selector type, property c, other nesting, other nesting, pseudo hover, property e
            a { --b: c; d: var(--b) } } } e { f: g }       | selector type, property --b, other custom-property, property d, function var, selector type, property f
            a { {{#if x}}b: {{c}}px;{{/if}} d: {{{e}}} }   | selector type, property b, property d
            a { b: {{ }                                    | selector type, property b
            :root                                          | ``
            a; b: c                                        | ``
            """)
    void theFeaturesOfAStyleElementAreFound(String css, String expected) {
        assertEquals(expected, found(css, false));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            color:red;{{#if a}}top:1px{{/if}};float:left   | property color, property top, unit px, property float
            font-family:&quot;A;B&#39;&quot;;color:red     | property font-family, property color
            color:{{color}};width:{{w}}%;                  | property color, property width
            a{b:c}                                         | property a{b
            b:f(g;h:1px);i:j                               | property b, function f, unit px, property i
            ;;:;b:                                         | property b
            {{#if a}}display:flex{{/if}}                   | property display
            {{#if a}}top:1px{{else}}float:left{{/if}}color:red | property top, unit px, property float, property color
            color:{{c}} {{#each a}}float:left{{/each}}     | property color, property float
            width:{{#if a}}calc(1em){{else}}2%{{/if}};top:{{t}} | property width, function calc, unit em, unit %, property top
            {{^a}}--b:c{{/a}} {{#b}} gap : 1px {{/b}}      | property --b, other custom-property, property gap, unit px
            background:url({{#if a}}b:c{{/if}});top:0em    | property background, url {{#if a}}b:c{{/if}}, property top, unit em
            """)
    void theFeaturesOfAStyleAttributeAreFound(String css, String expected) {
        assertEquals(expected, found(css, true));
    }

    /** In attributes and in style elements. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {{#if a}}display:flex{{/if}}                    | display:flex
            display:{{#if a}}flex{{else}}grid !important{{/if}} | display:flex, display:grid
            {{#a}}display:none{{/a}}{{^a}}display : block{{/a}} | display:none, display:block
            {{#if a}}position:fixed{{/if}};color:{{c}}      | position:fixed
            color:{{c}}                                     | ``
            """)
    void wholeValuesAreFoundWithoutTheTagsAroundThem(String css, String expected) {
        assertEquals(expected, wholeValues(css, true));
        assertEquals(expected, wholeValues(".a { " + css + " }", false));
    }

    private static String wholeValues(String css, boolean isAttribute) {
        List<String> found = new ArrayList<>();
        new Css(css, Long.MAX_VALUE, (kind, name, place) -> {
            if (kind == FeatureKind.VALUE) {
                found.add(name);
            }
        }).read(0, css.length(), isAttribute);
        return String.join(", ", found);
    }

    /** The longest draft, in a style element and in an attribute: each char is read at most twice, so time is linear. */
    @ParameterizedTest(name = "2 MiB of {0}")
    @ValueSource(strings = {"{", "}", "a{", "a{}", "(", ")", "url(", "{{", "{{ }}", "@", "@media", "@media(", "@a(", "\"", "'\n", "/*", "/**/", "<!--", "-->",
        "&", "&#", "a:b;", "a{b:c;}", "a{b:url(", "a,", "a{b:{{c}}}", ".a.b", ":not(", "[", "\\", "#", "!", "-", "1px ", "a{b:1px solid red}", ":", ";",
        "a{--b:c}", "@keyframes a{", " ", "\n", "\u00e9", "a{b:calc(", "a{b:\"{{", "a:{{b}}c", "{{a}}b:c", "a:{{b}} "})
    void eachCharIsReadTwiceAtMost(String part) {
        String css = part.repeat((2 << 20) / part.length());
        for (boolean isAttribute : new boolean[] {false, true}) {
            Css read = new Css(css, Long.MAX_VALUE, (kind, name, place) -> { });
            read.read(0, css.length(), isAttribute);
            assertTrue(read.steps() <= 2L * css.length() + 64, read.steps() + " steps for " + css.length() + " chars");
        }
    }

    /** Of several attributes together: 100 steps read at most 25 declarations of four chars, of which each has three findings. */
    @Test
    void nothingIsReadBeyondTheBound() {
        List<String> found = new ArrayList<>();
        Css css = new Css("a:b;".repeat(1_000), 100, (kind, name, place) -> found.add(name));
        css.read(0, 4_000, true);
        css.read(0, 4_000, true);
        assertTrue(css.steps() < 110, "steps " + css.steps());
        assertTrue(!found.isEmpty() && found.size() <= 3 * 25, found.size() + " findings");
    }
}
