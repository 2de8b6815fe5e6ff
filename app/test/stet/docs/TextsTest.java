package stet.docs;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Words replaced by better terms must not return in pages, messages, documents or comments, and errors give advice. */
class TextsTest {
    private static final Pattern WORDS = Pattern.compile("\\b(?:" + String.join("|", "rotted", "looks? after", "told of", "blanks",
            "second[- ]factors?", "operators?", "measurements", "anew", "white space", "for keeps", "not any more", "all is well",
            "app for codes", "try it once more", "the most is", "whoever runs this", "too many tries", "list of processes", "on and on",
            "for instance", "is said", "goes on", "the machine failed", "which is the most", "given back", "is damaged", "is passed over",
            "made ready", "is believed", "(?:\\w*_)?persons?(?:_\\w*)?") + ")\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern READ = Pattern.compile(".*\\.(?:java|js|mjs|mts|html|md|sql|sh|py|go|yml|yaml|service)");

    private static final Pattern IMPERATIVE = Pattern.compile("(?i)(?:^|\u2026 ?|[;.:,] )(?:" + String.join("|", "add", "allow", "ask", "change", "check",
            "choose", "close", "commit", "configure", "confirm", "convert", "copy", "create", "delete", "did you mean", "empty", "enter", "export", "fix",
            "follow", "give", "import", "is this a Stet server", "make", "move", "name", "omit", "open", "publish", "push", "put", "reload", "remove", "rename", "replace",
            "restart", "restore", "revoke", "run", "save", "send", "set", "specify", "shorten", "sign in", "split", "start", "stop", "try", "turn", "update", "use", "wait",
            "withdraw", "write") + ")\\b");
    private static final Pattern ALLOWED = Pattern.compile("(?i)\\b(?:must|limit is|at most|at least|needs|requires|only|such as|known parameters|"
            + "not \\S+ or|cannot be combined|keep working for 0 to)\\b|\"[a-z \u2026-]+\" (?:lists|shows|downloads|writes)\\b");
    /** System failures, which give a reason: {@code Cannot read x: permission denied}. */
    private static final Pattern SYSTEM = Pattern.compile("Cannot .*: ");
    private static final Pattern COMPOSED = Pattern.compile("[^a-z]*");

    /** Error messages without advice, and why. */
    private static final Map<String, String> EXCEPTIONS = Map.ofEntries(
            // nothing to do
            entry("Interrupted before the service became healthy", "the user interrupted it"),
            entry("\u2026 does not use two-factor authentication", "nothing to turn off"),
            entry("Template \u2026 has no earlier version to roll back to", "nothing to roll back to"),
            entry("Version \u2026 is already live", "nothing to publish"),
            entry("Nothing to review; the draft matches the live version", "nothing to review"),
            entry("\u2026 already belongs to \u2026", "nothing to invite"),
            entry("You already belong to \u2026 and ", "nothing to join"),
            entry("The test double does not send webhook messages", "nothing to configure"),
            // the name is the advice
            entry("Template \u2026 not found", "names the wrong id"),
            entry("Template \u2026 has no version \u2026", "names the wrong number"),
            entry("Test data \"\u2026\" not found", "names the wrong name"),
            entry("Unknown mail client \u2026", "the page has a list"),
            entry("Unknown feature \u2026", "the page has a list"),
            entry("Unknown starter \u2026", "the page has a list"),
            entry("\u2026 is not a folder", "names the wrong path"),
            entry("\u2026 is not a folder\u2026Folder \u2026 not found", "names the wrong path"),
            entry("This is not a folder", "follows the path"),
            entry("This is not a file", "follows the path"),
            entry("An account for \u2026 already exists", "names the wrong address"),
            // the position is the advice
            entry("Unexpected JSON", "follows the field"),
            entry("Invalid JSON: unexpected data after the end", "names the position"),
            entry("Invalid JSON: \u2026 (line \u2026, column \u2026)", "names the position"),
            entry("Invalid UTF-8", "follows the file"),
            // another part of the sentence follows
            entry("\u2026 does not accept \"\u2026\": \u2026", "the usage follows"),
            entry("\u2026 is \"\u2026\"\u2026", "the allowed values follow"),
            entry("\u2026Cannot listen on port \u2026 of \u2026: \u2026Cannot listen on \u2026: \u2026", "Service adds the option"),
            entry("\u2026problem found", "the lines of check have the advice"),
            entry("\u2026 is truncated to \u2026 bytes", "check adds the advice"),
            entry("\u2026 is truncated to \u2026 of \u2026 bytes; \u2026 is missing", "check adds the advice"),
            entry("samples.\u2026Test data \"\u2026\" is invalid: \u2026", "the error of the JSON follows"),
            entry("The zip file is corrupted or unsupported: \u2026", "the reason follows"),
            // a secret may not be revealed
            entry("The email or password is wrong", "does not reveal which"),
            entry("The current password is wrong", "the form has the field"));

    /** Each error says what to do or what is allowed, or is listed above. */
    @Test
    void eachRefusalSaysWhatToDo() throws IOException {
        Set<String> silent = new TreeSet<>();
        int refusals = 0;
        try (Stream<Path> files = Files.walk(Path.of("app/main"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                for (String sentence : refusals(Files.readString(file))) {
                    refusals++;
                    if (!IMPERATIVE.matcher(sentence).find() && !ALLOWED.matcher(sentence).find() && !SYSTEM.matcher(sentence).lookingAt()
                            && !COMPOSED.matcher(sentence).matches()) {
                        silent.add(sentence);
                    }
                }
            }
        }
        assertTrue(refusals > 250, "refusals: " + refusals);
        assertEquals(String.join("\n", new TreeSet<>(EXCEPTIONS.keySet())), String.join("\n", silent));
    }

    /** Returns the error messages in a source, with \u2026 for each value. */
    private static List<String> refusals(String source) {
        List<String> found = new ArrayList<>();
        for (int start = source.indexOf("new Refusal("); start >= 0; start = source.indexOf("new Refusal(", start + 1)) {
            int from = start + "new Refusal(".length();
            Matcher part = Pattern.compile("\"((?:\\\\.|[^\"\\\\])*)\"|[()]").matcher(source);
            StringBuilder sentence = new StringBuilder();
            int depth = 1;
            for (int end = from; depth > 0 && part.find(from); from = end) {
                end = part.end();
                String before = source.substring(from, part.start());
                if (sentence.length() == 0 && before.isBlank() && source.startsWith(",", end)) {
                    continue; // the field
                }
                boolean isField = sentence.length() == 0 && before.matches("\\s*[\\w.]*,\\s*");
                if (!before.replaceAll("[\\s+]", "").isEmpty() && !isField && !sentence.toString().endsWith("\u2026")) {
                    sentence.append('\u2026');
                }
                if (part.group(1) != null) {
                    sentence.append(part.group(1).replace("\\\"", "\""));
                } else {
                    depth += part.group().equals("(") ? 1 : -1;
                }
            }
            found.add(sentence.toString());
        }
        return found;
    }

    /** Each row in the error tables of the API, the web application and pushes begins with what to do. */
    @Test
    void eachRowOfTheErrorsSaysWhatToDo() throws IOException {
        List<String> rows = Stream.of("api", "errors").flatMap(page -> {
            try {
                return Files.readAllLines(Path.of("app/docs/" + page + ".md")).stream();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }).filter(line -> line.matches("\\| [45]\\d\\d .*")).toList();
        assertTrue(rows.size() > 30, "rows: " + rows.size());
        assertEquals(List.of(), rows.stream().filter(row -> !IMPERATIVE.matcher(row.replaceAll(".*\\| (?=[^|]+\\|$)", "")).lookingAt()).toList());
    }

    /** Documentation comments begin with a verb or a noun, not with a clause. */
    @Test
    void commentsBeginWithAVerbOrANoun() throws IOException {
        Pattern clause = Pattern.compile("/\\*\\*\\s+(?:\\* )?(?:What|Who|Those|How|That)\\b.*");
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("app"))) {
            for (Path file : files.filter(each -> each.toString().matches("app/(?:main|static|test|bench)/.*\\.(?:java|js|mjs)")).toList()) {
                clause.matcher(Files.readString(file)).results().forEach(each -> found.add(file + ": " + each.group()));
            }
        }
        assertEquals(List.of(), found);
    }

    @Test
    void noReplacedWordIsUsed() throws IOException {
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
