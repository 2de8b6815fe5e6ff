package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.docs.DocumentsTest;
import stet.harness.Client;
import stet.harness.Machine;
import stet.harness.Running;

/** The test double's examples run as they are. The build itself runs the Maven projects among them. */
class ExamplesTest {
    @TempDir
    Path folder;

    @Tag("jar")
    @Test
    void theExamplesForNodePass() throws Exception {
        run(Path.of(""), "node", "--test", "app/clients/node/stet.test.mjs", "app/examples/shipping-mail.test.mjs",
                "app/examples/template-client.test.mjs");
    }

    @Tag("jar")
    @Test
    void theExamplesForPythonPass() throws Exception {
        run(Path.of(""), "python3", "-W", "error", "-m", "unittest", "app/clients/python/test_stet.py",
                "app/examples/test_shipping_mail.py");
    }

    private static void hasPytest() throws Exception {
        Machine.has("python3");
        Machine.may(Machine.run("python3", "-c", "import pytest") == 0, "pytest is not installed");
    }

    /** One double for the run, with the settings' data and options. A failed test shows the requests and its own line. */
    @Tag("jar")
    @Test
    void thePytestPluginResetsTheDoubleAndReportsFailures() throws Exception {
        hasPytest();
        copy(Path.of("app/examples/stet"), folder.resolve("data"));
        copy(Path.of("app/clients/python/stet.py"), folder.resolve("stet.py"));
        Files.writeString(folder.resolve("conftest.py"), "pytest_plugins = [\"stet\"]\n");
        Files.writeString(folder.resolve("pytest.ini"), "[pytest]\nstet_data = data\nstet_options = --strict --now 2026-02-01T00:00:00Z\n");
        Files.writeString(folder.resolve("test_app.py"), """
                import urllib.error, urllib.request
                import pytest

                urls = set()

                @pytest.fixture(scope="module", autouse=True)
                def app(stet_session):
                    urls.add(stet_session.url)

                def get(url):
                    request = urllib.request.Request(url, headers={"Authorization": "Bearer stet-test-key"})
                    with urllib.request.urlopen(request) as response:
                        return response.read().decode()

                @pytest.mark.parametrize("run", (1, 2))
                def test_each_starts_with_a_reset(stet, run):
                    urls.add(stet.url)
                    assert len(urls) == 1
                    assert stet.requests() == [] and stet.faults() == []
                    assert stet.clock() == {"now": "2026-02-01T00:00:00.000Z"}
                    assert "Hello" in get(stet.base_url + "/templates/shipped?format=html")
                    stet.change_account("shop@example.com", used=100)
                    stet.add_fault(status=500)
                    stet.advance("P1D")

                def test_options_are_passed(stet):
                    with pytest.raises(urllib.error.HTTPError):
                        get(stet.url + "/templates/shipped")
                    with pytest.raises(AssertionError, match="outside the API"):
                        stet.verify(times=1)

                def test_that_fails(stet):
                    stet.verify(template="shipped")
                """);
        String output = assertThrows(AssertionError.class, () -> run(folder, "python3", "-W", "error", "-m", "pytest")).getMessage();
        assertTrue(output.contains("1 failed, 3 passed"), output);
        assertTrue(output.contains("Requests to Stet's test double") && output.contains("\n  Expected at least 1 request with template \"shipped\", but there was none"),
                output);
        assertTrue(output.contains("test_app.py:") && !output.contains("stet.py:"), output);
    }

    @Tag("jar")
    @Test
    void pytestSettingsAboveTheProjectDoNotHideItsData() throws Exception {
        hasPytest();
        copy(Path.of("app/clients/python/stet.py"), folder.resolve("stet.py"));
        Path project = Files.createDirectory(folder.resolve("project"));
        copy(Path.of("app/examples/stet"), project.resolve("src/test/stet"));
        Files.writeString(folder.resolve("pytest.ini"), "[pytest]\n");
        Files.writeString(project.resolve("test_own.py"), "def test_own(stet):\n    assert stet.account('shop@example.com')\n");
        run(project, Map.of("PYTHONPATH", folder.toString()), "python3", "-W", "error", "-m", "pytest", "-p", "stet");
    }

    @Tag("jar")
    @ParameterizedTest
    @ValueSource(strings = {"app/clients/go", "app/examples/go"})
    void theExamplesForGoPass(String module) throws Exception {
        run(Path.of(module), "go", "test", "-count=1", "./...");
    }

    /** Go repeats a test if one of the double's files has changed; otherwise, it uses the cached result. */
    @Tag("jar")
    @Test
    void goNoticesAChangedTemplate() throws Exception {
        writeData();
        Files.writeString(folder.resolve("go.mod"), "module shop\n\ngo 1.18\n");
        Files.copy(Path.of("app/clients/go/stet.go"), Files.createDirectory(folder.resolve("stet")).resolve("stet.go"));
        Files.writeString(folder.resolve("welcome_test.go"), code(Files.readString(Path.of("app/docs/testing-go.md")), "Go", "go"));
        String[] test = {"go", "test", "."};
        age(Duration.ofHours(2));
        run(folder, test);
        assertFalse(read(folder.resolve("output")).contains("(cached)"), read(folder.resolve("output")));
        run(folder, test);
        assertTrue(read(folder.resolve("output")).contains("(cached)"), read(folder.resolve("output")));
        Files.writeString(folder.resolve("src/test/stet/templates/welcome.html"), "<p>Hallo {{name}}</p>\n");
        age(Duration.ofHours(1));
        assertTrue(assertThrows(AssertionError.class, () -> run(folder, test)).getMessage().contains("<p>Hallo Ada</p>"));
        Files.delete(folder.resolve("src/test/stet/templates/welcome.html"));
        assertThrows(AssertionError.class, () -> run(folder, test));
    }

    /** Sets all files' times, because Go caches no results of tests with files of the last seconds. */
    private void age(Duration age) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
            }
        }
    }

    @Tag("jar")
    @Test
    void theExampleForTheShellPasses() throws Exception {
        Machine.has("curl");
        run(Path.of(""), "sh", "app/examples/shipping-mail.sh");
    }

    /** Built with npm; its packages stay in {@code target}. Like other tests, skipped without npm or its registry. */
    @Tag("jar")
    @Test
    void theMjmlExampleIsBuiltAndPushed() throws Exception {
        Machine.has("npm");
        Path example = Path.of("app/examples/mjml");
        Path built = Path.of("target/mjml");
        copy(example, built);
        try (Running stet = new Running()) {
            Account ada = stet.account("ada@example.com", Plan.PRO);
            stet.db.change(dao -> dao.tokens().add(ada, "ci", Role.EDITOR, "stet_deploy_of-the-test", null, stet.now()));
            runWithNpm(built, Map.of("STET_SERVER", "http://127.0.0.1:" + stet.server.address().getPort(), "STET_TOKEN", "stet_deploy_of-the-test"),
                    "sh", "build.sh");
            String html = stet.get(Running.TEMPLATES + "receipt?format=html", stet.key(ada)).text();
            assertEquals(Files.readString(built.resolve("mails/templates/receipt.html")), html);
            assertTrue(html.contains("{{#each items}}"), html);
            assertEquals("{\"variables\":[\"name\",\"url\"]}", stet.get(Running.TEMPLATES + "welcome?format=variables", stet.key(ada)).text());
        }
    }

    /** A TypeScript client generated from openapi.json, beside the launcher's types. Skipped without npm or its registry. */
    @Tag("jar")
    @Test
    void theGeneratedTypeScriptClientPasses() throws Exception {
        Machine.has("node", "npm");
        Machine.may(Machine.run("node", "-e", "const [a, b] = process.versions.node.split('.'); process.exit(a > 20 || a == 20 && b >= 19 ? 0 : 1)") == 0,
                "the generator needs Node.js 20.19");
        Path built = Path.of("target/typescript-client").toAbsolutePath();
        copy(Path.of("app/examples/typescript-client"), built);
        copy(Path.of("app/docs/openapi.json"), built.resolve("openapi.json"));
        copy(Path.of("app/clients/node/stet.cjs"), built.resolve("src/stet.cjs"));
        copy(Path.of("app/clients/node/stet.cjs"), built.resolve("dist/stet.cjs"));
        copy(Path.of("app/clients/node/stet.d.cts"), built.resolve("src/stet.d.cts"));
        writeData();
        copy(folder.resolve("src/test/stet"), built.resolve("data"));
        runWithNpm(built, Map.of(), "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund");
        run(built, "npm", "test");
        assertTrue(read(folder.resolve("output")).contains("# pass 5\n"), () -> read(folder.resolve("output")));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = file.equals(from) ? to : to.resolve(from.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Runs a program that may download packages. */
    private void runWithNpm(Path directory, Map<String, String> environment, String... command) throws Exception {
        Map<String, String> variables = new HashMap<>(Map.of("npm_config_fetch_retries", "0", "npm_config_update_notifier", "false"));
        variables.putAll(environment);
        try {
            run(directory, variables, command);
        } catch (AssertionError failed) {
            boolean isOffline = Pattern.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH").matcher(read(folder.resolve("output"))).find();
            Machine.has(!isOffline, "npm's registry cannot be reached");
            throw failed;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"app/examples/junit/src/test/java/shop/ShippingMailTest.java", "app/examples/shipping-mail.test.mjs",
        "app/examples/test_shipping_mail.py", "app/examples/go/shipping_mail_test.go", "app/examples/shipping-mail.sh",
        "app/examples/junit/src/main/java/shop/TemplateClient.java", "app/examples/template-client.mjs",
        "app/clients/node/stet.cjs", "app/clients/node/stet.d.cts", "app/clients/python/stet.py", "app/clients/go/stet.go"})
    void theDocumentsLinkEachExampleAndTheServiceHasIt(String file) throws IOException {
        String link = "](../" + file.substring("app/".length()) + ")";
        assertTrue(DocumentsTest.documents().stream().anyMatch(page -> read(page).contains(link)), link);
        try (Running stet = new Running()) {
            Client.Reply reply = stet.get("/docs/" + file.substring(file.lastIndexOf('/') + 1), null);
            assertEquals("200 text/plain; charset=utf-8", reply.status() + " " + reply.header("Content-Type"));
            assertEquals(Files.readString(Path.of(file)), reply.text());
        }
    }

    /** A new team's first test, as in test-double.md and the language pages. */
    @Tag("jar")
    @ParameterizedTest
    @CsvSource({
        "testing-node, Node, js, welcome.test.mjs, app/clients/node/stet.cjs, node --test, # pass 1",
        "testing-python, Python, python, test_welcome.py, app/clients/python/stet.py, python3 -W error -m pytest test_welcome.py, 1 passed",
        "testing-python, unittest, python, test_welcome.py, app/clients/python/stet.py, python3 -W error -m unittest test_welcome.py, OK",
        "testing-go, Go, go, welcome_test.go, app/clients/go/stet.go, go test -count=1 -v ., --- PASS: TestHasAName",
        "test-double, A double that keeps running, sh, welcome.sh, app/main/start.sh, sh welcome.sh, <p>Hello {{name}}</p>"})
    void theFirstTestOfEachDocumentPasses(String page, String heading, String language, String name, Path copied, String command,
            String output) throws Exception {
        if (page.equals("test-double")) {
            Machine.has("curl");
        }
        if (command.contains("pytest")) {
            hasPytest();
        }
        String document = Files.readString(Path.of("app/docs/" + page + ".md"));
        writeData();
        if (language.equals("go")) {
            Files.writeString(folder.resolve("go.mod"), "module shop\n\ngo 1.18\n");
            Files.copy(copied, Files.createDirectory(folder.resolve("stet")).resolve(copied.getFileName()));
        } else {
            Files.copy(copied, folder.resolve(copied.getFileName()));
        }
        Files.copy(Path.of(System.getProperty("stet.jar")), folder.resolve("stet.jar"));
        Files.writeString(folder.resolve(name), code(document, heading, language));
        if (command.contains("pytest")) {
            Files.writeString(folder.resolve("conftest.py"), code(document, heading, "text"));
        }
        run(folder, command.split(" "));
        assertTrue(read(folder.resolve("output")).contains(output), () -> read(folder.resolve("output")));
    }

    /** The data of the first green test. */
    private void writeData() throws Exception {
        Files.writeString(folder.resolve("data.sh"), code(Files.readString(Path.of("app/docs/test-double.md")), "The first green test", "sh"));
        run(folder, "sh", "data.sh");
    }

    /** The shell's test script fails if the email differs. */
    @Test
    @Tag("jar")
    void theTestScriptOfTheDocumentCanFail() throws Exception {
        Machine.has("curl");
        writeData();
        Files.writeString(folder.resolve("test.sh"), code(Files.readString(Path.of("app/docs/test-double.md")), "In the shell", "sh"));
        String[] command = {"sh", "-c", "java -jar \"$STET_JAR\" fixture src/test/stet --exec 'sh test.sh'"};
        run(folder, command);
        Files.writeString(folder.resolve("src/test/stet/templates/welcome.html"), "<p>Bye {{name}}</p>");
        assertThrows(AssertionError.class, () -> run(folder, command));
    }

    /** Returns the first code block in a language under a heading. */
    private static String code(String document, String heading, String language) {
        String below = document.substring(document.indexOf("# " + heading + "\n"));
        int begin = below.indexOf("\n```" + language + "\n") + language.length() + 5;
        return below.substring(begin, below.indexOf("\n```\n", begin) + 1);
    }

    /** At least as many methods as {@code Routes} has controls. Go has SetPlan, SetUsed and SetLimits instead of one to change an account. */
    @Test
    void theLaunchersHaveTheSameMethods() throws IOException {
        Set<String> node = methods("app/clients/node/stet.cjs", "(?m)^  (?:async )?(\\w+)\\([^)]*\\) \\{$");
        assertEquals(node, methods("app/clients/node/stet.d.cts", "(?m)^  (?!private)(\\w+)\\(.*\\): Promise<"));
        assertEquals(node, methods("app/clients/python/stet.py", "(?m)^    def ([a-z]\\w*)\\(self"));
        Set<String> go = methods("app/clients/go/stet.go", "(?m)^func \\(f \\*Fixture\\) (\\w+)\\(");
        assertTrue(go.containsAll(node.stream().filter(each -> !each.equals("changeaccount")).toList()), go.toString());
        long controls = Files.readString(Path.of("app/main/stet/fixture/Routes.java")).lines()
                .filter(line -> line.matches(" +on\\(\"[A-Z]+ /_fixture/(?!assets).*")).count();
        assertTrue(node.size() >= controls, node + " are fewer than " + controls);
    }

    /** The types of Node and Go, and the table in controls.md. */
    @Test
    void launchersAndDocumentHaveTheFieldsOfAFault() throws IOException {
        Set<String> fields = fields("app/main/stet/fixture/Fault.java", "    Fault(Fields fields) {", "fields\\.\\w+\\(\"(\\w+)\"");
        fields.addAll(Set.of("truncate", "drop", "never"));
        assertEquals(fields, fields("app/clients/node/stet.d.cts", "export interface Fault {", "(?m)^  (\\w+)\\?: "));
        assertEquals(fields, fields("app/clients/go/stet.go", "type Fault struct {", "json:\"(\\w+),"));
        String controls = Files.readString(Path.of("app/docs/controls.md"));
        String rows = controls.substring(controls.indexOf("| field | meaning |")).split("\n\n")[0];
        assertEquals(fields, Pattern.compile("(?m)^\\|([^|]+)\\|").matcher(rows).results().flatMap(cell -> Pattern.compile("`(\\w+)`")
                .matcher(cell.group(1)).results()).map(found -> found.group(1)).collect(Collectors.toSet()));
    }

    /** Returns the field names from a line to the end of its block. */
    private static Set<String> fields(String file, String begin, String pattern) throws IOException {
        String text = Files.readString(Path.of(file));
        String block = text.substring(text.indexOf(begin)).split("\n *}")[0];
        return Pattern.compile(pattern).matcher(block).results().map(found -> found.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Method names in lower case without underscores, except those to start, stop and call controls directly. */
    private static Set<String> methods(String file, String pattern) throws IOException {
        Set<String> names = Pattern.compile(pattern).matcher(Files.readString(Path.of(file))).results()
                .map(found -> found.group(1).replace("_", "").toLowerCase(Locale.ROOT)).collect(Collectors.toCollection(TreeSet::new));
        names.removeAll(Set.of("constructor", "start", "stop", "control"));
        return names;
    }

    @Test
    void theTestDoublePageQuotesTheAccount() throws IOException {
        assertTrue(Files.readString(Path.of("app/docs/test-double.md"))
                .contains("\n```json\n" + Files.readString(Path.of("app/examples/stet/account.json")) + "```\n"));
    }

    /** Runs a program to completion. */
    private void run(Path directory, String... command) throws IOException, InterruptedException {
        run(directory, Map.of(), command);
    }

    private void run(Path directory, Map<String, String> environment, String... command) throws IOException, InterruptedException {
        Machine.has(command[0]);
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toAbsolutePath().toFile())
                .redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(Map.of("JAR", System.getProperty("stet.jar"), "STET_JAR", System.getProperty("stet.jar"),
                "PYTHONPATH", "app/clients/python", "PYTHONDONTWRITEBYTECODE", "1", "GOPROXY", "off"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS), () -> read(output));
            assertEquals(0, process.exitValue(), () -> read(output));
        } finally {
            process.destroy();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            return failure.toString();
        }
    }
}
