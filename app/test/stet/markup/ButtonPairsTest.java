package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.harness.Machine;
import stet.markup.Html.Token;
import stet.markup.Problems.Problem;
import stet.markup.Publisher.Origin;

/** The check and the editor find the same copies of buttons, in generated emails. */
class ButtonPairsTest {
    private static final int NUMBER = 4_000;
    private static final int MINUTES = 2;
    /** Parts of emails; # is a random link, and @ a random label. */
    private static final List<String> PARTS = List.of("<!--[if mso]><v:rect href=\"#\">@</v:rect><![endif]-->", "<!--[if mso]><v:rect href=\"#\"><![endif]-->",
            "<!--[if mso]></v:rect><![endif]-->", "<!--[if mso]><v:rect href=\"#\"/><![endif]-->", "<!--[if mso]><v:rect href=\"#\">{{y}}</v:rect><![endif]-->",
            "<!--[if mso]><a href=\"#\">@</a><![endif]-->", "<!--[if mso]>@<![endif]-->", "<!--[if mso]><center><![endif]-->", "<a href=\"#\">@</a>", "<a href=\"#\">@</a>",
            "<a href=\"#\">", "<a href=\"{{y}}\">{{ y }}</a>", "<a name=x>", "<a href=x", "</a>", "@", "&nbsp;", " ", "<", "{ {", "<img src=\"x\">", "<td>", "<br>",
            "<p title=\"a>b\">", "<!-- c -->", "<!--", "<!--[if !mso]><!-->", "<!--<![endif]-->", "<style>p{}</style>", "<title>t</title>", "<textarea>", "</textarea>",
            "<!doctype html>", "<?xml?>", "</ x>", "{{x}}", "{{~x~}}", "{{{x}}}", "{{&x}}", "{{x \"}}\"}}", "{{x", "\\{{x}}", "{{#if x}}", "{{/if}}", "{{else}}",
            "{{ else }}", "{{else if y}}", "{{^x}}", "{{^}}", "{{> foo}}", "{{#*inline \"r\"}}", "{{/inline}}", "{{! c }}", "{{!-- {{c}} --}}", "{{* d}}", "{{=a b=}}",
            "{{{{r}}}}<a href=\"q\">Q</a>{{{{/r}}}}");

    private static String email(Random random) {
        return IntStream.range(0, 2 + random.nextInt(9)).mapToObj(i -> PARTS.get(random.nextInt(PARTS.size()))
                .replace("#", "https://" + "abc".charAt(random.nextInt(3))).replace('@', "LMN".charAt(random.nextInt(3)))).collect(Collectors.joining());
    }

    private static String differences(String html) {
        Problems problems = new Problems();
        Buttons.of(html, place -> new Origin(null, 1), problems).ifPresent(buttons -> {
            for (Token token : Html.in(html)) {
                buttons.read(token);
            }
            buttons.end();
        });
        long links = problems.first().stream().map(Problem::words).filter(words -> words.startsWith("the button's link")).count();
        return links + " " + (problems.first().size() - links);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void checkAndEditorFindTheSameDifferences(long seed, @TempDir Path folder) throws Exception {
        Machine.has("node");
        Files.writeString(folder.resolve("package.json"), "{\"type\": \"module\"}");
        for (String module : List.of("buttoncopies.js", "inplace.js")) {
            Files.copy(Path.of("app/static/preview", module), folder.resolve(module));
        }
        Random random = new Random(seed);
        List<String> emails = IntStream.range(0, NUMBER).mapToObj(i -> email(random)).toList();
        Files.write(folder.resolve("emails.json"), Json.write(emails));
        Path output = folder.resolve("output");
        Process node = new ProcessBuilder("node", "app/test/pages/buttonpairs.mjs", folder.toString(), folder.resolve("emails.json").toString())
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(node.waitFor(MINUTES, TimeUnit.MINUTES), "node does not end");
        } finally {
            node.destroyForcibly();
        }
        List<String> found = Files.readAllLines(output);
        assertEquals(NUMBER, found.size(), () -> String.join("\n", found));
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < NUMBER; i++) {
            String differences = differences(emails.get(i));
            if (!differences.equals(found.get(i))) {
                wrong.add("check " + differences + ", editor " + found.get(i) + ": " + emails.get(i));
            }
        }
        assertEquals("", String.join("\n", wrong));
        assertTrue(found.stream().filter(each -> !each.equals("0 0")).count() > NUMBER / 50, "too few emails with differences");
    }
}
