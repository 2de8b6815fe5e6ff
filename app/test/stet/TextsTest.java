package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Words replaced by better terms must not return in pages, messages, documents or comments. */
class TextsTest {
    private static final Pattern WORDS = Pattern.compile("\\b(?:" + String.join("|", "rotted", "looks? after", "told of", "blanks",
            "second[- ]factors?", "operators?", "measurements", "anew", "white space", "for keeps", "not any more", "all is well",
            "app for codes", "try it once more", "the most is", "whoever runs this", "too many tries", "list of processes", "on and on",
            "for instance", "is said", "goes on", "the machine failed", "which is the most", "given back", "is damaged", "is passed over",
            "made ready", "is believed", "person (?:invite|list|reset)") + ")\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern READ = Pattern.compile(".*\\.(?:java|js|mjs|mts|html|md|sql|sh|py|go|yml|yaml|service)");

    @Test
    void thePlainWordsStay() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path root : List.of(Path.of("app"), Path.of("schema.sql"), Path.of("README.md"), Path.of(".github"))) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.filter(each -> READ.matcher(each.toString()).matches() && !each.startsWith("app/test")).toList()) {
                    Matcher word = WORDS.matcher(Files.readString(file));
                    while (word.find()) {
                        found.add(file + ": " + word.group());
                    }
                }
            }
        }
        assertEquals(List.of(), found);
    }
}
