package stet.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Json;

/** Generated types of real emails compile in all four languages, and an app does not once a variable is renamed. */
@Tag("slow")
class CompiledTypesTest {
    /** Folders of emails; {@code -Dstet.mails=DIR} adds more. */
    private static final List<String> FOLDERS = List.of("app/starters/templates", "app/demo/templates", "app/examples/mails/mails/templates");
    private static final String ODD = """
            {{class}} {{class_}} {{equals}} {{map}} {{def}} {{to_dict}} {{Map}} {{data}} {{Data}} {{[a"b\\c]}} {{[first name]}} {{имя}} {{名}} {{_x}} {{__y}}
            {{#each rows}}{{steps}}{{#each steps}}{{Steps}}{{/each}}{{/each}} {{#with string}}{{list}}{{/with}} {{[1]}} {{$d}} {{é}} {{wait}} {{values}}
            """;
    @TempDir
    Path folder;

    /** The emails' files, by an ID that begins with their folder's name. */
    private static Map<String, Path> mails() throws IOException {
        Map<String, Path> mails = new TreeMap<>();
        List<String> folders = new ArrayList<>(FOLDERS);
        Stream.ofNullable(System.getProperty("stet.mails")).forEach(folders::add);
        for (String each : folders) {
            try (Stream<Path> files = Files.list(Path.of(each))) {
                files.filter(file -> file.toString().endsWith(".html"))
                        .forEach(file -> mails.put(each.split("/")[1] + "-" + file.getFileName().toString().replace(".html", ""), file));
            }
        }
        return mails;
    }

    private static List<EmailType> emails() throws IOException {
        Map<String, EmailType> emails = new TreeMap<>();
        for (Map.Entry<String, Path> mail : mails().entrySet()) {
            emails.put(mail.getKey(), EmailType.of(mail.getKey(), 1, "", Files.readString(mail.getValue()), samples(mail.getValue())));
        }
        emails.put("odd", EmailType.of("odd", 1, "", ODD, List.of(Json.document("{\"rows\": [{\"steps\": [{\"Steps\": 1}]}]}"))));
        emails.put("Odd", EmailType.of("Odd", 1, "", ODD, List.of()));
        assertTrue(emails.size() >= 10, emails.keySet().toString());
        return new ArrayList<>(emails.values());
    }

    private static List<JsonNode> samples(Path mail) throws IOException {
        Path sets = mail.resolveSibling(mail.getFileName().toString().replace(".html", ".samples"));
        List<JsonNode> documents = new ArrayList<>();
        if (Files.isDirectory(sets)) {
            try (Stream<Path> files = Files.list(sets)) {
                for (Path file : files.sorted().toList()) {
                    documents.add(Json.document(Files.readString(file)));
                }
            }
        }
        return documents;
    }

    /** The types of an app's only email, with a variable of this name. */
    private static List<EmailType> renamed(String name) {
        return order(name, "");
    }

    /** @param more HTML at the end, with variables that are not in the test data */
    private static List<EmailType> order(String name, String more) {
        ObjectNode data = Json.object().put(name, "Ada").put("total", 3.5).put("vip", true);
        data.putArray("items").addObject().put("title", "Tea");
        return List.of(EmailType.of("order", 2, "", "{{" + name + "}} {{total}} {{#if vip}}VIP{{/if}} {{#each items}}{{title}}{{/each}}" + more, List.of(data)));
    }

    /** Compiles the types of all emails, then an app with the right and with a renamed variable. */
    private void compiles(Language language, String file, String appFile, String app, String... command) throws IOException, InterruptedException {
        Files.writeString(folder.resolve(file), language.write(emails(), "emails"));
        assertEquals("0 ", run(command));
        Files.writeString(folder.resolve(appFile), app);
        Files.writeString(folder.resolve(file), language.write(renamed("name"), "emails"));
        assertEquals("0 ", run(command));
        Files.writeString(folder.resolve(file), language.write(renamed("first_name"), "emails"));
        String failure = run(command);
        assertTrue(failure.matches("(?s)[1-9].*\\b[Nn]ame\\b.*"), failure);
    }

    private String run(String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(Map.of("PYTHONDONTWRITEBYTECODE", "1", "GOFLAGS", "-mod=mod", "GOCACHE", folder.resolve("cache").toString(), "GO111MODULE", "on"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + output;
    }

    /** Skips the test if the program is missing. */
    private static void needs(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            assumeTrue(process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0, command[0] + " is missing");
        } catch (IOException missing) {
            assumeTrue(false, command[0] + " is missing");
        }
    }

    @Test
    void javaTypesCompileUntilAVariableIsRenamed() throws IOException {
        String app = """
                package emails;

                class App {
                    static final java.util.Map<String, Object> DATA = Emails.orderEmail().items(java.util.List.of(Emails.orderEmailItems().title("Tea")))
                            .name("Ada").total(3.5).vip(true).map();
                }
                """;
        assertEquals("", javac(Language.JAVA.write(emails(), "emails"), "package emails;"));
        assertEquals("", javac(Language.JAVA.write(renamed("name"), "emails"), app));
        assertTrue(javac(Language.JAVA.write(renamed("first_name"), "emails"), app).contains("cannot find symbol"));
        assertTrue(javac(Language.JAVA.write(order("name", "{{new}}"), "emails"), app).contains("NeedsNew"));
    }

    private String javac(String types, String app) throws IOException {
        Path file = Files.writeString(folder.resolve("Emails.java"), types);
        Path user = Files.writeString(folder.resolve("App.java"), app);
        java.io.ByteArrayOutputStream messages = new java.io.ByteArrayOutputStream();
        ToolProvider.getSystemJavaCompiler().run(null, null, messages, "-Xlint:all", "-Werror", "--release", "17", "-d", folder.toString(), file.toString(), user.toString());
        return messages.toString(StandardCharsets.UTF_8);
    }

    @Test
    void pythonTypesCompileUntilAVariableIsRenamed() throws IOException, InterruptedException {
        needs("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 10))");
        compiles(Language.PYTHON, "emails.py", "app.py", """
                from emails import *
                data = OrderEmail(name="Ada", total=3.5, vip=True, items=[OrderEmailItems(title="Tea")]).to_dict()
                assert data == {"name": "Ada", "total": 3.5, "vip": True, "items": [{"title": "Tea"}]}, data
                """, "python3", "-c", "import os, emails\nif os.path.exists('app.py'): import app");
    }

    @Test
    void goTypesCompileUntilAVariableIsRenamed() throws IOException, InterruptedException {
        needs("go", "version");
        Files.createDirectories(folder.resolve("emails"));
        Files.writeString(folder.resolve("go.mod"), "module example.com/app\n\ngo 1.18\n");
        compiles(Language.GO, "emails/emails.go", "app.go", """
                package main

                import "example.com/app/emails"

                func main() {
                	_ = emails.OrderEmail{Name: "Ada", Total: 3.5, Vip: true, Items: []emails.OrderEmailItems{{Title: "Tea"}}}.Map()
                }
                """, "go", "build", "-o", "/dev/null", "./...");
        assertEquals("0 ", run("gofmt", "-l", "emails"));
    }

    @Test
    void typeScriptTypesCompileUntilAVariableIsRenamed() throws IOException, InterruptedException {
        needs("tsc", "--version");
        Files.writeString(folder.resolve("tsconfig.json"), "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true, \"types\": []}}");
        compiles(Language.TS, "emails.ts", "app.ts", """
                import type { Emails } from './emails';
                function send<Id extends keyof Emails>(id: Id, data: Emails[Id]) { return [id, data]; }
                send('order', { name: 'Ada', total: 3.5, vip: true, items: [{ title: 'Tea' }] });
                send('order', { name: 'Ada', total: 3.5, items: [] });
                """, "tsc", "-p", ".");
    }

    /** The email of the example repository, whose types the examples in types.md use. */
    private static List<EmailType> welcome() throws IOException {
        Path mail = Path.of("app/examples/mails/mails/templates/welcome.html");
        return List.of(EmailType.of("welcome", 1, "", Files.readString(mail)
                .replace("{{> footer}}", Files.readString(mail.resolveSibling("../blocks/footer.html"))), samples(mail)));
    }

    @Test
    void theJavaExampleOfTheDocumentCompiles() throws IOException {
        assertEquals("", javac(Language.JAVA.write(welcome(), "emails"), "package emails;\nimport java.util.Map;\nclass App { Object data() {\n" + example("java")
                + "return data; } }"));
    }

    @Test
    void thePythonExampleOfTheDocumentRuns() throws IOException, InterruptedException {
        needs("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 10))");
        Files.writeString(folder.resolve("emails.py"), Language.PYTHON.write(welcome(), "emails"));
        assertEquals("0 {'help_url': 'https://example.com/help', 'name': 'Ada'}\n", run("python3", "-c", "from emails import *\n" + example("python") + "print(data)"));
    }

    @Test
    void theGoExampleOfTheDocumentCompiles() throws IOException, InterruptedException {
        needs("go", "version");
        Files.createDirectories(folder.resolve("emails"));
        Files.writeString(folder.resolve("go.mod"), "module example.com/app\n\ngo 1.18\n");
        Files.writeString(folder.resolve("emails/emails.go"), Language.GO.write(welcome(), "emails"));
        Files.writeString(folder.resolve("app.go"), "package main\n\nimport \"example.com/app/emails\"\n\nfunc main() {\n" + example("go") + "_ = data\n}\n");
        assertEquals("0 ", run("go", "build", "-o", "/dev/null", "./..."));
    }

    private static String example(String language) throws IOException {
        String document = Files.readString(Path.of("app/docs/types.md"));
        int begin = document.indexOf("\n```" + language + "\n") + language.length() + 5;
        return document.substring(begin, document.indexOf("\n```", begin) + 1);
    }

    /** An email's type requires no value that is absent from a set of its test data, from which it was derived. */
    @Test
    void noSetOfTestDataLacksARequiredValue() throws IOException {
        int sets = 0;
        for (Path mail : mails().values()) {
            EmailType email = EmailType.of("email", 1, "", Files.readString(mail), samples(mail));
            for (JsonNode data : samples(mail)) {
                assertEquals(List.of(), email.type().missing(data), mail.toString());
                sets++;
            }
        }
        assertTrue(sets >= 10, sets + " sets of test data");
    }
}
