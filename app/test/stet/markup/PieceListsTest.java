package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stet.markup.Pieces.PieceKind;

/** The pieces of real emails, and of small ones that are hard to read. */
class PieceListsTest {
    /** Pieces that a reader of each email has checked, in {@code pieces/NAME.txt}. */
    private static final Path LISTS = Path.of("app/test/stet/markup/pieces");

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(LISTS)) {
            return files.map(file -> file.getFileName().toString().replace(".txt", "")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void realEmailsHaveThePiecesThatAReaderChecked(String name) throws IOException {
        assertEquals(Files.readString(LISTS.resolve(name + ".txt")), PieceLists.of(PieceOperationsTest.emails().get(name)));
    }

    /** {@code /} is a line break, {@code >} nesting. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a loop over rows      | <table><tr><th>A</th><th>B</th></tr>{{#each i}}<tr><td>{{a}}</td><td>{{b}}</td></tr>{{/each}}</table> | rows/  columns A B/    blocks/      text A/    blocks/      text B/  list {{#each i}}/    rows/      columns {{a}} {{b}}/        blocks/          text {{a}}/        blocks/          text {{b}}
            a ghost table         | <p>a</p><!--[if mso]><table><tr><td><![endif]--><div><p>b</p></div><!--[if mso]></td></tr></table><![endif]--> | blocks/  text a/  text b
            columns of ghosts     | <p>a</p><!--[if mso]><table><tr><td><![endif]--><div><p>b</p></div><!--[if mso]></td><td><![endif]--><div><img></div><!--[if mso]></td></tr></table><![endif]--> | blocks/  text a/  imageText b/    blocks/      text b/    blocks/      image
            a ghost left open     | <p>a</p><!--[if mso]><table><tr><td><![endif]--><p>b</p> | blocks/  text a/fixed, line 1: a conditional comment opens what no other one closes
            a VML button          | <p>a</p><!--[if mso]><v:rect href="u">Go</v:rect><![endif]--><!--[if !mso]><!--><a href="u" style="padding:1px">Go</a><!--<![endif]--> | blocks/  text a/  button Go
            half a table          | {{#if w}}<table><tr><td>{{/if}}<p>a</p>{{#if w}}</td></tr></table>{{/if}}<p>b</p><p>c</p> | blocks/  text b/  text c/fixed, line 1: a <table> is opened inside {{#if w}} and closed outside/fixed, line 1: </td> inside {{#if w}} closes what is opened outside
            half of two tables    | {{#if w}}<table><tr><td><table><tr><td>{{/if}}<p>a</p>{{#if w}}</td></tr></table></td></tr></table>{{/if}}<p>b</p><p>c</p> | blocks/  text b/  text c/fixed, line 1: a <table> is opened inside {{#if w}} and closed outside/fixed, line 1: </td> inside {{#if w}} closes what is opened outside
            a condition and else  | <p>a</p>{{#if v}}<p>b</p>{{else}}<p>c</p>{{/if}} | blocks/  text a/  condition {{#if v}}/    blocks/      text b/    blocks/      text c
            inline conditions     | <p>a {{#if v}}b{{/if}}</p><p>c</p> | blocks/  text a b/  text c
            tags in attributes    | <p {{#if v}}class="x"{{/if}} title="{{t}}>">a</p><h2 style="color:{{c}}">b</h2> | blocks/  text a/  heading b
            a class makes buttons | <style>.x a{background:red;padding:3px}</style><p>a</p><div class="x"><a href="u">Go</a></div> | blocks/  text a/  button Go
            an ID makes a button  | <style>#x{background:red}</style><p>a</p><a id="x" href="u">Go</a> | blocks/  text a/  button Go
            an ID of a cell       | <style>#x a, .y #z{background:red;padding:3px}</style><p>a</p><div id="x"><a href="u">Go</a></div><div class="y"><a id="z" href="u">Go</a></div> | blocks/  text a/  button Go/  button Go
            a coloured word       | <p>a</p><div><a href="u">Read <b style="background:yellow">more</b></a></div> | blocks/  text a/  text Read more
            a coloured label      | <p>a</p><div><a href="u"><b style="background:yellow">more</b></a></div> | blocks/  text a/  button more
            a link is no button   | <td style="background:#fff"><a href="u">See</a></td><p>a</p> | blocks/  text a
            hidden preheader      | <div style="display:none">x</div><p>a</p><hr><p>b</p> | blocks/  text a/  divider/  text b
            shared blocks         | {{> header}}<p>a</p>{{#each i}}{{> row}}{{/each}} | blocks/  block {{> header}}/  text a/  list {{#each i}}/    blocks/      block {{> row}}
            implied ends          | <table><tr><td>a<tr><td>b</table><p>c</p> | blocks/  section a b/    blocks/      text a/    blocks/      text b/  text c/fixed, line 1: <tr> has no end tag/fixed, line 1: <tr> has no end tag
            wrong order           | <p><b><i>a</b></i></p><p>b</p> | blocks/  text a/  text b
            """)
    void smallEmailsHaveThesePieces(String what, String html, String pieces) {
        assertEquals(pieces.replace("/  ", "\n  ").replace("/fixed", "\nfixed") + "\n", PieceLists.of(html), what);
    }

    /** The colour of each background, which the page shows and edits, is in brackets. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            [#1a2b3c]
            url(hero.png) [#fff] no-repeat
            url(red.png) [red]
            [red] url(red.png)
            url(hero.png)
            url(hero.png) repeat-x fixed
            url(hero.png) no-repeat center/cover
            url({{image}}) [navy]
            linear-gradient(red, rgb(0, 0, 9))
            linear-gradient(red, blue), [RebeccaPurple]
            [rgba(0, 0, 0, .5)]
            var(--red)
            [{{colour}}]
            {{width}}px [red]
            transparent
            inherit
            """)
    void theColourOfABackgroundIsFound(String marked) {
        String style = "<p>a</p><p style=\"background: ";
        String html = style + marked.replaceAll("[\\[\\]]", "") + "\">b</p>";
        List<int[]> ranges = Pieces.of(html).piece().get(1).values().getOrDefault("background", List.of());
        StringBuilder found = new StringBuilder(html);
        ranges.forEach(range -> found.insert(range[1], ']').insert(range[0], '['));
        assertEquals(style + marked + "\">b</p>", found.toString());
    }

    /** A copy for Outlook in the comments around a link is one range of its values, beside the link's own. */
    @Test
    void aCopyAroundALinkIsFoundOnce() {
        String html = "<p>a</p><table><tr><td><!--[if mso]><v:rect href=\"https://a.example/\" fillcolor=\"#123456\"><![endif]-->"
                + "<a href=\"https://a.example/\" style=\"background: #123456; padding: 9px\">Go</a><!--[if mso]></v:rect><![endif]--></td></tr></table>";
        Pieces.Piece button = Pieces.of(html).piece().get(1);
        assertEquals(PieceKind.BUTTON, button.kind());
        for (String property : List.of("link", "background")) {
            List<int[]> ranges = button.values().get(property);
            assertEquals(2, ranges.size(), property);
            assertNotEquals(ranges.get(0)[0], ranges.get(1)[0], property);
        }
    }

    @Test
    void aBraceInACommentEndsNoRule() {
        Pieces pieces = Pieces.of("<style>\n.a { /* } */ color: #123456; }\n.b { color: #654321; }</style>\n<p class=\"a\">a</p><p class=\"b\">b</p>");
        assertEquals(List.of(Map.of("color", 2), Map.of("color", 3)), pieces.piece().stream().map(Pieces.Piece::classes).toList());
    }

    /** Measures the time of the thread, so that other work on the machine does not count. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            <p>                | &amp;                                            |
            <body>             | <p>a                                             |
            <body>             | <b>                                              |
            <p><b>             | {{#if x}}<div></div>{{/if}}                      |
            <body>             | {{#if x}}                                        |
            <body>             | <td>                                             |
            <body>             | <div style='color:red                            |
            <a href=x style='  | color:red;                                       | '>x</a><p>a</p>
            <body>             | <!--[if mso]><table><tr><td><![endif]-->         |
            <body>             | <i>x</b>                                         |
            <body>             | {{#if a}}<table>{{/if}}x{{#if a}}</table>{{/if}} |
            <style>            | .a .b{color:red}                                 | </style><p class=b>a</p><p>b</p>
            <p>                | {{                                               |
            """)
    void hostileEmailsTakeLinearTime(String head, String part, String tail) {
        String html = head + part.repeat((2 << 20) / part.length()) + (tail == null ? "" : tail);
        long start = cpu();
        Pieces.of(html);
        assertTrue(cpu() - start < 3_000_000_000L, "CPU time in ms: " + (cpu() - start) / 1_000_000);
    }

    private static long cpu() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    @Test
    void elementsAroundThePiecesAreNoPieces() {
        Pieces wrapped = Pieces.of("<div>".repeat(20_000) + "<p>a</p><p>b</p>" + "</div>".repeat(20_000));
        assertEquals(2, wrapped.piece().size());
        assertTrue(wrapped.fixed().isEmpty());
    }

    @Test
    void deepAndLongEmailsHaveNoPieces() {
        assertEquals("The parts of this email are nested more than 50 deep, so it can be edited only as HTML.",
                Pieces.of("<div><p>a</p>".repeat(60) + "</div>".repeat(60)).problem());
        assertEquals("This email has more than 100,000 elements, texts and tags, so it can be edited only as HTML.", Pieces.of("<p>{{x}}</p>".repeat(60_000)).problem());
    }
}
