package stet.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Counts skipped tests by reason, such as a missing program. Surefire reports no number if a whole class is skipped, as all tests of pages
 * are without a browser. Each test JVM writes its counts to a file; {@link #main} prints their sums at the end of {@code mvn verify}.
 */
public final class Skipped implements TestExecutionListener {
    private final Map<String, Integer> counts = new TreeMap<>();
    private final Path folder;
    private TestPlan plan;

    /** Called by JUnit. */
    public Skipped() {
        this(Path.of("target/skipped"));
    }

    Skipped(Path folder) {
        this.folder = folder;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            add(test, result.getThrowable().map(Throwable::getMessage).orElse(""));
        }
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        add(test, reason);
    }

    private void add(TestIdentifier test, String reason) {
        // The number of a parameterized test's rows is not known before it runs; it counts as one.
        long tests = test.isTest() ? 1 : plan.getDescendants(test).stream().filter(each -> plan.getChildren(each).isEmpty()).count();
        String said = String.valueOf(reason).replaceFirst("^Assumption failed: ?", "").replaceAll("\\s+", " ");
        counts.merge(said.isEmpty() || said.equals("null") ? "no reason given" : said, (int) tests, Integer::sum);
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan finished) {
        if (counts.isEmpty()) {
            return;
        }
        try {
            Files.createDirectories(folder);
            Files.write(Files.createTempFile(folder, "skipped", ".txt"), counts.entrySet().stream().map(each -> each.getValue() + "\t" + each.getKey()).toList());
            counts.clear();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Sums up the files in a folder, most frequent reason first; empty if no test was skipped. */
    static String summary(Path folder) throws IOException {
        Map<String, Integer> sums = new TreeMap<>();
        try (Stream<Path> files = Files.isDirectory(folder) ? Files.list(folder) : Stream.empty()) {
            for (Path file : files.toList()) {
                for (String line : Files.readAllLines(file)) {
                    String[] countAndReason = line.split("\t", 2);
                    sums.merge(countAndReason[1], Integer.valueOf(countAndReason[0]), Integer::sum);
                }
            }
        }
        List<String> lines = sums.entrySet().stream().sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .map(each -> String.format("\n%5d  %s", each.getValue(), each.getKey())).toList();
        return lines.isEmpty() ? "" : "Skipped tests:" + lines.stream().collect(Collectors.joining());
    }

    /** @param arguments the folder of the counts */
    public static void main(String[] arguments) throws IOException {
        System.out.println(summary(Path.of(arguments[0])));
    }
}
