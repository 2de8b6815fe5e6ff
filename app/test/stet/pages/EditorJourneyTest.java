package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Writing by keyboard: completion, auto-close, shared blocks, indentation, shortcuts and menus. */
@Tag("browser")
@ExtendWith(Chromium.class)
class EditorJourneyTest {
    /**
     * Indents an email. Returns the result, and "same" if it is displayed as before (elements, attributes and texts, with whitespace collapsed
     * as in HTML) and stays the same when indented again; or "refused" if the email cannot be indented.
     */
    private static final String COMPARE = """
            const [text, done] = arguments;
            const shown = html => {
              const said = [];
              const walk = (node, isKept) => {
                if (node.nodeType === Node.ELEMENT_NODE) {
                  said.push('<' + node.tagName + [...node.attributes].map(one => ` ${one.name}="${one.value}"`).join('') + '>');
                }
                if (node.nodeType === Node.TEXT_NODE || node.nodeType === Node.COMMENT_NODE) {
                  said.push(isKept ? node.data : node.data.replace(/[ \\t\\r\\n]+/g, ' '));
                }
                const keeps = isKept || ['PRE', 'TEXTAREA', 'SCRIPT'].includes(node.tagName);
                node.childNodes.forEach(child => walk(child, keeps));
              };
              walk(new DOMParser().parseFromString(html, 'text/html'), false);
              return said.join('\\n');
            };
            import('/assets/any/editor/format.js').then(({ reindent }) => {
              const made = reindent(text);
              done(made === null ? ['', 'refused'] : [made, shown(made) === shown(text) ? reindent(made) === made ? 'same' : 'not settled' : 'differs']);
            }).catch(failure => done(['', String(failure)]));
            """;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    private String block(String name) {
        return stet.db.read(dao -> new String(dao.blocks().html(ada.id(), name).orElseThrow(), StandardCharsets.UTF_8));
    }

    /** Types, waits for a completion, and accepts it. Opens the list again if a slow browser has closed it meanwhile. */
    private static void complete(Window window, String typed, String offered) {
        window.keys(typed).offers(offered);
        Window.within(() -> "not offered: " + offered, () -> {
            if (window.shown(".CodeMirror-hint-active").equals(offered)) {
                return true;
            }
            window.offers(offered).keys(Keys.ARROW_DOWN);
            return false;
        });
        window.keys(Keys.ENTER);
        Window.within(() -> "still open", () -> window.shown(".CodeMirror-hints")
                .isEmpty() || !window.shown(".CodeMirror-hint-active").equals(offered));
    }

    private static void has(Window window, String text) {
        Window.within(() -> "the editor has \"" + window.text() + "\"", () -> window.text().equals(text));
    }

    private static void set(Window window, String text) {
        window.script("document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])", text);
    }

    private static void clear(Window window) {
        set(window, "");
        window.script("document.querySelector('.CodeMirror').CodeMirror.focus()");
    }

    private Window opened(Window window) {
        stet.block(ada, "footer", "<p>Bye</p>");
        stet.block(ada, "header", "<p>Hi</p>");
        stet.draft(ada, "welcome", "Welcome", "Hi {{customer.name}}", "<p>{{customer.name}} {{#each items}}{{title}}{{/each}}</p>");
        window.signedIn(stet, ada, "/templates/welcome").heading("Welcome").preview("");
        return window.sees(".variables", "customer");
    }

    @Test
    void tagsAndElementsAreCompleted(Window window) {
        opened(window).sees(".keys-hint", "Tab next field");
        clear(window);
        complete(window, "{{cus", "customer.name");
        has(window, "{{customer.name}}");
        clear(window);
        complete(window, "{{> fo", "footer");
        has(window, "{{> footer}}");
        clear(window);
        complete(window, "{{#ea", "each");
        complete(window, "", "items … /each");
        window.keys("x");
        has(window, "{{#each items}}x{{/each}}");
        clear(window);
        window.keys("{{#if vip}}yes");
        complete(window, "{{/", "if");
        has(window, "{{#if vip}}yes{{/if}}");
        clear(window);
        complete(window, "<blo", "blockquote");
        complete(window, " sty", "style");
        window.keys("color: red", Keys.ARROW_RIGHT, ">text");
        has(window, "<blockquote style=\"color: red\">text</blockquote>");
        window.keys("</blockquote>");
        has(window, "<blockquote style=\"color: red\">text</blockquote>");
        clear(window);
        window.keys("<p>one");
        complete(window, "</", "p");
        has(window, "<p>one</p>");
        clear(window);
        window.keys("<br>");
        has(window, "<br>");
    }

    @Test
    void aBlockIsInsertedAndMadeOfASelection(Window window) {
        opened(window);
        clear(window);
        window.choose("Edit", "Insert block…").heading("Insert shared block").click("header").closed();
        has(window, "{{> header}}");
        window.write("<p>Mail</p><p>Legal</p>").script("document.querySelector('.CodeMirror').CodeMirror.setSelection({line: 0, ch: 11}, {line: 0, ch: 23})");
        window.click("Make block…").sees("pre.excerpt", "<p>Legal</p>").type("Name", "foo ter")
                .click("Create block").sees(".error", "\"foo ter\" is not a valid");
        window.type("Name", "legal").click("Create block").closed();
        has(window, "<p>Mail</p>{{> legal}}");
        assertEquals("<p>Legal</p>", block("legal"));
        window.preview("Legal");
    }

    @Test
    void indentingIsUndoneAndRefusedForStyledWhitespace(Window window) {
        opened(window);
        set(window, "<table>\n<tr>\n<td>{{name}}</td>\n</tr>\n</table>");
        window.choose("Edit", "Indent");
        has(window, "<table>\n  <tr>\n    <td>{{name}}</td>\n  </tr>\n</table>");
        window.ctrl("z");
        has(window, "<table>\n<tr>\n<td>{{name}}</td>\n</tr>\n</table>");
        set(window, "<p style=\"white-space: pre\">\n a</p>");
        window.choose("Edit", "Indent").sees("Cannot indent this HTML because it is too long or its styles preserve whitespace.");
    }

    @Test
    void matchesAreHighlightedEachTimeTheFindBarIsOpened(Window window) {
        opened(window);
        window.write("<p>Mail</p>").choose("Edit", "Find and replace").type("Find", "Mail").sees(".cm-searching", "Mail");
        window.keys(Keys.ESCAPE);
        Window.within(() -> "still highlighted", () -> window.shown(".cm-searching").isEmpty());
        window.choose("Edit", "Find and replace").sees(".cm-searching", "Mail");
    }

    @Test
    void onlyMatchesAreHighlightedAfterAChange(Window window) {
        opened(window);
        window.write("<p>Mail and mail</p>").choose("Edit", "Find and replace").type("Find", "mail").sees(".cm-searching", "Mail\nmail");
        window.type("Replace with", "Letter").click("Replace all").sees(".find .found", "2 replaced");
        Window.within(() -> window.shown(".cm-searching"), () -> window.shown(".cm-searching").isEmpty());
        window.script("document.querySelector('.CodeMirror').CodeMirror.undo()");
        window.sees(".cm-searching", "Mail\nmail");
        window.script("document.querySelector('.CodeMirror').CodeMirror.replaceRange('More ', { line: 0, ch: 3 })");
        has(window, "<p>More Mail and mail</p>");
        window.shows(".cm-searching", "Mail\nmail");
    }

    @Test
    void menusAndDialogsWorkByKeyboard(Window window) {
        opened(window);
        window.keys(Keys.F1).heading("Shortcuts").sees("dialog", "Ctrl+Enter").keys(Keys.ESCAPE).closed();
        window.tabTo("button", "More template actions").keys("?").heading("Shortcuts").keys(Keys.ESCAPE).closed();
        Window.within(() -> "the focus is on " + focused(window), () -> focused(window).startsWith("More")); // returned by the dialog
        window.keys(Keys.ARROW_DOWN);
        Window.within(() -> "the focus is on " + focused(window), () -> focused(window).equals("Rename"));
        window.keys(Keys.ARROW_DOWN);
        assertEquals("Duplicate…", focused(window));
        window.keys(Keys.END);
        assertEquals("Delete…", focused(window));
        window.keys(Keys.ARROW_DOWN);
        assertEquals("Rename", focused(window));
        window.keys("d", "d");
        assertEquals("Download HTML", focused(window));
        window.keys(Keys.ESCAPE);
        assertEquals("More", focused(window));
        assertEquals("", window.shown(".menu"));
        window.keys(Keys.ENTER, Keys.ENTER).type("Name", "Renamed").click("Rename").heading("Renamed");
    }

    @Test
    void controlAndEnterOpenThePublishDialog(Window window) {
        opened(window);
        window.write("<p>Published by keys</p>");
        new Actions(window.driver).keyDown(Keys.CONTROL).sendKeys(Keys.ENTER).keyUp(Keys.CONTROL).perform();
        window.heading("Publish Welcome").click("Publish").heading("Welcome is live").click("Later").closed().tab("History")
                .sees("ol.versions", "Version 1");
        assertEquals("<p>Published by keys</p>", stet.get(Running.TEMPLATES + "welcome?format=html", stet.key(ada)).text());
    }

    private static String focused(Window window) {
        return (String) window.script("return document.activeElement.querySelector('span')?.textContent ?? document.activeElement.textContent");
    }

    /** The emails from the starters, the demo and {@code -Dstet.mails=DIR}, and some that are hard to indent. */
    private static List<String> mails() throws IOException {
        List<String> mails = new ArrayList<>();
        for (String folder : List.of("app/starters/templates", "app/demo/templates", "app/demo/blocks",
                System.getProperty("stet.mails", "no-others"))) {
            if (Files.isDirectory(Path.of(folder))) {
                try (Stream<Path> files = Files.list(Path.of(folder))) {
                    for (Path file : files.filter(each -> each.toString().endsWith(".html")).sorted().toList()) {
                        String mail = Files.readString(file);
                        mails.addAll(List.of(mail, mail.replaceAll("(?m)^ +", "")));
                    }
                }
            }
        }
        mails.addAll(List.of(
                "<div>\n<pre>\n  kept\n    as it is\n</pre>\n</div>",
                "<p title=\"one\n   two\">a\n      <b\n  class=x>b</b>\n</p>",
                "<!--[if mso]>\n<table>\n      <tr><td>\n<![endif]-->\n<div>\n<p>x\n<p>y\n</div>",
                "<ul>\n<li>one\n<li>two\n{{#each items}}\n<li>{{this}}\n{{else}}\n<li>none\n{{/each}}\n</ul>",
                "<textarea>\n  a\n</textarea>\n<script>\n  let a = `\n  x`;\n</script>",
                "<div>\n</span>\n</div>\n</div>\n</div>\n<p>{{#if a}}\n</p>\n{{/if}}\n{{! a note\n   of two lines }}\n<b>",
                "<a title='it''s\n  two'>\n<p>{{{raw\n  }}}</p>\r\n   <p>\r\n  x</p>",
                "<div>".repeat(60) + "\nx\n" + "</div>".repeat(60) + "\n<", ""));
        return mails;
    }

    @Test
    void indentingKeepsWhatIsShownAndASecondTimeChangesNothing(Window window) throws IOException {
        window.expect(".*Content Security Policy.*"); // parsing the emails triggers the page's policy
        window.signedIn(stet, ada, "/").heading("No templates yet");
        List<String> wrong = new ArrayList<>();
        int changed = 0;
        for (String mail : mails()) {
            List<?> found = (List<?>) window.driver.executeAsyncScript(COMPARE, mail);
            changed += found.get(0).equals(mail) ? 0 : 1;
            if (!found.get(1).equals("same")) {
                wrong.add(found.get(1) + ": " + mail.substring(0, Math.min(80, mail.length())));
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(changed > 8, "only " + changed + " were changed");
        assertEquals("refused", ((List<?>) window.driver.executeAsyncScript(COMPARE, "<p>" + "x".repeat(500_000))).get(1), "too long to indent");
    }
}
