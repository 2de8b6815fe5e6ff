package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static stet.pages.WritePage.choose;
import static stet.pages.WritePage.css;
import static stet.pages.WritePage.drag;
import static stet.pages.WritePage.has;
import static stet.pages.WritePage.held;
import static stet.pages.WritePage.in;
import static stet.pages.WritePage.ready;
import static stet.pages.WritePage.says;
import static stet.pages.WritePage.tree;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.Point;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Samples;
import stet.core.User;
import stet.harness.Browser;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** <em>Write</em> beside everything else that changes or shows an email. */
@Tag("browser")
@ExtendWith(Chromium.class)
class WriteSeamsTest {
    private static final String HEAD = "<!doctype html>\n<html lang=\"en\"><head><title>x</title></head><body>\n";
    private static final String ONE = "<p>One</p>\n";
    private static final String TWO = "<p>Two</p>\n";
    private static final String END = "</body></html>\n";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    private Window opened(Window window, Browser browser) {
        window.signedIn(stet, browser, "/usage").heading("Usage").writes().open(stet, "/templates/mail").heading("Mail").preview("Two");
        has(window, "Two, text");
        ready(window);
        return window;
    }

    private String saved(String id) {
        return stet.db.read(dao -> new String(dao.templates().find(ada.id(), id).orElseThrow().html(), StandardCharsets.UTF_8));
    }

    /** Both tabs edit one text with one history: each undo takes back the latest change, wherever it was made. */
    @Test
    void changesInBothTabsAreUndoneInOrder(Window window) {
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + ONE + TWO + END);
        opened(window, Browser.of(stet, ada)).click("HTML");
        window.script("document.querySelector('.CodeMirror').CodeMirror.replaceRange('<p>Typed</p>\\n', { line: 2, ch: 0 }, undefined, '*typed')");
        window.click("Write");
        has(window, "Typed, text");
        ready(window);
        choose(window, "Two");
        held(window, Keys.ALT, Keys.ARROW_UP);
        says(window, "Text moved, 2 of 3");
        window.click("Duplicate");
        says(window, "Text duplicated");
        assertEquals(HEAD + "<p>Typed</p>\n" + TWO + TWO + ONE + END, window.text());
        window.ctrl("z");
        Window.within(window::text, () -> window.text().equals(HEAD + "<p>Typed</p>\n" + TWO + ONE + END));
        window.click("HTML");
        window.script("document.querySelector('.CodeMirror').CodeMirror.focus()");
        window.ctrl("z");
        Window.within(window::text, () -> window.text().equals(HEAD + "<p>Typed</p>\n" + ONE + TWO + END));
        window.ctrl("z");
        Window.within(window::text, () -> window.text().equals(HEAD + ONE + TWO + END));
    }

    /** The dragged part has another number in the email as it now is. */
    @Test
    void aPartThatIsDroppedBeforeTheEmailIsReadAgainStays(Window window) {
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + ONE + TWO + "<p>Three</p>\n" + END);
        opened(window, Browser.of(stet, ada));
        has(window, "Three, text");
        ready(window);
        choose(window, "Two");
        PreviewPage.holdPreviews(window);
        window.click("Duplicate").sees(".write-status", "Text duplicated");
        choose(window, "Three");
        Point first = in(window, "p");
        drag(window, css(window, ".grip"), new Point(first.x, first.y - 8));
        window.script("window.release()");
        says(window, "The email has changed. Drag the part again.");
        assertEquals(HEAD + ONE + TWO + TWO + "<p>Three</p>\n" + END, window.text());
    }

    /** A change in <em>Write</em> never overwrites what another user has saved meanwhile. */
    @Test
    void anotherUsersChangeIsAConflict(Window window) {
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + ONE + TWO + END);
        opened(window, Browser.of(stet, ada));
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + ONE + "<p>Theirs</p>\n" + END);
        choose(window, "One");
        window.click("Delete");
        says(window, "Text deleted");
        window.ctrl("s").heading("Someone else saved changes").click("Use theirs").closed();
        has(window, "Theirs, text");
        ready(window);
        choose(window, "Theirs");
        window.click("Duplicate");
        says(window, "Text duplicated");
        window.save();
        assertEquals(HEAD + ONE + "<p>Theirs</p>\n<p>Theirs</p>\n" + END, saved("mail"));
    }

    /** A writer writes and does not publish; a guest of a review only reads. */
    @Test
    void aWriterWritesAndAGuestReads(Window window) {
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + ONE + TWO + END);
        User ben = stet.member(ada, "ben@example.com", Role.WRITER, "correct horse");
        opened(window, Browser.of(stet, ada, ben));
        choose(window, "One");
        window.click("Move down");
        says(window, "Text moved, 2 of 2");
        window.save();
        assertNull(window.look("button", "Publish…"));
        assertEquals(HEAD + TWO + ONE + END, saved("mail"));
        stet.db.change(dao -> dao.as(new Actor(stet.owner(ada).id(), "Ada", "")).reviews().add(ada.id(), "mail", null, stet.now(), "review"));
        window.open(stet, "/review#review").heading("Mail").preview("Two");
        assertEquals(0L, window.script("return document.querySelectorAll('.palette, [role=tree], .canvas, .CodeMirror').length"));
    }

    /** A member who is removed while writing sees this, and keeps the text. */
    @Test
    void aRemovedMembersTextIsKept(Window window) {
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + ONE + TWO + END);
        User ben = stet.member(ada, "ben@example.com", Role.WRITER, "correct horse");
        opened(window, Browser.of(stet, ada, ben));
        stet.db.change(dao -> dao.members().remove(ada.id(), ben.id()));
        choose(window, "One");
        window.click("Delete");
        window.ctrl("s").sees("#banner", "You no longer belong to ada@example.com. Your text is kept in this browser.");
        assertEquals(HEAD + TWO + END, window.text());
        assertEquals(HEAD + ONE + TWO + END, saved("mail"));
    }

    /** A shared block has the same parts and operations. */
    @Test
    void aSharedBlockIsWritten(Window window) {
        stet.block(ada, "footer", ONE + TWO);
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + "{{> footer}}\n" + END);
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/blocks/footer").heading("footer").preview("Two");
        has(window, "Two, text");
        ready(window);
        choose(window, "Two");
        held(window, Keys.ALT, Keys.ARROW_UP);
        says(window, "Text moved, 1 of 2");
        window.save();
        assertEquals(TWO + ONE, stet.db.read(dao -> new String(dao.blocks().html(ada.id(), "footer").orElseThrow(), StandardCharsets.UTF_8)));
    }

    /** {@code _} is a tab, {@code /r} and {@code /n} are line ends, {@code ^} a byte order mark. All that is not moved is saved byte for byte. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            CRLF                        | <p>One</p>/r/n<p>Two</p>/r/n | <p>Two</p>/r/n<p>One</p>/r/n
            lines that end in two ways  | <p>One</p>/n<p>Two</p>/r/n<p>Last</p> | <p>Two</p>/n<p>One</p>/r/n<p>Last</p>
            a byte order mark           | ^<p>One</p>/n<p>Two</p>/n | ^<p>Two</p>/n<p>One</p>/n
            tabs                        | _<p>One</p>/n__<p>Two</p>/n | _<p>Two</p>/n__<p>One</p>/n
            a loop over rows            | <table>/n{{#each i}}<tr><td>One</td></tr>/n<tr><td>Two</td></tr>/n{{/each}}</table> | <table>/n{{#each i}}<tr><td>Two</td></tr>/n<tr><td>One</td></tr>/n{{/each}}</table>
            a ghost table               | <p>One</p>/n<!--[if mso]><table><tr><td><![endif]--><div>Two</div><!--[if mso]></td></tr></table><![endif]--> | <!--[if mso]><table><tr><td><![endif]--><div>Two</div><!--[if mso]></td></tr></table><![endif]-->/n<p>One</p>
            a VML button                | <p>One</p>/n<!--[if mso]><v:rect href="u">Two</v:rect><![endif]--><!--[if !mso]><!--><a href="u" style="padding:1px">Two</a><!--<![endif]--> | <!--[if mso]><v:rect href="u">Two</v:rect><![endif]--><!--[if !mso]><!--><a href="u" style="padding:1px">Two</a><!--<![endif]-->/n<p>One</p>
            """)
    void everyOtherByteIsKept(String what, String html, String after, Window window) {
        stet.db.change(dao -> dao.templates().save(ada.id(), new Draft("mail", "Mail", "Hi", bytes(html),
                Samples.of(Map.of("default", "{\"i\": [1], \"w\": true}"), "default")), stet.now()));
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/mail").heading("Mail").preview("Two");
        Window.within(() -> WritePage.tree(window), () -> WritePage.tree(window).contains("Two"));
        ready(window);
        choose(window, "Two");
        held(window, Keys.ALT, Keys.ARROW_UP);
        says(window, "moved, ");
        window.save();
        assertEquals(new String(bytes(after), StandardCharsets.UTF_8), saved("mail"), what);
    }

    /** A condition opens the table, and another closes it. */
    @Test
    void aConditionOverHalfATableStaysInPlaceAndIsNamed(Window window) {
        String half = "{{#if w}}<table><tr><td>{{/if}}<p>x</p>{{#if w}}</td></tr></table>{{/if}}\n";
        stet.draft(ada, "mail", "Mail", "Hi", half + ONE + TWO);
        opened(window, Browser.of(stet, ada)).sees(".fixed-parts", "Line 1: a <table> is opened inside {{#if w}} and closed outside");
        choose(window, "Two");
        held(window, Keys.ALT, Keys.ARROW_UP);
        says(window, "moved, ");
        window.save();
        assertEquals(half + TWO + ONE, saved("mail"));
    }

    /** Ctrl+Shift+I opens the browser's tools, Alt+Left goes back, Shift+Delete cuts. Ctrl+B is for Stet. */
    @Test
    void combinationsThatTheBrowserNeedsArePassedToIt(Window window) {
        String press = """
                const press = (key, ...held) => document.querySelector(arguments[0]).dispatchEvent(new KeyboardEvent('keydown', {
                  key, ...Object.fromEntries(held.map(each => [each + 'Key', true])), bubbles: true, cancelable: true }));
                return [press('I', 'ctrl', 'shift'), press('B', 'meta', 'shift'), press('D', 'ctrl', 'shift'), press('d', 'ctrl', 'alt'),
                  press('ArrowLeft', 'alt'), press('Delete', 'shift'), press('b', 'ctrl')];
                """;
        List<Boolean> passed = List.of(true, true, true, true, true, true, false);
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + ONE + TWO + END);
        opened(window, Browser.of(stet, ada));
        choose(window, "Two");
        assertEquals(passed, window.script(press, "[aria-selected=true]"));
        WritePage.inFrame(window, () -> assertEquals(passed, window.script(press, "p")));
        assertEquals("One, text\nTwo, text *", tree(window));
    }

    @Test
    void shiftAndDeleteCutThePiece(Window window) {
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + ONE + TWO + END);
        opened(window, Browser.of(stet, ada));
        WritePage.click(window, "p");
        has(window, "One, text *");
        held(window, Keys.SHIFT, Keys.DELETE);
        says(window, "Text deleted");
        assertEquals(HEAD + TWO + END, window.text());
        has(window, "Two, text");
        choose(window, "Two");
        window.ctrl("v");
        says(window, "Pasted");
    }

    /** The browser may ask the user for permission to copy. */
    @Test
    void aPieceLeftWhileItIsCopiedIsNamedAsCopied(Window window) {
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + ONE + TWO + END);
        opened(window, Browser.of(stet, ada)).script("navigator.clipboard.writeText = () => new Promise(done => { window.copied = done; })");
        WritePage.click(window, "p");
        has(window, "One, text *");
        window.ctrl("c");
        Window.within(() -> "nothing is copied", () -> (Boolean) window.script("return window.copied !== undefined"));
        window.keys(Keys.ESCAPE);
        Window.within(() -> tree(window), () -> tree(window).equals("One, text\nTwo, text"));
        window.script("window.copied()");
        says(window, "Text copied");
    }

    /** The chosen piece is always visible. A change of a later piece leaves the collapsed one as it is. */
    @Test
    void aPieceCollapsedAroundTheChosenOneIsChosen(Window window) {
        stet.draft(ada, "mail", "Mail", "Hi", HEAD + "{{#if w}}\n" + ONE + "{{/if}}\n" + TWO + END);
        opened(window, Browser.of(stet, ada));
        choose(window, "One");
        has(window, "One, text *");
        window.script("document.querySelector('[data-fold]').click()");
        Window.within(() -> tree(window), () -> tree(window).equals("If w, condition *\nTwo, text"));
        assertEquals("If w, condition", window.script("return document.activeElement.ariaLabel"));
        choose(window, "Two");
        window.ctrl("d");
        says(window, "Text duplicated");
        assertEquals("If w, condition\nTwo, text\nTwo, text *", tree(window));
    }

    private static byte[] bytes(String html) {
        return html.replace("/r", "\r").replace("/n", "\n").replace('_', '\t').replace("^", "\uFEFF").getBytes(StandardCharsets.UTF_8);
    }
}
