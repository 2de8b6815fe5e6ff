import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the editor and the template list: {@code java app/bench/EditorBench.java}. Requires chromium and chromedriver. The
 * email is 79 KB; the list has 1,000 templates of 16 KiB, then the maximum per account. Figures are medians in ms. {@code
 * -Dstet.jar=...} measures another Stet.
 */
class EditorBench {
    private static final int KEYS = 150;
    private static final int PREVIEWS = 30;
    private static final int TEMPLATES = 1_000;
    private static final Pattern SIGN_IN = Pattern.compile("Sign in at (\\S+) as (\\S+) with the password (\\S+)");

    /** Page functions: {@code send} calls the server, {@code mail} generates HTML of a given size. */
    private static final String TOOLS = """
            const send = (method, path, body) => fetch(path, { method, headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify(body) }).then(answer => answer.ok ? answer.json() : answer.text().then(text => {
                throw new Error(path + ' ' + answer.status + ' ' + text);
              }));
            const mail = (bytes, word) => {
              const row = '<tr><td style="padding: 4px 8px; color: #333"><a href="https://example.com/a">Order {{number}}</a> '
                + word + '</td></tr>\\n';
              return '<html><body><table>\\n' + row.repeat(Math.floor((bytes - 60) / row.length)) + '</table></body></html>\\n';
            };
            const median = times => times.sort((one, other) => one - other)[times.length >> 1].toFixed(1);
            const sleep = millis => new Promise(done => setTimeout(done, millis));
            """;
    /** HTTP/1.1, because chromedriver does not respond to requests that offer an upgrade to HTTP/2. */
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String session;

    private EditorBench(String driver) throws Exception {
        String answer = post(driver + "/session", "{\"capabilities\": {\"alwaysMatch\": {\"goog:chromeOptions\": {\"args\": "
                + "[\"--headless=new\", \"--no-sandbox\", \"--window-size=1440,900\"]}, \"timeouts\": {\"script\": 1200000, \"pageLoad\": 120000}}}}");
        Matcher id = Pattern.compile("\"sessionId\":\"([^\"]+)\"").matcher(answer);
        if (!id.find()) {
            throw new IllegalStateException(answer);
        }
        session = driver + "/session/" + id.group(1);
    }

    public static void main(String[] arguments) throws Exception {
        Process stet = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar",
                System.getProperty("stet.jar", "target/stet.jar"), "demo", "--listen", "127.0.0.1:0").start();
        Process driver = null;
        try {
            BufferedReader out = new BufferedReader(new InputStreamReader(stet.getInputStream(), StandardCharsets.UTF_8));
            Matcher signIn = SIGN_IN.matcher("");
            for (String line = out.readLine(); line != null && !signIn.reset(line).matches(); line = out.readLine()) {
                // Wait for the line with the password.
            }
            int port = freePort();
            driver = new ProcessBuilder("chromedriver", "--port=" + port).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            String address = "http://127.0.0.1:" + port;
            for (int tries = 100; !answers(address) && tries > 0; tries--) {
                Thread.sleep(100);
            }
            new EditorBench(address).measure(signIn.group(1), signIn.group(2), signIn.group(3));
        } finally {
            stet.destroy();
            if (driver != null) {
                driver.descendants().forEach(ProcessHandle::destroy);
                driver.destroy();
            }
        }
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static boolean answers(String address) {
        try {
            return CLIENT.send(HttpRequest.newBuilder(URI.create(address + "/status")).timeout(Duration.ofSeconds(1)).build(),
                    BodyHandlers.discarding()).statusCode() == 200;
        } catch (Exception notYet) {
            return false;
        }
    }

    private void measure(String url, String email, String password) throws Exception {
        go(url + "/signin");
        run("await send('POST', '/data/session', { email: '" + email + "', password: '" + password + "' });");
        edit(url, "79 KB", "mail(79 * 1024, 'here')", 16, 300);
        edit(url, "268 KB, 10,000 tags", "'<html><body>\\n' + '<b>{{number}}</b> a word\\n'.repeat(10000) + '</body></html>\\n'", 16, 1_000);
        edit(url, "2 MiB", "mail(2047 * 1024, 'here')", 50, 2_000);
        run("""
                for (let i = 0; i < %d; i++) {
                  await send('POST', '/data/templates', { id: 'many-' + i, name: 'Many ' + i });
                  await send('PUT', '/data/templates/many-' + i, { revision: 1, subject: 'Mail', html: mail(16 * 1024, 'word' + i), samples: {} });
                }""".formatted(TEMPLATES));
        System.out.println("search in 1,000 templates           " + run("""
                const times = [];
                for (let i = 0; i < 30; i++) {
                  const begin = performance.now();
                  const found = await fetch('/data/search?q=' + (i %% 2 ? 'word' + i : 'nowhere' + i)).then(answer => answer.json());
                  times.push(performance.now() - begin);
                }
                return median(times);""".replace("%%", "%")) + "   (goal: 100)");
        go(url + "/");
        System.out.println("the page's list, filtered by a key  " + run("""
                while (!document.querySelector('.list tbody a')) await sleep(50);
                const field = document.querySelector('main input[type=search]');
                const times = [];
                for (const char of 'many 7many 5many 3') {
                  const begin = performance.now();
                  field.value = char === 'm' ? char : field.value + char;
                  field.dispatchEvent(new Event('input', { bubbles: true }));
                  document.body.offsetHeight;
                  times.push(performance.now() - begin);
                  await sleep(400);
                }
                return median(times);""") + "   (goal: 16)");
        run("""
                let next = %d;
                const worker = async () => {
                  for (let i = next++; i < 9990; i = next++) {
                    await send('POST', '/data/templates', { id: 'many-' + i, name: 'Many ' + i });
                  }
                };
                await Promise.all(Array.from({ length: 6 }, worker));""".formatted(TEMPLATES));
        System.out.println("the list of 10,000, shown           " + longList(url + "/") + "   (goal: 300 of script and layout)");
        System.out.println("older blocks in 1,000 templates     " + run("""
                await send('POST', '/data/blocks', { name: 'old-footer', html: mail(1024, 'one') });
                for (let i = 0; i < %d; i++) {
                  const { revision } = await fetch('/data/templates/many-' + i).then(answer => answer.json());
                  const saved = await send('PUT', '/data/templates/many-' + i,
                    { revision, subject: 'Mail', html: mail(2048, 'word') + '{{> old-footer}}', samples: {} });
                  await send('POST', '/data/templates/many-' + i + '/publish', { revision: saved.revision });
                }
                await send('PUT', '/data/blocks/old-footer', { revision: 1, html: mail(1024, 'two') });
                const times = [];
                let bytes = 0;
                for (let i = 0; i < 9; i++) {
                  const begin = performance.now();
                  bytes = (await fetch('/data/stale').then(answer => answer.arrayBuffer())).byteLength;
                  times.push(performance.now() - begin);
                }
                return median(times) + ', ' + bytes + ' bytes';""".formatted(TEMPLATES)));
        CLIENT.send(HttpRequest.newBuilder(URI.create(session)).DELETE().build(), BodyHandlers.discarding());
    }

    /**
     * Types into a draft and waits for its preview.
     *
     * @param html    JavaScript expression, evaluated in the page
     * @param key     goal per keystroke, in ms
     * @param preview goal for the preview, in ms
     */
    private void edit(String url, String name, String html, int key, int preview) throws Exception {
        String id = "bench-" + name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        run("await send('POST', '/data/templates', { id: '" + id + "', name: 'Bench' });"
                + "await send('PUT', '/data/templates/" + id + "', { revision: 1, subject: 'Bench', html: " + html + ", samples: {} });");
        go(url + "/templates/" + id);
        System.out.printf("%-36s%s   (goal: %d)%n", "a key at " + name, run("""
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
                return median(times);""".formatted(KEYS)), key);
        System.out.printf("%-36s%s   (goal: %d)%n", "its new preview after a key", run("""
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
                return median(times);""".formatted(PREVIEWS)), preview);
    }

    /** Reports the browser's time for script and layout until the list is visible, in ms, and the number of elements. */
    private String longList(String url) throws Exception {
        command("Performance.enable", "{}");
        double[] rounds = new double[5];
        for (int i = 0; i < rounds.length; i++) {
            go("about:blank");
            double before = spent();
            go(url);
            run("while (!document.querySelector('.list tbody tr')) await sleep(20); await sleep(1500);"
                    + "while (document.readyState !== 'complete') await sleep(20);");
            rounds[i] = spent() - before;
        }
        Arrays.sort(rounds);
        return "%.0f, %s elements".formatted(rounds[rounds.length / 2], run("return document.querySelectorAll('*').length;"));
    }

    /** Returns the time spent on script, style and layout so far, in ms. */
    private double spent() throws Exception {
        String metrics = command("Performance.getMetrics", "{}");
        double seconds = 0;
        for (String name : new String[] {"ScriptDuration", "LayoutDuration", "RecalcStyleDuration"}) {
            Matcher value = Pattern.compile("\\{\"name\":\"" + name + "\",\"value\":([0-9.e-]+)").matcher(metrics);
            if (!value.find()) {
                throw new IllegalStateException(metrics);
            }
            seconds += Double.parseDouble(value.group(1));
        }
        return 1_000 * seconds;
    }

    private String command(String name, String parameters) throws Exception {
        return post(session + "/goog/cdp/execute", "{\"cmd\": \"" + name + "\", \"params\": " + parameters + "}");
    }

    private void go(String url) throws Exception {
        post(session + "/url", "{\"url\": \"" + url + "\"}");
    }

    /** Runs an asynchronous function in the page. @return its result as JSON */
    private String run(String script) throws Exception {
        String body = TOOLS + "(async () => {" + script + "})().then(arguments[0], failure => arguments[0]('' + failure));";
        String answer = post(session + "/execute/async", "{\"script\": \"" + body.replace("\\", "\\\\").replace("\"", "\\\"")
                .replace("\n", "\\n") + "\", \"args\": []}");
        return answer.replaceAll("^\\{\"value\":\"?|\"?}$", "");
    }

    private String post(String url, String json) throws Exception {
        return CLIENT.send(HttpRequest.newBuilder(URI.create(url)).POST(BodyPublishers.ofString(json)).build(),
                BodyHandlers.ofString()).body();
    }
}
