package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Working in the preview: jumping to the source and back, and in-place editing. */
@Tag("browser")
@ExtendWith(Chromium.class)
class PreviewJourneyTest {
    private static final String IMAGE = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
    private static final String MAIL = """
            <!doctype html>
            <html><head><title>Sale &amp; more</title></head>
            <body style="margin:0">
            <h1><b id="headline">Tea &amp;
                biscuits &mdash; today</b></h1>
            <p><b>Hello {{name}}, welcome.</b></p>
            {{#each items}}<p><b class="item">{{this}}</b> for you</p>
            {{/each}}
            <a id="link" href="https://example.com/?a=1&amp;b={{name}}">To the shop</a>
            <img id="image" src="IMAGE" style="width:100px;height:50px">
            <div style="height:2000px"></div>
            <p id="end">The very end</p>
            <!--[if mso]><i>The very end</i><![endif]-->
            {{> footer}}
            </body></html>
            """.replace("IMAGE", IMAGE);

    @TempDir
    Path folder;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    private Window opened(Window window) {
        stet.block(ada, "footer", "<b id=\"footer\">Harbour Books</b>");
        stet.db.change(dao -> dao.templates().save(ada.id(), new Draft("mail", "Mail", "Hi {{name}}", MAIL.getBytes(StandardCharsets.UTF_8),
                Map.of("a", "{\"name\":\"Ada\",\"items\":[\"Tea\",\"Milk\"]}")), stet.now()));
        window.looks("light", 1440, 900);
        window.signedIn(stet, ada, "/templates/mail").heading("Mail");
        window.preview("To the shop");
        return window;
    }

    /**
     * Clicks an element of the preview from the surrounding page, once the newest preview is shown. A driver that clicks inside a frame
     * while it is replaced may hang forever.
     */
    private static void inPreview(Window window, String selector, boolean isDouble) {
        Window.within(() -> "no " + selector + " to click", () -> {
            if (!isSettled(window)) {
                return false;
            }
            List<?> place = (List<?>) framed(window, "const it = document.querySelector('" + selector + "'); "
                    + "it.scrollIntoView({ block: 'center' }); const text = document.createRange(); text.selectNodeContents(it); "
                    + "const box = text.getClientRects()[0] ?? it.getClientRects()[0]; "
                    + "return [box.left + box.width / 2, box.top + box.height / 2]");
            List<?> point = (List<?>) window.script("const frame = document.querySelector('.stage iframe:not(.coming)'); "
                    + "frame.scrollIntoView({ block: 'nearest' }); const box = frame.getBoundingClientRect(); "
                    + "const scale = box.width / frame.offsetWidth; "
                    + "return [box.left + arguments[0] * scale, box.top + arguments[1] * scale]", place.get(0), place.get(1));
            Actions actions = new Actions(window.driver)
                    .moveToLocation(((Number) point.get(0)).intValue(), ((Number) point.get(1)).intValue());
            (isDouble ? actions.doubleClick() : actions.click()).perform();
            return true;
        });
    }

    private static void click(Window window, String selector) {
        inPreview(window, selector, false);
    }

    /** Clicks until a field is present, because a click is lost if the preview is replaced. */
    private static void chosen(Window window, String selector, String field) {
        Window.within(() -> selector + " leads to no " + field, () -> {
            click(window, selector);
            return window.look("field", field) != null;
        });
    }

    private static String selected(Window window) {
        return (String) window.script("return document.querySelector('.CodeMirror').CodeMirror.getSelection()");
    }

    private static void selects(Window window, String selector, String source) {
        Window.within(() -> selector + " leads to \"" + selected(window) + "\"", () -> {
            click(window, selector);
            return selected(window).equals(source);
        });
    }

    @Test
    void clicksLeadToTheSourceAndTheCursorShows(Window window) {
        opened(window);
        selects(window, "#headline", "Tea &amp;\n    biscuits &mdash; today");
        window.sees(".chosen-name", "Text");
        selects(window, "#image", "<img id=\"image\" src=\"" + IMAGE + "\" style=\"width:100px;height:50px\">");
        window.sees(".chosen-name", "Image");
        assertEquals(IMAGE, window.value("Image address"));
        selects(window, "#link", "To the shop");
        assertEquals("https://example.com/?a=1&b={{name}}", window.value("Link address"));
        selects(window, ".item", "{{this}}");
        window.click("Test data");
        assertEquals("Sample value for items[]", window.script("return document.activeElement.ariaLabel"));
        selects(window, "#footer", "{{this}}");
        window.sees(".chosen-name", "From shared block footer");
        window.find("link", "Open block");

        assertTrue(scroll(window) > 0);
        cursor(window, "<h1>");
        Window.within(() -> "not scrolled up", () -> scroll(window) == 0 && "H1".equals(outlined(window)));
        cursor(window, "very end");
        Window.within(() -> "not scrolled down", () -> scroll(window) > 500 && "P".equals(outlined(window)));
        double before = scroll(window);
        window.keys("!").preview("The !very end");
        Window.within(() -> "scrolled back to " + scroll(window), () -> scroll(window) == before && "P".equals(outlined(window)));
    }

    /** An in-place edit changes only that text. */
    @Test
    void textsLinksAndImagesAreEditedInPlace(Window window) {
        opened(window);
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
        inPreview(window, "#end", false);
        window.driver.switchTo().frame(window.driver.findElement(By.cssSelector(".stage iframe:not(.coming)")));
        window.ctrl("z");
        window.driver.switchTo().defaultContent();
        changes(window, MAIL);

        chosen(window, "#link", "Link address");
        window.click("Test data for the link address");
        assertEquals("Sample value for name", window.script("return document.activeElement.ariaLabel"));
        window.type("Link address", "https://example.com/?a=1&c={{name}}").keys(Keys.ENTER);
        changes(window, MAIL.replace("&amp;b=", "&amp;c="));
        chosen(window, "#image", "Alt text");
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

        Window.within(() -> "an older preview stays", () -> Long.valueOf(1).equals(window.script("return document.querySelectorAll('.stage iframe').length")));
        type(window, "#end", "The last" + Keys.ENTER);
        changes(window, MAIL.replaceFirst("The very end", "The last"));
        window.sees("#status", "An Outlook-only section, which the preview does not show, still contains the old text (line 13). Edit it in the HTML.");
        undo(window);
        changes(window, MAIL);

        cursor(window, "biscuits");
        new Actions(window.driver).keyDown(Keys.ALT).sendKeys(Keys.ENTER).keyUp(Keys.ALT).perform();
        window.sees(".chosen-name", "Text");
        window.keys(Keys.ENTER);
        Window.within(() -> "nothing is edited", () -> Boolean.TRUE.equals(editing(window)));
        window.keys("x", Keys.ENTER);
        String edited = MAIL.replace("Tea &amp;\n    biscuits &mdash; today", "x");
        changes(window, edited);

        // text not yet in the preview can be edited once it appears
        settled(window); // the old preview shows the edit, too
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

    /** A button's label, link and colours change in its copy for Outlook, too, in one step; a copy that differs stays, and is named. */
    @Test
    void aButtonIsEditedWithItsCopy(Window window) {
        String button = """
                <p>Hi</p>
                <!--[if mso]><v:roundrect href="https://example.com/old?a=1&b=2" fillcolor="#556270"><w:anchorlock/>
                <center style="color:#FFF">Buy &amp; try</center></v:roundrect><![endif]--><a id="link" href="https://example.com/old?a=1&amp;b=2" \
                style="background:#556270;color:#ffffff">Buy &amp; try</a>
                """;
        stet.draft(ada, "button", "Button", "Hi", button);
        window.looks("light", 1440, 900).signedIn(stet, ada, "/templates/button").heading("Button").preview("Buy & try");
        type(window, "#link", "Order & pay" + Keys.ENTER);
        String labelled = button.replace("Buy &amp; try", "Order &amp; pay");
        changes(window, labelled);
        window.sees("#status", "The button’s copy for Outlook has changed, too (line 2).");
        undo(window);
        changes(window, button);
        chosen(window, "#link", "Link address");
        window.type("Link address", "https://example.com/new?a=1&b=3").keys(Keys.ENTER);
        String linked = button.replace("old?a=1&b=2", "new?a=1&amp;b=3").replace("old?a=1&amp;b=2", "new?a=1&amp;b=3");
        changes(window, linked);
        for (String[] field : new String[][] {{"Button colour", "#ff0000"}, {"Text colour", "#000001"}}) {
            window.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change', { bubbles: true }))", window.find("field", field[0]), field[1]);
        }
        changes(window, linked.replace("#556270", "#ff0000").replace("#FFF", "#000001").replace("#ffffff", "#000001"));
        window.script("document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])", button.replace("href=\"https://example.com/old?a=1&amp;b=2\"", "href=\"https://b\""));
        settled(window);
        window.tab("Checks").sees("[role=tabpanel]:not([hidden])", "The button's link in Outlook, \"https://example.com/old?a=1&b=2\", differs from its link in other clients, \"https://b\"");
        chosen(window, "#link", "Link address");
        window.type("Link address", "https://c").keys(Keys.ENTER);
        window.sees("#status", "The button’s copy for Outlook had a different link, which has not changed (line 2). Edit it in the HTML.");
        changes(window, button.replace("href=\"https://example.com/old?a=1&amp;b=2\"", "href=\"https://c\""));
    }

    private static void shownIn(Window window, String mail) {
        window.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change', { bubbles: true }))", window.find("field", "Shown in"), mail);
    }

    /** A block is shown in an email that uses it, where its texts can be edited, or alone. */
    @Test
    void aBlockIsShownInAnEmail(Window window) {
        stet.block(ada, "footer", "<p id=\"footer\">Old Street for {{name}}</p>");
        stet.draft(ada, "first", "First", "Hi", "<p id=\"mail\">First mail</p>{{> footer}}");
        stet.draft(ada, "second", "Second", "Hi", "<p>Second mail</p>{{> footer}}");
        window.looks("light", 1440, 900).signedIn(stet, ada, "/blocks/footer").heading("footer").preview("First mail");
        selects(window, "#footer", "Old Street for ");
        click(window, "#mail");
        window.sees(".chosen-name, .inspected .hint", "Click text, a link or an image");
        window.script("document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])", "<p id=\"footer\">New Street</p>");
        window.preview("New Street");
        type(window, "#footer", "Newest" + Keys.ENTER);
        changes(window, "<p id=\"footer\">Newest</p>");
        shownIn(window, "second");
        window.preview("Second mail");
        shownIn(window, "");
        Window.within(() -> "the email stays", () -> isSettled(window) && framed(window, "return document.body.innerText").equals("Newest"));
    }

    /** Where one of its blocks is shown, on the block's page and in dialogs, the part that an email loses is named, with the block's lines. */
    @Test
    void whatAnEmailLosesIsNamedAtItsBlocks(Window window) {
        String torn = "A part of this email is lost in every mail client (in a-torn: \"<style>\" is not closed";
        stet.block(ada, "note", "<p>Note</p>");
        stet.draft(ada, "a-torn", "Torn", "Hi", "<p>Torn mail</p>\n{{> note}}\n<style>p { } <p>No</p>");
        stet.draft(ada, "whole", "Whole", "Hi", "<p>Whole mail</p>\n{{> note}}\n<p>Yes</p>");
        window.signedIn(stet, ada, "/blocks/note").heading("note").preview("Torn mail");
        window.sees(".preview-note", torn);
        shownIn(window, "whole");
        window.preview("Whole mail");
        Window.within(() -> "a note about the other email", () -> window.shown(".preview-note").isEmpty());
        window.script("document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])", "<p>Mine</p>\n<style>p { }");
        window.sees(".preview-note", "A part of this email is lost in every mail client (line 2: \"<style>\" is not closed");
        stet.block(ada, "note", "<p>Theirs</p>");
        window.ctrl("s").tab("Preview").sees("figure", torn);
    }

    /** Types in the editor and chooses to edit that text before the preview shows it. */
    private static void editsOnceShown(Window window, String typed) {
        window.keys(typed);
        new Actions(window.driver).keyDown(Keys.ALT).sendKeys(Keys.ENTER).keyUp(Keys.ALT).perform();
        window.sees(".chosen-name", "Text");
        window.keys(Keys.ENTER);
        held(window);
        window.script("window.release()");
        Window.within(() -> "nothing is edited", () -> Boolean.TRUE.equals(editing(window)));
    }

    /** The chosen text is found again after a change above it. */
    @Test
    void aChosenTextMoves(Window window) {
        opened(window);
        cursor(window, "very end");
        new Actions(window.driver).keyDown(Keys.ALT).sendKeys(Keys.ENTER).keyUp(Keys.ALT).perform();
        window.sees(".chosen-name", "Text");
        window.script("document.querySelector('.CodeMirror').CodeMirror.replaceRange('<p>First</p>\\n', { line: 3, ch: 0 })");
        String longer = MAIL.replace("<h1>", "<p>First</p>\n<h1>");
        changes(window, longer);
        window.click("Show in editor");
        assertEquals("The very end", selected(window));
        editsText(window);
        window.keys("y", Keys.ENTER);
        changes(window, longer.replaceFirst("The very end", "y"));
        settled(window);
        window.script("const code = document.querySelector('.CodeMirror').CodeMirror; "
                + "code.replaceRange('es', code.posFromIndex(code.getValue().indexOf('y</p>') + 1))");
        window.click("Show in editor");
        assertEquals("yes", selected(window));
        settled(window);
        editsText(window);
        window.keys("z", Keys.ESCAPE);
        Window.within(() -> "the text is still edited", () -> Boolean.FALSE.equals(editing(window)));
        editsText(window);
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
        new Actions(window.driver).keyDown(Keys.ALT).sendKeys(Keys.ENTER).keyUp(Keys.ALT).perform();
        window.sees(".chosen-name", "Text");
        editsText(window);
        window.keys("y", Keys.ENTER);
        changes(window, longer.replaceFirst("The very end", "y"));
    }

    /** A newer preview of the same text, here with other test data, can replace the preview that was told to edit a text. */
    @Test
    void anEditSurvivesANewerPreview(Window window) {
        opened(window);
        holdPreviews(window);
        window.type("Sample value for name", "Bea");
        held(window);
        cursor(window, "very end");
        new Actions(window.driver).keyDown(Keys.ALT).sendKeys(Keys.ENTER).keyUp(Keys.ALT).perform();
        window.sees(".chosen-name", "Text");
        window.script("document.querySelector('.inspected button').click(); window.release()");
        Window.within(() -> "the preview is the old one", () -> ((String) framed(window, "return document.body.innerText")).contains("Hello Bea"));
        Window.within(() -> "nothing is edited", () -> Boolean.TRUE.equals(editing(window)));
        window.keys("y", Keys.ENTER);
        changes(window, MAIL.replaceFirst("The very end", "y"));
    }

    /** A text that the preview does not show cannot be edited, also not later by surprise. */
    @Test
    void aTextThatIsNotShownIsNotEdited(Window window) {
        opened(window);
        String hidden = MAIL.replace("<p id=\"end\">", "{{^name}}<p>For nobody</p>{{/name}}<p id=\"end\">");
        window.script("document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])", hidden);
        settled(window);
        cursor(window, "nobody");
        new Actions(window.driver).keyDown(Keys.ALT).sendKeys(Keys.ENTER).keyUp(Keys.ALT).perform();
        window.sees(".chosen-name", "Text");
        window.keys(Keys.ENTER);
        window.script("window.asked = 0; addEventListener('message', event => { window.asked += event.data.kind === 'ask' })");
        window.script("document.activeElement.blur(); document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])",
                hidden.replace("{{^name}}", "{{#name}}"));
        window.preview("For nobody");
        selects(window, "#link", "To the shop"); // reported after anything the frame would ask
        assertEquals(0L, window.script("return window.asked"));
    }

    /** A preview whose images never load is shown before its load event. All in one script, because the driver waits for that event. */
    @Test
    void helpersOfTheAppAreNamed(Window window) {
        opened(window);
        window.script("document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])", MAIL + "{{#if (eq name 'Ada')}}<p>Yes</p>{{else}}<p>No</p>{{/if}}");
        window.preview("Yes");
        window.sees(".preview-note", "The preview cannot run your app's helpers (eq): it always shows the first branch of their sections");
    }

    @Test
    void whatMailClientsLoseIsNamed(Window window) {
        opened(window);
        window.script("document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])", "<p>Yes {{name\u200b}}</p>\n<style>p { } <p>No</p>");
        window.preview("Yes");
        window.sees(".preview-note", "A part of this email is lost in every mail client (line 2: \"<style>\" is not closed");
        window.sees(".invisible-char", "U+200B");
    }

    @Test
    void imagesThatNeverLoad(Window window) throws IOException {
        opened(window).expect(".*/pot.png - Failed to load resource: .*");
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "https://127.0.0.1:" + silent.getLocalPort() + "/pot.png";
            assertEquals("shown while it loads", window.driver.executeAsyncScript("""
                    const [mail, done] = arguments;
                    const stage = document.querySelector('.stage');
                    const before = stage.querySelector('iframe');
                    new MutationObserver(() => {
                      const shown = stage.querySelector('iframe:not(.coming)');
                      if (shown !== before) {
                        done('shown ' + (shown.dataset.isLoaded ? 'after its load event' : 'while it loads'));
                      }
                    }).observe(stage, { subtree: true, attributeFilter: ['class'] });
                    document.querySelector('.CodeMirror').CodeMirror.setValue(mail);
                    """, MAIL.replace(IMAGE, address)));
        }
    }

    /**
     * The divider moves by keyboard and keeps its position, details collapse, a 600 px email keeps its size, and another tab stays
     * in sync.
     */
    @Test
    void panesAnotherTabAndAMailFile(Window window) throws IOException {
        opened(window);
        window.sees(".inbox-subject", "Hi Ada").sees(".inbox-preheader", "Tea & biscuits");
        window.sees(".inbox-lengths", "Subject: 6 characters. There is no preheader, so inboxes show the start of the email.");
        assertTrue((Boolean) window.script("const frame = document.querySelector('.stage iframe'); "
                + "return frame.clientWidth >= 600 && frame.style.transform === ''"));
        WebElement bar = window.driver.findElement(By.cssSelector(".splitter"));
        assertEquals("separator", bar.getDomAttribute("role"));
        double width = width(window);
        bar.sendKeys(Keys.ARROW_RIGHT);
        Window.within(() -> "is " + width(window), () -> width(window) == width - 24);
        bar.sendKeys(Keys.END);
        Window.within(() -> "is " + width(window), () -> width(window) == 320);
        bar.sendKeys(Keys.HOME);
        Window.within(() -> "is " + width(window), () -> width(window) > width && bar.getDomAttribute("aria-valuenow")
                .equals(bar.getDomAttribute("aria-valuemax")));
        bar.sendKeys(Keys.ARROW_RIGHT);
        double kept = width(window);
        window.click("Hide details");
        assertEquals("", window.shown("[role=tabpanel]"));
        window.driver.navigate().refresh();
        window.preview("To the shop");
        assertEquals("", window.shown("[role=tabpanel]"));
        window.click("Show details");
        Window.within(() -> "is " + width(window), () -> width(window) == kept);
        new Actions(window.driver).doubleClick(window.driver.findElement(By.cssSelector(".splitter"))).perform();
        Window.within(() -> "is " + width(window), () -> width(window) == width);

        window.click("Forced dark");
        Window.within(() -> "not inverted", () -> "invert(1) hue-rotate(180deg)".equals(window.script(
                "return getComputedStyle(document.querySelector('.stage iframe')).filter"))
                && "invert(1) hue-rotate(180deg)".equals(framed(window,
                        "return getComputedStyle(document.getElementById('image')).filter")));
        window.click("Mobile");
        Window.within(() -> "not narrow", () -> ((Number) framed(window, "return innerWidth")).intValue() == 375);
        window.click("Light").click("Desktop");

        window.driver.executeCdpCommand("Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath",
                folder.toString()));
        window.choose("Export", "Download .eml").sees("Open the file in your mail client");
        Window.within(() -> "no file but " + List.of(folder.toFile().list()), () -> folder.resolve("mail.eml").toFile()
                .length() > 0);
        String file = Files.readString(folder.resolve("mail.eml"));
        assertTrue(file.contains("\r\nSubject: Hi Ada\r\n") && file.endsWith("\r\n--stet-part--\r\n"), file);

        String first = window.another();
        window.open(stet, "/templates/mail/preview").heading("Mail").preview("To the shop");
        String second = window.front(first);
        window.type("Subject", "Hi again").write("<p>Another text, {{name}}</p>").preview("Another text, Ada");
        window.front(second);
        window.preview("Another text, Ada");
        window.sees(".inbox-line", "Hi again");
        window.front(first);
        window.choose("Export", "Copy HTML with test data").sees("HTML copied.");
        window.click("Export");
        assertEquals(window.path() + "/preview", window.find("menuitem", "Open in new tab").getDomAttribute("href"));
    }

    /** Any two versions can be compared as text and side by side as rendered emails. */
    @Test
    void versionsAreComparedAsPictures(Window window) {
        for (int i = 1; i <= 3; i++) {
            stet.draft(ada, "mail", "Mail", "Hi", "<h1>Text number " + i + "</h1>");
            stet.publish(ada, "mail");
        }
        stet.draft(ada, "mail", "Mail", "Hi", "<h1>The draft</h1>");
        window.signedIn(stet, ada, "/templates/mail").heading("Mail").click("Publish\u2026").heading("Publish Mail");
        window.sees("ins.line", "The draft").tab("Preview");
        pictures(window, "Text number 3", "The draft");
        window.click("Cancel").closed().tab("History").choose("More actions for version 2", "Compare…").heading("Compare version 2")
                .sees("del.line", "number 2");
        window.find("field", "Compared with").sendKeys("version 1");
        window.sees("ins.line", "number 1").tab("Preview");
        pictures(window, "Text number 2", "Text number 1");
    }

    private static void pictures(Window window, String... texts) {
        Window.within(() -> "not the pictures of " + List.of(texts), () -> {
            List<WebElement> frames = window.driver.findElements(By.cssSelector(".picture iframe"));
            boolean areShown = frames.size() == texts.length;
            for (int i = 0; areShown && i < texts.length; i++) {
                window.driver.switchTo().frame(frames.get(i));
                try {
                    areShown = window.driver.findElement(By.cssSelector("body")).getText().contains(texts[i]);
                } finally {
                    window.driver.switchTo().defaultContent();
                }
            }
            return areShown;
        });
    }

    private static double width(Window window) {
        return ((Number) window.script("return Math.round(document.querySelector('.pane.preview').getBoundingClientRect().width)"))
                .doubleValue();
    }

    private static void changes(Window window, String source) {
        Window.within(() -> "the source is " + window.text(), () -> window.text().equals(source));
    }

    /** Waits until the newest preview is shown. */
    private static void settled(Window window) {
        Window.within(() -> "a newer preview does not come", () -> isSettled(window));
    }

    private static boolean isSettled(Window window) {
        return Boolean.TRUE.equals(window.script("return !document.querySelector('.stage').hasAttribute('aria-busy')"));
    }

    /** Holds all responses to requests for previews until {@code release()}; a slow typist causes more than one. */
    private static void holdPreviews(Window window) {
        window.script("""
                const fetched = window.fetch;
                window.isHeld = false;
                const released = new Promise(done => { window.release = done; });
                window.fetch = async (path, ...rest) => {
                  const response = await fetched(path, ...rest);
                  if (path !== '/data/check') {
                    return response;
                  }
                  const text = await response.text();
                  window.isHeld = true;
                  await released;
                  return new Response(text, response);
                };
                """);
    }

    private static void held(Window window) {
        Window.within(() -> "no preview is requested", () -> Boolean.TRUE.equals(window.script("return window.isHeld")));
    }

    private static void undo(Window window) {
        window.script("const code = document.querySelector('.CodeMirror').CodeMirror; code.focus(); code.undo()");
    }

    private static void editsText(Window window) {
        window.click("Edit text");
        Window.within(() -> "nothing is edited", () -> Boolean.TRUE.equals(editing(window)));
    }

    /** Double-clicks a text until it is editable, then types. */
    private static void type(Window window, String selector, CharSequence... keys) {
        Window.within(() -> selector + " cannot be edited", () -> {
            inPreview(window, selector, true);
            return Boolean.TRUE.equals(editing(window));
        });
        if (keys[0] != Keys.END) {
            window.ctrl("a");
        }
        window.keys(keys);
    }

    private static Object editing(Window window) {
        return framed(window, "return document.activeElement?.localName === 'stet-text'");
    }

    private static double scroll(Window window) {
        return ((Number) framed(window, "return scrollY")).doubleValue();
    }

    private static Object outlined(Window window) {
        return framed(window, "return [...document.querySelectorAll('*')]"
                + ".find(e => [...e.attributes].some(a => a.name.endsWith('-shown')))?.tagName");
    }

    private static void cursor(Window window, String before) {
        window.script("const code = document.querySelector('.CodeMirror').CodeMirror; code.focus(); "
                + "code.setCursor(code.posFromIndex(code.getValue().indexOf(arguments[0])))", before);
    }

    private static Object framed(Window window, String script) {
        window.driver.switchTo().frame(window.driver.findElement(By.cssSelector(".stage iframe:not(.coming)")));
        try {
            return window.driver.executeScript(script);
        } finally {
            window.driver.switchTo().defaultContent();
        }
    }
}
