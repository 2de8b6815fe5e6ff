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
    private static final long LOOK_MILLIS = 20;
    private static final String MARK = "STET_EXEC_MARK";
    private static final Path PROCESSES = Path.of("/proc");

    private final String mark = ProcessHandle.current().pid() + "." + System.nanoTime();
    private final int endSeconds;
    final Process process;

    /** @param endSeconds time between SIGTERM and SIGKILL */
    ChildProcess(ProcessBuilder builder, int endSeconds) throws IOException {
        builder.environment().put(MARK, mark);
        this.endSeconds = endSeconds;
        this.process = builder.start();
    }

    /** Runs a shell command with inherited input and output until the command exits or the latch opens. @return the exit code */
    public static int shell(String command, Map<String, String> variables, CountDownLatch end) throws IOException, InterruptedException {
        boolean isWindows = System.getProperty("os.name").startsWith("Windows");
        ProcessBuilder builder = new ProcessBuilder(isWindows ? List.of("cmd", "/c", command) : List.of("sh", "-c", command))
                .inheritIO();
        builder.environment().putAll(variables);
        ChildProcess running = new ChildProcess(builder, 5);
        try (running) {
            running.process.onExit().thenRun(end::countDown);
            end.await();
        }
        return running.process.waitFor();
    }

    /** Sends SIGTERM to the process and its descendants, then SIGKILL to any still running after the timeout. */
    @Override
    public void close() {
        List<ProcessHandle> known = started();
        known.forEach(ProcessHandle::destroy);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(endSeconds);
        try {
            while (System.nanoTime() < deadline && known.stream().anyMatch(this::goesOn)) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        Stream.concat(known.stream(), started().stream()).filter(this::goesOn).forEach(ProcessHandle::destroyForcibly);
    }

    /** The process and its descendants, including orphans if {@code /proc} exists. */
    private List<ProcessHandle> started() {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        if (Files.isDirectory(PROCESSES)) {
            ProcessHandle.allProcesses().filter(each -> !all.contains(each) && isMarked(each)).forEach(all::add);
        }
        return all;
    }

    private boolean isMarked(ProcessHandle each) {
        try {
            String variables = Files.readString(PROCESSES.resolve(each.pid() + "/environ"), StandardCharsets.ISO_8859_1);
            return ("\0" + variables).contains("\0" + MARK + "=" + mark + "\0");
        } catch (IOException anothers) {
            return false;
        }
    }

    /** Whether a process is running. Zombies do not count because, in a container, their parent may never reap them. */
    private boolean goesOn(ProcessHandle each) {
        try {
            return each.isAlive() && (!Files.isDirectory(PROCESSES)
                    || !Files.readString(PROCESSES.resolve(each.pid() + "/stat"), StandardCharsets.ISO_8859_1).contains(") Z "));
        } catch (IOException ended) {
            return false;
        }
    }
}
