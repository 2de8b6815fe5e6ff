package stet.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/** The browser log: script errors and violations of the pages' content security policy. */
final class BrowserLog {
    /** Browsers log error responses even if the page handles them. */
    private static final Pattern ANSWERED = Pattern.compile(
            ".*/data/\\S* - Failed to load resource: the server responded with a status of 4\\d\\d .*");
    /** The headless shell also logs what a preview's sandbox and policy blocked. */
    private static final Pattern BLOCKED = Pattern.compile(
            ".*/previews/\\S* (?:-|\\d+) (Blocked script execution in|Loading the image) .*", Pattern.DOTALL);

    private static final List<Pattern> USUAL = List.of(ANSWERED, BLOCKED);

    private final ChromeDriver driver;
    private final List<Pattern> expected = new ArrayList<>();

    BrowserLog(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Allows lines that match a pattern. */
    void expect(String pattern) {
        expected.add(Pattern.compile(pattern, Pattern.DOTALL));
    }

    void forget() {
        expected.clear();
        driver.manage().logs().get(LogType.BROWSER);
    }

    /** Fails with each unexpected line. */
    void isEmpty() {
        List<String> lines = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            String line = entry.getMessage();
            if (Stream.concat(USUAL.stream(), expected.stream()).noneMatch(pattern -> pattern.matcher(line).matches())) {
                lines.add(line);
            }
        }
        assertEquals(List.of(), lines);
    }
}
