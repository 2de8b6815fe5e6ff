package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stet.pages.WritePage.add;
import static stet.pages.WritePage.choose;
import static stet.pages.WritePage.click;
import static stet.pages.WritePage.css;
import static stet.pages.WritePage.drag;
import static stet.pages.WritePage.has;
import static stet.pages.WritePage.held;
import static stet.pages.WritePage.in;
import static stet.pages.WritePage.ready;
import static stet.pages.WritePage.rewrite;
import static stet.pages.WritePage.says;
import static stet.pages.WritePage.tree;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import org.openqa.selenium.Point;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Window;

/** Writing without HTML by mouse, by keyboard and by touch; changes that are undone; and pasted text. */
@Tag("browser")
@ExtendWith(Chromium.class)
class WriteJourneyTest {
    private static final String MAIL = """
            <!doctype html>
            <html lang="en"><head><title>x</title></head><body>
            <h1>Hello</h1>
            <p style="color: #333333;">First text</p>
            <p>Second text</p>
            <table role="presentation"><tr><td bgcolor="#2455c3"><a href="https://one.example" style="display: inline-block; padding: 10px 20px; background-color: #2455c3; color: #ffffff;">Read on</a></td></tr></table>
            {{#if vip}}
              <p>For you only</p>
            {{/if}}
            <table role="presentation"><tr><td>Thing</td><td>Price</td></tr>{{#each items}}<tr><td>{{title}}</td><td>{{price}}</td></tr>{{/each}}</table>
            </body></html>
            """;

    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);

    private Window opened(Window window, String path) {
        window.signedIn(stet, ada, "/usage").heading("Usage").writes();
        return window.signedIn(stet, ada, path);
    }

    private Window opened(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", MAIL);
        opened(window, "/templates/welcome").heading("Welcome").preview("Hello");
        has(window, "Hello, heading");
        ready(window);
        return window;
    }

    /**
     * One journey, from nothing to the API's response, because its email is dear to make: words are edited and formatted, parts of seven kinds
     * are added, one is moved and moved back, and the email gets test data and a review link and is published.
     */
    @Test
    void anEmailWithoutHtmlIsWrittenAndPublished(Window window) {
        window.expect(".*img.example.*");
        stet.block(ada, "footer", "<p>You can unsubscribe at any time.</p>");
        opened(window, "/").heading("No templates yet").click("Create your first template…").heading("New template").choose("Empty").preview("Headline");
        window.sees("You are asked once").type("Logo", "https://img.example/logo.png").type("Name", "Spring").click("Create").heading("Spring").preview("Headline");
        has(window, "Headline, heading");
        window.type("Subject", "Spring is here");

        rewrite(window, "h1", "Spring is here");
        window.keys(Keys.ENTER);
        has(window, "Spring is here, heading");
        rewrite(window, "p", "Everything is half price today");
        held(window, Keys.SHIFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT).ctrl("b");
        says(window, "Bold");
        assertTrue(window.text().contains("Everything is half price <strong>today</strong></p>"), window.text());
        rewrite(window, "p", "See everything at half price ");
        window.keys(Keys.HOME);
        held(window, Keys.SHIFT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT).ctrl("k");
        window.heading("Link").type("Address", "https://shop.example").click("Link").closed();
        Window.within(window::text, () -> window.text().contains("<a href=\"https://shop.example\">See</a> everything at half price <strong>today</strong></p>"));

        add(window, "image", () -> window.click("Use an address instead…").heading("Add an image").type("Address", "https://img.example/hero.png").type("Description", "Tulips").click("Add image").closed());
        says(window, "Image added");
        add(window, "columns", () -> { });
        says(window, "Columns added");
        add(window, "button", () -> { });
        says(window, "Button added");
        window.type("Label", "Shop now").keys(Keys.TAB);
        has(window, "Shop now, button *");
        window.type("Link", "https://shop.example/sale").keys(Keys.TAB);
        says(window, "link changed");
        window.type("Background", "#7a1f5c").keys(Keys.TAB);
        says(window, "background changed");
        window.sees(".piece-fields", "easy to read");
        add(window, "list", () -> window.type("Repeat for each of", "items").click("Add list").closed());
        says(window, "List added");
        add(window, "condition", () -> window.type("Shown only if", "vip").click("Add condition").closed());
        says(window, "Condition added");
        add(window, "divider", () -> { });
        says(window, "Divider added");
        add(window, "block", () -> window.click("footer").closed());
        says(window, "Shared block added");
        window.preview("You can unsubscribe");
        // The divider is dragged above the button.
        String before = window.text();
        window.script("document.querySelector('[role=treeitem][aria-label^=Divider] .row-of').click()");
        Window.within(() -> "no grip", () -> css(window, ".grip").isDisplayed());
        ready(window);
        Point button = in(window, "a[href='https://shop.example/sale']");
        drag(window, css(window, ".grip"), new Point(button.x, button.y - 24));
        says(window, "Divider moved");
        assertTrue(tree(window).indexOf("Divider") < tree(window).indexOf("Shop now"), tree(window));
        window.ctrl("z");
        Window.within(window::text, () -> window.text().equals(before));
        window.ctrl("y");
        Window.within(window::text, () -> !window.text().equals(before));
        window.click("Back to details");

        // Test data: the condition shows, the list has two rows.
        window.tab("Data").type("Sample value for vip", "yes").click("Add a row to items");
        window.save().click("Review…").heading("Review links for Spring").click("Create link to draft").sees(".review-link", "/review#").click("Close").closed();
        for (String scheme : List.of("Light", "Dark")) {
            for (String width : List.of("Desktop", "Mobile")) {
                window.click(scheme).click(width).preview("Spring is here");
                window.shoot("write-" + scheme.toLowerCase(Locale.ROOT) + "-" + width.toLowerCase(Locale.ROOT));
            }
        }
        window.click("Publish…").heading("Publish Spring").click("Publish").heading("Spring is live").click("Later").closed();
        String mail = stet.get(Running.TEMPLATES + "spring?format=html", stet.key(ada)).text();
        for (String part : List.of("<html lang=\"en\"", "https://img.example/logo.png", "<strong>today</strong>", "alt=\"Tulips\"", "max-width: 2", "{{#each items}}", "{{#if vip}}",
                "bgcolor=\"#7a1f5c\"", "background-color: #7a1f5c", "You can unsubscribe at any time.")) {
            assertTrue(mail.contains(part), part + " in " + mail);
        }
    }

    /** One journey: parts are chosen, moved, duplicated, deleted, added and copied without a pointer. */
    @Test
    void partsAreChangedByKeyboard(Window window) {
        opened(window);
        String first = window.text();
        window.tabTo("button", "Add heading").keys(Keys.TAB);
        assertEquals("treeitem", window.script("return document.activeElement.getAttribute('role')"));
        window.keys(Keys.END, Keys.HOME, Keys.ARROW_DOWN);
        has(window, "First text, text *");
        held(window, Keys.ALT, Keys.ARROW_DOWN);
        says(window, "Text moved, 3 of 6");
        held(window, Keys.ALT, Keys.ARROW_UP);
        says(window, "Text moved, 2 of 6");
        assertEquals(first, window.text());
        // Operations that come faster than the pieces wait for them.
        held(window, Keys.ALT, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN);
        says(window, "Text moved, 5 of 6");
        window.ctrl("z").ctrl("z").ctrl("z");
        Window.within(() -> "not undone", () -> window.text().equals(first));
        has(window, "First text, text *");
        window.ctrl("d");
        says(window, "Text duplicated");
        assertEquals(2, window.text().split("First text", -1).length - 1);
        window.keys(Keys.DELETE);
        says(window, "Text deleted");
        assertEquals(first, window.text());

        // "/" goes to the palette, and a new piece comes after the chosen one.
        window.tabTo("button", "Add heading").keys(Keys.TAB, Keys.HOME);
        has(window, "Hello, heading *");
        window.keys("/");
        Window.within(() -> "the palette has no focus", () -> "Add heading".equals(window.script("return document.activeElement.getAttribute('aria-label')")));
        window.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER);
        says(window, "Button added");
        assertEquals(List.of("Hello, heading", "Button *"), tree(window).lines().limit(2).toList());
        window.tabTo("field", "Label").ctrl("a").keys("Go", Keys.TAB);
        has(window, "Go, button *");
        assertTrue(window.text().contains(">Go</a>"), window.text());

        // Copying within an email.
        window.tabTo("button", "Add button").keys(Keys.TAB);
        has(window, "Go, button");
        window.ctrl("c");
        says(window, "Button copied");
        window.keys(Keys.END).ctrl("v");
        says(window, "Pasted");
        assertEquals(2, window.text().split(">Go</a>", -1).length - 1);
        window.ctrl("z");
        Window.within(window::text, () -> window.text().split(">Go</a>", -1).length == 2);
        ready(window);
        window.keys(Keys.HOME, Keys.ARROW_DOWN);
        has(window, "Go, button");
        window.keys(Keys.F2);
        Window.within(() -> "the fields have no focus", () -> (Boolean) window.script("return document.activeElement.closest('.piece-panel') !== null"));
        window.keys(Keys.ESCAPE);
        window.save();
    }

    /** The whole change is undone. What only the HTML can change is named with its line. */
    @Test
    void aChangeThatLeavesSomethingOpenIsUndone(Window window) {
        stet.draft(ada, "welcome", "Welcome", "Hi", MAIL.replace("<h1>", "{{#if a}}<div>{{/if}}<h1>").replace("</body>", "{{#if a}}</div>{{/if}}<pre>code</pre></body>"));
        opened(window, "/templates/welcome").heading("Welcome").preview("Hello");
        window.sees(".fixed-parts", "Line 3");
        String before = window.text();
        choose(window, "code");
        ready(window);
        window.script("document.querySelector('.piece-html').open = true");
        window.type("HTML", "<div>{{#if x}}</div>").click("Apply").sees("so it was undone");
        Window.within(window::text, () -> window.text().equals(before));
        ready(window);
        choose(window, "code");
        ready(window);
        window.script("document.querySelector('.piece-html').open = true");
        window.type("HTML", "<div>{{#if x}}y{{/if}}</div>").click("Apply");
        says(window, "Code changed");
        assertEquals(before.replace("<pre>code</pre>", "<div>{{#if x}}y{{/if}}</div>"), window.text());
        window.ctrl("z");
        Window.within(window::text, () -> window.text().equals(before));
    }

    /** As copied from other programs. */
    @Test
    void pastedTextKeepsOnlyBoldItalicLinksAndLists(Window window) {
        window.signedIn(stet, ada, "/usage").heading("Usage");
        String clean = """
                const [rich, done] = arguments;
                import('/assets/any/write/pasted.js').then(({ cleanPaste }) => done(cleanPaste(rich).map(({ tag, html }) => tag + ': ' + html).join(' | ')));
                """;
        for (String[] row : new String[][] {
                {"<p class=MsoNormal style='margin:0'><b><span style='color:red'>Bold</span></b><o:p></o:p> and <i>slanted</i></p>", "p: <strong>Bold</strong> and <em>slanted</em>"},
                {"<b style=\"font-weight:normal\" id=docs><p><span style=\"font-weight:700\">One</span></p><p><span style=\"font-style:italic\">Two</span></p></b>",
                        "p: <strong>One</strong> | p: <em>Two</em>"},
                {"<div>See <a href=\"https://a.example/?a=1&amp;b=2\" style=\"x\">this</a><br>now</div>", "p: See <a href=\"https://a.example/?a=1&amp;b=2\">this</a><br>now"},
                {"<ul><li>One</li><li><p>Two <b>b</b></p></li></ul><p>after</p>", "ul: <li>One</li><li>Two <strong>b</strong></li> | p: after"},
                {"<style>p{}</style><script>alert(1)</script><a href='javascript:alert(1)'>x</a> <img src=x onerror=alert(1)> &lt;b&gt; {{name}} {{{ {{#if", "p: x &lt;b&gt; {{name}} &#123;&#123;{ &#123;{#if"},
                {"<table><tr><td>a</td><td>b</td></tr></table>", "p: a | p: b"},
                {"before <span><p>inside</p></span> after", "p: before | p: inside | p: after"},
                {"<i>x<ul><li>One</li></ul></i>", "p: <em>x</em> | ul: <li><em>One</em></li>"},
                {"Hello <b>world<p>x</p></b> bye", "p: Hello <strong>world</strong> | p: <strong>x</strong> | p: bye"},
                {"<ul><li>a<section><li>b</section></ul>", "ul: <li>a</li><li>b</li>"},
                {"<ol><p>one</p><p>two</p></ol>", "p: one | p: two"},
                {"<p>a</p><a href='https://x.example/" + "a".repeat(3_000) + "'>b</a>", "p: a | p: b"},
                {"<b>a<div>b</div>c</b>", "p: <strong>a</strong> | p: <strong>b</strong> | p: <strong>c</strong>"},
                {"<ul><li>One<ol><li>A</li></ol></li><ul><li>Two</li></ul></ul>", "ul: <li>One</li><li>A</li><li>Two</li>"},
                {"<!--StartFragment--><h1>Head</h1><!--EndFragment-->", "p: Head"},
                {"", ""}}) {
            assertEquals(row[1], window.driver.executeAsyncScript(clean, row[0]), row[0]);
        }
    }

    /** The grip drags by touch at once, without a long press. */
    @Test
    void partsAreChangedByTouch(Window window) {
        window.size(390, 780);
        window.driver.executeCdpCommand("Emulation.setTouchEmulationEnabled", Map.of("enabled", true, "maxTouchPoints", 1));
        window.driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", "hover", "value", "none"), Map.of("name", "pointer", "value", "coarse"))));
        try {
            opened(window);
            tap(window, in(window, "h1"));
            has(window, "Hello, heading *");
            Window.within(() -> "no grip", () -> css(window, ".grip").isDisplayed());
            assertTrue(css(window, ".grip").getSize().width >= 44 && css(window, ".grip").getSize().height >= 44, "the grip is " + css(window, ".grip").getSize());
            Point from = middle(window, ".grip");
            Point to = in(window, "p:nth-of-type(2)");
            touch(window, "touchStart", from);
            for (int i = 1; i <= 6; i++) {
                touch(window, "touchMove", new Point(from.x + (to.x - from.x) * i / 6, from.y + (to.y + 8 - from.y) * i / 6));
            }
            touch(window, "touchEnd", null);
            says(window, "Heading moved, 3 of 6");
            tapUntil(window, "[data-act=duplicate]", "Heading duplicated");
            tapUntil(window, "[data-act=delete]", "Heading deleted");
            window.click("Text");
            tapUntil(window, ".kind[data-kind=divider]", "Divider added");
            assertEquals("Preview", window.script("return document.querySelector('.switcher [aria-pressed=true]').textContent"));
        } finally {
            window.driver.executeCdpCommand("Emulation.setTouchEmulationEnabled", Map.of("enabled", false));
        }
    }

    private static Point middle(Window window, String selector) {
        List<?>[] last = {List.of()};
        Window.within(() -> selector + " goes on moving", () -> { // it follows the email, which scrolls
            List<?> before = last[0];
            last[0] = (List<?>) window.script("const box = document.querySelector(arguments[0]).getBoundingClientRect(); "
                    + "return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]", selector);
            return last[0].equals(before);
        });
        return new Point(((Number) last[0].get(0)).intValue(), ((Number) last[0].get(1)).intValue());
    }

    private static void touch(Window window, String type, Point at) {
        window.driver.executeCdpCommand("Input.dispatchTouchEvent", Map.of("type", type, "touchPoints", at == null ? List.of() : List.of(Map.of("x", at.x, "y", at.y))));
    }

    /** Taps, and again after a second, because browsers take a tap right after another touch for a part of it. */
    private static void tapUntil(Window window, String selector, String said) {
        int[] polls = {0};
        Window.within(() -> "not said: " + said, () -> {
            boolean isSaid = window.script("return document.querySelector('.write-status').textContent").equals(said);
            if (!isSaid && polls[0]++ % 100 == 0 && css(window, selector).isDisplayed()) {
                tap(window, middle(window, selector));
            }
            return isSaid;
        });
        ready(window);
    }

    private static void tap(Window window, Point at) {
        touch(window, "touchStart", at);
        touch(window, "touchEnd", null);
    }
}
