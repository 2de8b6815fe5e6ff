package stet.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.fixture.Fault;
import stet.harness.Machine;
import stet.harness.Running;
import stet.harness.Smtp;
import stet.testing.StetFixture;

/** Runs the README's commands and the code of start.md, changing only addresses and paths. */
@Tag("jar")
class ReadmeTest {
    private static final String JAR = System.getProperty("stet.jar");

    @TempDir
    Path folder;

    @Test
    void theCommandsEndInThePublishedTemplate() throws Exception {
        Machine.has("curl");
        String commands = String.join("\n", """
                java -jar "$JAR" serve --listen 127.0.0.1:0 --port-file port >serve.log 2>&1 &
                stet=$!
                trap 'kill $stet; wait $stet || true' EXIT
                until [ -f port ]; do kill -0 $stet || exit 1; sleep 0.1; done
                set -e""", code("account add", "sh"), code("mkdir -p mails", "sh"));
        String output = run(Map.of(), "sh", "-c", commands.replace("target/stet.jar", JAR).replace("127.0.0.1:8080", "127.0.0.1:$(cat port)"));
        String shown = code("{\"id\":\"welcome\"", "json").replace(",\n ", ",");
        assertTrue(output.contains(shown.substring(0, shown.indexOf("\"updatedAt\""))), output);
    }

    @Test
    void theNodeCodeSends() throws Exception {
        Machine.has("node", "npm");
        if (!Files.exists(Path.of("target/send/node_modules/nodemailer")) || !Files.exists(Path.of("target/send/node_modules/handlebars"))
                || !Files.exists(Path.of("target/send/node_modules/html-to-text"))) {
            Files.createDirectories(Path.of("target/send"));
            Machine.has(Machine.run("npm", "install", "--silent", "--no-audit", "--no-fund", "--fetch-retries=0", "--prefix", "target/send",
                    "nodemailer@7", "handlebars@4", "html-to-text@9") == 0, "npm's registry cannot be reached");
        }
        Files.createSymbolicLink(folder.resolve("node_modules"), Path.of("target/send/node_modules").toAbsolutePath());
        sendsThreeTimes("send.mjs", code("import nodemailer", "js") + """
                for (let i = 0; i < 3; i++) await send('ada@example.com', 'welcome', { name: 'Ada & Ben' });
                await send('ada@example.com', 'unknown', {}).catch((error) => console.log('refused: ' + error.message));
                """, "node", "send.mjs");
    }

    @Test
    void thePythonCodeSendsAndRejectsOtherTags() throws Exception {
        Machine.has("python3");
        String output = sendsThreeTimes("send.py", code("import html, json", "python") + """

                for i in range(3):
                    send("ada@example.com", "welcome", {"name": "Ada & Ben"})
                for id in ["unknown", "list"]:
                    try:
                        send("ada@example.com", id, {})
                    except Exception as error:
                        print("refused:", error)
                """, "python3", "send.py");
        assertTrue(output.contains("refused: The template has tags other than {{name}}"), output);
    }

    /** The first response is cached, the second is a 304, and the third is a service failure; then comes an unknown template. @return the output */
    private String sendsThreeTimes(String file, String code, String... command) throws Exception {
        try (Smtp smtp = new Smtp(); StetFixture server = StetFixture.account("shop@example.com").key("stet-test-key")
                .template("welcome", "Hi {{name}}", "<p>Hello {{name}}</p>")
                .template("list", "Hi", "{{#each items}}{{title}}{{/each}}").start()) {
            server.faults().add(Fault.status(503).after(2).times(1));
            Files.writeString(folder.resolve(file), code.replace("http://127.0.0.1:8080/api/v1", server.baseUrl().toString()).replace("localhost:1025", smtp.address()));
            String output = run(Map.of("KEY", "stet-test-key"), command);
            assertTrue(output.contains("Template welcome from Stet: ") && !output.contains("304") && output.contains("refused: "), output);
            List<Integer> statuses = server.requests().list().stream().map(request -> request.status()).toList();
            assertEquals(List.of(200, 304, 503, 404), statuses.subList(0, 4));
            assertEquals(3, smtp.mails.size());
            for (String mail : smtp.mails) {
                assertTrue(mail.contains("Subject: Hi Ada & Ben\n") && mail.contains("<p>Hello Ada &amp; Ben</p>"), mail);
                assertTrue(mail.matches("(?s).*multipart/alternative.*text/plain.*\n\nHello Ada & Ben\n.*text/html.*"), mail);
            }
            return output;
        }
    }

    /** The code block of a language that contains a text, in the README or start.md. */
    private static String code(String text, String language) throws IOException {
        String readme = Files.readString(Path.of("README.md")) + Files.readString(Path.of("app/docs/start.md"));
        int begin = readme.lastIndexOf("\n```" + language + "\n", readme.indexOf(text)) + language.length() + 5;
        return readme.substring(begin, readme.indexOf("\n```\n", begin) + 1);
    }

    private String run(Map<String, String> environment, String... command) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JAR", JAR);
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS), () -> "no end: " + command[0]);
            assertEquals(0, process.exitValue(), Files.readString(output));
            return Files.readString(output);
        } finally {
            process.destroy();
        }
    }
}
