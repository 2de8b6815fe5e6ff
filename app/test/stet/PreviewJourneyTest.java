package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;
import stet.core.Account;
import stet.core.Draft;
import stet.core.Plan;

/** Working in the preview: from a click to the source, from the cursor to the preview, and edits in place. */
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
            {{> footer}}
            </body></html>
            """.replace("IMAGE", IMAGE);

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    private Window opened(Window window) {
        stet.block(ada, "footer", "<b id=\"footer\">Harbour Books</b>");
        stet.db.change(dao -> dao.save(ada.id(), new Draft("mail", "Mail", "Hi {{name}}", MAIL.getBytes(StandardCharsets.UTF_8),
                Map.of("a", "{\"name\":\"Ada\",\"items\":[\"Tea\",\"Milk\"]}")), stet.now()));
        window.looks("light", 1440, 900);
        window.signedIn(stet, ada, "/templates/mail").heading("Mail");
        window.preview("To the shop");
        return window;
    }

    /** Does something with an element of the preview. */
    private static void inPreview(Window window, String selector, boolean isDouble) {
        Window.within(() -> "no " + selector + " to click", () -> {
            window.driver.switchTo().frame(window.driver.findElement(By.cssSelector(".stage iframe:not(.coming)")));
            try {
                Actions actions = new Actions(window.driver);
                var element = window.driver.findElement(By.cssSelector(selector));
                (isDouble ? actions.doubleClick(element) : actions.click(element)).perform();
                return true;
            } finally {
                window.driver.switchTo().defaultContent();
            }
        });
    }

    private static void click(Window window, String selector) {
        inPreview(window, selector, false);
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
        window.press("Test data");
        assertEquals("Sample value of items[]", window.script("return document.activeElement.ariaLabel"));
        selects(window, "#footer", "{{this}}");
        window.sees(".chosen-name", "From the shared block footer");
        window.find("link", "Open the block");

        assertTrue(scroll(window) > 0);
        cursor(window, "<h1>");
        Window.within(() -> "not scrolled up", () -> scroll(window) == 0 && "H1".equals(outlined(window)));
        cursor(window, "very end");
        Window.within(() -> "not scrolled down", () -> scroll(window) > 500 && "P".equals(outlined(window)));
        double before = scroll(window);
        window.keys("!").preview("The !very end");
        Window.within(() -> "scrolled back to " + scroll(window), () -> scroll(window) == before && "P".equals(outlined(window)));
    }

    /** The text of a place is edited there, and all around it stays as it was. */
    @Test
    void textsLinksAndImagesAreEditedInPlace(Window window) {
        opened(window);
        type(window, "#headline", "Tea & <coffee>" + Keys.ENTER);
        String headline = MAIL.replace("biscuits &mdash; today", "&lt;coffee&gt;");
        changes(window, headline);
        window.preview("Tea & <coffee>");
        type(window, "#headline", "never" + Keys.ESCAPE);
        changes(window, headline);
        type(window, "#headline", Keys.END, " {{name}} {{" + Keys.ENTER);
        changes(window, headline.replace("&lt;coffee&gt;", "&lt;coffee&gt; {{name}} &#123;&#123;"));
        window.preview("Tea & <coffee> Ada {{");
        undo(window);
        changes(window, headline);
        undo(window);
        changes(window, MAIL);

        click(window, "#link");
        window.type("Link address", "https://example.com/?a=1&c={{name}}").keys(Keys.ENTER);
        changes(window, MAIL.replace("&amp;b=", "&amp;c="));
        click(window, "#image");
        window.type("Alt text", "A \"pot\" & a cup").keys(Keys.ENTER);
        String alt = MAIL.replace("&amp;b=", "&amp;c=").replace("<img id", "<img alt=\"A &#34;pot&#34; &amp; a cup\" id");
        changes(window, alt);
        window.type("Image address", "https://example.com/pot.png").keys(Keys.ENTER);
        changes(window, alt.replace(IMAGE, "https://example.com/pot.png"));
        undo(window);
        undo(window);
        undo(window);
        changes(window, MAIL);

        cursor(window, "biscuits");
        new Actions(window.driver).keyDown(Keys.ALT).sendKeys(Keys.ENTER).keyUp(Keys.ALT).perform();
        window.sees(".chosen-name", "Text");
        window.keys(Keys.ENTER);
        Window.within(() -> "nothing is edited", () -> Boolean.TRUE.equals(editing(window)));
        window.keys("x", Keys.ENTER);
        changes(window, MAIL.replace("Tea &amp;\n    biscuits &mdash; today", "x"));
    }

    private static void changes(Window window, String source) {
        Window.within(() -> "the source is " + window.text(), () -> window.text().equals(source));
    }

    private static void undo(Window window) {
        window.script("const code = document.querySelector('.CodeMirror').CodeMirror; code.focus(); code.undo()");
    }

    /** Double-clicks a text until it can be edited, and types. */
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
        return framed(window, "return [...document.querySelectorAll('*')].find(e => [...e.attributes].some(a => a.name.endsWith('-shown')))?.tagName");
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
