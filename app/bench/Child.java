package stet;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A child process that ends with this process, even on Ctrl+C. */
final class Child implements AutoCloseable {
    /** Server start timeout, in s. */
    private static final int READY = 60;
    /** Graceful exit timeout, in s. */
    private static final int GRACE = 15;
    /** Exit code of a JVM with ExitOnOutOfMemoryError. */
    private static final int OUT_OF_MEMORY = 3;
    private static final Set<Child> RUNNING = ConcurrentHashMap.newKeySet();
    private static volatile boolean ending;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            ending = true;
            RUNNING.forEach(Child::kill);
        }));
    }

    private final Process process;
    private final Path log;

    private Child(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Returns whether this process is shutting down; it must not start others then. */
    static boolean isEnding() {
        return ending;
    }

    /** @param log file for stderr */
    static Child start(Path log, List<String> command) throws IOException {
        Child child = talk(log, command);
        child.process.getOutputStream().close();
        return child;
    }

    /** Starts a process that is queried line by line. */
    static Child talk(Path log, List<String> command) throws IOException {
        Files.createDirectories(log.getParent());
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("STET_") || name.equals("JAVA_TOOL_OPTIONS"));
        Child child = new Child(builder.start(), log);
        RUNNING.add(child);
        if (ending) {
            child.kill();
            throw new Broken("the benchmark was told to end");
        }
        return child;
    }

    /** Waits for the line with {@code url=}. @return the URL */
    String url() throws Exception {
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        CompletableFuture<String> ready = CompletableFuture.supplyAsync(
                () -> out.lines().filter(line -> line.contains(" url=")).findFirst().orElse(null));
        try {
            String line = ready.get(READY, TimeUnit.SECONDS);
            if (line != null) {
                return line.substring(line.indexOf("url=") + 4);
            }
        } catch (TimeoutException | ExecutionException late) {
            // Reported below.
        }
        throw new Broken("a server was not ready within " + READY + " s: " + lastWords());
    }

    /** Sends a line. @return the response line */
    String ask(String line) throws Exception {
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
        String answer = CompletableFuture.supplyAsync(() -> out.lines().findFirst().orElse(null)).get(READY, TimeUnit.SECONDS);
        if (answer == null) {
            throw new Broken("a program ended too early: " + lastWords());
        }
        return answer;
    }

    /** Waits for the process to exit. @return its stdout */
    String output(int seconds) throws Exception {
        CompletableFuture<byte[]> out = CompletableFuture.supplyAsync(() -> {
            try {
                return process.getInputStream().readAllBytes();
            } catch (IOException killed) {
                return new byte[0];
            }
        });
        try {
            return new String(out.get(seconds, TimeUnit.SECONDS), StandardCharsets.UTF_8);
        } catch (TimeoutException late) {
            throw new Broken(process.info().command().orElse("a program") + " took longer than " + seconds + " s");
        }
    }

    /** Returns the process's exit code, or -1 if it is still running although it should have exited. */
    int exitCode() throws InterruptedException {
        return process.waitFor(GRACE, TimeUnit.SECONDS) ? process.exitValue() : -1;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the process's resident memory in MB (10^6 bytes). */
    double residentMegabytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) * 1_024 / 1e6)
                .findFirst().orElseThrow(() -> new Broken("the server has ended: " + lastWords()));
    }

    /** Returns whether the log or exit code shows that the process ran out of memory. */
    boolean ranOutOfMemory() throws IOException {
        return Files.readString(log).contains("OutOfMemoryError") || !process.isAlive() && process.exitValue() == OUT_OF_MEMORY;
    }

    /** Returns the end of the log. */
    String lastWords() {
        try {
            List<String> lines = Files.readAllLines(log);
            return lines.isEmpty() ? "it said nothing" : String.join(" / ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
        } catch (IOException unreadable) {
            return "see " + log;
        }
    }

    /** Asks the process to exit, then kills it. */
    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(GRACE, TimeUnit.SECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
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
