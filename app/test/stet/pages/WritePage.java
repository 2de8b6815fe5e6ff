package stet.pages;

import java.util.List;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.Point;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;
import stet.harness.Running;
import stet.harness.Window;

/** A user of <em>Write</em>: what they do and see. */
final class WritePage {
    /** The structure, a line for each piece, indented by its level; the chosen one has a star. */
    private static final String TREE = """
            return [...document.querySelectorAll('[role=treeitem]')].map(item => '  '.repeat(item.ariaLevel - 1)
              + item.ariaLabel + (item.ariaSelected === 'true' ? ' *' : '')).join('\\n');
            """;
    private static final String FRAME = "[...document.querySelectorAll('.stage iframe:not(.coming)')].pop()";

    private WritePage() {
    }

    static String tree(Window window) {
        return (String) window.script(TREE);
    }

    static void has(Window window, String line) {
        Window.within(() -> "the tree has no \"" + line + "\" but\n" + tree(window),
                () -> tree(window).lines().map(String::strip).anyMatch(each -> each.equals(line) || each.equals(line + " *")));
    }

    /** Waits until the outline of each piece is known, after the newest preview has come. */
    static void ready(Window window) {
        Window.within(() -> "the preview does not come", () -> (Boolean) window.script("return !document.querySelector('.stage[aria-busy]') "
                + "&& !document.querySelector('.stage iframe.coming, .canvas[aria-busy]')"));
    }

    static void says(Window window, String text) {
        window.sees(".write-status", text);
        ready(window);
    }

    /** The centre of an element of the email, in the window. */
    static Point in(Window window, String selector) {
        List<?> frame = (List<?>) window.script("const { left, top, width } = " + FRAME + ".getBoundingClientRect(); "
                + "return [left, top, width / " + FRAME + ".offsetWidth]");
        window.driver.switchTo().frame((WebElement) window.script("return " + FRAME));
        try {
            List<?> box = (List<?>) window.driver.executeScript("const box = document.querySelector(arguments[0]).getBoundingClientRect(); "
                    + "return [box.left + Math.min(30, box.width / 2), box.top + box.height / 2]", selector);
            double scale = ((Number) frame.get(2)).doubleValue();
            return new Point((int) (((Number) frame.get(0)).doubleValue() + ((Number) box.get(0)).doubleValue() * scale),
                    (int) (((Number) frame.get(1)).doubleValue() + ((Number) box.get(1)).doubleValue() * scale));
        } finally {
            window.driver.switchTo().defaultContent();
        }
    }

    static void inFrame(Window window, Runnable does) {
        window.driver.switchTo().frame((WebElement) window.script("return " + FRAME));
        try {
            does.run();
        } finally {
            window.driver.switchTo().defaultContent();
        }
    }

    static void click(Window window, String selector) {
        Point at = in(window, selector);
        new Actions(window.driver).moveToLocation(at.x, at.y).click().perform();
    }

    /** Double-clicks a text of the email, and replaces it by typing. */
    static void rewrite(Window window, String selector, String text) {
        ready(window);
        Window.within(() -> "no text is edited", () -> {
            Point at = in(window, selector);
            new Actions(window.driver).moveToLocation(at.x, at.y).doubleClick().perform();
            window.driver.switchTo().frame((WebElement) window.script("return " + FRAME));
            try {
                return Running.comes(() -> !window.driver.findElements(By.cssSelector("stet-text")).isEmpty());
            } finally {
                window.driver.switchTo().defaultContent();
            }
        });
        window.ctrl("a").keys(text);
    }

    /** Presses keys while a modifier is held. */
    static Window held(Window window, Keys modifier, Keys... keys) {
        Actions actions = new Actions(window.driver).keyDown(modifier);
        for (Keys key : keys) {
            actions.sendKeys(key);
        }
        actions.keyUp(modifier).perform();
        return window;
    }

    static WebElement css(Window window, String selector) {
        return window.driver.findElement(By.cssSelector(selector));
    }

    static void drag(Window window, WebElement handle, Point to) {
        new Actions(window.driver).moveToElement(handle).clickAndHold().moveByOffset(6, 6).moveToLocation(to.x, to.y).perform();
        window.sees(".drop-line", "");
        new Actions(window.driver).release().perform();
    }

    static void add(Window window, String kind, Runnable dialog) {
        ready(window);
        css(window, ".kind[data-kind=" + kind + "]").click();
        dialog.run();
    }

    static void choose(Window window, String line) {
        Window.within(() -> "not in the tree: " + line + "\n" + tree(window), () -> (Boolean) window.script("""
                const found = [...document.querySelectorAll('[role=treeitem]')].find(item => item.ariaLabel.startsWith(arguments[0]));
                found?.querySelector('.row-of').click();
                return found !== undefined && found.isConnected;
                """, line));
    }
}
