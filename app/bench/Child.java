package bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A child process that ends with this process, even on Ctrl+C. */
final class Child implements AutoCloseable {
    /** Timeout of a start, which includes reading a seed, or of a command; and of a graceful exit, in s. */
    private static final int LIMIT = 300;
    private static final int GRACE = 15;
    /** Exit code of a JVM with ExitOnOutOfMemoryError. */
    private static final int OUT_OF_MEMORY = 3;
    private static final int TICK_MILLIS = 10;
    private static final Set<Child> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Child::kill)));
    }

    private final Process process;
    private final Path log;

    private Child(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** @param name of the log for stderr */
    static Child start(String name, List<String> command) throws IOException {
        Path log = Files.createDirectories(Lab.FOLDER.resolve("logs")).resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().keySet().removeIf(variable -> variable.startsWith("STET_") || variable.equals("JAVA_TOOL_OPTIONS"));
        Child child = new Child(builder.start(), log);
        RUNNING.add(child);
        child.process.getOutputStream().close();
        return child;
    }

    /** Waits for the line with {@code url=}. @return the URL */
    String url() throws Exception {
        String line = awaitLine("url=");
        return line.substring(line.indexOf("url=") + 4);
    }

    /** Waits for a line of stdout that contains these words, and returns it. */
    String awaitLine(String words) throws Exception {
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        return Lab.background(() -> out.lines().filter(line -> line.contains(words)).findFirst())
                .get(LIMIT, TimeUnit.SECONDS).orElseThrow(() -> new IllegalStateException("a program has ended; see " + log));
    }

    /** Waits for the process to succeed. @return its stdout */
    String output() throws Exception {
        byte[] output = Lab.background(() -> process.getInputStream().readAllBytes()).get(LIMIT, TimeUnit.SECONDS);
        if (!process.waitFor(GRACE, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException("a program failed: " + Files.readString(log).strip());
        }
        return new String(output, StandardCharsets.UTF_8);
    }

    private Path proc() {
        return Path.of("/proc", Long.toString(process.pid()));
    }

    /** CPU time in ms, as Linux counts it in steps of 10 ms. */
    record Cpu(double user, double system) {
        double total() {
            return user + system;
        }
    }

    Cpu cpu() throws IOException {
        String stat = Files.readString(proc().resolve("stat"));
        // The second field is the name in brackets, which may contain spaces; user and system time are fields 14 and 15.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return new Cpu(Double.parseDouble(fields[11]) * TICK_MILLIS, Double.parseDouble(fields[12]) * TICK_MILLIS);
    }

    /** Returns the resident memory in MB (10^6 bytes); 0 if the process has ended. */
    double residentMegabytes() throws IOException {
        return Files.readAllLines(proc().resolve("status")).stream().filter(line -> line.startsWith("VmRSS:"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) * 1_024 / 1e6).findFirst().orElse(0);
    }

    /** Returns how the process has ended unexpectedly, or an empty string. */
    String failure() throws IOException {
        return !process.isAlive() ? "ended with exit code " + process.exitValue() + (process.exitValue() == OUT_OF_MEMORY ? ", out of memory" : "")
                : Files.readString(log).contains("OutOfMemoryError") ? "out of memory" : "";
    }

    /** Asks the process to exit, then kills it. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().completeOnTimeout(process, GRACE, TimeUnit.SECONDS).join();
        kill();
        RUNNING.remove(this);
    }

    /** Kills the parent before its children, so that it cannot start more. */
    private void kill() {
        List<ProcessHandle> started = process.descendants().toList();
        process.destroyForcibly();
        started.forEach(ProcessHandle::destroyForcibly);
    }
}
