package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stet.base.Json;
import stet.base.Utf8;
import stet.harness.Machine;
import stet.markup.Problems.Level;
import stet.markup.Problems.Problem;

/**
 * On generated emails, Stet reports an error if and only if Handlebars rejects the email; variables and previews of the others agree.
 * {@code -Dstet.seed=7} generates other emails.
 */
@Tag("slow")
class HandlebarsParserTest {
    private static final String VERSION = "4.7.8";
    private static final int MINUTES = 4;
    private static final int EMAILS = 5_000;

    private static final Pattern ADJACENT = Pattern.compile("}}\\s*\\{\\{~?[{&]");

    @TempDir
    private static Path folder;

    @BeforeAll
    static void install() throws Exception {
        Machine.has("npm", "node");
        assumeTrue(run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev", "handlebars@" + VERSION) == 0,
                "the npm registry does not give handlebars " + VERSION);
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectOutput(folder.resolve("out").toFile())
                .redirectErrorStream(true).start();
        try {
            return process.waitFor(MINUTES, TimeUnit.MINUTES) ? process.exitValue() : -1;
        } finally {
            process.destroyForcibly();
        }
    }

    /** Handlebars' results for each email: see handlebars.mjs. */
    private static JsonNode handlebars(List<String> emails, String data) throws Exception {
        ArrayNode cases = Json.object().arrayNode();
        emails.forEach(email -> cases.addArray().add(email).add(Json.tree(data)));
        Files.write(folder.resolve("cases.json"), Json.write(cases));
        int code = run("node", Path.of("app/test/stet/markup/handlebars.mjs").toAbsolutePath().toString(), folder.toString(), "cases.json", "results.json");
        assertEquals(0, code, () -> read("out"));
        return Json.tree(read("results.json"));
    }

    private static String read(String file) {
        try {
            return Files.readString(folder.resolve(file));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String quoted(String text) {
        return Utf8.text(Json.write(text));
    }

    /** The errors of an email, apart from what shared blocks do not support, and HTML that is not closed. */
    private static List<Problem> errors(String email) {
        Publisher publisher = new Publisher(name -> Optional.empty());
        publisher.expand("Hi", email);
        return publisher.problems().first().stream()
                .filter(problem -> problem.level() == Level.ERROR && !problem.words().contains("only the name of a shared block")
                        && !problem.words().contains("passes a value to a shared block")
                        && !problem.words().contains("no mail client shows")).toList();
    }

    @Test
    void errorsVariablesAndPreviewsAreThoseOfHandlebars() throws Exception {
        OddEmails generator = new OddEmails(Long.getLong("stet.seed", 1));
        List<String> emails = Stream.generate(generator::next).limit(EMAILS).toList();
        JsonNode results = handlebars(emails, OddEmails.DATA);
        List<String> differences = new ArrayList<>();
        int rejected = 0;
        int previews = 0;
        for (int i = 0; i < emails.size(); i++) {
            String email = emails.get(i);
            JsonNode result = results.get(i);
            List<Problem> errors = errors(email);
            if (result.has("error")) {
                rejected++;
                if (errors.isEmpty()) {
                    differences.add("silent: " + quoted(email) + " / " + result.get("error").asText());
                }
                continue;
            }
            if (!errors.isEmpty()) {
                differences.add("not rejected: " + quoted(email) + " / " + errors.get(0));
            }
            List<String> names = new ArrayList<>();
            result.get("names").forEach(name -> names.add(name.asText()));
            List<String> own = List.copyOf(new TreeSet<>(Variables.in("", email)));
            if (!own.equals(List.copyOf(new TreeSet<>(names)))) {
                differences.add("variables: " + quoted(email) + " / " + names + " / " + own);
            }
            ObjectNode data = (ObjectNode) Json.tree(OddEmails.DATA);
            if (!result.get("text").isNull() && VariableTree.of("", email, data).missing().isEmpty()) {
                String preview = Sampler.html(email, data).text();
                // Documented differences; Handlebars adds two unescaped numbers.
                boolean isGap = preview.contains("{{") || email.contains("{{{{") || ADJACENT.matcher(email).find();
                previews += isGap ? 0 : 1;
                if (!isGap && !preview.equals(result.get("text").asText())) {
                    differences.add("preview: " + quoted(email) + " / " + result.get("text") + " / " + quoted(preview));
                }
            }
        }
        assertTrue(differences.isEmpty(), differences.size() + " differences:\n" + String.join("\n", differences.subList(0, Math.min(20, differences.size()))));
        assertTrue(rejected > EMAILS / 4 && rejected < EMAILS * 3 / 4 && previews > EMAILS / 20, rejected + " rejected, " + previews + " previews");
    }
}
