package stet.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import stet.base.Reason;
import stet.upkeep.Backups;

/**
 * The {@code --after-backup} program, which runs without a shell or standard input. Its only argument is the backup's path. The
 * program does not inherit {@code STET_*} variables, which may hold secrets.
 */
public final class BackupProgram implements Backups.Program {
    /** Interval between checks for output, the end, the timeout and a stop. */
    private static final long POLL_MILLIS = 20;
    private static final int GRACE_SECONDS = 2;
    /** Maximum number of bytes of output to read at once. */
    private static final int MAX_READ = 1 << 16;
    /** Maximum number of bytes to log, taken from the end of the output. */
    private static final int MAX_OUTPUT = 1_000;

    private final Path program;
    private final Duration timeout;

    public BackupProgram(Path program, Duration timeout) {
        this.program = program;
        this.timeout = timeout;
    }

    @Override
    public Backups.ProgramOutcome run(Path backup, BooleanSupplier isStopped) {
        ProcessBuilder builder = new ProcessBuilder(program.toString(), backup.toAbsolutePath().toString()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("STET_"));
        long deadline = System.nanoTime() + timeout.toNanos();
        byte[] output = {};
        try (ChildProcess child = new ChildProcess(builder, GRACE_SECONDS)) {
            child.process.getOutputStream().close();
            InputStream out = child.process.getInputStream();
            while (!isStopped.getAsBoolean() && System.nanoTime() < deadline) {
                int available = out.available();
                if (available > 0) {
                    output = lastBytes(output, out.readNBytes(Math.min(available, MAX_READ)));
                } else if (child.process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) && out.available() == 0) {
                    int code = child.process.exitValue();
                    return outcome(code == 0 ? null : "exit code " + code, output);
                }
            }
            return outcome(isStopped.getAsBoolean() ? "serve stopped" : "timed out after " + timeout.toSeconds() + " s", output);
        } catch (IOException failure) {
            return outcome("cannot run: " + Reason.of(failure), output);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return outcome("interrupted", output);
        }
    }

    private static byte[] lastBytes(byte[] before, byte[] next) {
        byte[] all = Arrays.copyOf(before, before.length + next.length);
        System.arraycopy(next, 0, all, before.length, next.length);
        return Arrays.copyOfRange(all, Math.max(0, all.length - MAX_OUTPUT), all.length);
    }

    private static Backups.ProgramOutcome outcome(String failure, byte[] output) {
        return new Backups.ProgramOutcome(failure, output.length == 0 ? null : new String(output, StandardCharsets.UTF_8).strip());
    }
}
