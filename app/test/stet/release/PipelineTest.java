package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import stet.base.Secret;
import stet.core.FilesDigest;
import stet.harness.Client;
import stet.harness.Jar;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Terminal;
import stet.sqlite.Db;

/**
 * Runs the shell code in git-and-ci.md, the GitHub action and the example repository's pipelines unchanged, in real shells against the
 * real program. Emulates the GitHub and GitLab features that these files use: conditions, expressions and variables.
 */
@Tag("jar")
class PipelineTest {
    private static final Path DOCUMENT = Path.of("app/docs/git-and-ci.md");
    private static final Path ACTION = Path.of("app/ci/github/action.yml");
    private static final Path WORKFLOW = Path.of("app/examples/mails/.github/workflows/mails.yml");
    private static final Pattern EXPRESSION = Pattern.compile("\\$\\{\\{ ([a-zA-Z0-9_.-]+) }}");

    @TempDir
    Path folder;
    private static final String ENDED = "<!-- stet -->\nThe links to the changed emails have ended.\n";

    private Jar server;
    private Terminal terminal;
    /** A template key for each account. */
    private final Map<String, String> keys = new HashMap<>();
    private String review;
    private final Map<String, String> tokens = new HashMap<>();
    private String lastLink;

    /** @param log stdout and stderr */
    private record Result(int code, String log) {
    }

    /** A built clone of Stet and a server on its data. Each program records all processes with their arguments. */
    @BeforeEach
    void start() throws IOException {
        Path clone = Files.createDirectories(folder.resolve("stet/target")).getParent();
        Files.copy(Path.of(System.getProperty("stet.jar", "target/stet.jar")), clone.resolve("target/stet.jar"));
        for (Path part : List.of(Path.of("app/examples/mails"), ACTION.getParent())) {
            try (Stream<Path> files = Files.walk(part)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.createDirectories(clone.resolve(file).getParent());
                    Files.copy(file, clone.resolve(file));
                }
            }
        }
        server = new Jar(clone.resolve("stet-data"));
        terminal = new Terminal(clone.resolve("stet-data"));
        program("curl", "exec curl \"$@\"");
        // GitHub's command line: lists the comment of an earlier call, writes one, or says what GitHub says without the permission.
        program("gh", "echo \"$*\" >> " + folder + "/gh\n[ -f " + folder + "/forbidden ] && { echo 'HTTP 403' >&2; exit 1; }\ncase \"$*\" in *--jq*) [ ! -f " + folder
                + "/comment ] || printf '41\\n42\\n' ;; *body=@*) f=${*##*body=@}; cp \"$f\" " + folder + "/comment ;; *) exit 9 ;; esac");
        // The class archive saves half of the start time but works only at the jar's own path, so an identical copy is run from there.
        List<String> command = Jar.command(Files.createDirectories(folder.resolve("tmp")), List.of());
        String jar = command.get(command.size() - 1);
        program("java", "if [ \"$1\" = -jar ] && cmp -s \"$2\" '" + jar + "'; then shift 2; exec '" + String.join("' '", command)
                + "' \"$@\"; fi\nexec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \"$@\"");
    }

    /** Adds a program that records the processes. */
    private void program(String name, String command) throws IOException {
        Path file = Files.createDirectories(folder.resolve("bin")).resolve(name);
        Files.writeString(file, "#!/bin/sh\ncat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' >> " + folder + "/processes\nPATH=${PATH#*:}\n"
                + command + "\n");
        assertTrue(file.toFile().setExecutable(true));
    }

    @AfterEach
    void end() {
        server.close();
    }

    private String url() {
        return "http://127.0.0.1:" + server.address.getPort();
    }

    private Result run(Path directory, Map<String, String> environment, String... command) throws IOException {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).redirectOutput(output.toFile());
        Map<String, String> variables = builder.environment();
        variables.keySet().removeIf(name -> name.startsWith("STET_") || name.startsWith("CI_") || name.startsWith("GIT"));
        variables.putAll(Map.of("GIT_AUTHOR_NAME", "Ada", "GIT_AUTHOR_EMAIL", "ada@example.com", "GIT_COMMITTER_NAME", "Ada",
                "GIT_COMMITTER_EMAIL", "ada@example.com", "GIT_CONFIG_GLOBAL", "/dev/null", "GIT_CONFIG_NOSYSTEM", "1",
                "PATH", folder.resolve("bin") + ":" + System.getenv("PATH")));
        variables.putAll(environment);
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS), "it does not end");
            return new Result(process.exitValue(), Files.readString(output));
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        } finally {
            process.destroy();
        }
    }

    /** The response that an account's app receives. */
    private String served(String account) {
        String key = keys.computeIfAbsent(account, name -> {
            terminal.done("account", "plan", name, "pro"); // Free allows only one key, which the document adds
            return terminal.done("key", "add", name, "test").strip();
        });
        try (Client client = new Client(server.address)) {
            Client.Reply reply = client.get(Running.TEMPLATES + "welcome?format=html", key);
            return reply.status() == 200 ? reply.text() : Integer.toString(reply.status());
        }
    }

    // ---- the document

    /** Runs the document's shell blocks in sequence in one shell, as a reader would. */
    @Test
    void theShellBlocksOfTheDocumentWorkInSequence() throws IOException {
        Machine.has("curl", "zip");
        List<String> headings = new ArrayList<>();
        Path state = Files.writeString(folder.resolve("state"), "cd " + folder.resolve("stet") + "\n");
        Matcher part = Pattern.compile("(?ms)^## (.*?)$|^```sh\n(.*?)^```$").matcher(Files.readString(DOCUMENT));
        Matcher plan = Pattern.compile("(?ms)^`push` prints a plan.*?^```text\n(.*?)^```$").matcher(Files.readString(DOCUMENT));
        assertTrue(plan.find());
        int blocks = 0;
        while (part.find()) {
            if (part.group(1) != null) {
                check(headings);
                headings.add(part.group(1));
                continue;
            }
            blocks++;
            String block = part.group(2).replace("http://127.0.0.1:8080", url());
            Result result = run(folder, Map.of(), "sh", "-c", "set -e\n. " + state + "\n" + block
                    + "{ export -p; printf 'cd \"%s\"\\n' \"$PWD\"; } > " + state);
            assertEquals(0, result.code, () -> headings + "\n" + block + result.log);
            if (headings.get(headings.size() - 1).equals("A first push")) {
                assertTrue(result.log.contains(plan.group(1).replace("http://127.0.0.1:8080", url())), result.log);
            }
        }
        check(headings);
        assertTrue(blocks >= 10, blocks + " blocks");
        assertEquals(0, Pattern.compile("(?m)^```(?!sh$|text$|$)").matcher(Files.readString(DOCUMENT)).results().count(), "blocks that are not run");
    }

    /** Checks the result after the last section. */
    private void check(List<String> headings) throws IOException {
        boolean isWarm = servedIfCloned("staging").contains("See you soon");
        switch (headings.isEmpty() ? "" : headings.get(headings.size() - 1)) {
            case "A first push" -> assertEquals("<h1>Welcome, {{name}}!</h1> true", served("production").lines().filter(line -> line.startsWith("<h1>")).findFirst().orElseThrow()
                    + " " + served("staging").equals(served("production")));
            case "Fetch an email", "A pull request" -> assertFalse(isWarm);
            case "A merge goes to staging" -> assertTrue(isWarm && !served("production").contains("See you soon"));
            case "A tag goes to production" -> assertTrue(served("production").contains("See you soon"));
            case "Roll back" -> {
                assertTrue(isWarm && !served("production").contains("See you soon"));
                // somebody edits the template in Stet, somebody else in Git
                try (Db db = Db.open(folder.resolve("stet/stet-data"), false)) {
                    db.change(dao -> dao.sql().update("""
                            update templates set name = 'Renamed in Stet'
                            where id = 'welcome' and account_id = (select id from accounts where name = 'staging')"""));
                }
                shell("cd mails && echo '<p>Line of Git</p>' >> mails/templates/welcome.html && git commit -q -a -m Line");
            }
            case "Conflicts" -> {
                assertTrue(isWarm && served("staging").endsWith("<p>Line of Git</p>\n"), served("staging"));
                assertTrue(Files.readString(folder.resolve("mails/mails/templates/welcome.json")).contains("Renamed in Stet"));
                assertTrue(terminal.done("template", "list", "staging").contains("Renamed in Stet"));
                String status = terminal.done("status", "--account", "staging");
                assertTrue(status.matches("Staging \\(staging\\): 2 templates, 1 shared block\nLast push by token ci at \\S+Z: [0-9a-f]{7}\n"), status);
            }
            default -> { }
        }
    }

    /** The response, or an empty text before the document has cloned the repository. */
    private String servedIfCloned(String account) {
        return Files.exists(folder.resolve("mails")) ? served(account) : "";
    }

    // ---- the example repository

    /** Creates the example with the two files that its README names, both accounts with their tokens, and a commit on main. */
    private Path repository() throws IOException {
        for (String account : List.of("staging", "production")) {
            terminal.done("account", "add", "ada@example.com", "--name", account);
            tokens.put(account, terminal.done("token", "add", account, "ci", "--role", "editor").strip());
        }
        review = terminal.done("token", "add", "staging", "review").strip();
        Path repository = folder.resolve("mails");
        shell("cp -r stet/app/examples/mails mails && mkdir -p mails/.github/actions/stet && cp stet/" + ACTION + " mails/.github/actions/stet/"
                + " && ln -s $PWD/stet/target/stet.jar mails/stet.jar && cd mails && git init -q -b main && git add . && git commit -q -m Mails");
        return repository;
    }

    private void shell(String commands) throws IOException {
        Result result = run(folder, Map.of(), "sh", "-ec", commands);
        assertEquals(0, result.code, result.log);
    }

    private void change(String branch, String command) throws IOException {
        shell("cd mails && git switch -q -c " + branch + " && " + command + " && git commit -q -a -m Change");
    }

    private static Map<String, Object> yaml(Path file) throws IOException {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    // ---- GitHub

    /** A job's result. */
    private record Run(String job, int code, String log, String summary, String outputs, Path workspace) {
    }

    private static String expand(Object given, Map<String, String> context) {
        String value = Pattern.compile("\\$\\{\\{ (\\S+ == '.*') }}").matcher(String.valueOf(given)).replaceAll(found -> Boolean.toString(holds(found.group(1), context)));
        return EXPRESSION.matcher(value).replaceAll(found -> {
            assertNotNull(context.get(found.group(1)), "unknown: " + found.group(1));
            return Matcher.quoteReplacement(context.get(found.group(1)));
        });
    }

    /** Evaluates a condition of the form {@code a == 'b' && c != 'd'}. */
    private static boolean holds(String condition, Map<String, String> context) {
        return Stream.of(condition.split(" && ")).allMatch(each -> {
            MatchResult parts = Pattern.compile("([a-z_.]+) ([!=])= '(.*)'").matcher(each).results().findFirst().orElseThrow();
            return parts.group(2).equals("=") == context.getOrDefault(parts.group(1), "").equals(parts.group(3));
        });
    }

    /** Runs each job of the workflow if its condition holds. @param secrets whether the event has access to secrets */
    private List<Run> github(Map<String, String> event, boolean secrets) throws IOException {
        return github(yaml(WORKFLOW), event, secrets);
    }

    private List<Run> github(Map<String, Object> workflow, Map<String, String> event, boolean secrets) throws IOException {
        List<Run> runs = new ArrayList<>();
        for (Map.Entry<String, Object> entry : map(workflow.get("jobs")).entrySet()) {
            Map<String, Object> job = map(entry.getValue());
            Map<String, String> context = new HashMap<>(Map.of("github.sha", "0123456789abcdef", "github.ref_type", "branch", "github.token", "ghs_secret", "vars.STET_SERVER", url()));
            context.putAll(event);
            if (holds((String) job.get("if"), context)) {
                String environment = expand(job.getOrDefault("environment", ""), context);
                context.put("secrets.STET_TOKEN", secrets ? tokens.getOrDefault(environment, "") : "");
                context.put("secrets.STET_REVIEW_TOKEN", secrets ? review : "");
                tokens.forEach((account, token) -> context.put("secrets.STET_TOKEN_" + account.toUpperCase(Locale.ROOT), token));
                runs.add(job(entry.getKey(), list(job.get("steps")), context));
            }
        }
        return runs;
    }

    private Run job(String name, List<Object> steps, Map<String, String> context) throws IOException {
        Path workspace = folder.resolve("work/" + System.nanoTime());
        Run run = null;
        for (Object each : steps) {
            Map<String, Object> step = map(each);
            switch ((String) step.getOrDefault("uses", "run")) {
                case "run" -> run = shellStep(name, step, workspace, context);
                case "actions/checkout@v4" -> shell("git clone -q mails " + workspace);
                case "./.github/actions/stet" -> run = action(name, workspace, map(step.get("with")), context);
                case "actions/upload-artifact@v4" -> assertTrue(Files.exists(workspace.resolve(map(step.get("with")).get("path") + "/index.html")));
                default -> throw new AssertionError(step);
            }
        }
        return run;
    }

    /** Runs a step's own code. Installs the npm client of this repository instead of what {@code npm ci} would download. */
    private Run shellStep(String name, Map<String, Object> step, Path workspace, Map<String, String> context) throws IOException {
        if (step.get("run").equals("npm ci")) {
            Files.createSymbolicLink(Files.createDirectories(workspace.resolve("node_modules/.bin")).resolve("stet-cli"), Path.of("app/clients/cli/stet.mjs").toAbsolutePath());
            return null;
        }
        Map<String, String> environment = new HashMap<>(Map.of("GITHUB_SHA", context.get("github.sha"), "GITHUB_REF_NAME", context.get("github.ref_name")));
        map(step.get("env")).forEach((variable, value) -> environment.put(variable, expand(value, context)));
        Result result = run(workspace, environment, "bash", "-e", "-c", (String) step.get("run"));
        return new Run(name, result.code, result.log, "", "", workspace);
    }

    /** Runs the composite action's step like the runner does. */
    private Run action(String name, Path workspace, Map<String, Object> with, Map<String, String> context) throws IOException {
        Map<String, Object> action = yaml(workspace.resolve(".github/actions/stet/action.yml"));
        Map<String, Object> declared = map(action.get("inputs"));
        assertTrue(declared.keySet().containsAll(with.keySet()), with.toString());
        Map<String, String> inputs = new HashMap<>();
        declared.forEach((input, description) -> {
            assertTrue(with.containsKey(input) || !Boolean.TRUE.equals(map(description).get("required")), input);
            inputs.put("inputs." + input, expand(with.getOrDefault(input, map(description).get("default")), context));
        });
        Map<String, Object> step = map(list(map(action.get("runs")).get("steps")).get(0));
        Path temporary = Files.createDirectories(folder.resolve("runner/" + System.nanoTime()));
        Map<String, String> environment = new TreeMap<>(Map.of("RUNNER_TEMP", temporary.toString(), "GITHUB_STEP_SUMMARY", temporary + "/summary",
                "GITHUB_OUTPUT", temporary + "/outputs", "GITHUB_REPOSITORY", "ada/mails", "GITHUB_ACTIONS", "true", "CI", "true"));
        map(step.get("env")).forEach((variable, value) -> environment.put(variable, expand(value, inputs)));
        for (String file : List.of("summary", "outputs")) {
            Files.writeString(temporary.resolve(file), "");
        }
        assertEquals("bash", step.get("shell"));
        Path script = Files.writeString(temporary.resolve("script.sh"), (String) step.get("run"));
        Result result = run(workspace, environment, "bash", "--noprofile", "--norc", "-eo", "pipefail", script.toString());
        return new Run(name, result.code, result.log, Files.readString(temporary.resolve("summary")), Files.readString(temporary.resolve("outputs")),
                workspace);
    }

    private Run one(String job, int code, List<Run> runs) {
        assertEquals(List.of(job), runs.stream().map(Run::job).toList());
        assertEquals(code, runs.get(0).code, runs.get(0).log);
        return runs.get(0);
    }

    /** One journey, as each part needs the state of the one before: a first push, a pull request, its end, a merge, a tag, a rollback, an error. */
    @Test
    void theExampleWorksOnGitHub() throws IOException {
        repository();
        Map<String, String> main = Map.of("github.event_name", "push", "github.ref", "refs/heads/main", "github.ref_name", "main");
        Map<String, String> tag = Map.of("github.event_name", "push", "github.ref", "refs/tags/v1", "github.ref_type", "tag",
                "github.ref_name", "v1\"; touch hacked; `touch hacked` $(touch hacked) '; touch hacked; '");
        Map<String, String> request = Map.of("github.event_name", "pull_request", "github.event.action", "synchronize", "github.event.number", "17",
                "github.ref", "refs/pull/17/merge");
        Map<String, String> close = new HashMap<>(request);
        close.put("github.event.action", "closed");

        one("staging", 0, github(main, true));
        Run production = one("production", 0, github(tag, true));
        assertFalse(Files.exists(production.workspace.resolve("hacked")));
        String first = served("production");
        assertEquals(first, served("staging"));

        change("warmer", "sed -i 's/is ready[.]/is ready. See you soon./' mails/templates/welcome.html");
        Run plan = one("review", 0, github(request, true));
        assertEquals("changes=true\n", plan.outputs);
        String markdown = "**`staging at " + url() + "`**, a dry run\n\n- [Preview of `welcome`](LINK)\n- `welcome` changes\n- `welcome` is published\n\n1 unchanged\n";
        assertEquals("<!-- stet -->\n" + markdown, comment().replaceFirst("\\(http[^)]*\\)", "(LINK)"));
        assertTrue(plan.summary.replaceFirst("\\(http[^)]*\\)", "(LINK)").endsWith(markdown), plan.summary);
        assertEquals("200 true", review());
        String written = comment();
        one("review", 0, github(request, true));
        assertEquals(written, comment());
        assertEquals(List.of("api --silent repos/ada/mails/issues/17/comments -F body=@", "api --silent --method PATCH repos/ada/mails/issues/comments/41 -F body=@"),
                Files.readAllLines(folder.resolve("gh")).stream().filter(line -> line.contains("body=@")).map(line -> line.replaceFirst("body=@.*", "body=@")).toList());
        Files.createFile(folder.resolve("forbidden"));
        assertTrue(one("review", 0, github(request, true)).log.contains("\n::warning::The comment cannot be written. Does the job have the permission pull-requests: write?\n"));
        Files.delete(folder.resolve("forbidden"));
        assertTrue(Files.readString(plan.workspace.resolve("gallery/welcome.ada.html")).contains("See you soon."));
        assertEquals(first, served("staging"));
        assertTrue(one("review", 0, github(request, false)).summary.endsWith("There is no token, so there is no plan.\n"));

        assertTrue(one("closed", 0, github(close, true)).log.contains("staging at " + url() + ": previews of 1 email ended\n"));
        assertEquals("422 false", review());
        assertEquals(ENDED, comment());
        one("closed", 0, github(close, false));
        Files.delete(folder.resolve("comment"));
        one("closed", 0, github(close, true));
        assertFalse(Files.exists(folder.resolve("comment")), "no new comment says so");
        one("staging", 0, github(main, true));
        assertEquals("true true", served("staging").contains("See you soon.") + " " + served("production").equals(first));
        one("production", 0, github(tag, true));
        assertEquals(served("staging"), served("production"));
        assertEquals("", one("review", 0, github(request, true)).outputs);
        assertEquals("<!-- stet -->\n**`staging at " + url() + "`**, a dry run\n\n2 unchanged\n", comment());

        Map<String, String> rollback = new HashMap<>(Map.of("github.event_name", "workflow_dispatch", "github.ref", "refs/heads/main",
                "github.actor", "ada", "inputs.account", "production", "inputs.template", "welcome"));
        one("rollback", 0, github(rollback, true));
        assertEquals("true true", served("staging").contains("See you soon.") + " " + served("production").equals(first));
        rollback.put("inputs.template", "--server=" + url());
        one("rollback", 1, github(rollback, true));

        change("broken", "echo '{{#if a}}' >> mails/templates/welcome.html");
        Run broken = one("review", 1, github(request, true));
        assertTrue(broken.summary.contains("templates/welcome.html: line 10: \"{{#if a}}\" is not closed"), broken.summary);
        assertEquals("<!-- stet -->\nThe push would fail. The log of the job has the reason.\n", comment());
        assertTrue(broken.log.contains("\n::error file=mails/templates/welcome.html,line=10::"), broken.log);
        one("staging", 1, github(main, true));
        noSecretShows();
    }

    private String comment() throws IOException {
        return Files.readString(folder.resolve("comment"));
    }

    /** Opens the link in the comment, or in the plan on GitLab. @return the status, and whether the email is the changed one */
    private String review() throws IOException {
        Path file = folder.resolve("comment");
        Matcher link = Pattern.compile("/review#(\\w+)").matcher(Files.readString(file));
        assertTrue(link.find() || lastLink != null);
        lastLink = link.reset().find() ? link.group(1) : lastLink;
        String body = "{\"secret\":\"" + lastLink + "\",\"compare\":true}";
        try (Client client = new Client(server.address)) {
            Client.Reply reply = client.write(client.request("POST", "/data/review", null, "Content-Type: application/json", "Content-Length: " + body.length()) + body).read(false);
            return reply.status() + " " + reply.text().contains("See you soon.");
        }
    }

    private void noSecretShows() throws IOException {
        String processes = Files.readString(folder.resolve("processes"));
        assertTrue(processes.contains("stet.jar push mails"));
        assertFalse(processes.contains("stet_deploy_"));
        try (Stream<Path> files = Files.walk(folder.resolve("runner"))) {
            for (Path file : files.filter(Files::isRegularFile).filter(file -> !file.toString().endsWith(".jar")).toList()) {
                assertFalse(Files.readString(file).contains("stet_deploy_"), file.toString());
            }
        }
    }

    /** The workflow on the page of the npm package, for a team without Java. */
    @Test
    void theWorkflowOfTheNpmPackageWorks() throws IOException {
        Machine.has("node", "npx");
        Path repository = repository();
        Matcher page = Pattern.compile("(?s)```yaml\n(.*?)```").matcher(Files.readString(Path.of("app/docs/npm.md")));
        assertTrue(page.find());
        Map<String, Object> workflow = new Yaml(new SafeConstructor(new LoaderOptions())).load(page.group(1));
        Files.delete(repository.resolve("stet.jar"));
        Files.writeString(repository.resolve("stet.json"), "{\"targets\": {\"staging\": {\"server\": \"" + url() + "\", \"account\": \"staging\", \"tokenVariable\": \"STET_TOKEN_STAGING\"},"
                + " \"production\": {\"server\": \"" + url() + "\", \"account\": \"production\", \"tokenVariable\": \"STET_TOKEN_PRODUCTION\"}}}");
        shell("cd mails && git add -A && git commit -q -m 'Without Java'");
        Map<String, String> main = Map.of("github.event_name", "push", "github.ref", "refs/heads/main", "github.ref_name", "main");
        Map<String, String> tag = Map.of("github.event_name", "push", "github.ref", "refs/tags/v1", "github.ref_type", "tag", "github.ref_name", "v1");
        Map<String, String> request = new HashMap<>(Map.of("github.event_name", "pull_request", "github.event.action", "opened", "github.event.number", "17",
                "github.ref", "refs/pull/17/merge", "github.ref_name", "17/merge"));

        one("staging", 0, github(workflow, main, true));
        one("production", 0, github(workflow, tag, true));
        String first = served("production");
        change("warmer", "sed -i 's/is ready[.]/is ready. See you soon./' mails/templates/welcome.html");
        assertEquals("changes=true\n", one("review", 0, github(workflow, request, true)).outputs);
        assertTrue(comment().contains("- [Preview of `welcome`](" + url() + "/review#"), comment());
        assertEquals("200 true", review());
        request.put("github.event.action", "closed");
        one("review", 0, github(workflow, request, true));
        assertEquals("422 false", review());
        assertEquals(ENDED, comment());
        one("staging", 0, github(workflow, main, true));
        assertEquals("true true", served("staging").contains("See you soon.") + " " + served("production").equals(first));
        one("production", 0, github(workflow, tag, true));
        assertEquals(served("staging"), served("production"));
        assertFalse(Files.readString(folder.resolve("processes")).contains("stet_deploy_"));
    }

    /** GitHub cancels a waiting job if a newer one of the same group arrives. */
    @Test
    void noTagCancelsAWaitingRollback() throws IOException {
        Map<String, Object> jobs = map(yaml(WORKFLOW).get("jobs"));
        assertEquals("stet-production", map(jobs.get("production")).get("concurrency"));
        assertFalse(map(jobs.get("rollback")).containsKey("concurrency"));
        assertFalse(yaml(WORKFLOW).containsKey("concurrency"));
    }

    /** GitHub pastes expressions into an action's script, so scripts receive user input only through variables. */
    @Test
    void noScriptHasExpressions() throws IOException {
        for (Path file : List.of(ACTION, WORKFLOW)) {
            assertEquals(List.of(), runs(yaml(file)).filter(script -> script.contains("${{")).toList());
        }
        assertEquals(1, runs(yaml(ACTION)).count());
        assertEquals(0, runs(yaml(WORKFLOW)).count());
    }

    private static Stream<String> runs(Object node) {
        if (node instanceof Map<?, ?> map) {
            return map.entrySet().stream().flatMap(each -> each.getKey().equals("run") ? Stream.of((String) each.getValue()) : runs(each.getValue()));
        }
        return node instanceof List<?> list ? list.stream().flatMap(PipelineTest::runs) : Stream.of();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a jar from elsewhere          | jar=FILE; jar-sha256=SHA                            | 0 | = 2 unchanged
            another jar than was meant    | jar=FILE; jar-sha256=0000                           | 1 | sha256sum
            the npm package               | jar=none.jar; npm=true                              | 0 | = 2 unchanged
            a folder that npm does not find| npm=true; directory=elsewhere                       | 1 | Folder elsewhere not found
            no jar                        | jar=none.jar                                        | 1 | none.jar
            what a shell would read       | note=$(touch hacked); directory=`touch hacked`      | 1 | Folder `touch hacked` not found
            a word that is no flag        | publish=yes                                         | 1 | STET_PUBLISH must be true or false, but is "yes"
            a rollback and a dry run      | rollback=welcome; dry-run=true                      | 1 | cannot be a dry run
            no token                      | token=                                              | 1 | Set a deploy token with
            """)
    void theActionEndsAsItsInputsSay(String name, String given, int code, String log) throws Exception {
        Map<String, Object> with = pushed(repository());
        if (given.contains("jar=FILE")) {
            Machine.has("curl");
        }
        Path repository = folder.resolve("mails");
        if (given.contains("npm=true")) {
            Machine.has("node");
            Files.createSymbolicLink(Files.createDirectories(repository.resolve("node_modules/.bin")).resolve("stet-cli"), Path.of("app/clients/cli/stet.mjs").toAbsolutePath());
        }
        Path jar = repository.resolve("stet.jar");
        String sha = FilesDigest.hex(Secret.sha256(Files.readAllBytes(jar)));
        for (String each : given.split("; ?")) {
            with.put(each.split("=")[0], each.substring(each.indexOf('=') + 1).replace("FILE", jar.toUri().toString()).replace("SHA", sha));
        }
        assertEnds(code, log, action("push", repository, with, Map.of("github.sha", "1", "github.token", "")));
    }

    /** Users choose account names, so the runner must not treat a name as a command. */
    @Test
    void aConflictInAnAccountNamedLikeACommandOnlyFails() throws Exception {
        Map<String, Object> with = pushed(repository());
        terminal.done("account", "rename", "staging", "::error::staging");
        try (Db db = Db.open(folder.resolve("stet/stet-data"), false)) {
            db.change(dao -> dao.sql().update("update templates set name = name || ' of here'"));
        }
        assertEnds(1, "! template welcome was changed in Stet", action("push", folder.resolve("mails"), with, Map.of("github.sha", "1", "github.token", "")));
    }

    /** Pushes the repository to staging. @return the inputs of the action that did it */
    private Map<String, Object> pushed(Path repository) throws IOException {
        Map<String, Object> with = new LinkedHashMap<>(Map.of("server", url(), "token", tokens.get("staging"), "publish", "true"));
        assertEquals(0, action("push", repository, with, Map.of("github.sha", "1", "github.token", "")).code);
        return with;
    }

    /** @param log a part of the run's log, in which the runner finds no commands */
    private static void assertEnds(int code, String log, Run run) {
        assertEquals(code, run.code, run.log);
        assertTrue(run.log.contains(log), run.log);
        assertFalse(Files.exists(run.workspace.resolve("hacked")));
        Matcher quoted = Pattern.compile("(?s)::stop-commands::([0-9a-f]{32})\n.*?\n::\\1::\n").matcher(run.log);
        assertFalse(quoted.replaceAll("").contains("::"), run.log);
    }

    // ---- GitLab

    /** Evaluates a condition of the form {@code $A == "x" && $B =~ /^v/ && $C}. */
    private static boolean applies(String rule, Map<String, String> variables) {
        return Stream.of(rule.split(" && ")).allMatch(each -> {
            String[] parts = each.split(" ");
            String value = variables.getOrDefault(parts[0].substring(1), "");
            return parts.length == 1 ? !value.isEmpty() : parts[1].equals("=~") ? Pattern.compile(parts[2].replace("/", "")).matcher(value).find()
                    : value.equals(parts[2].startsWith("$") ? variables.get(parts[2].substring(1)) : parts[2].replace("\"", ""));
        });
    }

    private static String substitute(Object text, Map<String, String> variables) {
        return Pattern.compile("\\$([A-Z_]+)").matcher(String.valueOf(text)).replaceAll(found ->
                Matcher.quoteReplacement(variables.getOrDefault(found.group(1), "")));
    }

    /** Runs the scripts in a pipeline's jobs. @return exit codes by job name */
    private Map<String, Integer> gitlab(Map<String, String> predefined) throws IOException {
        return gitlab(predefined, false);
    }

    /** @param manual whether to run the jobs that a user, or the end of an environment, starts instead of the others */
    private Map<String, Integer> gitlab(Map<String, String> predefined, boolean manual) throws IOException {
        Map<String, Object> file = yaml(folder.resolve("mails/.gitlab-ci.yml"));
        Map<String, Integer> codes = new LinkedHashMap<>();
        for (Map.Entry<String, Object> entry : file.entrySet()) {
            Map<String, Object> job = entry.getValue() instanceof Map<?, ?> ? map(entry.getValue()) : Map.of();
            Map<String, String> variables = new HashMap<>(Map.of("CI_DEFAULT_BRANCH", "main", "CI_COMMIT_SHORT_SHA", "01234567", "STET_SERVER", url(),
                    "STET_REVIEW_TOKEN", review));
            variables.putAll(predefined);
            if (job.containsKey("script") && list(job.get("rules")).stream().anyMatch(rule -> applies((String) map(rule).get("if"), variables)
                    && "manual".equals(map(rule).get("when")) == manual)) {
                assertTrue(list(map(file.get("workflow")).get("rules")).stream().anyMatch(rule -> applies((String) map(rule).get("if"), variables)));
                String environment = substitute(job.get("environment") instanceof Map<?, ?> some ? some.get("name") : job.getOrDefault("environment", ""), variables);
                variables.put("STET_TOKEN", tokens.getOrDefault(environment, ""));
                Stream.of(map(file.get("variables")), map(job.get("variables"))).forEach(some ->
                        some.forEach((name, value) -> variables.put(name, substitute(value, variables))));
                Result result = run(folder.resolve("mails"), variables, "sh", "-ec",
                        String.join("\n", list(job.get("script")).stream().map(String::valueOf).toList()));
                assertFalse(result.log.contains("stet_deploy_"), result.log);
                boolean isAllowed = Integer.valueOf(result.code).equals(map(job.get("allow_failure")).get("exit_codes"));
                assertTrue(result.code == 0 || result.code == 1 || isAllowed, result.log);
                codes.put(entry.getKey(), result.code);
            }
        }
        return codes;
    }

    /** The plan becomes one note, which later pipelines and the end of the links edit, even if it is on the second page. */
    private void notes(Map<String, String> request) throws IOException {
        List<String> requests = new CopyOnWriteArrayList<>();
        HttpServer gitlab = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        gitlab.createContext("/", exchange -> {
            String body = URLDecoder.decode(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            boolean isFirst = requests.stream().noneMatch(each -> each.startsWith("POST"));
            String uri = exchange.getRequestURI().toString();
            requests.add(exchange.getRequestMethod() + " " + uri + " " + exchange.getRequestHeaders().getFirst("Private-Token")
                    + body.replaceAll("(?s)=(<!-- stet-plan -->).*?(Preview of `welcome`|have ended).*", " $1 $2"));
            String note = uri.endsWith("&page=2") ? "{\"id\":9,\"type\":null,\"body\":\"\\u003c!-- stet-plan --\\u003e\\n{{x}}\"}"
                    : "{\"id\":8,\"type\":null,\"body\":\"Looks fine\",\"author\":{\"id\":1}}";
            byte[] list = ("[" + note + "]").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("X-Next-Page", isFirst || uri.endsWith("&page=2") ? "" : "2");
            exchange.sendResponseHeaders(200, list.length);
            exchange.getResponseBody().write(list);
            exchange.close();
        });
        gitlab.start();
        try {
            Map<String, String> more = new HashMap<>(request);
            more.putAll(Map.of("GITLAB_TOKEN", "glpat-1", "CI_API_V4_URL", "http://127.0.0.1:" + gitlab.getAddress().getPort() + "/api/v4"));
            assertEquals(Map.of("review", 4), gitlab(more));
            assertEquals(Map.of("review", 4), gitlab(more));
            assertEquals(Map.of("closed", 0), gitlab(more, true));
        } finally {
            gitlab.stop(0);
        }
        String path = "/api/v4/projects/7/merge_requests/5/notes";
        String first = "GET " + path + "?per_page=100&page=1 glpat-1";
        String second = "GET " + path + "?per_page=100&page=2 glpat-1";
        assertEquals(List.of(first, "POST " + path + " glpat-1body <!-- stet-plan --> Preview of `welcome`",
                first, second, "PUT " + path + "/9 glpat-1body <!-- stet-plan --> Preview of `welcome`",
                first, second, "PUT " + path + "/9 glpat-1body <!-- stet-plan --> have ended"), requests);
        assertFalse(Files.readString(folder.resolve("processes")).contains("glpat-1"));
    }

    /** The same journey as on GitHub. */
    @Test
    void theExampleWorksOnGitLab() throws IOException {
        repository();
        Map<String, String> main = Map.of("CI_PIPELINE_SOURCE", "push", "CI_COMMIT_BRANCH", "main");
        Map<String, String> tag = Map.of("CI_PIPELINE_SOURCE", "push", "CI_COMMIT_TAG", "v1");
        Map<String, String> request = new HashMap<>(Map.of("CI_PIPELINE_SOURCE", "merge_request_event", "CI_MERGE_REQUEST_IID", "5", "CI_PROJECT_ID", "7"));

        assertEquals(Map.of("staging", 0), gitlab(main));
        assertEquals(Map.of("production", 0), gitlab(tag));
        String first = served("production");
        change("warmer", "sed -i 's/is ready[.]/is ready. See you soon./' mails/templates/welcome.html");
        assertEquals(Map.of("review", 4), gitlab(request));
        assertTrue(Files.readString(folder.resolve("mails/gallery/welcome.ada.html")).contains("See you soon."));
        assertEquals(first, served("staging"));
        Files.copy(folder.resolve("mails/plan.md"), folder.resolve("comment"));
        assertEquals("200 true", review());
        notes(request);
        assertEquals("422 false", review());
        assertEquals(Map.of("closed", 0), gitlab(request, true));
        assertEquals("422 false", review());
        shell("cd mails && rm -f note.md plan.md ended.md");
        assertEquals(Map.of("staging", 0), gitlab(main));
        assertEquals(Map.of("production", 0), gitlab(tag));
        assertEquals(Map.of("review", 0), gitlab(request));
        assertTrue(served("production").contains("See you soon."));
        assertEquals(Map.of("rollback", 0), gitlab(Map.of("CI_PIPELINE_SOURCE", "web", "CI_COMMIT_BRANCH", "main", "GITLAB_USER_LOGIN", "ada",
                "ACCOUNT", "production", "TEMPLATE", "welcome")));
        assertEquals("true true", served("staging").contains("See you soon.") + " " + served("production").equals(first));
        change("broken", "echo '{{#if a}}' >> mails/templates/welcome.html");
        assertEquals(Map.of("review", 1), gitlab(request));
        assertFalse(Files.readString(folder.resolve("processes")).contains("stet_deploy_"));
    }
}
