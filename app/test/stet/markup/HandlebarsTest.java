package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import stet.base.Json;
import stet.base.Utf8;
import stet.harness.Chromium;
import stet.harness.Window;
import stet.markup.Handlebars.Case;

/** Previews render like Handlebars, with the exceptions listed in app/docs/preview.md. */
@Tag("browser")
@ExtendWith(Chromium.class)
class HandlebarsTest {
    private static final String HANDLEBARS = "/META-INF/resources/webjars/handlebars/4.7.7/dist/handlebars.min.js";
    private static final int GENERATED = 1_000;

    /** Each exception with the output of Handlebars and of the preview. */
    private static final String DIFFERENCES = """
            # missing in the test data
            Hi {{x}}!                              ¦ {} ¦ Hi ! ¦ Hi {{x}}!
            Hi {{a.x}}!                            ¦ {"a":{}} ¦ Hi ! ¦ Hi {{a.x}}!
            {{#each a}}{{../x}}{{/each}}           ¦ {"a":[1]} ¦ ¦ {{../x}}
            {{#x}}a{{/x}}{{#with x}}b{{/with}}     ¦ {} ¦ ¦ ab
            {{#if x}}a{{else}}b{{/if}}             ¦ {} ¦ b ¦ a
            {{#unless x}}a{{else}}b{{/unless}}     ¦ {} ¦ a ¦ b
            {{^x}}a{{else}}b{{/x}}                 ¦ {} ¦ a ¦ b
            {{#each x}}{{@index}}{{y}}{{/each}}    ¦ {} ¦ ¦ 0{{y}}
            {{this}} {{.}}                         ¦ {} ¦ [object Object] [object Object] ¦ {{this}} {{.}}
            # looked up around a section, as Mustache does
            {{#each a}}{{this}}{{x}}{{/each}}      ¦ {"a":[1,2],"x":"y"} ¦ 12 ¦ 1y2y
            {{#with a}}{{x}}{{/with}}              ¦ {"a":{"b":1},"x":"y"} ¦ ¦ y
            # names with dots
            {{a.b}}                                ¦ {"a.b":"c"} ¦ ¦ c
            # helpers
            {{upper x}}                            ¦ {"x":"y"} ¦ fails ¦ {{upper x}}
            {{#list x}}a{{/list}}                  ¦ {"x":"y"} ¦ fails ¦ a
            {{#if (eq x 0)}}a{{else}}b{{/if}}      ¦ {"x":0} ¦ fails ¦ a
            {{{{raw}}}}{{x}}{{{{/raw}}}}           ¦ {"x":"y"} ¦ ¦ {{x}}
            # templates with faults, and other languages
            {{#if x}}a {{x                         ¦ {"x":"y"} ¦ fails ¦ a {{x
            {{x}} {{/if}}                          ¦ {"x":"y"} ¦ fails ¦ `y `
            {{x}}}                                 ¦ {"x":"y"} ¦ fails ¦ y}
            {{x | upper}}                          ¦ {"x":"y"} ¦ fails ¦ y
            {{=<% %>=}}{{x}}                       ¦ {"x":"y"} ¦ fails ¦ y
            {{> missing}} {{x}}                    ¦ {"x":"y"} ¦ fails ¦ {{> missing}} y
            """;

    @Test
    void previewsAreFilledInAsByHandlebars(Window window) throws IOException {
        List<Case> cases = new ArrayList<>(Handlebars.read(resource("/stet/markup/handlebars.txt")));
        assertTrue(cases.size() >= 150);
        Handlebars.Generator generator = new Handlebars.Generator(1);
        Stream.generate(generator::next).limit(GENERATED).forEach(cases::add);
        int mails = cases.size();
        cases.addAll(demo());
        cases.addAll(real());
        assertTrue(cases.size() >= mails + 3);
        JsonNode filled = filled(window, cases);
        for (int i = 0; i < cases.size(); i++) {
            assertSame(cases.get(i), filled.get(i).asText(), preview(cases.get(i)));
        }
    }

    @Test
    void eachListedDifferenceExists(Window window) throws IOException {
        List<String[]> differences = DIFFERENCES.lines().filter(line -> !line.startsWith("#")).map(line -> line.split("\\s*\u00a6\\s*", -1)).toList();
        List<Case> cases = differences.stream().map(row -> new Case(row[0], row[1])).toList();
        JsonNode filled = filled(window, cases);
        for (int i = 0; i < differences.size(); i++) {
            String[] row = differences.get(i);
            assertEquals(row[2], filled.get(i).asText(), row[0]);
            assertEquals(row[3].replace("`", ""), preview(cases.get(i)), row[0]);
        }
    }

    /** The output of Handlebars for each case; {@code fails} if it throws. */
    private static JsonNode filled(Window window, List<Case> cases) throws IOException {
        return Json.tree((String) window.script("""
                window.eval(arguments[0]);
                Handlebars.logger.log = () => {};
                return JSON.stringify(JSON.parse(arguments[1]).map(([template, data]) => {
                  try {
                    return Handlebars.compile(template)(data);
                  } catch (failure) {
                    return 'fails';
                  }
                }));""", resource(HANDLEBARS), Handlebars.json(cases)));
    }

    /** Reports only the part that differs, because emails are long. */
    private static void assertSame(Case each, String expected, String actual) {
        int place = Arrays.mismatch(expected.toCharArray(), actual.toCharArray());
        if (place >= 0) {
            int from = Math.max(0, place - 100);
            assertEquals(expected.substring(from, Math.min(expected.length(), place + 100)), actual.substring(from, Math.min(actual.length(), place + 100)),
                    each.template().substring(0, Math.min(each.template().length(), 1_000)));
        }
    }

    private static String preview(Case each) {
        return Sampler.html(each.template(), each.json()).text();
    }

    /** The demo's emails with their blocks and samples. */
    private static List<Case> demo() throws IOException {
        List<Case> cases = new ArrayList<>();
        for (Path html : files(Path.of("app/demo/templates"))) {
            Publisher publisher = new Publisher(name -> Optional.of(text(Path.of("app/demo/blocks/" + name + ".html"))));
            String data = text(Path.of(html.toString().replace(".html", ".samples/default.json")));
            cases.add(new Case(publisher.expand("", text(html)), data));
        }
        return cases;
    }

    /** Emails of {@code -Dstet.mails=DIR}, with a text for each variable and rows for each section. */
    private static List<Case> real() throws IOException {
        Path folder = Path.of(System.getProperty("stet.mails", "no-others"));
        List<Case> cases = new ArrayList<>();
        for (Path html : Files.isDirectory(folder) ? files(folder) : List.<Path>of()) {
            ObjectNode data = Json.object();
            List<String> names = Variables.in("", text(html));
            names.forEach(name -> data.put(name, "The " + name + " & more"));
            ObjectNode row = data.deepCopy();
            for (String name : names) {
                if (name.startsWith("attachment_d")) {
                    data.putArray(name).addArray().add(row).add(row);
                } else if (name.endsWith("_details")) {
                    data.putArray(name).add(row).add(row);
                }
            }
            cases.add(new Case(text(html), Utf8.text(Json.write(data))));
        }
        return cases;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".html")).sorted().toList();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = HandlebarsTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
