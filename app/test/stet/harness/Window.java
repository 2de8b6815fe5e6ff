package stet.harness;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.interactions.Actions;
import stet.core.Account;
import stet.core.User;

/** A browser user, who acts and waits for the page to show the result, up to a limit. */
public final class Window {
    private static final int PAUSE = 10;
    /** Optional, because screenshots account for a sixth of the time of page checks. */
    private static final String SCREENS = System.getProperty("stet.screens");
    private static final String FINDING = resource("finding.js");
    public final ChromeDriver driver;
    final BrowserLog log;
    /** Makes editors open with the HTML, as for a user who has chosen it before. */
    private static final String HTML_FIRST = """
            (() => {
              const recall = Storage.prototype.getItem;
              Storage.prototype.getItem = function (key) {
                return recall.call(this, key) ?? (key.startsWith('stet-html ') && recall.call(this, 'test-writes') === null ? 'shown' : null);
              };
            })();
            """;
    private final Set<String> origins = new HashSet<>();
    private String home;

    Window(ChromeDriver driver) {
        this.driver = driver;
        this.log = new BrowserLog(driver);
        this.home = driver.getWindowHandle();
    }

    static String resource(String name) {
        try (InputStream file = Window.class.getResourceAsStream(name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    // navigation

    /** Makes editors open with the HTML, unless a test says that its user {@link #writes}. */
    void readsHtml() {
        driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", HTML_FIRST));
    }

    /** Editors opened from now on show the pieces first, as for a new user. A page must be open. */
    public Window writes() {
        script("localStorage.setItem('test-writes', 'true')");
        return this;
    }

    public Window open(Running stet, String path) {
        String origin = "http://127.0.0.1:" + stet.server.address().getPort();
        origins.add(origin);
        stet.keepPort();
        driver.get(origin + path);
        return this;
    }

    /** Signs in like a user. */
    public Window signIn(Running stet, String email, String password) {
        open(stet, "/signin");
        type("Email", email);
        type("Password", password);
        click("Sign in");
        return heading("Templates");
    }

    /** Opens a page with a signed-in session. */
    public Window signedIn(Running stet, Account account, String path) {
        return signedIn(stet, Browser.of(stet, account), path);
    }

    /** Opens a page as a user without an account. */
    public Window signedIn(Running stet, User user, String path) {
        return signedIn(stet, Browser.of(stet, null, user), path);
    }

    /** Opens a page with a browser's session. */
    public Window signedIn(Running stet, Browser browser, String path) {
        String[] cookie = browser.cookie.split("=", 2);
        driver.executeCdpCommand("Network.setCookie", Map.of("name", cookie[0], "value", cookie[1], "domain", "127.0.0.1",
                "path", "/", "httpOnly", true, "sameSite", "Lax"));
        return open(stet, path);
    }

    /** Navigates to a page, leaving an open dialog. Reloads if text is unsaved. */
    public Window goTo(String path) {
        boolean gone = (Boolean) script("""
                if (!document.querySelector('nav') || document.querySelector('.saved.open')) {
                  return false;
                }
                document.querySelectorAll('dialog[open]').forEach(dialog => dialog.close());
                document.getElementById('status').replaceChildren();
                const link = document.createElement('a');
                link.href = arguments[0];
                document.body.append(link);
                link.click();
                link.remove();
                return true;
                """, path);
        if (!gone) {
            driver.get(URI.create(driver.getCurrentUrl()).resolve(path).toString());
        }
        return this;
    }

    /** Opens another window of the same browser. @return the previous one */
    public String another() {
        String before = driver.getWindowHandle();
        driver.switchTo().newWindow(WindowType.WINDOW);
        readsHtml();
        looks("light", 1280, 900);
        return before;
    }

    /** Brings a window to the front. @return the previous one */
    public String front(String handle) {
        String before = driver.getWindowHandle();
        driver.switchTo().window(handle);
        return before;
    }

    /** Leaves one empty window and nothing stored by pages, because a later server may use the same port. */
    public void alone() {
        for (String handle : driver.getWindowHandles()) {
            if (!handle.equals(home)) {
                driver.switchTo().window(handle).close();
            }
        }
        driver.switchTo().window(home);
        driver.get("about:blank");
        origins.forEach(origin -> driver.executeCdpCommand("Storage.clearDataForOrigin", Map.of("origin", origin, "storageTypes", "all")));
        origins.clear();
    }

    public String path() {
        return (String) script("return location.pathname");
    }

    // actions

    public Window click(String name) {
        return click("button", name);
    }

    /** Follows a link of the page, or else of the main menu. */
    public Window follow(String name) {
        boolean[] isInMenu = {false};
        within("no link \"" + name + "\" to follow", () -> {
            WebElement element = look("link", name);
            isInMenu[0] = element == null && look("button", "Stet, main menu") != null;
            if (element != null) {
                element.click();
            }
            return element != null || isInMenu[0];
        });
        return isInMenu[0] ? choose("Stet, main menu", name) : this;
    }

    /** Scrolls to an element that a dialog's fixed footer may cover. */
    public Window scrolled(String selector) {
        script("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector);
        return this;
    }

    public Window tab(String name) {
        return click("tab", name);
    }

    /** Opens a menu and chooses an item. */
    public Window choose(String menu, String item) {
        return click("button", menu).click("menuitem", item);
    }

    public Window tick(String name) {
        return click("checkbox", name);
    }

    public Window choose(String name) {
        return click("radio", name);
    }

    /** Clicks; finds the element again if the page re-rendered it first. */
    private Window click(String role, String name) {
        within("no " + role + " \"" + name + "\" to click", () -> {
            WebElement element = look(role, name);
            if (element == null || !element.isEnabled()) {
                return false;
            }
            element.click();
            return true;
        });
        return this;
    }

    /** Presses a button, which may appear and disappear, until a selector shows a text. */
    Window clickUntil(String name, String selector, String text) {
        within(() -> selector + " does not show \"" + text + "\" but \"" + shown(selector) + "\"", () -> {
            WebElement button = look("button", name);
            if (button != null) {
                button.click();
            }
            return shown(selector).contains(text);
        });
        return this;
    }

    /** Replaces a field's text; repeats if the page re-rendered the field. */
    public Window type(String label, String text) {
        within("no field \"" + label + "\" to type in", () -> {
            WebElement field = look("field", label);
            if (field == null) {
                return false;
            }
            field.sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.DELETE);
            field.sendKeys(text);
            return true;
        });
        return this;
    }

    /** Chooses an option by its text. */
    public Window pick(String label, String option) {
        within("no option \"" + option + "\" of \"" + label + '"', () -> {
            WebElement field = look("field", label);
            if (field == null) {
                return false;
            }
            for (WebElement each : field.findElements(By.tagName("option"))) {
                if (each.getText().equals(option)) {
                    each.click();
                    return true;
                }
            }
            return false;
        });
        return this;
    }

    /** Sends keys to the focused element. */
    public Window keys(CharSequence... keys) {
        for (CharSequence key : keys) {
            new Actions(driver).sendKeys(key).perform();
        }
        return this;
    }

    public Window ctrl(String key) {
        new Actions(driver).keyDown(Keys.CONTROL).sendKeys(key).keyUp(Keys.CONTROL).perform();
        return this;
    }

    /** Presses Tab until an element has the focus. */
    public Window tabTo(String role, String name) {
        for (int i = 0; i < 80; i++) {
            if (Boolean.TRUE.equals(driver.executeScript(
                    "const found = (() => {" + FINDING + "}).apply(null, arguments);"
                            + "return found !== null && found === document.activeElement",
                    role, name, null))) {
                return this;
            }
            keys(Keys.TAB);
        }
        return fail("Tab does not reach the " + role + " \"" + name + "\"");
    }

    /** Drags a file from the desktop over a place of an element. */
    public Window dragFile(Path file, String selector, int x, int y) {
        drag("dragEnter", file, selector, x, y);
        return drag("dragOver", file, selector, x, y);
    }

    /** Drops a file from the desktop at a place of an element. */
    public Window dropFile(Path file, String selector, int x, int y) {
        return dragFile(file, selector, x, y).drag("drop", file, selector, x, y);
    }

    private Window drag(String type, Path file, String selector, int x, int y) {
        List<?> corner = (List<?>) script("const { left, top } = document.querySelector(arguments[0]).getBoundingClientRect(); return [left, top]", selector);
        Map<String, Object> data = Map.of("items", List.of(), "files", List.of(file.toString()), "dragOperationsMask", 1);
        driver.executeCdpCommand("Input.dispatchDragEvent", Map.of("type", type, "x", ((Number) corner.get(0)).intValue() + x, "y", ((Number) corner.get(1)).intValue() + y, "data", data));
        return this;
    }

    /** Replaces the code editor's text by typing. */
    public Window write(String text) {
        within("no editor", () -> {
            driver.findElement(By.cssSelector(".CodeMirror-lines")).click();
            return true;
        });
        ctrl("a").keys(Keys.DELETE, text);
        within(() -> "the editor has \"" + text() + "\"", () -> text().equals(text));
        return this;
    }

    public String text() {
        return (String) script("return document.querySelector('.CodeMirror').CodeMirror.getValue()");
    }

    /** Presses Ctrl+S and waits until the server has saved. */
    public Window save() {
        ctrl("s");
        return sees(".saved", "Saved ");
    }

    // expectations

    public WebElement find(String role, String name) {
        WebElement[] found = new WebElement[1];
        within("no " + role + " \"" + name + "\"", () -> (found[0] = look(role, name)) != null);
        return found[0];
    }

    /** The element now present, or null. */
    public WebElement look(String role, String name) {
        return (WebElement) driver.executeScript(FINDING, role, name, null);
    }

    public Window heading(String name) {
        find("heading", name);
        return this;
    }

    /** Waits until a text is shown; in the open dialog if there is one. */
    public Window sees(String text) {
        find("text", text);
        return this;
    }

    /** Waits until a selector shows a text. */
    public Window sees(String selector, String text) {
        within(() -> selector + " does not show \"" + text + "\" but \"" + shown(selector) + "\"", () -> shown(selector)
                .contains(text));
        return this;
    }

    /** Waits until a selector shows exactly this text. */
    public Window shows(String selector, String text) {
        within(() -> selector + " does not show \"" + text + "\" alone but \"" + shown(selector) + "\"",
                () -> shown(selector).equals(text));
        return this;
    }

    /** Waits until no dialog is open. */
    public Window closed() {
        within("a dialog stays open", () -> Boolean.TRUE.equals(script("return document.querySelector('dialog[open]') === null")));
        return this;
    }

    /** Visible text of all elements matching a selector. */
    public String shown(String selector) {
        return (String) driver.executeScript(
                "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).map(e => e.innerText).join('\\n')",
                selector);
    }

    public String value(String label) {
        String[] value = new String[1];
        within("no field \"" + label + '"', () -> {
            WebElement field = look("field", label);
            value[0] = field == null ? null : field.getDomProperty("value");
            return value[0] != null;
        });
        return value[0];
    }

    /** The preview's text, once it contains this text. */
    public String preview(String text) {
        String[] shown = {""};
        within(() -> "the preview does not show \"" + text + "\" but \"" + shown[0] + "\"", () -> {
            List<WebElement> frames = driver.findElements(By.cssSelector("iframe:not(.coming)"));
            if (frames.isEmpty()) {
                return false;
            }
            driver.switchTo().frame(frames.get(frames.size() - 1));
            try {
                shown[0] = driver.findElement(By.cssSelector("body")).getText();
            } finally {
                driver.switchTo().defaultContent();
            }
            return shown[0].contains(text);
        });
        return shown[0];
    }

    /** Runs a script in the preview as if by its page; if the preview is being replaced, in the next preview. */
    public void inPreview(String script) {
        try {
            within("the preview cannot be entered", () -> {
                driver.switchTo().defaultContent();
                driver.switchTo().frame(driver.findElement(By.cssSelector("iframe:not(.coming)")));
                driver.executeScript(script);
                return true;
            });
        } finally {
            driver.switchTo().defaultContent();
        }
    }

    public Object script(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    private static void within(String otherwise, BooleanSupplier condition) {
        within(() -> otherwise, condition);
    }

    /** Waits until the editor offers a completion. Opens the list again, as a user would, if a slow page has closed it. */
    public Window offers(String completion) {
        int[] polls = {0};
        within(() -> "not offered: " + completion, () -> {
            String list = shown(".CodeMirror-hints");
            if (list.isEmpty() && ++polls[0] % 100 == 0) {
                script("document.querySelector('.CodeMirror').CodeMirror.focus()");
                keys(Keys.chord(Keys.CONTROL, Keys.SPACE));
            }
            return list.contains(completion);
        });
        return this;
    }

    /** Retries if an element disappears between finding and using it. */
    public static void within(Supplier<String> otherwise, BooleanSupplier condition) {
        WebDriverException[] last = new WebDriverException[1];
        boolean held = Running.comes(() -> {
            try {
                if (condition.getAsBoolean()) {
                    return true;
                }
                last[0] = null;
            } catch (WebDriverException gone) {
                last[0] = gone;
            }
            LockSupport.parkNanos(PAUSE * 1_000_000L);
            return false;
        });
        if (!held && last[0] != null) {
            throw last[0];
        }
        assertTrue(held, otherwise);
    }

    // appearance

    /** @param scheme the system's preference, light or dark @param width in px @param height in px */
    public Window looks(String scheme, int width, int height) {
        return scheme(scheme).size(width, height);
    }

    public Window scheme(String scheme) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(
                Map.of("name", "prefers-color-scheme", "value", scheme), Map.of("name", "prefers-reduced-motion", "value",
                        "reduce"))));
        return this;
    }

    public Window size(int width, int height) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        return this;
    }

    /** Takes a screenshot if {@code -Dstet.screens} names a folder. */
    public void shoot(String name) {
        if (SCREENS != null) {
            keep(SCREENS, name, Map.of("optimizeForSpeed", true));
        }
    }

    /** Takes a screenshot of a failed test. */
    void shootFailure(String test) {
        keep("target/screens", "failed-" + test, Map.of("optimizeForSpeed", true));
    }

    /** Takes a screenshot of the whole page, up to a few thousand px. */
    void shootWhole(String name) {
        if (SCREENS == null) {
            return;
        }
        List<?> size = (List<?>) script("const root = document.documentElement; "
                + "return [root.clientWidth, Math.max(root.clientHeight, Math.min(4000, root.scrollHeight))]");
        keep(SCREENS, name, Map.of("optimizeForSpeed", true, "captureBeyondViewport", true,
                "clip", Map.of("x", 0, "y", 0, "width", size.get(0), "height", size.get(1), "scale", 1)));
    }

    private void keep(String screens, String name, Map<String, Object> how) {
        byte[] picture = Base64.getDecoder().decode((String) driver.executeCdpCommand("Page.captureScreenshot", how).get("data"));
        try {
            Path folder = Files.createDirectories(Path.of(screens));
            Files.write(folder.resolve(name + ".png"), picture);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Allows lines in the browser's log that match a pattern. */
    public Window expect(String pattern) {
        log.expect(pattern);
        return this;
    }
}
