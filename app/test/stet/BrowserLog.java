package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/** What the browser has logged: errors of scripts, and what the pages' policy refused. */
final class BrowserLog {
    /** An answer that a page expects and deals with is still written to the browser's log. */
    private static final Pattern ANSWERED = Pattern.compile(
            ".*/data/\\S* - Failed to load resource: the server responded with a status of 4\\d\\d .*");

    private final ChromeDriver driver;
    private final List<Pattern> expected = new ArrayList<>();

    BrowserLog(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Lets it have lines of a pattern. */
    void expect(String pattern) {
        expected.add(Pattern.compile(pattern, Pattern.DOTALL));
    }

    void forget() {
        expected.clear();
        driver.manage().logs().get(LogType.BROWSER);
    }

    /** Fails with each line that no test expects. */
    void isEmpty() {
        List<String> lines = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            String line = entry.getMessage();
            if (!ANSWERED.matcher(line).matches() && expected.stream().noneMatch(pattern -> pattern.matcher(line).matches())) {
                lines.add(line);
            }
        }
        assertEquals(List.of(), lines);
    }
}
