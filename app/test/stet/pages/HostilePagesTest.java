package stet.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Json;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Samples;
import stet.dao.CommentDao.NewComment;
import stet.harness.Chromium;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.harness.Window;

/** Hostile HTML runs nothing and sends nothing in the preview, lists and dialogs. */
@Tag("browser")
@ExtendWith(Chromium.class)
class HostilePagesTest {
    /** Scripts that would, if run, change the title, set a global variable or send requests to the canary. */
    private static final String ATTACK = """
            <base href="CANARY/base/">
            <meta http-equiv="refresh" content="0;url=CANARY/refresh">
            {{ <meta http-equiv="refresh" content="0;url=CANARY/braces"> }}
            <svg><title><meta http-equiv="refresh" content="0;url=CANARY/title"></title></svg>
            <link rel="stylesheet" href="CANARY/style.css"><link rel="prefetch" href="CANARY/prefetch">
            <script>top.hacked = window.hacked = 'script'; document.title = 'hacked'; fetch('CANARY/script')</script>
            <script src="CANARY/script.js"></script>
            <img src="x:" onerror="top.hacked = 'onerror'; document.title = 'hacked'; new Image().src = 'CANARY/onerror'">
            <img src="CANARY/image.png">
            <svg onload="top.hacked = 'svg'"><script>top.hacked = 'svg script'</script><animate onbegin="top.hacked = 'animate'" attributeName="x"/></svg>
            <iframe src="CANARY/frame"></iframe><iframe srcdoc="<script>top.hacked = 'srcdoc'</script>"></iframe>
            <object data="CANARY/object"></object><embed src="CANARY/embed"><video src="CANARY/video" autoplay></video>
            <details open ontoggle="top.hacked = 'toggle'"><summary>s</summary></details>
            <style>body { background: url(CANARY/background) } @import "CANARY/import.css";</style>
            <form action="CANARY/form" target="_top"><input autofocus onfocus="top.hacked = 'focus'"><button id="send">Send</button></form>
            <a id="top" target="_top" href="CANARY/top">leave</a>
            <a id="script" href="javascript:top.hacked = 'link'; document.title = 'hacked'">script</a>
            <a id="scripttop" target="_top" href="javascript:top.hacked = 'link to the top'">script</a>
            <a id="blank" target="_blank" href="CANARY/blank">open</a>
            <!--s000000000000 t 0 5--><i id="forged" data-s000000000000="b evil">forged</i>
            <a id="self" target="_self" href="CANARY/self">here</a><a id="ping" ping="CANARY/ping" href="#x">ping</a>
            <svg><a id="svg" href="CANARY/svg"><text y="10">svg</text></a></svg>
            <button id="popover" popovertarget="pop" formaction="CANARY/formaction">p</button><div id="pop" popover>popped</div>
            <dialog open>in front</dialog><h1>still here</h1>
            """;
    private static final String NAME = "<img src=x: onerror=\"window.hacked = 'name'\"><script>window.hacked = 'name'</script>";

    /** The IDs of what can be clicked in {@link #ATTACK}. */
    private static final List<String> CLICKABLE = List.of("top", "script", "scripttop", "blank", "send", "self", "ping", "svg", "popover");
    private final Queue<String> canary = new ConcurrentLinkedQueue<>();
    @AutoClose
    private final Running stet = new Running();
    private final Account ada = stet.account("ada@example.com", Plan.PRO);
    private HttpServer elsewhere;
    private String attack;

    @BeforeEach
    void fill() throws IOException {
        elsewhere = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        elsewhere.createContext("/", exchange -> {
            canary.add(exchange.getRequestURI().toString());
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        elsewhere.start();
        attack = ATTACK.replace("CANARY", "http://127.0.0.1:" + elsewhere.getAddress().getPort());
        stet.block(ada, "hostile", attack);
        stet.db.change(dao -> {
            dao.templates().save(ada.id(), new Draft("hostile", NAME, NAME + "{{name}}", (attack + "{{{name}}}{{> hostile}}")
                    .getBytes(StandardCharsets.UTF_8),
                    Samples.of(Map.of(), Map.of("name", attack), null)), stet.now());
            dao.versions().publish(ada.id(), "hostile", dao.versions().prepare(ada.id(), "hostile", true), NAME, stet.now());
            dao.keys().add(ada, NAME, "key-of-the-test", stet.now());
            dao.as(new Actor(stet.owner(ada).id(), NAME, "")).reviews().add(ada.id(), "hostile", null, stet.now(), "review");
            dao.comments().add(ada.id(), "hostile", NewComment.byGuest(NAME, null, NAME, null, NAME), stet.now());
        });
        stet.get(Running.TEMPLATES + "hostile", "key-of-the-test");
        stet.get(Running.TEMPLATES + "%3Cimg%20src=x:%20onerror=alert(1)%3E", "key-of-the-test");
        stet.block(ada, "hostile", attack + "<p>more</p>");
        stet.draft(ada, "hostile", NAME, NAME, attack + "<p>more</p>{{> hostile}}{{name}}");
    }

    @AfterEach
    void close() {
        elsewhere.stop(0);
    }

    /** Expects the browser to log each violation of the preview's policy. */
    private static void expectRefusals(Window window) {
        window.expect(".*/previews/.*").expect(".*(Content Security Policy|sandbox|net::ERR_BLOCKED_BY_CSP|ERR_UNKNOWN_URL_SCHEME).*");
    }

    private void untouched(Window window, String path) {
        assertEquals(path, window.path());
        assertEquals(Boolean.TRUE, window.script("return document.title !== 'hacked'"));
        assertEquals("undefined", window.script("return String(window.hacked)"));
        assertEquals("", window.script("return document.cookie"));
        assertEquals(0L, window.script("return document.querySelectorAll('main img, main script, main base, dialog img, dialog script, "
                + "header img, #status img, main form[action], main meta, main svg script').length"));
        assertEquals(List.of(), List.copyOf(canary));
    }

    @Test
    void hostileHtmlRunsNothingInThePreview(Window window) {
        expectRefusals(window);
        window.signedIn(stet, ada, "/templates/hostile").heading(NAME);
        window.preview("still here");
        untouched(window, "/templates/hostile");
        int windows = window.driver.getWindowHandles().size();
        for (String id : CLICKABLE) {
            window.inPreview("const it = document.getElementById('" + id + "'); it.scrollIntoView(); "
                    + "it.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
            untouched(window, "/templates/hostile");
        }
        assertEquals(windows, window.driver.getWindowHandles().size());
        // The frame blocks navigation by the email, and the page keeps working.
        window.type("Subject", "Still working").save();
        window.preview("still here");
        untouched(window, "/templates/hostile");
        assertEquals("allow-scripts", window.script("return document.querySelector('.stage iframe').getAttribute('sandbox')"));
        assertEquals(Boolean.TRUE, window.script("try { return document.querySelector('.stage iframe').contentDocument === null } catch (e) { return true }"));
    }

    @Test
    void messagesOfOtherSendersAndAboutOtherTextsAreIgnored(Window window) {
        expectRefusals(window);
        window.signedIn(stet, ada, "/templates/hostile").heading(NAME);
        window.preview("still here");
        String before = window.text();
        window.script("postMessage({ kind: 'click', source: 'b evil' }, '*')");
        window.inPreview("parent.postMessage({ kind: 'click', source: 'e 5 999999999', element: 'x', link: {} }, '*'); "
                + "parent.postMessage({ kind: 'edited', source: 't 0 9', text: 'nothing', now: '<script>' }, '*'); parent.postMessage(null, '*')");
        untouched(window, "/templates/hostile");
        assertEquals(Boolean.TRUE, window.script("return !document.querySelector('.inspected').innerText.includes('evil')"));
        assertEquals(before, window.text());
    }

    /** The pages are files here; the policy is the same as over HTTP. */
    @Test
    void hostileHtmlRunsNothingInAGallery(Window window, @TempDir Path folder) throws IOException {
        window.expect(".*(Content Security Policy|[Ss]andbox|net::ERR_BLOCKED_BY_CSP|ERR_UNKNOWN_URL_SCHEME|ERR_FILE_NOT_FOUND"
                + "|Unsafe attempt to initiate navigation|Not allowed to load local resource).*");
        Path files = Files.createDirectories(folder.resolve("mails/templates/hostile.samples")).getParent();
        Files.createDirectories(folder.resolve("mails/blocks"));
        Files.writeString(folder.resolve("mails/blocks/hostile.html"), "</textarea>\"'>" + attack);
        Files.writeString(files.resolve("hostile.html"), attack + "{{{name}}}{{> hostile}}");
        Files.writeString(files.resolve("hostile.json"), Json.object().put("name", NAME).put("subject", NAME + "{{name}}").toString());
        Files.writeString(files.resolve("hostile.samples/one.json"), Json.object().put("name", "\"></iframe>" + attack).toString());
        new Terminal(folder.resolve("data")).run("preview", folder.resolve("mails").toString(), "--out", folder.resolve("gallery").toString());
        for (String page : List.of("index.html", "hostile.one.html")) {
            window.driver.get(folder.resolve("gallery").resolve(page).toUri().toString());
            assertTrue(window.driver.getPageSource().contains("hostile"));
            assertEquals("undefined", window.script("return String(window.hacked)"));
        }
        assertEquals(1L, window.script("return document.querySelectorAll('iframe').length"));
        int windows = window.driver.getWindowHandles().size();
        for (String id : CLICKABLE) {
            window.driver.switchTo().frame(0);
            assertEquals("still here", window.script("return document.querySelector('h1').textContent"), id);
            window.script("const it = document.getElementById('" + id + "'); it.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
            window.driver.switchTo().defaultContent();
            assertEquals("undefined", window.script("return String(window.hacked)"), id);
            window.driver.navigate().refresh(); // a link in the email leads the frame to an empty page
        }
        assertTrue(window.driver.getCurrentUrl().endsWith("/gallery/hostile.one.html"));
        assertEquals(windows, window.driver.getWindowHandles().size());
        assertEquals(List.of(), List.copyOf(canary));
    }

    /** Our script works even if names shadow a document's methods, and ignores markers in the email itself. */
    @Test
    void namesOfElementsDoNotBreakThePreviewsScript(Window window) {
        expectRefusals(window);
        stet.draft(ada, "clobbering", "Clobbering", "Hi", """
                <form name="adoptedStyleSheets"><input name="parentNode"><input name="previousSibling"><input name="nodeType"><input name="closest">
                <input name="getAttribute"><input name="attributes"><b id="clobbered">in a form</b></form>
                <img name="getSelection"><img id="parent"><img name="createRange"><img name="currentScript"><a id="postMessage"></a>
                <form name="createTreeWalker"></form><!--s000000000000 t 0 5--><i id="forged" data-s000000000000="b evil">forged</i>
                """);
        window.signedIn(stet, ada, "/templates/clobbering").heading("Clobbering");
        for (String id : new String[] {"clobbered", "forged"}) {
            Window.within(() -> id + " does not lead to the source", () -> {
                window.inPreview("const it = document.getElementById('" + id + "'); "
                        + "it.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
                return window.shown(".chosen-name").equals("Element " + (id.equals("forged") ? "i" : "b"));
            });
        }
    }

    @Test
    void aPreviewOpenedInItsOwnTabIsSandboxed(Window window) {
        expectRefusals(window);
        window.signedIn(stet, ada, "/templates/hostile").heading(NAME);
        window.preview("still here");
        String address = (String) window.script("return new URL(document.querySelector('.stage iframe').src).pathname");
        window.open(stet, address);
        assertEquals(address, window.path());
        assertEquals("null", window.script("return window.origin"));
        assertEquals("undefined", window.script("return String(window.hacked)"));
        assertEquals("", window.script("return document.title"));
        assertEquals("SecurityError", window.script("try { return document.cookie } catch (refused) { return refused.name }"));
        for (String id : new String[] {"script", "send"}) {
            window.script("document.getElementById('" + id + "').click()");
        }
        assertEquals("undefined", window.script("return String(window.hacked)"));
        assertEquals(address, window.path());
        assertEquals(List.of(), List.copyOf(canary));
    }

    /** One journey through all pages that show names, subjects, notes, comments or HTML. */
    @Test
    void hostileNamesAndSourcesAreTextInListsAndDialogs(Window window) {
        expectRefusals(window);
        window.signedIn(stet, ada, "/").heading("Templates").sees("tbody", NAME);
        untouched(window, "/");
        window.choose("More actions for " + NAME, "Delete…").heading("Delete " + NAME + "?");
        untouched(window, "/");
        window.click("Close").closed().choose("More actions for " + NAME, "Duplicate…").heading("Duplicate " + NAME);
        untouched(window, "/");
        window.click("Close").closed();

        window.open(stet, "/templates/hostile").heading(NAME).sees(".inbox-subject", "<img src=x:");
        for (String tab : new String[] {"Data", "Blocks", "Checks", "Comments", "API", "History"}) {
            window.tab(tab);
            untouched(window, "/templates/hostile");
        }
        window.sees("ol.versions", NAME).click("View version 1").heading("Version 1");
        window.preview("still here");
        window.tab("Source").sees("pre.source", "onerror=");
        untouched(window, "/templates/hostile");
        window.click("Close").closed().choose("More actions for version 1", "Compare…").heading("Compare version 1")
                .sees("ins.line", "more");
        untouched(window, "/templates/hostile");
        window.click("Close").closed().click("Publish…").heading("Publish " + NAME).sees("ins.line", "more").sees(".callers", NAME);
        untouched(window, "/templates/hostile");
        window.click("Back to draft").closed();
        stet.draft(ada, "hostile", NAME, NAME, attack + "<p>someone else's</p>");
        window.type("Subject", NAME + "!").ctrl("s").heading("Someone else saved changes").sees("del.line", "someone");
        untouched(window, "/templates/hostile");
        window.click("Use theirs").closed().sees(".toast", "the saved version");

        window.open(stet, "/signin").open(stet, "/review#review").heading(NAME).sees(".comments", NAME).sees(".comments blockquote", NAME);
        window.preview("still here");
        untouched(window, "/review");
        window.click("Reply to comment by " + NAME).heading("Reply to " + NAME);
        untouched(window, "/review");
        window.click("Cancel").closed().click("Show changes from the live version of " + NAME).sees(".difference ins.line", "someone");
        untouched(window, "/review");

        window.open(stet, "/blocks").heading("Shared blocks");
        untouched(window, "/blocks");
        window.open(stet, "/blocks/hostile").heading("hostile");
        window.preview("still here");
        untouched(window, "/blocks/hostile");
        stet.draft(ada, "hostile", NAME, NAME, attack + "{{> hostile}}");
        window.open(stet, "/stale").heading("Live templates with outdated blocks").click("Show changes to " + NAME)
                .heading("Changes to " + NAME).sees("ins.line", "more");
        untouched(window, "/stale");
        window.open(stet, "/keys").heading("Keys").sees("tbody", NAME).click("Delete " + NAME)
                .heading("Delete key " + NAME + "?");
        untouched(window, "/keys");
        window.open(stet, "/usage").heading("Usage").sees(".misses", "<img src=x: onerror=alert(1)>").sees("main", NAME);
        untouched(window, "/usage");
        window.open(stet, "/account").heading("Account");
        untouched(window, "/account");
    }
}
