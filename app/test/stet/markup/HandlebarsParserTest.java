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
import java.util.Set;
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
        Comparison all = new Comparison();
        for (int i = 0; i < emails.size(); i++) {
            all.compare(emails.get(i), results.get(i));
        }
        List<String> differences = all.differences;
        assertTrue(differences.isEmpty(), differences.size() + " differences:\n" + String.join("\n", differences.subList(0, Math.min(20, differences.size()))));
        assertTrue(all.rejected > EMAILS / 4 && all.rejected < EMAILS * 3 / 4 && all.previews > EMAILS / 20,
                all.rejected + " rejected, " + all.previews + " previews");
    }

    /** Compares Stet's results with those of Handlebars. */
    private static final class Comparison {
        private final List<String> differences = new ArrayList<>();
        /** Number of emails that Handlebars rejects. */
        private int rejected;
        /** Number of compared previews. */
        private int previews;

        void compare(String email, JsonNode result) {
            List<Problem> errors = errors(email);
            if (result.has("error")) {
                rejected++;
                if (errors.isEmpty()) {
                    differences.add("silent: " + quoted(email) + " / " + result.get("error").asText());
                }
                return;
            }
            if (!errors.isEmpty()) {
                differences.add("not rejected: " + quoted(email) + " / " + errors.get(0));
            }
            compareVariables(email, result.get("names"));
            comparePreview(email, result.get("text"));
        }

        private void compareVariables(String email, JsonNode names) {
            Set<String> expected = new TreeSet<>();
            names.forEach(name -> expected.add(name.asText()));
            Set<String> found = new TreeSet<>(Variables.in("", email));
            if (!found.equals(expected)) {
                differences.add("variables: " + quoted(email) + " / " + expected + " / " + found);
            }
        }

        /** Leaves out emails with missing data, and documented differences; Handlebars adds two unescaped numbers. */
        private void comparePreview(String email, JsonNode text) {
            ObjectNode data = (ObjectNode) Json.tree(OddEmails.DATA);
            if (text.isNull() || !VariableTree.of("", email, data).missing().isEmpty()) {
                return;
            }
            String preview = Sampler.html(email, data).text();
            if (preview.contains("{{") || email.contains("{{{{") || ADJACENT.matcher(email).find()) {
                return;
            }
            previews++;
            if (!preview.equals(text.asText())) {
                differences.add("preview: " + quoted(email) + " / " + text + " / " + quoted(preview));
            }
        }
    }
}
