package bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The editor and the list of templates in headless Chromium. */
final class EditorBench {
    private static final String FEW = "few@example.com";
    private static final String MANY = "many@example.com";
    private static final int KEYS = 150;
    private static final int PREVIEWS = 30;
    private static final int ROUNDS = 5;
    private static final List<String> BROWSER = List.of("--headless=new", "--no-sandbox", "--window-size=1440,900");
    /** Functions for each script. */
    private static final String TOOLS = """
            const median = times => times.sort((one, other) => one - other)[times.length >> 1];
            const sleep = millis => new Promise(done => setTimeout(done, millis));
            """;

    private final String url;
    private final Client session;
    private final List<Line> lines = new ArrayList<>();

    private EditorBench(String url, Client session) {
        this.url = url;
        this.session = session;
    }

    static List<Line> measure(Bench.Pace pace) throws Exception {
        Data data = Data.copy(Lab.JAR, "editor", "editor", EditorBench::seed, url -> { });
        int port = Lab.freePort();
        try (Child stet = Lab.program(data); Child driver = Child.start("chromedriver", List.of("chromedriver", "--port=" + port))) {
            String url = stet.url();
            driver.awaitLine("started successfully");
            Client chrome = new Client("http://127.0.0.1:" + port);
            String id = chrome.json("POST", "/session", Map.of("capabilities", Map.of("alwaysMatch", Map.of("goog:chromeOptions",
                    Map.of("args", BROWSER), "timeouts", Map.of("script", 600_000, "pageLoad", 120_000))))).at("/value/sessionId").asText();
            EditorBench editor = new EditorBench(url, new Client(chrome.url() + "/session/" + id));
            editor.all();
            editor.session.success("DELETE", "", "", null);
            return editor.lines;
        }
    }

    private static void seed(Path seed) throws Exception {
        Path few = Data.account(seed, FEW, Data.PASSWORD);
        String row = "<tr><td style=\"padding: 4px 8px; color: #333\"><a href=\"https://example.com/a\">Order {{number}}</a> here</td></tr>\n";
        Files.writeString(few.resolve("usual.html"), mail(row, 79 * 1_024 / row.length()));
        Files.writeString(few.resolve("tags.html"), mail("<b>{{number}}</b> a word\n", 10_000));
        Files.writeString(few.resolve("large.html"), mail(row, 2_047 * 1_024 / row.length()));
        for (int i = 3; i < 1_000; i++) {
            Files.write(few.resolve("mail-" + i + ".html"), Data.html(Data.HTML, i));
        }
        Path many = Data.account(seed, MANY, Data.PASSWORD);
        for (int i = 0; i < 10_000; i++) {
            Files.writeString(many.resolve("mail-" + i + ".html"), "<p>" + i + "</p>");
        }
    }

    private static String mail(String row, int rows) {
        return "<html><body><table>\n" + row.repeat(rows) + "</table></body></html>\n";
    }

    private void all() throws Exception {
        signIn(FEW);
        edit("usual", "79 KB", 16, 300);
        edit("tags", "268 KB with 10,000 tags", 16, 1_000);
        edit("large", "2 MiB", 50, 2_000);
        pieces();
        go(url + "/");
        lines.add(Line.millis(16, List.of(number("""
                while (!document.querySelector('.list tbody a')) await sleep(50);
                const field = document.querySelector('main input[type=search]');
                const times = [];
                for (const char of 'mail 7mail 5mail 3') {
                  const begin = performance.now();
                  field.value = char === 'm' ? char : field.value + char;
                  field.dispatchEvent(new Event('input', { bubbles: true }));
                  document.body.offsetHeight;
                  times.push(performance.now() - begin);
                  await sleep(400);
                }
                return median(times);""")), "a key in the filter of 1,000 templates"));
        signIn(MANY);
        List<Double> shown = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            go("about:blank");
            go(url + "/");
            shown.add(number("while (!document.querySelector('.list tbody tr')) await new Promise(requestAnimationFrame); return performance.now();"));
        }
        lines.add(Line.millis(1_000, shown, "the list of 10,000 templates, from the request until it is shown"));
    }

    private void signIn(String email) throws Exception {
        go(url + "/signin");
        number("await fetch('/data/session', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ email: '"
                + email + "', password: '" + Data.PASSWORD + "' }) }); return 0;");
    }

    /** Types into a draft and waits for its preview. @param key goal for a keystroke in ms @param preview goal for the preview in ms */
    private void edit(String id, String what, int key, int preview) throws Exception {
        go(url + "/templates/" + id);
        lines.add(Line.millis(key, List.of(number("""
                while (!document.querySelector('.CodeMirror') || !document.querySelector('.stage iframe:not(.coming)')) await sleep(50);
                const mirror = document.querySelector('.CodeMirror').CodeMirror;
                mirror.focus();
                mirror.setCursor({ line: 300, ch: 40 });
                const times = [];
                for (let i = 0; i < %d; i++) {
                  const begin = performance.now();
                  mirror.replaceSelection('x', 'end', '+input');
                  document.body.offsetHeight;
                  times.push(performance.now() - begin);
                  await sleep(30);
                }
                return median(times);""".formatted(KEYS))), "a key in an email of " + what));
        lines.add(Line.millis(preview, List.of(number("""
                const mirror = document.querySelector('.CodeMirror').CodeMirror;
                const stage = document.querySelector('.stage');
                const times = [];
                for (let i = 0; i < %d; i++) {
                  while (stage.hasAttribute('aria-busy')) await sleep(50);
                  await sleep(200);
                  const loaded = new Promise(done => stage.addEventListener('load', done, { capture: true, once: true }));
                  const begin = performance.now();
                  mirror.replaceSelection('x', 'end', '+input');
                  await loaded;
                  times.push(performance.now() - begin);
                }
                return median(times);""".formatted(PREVIEWS))), "its preview, from the key on"));
    }

    /** Measures what the pieces add to a check, and an operation in an email of usual size. */
    private void pieces() throws Exception {
        lines.add(Line.millis(300, List.of(number("""
                const html = '<html><body><table>\\n' + ('<tr><td style="padding: 4px 8px">' + 'words '.repeat(160) + '</td></tr>\\n').repeat(1990)
                  + '</table></body></html>\\n';
                const check = async pieces => {
                  const begin = performance.now();
                  await (await fetch('/data/check', { method: 'POST', headers: { 'Content-Type': 'application/json' },
                    body: JSON.stringify({ subject: '', html, samples: {}, ...pieces && { pieces } }) })).json();
                  return performance.now() - begin;
                };
                const times = [];
                for (let i = 0; i < %d; i++) times.push(-await check(false) + await check(true));
                return median(times);""".formatted(ROUNDS))), "the pieces of an email of 2 MiB, beyond its check"));
        go(url + "/templates/usual");
        lines.add(Line.millis(50, List.of(number("""
                while (!document.querySelector('[role=treeitem]') || document.querySelector('.canvas[aria-busy]')) await sleep(50);
                document.querySelectorAll('[role=treeitem]')[300].querySelector('.row-of').click();
                const chosen = () => document.querySelector('[role=treeitem][aria-selected=true]')?.dataset.piece;
                const times = [];
                for (let i = 0; i < %d; i++) {
                  const place = chosen();
                  const begin = performance.now();
                  document.querySelector('[data-act=down]').click();
                  document.body.offsetHeight;
                  times.push(performance.now() - begin);
                  while (chosen() === place) await sleep(50);
                }
                return median(times);""".formatted(PREVIEWS))), "a part of an email of 79 KB is moved, verified and drawn"));
    }

    private void go(String address) throws Exception {
        session.json("POST", "/url", Map.of("url", address));
    }

    /** Runs an asynchronous function in the page. @return its number */
    private double number(String function) throws Exception {
        String body = TOOLS + "(async () => {" + function + "})().then(arguments[0], failure => arguments[0]('' + failure));";
        JsonNode value = session.json("POST", "/execute/async", Map.of("script", body, "args", List.of())).get("value");
        if (!value.isNumber()) {
            throw new IllegalStateException("a script in the page failed: " + value);
        }
        return value.asDouble();
    }
}
