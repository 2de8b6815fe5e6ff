package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.pages.PreviewPage.IMAGE;
import static stet.pages.PreviewPage.MAIL;
import static stet.pages.PreviewPage.changes;
import static stet.pages.PreviewPage.click;
import static stet.pages.PreviewPage.cursor;
import static stet.pages.PreviewPage.framed;
import static stet.pages.PreviewPage.isSettled;
import static stet.pages.PreviewPage.opened;
import static stet.pages.PreviewPage.selects;
import static stet.pages.PreviewPage.set;
import static stet.pages.PreviewPage.type;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** The preview beside the HTML: from one to the other, its notes and layouts, another tab and comparisons. */
@Tag("browser")
@ExtendWith(Chromium.class)
class PreviewJourneyTest {
    @TempDir
    Path folder;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    @Test
    void clicksLeadToTheSource(Window window) {
        opened(window, stet, ada);
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
    }

    @Test
    void theTextAtTheCursorIsScrolledToAndOutlined(Window window) {
        opened(window, stet, ada);
        click(window, "#footer");
        assertTrue(scroll(window) > 0);
        cursor(window, "<h1>");
        Window.within(() -> "not scrolled up", () -> scroll(window) == 0 && "H1".equals(outlined(window)));
        cursor(window, "very end");
        Window.within(() -> "not scrolled down", () -> scroll(window) > 500 && "P".equals(outlined(window)));
        double before = scroll(window);
        window.keys("!").preview("The !very end");
        Window.within(() -> "scrolled back to " + scroll(window), () -> scroll(window) == before && "P".equals(outlined(window)));
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
        set(window, "<p id=\"footer\">New Street</p>");
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
        set(window, "<p>Mine</p>\n<style>p { }");
        window.sees(".preview-note", "A part of this email is lost in every mail client (line 2: \"<style>\" is not closed");
        stet.block(ada, "note", "<p>Theirs</p>");
        window.ctrl("s").tab("Preview").sees("figure", torn);
    }

    @Test
    void helpersOfTheAppAreNamed(Window window) {
        opened(window, stet, ada);
        set(window, MAIL + "{{#if (eq name 'Ada')}}<p>Yes</p>{{else}}<p>No</p>{{/if}}");
        window.preview("Yes");
        window.sees(".preview-note", "The preview cannot run your app's helpers (eq): it always shows the first branch of their sections");
    }

    @Test
    void whatMailClientsLoseIsNamed(Window window) {
        opened(window, stet, ada);
        set(window, "<p>Yes {{name\u200b}}</p>\n<style>p { } <p>No</p>");
        window.preview("Yes");
        window.sees(".preview-note", "A part of this email is lost in every mail client (line 2: \"<style>\" is not closed");
        window.sees(".invisible-char", "U+200B");
    }

    /** A preview whose images never load is shown before its load event. All in one script, because the driver waits for that event. */
    @Test
    void aPreviewIsShownThoughItsImagesNeverLoad(Window window) throws IOException {
        opened(window, stet, ada).expect(".*/pot.png - Failed to load resource: .*");
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

    @Test
    void theInboxLineAndAWideEmailAreShown(Window window) {
        opened(window, stet, ada);
        window.sees(".inbox-subject", "Hi Ada").sees(".inbox-preheader", "Tea & biscuits");
        window.sees(".inbox-lengths", "Subject: 6 characters. There is no preheader, so inboxes show the start of the email.");
        assertTrue((Boolean) window.script("const frame = document.querySelector('.stage iframe'); "
                + "return frame.clientWidth >= 600 && frame.style.transform === ''"));
    }

    /** The splitter moves by keyboard, and a double click restores its place. */
    @Test
    void theSplitterAndTheDetailsStayAsTheyAreSet(Window window) {
        opened(window, stet, ada);
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
    }

    @Test
    void theEmailIsShownForcedDarkAndNarrow(Window window) {
        opened(window, stet, ada);
        window.click("Forced dark");
        Window.within(() -> "not inverted", () -> "invert(1) hue-rotate(180deg)".equals(window.script(
                "return getComputedStyle(document.querySelector('.stage iframe')).filter"))
                && "invert(1) hue-rotate(180deg)".equals(framed(window,
                        "return getComputedStyle(document.getElementById('image')).filter")));
        window.click("Mobile");
        Window.within(() -> "not narrow", () -> ((Number) framed(window, "return innerWidth")).intValue() == 375);
    }

    @Test
    void anEmailFileIsDownloaded(Window window) throws IOException {
        opened(window, stet, ada);
        window.driver.executeCdpCommand("Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath",
                folder.toString()));
        window.choose("Export", "Download .eml").sees("Open the file in your mail client");
        Window.within(() -> "no file but " + List.of(folder.toFile().list()), () -> folder.resolve("mail.eml").toFile()
                .length() > 0);
        String file = Files.readString(folder.resolve("mail.eml"));
        assertTrue(file.contains("\r\nSubject: Hi Ada\r\n") && file.endsWith("\r\n--stet-part--\r\n"), file);
    }

    @Test
    void anotherTabFollowsTheEditor(Window window) {
        opened(window, stet, ada);
        String first = window.another();
        window.open(stet, "/templates/mail/preview").heading("Mail").preview("To the shop");
        String second = window.front(first);
        window.type("Subject", "Hi again").write("<p>Another text, {{name}}</p>").preview("Another text, Ada");
        window.front(second);
        window.preview("Another text, Ada");
        window.sees(".inbox-line", "Hi again");
        window.front(first);
    }

    @Test
    void theHtmlIsCopiedAsThePreviewShowsIt(Window window) {
        opened(window, stet, ada);
        window.script("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text; } } })");
        window.choose("Export", "Copy HTML with test data").sees("HTML copied.");
        String copied = (String) window.script("return window.copied");
        assertTrue(copied.contains("<p><b>Hello Ada, welcome.</b></p>") && copied.contains("<b id=\"footer\">Harbour Books</b>"), copied);
    }

    @Test
    void thePreviewAloneHasALink(Window window) {
        opened(window, stet, ada).click("Export");
        assertEquals(window.path() + "/preview", window.find("menuitem", "Open in new tab").getDomAttribute("href"));
    }

    /** Any two versions can be compared as text and side by side as rendered emails. */
    @Test
    void versionsAreComparedAsPictures(Window window) {
        threeVersions();
        window.signedIn(stet, ada, "/templates/mail").heading("Mail").click("Publish\u2026").heading("Publish Mail");
        window.sees("ins.line", "The draft").tab("Preview");
        pictures(window, "Text number 3", "The draft");
        window.click("Cancel").closed().tab("History").choose("More actions for version 2", "Compare…").heading("Compare version 2")
                .sees("del.line", "number 2");
        window.find("field", "Compared with").sendKeys("version 1");
        window.sees("ins.line", "number 1").tab("Preview");
        pictures(window, "Text number 2", "Text number 1");
    }

    @Test
    void aComparisonWithAVersionThatIsNoLongerChosenIsNotShown(Window window) {
        compareVersionTwo(window);
        window.script("""
                const fetched = window.fetch;
                const released = new Promise(done => { window.release = done; });
                window.isRead = false; // the page has read the response that was held
                window.fetch = async (path, ...rest) => {
                  const response = await fetched(path, ...rest);
                  if (path.endsWith('/versions/1')) {
                    const text = await response.text();
                    await released;
                    response.text = async () => {
                      setTimeout(() => { window.isRead = true; }); // after the page's own steps
                      return text;
                    };
                  }
                  return response;
                };
                """);
        window.pick("Compared with", "version 1").pick("Compared with", "version 3, live").sees("ins.line", "number 3");
        window.script("window.release()");
        Window.within(() -> "version 1 does not come", () -> (Boolean) window.script("return window.isRead"));
        window.sees("ins.line", "number 3");
    }

    @Test
    void picturesThatCouldNotBeLoadedAreLoadedWhenTheirTabIsShownAgain(Window window) {
        compareVersionTwo(window);
        window.script("""
                const fetched = window.fetch;
                window.fetch = async () => {
                  window.fetch = fetched;
                  return new Response('{"error": "Not now"}', { status: 500 });
                };
                """);
        window.tab("Preview").sees("dialog .status", "Not now.").tab("HTML").tab("Preview");
        pictures(window, "Text number 2", "The draft");
    }

    private void compareVersionTwo(Window window) {
        threeVersions();
        window.signedIn(stet, ada, "/templates/mail").heading("Mail").tab("History").choose("More actions for version 2", "Compare…").heading("Compare version 2");
    }

    private void threeVersions() {
        for (int i = 1; i <= 3; i++) {
            stet.draft(ada, "mail", "Mail", "Hi", "<h1>Text number " + i + "</h1>");
            stet.publish(ada, "mail");
        }
        stet.draft(ada, "mail", "Mail", "Hi", "<h1>The draft</h1>");
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

    private static double scroll(Window window) {
        return ((Number) framed(window, "return scrollY")).doubleValue();
    }

    private static Object outlined(Window window) {
        return framed(window, "return [...document.querySelectorAll('*')]"
                + ".find(e => [...e.attributes].some(a => a.name.endsWith('-shown')))?.tagName");
    }
}
