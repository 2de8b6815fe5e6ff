package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static stet.pages.WritePage.choose;
import static stet.pages.WritePage.css;
import static stet.pages.WritePage.drag;
import static stet.pages.WritePage.has;
import static stet.pages.WritePage.in;
import static stet.pages.WritePage.ready;
import static stet.pages.WritePage.rewrite;
import static stet.pages.WritePage.says;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.Point;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Pictures;
import stet.harness.Running;
import stet.harness.Window;
import stet.images.ImageFile;

/** The most frequent changes to an email, by mouse, with the number of clicks. */
@Tag("browser")
@ExtendWith(Chromium.class)
class WriteTasksTest {
    private static final String HEAD = "<!doctype html>\n<html lang=\"en\"><head><title>x</title></head><body>\n";
    private static final String LOGO = "<img src=\"{{> images/old.png}}\" width=\"40\" alt=\"Example Ltd\">\n";
    private static final String HEADLINE = "<h1>Hello</h1>\n";
    private static final String TEXT = "<p>Some words</p>\n";
    private static final String BUTTON = "<table role=\"presentation\"><tr><td bgcolor=\"#2455c3\"><a href=\"https://one.example\" style=\"display: inline-block; padding: 10px 20px; "
            + "background-color: #2455c3; color: #ffffff;\">Read on</a></td></tr></table>\n";
    private static final String MAIL = HEAD + LOGO + HEADLINE + TEXT + BUTTON + "</body></html>\n";

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    @TempDir
    private Path folder;
    private int clicks;

    /** Opens an email and changes it. @param after pattern of the HTML then */
    private void task(Window window, String name, int expected, Consumer<Window> does, String after) {
        stet.draft(ada, name, name, "Hi", MAIL);
        window.open(stet, "/templates/" + name).heading(name).preview("Some words");
        has(window, "Hello, heading");
        ready(window);
        clicks = 0;
        does.accept(window);
        Window.within(() -> name + "\n" + window.text(), () -> window.text().matches(after));
        assertEquals(expected, clicks, name);
    }

    private void click(Window window, String button) {
        clicks++;
        window.click(button);
    }

    private void pick(Window window, String selector) {
        clicks++;
        ready(window);
        WritePage.click(window, selector);
    }

    private static void enter(Window window, String field, String value) {
        window.type(field, value).keys(Keys.TAB);
    }

    private void insert(Window window, String file, String described) {
        window.sees("dialog[open]", "Choose an image");
        window.driver.findElement(By.cssSelector("dialog[open] input[type=file]")).sendKeys(folder.resolve(file).toString());
        clicks += 2; // the button and the file
        window.sees("dialog[open]", file);
        if (described != null) {
            window.type("Description", described);
        }
        click(window, "Insert");
        window.closed();
    }

    @Test
    void tenFrequentTasksTakeTheseClicks(Window window) throws IOException {
        Files.write(folder.resolve("new.png"), Pictures.png(40, 20, 2));
        stet.db.change(dao -> dao.images().save(ada.id(), "images/old.png", ImageFile.of(Pictures.png(40, 20, 1)), stet.now()));
        window.signedIn(stet, ada, "/usage").heading("Usage").writes();
        task(window, "headline", 2, page -> {
            clicks += 2; // a double click on the text
            rewrite(page, "h1", "Good morning");
            page.keys(Keys.ENTER);
        }, Pattern.quote(MAIL.replace("Hello", "Good morning")));
        task(window, "button", 1, page -> {
            pick(page, "a");
            enter(page, "Label", "Shop now");
            says(page, "label changed");
            enter(page, "Link", "https://two.example");
            says(page, "link changed");
            enter(page, "Background", "#7a1f5c");
        }, Pattern.quote(MAIL.replace("Read on", "Shop now").replace("https://one.example", "https://two.example").replace("#2455c3", "#7a1f5c")));
        task(window, "logo", 5, page -> {
            pick(page, "img");
            click(page, "Choose an image…");
            insert(page, "new.png", null);
        }, Pattern.quote(MAIL.replace("old.png", "new.png")));
        task(window, "image-with-text", 5, page -> {
            pick(page, "p");
            click(page, "Add image with text");
            insert(page, "new.png", "Tulips");
        }, "(?s).*Some words</p>\\R<!--\\[if mso].*<img src=\"\\{\\{> images/new.png}}\" width=\"40\" alt=\"Tulips\".*New text</p>\\R</div>\\R<!--.*");
        task(window, "two-columns", 2, page -> {
            pick(page, "p");
            click(page, "Add columns");
        }, "(?s).*Some words</p>\\R<!--\\[if mso].*Left column.*Right column.*");
        task(window, "divider", 2, page -> {
            pick(page, "h1");
            click(page, "Add divider");
        }, "(?s).*Hello</h1>\\R<table role=\"presentation\".*border-top: 1px solid.*<p>Some words.*");
        task(window, "reorder", 2, page -> {
            pick(page, "h1");
            Window.within(() -> "no grip", () -> css(page, ".grip").isDisplayed());
            Point text = in(page, "p");
            clicks++;
            drag(page, css(page, ".grip"), new Point(text.x, text.y + 14));
        }, Pattern.quote(HEAD + LOGO + TEXT + HEADLINE + BUTTON + "</body></html>\n"));
        task(window, "double", 2, page -> {
            pick(page, "p");
            click(page, "Duplicate");
        }, Pattern.quote(HEAD + LOGO + HEADLINE + TEXT + TEXT + BUTTON + "</body></html>\n"));
        task(window, "delete", 2, page -> {
            pick(page, "p");
            click(page, "Delete");
        }, Pattern.quote(HEAD + LOGO + HEADLINE + BUTTON + "</body></html>\n"));
        window.goTo("/").heading("Templates");
        clicks = 0;
        click(window, "New template…");
        window.heading("New template");
        clicks++;
        window.choose("Empty").preview("Headline");
        window.type("Name", "Spring");
        click(window, "Create");
        window.heading("Spring").preview("Headline");
        assertEquals(3, clicks, "a new email");
    }

    /** An invalid name is rejected. */
    @Test
    void conditionsAndListsAreRenamedInFields(Window window) {
        stet.draft(ada, "named", "Named", "Hi", HEAD + "{{#unless vip}}<p>One</p>{{/unless}}\n{{#items}}<p>{{title}}</p>{{/items}}\n</body></html>\n");
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/named").heading("Named").preview("{{title}}");
        ready(window);
        choose(window, "Unless vip");
        enter(window, "Shown only without", "member");
        says(window, "Condition: name changed");
        choose(window, "Each of items");
        enter(window, "Repeated for each of", "order.rows");
        says(window, "List: name changed");
        enter(window, "Repeated for each of", "no name");
        window.sees(".toast", "Enter a name");
        assertEquals(HEAD + "{{#unless member}}<p>One</p>{{/unless}}\n{{#order.rows}}<p>{{title}}</p>{{/order.rows}}\n</body></html>\n", window.text());
    }

    /** A selection may begin and end in different texts of a paragraph. A triple click selects all of it. */
    @Test
    void wordsOfSeveralTextsAreFormatted(Window window) {
        stet.draft(ada, "words", "Words", "Hi", HEAD + "<p>Dear {{name}}, <b>this</b> is <i>new</i>.</p>\n<p>Next</p>\n</body></html>\n");
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/words").heading("Words").preview("Dear");
        has(window, "Next, text");
        ready(window);
        WritePage.click(window, "b");
        select(window, "const range = document.createRange(); range.setStart(document.querySelector('p').firstChild, 0); "
                + "range.setEnd(document.querySelector('i').lastChild, 3); getSelection().removeAllRanges(); getSelection().addRange(range);");
        window.ctrl("b");
        says(window, "Bold");
        assertEquals("<p><strong>Dear {{name}},</strong> <b>this</b> <strong>is</strong> <i><strong>new</strong></i>.</p>", window.text().lines().toList().get(2));
        window.ctrl("z");
        ready(window);
        select(window, "const range = document.createRange(); range.setStart(document.querySelector('p').firstChild, 0); "
                + "range.setEnd(document.querySelector('p:nth-of-type(2)'), 0); getSelection().removeAllRanges(); getSelection().addRange(range);");
        window.ctrl("i");
        says(window, "Italic");
        assertEquals("<p><em>Dear {{name}},</em> <b><em>this</em></b> <em>is</em> <i>new</i><em>.</em></p>", window.text().lines().toList().get(2));
    }

    @Test
    void aLinkNeedsSelectedWords(Window window) {
        stet.draft(ada, "linked", "Linked", "Hi", MAIL);
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/linked").heading("Linked").preview("Some words");
        has(window, "Some words, text");
        rewrite(window, "p", "Other words");
        window.ctrl("k");
        window.sees(".toast", "Select words in one text.");
        window.closed();
    }

    @Test
    void aPartsTooltipHasItsWordsAndKind(Window window) {
        stet.draft(ada, "narrow", "Narrow", "Hi", MAIL);
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/narrow").heading("Narrow").preview("Some words");
        has(window, "Hello, heading");
        assertEquals(List.of("Example Ltd, image", "Hello, heading", "Some words, text", "Read on, button"),
                window.script("return [...document.querySelectorAll('.row-of')].map(row => row.title)"));
    }

    private static void select(Window window, String script) {
        WritePage.inFrame(window, () -> window.driver.executeScript(script));
    }

    /** Distance in px from the left and the right of the email to an element of it. */
    private static List<?> place(Window window, String selector) {
        List<?>[] place = new List<?>[1];
        WritePage.inFrame(window, () -> place[0] = (List<?>) window.driver.executeScript("const { left, right } = document.querySelector(arguments[0]).getBoundingClientRect(); "
                + "const all = document.querySelector('#all').getBoundingClientRect(); return [Math.round(left - all.left), Math.round(all.right - right)]", selector));
        return place[0];
    }

    /** Alignment moves what is aligned: a button in a narrow table of its own, and an image that is a block. */
    @Test
    void alignmentMovesButtonsAndImages(Window window) {
        String image = "<img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\" width=\"40\" alt=\"x\" style=\"display: block; width: 40px; height: 20px;\">\n";
        stet.draft(ada, "aligned", "Aligned", "Hi", HEAD + "<div id=\"all\" style=\"width: 500px;\">\n" + HEADLINE + image + BUTTON + "</div>\n</body></html>\n");
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/aligned").heading("Aligned").preview("Hello");
        has(window, "Read on, button");
        ready(window);
        for (String part : List.of("x, image", "Read on, button")) {
            String selector = part.startsWith("x") ? "img" : "a";
            choose(window, part);
            for (String side : List.of("Right", "Centre", "Left", "Right")) {
                window.click(side);
                says(window, "alignment changed");
                Window.within(() -> side + " of " + part + ": " + place(window, selector) + "\n" + window.text(), () -> {
                    long left = (Long) place(window, selector).get(0);
                    long right = (Long) place(window, selector).get(1);
                    return side.equals("Left") ? left < 6 && right > 300 : side.equals("Right") ? right < 6 && left > 300 : Math.abs(left - right) < 6;
                });
            }
        }
        assertEquals(HEAD + "<div id=\"all\" style=\"width: 500px;\">\n" + HEADLINE + "<div align=\"right\">" + image.strip() + "</div>\n<div align=\"right\">" + BUTTON.strip()
                + "</div>\n</div>\n</body></html>\n", window.text());
    }

    /** Without a chosen part, a new one is added at the end of the email's contents: not behind its footer, and not into a table of items. */
    @Test
    void aNewPartIsAddedToTheContents(Window window) {
        String table = "<table role=\"presentation\" width=\"100%\">\n";
        String item = "<tr><td>{{title}}, a long description of what was ordered and when it is to be expected</td><td>{{price}}</td></tr>\n";
        String head = HEAD + table + "<tr><td>Logo</td></tr>\n<tr><td style=\"padding: 8px;\">\n" + HEADLINE + table + "<tr><td>Item</td><td>Price</td></tr>\n{{#each items}}" + item
                + "{{/each}}<tr><td>Total</td><td>{{total}}</td></tr>\n</table>\n" + TEXT;
        String tail = "</td></tr>\n<tr><td>Address</td></tr>\n<tr><td>Unsubscribe</td></tr>\n</table>\n</body></html>\n";
        stet.draft(ada, "contents", "Contents", "Hi", head + tail);
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/contents").heading("Contents").preview("Some words");
        has(window, "Unsubscribe, text");
        ready(window);
        click(window, "Add text");
        says(window, "Text added");
        assertEquals(head + "<p>New text</p>\n" + tail, window.text());
    }

    /** The click that ends a drag adds nothing; a later press of Enter does. */
    @Test
    void aKindThatWasDraggedIsAddedAgainWithEnter(Window window) {
        opened(window);
        Point text = in(window, "p");
        drag(window, css(window, ".kind[data-kind=divider]"), new Point(text.x, text.y + 14));
        says(window, "Divider added");
        assertEquals(2, window.text().split("border-top").length);
        css(window, ".kind[data-kind=divider]").sendKeys(Keys.ENTER);
        Window.within(window::text, () -> window.text().split("border-top").length == 3);
    }

    /** Browsers have no clipboard API for pages without TLS. */
    @Test
    void aPartIsCutInThePreviewWithoutTheClipboardApi(Window window) {
        opened(window);
        window.script("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
        cutText(window);
        says(window, "Text deleted");
        assertEquals(MAIL.replace(LOGO, "").replace(TEXT, ""), window.text());
        choose(window, "Hello");
        window.ctrl("v");
        says(window, "Pasted");
        assertEquals(MAIL.replace(LOGO, ""), window.text());
    }

    private static void cutText(Window window) {
        WritePage.click(window, "p");
        window.sees(".piece-panel h2", "Text").ctrl("x");
    }

    @Test
    void aPartThatIsNoLongerChosenIsNotCutOnceTheClipboardHasIt(Window window) {
        opened(window);
        window.script("Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => new Promise(done => { window.release = done; }) } })");
        cutText(window);
        Window.within(() -> "nothing is copied", () -> Boolean.TRUE.equals(window.script("return Boolean(window.release)")));
        window.click("Back to details");
        window.script("window.release(); setTimeout(() => { window.isOver = true; });");
        Window.within(() -> "not over", () -> Boolean.TRUE.equals(window.script("return window.isOver")));
        assertEquals("", window.script("return document.querySelector('.toast')?.textContent ?? ''"));
        assertEquals(MAIL.replace(LOGO, ""), window.text());
    }

    private void opened(Window window) {
        stet.draft(ada, "one", "One", "Hi", MAIL.replace(LOGO, ""));
        window.signedIn(stet, ada, "/usage").heading("Usage").writes().open(stet, "/templates/one").heading("One").preview("Some words");
        has(window, "Read on, button");
        ready(window);
    }

    /** A part is copied from one email into another, in the form that its new place needs. */
    @Test
    void aPartIsCopiedIntoAnotherEmail(Window window) {
        stet.draft(ada, "two", "Two", "Hi", HEAD + "<table role=\"presentation\">\n<tr><td style=\"padding: 4px;\">First</td></tr>\n<tr><td>Last</td></tr>\n</table>\n</body></html>\n");
        opened(window);
        choose(window, "Read on");
        window.ctrl("c");
        says(window, "Button copied");
        window.goTo("/templates/two").heading("Two").preview("First");
        has(window, "First, text");
        ready(window);
        choose(window, "First");
        window.ctrl("v");
        says(window, "Pasted");
        assertEquals(HEAD + "<table role=\"presentation\">\n<tr><td style=\"padding: 4px;\">First</td></tr>\n<tr>\n  <td style=\"padding: 4px;\">\n    " + BUTTON.strip()
                + "\n  </td>\n</tr>\n<tr><td>Last</td></tr>\n</table>\n</body></html>\n", window.text());
    }
}
