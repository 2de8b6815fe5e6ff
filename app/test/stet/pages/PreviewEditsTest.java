package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.pages.PreviewPage.IMAGE;
import static stet.pages.PreviewPage.MAIL;
import static stet.pages.PreviewPage.changes;
import static stet.pages.PreviewPage.choose;
import static stet.pages.PreviewPage.chooseAtCursor;
import static stet.pages.PreviewPage.click;
import static stet.pages.PreviewPage.cursor;
import static stet.pages.PreviewPage.editText;
import static stet.pages.PreviewPage.editing;
import static stet.pages.PreviewPage.edits;
import static stet.pages.PreviewPage.framed;
import static stet.pages.PreviewPage.held;
import static stet.pages.PreviewPage.holdPreviews;
import static stet.pages.PreviewPage.opened;
import static stet.pages.PreviewPage.selected;
import static stet.pages.PreviewPage.selects;
import static stet.pages.PreviewPage.set;
import static stet.pages.PreviewPage.settled;
import static stet.pages.PreviewPage.type;
import static stet.pages.PreviewPage.undo;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Editing texts, links, images and buttons in the preview. */
@Tag("browser")
@ExtendWith(Chromium.class)
class PreviewEditsTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    @Test
    void anEditChangesOnlyThatTextAndIsUndone(Window window) {
        opened(window, stet, ada);
        type(window, "#headline", "Tea & <coffee> " + Keys.ENTER); // a trailing space would be invisible
        String headline = MAIL.replace("biscuits &mdash; today", "&lt;coffee&gt;");
        changes(window, headline);
        window.preview("Tea & <coffee>");
        type(window, "#headline", "never" + Keys.ESCAPE);
        changes(window, headline);
        type(window, "#headline", Keys.END, " {{name}} {{" + Keys.ENTER);
        changes(window, headline.replace("&lt;coffee&gt;", "&lt;coffee&gt; {{name}} &#123;&#123;"));
        window.preview("Tea & <coffee> Ada {{");
        window.ctrl("z");
        changes(window, headline);
        Window.within(() -> "the preview is the old one", () -> !((String) framed(window, "return document.body.innerText"))
                .contains("{{"));
        click(window, "#end");
        window.driver.switchTo().frame(window.driver.findElement(By.cssSelector(".stage iframe:not(.coming)")));
        window.ctrl("z");
        window.driver.switchTo().defaultContent();
        changes(window, MAIL);
    }

    @Test
    void addressesAndDescriptionsAreEditedInTheBar(Window window) {
        opened(window, stet, ada);
        choose(window, "#link", "Link address");
        window.click("Test data for the link address");
        assertEquals("Sample value for name", window.script("return document.activeElement.ariaLabel"));
        window.type("Link address", "https://example.com/?a=1&c={{name}}").keys(Keys.ENTER);
        changes(window, MAIL.replace("&amp;b=", "&amp;c="));
        choose(window, "#image", "Alt text");
        window.type("Alt text", "A \"pot\" & a cup").keys(Keys.ENTER);
        String alt = MAIL.replace("&amp;b=", "&amp;c=").replace("<img id", "<img alt=\"A &#34;pot&#34; &amp; a cup\" id");
        changes(window, alt);
        String pot = IMAGE.replace("CTAEAOw", "CRAEAOw");
        window.type("Image address", pot).keys(Keys.ENTER);
        changes(window, alt.replace(IMAGE, pot));
        undo(window);
        undo(window);
        undo(window);
        changes(window, MAIL);
    }

    @Test
    void closingTheBarGoesToTheEditor(Window window) {
        opened(window, stet, ada);
        choose(window, "#link", "Link address");
        window.driver.findElement(By.cssSelector(".inspected button[aria-label=Close]")).sendKeys(Keys.ENTER);
        window.sees(".inspected", "Click text, a link or an image");
        assertEquals(true, window.script("return document.querySelector('.CodeMirror').contains(document.activeElement)"));
    }

    @Test
    void theSameTextForOutlookIsNamed(Window window) {
        opened(window, stet, ada);
        type(window, "#end", "The last" + Keys.ENTER);
        changes(window, MAIL.replaceFirst("The very end", "The last"));
        window.sees("#status", "An Outlook-only section, which the preview does not show, still contains the old text (line 13). Edit it in the HTML.");
        undo(window);
        changes(window, MAIL);
    }

    @Test
    void theTextAtTheCursorIsEditedByKeyboard(Window window) {
        opened(window, stet, ada);
        cursor(window, "biscuits");
        chooseAtCursor(window);
        window.keys(Keys.ENTER);
        edits(window);
        window.keys("x", Keys.ENTER);
        String edited = MAIL.replace("Tea &amp;\n    biscuits &mdash; today", "x");
        changes(window, edited);
    }

    /** Types in the editor and chooses to edit that text before the preview shows it. */
    private static void editsOnceShown(Window window, String typed) {
        window.keys(typed);
        chooseAtCursor(window);
        window.keys(Keys.ENTER);
        held(window);
        window.script("window.release()");
        edits(window);
    }

    /** A text that is typed in the HTML can be chosen before the preview shows it. */
    @Test
    void aTextIsEditedOnceItIsShown(Window window) {
        opened(window, stet, ada);
        String edited = MAIL.replace("Tea &amp;\n    biscuits &mdash; today", "x");
        set(window, edited);
        settled(window);
        holdPreviews(window);
        cursor(window, "x</b></h1>");
        editsOnceShown(window, "new ");
        window.keys("y", Keys.ENTER);
        changes(window, edited.replace("<b id=\"headline\">x", "<b id=\"headline\">y"));
        settled(window);
        holdPreviews(window);
        cursor(window, "</b></h1>");
        editsOnceShown(window, "es");
        window.keys("z", Keys.ENTER);
        changes(window, edited.replace("<b id=\"headline\">x", "<b id=\"headline\">z"));
    }

    private static final String BUTTON = """
            <p>Hi</p>
            <!--[if mso]><v:roundrect href="https://example.com/old?a=1&b=2" fillcolor="#556270"><w:anchorlock/>
            <center style="color:#FFF">Buy &amp; try</center></v:roundrect><![endif]--><a id="link" href="https://example.com/old?a=1&amp;b=2" \
            style="background:#556270;color:#ffffff">Buy &amp; try</a>
            """;

    private void openButton(Window window, String html) {
        stet.draft(ada, "button", "Button", "Hi", html);
        window.looks("light", 1440, 900).signedIn(stet, ada, "/templates/button").heading("Button").preview("Buy & try");
    }

    /** A button's label, link and colours change in its copy for Outlook, too, in one step. */
    @Test
    void aButtonIsEditedWithItsCopy(Window window) {
        openButton(window, BUTTON);
        type(window, "#link", "Order & pay" + Keys.ENTER);
        String labelled = BUTTON.replace("Buy &amp; try", "Order &amp; pay");
        changes(window, labelled);
        window.sees("#status", "The button’s copy for Outlook has changed, too (line 2).");
        undo(window);
        changes(window, BUTTON);
        choose(window, "#link", "Link address");
        window.type("Link address", "https://example.com/new?a=1&b=3").keys(Keys.ENTER);
        String linked = BUTTON.replace("old?a=1&b=2", "new?a=1&amp;b=3").replace("old?a=1&amp;b=2", "new?a=1&amp;b=3");
        changes(window, linked);
        for (String[] field : new String[][] {{"Button colour", "#ff0000"}, {"Text colour", "#000001"}}) {
            window.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change', { bubbles: true }))", window.find("field", field[0]), field[1]);
        }
        changes(window, linked.replace("#556270", "#ff0000").replace("#FFF", "#000001").replace("#ffffff", "#000001"));
    }

    @Test
    void aCopyOfAButtonThatDiffersStaysAndIsNamed(Window window) {
        openButton(window, BUTTON.replace("href=\"https://example.com/old?a=1&amp;b=2\"", "href=\"https://b\""));
        window.tab("Checks").sees("[role=tabpanel]:not([hidden])", "The button's link in Outlook, \"https://example.com/old?a=1&b=2\", differs from its link in other clients, \"https://b\"");
        choose(window, "#link", "Link address");
        window.type("Link address", "https://c").keys(Keys.ENTER);
        window.sees("#status", "The button’s copy for Outlook had a different link, which has not changed (line 2). Edit it in the HTML.");
        changes(window, BUTTON.replace("href=\"https://example.com/old?a=1&amp;b=2\"", "href=\"https://c\""));
    }

    /** After a change above it, after an edit of it, and after a change of it in the HTML. */
    @Test
    void aChosenTextIsFoundAgain(Window window) {
        opened(window, stet, ada);
        cursor(window, "very end");
        chooseAtCursor(window);
        window.script("document.querySelector('.CodeMirror').CodeMirror.replaceRange('<p>First</p>\\n', { line: 3, ch: 0 })");
        String longer = MAIL.replace("<h1>", "<p>First</p>\n<h1>");
        changes(window, longer);
        window.click("Show in editor");
        assertEquals("The very end", selected(window));
        editText(window);
        window.keys("y", Keys.ENTER);
        changes(window, longer.replaceFirst("The very end", "y"));
        settled(window);
        window.script("const code = document.querySelector('.CodeMirror').CodeMirror; "
                + "code.replaceRange('es', code.posFromIndex(code.getValue().indexOf('y</p>') + 1))");
        window.click("Show in editor");
        assertEquals("yes", selected(window));
        settled(window);
        editText(window);
        window.keys("z", Keys.ESCAPE);
        Window.within(() -> "the text is still edited", () -> Boolean.FALSE.equals(editing(window)));
        editText(window);
        window.keys("z", Keys.ENTER);
        changes(window, longer.replaceFirst("The very end", "z"));
    }

    /** A preview asked to outline the cursor while it is still being parsed finds its last text. */
    @Test
    void aTextIsFoundThoughTheCursorMovedDuringLoading(Window window) {
        String longMail = MAIL.replace("<p id=\"end\">", "<p>Line</p>\n".repeat(4_000) + "<p id=\"end\">");
        stet.draft(ada, "long", "Long", "Hi", longMail);
        window.looks("light", 1440, 900).signedIn(stet, ada, "/templates/long").heading("Long").preview("To the shop");
        window.script("""
                window.sent = 0;
                new MutationObserver(() => {
                  const frame = document.querySelector('.stage iframe.coming');
                  const show = () => {
                    if (frame?.isConnected && frame.classList.contains('coming')) {
                      frame.contentWindow.postMessage({ kind: 'show', at: 0 }, '*');
                      window.sent++;
                      setTimeout(show);
                    }
                  };
                  show();
                }).observe(document.querySelector('.stage'), { childList: true });
                document.querySelector('.CodeMirror').CodeMirror.replaceRange('<p>First</p>\\n', { line: 3, ch: 0 });
                """);
        String longer = longMail.replace("<h1>", "<p>First</p>\n<h1>");
        changes(window, longer);
        settled(window);
        assertTrue((Long) window.script("return window.sent") > 0);
        cursor(window, "very end");
        chooseAtCursor(window);
        editText(window);
        window.keys("y", Keys.ENTER);
        changes(window, longer.replaceFirst("The very end", "y"));
    }

    /** A newer preview of the same text, here with other test data, can replace the preview that was told to edit a text. */
    @Test
    void anEditSurvivesANewerPreview(Window window) {
        opened(window, stet, ada);
        holdPreviews(window);
        window.type("Sample value for name", "Bea");
        held(window);
        cursor(window, "very end");
        chooseAtCursor(window);
        window.script("document.querySelector('.inspected button').click(); window.release()");
        Window.within(() -> "the preview is the old one", () -> ((String) framed(window, "return document.body.innerText")).contains("Hello Bea"));
        edits(window);
        window.keys("y", Keys.ENTER);
        changes(window, MAIL.replaceFirst("The very end", "y"));
    }

    /** A text that the preview does not show cannot be edited, also not later by surprise. */
    @Test
    void aTextThatIsNotShownIsNotEdited(Window window) {
        opened(window, stet, ada);
        String hidden = MAIL.replace("<p id=\"end\">", "{{^name}}<p>For nobody</p>{{/name}}<p id=\"end\">");
        set(window, hidden);
        settled(window);
        cursor(window, "nobody");
        chooseAtCursor(window);
        window.keys(Keys.ENTER);
        window.script("window.asked = 0; addEventListener('message', event => { window.asked += event.data.kind === 'ask' })");
        window.script("document.activeElement.blur(); document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])",
                hidden.replace("{{^name}}", "{{#name}}"));
        window.preview("For nobody");
        selects(window, "#link", "To the shop"); // reported after anything the frame would ask
        assertEquals(0L, window.script("return window.asked"));
    }
}
