package stet.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A child process that is terminated together with its descendants. On systems with {@code /proc}, an environment variable
 * identifies orphaned descendants.
 */
public final class ChildProcess implements AutoCloseable {
    private static final long POLL_MILLIS = 20;
    private static final int SHELL_GRACE_SECONDS = 5;
    private static final String MARK = "STET_EXEC_MARK";
    private static final Path PROCESSES = Path.of("/proc");

    private final String mark = ProcessHandle.current().pid() + "." + System.nanoTime();
    private final int graceSeconds;
    final Process process;

    /** @param graceSeconds time between SIGTERM and SIGKILL */
    ChildProcess(ProcessBuilder builder, int graceSeconds) throws IOException {
        builder.environment().put(MARK, mark);
        this.graceSeconds = graceSeconds;
        this.process = builder.start();
    }

    /**
     * Runs a shell command with inherited input and output until the command exits or the latch opens.
     *
     * @param variables added to the environment
     * @param end       opened when the command exits
     * @return the exit code
     */
    public static int shell(String command, Map<String, String> variables, CountDownLatch end) throws IOException, InterruptedException {
        boolean isWindows = System.getProperty("os.name").startsWith("Windows");
        ProcessBuilder builder = new ProcessBuilder(isWindows ? List.of("cmd", "/c", command) : List.of("sh", "-c", command))
                .inheritIO();
        builder.environment().putAll(variables);
        ChildProcess running = new ChildProcess(builder, SHELL_GRACE_SECONDS);
        try (running) {
            running.process.onExit().thenRun(end::countDown);
            end.await();
        }
        return running.process.waitFor();
    }

    /** Sends SIGTERM to the process and its descendants, then SIGKILL to any still running after the timeout. */
    @Override
    public void close() {
        List<ProcessHandle> known = tree();
        known.forEach(ProcessHandle::destroy);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(graceSeconds);
        try {
            while (System.nanoTime() < deadline && known.stream().anyMatch(this::isRunning)) {
                Thread.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        Stream.concat(known.stream(), tree().stream()).filter(this::isRunning).forEach(ProcessHandle::destroyForcibly);
    }

    /** The process and its descendants, including orphans if {@code /proc} exists. */
    private List<ProcessHandle> tree() {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        if (Files.isDirectory(PROCESSES)) {
            ProcessHandle.allProcesses().filter(each -> !all.contains(each) && isMarked(each)).forEach(all::add);
        }
        return all;
    }

    /** Whether a process has the environment variable of this process's descendants. */
    private boolean isMarked(ProcessHandle each) {
        try {
            String variables = Files.readString(PROCESSES.resolve(each.pid() + "/environ"), StandardCharsets.ISO_8859_1);
            return ("\0" + variables).contains("\0" + MARK + "=" + mark + "\0");
        } catch (IOException anothers) {
            return false;
        }
    }

    /** Whether a process is running. Zombies do not count because, in a container, their parent may never reap them. */
    private boolean isRunning(ProcessHandle each) {
        try {
            return each.isAlive() && (!Files.isDirectory(PROCESSES)
                    || !Files.readString(PROCESSES.resolve(each.pid() + "/stat"), StandardCharsets.ISO_8859_1).contains(") Z "));
        } catch (IOException ended) {
            return false;
        }
    }
}
