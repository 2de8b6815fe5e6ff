package stet.pages;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;
import stet.core.Account;
import stet.core.Draft;
import stet.harness.Running;
import stet.harness.Window;

/** A user of an editor's preview beside the HTML: what they do and see. */
final class PreviewPage {
    static final String IMAGE = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
    static final String MAIL = """
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

    private PreviewPage() {
    }

    /** Opens the email, with a shared block and test data. */
    static Window opened(Window window, Running stet, Account account) {
        stet.block(account, "footer", "<b id=\"footer\">Harbour Books</b>");
        stet.db.change(dao -> dao.templates().save(account.id(), new Draft("mail", "Mail", "Hi {{name}}", MAIL.getBytes(StandardCharsets.UTF_8),
                Map.of("a", "{\"name\":\"Ada\",\"items\":[\"Tea\",\"Milk\"]}")), stet.now()));
        window.looks("light", 1440, 900);
        window.signedIn(stet, account, "/templates/mail").heading("Mail");
        window.preview("To the shop");
        return window;
    }

    static void set(Window window, String source) {
        window.script("document.querySelector('.CodeMirror').CodeMirror.setValue(arguments[0])", source);
    }

    /**
     * Clicks an element of the preview from the surrounding page, once the newest preview is shown. A driver that clicks inside a frame
     * while it is replaced may hang forever.
     */
    private static void inPreview(Window window, String selector, UnaryOperator<Actions> press) {
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
            press.apply(actions).perform();
            return true;
        });
    }

    static void click(Window window, String selector) {
        inPreview(window, selector, Actions::click);
    }

    /** Clicks until a field is present, because a click is lost if the preview is replaced. */
    static void choose(Window window, String selector, String field) {
        Window.within(() -> selector + " leads to no " + field, () -> {
            click(window, selector);
            return window.look("field", field) != null;
        });
    }

    static String selected(Window window) {
        return (String) window.script("return document.querySelector('.CodeMirror').CodeMirror.getSelection()");
    }

    static void selects(Window window, String selector, String source) {
        Window.within(() -> selector + " leads to \"" + selected(window) + "\"", () -> {
            click(window, selector);
            return selected(window).equals(source);
        });
    }

    static void cursor(Window window, String before) {
        window.script("const code = document.querySelector('.CodeMirror').CodeMirror; code.focus(); "
                + "code.setCursor(code.posFromIndex(code.getValue().indexOf(arguments[0])))", before);
    }

    /** Chooses the text at the cursor by keyboard. */
    static void chooseAtCursor(Window window) {
        new Actions(window.driver).keyDown(Keys.ALT).sendKeys(Keys.ENTER).keyUp(Keys.ALT).perform();
        window.sees(".chosen-name", "Text");
    }

    /** Double-clicks a text until it is editable, then types. */
    static void type(Window window, String selector, CharSequence... keys) {
        Window.within(() -> selector + " cannot be edited", () -> {
            inPreview(window, selector, Actions::doubleClick);
            return Boolean.TRUE.equals(editing(window));
        });
        if (keys[0] != Keys.END) {
            window.ctrl("a");
        }
        window.keys(keys);
    }

    /** Starts editing the chosen text. */
    static void editText(Window window) {
        window.click("Edit text");
        edits(window);
    }

    /** Waits until a text is edited in the preview. */
    static void edits(Window window) {
        Window.within(() -> "nothing is edited", () -> Boolean.TRUE.equals(editing(window)));
    }

    static Object editing(Window window) {
        return framed(window, "return document.activeElement?.localName === 'stet-text'");
    }

    static void undo(Window window) {
        window.script("const code = document.querySelector('.CodeMirror').CodeMirror; code.focus(); code.undo()");
    }

    static void changes(Window window, String source) {
        Window.within(() -> "the source is " + window.text(), () -> window.text().equals(source));
    }

    /** Waits until the newest preview is shown. */
    static void settled(Window window) {
        Window.within(() -> "a newer preview does not come", () -> isSettled(window));
    }

    static boolean isSettled(Window window) {
        return Boolean.TRUE.equals(window.script("return !document.querySelector('.stage').hasAttribute('aria-busy')"));
    }

    /** Holds all responses to requests for previews until {@code release()}; a slow typist causes more than one. */
    static void holdPreviews(Window window) {
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

    /** Waits until a response is held. */
    static void held(Window window) {
        Window.within(() -> "no preview is requested", () -> Boolean.TRUE.equals(window.script("return window.isHeld")));
    }

    static Object framed(Window window, String script) {
        window.driver.switchTo().frame(window.driver.findElement(By.cssSelector(".stage iframe:not(.coming)")));
        try {
            return window.driver.executeScript(script);
        } finally {
            window.driver.switchTo().defaultContent();
        }
    }
}
