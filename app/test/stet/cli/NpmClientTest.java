package stet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stet.base.Json;
import stet.core.Account;
import stet.core.Plan;
import stet.core.Role;
import stet.harness.Running;
import stet.harness.Terminal;

/**
 * The npm client and the Java program do the same: each case of app/test/cli/cases.json runs with both, each on its own account of a real
 * service. Exit codes and output must be as in the table, and both must leave the same folder and the same account.
 */
@Tag("jar")
class NpmClientTest {
    private static final Path CASES = Path.of("app/test/cli/cases.json");
    private static final Path BROKEN = Path.of("app/test/cli/broken.json");
    private static final Pattern SENDING = Pattern.compile("Sending (\\d+) bytes");

    private static NpmClient client;

    @TempDir
    Path folder;

    @BeforeAll
    static void open() {
        client = new NpmClient();
    }

    @AfterAll
    static void close() {
        if (client != null) {
            client.close();
        }
    }

    /** One of the two clients, with a service and an account of its own. */
    private final class Side implements AutoCloseable {
        final Path home;
        final boolean isNpm;
        final Running stet;
        final Terminal terminal;
        final Account account;
        final List<Long> sent = new ArrayList<>();
        private int accounts;

        Side(String name) throws IOException {
            home = Files.createDirectories(folder.resolve(name));
            isNpm = name.equals("npm");
            stet = new Running(home.resolve("data"));
            terminal = new Terminal(home.resolve("data"));
            account = add("ada");
        }

        /** Adds an account with an editor's token EDITOR and a writer's token WRITER, or those names with the account's number. */
        private Account add(String name) {
            Account added = stet.account(name + "@example.com", Plan.PRO);
            String number = accounts++ == 0 ? "" : Integer.toString(accounts);
            stet.db.change(dao -> {
                dao.tokens().add(added, "ci", Role.EDITOR, token("EDITOR" + number), null, stet.now());
                dao.tokens().add(added, "review", Role.WRITER, token("WRITER" + number), null, stet.now());
            });
            return added;
        }

        private static String token(String name) {
            return "stet_deploy_" + name;
        }

        private String url() {
            return "http://127.0.0.1:" + stet.server.address().getPort();
        }

        /** Replaces the names that stand for places in the table. */
        private String placed(String text) {
            return text.replace("DIR", home.resolve("mails").toString()).replace("URL", url()).replaceAll("\\b(EDITOR|WRITER)", "stet_deploy_$1");
        }

        private String named(String text) {
            Matcher sending = SENDING.matcher(text);
            while (sending.find()) {
                sent.add(Long.parseLong(sending.group(1)));
            }
            return sending.replaceAll("Sending BYTES bytes").replace(home.resolve("mails").toString(), "DIR").replace(url(), "URL")
                    .replace("stet_deploy_EDITOR", "EDITOR").replaceAll("/review#\\w+", "/review#SECRET");
        }

        private Terminal.Result run(List<String> words, Map<String, String> environment) {
            Map<String, String> variables = new HashMap<>(Map.of("STET_TOKEN", token("EDITOR")));
            variables.putAll(environment);
            String[] arguments = words.stream().map(this::placed).toArray(String[]::new);
            Terminal.Result result;
            if (isNpm) {
                result = client.run(terminal.clock::instant, variables, arguments);
            } else {
                terminal.environment.clear();
                terminal.environment.putAll(variables);
                result = terminal.run(arguments);
            }
            return new Terminal.Result(result.code(), named(result.out()), named(result.err()));
        }

        /** Performs a step; a run gets its result. */
        void step(JsonNode step, List<ObjectNode> results) throws IOException {
            Path mails = home.resolve("mails");
            for (Map.Entry<String, JsonNode> field : step.properties()) {
                JsonNode value = field.getValue();
                switch (field.getKey()) {
                    case "files" -> {
                        for (Map.Entry<String, JsonNode> file : value.properties()) {
                            Path path = mails.resolve(file.getKey());
                            Files.deleteIfExists(path);
                            if (!file.getValue().isNull()) {
                                Files.createDirectories(path.getParent());
                                Files.write(path, bytes(placed(text(file.getValue()))));
                            }
                        }
                    }
                    case "link" -> Files.createSymbolicLink(mails.resolve(value.asText()), Path.of("elsewhere"));
                    case "account" -> add(value.asText());
                    case "save" -> stet.draft(account, value.get(0).asText(), value.get(1).asText(), value.get(2).asText(), value.get(3).asText());
                    case "block" -> stet.block(account, value.get(0).asText(), value.get(1).asText());
                    case "image" -> stet.image(account, value.get(0).asText(), bytes(value.get(1).asText()));
                    case "publish" -> stet.publish(account, value.asText());
                    case "label" -> stet.db.change(dao -> dao.accounts().setLabel(account, value.asText(), null, stet.now()));
                    case "run" -> results.add(result(step));
                    default -> { }
                }
            }
        }

        private ObjectNode result(JsonNode step) {
            List<String> words = new ArrayList<>();
            step.get("run").forEach(word -> words.add(word.asText()));
            Map<String, String> environment = new HashMap<>();
            step.path("variables").properties().forEach(each -> environment.put(each.getKey(), placed(each.getValue().asText())));
            Terminal.Result result = run(words, environment);
            return Json.object().put("code", result.code()).put("out", result.out()).put("err", result.err());
        }

        /** All files in the folder, by path; also what the account has, as an export writes it. */
        SortedMap<String, String> files() throws IOException {
            Path exported = home.resolve("exported");
            terminal.environment.clear();
            terminal.environment.put("STET_DATA", home.resolve("data").toString());
            SortedMap<String, String> files = new TreeMap<>(Map.of("list", terminal.done("template", "list", "ada@example.com", "--json"),
                    "state", terminal.done("status", "--account", "ada@example.com", "--json"), "export", terminal.run("export", exported.toString(), "--account", "ada@example.com").out()));
            for (Path part : List.of(home.resolve("mails"), exported)) {
                try (Stream<Path> all = Files.exists(part) ? Files.walk(part) : Stream.empty()) {
                    for (Path file : all.filter(Files::isRegularFile).toList()) {
                        files.put(home.relativize(file).toString(), named(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)));
                    }
                }
            }
            return files;
        }

        @Override
        public void close() {
            stet.close();
        }
    }

    /** A file's text; of a long file, each part with the number of its repetitions. */
    private static String text(JsonNode file) {
        StringBuilder text = new StringBuilder(file.isArray() ? "" : file.asText());
        for (JsonNode part : file.isArray() ? file : Json.object()) {
            text.append(part.get(0).asText().repeat(part.get(1).asInt()));
        }
        return text.toString();
    }

    /** Characters up to U+00FF after "bytes:" are bytes, for files that are not UTF-8. */
    private static byte[] bytes(String text) {
        return text.startsWith("bytes:") ? text.substring(6).getBytes(StandardCharsets.ISO_8859_1) : text.getBytes(StandardCharsets.UTF_8);
    }

    static Stream<JsonNode> cases() throws IOException {
        List<JsonNode> cases = new ArrayList<>();
        Json.document(Files.readString(CASES)).get("cases").forEach(cases::add);
        assertTrue(cases.size() >= 60, cases.size() + " cases");
        return cases.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void bothClientsDoTheSame(JsonNode given) throws IOException {
        try (Side java = new Side("java"); Side npm = new Side("npm")) {
            List<ObjectNode> ofJava = new ArrayList<>();
            List<ObjectNode> ofNpm = new ArrayList<>();
            int runs = 0;
            for (JsonNode step : given.get("steps")) {
                java.step(step, ofJava);
                npm.step(step, ofNpm);
                if (step.has("run")) {
                    String name = given.get("name").asText() + ", run " + ++runs;
                    ObjectNode expected = Json.object().put("code", step.path("code").asInt()).put("out", step.path("out").asText())
                            .put("err", step.path("err").asText());
                    assertEquals(lines(ofJava.get(runs - 1)), lines(ofNpm.get(runs - 1)), name);
                    assertEquals(lines(expected), lines(ofJava.get(runs - 1)), name);
                }
            }
            assertEquals(java.sent.size(), npm.sent.size());
            for (int i = 0; i < java.sent.size(); i++) { // the two compress differently
                assertTrue(Math.abs(java.sent.get(i) - npm.sent.get(i)) <= 200 + java.sent.get(i) / 10, java.sent + " " + npm.sent);
            }
            assertEquals(java.files(), npm.files(), given.get("name").asText());
        }
    }

    private static String lines(ObjectNode result) {
        return result.get("code").asInt() + "\n" + result.get("out").asText() + "----\n" + result.get("err").asText();
    }

    /** The program itself exits with the code, and finds stet.json in the working directory, as commands without a folder need it. */
    @Test
    void theProgramReturnsTheExitCodeAndFindsItsConfiguration() throws IOException, InterruptedException {
        try (Side npm = new Side("npm")) {
            npm.step(Json.object().set("files", Json.object().put("templates/a.html", "<p>{{a}}</p>").put("stet.json",
                    "{\"targets\": {\"here\": {\"server\": \"URL\", \"account\": \"ada@example.com\"}}}")), new ArrayList<>());
            assertEquals("0 ada@example.com at URL:\n+ a\n^ a published; needs a\n? Warning: templates/a.json: \"subject\": the subject is empty\n= 0 unchanged\n", process(npm, "push", ".", "--to", "here", "--publish"));
            Files.writeString(npm.home.resolve("mails/templates/b.html"), "x");
            assertEquals("4 ada@example.com at URL, a dry run:\n+ b\n= 1 unchanged\n", process(npm, "push", ".", "--to", "here", "--dry-run", "--exit-code"));
            Files.delete(npm.home.resolve("mails/templates/b.html"));
            assertEquals("0 ada@example.com at URL: 1 template, 0 shared blocks\nLast push by token ci at 2026-01-31T09:00:00.000Z\n", process(npm, "status", "--on", "here"));
            assertEquals("1 ", process(npm, "rollback", "a", "--on", "here", "--to", "7"));
            assertEquals("1 ", process(npm, "status", "--on", "there"));
            assertEquals("0 Stet 1.0.0\n", process(npm, "version"));
        }
    }

    /** Names that are no UTF-8 are rejected or ignored as other names are. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
        "templates/\\377.html           | 1 | templates/\ufffd.html: The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit",
        "templates/a\\377b.json         | 1 | templates/a\ufffdb.json: The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit",
        "templates/a.samples/\\377.json | 1 | templates/a.samples/\ufffd.json: The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit",
        "blocks/\\377.html              | 1 | blocks/\ufffd.html: The file name is not a valid ID; use 1 to 64 letters, digits, - and _, starting with a letter or digit",
        "\\377.txt                      | 0 | Ignored: \ufffd.txt",
        "\\377/note.txt                 | 0 | Ignored: \ufffd/",
        "notes/\\377.md                 | 0 | Ignored: notes/",
        "templates/.\\377               | 0 | Ignored: templates/.\ufffd",
    })
    void namesThatAreNotUtf8AreRejectedOrIgnored(String name, int code, String err) throws IOException, InterruptedException {
        try (Side npm = new Side("npm")) {
            Path mails = npm.home.resolve("mails");
            Path page = mails.resolve("templates/a.html");
            Files.createDirectories(page.getParent());
            Files.writeString(page, "<p>a</p>");
            Process shell = new ProcessBuilder("sh", "-c", "f=$(printf \"$1\") && mkdir -p \"$(dirname \"$f\")\" && echo '{}' > \"$f\"", "sh", name).directory(mails.toFile()).start();
            assumeTrue(shell.waitFor() == 0, "the file system has only UTF-8 names");
            Terminal.Result result = npm.run(List.of("push", "DIR", "--server", "URL", "--dry-run"), Map.of());
            assertEquals(code + " " + err + "\n", result.code() + " " + result.err().replace("Sending BYTES bytes to ada@example.com at URL\n", ""));
        }
    }

    /** Exit code and stdout. */
    private static String process(Side side, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("node", Path.of("app/clients/cli/stet.mjs").toAbsolutePath().toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).directory(side.home.resolve("mails").toFile()).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeIf(name -> name.startsWith("STET_"));
        builder.environment().put("STET_TOKEN", Side.token("EDITOR"));
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + side.named(out);
    }

    /** The npm client knows each option of the Java program, and its commands have the options that the Java program's have. */
    @Test
    void bothClientsHaveTheSameOptions() throws IOException {
        String text = Files.readString(Path.of("app/clients/cli/options.mjs"));
        Matcher all = Pattern.compile("(?s)ALL = `([^`]*)`").matcher(text);
        assertTrue(all.find());
        assertEquals(Stream.of(Option.values()).map(option -> option.word().substring(2)).toList(), List.of(all.group(1).split("\\s+")));
        for (Command command : List.of(Command.PUSH, Command.PROMOTE, Command.PULL, Command.DIFF, Command.ROLLBACK, Command.STATUS, Command.TYPES)) {
            Matcher options = Pattern.compile("\n  " + command.words() + ": .*options: \\[(.*)] }").matcher(text);
            assertTrue(options.find(), command.words());
            assertEquals(command.options().stream().map(option -> option.word().substring(2)).toList(), List.of(options.group(1)
                    .replace("...TARGET", "data, account, server, allow-http, token-file, token").replace("'", "").split(", ")), command.words());
        }
    }

    /** Test data that is not JSON is rejected with the same words and place. */
    @Test
    void bothClientsRejectBrokenJsonInTheSameWords() throws IOException {
        try (Side java = new Side("java"); Side npm = new Side("npm")) {
            List<String> differences = new ArrayList<>();
            int count = 0;
            for (JsonNode text : (ArrayNode) Json.tree(Files.readString(BROKEN))) {
                count++;
                List<ObjectNode> results = new ArrayList<>();
                for (Side side : List.of(java, npm)) {
                    side.step(Json.object().set("files", Json.object().put("templates/a.html", "").put("templates/a.samples/x.json", text.asText())), results);
                    results.add(side.result(Json.object().set("run", Json.object().arrayNode().add("push").add("DIR").add("--server").add("URL").add("--dry-run"))));
                }
                if (!lines(results.get(0)).equals(lines(results.get(1)))) {
                    differences.add(text + "\n" + lines(results.get(0)) + lines(results.get(1)));
                }
            }
            assertTrue(count >= 50, count + " texts");
            assertEquals("", String.join("\n", differences));
        }
    }
}
