package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stet.base.Json;

/** Parts of a preview map to their positions in the draft; without the markers, a preview is unchanged. */
class SourceMarksTest {
    private static final Map<String, String> BLOCKS = Map.of("b", "<i>in</i>", "t", "text", "empty", "", "outer", "o{{> b}}", "url", "https://x");
    private static final Pattern MARK = Pattern.compile(" data-m=\"[^\"]*\"|<!--m [^>]*-->");

    private static Publisher publisher() {
        return new Publisher(name -> Optional.ofNullable(BLOCKS.get(name)));
    }

    private static String marked(String draft, ObjectNode data) {
        Publisher publisher = publisher();
        String expanded = publisher.expand("", draft);
        return Sampler.html(expanded, data, SourceMarks.of(expanded, publisher.sourceMap(), "m")).text();
    }

    /** Replaces each marker with {@code [part of the draft]} or {@code [b block]}. */
    private static String read(String draft, ObjectNode data) {
        Matcher marks = Pattern.compile(" data-m=\"(?:b (\\S+)|. (\\d+) (\\d+))\"|<!--m (?:b (\\S+)|(.) (\\d+) (\\d+))-->").matcher(marked(draft, data));
        return marks.replaceAll(mark -> Matcher.quoteReplacement(mark.group(1) != null ? "[b " + mark.group(1) + "]"
                : mark.group(4) != null ? "[b " + mark.group(4) + "]"
                : mark.group(2) != null ? "[" + draft.substring(Integer.parseInt(mark.group(2)), Integer.parseInt(mark.group(3))) + "]"
                : "[" + mark.group(5) + " " + draft.substring(Integer.parseInt(mark.group(6)), Integer.parseInt(mark.group(7))) + "]"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '¦', quoteCharacter = '`', textBlock = """
            <p>Hello</p>                        ¦ <p[<p>]>[t Hello]Hello</p>
            <b class="x">␣a␣<br/>     ¦ <b[<b class="x">] class="x">␣[t a␣]a␣<br[<br/>]/>
            Hi␣{{name}}, you               ¦ [t Hi␣]Hi␣[v {{name}}]Ada[t , you], you
            {{gone}} {{{raw}}}                  ¦ [v {{gone}}]{{gone}} [v {{{raw}}}]<u>r</u>
            {{#each items}}<i>{{this}}</i>{{/each}} ¦ <i[<i>]>[v {{this}}]1</i><i[<i>]>[v {{this}}]2</i>
            a{{! note }}b{{#if yes}}c{{/if}}d   ¦ [t a]a[t b]b[t c]c[t d]d
            <title>a {{name}}</title><style>p{}</style><script>x</script> ¦ <title[<title>]>a Ada</title><style[<style>]>p{}</style><script[<script>]>x</script>
            <!--[if mso]><p>a</p><![endif]--><!-- <p>b --> ¦ <!--[if mso]><p>a</p><![endif]--><!-- <p>b -->
            <h{{yes}}>a</h{{yes}}>              ¦ <htrue>[t a]a</htrue>
            <a {{#if yes}}href="{{name}}"{{/if}} m="1">a</a> ¦ <a[<a {{#if yes}}href="{{name}}"{{/if}} m="1">] href="Ada" m="1">[t a]a</a>
            # blocks
            <p>a{{> b}}c</p>                    ¦ <p[<p>]>[t a]a<i[b b]>[b b]in</i>[t c]c</p>
            a {{> t}} b {{> empty}} c           ¦ [t a ]a [b t]text [t b ]b  [t c]c
            {{> outer}}<u>                      ¦ [b outer]o<i[b outer]>[b outer]in</i><u[<u>]>
            <a href="{{> url}}">x               ¦ <a[<a href="{{> url}}">] href="https://x">[t x]x
            # whitespace that is not shown
            {{#each items}}⏎  x{{this}}⏎{{/each}} ¦ ␣␣[t x]x[v {{this}}]1⏎  [t x]x[v {{this}}]2⏎
            a {{~name~}} b                      ¦ [t a ]a[v {{~name~}}]Ada[t b]b
            \\{{name}} <p \\{{              ¦ {{[t name}} ]name}} <p {{
            """)
    void marksLeadToTheDraft(String draft, String expected) {
        ObjectNode data = (ObjectNode) Json.tree("{\"name\":\"Ada\",\"raw\":\"<u>r</u>\",\"items\":[1,2],\"yes\":true}");
        assertEquals(lines(expected), read(lines(draft), data));
    }

    private static String lines(String row) {
        return row.replace('\u23ce', '\n').replace('\u2423', ' ');
    }

    static Stream<String> mails() throws IOException {
        Path more = Path.of(System.getProperty("stet.mails", "app/demo/blocks"));
        return Stream.concat(Files.list(Path.of("app/demo/templates")), Files.list(more)).filter(file -> file.toString().endsWith(".html"))
                .map(SourceMarksTest::text);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }

    /** Each text's marker points to the same text in the draft; without markers, the preview is unchanged. */
    @ParameterizedTest
    @MethodSource("mails")
    void marksChangeNothingElseAndLeadToTheirTexts(String draft) {
        ObjectNode data = (ObjectNode) Json.tree("{\"name\":\"Ada\",\"items\":[{},{}],\"company\":\"<b>C</b>\"}");
        String marked = marked(draft, data);
        assertEquals(Sampler.html(publisher().expand("", draft), data).text(), MARK.matcher(marked).replaceAll(""));
        Matcher texts = Pattern.compile("<!--m t (\\d+) (\\d+)-->([^<{]*)").matcher(marked);
        int found = 0;
        while (texts.find()) {
            String source = draft.substring(Integer.parseInt(texts.group(1)), Integer.parseInt(texts.group(2)));
            assertTrue(source.startsWith(texts.group(3).strip()) || texts.group(3).startsWith(source.strip()), source + " is " + texts.group(3));
            found++;
        }
        assertTrue(found > 0 || marked.contains(" data-m="));
    }

    @Test
    void aTextOfTooManyPartsHasNoMarks() {
        String draft = "<br>".repeat(SourceMarks.MAX);
        assertEquals(SourceMarks.MAX, SourceMarks.of(draft, new SourceMap(), "m").count());
        assertSame(SourceMarks.NONE, SourceMarks.of(draft + "x", new SourceMap(), "m"));
        assertEquals("<br>x", Sampler.html("<br>x", Json.object(), SourceMarks.NONE).text());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '¦', quoteCharacter = '`', textBlock = """
            <!doctype html><p>a                       ¦ <!doctype html>§<p>a
            `\ufeff <!-- a --><?xml ?> <!DOCTYPE html PUBLIC "x"> <html>` ¦ `\ufeff <!-- a --><?xml ?> <!DOCTYPE html PUBLIC "x">§ <html>`
            <!--[if mso]><p>a<![endif]--><!doctype html>b ¦ <!--[if mso]><p>a<![endif]--><!doctype html>§b
            <p>a<!doctype html>                       ¦ §<p>a<!doctype html>
            text <!doctype html>                      ¦ §text <!doctype html>
            ``                                        ¦ §
            <!-- only -->                             ¦ §<!-- only -->
            <noscript><b>a</b></NOSCRIPT >            ¦ §<noscript-><b>a</b></NOSCRIPT- >
            `<meta http-equiv="refresh" content="0">` ¦ `§<meta http-equiv="" http-equiv="refresh" content="0">`
            `<meta http-equiv="&#114;efresh">`        ¦ `§<meta http-equiv="" http-equiv="&#114;efresh">`
            `<meta http-equiv=Content-Type content=a><meta name=refresh>` ¦ `§<meta http-equiv=Content-Type content=a><meta name=refresh>`
            `{{ <meta http-equiv="refresh"> }}`       ¦ `§{{ <meta http-equiv="" http-equiv="refresh"> }}`
            `<p title="{{"><meta http-equiv=a>}}`     ¦ `§<p title="{{"><meta http-equiv="" http-equiv=a>}}`
            `<svg><title><meta http-equiv=a></title>` ¦ `§<svg><title><meta- http-equiv=a></title>`
            <!--<noscript>--><title><noscript></title> ¦ `§<!--<noscript>--><title><noscript></title>`
            """)
    void theScriptComesFirstAndNoscriptAndRefreshAreDisabled(String html, String expected) {
        assertEquals(expected, PreviewPage.with(html, "§"));
    }
}
