package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.harness.Running;
import stet.markup.Html.Attribute;
import stet.markup.Html.HtmlKind;
import stet.markup.Html.Token;

/** HTML tokens and their positions. */
class HtmlTest {
    private static final int LONG = 1 << 18;

    private static List<Token> tokens(String html) {
        return StreamSupport.stream(Html.in(html).spliterator(), false).toList();
    }

    private static String shown(Token token) {
        String attributes = token.attributes().stream().map(each -> " " + each.name() + (each.valueStart() > each.nameEnd() ? "=" + each.value() : ""))
                .collect(Collectors.joining());
        String content = token.kind() == HtmlKind.START || token.kind() == HtmlKind.END ? token.name() + attributes : token.source();
        return (token.hidden() ? "hidden " : "") + token.kind().name().toLowerCase() + " " + content;
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            # elements and attributes
            Hi <B>you</b >!                         | text Hi ; start b; text you; end b; text !
            <a HREF="x" b='y' c=z d e = "f">        | start a href=x b=y c=z d e=f
            <a href=x/y?a=b&c>                      | start a href=x/y?a=b&c
            <img alt="a > b" src='c>d'>             | start img alt=a > b src=c>d
            <br/><br /><hr a=b/>                    | start br; start br; start hr a=b/
            <a b=1 B=2 b>                           | start a b=1 b=2 b
            <a b=""c=''d=>                          | start a b= c= d=
            <a =b=c "d" e'f>                        | start a =b=c "d" e'f
            <a/b//c=d>                              | start a b c=d
            <v:rect xmlns:v="u">                    | start v:rect xmlns:v=u
            </p class="x>y">z                       | end p; text z
            <p~class~=~"x">                         | start p class=x
            # text
            a < b <3 <> << & < c                    | text a < b <3 <> << & < c
            <a<b>                                   | start a<b
            # tags that do not end
            a<                                      | text a<
            a</                                     | text a</
            <p>a<b c="d>e</p>                       | start p; text a; unclosed <b c="d>e</p>
            <p>a<b c                                | start p; text a; unclosed <b c
            <p>a</b                                 | start p; text a; unclosed </b
            <p>a<b c=                               | start p; text a; unclosed <b c=
            # comments and declarations
            <!doctype html><p>                      | declaration <!doctype html>; start p
            <!DOCTYPE html PUBLIC "-//W3C//DTD" "x"> | declaration <!DOCTYPE html PUBLIC "-//W3C//DTD" "x">
            <?xml version="1.0"?>a                  | declaration <?xml version="1.0"?>; text a
            a</>b</ p>c<!>d<!-x>e                   | text a; declaration </>; text b; declaration </ p>; text c; declaration <!>; text d; declaration <!-x>; text e
            <![CDATA[a > b]]>                       | declaration <![CDATA[a >; text  b]]>
            a<!--b-->c                              | text a; comment <!--b-->; text c
            <!--<p>--><!---->c                      | comment <!--<p>-->; comment <!---->; text c
            <!-->a<!--->b                           | comment <!-->; text a; comment <!--->; text b
            <!--a--!>b<!--a->b--c--                 | comment <!--a--!>; text b; comment <!--a->b--c--
            <!--a <!-- b --> c -->                  | comment <!--a <!-- b -->; text  c -->
            <!-- {{a "-->"}}                        | comment <!-- {{a "-->; text "}}
            a<!doctype                              | text a; declaration <!doctype
            # conditional comments
            <!--[if mso]><b>x</b><![endif]-->y      | condition <!--[if mso]>; hidden start b; hidden text x; hidden end b; condition <![endif]-->; text y
            <!--[if gte mso 9]><![endif]-->         | condition <!--[if gte mso 9]>; condition <![endif]-->
            <!--[if mso]>a<![endif]>b<![endif] -->c | condition <!--[if mso]>; hidden text a; hidden declaration <![endif]>; hidden text b; condition <![endif] -->; text c
            <!--[if mso]>x-->y                      | comment <!--[if mso]>x-->; text y
            <!--[if mso]x<![endif]-->y              | comment <!--[if mso]x<![endif]-->; text y
            <!--[if !mso]><!--><p><!--<![endif]-->  | comment <!--[if !mso]><!-->; start p; comment <!--<![endif]-->
            <!--[if !mso]><!-- --><p><!--<![endif]--> | comment <!--[if !mso]><!-- -->; start p; comment <!--<![endif]-->
            <![if !mso]><p><![endif]>               | declaration <![if !mso]>; start p; declaration <![endif]>
            <!--[if a]><b c="<![endif]-->d          | condition <!--[if a]>; hidden unclosed <b c="; condition <![endif]-->; text d
            <!--[if a]><title>b<![endif]-->c        | condition <!--[if a]>; hidden start title; hidden raw b; condition <![endif]-->; text c
            <!--[if a]>{{b <![endif]-->c}}          | condition <!--[if a]>; hidden text {{b ; condition <![endif]-->; text c}}
            <!--[if a]><!--[if b]>c<![endif]-->d    | condition <!--[if a]>; hidden comment <!--[if b]>c; condition <![endif]-->; text d
            <!--[if a]>b<![endif]--!>c              | condition <!--[if a]>; hidden text b; condition <![endif]--!>; text c
            # raw text
            <style>a>b{}<i></style>c                | start style; raw a>b{}<i>; end style; text c
            <SCRIPT x=1>a</p></Script >b            | start script x=1; raw a</p>; end script; text b
            <title>a</titles></title/>b             | start title; raw a</titles>; end title; text b
            <textarea><p></textarea>                | start textarea; raw <p>; end textarea
            <style></style><script/>a</script>      | start style; end style; start script; raw a; end script
            <title>a<b                              | start title; raw a<b
            <plaintext></plaintext>a                | start plaintext; raw </plaintext>a
            # tags of Handlebars
            Hi {{name}}, <b>                        | text Hi ; tag {{name}}; text , ; start b
            {{#if (lt a "<b>")}}c{{/if}}            | tag {{#if (lt a "<b>")}}; text c; tag {{/if}}
            <a href="{{t "x>"}}" b={{c d}}>e        | start a href={{t "x>"}} b={{c d}}; text e
            <a {{#if b}}class="c"{{/if}} d>         | start a class=c d
            <a{{#if b}} c{{else}}d=e{{/if}}>        | start a c d=e{{/if}}
            <a {{b}} data-{{c}}="d" {{e}}=f>        | start a {{b}} data-{{c}}=d {{e}}=f
            <h{{level}}>a</h{{level}}>              | start h {{level}}; text a; end h
            <{{b}}> </{{c}}>                        | text <; tag {{b}}; text > ; declaration </{{c}}>
            {{!-- <p> --}}<p>{{! <b> }}             | tag {{!-- <p> --}}; start p; tag {{! <b> }}
            a {{b <i>c {{                           | text a {{b ; start i; text c {{
            <style>{{a "</style>"}}</style>         | start style; raw {{a "</style>"}}; end style
            \\{{a}} {{=<% %>=}}<p>                  | tag \\{{; text a}} ; tag {{=<% %>=}}; start p
            {{{{raw}}}}<b>{{{{/raw}}}}              | tag {{{{raw}}}}; start b; tag {{{{/raw}}}}
            """)
    void htmlHasTheseTokens(String html, String expected) {
        String text = html.replace('~', '\n').replace("\\\\", "\\");
        assertEquals(expected.replace("\\\\", "\\"), tokens(text).stream().map(HtmlTest::shown).collect(Collectors.joining("; ")));
        assertWhole(text);
    }

    @Test
    void placesAreExact() {
        String html = "<p>Hi</p><a\n href = \"{{url}}\" title=x y>";
        Token a = tokens(html).get(3);
        assertEquals(9, a.start());
        assertEquals(html.length(), a.end());
        assertEquals("<a", html.substring(a.start(), a.nameEnd()));
        assertEquals("<p>Hi</p><a\n href = \"|{{url}}|\" title=|x| y||>", mark(html, a));
        assertEquals("{{url}}", a.attribute("href").value());
        assertEquals(null, a.attribute("hre"));
        assertEquals("", a.attribute("y").value());
    }

    private static String mark(String html, Token token) {
        StringBuilder marked = new StringBuilder(html);
        for (int i = token.attributes().size() - 1; i >= 0; i--) {
            Attribute each = token.attributes().get(i);
            marked.insert(each.valueEnd(), '|').insert(each.valueStart(), '|');
        }
        return marked.toString();
    }

    @Test
    void nullsAndUnpairedSurrogatesAreKeptAndOnlyAsciiIsLowered() {
        assertEquals(List.of("text \0", "start a\0b \0=\0", "text \0\ud800"),
                tokens("\0<a\0B \0=\"\0\">\0\ud800").stream().map(HtmlTest::shown).toList());
        assertEquals(List.of("start p\u0130\u212a \u017f"), tokens("<P\u0130\u212a \u017f>").stream().map(HtmlTest::shown).toList());
        assertEquals(List.of("start style", "raw </\u017ftyle>", "end style"), tokens("<style></\u017ftyle></STYLE>").stream().map(HtmlTest::shown).toList());
    }

    @Test
    void anEmptyTextHasNoTokens() {
        assertFalse(Html.in("").iterator().hasNext());
        assertThrows(NoSuchElementException.class, () -> Html.in("").iterator().next());
    }

    @Test
    void theFirstThousandAttributesAreListed() {
        Token token = tokens("<a" + " b=c".repeat(1_001) + " d>").get(0);
        assertEquals(1_000, token.attributes().size());
        assertNull(token.attribute("d"), "the last one");
        assertEquals(HtmlKind.START, token.kind());
    }

    /** Each text takes milliseconds; an algorithm with quadratic time would take minutes. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"<", "</", "<!", "<!--", "<!-- --", "<a ", "<a b=\"", "<a b='\" ", "\"", "'<a \"", "<title>", "<title></", "<style></styl", "\0",
        "<!--[if ", "<!--[if x]>", "<!--[if x]><![endif]", "<!--[if x]>--><![endif]", "<![CDATA[", "<![endif]-->", "<!--[if x]><![endif]-->", "<!--[if x]>{{! <![endif]-->",
        "{{", "{{a}}", "<a {{", "<a {{b}}", "<a {{#b}}", "<a b=\"{{!", "{{{{a", "{{\"", "<a b={{[", "<!--[if x]><a b='<![endif]-->", "<?", "&", "--", "<a/"})
    void hostileTextTakesLinearTime(String part) {
        String html = part.repeat(LONG / part.length());
        assertTimeoutPreemptively(Running.PATIENCE, () -> {
            assertWhole(html);
            assertWhole("<p>" + html + "</p><title>" + html.substring(LONG / 2));
        });
    }

    @Test
    void theLongestDraftTakesLinearTime() {
        assertTimeoutPreemptively(Running.PATIENCE, () -> assertWhole("<".repeat(2 << 20)));
    }

    @Test
    void anyMixtureOfPartsIsReadWhole() {
        List<String> parts = List.of("<", ">", "/", "!", "--", "-", "\"", "'", "=", " ", "\n", "a", "b", "<a", "</a>", "<title>", "</title>", "<!--", "-->", "<!--[if x]>",
                "<![endif]-->", "<![endif]>", "{{", "}}", "{{a}}", "{{#a}}", "{{/a}}", "{{!", "{{!--", "--}}", "\\{{", "{{{", "}}}", "{{{{", "[", "]", "\0", "<style>", "</style", "<![CDATA[");
        Random random = new Random(1);
        for (int round = 0; round < 5_000; round++) {
            assertWhole(random.ints(1 + random.nextInt(24), 0, parts.size()).mapToObj(parts::get).collect(Collectors.joining()));
        }
    }

    /** The demo's emails, and those of {@code -Dstet.mails=DIR}. */
    static Stream<Path> mails() throws IOException {
        List<Path> mails = new ArrayList<>();
        for (String folder : List.of("app/demo", "app/examples", System.getProperty("stet.mails", "no-others"))) {
            if (Files.isDirectory(Path.of(folder))) {
                try (Stream<Path> files = Files.walk(Path.of(folder))) {
                    files.filter(file -> file.toString().endsWith(".html")).forEach(mails::add);
                }
            }
        }
        assertTrue(mails.size() >= 5);
        return mails.stream().sorted();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mails")
    void mailsAreReadWhole(Path mail) throws IOException {
        String html = Files.readString(mail);
        assertWhole(html);
        List<Token> tokens = tokens(html);
        assertTrue(tokens.stream().noneMatch(token -> token.kind() == HtmlKind.UNCLOSED));
        assertTrue(tokens.stream().noneMatch(token -> token.kind() == HtmlKind.TEXT && token.source().contains("{{")));
        List<String> names = tokens.stream().flatMap(token -> token.attributes().stream()).map(Attribute::name).toList();
        assertTrue(names.stream().allMatch(name -> name.matches("[a-z][a-z:-]*")), names::toString);
    }

    /** Asserts that the tokens together equal the text, no token is empty, and parts lie within their token. */
    private static void assertWhole(String html) {
        int end = 0;
        for (Token token : Html.in(html)) {
            if (token.start() != end || token.end() <= end || token.nameEnd() < end || token.nameEnd() > token.end()) {
                throw new AssertionError(token.kind() + " at " + token.start() + " to " + token.end() + " behind " + end + ": " + html.substring(0, Math.min(200, html.length())));
            }
            end = token.nameEnd();
            for (Attribute each : token.attributes()) {
                boolean inOrder = end <= each.nameStart() && each.nameStart() < each.nameEnd() && each.nameEnd() <= each.valueStart()
                        && each.valueStart() <= each.valueEnd() && each.valueEnd() <= token.end();
                if (!inOrder) {
                    throw new AssertionError(each.nameStart() + " " + each.nameEnd() + " " + each.valueStart() + " " + each.valueEnd());
                }
                end = each.valueEnd();
            }
            end = token.end();
        }
        assertEquals(html.length(), end);
    }
}
