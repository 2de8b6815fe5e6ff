package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.base.Json;
import stet.base.Utf8;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** In-place edits in a browser: hand-written cases, and every text and attribute of complete emails. */
@Tag("browser")
@ExtendWith(Chromium.class)
class InPlaceTest {
    /** Part of a source, the new text, and the expected part; a leading quote marks an attribute value. */
    private static final String CHANGES = """
            Hello                    ¦ Hello!                ¦ Hello!
            Tea &amp; milk           ¦ Tea & coffee          ¦ Tea &amp; coffee
            a &mdash; b&nbsp;c       ¦ a — b\u00a0cd         ¦ a &mdash; b&nbsp;cd
            a⏎  b c                  ¦ a b d                 ¦ a⏎  b d
            a                        ¦ <b> & "c" 'd'         ¦ &lt;b&gt; &amp; "c" 'd'
            AT&T                     ¦ AT&ampT               ¦ AT&amp;ampT
            a &copy2 &notit; &x;     ¦ a ©2 ¬it; &x;!        ¦ a &copy2 &notit; &x;!
            Hi                       ¦ Hi {{name}}           ¦ Hi {{name}}
            Hi                       ¦ Hi {{name             ¦ Hi &#123;&#123;name
            a {                      ¦ a {{                  ¦ a {&#123;
            👋 a                     ¦ 👍 a                  ¦ 👍 a
            &#128075; a              ¦ 👋 b                  ¦ &#128075; b
            Hello                    ¦                       ¦
            "https://a/?x=1&amp;y={{z}} ¦ https://a/?x=1&y={{w}} ¦ https://a/?x=1&amp;y={{w}}
            "?a=1&copy=2&amp         ¦ ?a=1&copy=2&b         ¦ ?a=1&amp;copy=2&amp;b
            "a                       ¦ "a" & <b>             ¦ &#34;a&#34; &amp; &lt;b>
            'a                       ¦ a 'b' "c"             ¦ a &#39;b&#39; "c"
            """;
    /** A tag, an attribute with its new value, and the expected tag. */
    private static final String ATTRIBUTES = """
            <img src="a">            ¦ alt ¦ A "cup"    ¦ <img alt="A &#34;cup&#34;" src="a">
            <img alt src=a>          ¦ alt ¦ x          ¦ <img alt="x" src=a>
            <img alt="x" src=a>      ¦ src ¦ b c        ¦ <img alt="x" src="b c">
            <A HREF='x' title="> b"> ¦ href ¦ y         ¦ <A HREF='y' title="> b">
            <a {{#if b}}class="c"{{/if}} href="{{url}}?a"> ¦ href ¦ {{url}}?b ¦ <a {{#if b}}class="c"{{/if}} href="{{url}}?b">
            <a href = "{{t ">"}}" id=b> ¦ id ¦ c        ¦ <a href = "{{t ">"}}" id="c">
            <img src="a"/>           ¦ alt ¦            ¦ <img alt="" src="a"/>
            <a href="x"              ¦ href ¦ y         ¦
            """;

    @AutoClose
    private final Running stet = new Running();

    private static String rows(String table) {
        ArrayNode rows = (ArrayNode) Json.tree("[]");
        table.lines().forEach(line -> {
            ArrayNode row = rows.addArray();
            for (String cell : line.split("¦", -1)) {
                row.add(cell.strip().replace('⏎', '\n'));
            }
        });
        return Utf8.text(Json.write(rows));
    }

    /** Runs a script with the module loaded from the server. */
    private static Object run(Window window, String script, Object... arguments) {
        window.script("window.done = null; const given = [...arguments]; import('/assets/any/preview/inplace.js').then(async m => { "
                + script + " }).then(value => { window.done = JSON.stringify(value) }, failure => { window.done = String(failure) })", arguments);
        Window.within(() -> "the script goes on", () -> window.script("return window.done") != null);
        return window.script("return window.done");
    }

    @Test
    void onlyTheWantedCharactersOfATextChange(Window window) {
        window.open(stet, "/signin").sees("Sign in");
        assertEquals("[]", run(window, """
                return JSON.parse(given[0]).map(([source, wanted, expected]) => {
                  const quote = /^["']/.exec(source)?.[0] ?? '';
                  const part = source.slice(quote.length);
                  const { from, to, text } = m.change(part, wanted, { isAttribute: quote !== '', collapses: quote === '', quote });
                  return [part.slice(0, from) + text + part.slice(to), expected];
                }).filter(([made, expected]) => made !== expected);""", rows(CHANGES)));
    }

    /** Otherwise, Handlebars would not fill in the tag. */
    @Test
    void aBackslashBeforeATagIsEncoded(Window window) {
        window.open(stet, "/signin").sees("Sign in");
        assertEquals("\"&#92;\"", run(window, "return m.change('a', 'a\\\\', {}, '{{').text"));
    }

    @Test
    void anEqualTextIsNoChange(Window window) {
        window.open(stet, "/signin").sees("Sign in");
        assertEquals("null", run(window, "return m.change('a', 'a')"));
    }
    @Test
    void onlyTheWantedAttributeOfATagChanges(Window window) {
        window.open(stet, "/signin").sees("Sign in");
        assertEquals("[]", run(window, """
                return JSON.parse(given[0]).map(([tag, name, value, expected]) => {
                  const change = m.attributeChange(tag, 0, name, value);
                  return [change ? tag.slice(0, change.from) + change.text + tag.slice(change.to) : '', expected];
                }).filter(([made, expected]) => made !== expected);""", rows(ATTRIBUTES)));
    }

    @Test
    void whitespaceThatIsNotRenderedIsRemoved(Window window) {
        window.open(stet, "/signin").sees("Sign in");
        assertEquals("[]", run(window, """
                return [
                  // before the text, the text, after it, and the text without whitespace that is not rendered
                  ['<td class="x">', ' a ', '</td>', 'a'],
                  ['x<b>', ' a ', '<i>', ' a '],
                  ['b ', ' a ', 'c', 'a '],
                  ['b', ' a\\n', ' c', ' a'],
                  ['', ' a ', '', 'a'],
                  ['<p><b>', ' ', '</b></p>', ''],
                ].filter(([before, text, after, expected]) => m.withoutUnseen(text, before, after) !== expected);"""));
    }

    @Test
    void aPlaceMovesWithTheTextBehindItUnlessThatIsReplaced(Window window) {
        window.open(stet, "/signin").sees("Sign in");
        assertEquals("[]", run(window, """
                return [
                  ['abcdef', 'abcXdef', 2, 2],
                  ['abcdef', 'abcXdef', 3, 4],
                  ['abcdef', 'abXf', 3, null],
                  ['', 'a', 0, 1],
                ].filter(([old, text, place, expected]) => m.moved(old, text, place) !== expected);"""));
    }

    /**
     * Edits and restores each text and attribute value of an email: afterwards the bytes are the same again, and other parts never
     * change.
     */
    @Test
    void eachTextAndAttributeOfAnEmailIsEditedAndRestored(Window window) throws IOException {
        window.open(stet, "/signin").sees("Sign in");
        ArrayNode mails = (ArrayNode) Json.tree("[]");
        int count = 0;
        for (Path mail : mails()) {
            String html = Files.readString(mail);
            ObjectNode row = mails.addObject().put("html", html);
            ArrayNode texts = row.putArray("texts");
            Matcher text = Pattern.compile("(?<=>)\\s*([^<>{}\\s](?:[^<>{}]*[^<>{}\\s])?)\\s*(?=<)").matcher(html);
            text.results().forEach(found -> texts.addArray().add(found.start(1)).add(found.end(1)));
            ArrayNode tags = row.putArray("tags");
            Pattern.compile("<(?:a|img)\\s").matcher(html).results().forEach(tag -> tags.add(tag.start()));
            count += texts.size() + tags.size();
        }
        assertTrue(count > 20);
        assertEquals("[]", run(window, """
                const faults = [];
                const applied = (html, { from, to, text }, at = 0) => html.slice(0, at + from) + text + html.slice(at + to);
                for (const { html, texts, tags } of JSON.parse(given[0])) {
                  for (const [from, to] of texts) {
                    const how = { collapses: true };
                    const shown = m.shownText(html.slice(from, to), how);
                    const middle = shown.length >> 1;
                    for (const wanted of [shown + 'x', 'x & ' + shown, shown.slice(0, middle) + '<\\u00e9>' + shown.slice(middle)]) {
                      const edited = applied(html, m.change(html.slice(from, to), wanted, how), from);
                      const end = to + edited.length - html.length;
                      const back = m.change(edited.slice(from, end), shown, how);
                      if (m.shownText(edited.slice(from, end), how) !== wanted || edited.slice(0, from) !== html.slice(0, from)
                          || edited.slice(end) !== html.slice(to) || applied(edited, back, from) !== html) {
                        faults.push([html.slice(from, to), wanted]);
                      }
                    }
                  }
                  for (const at of tags) {
                    for (const { name, from, to, quote } of m.startTag(html, at).attributes.filter(each => each.quote)) {
                      const shown = m.shownText(html.slice(from, to), { isAttribute: true });
                      const edited = applied(html, m.attributeChange(html, at, name, shown + '&"x'));
                      const back = applied(edited, m.attributeChange(edited, at, name, shown));
                      if (back !== html || !edited.startsWith(html.slice(0, to)) || !edited.endsWith(html.slice(to))) {
                        faults.push([name, html.slice(from, to)]);
                      }
                    }
                  }
                }
                return faults;""", Utf8.text(Json.write(mails))));
    }

    /** The demo's emails and blocks, and those of {@code -Dstet.mails=DIR}. */
    private static List<Path> mails() throws IOException {
        List<Path> mails = new ArrayList<>();
        for (String folder : new String[] {"app/demo/templates", "app/demo/blocks", System.getProperty("stet.mails",
                "app/demo/blocks")}) {
            try (Stream<Path> files = Files.list(Path.of(folder))) {
                files.filter(file -> file.toString().endsWith(".html")).sorted().forEach(mails::add);
            }
        }
        return mails;
    }
}
