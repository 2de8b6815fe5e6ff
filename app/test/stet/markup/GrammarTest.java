package stet.markup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stet.base.Json;
import stet.harness.Running;

/** Stet reports an error exactly where the parser of Handlebars 4.7.8 rejects an email. {@link HandlebarsParserTest} compares more. */
class GrammarTest {
    private static List<Grammar.SyntaxFault> faults(String text) {
        List<Grammar.SyntaxFault> faults = new ArrayList<>();
        Grammar.check(text, faults::add);
        return faults;
    }

    /** Each line of the file has the verdict of Handlebars, + or -, and a text as a JSON string. */
    @Test
    void theVerdictsAreThoseOfHandlebars() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("app/test/stet/markup/verdicts.txt"));
        List<String> wrong = new ArrayList<>();
        for (String row : rows) {
            boolean isAccepted = row.startsWith("+");
            if (isAccepted != faults(Json.tree(row.substring(2)).textValue()).isEmpty()) {
                wrong.add(row);
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(rows.size() >= 500 && rows.stream().filter(row -> row.startsWith("-")).count() >= 200);
    }

    @Test
    void deepSectionsAreRejected() {
        for (String open : new String[] {"{{#a}}", "{{^a}}", "{{#> a}}"}) {
            assertEquals(0, faults(open.repeat(1_000) + "{{/a}}".repeat(1_000)).size());
            assertEquals("\"" + open + "\" is more than 1,000 sections deep, too deep for Handlebars",
                    faults(open.repeat(1_500) + "{{/a}}".repeat(1_500)).stream().map(fault -> fault.quote() + fault.words()).collect(Collectors.joining("; ")));
        }
        assertEquals(1, faults("{{#if a}}" + "{{else if a}}".repeat(1_000) + "{{/if}}").size());
        assertEquals(0, faults("{{#a}}{{/a}}".repeat(2_000)).size());
    }

    /** A long draft of many tags, and one tag of many words. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"{{name}} {{#if a}}{{b.c}}{{else}}{{f d \"e\"}}{{/if}}", "{{{{a}}}}", "{{{{a}}}}{{{{/b c}}}}", "{{f \"a\\\"", "{{f [a\\]",
        "{{#*inline \"p\"}}{{> p}}", "{{> p}}{{#*inline \"p\"}}{{/inline}}", "{{a|b}}", "{{&amp;}}"})
    void readingTakesLinearTime(String part) {
        String text = part.repeat((2 << 20) / part.length());
        assertTimeout(Running.PATIENCE, () -> {
            faults(text);
            new Publisher(name -> Optional.empty()).expand("", text);
            Variables.in("", text);
        });
    }
}
