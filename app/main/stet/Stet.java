package stet;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.time.Clock;
import java.util.Map;
import stet.cli.Cli;
import stet.cli.Command;
import stet.cli.CommandLine;
import stet.cli.Config;
import stet.cli.Console;
import stet.core.FullDisk;
import stet.core.Reason;
import stet.core.Refusal;
import stet.core.SystemFailure;
import stet.dao.StoreException;

/** The program. Only {@link #main} exits the process. */
public final class Stet {
    private static final int DONE = 0;
    private static final int REFUSED = 1;
    /** Exit code after a system error. */
    static final int FAILED = 2;
    /** The same exit code as with {@code -XX:+ExitOnOutOfMemoryError}, which the launchers set. */
    private static final int OUT_OF_MEMORY = 3;

    private Stet() {
    }

    public static void main(String[] arguments) {
        Server.setProperties();
        ProcessLog.setProperties();
        Preload.start(arguments);
        // Always prints UTF-8, because the default charset of JDK 17 may be US-ASCII.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        System.exit(run(arguments, System.getenv(), new Console(System.in, out, err, ProcessLog::open), Clock.systemUTC()));
    }

    /**
     * Runs one command and prints error messages to {@code console.err()}. The {@code serve} command runs until the thread is
     * interrupted or the process is stopped.
     *
     * @return 0 for success, 1 for a user error or a problem found, 2 for a system error, 3 if out of memory, 4 if {@code --exit-code}
     *         finds changes, or the exit code of the {@code fixture --exec} command
     */
    static int run(String[] arguments, Map<String, String> environment, Console console, Clock clock) {
        PrintStream err = console.err();
        Config config = null;
        try {
            config = CommandLine.parse(arguments, environment);
            if (config.command() != Command.SERVE) { // serve logs them
                config.unknown().forEach(err::println);
            }
            int code = DONE;
            switch (config.command()) {
                case SERVE -> new Service(config, console, clock).serve();
                case DEMO -> new Service(config, console, clock).demo();
                case FIXTURE -> code = new FixtureService(config, console, new Service(config, console, clock)).run();
                default -> code = new Cli(config, console, clock).run();
            }
            if (console.out().checkError()) {
                err.println("Cannot write the output. The disk may be full, or the program reading the output may have exited.");
                return FAILED;
            }
            return code;
        } catch (Refusal refusal) {
            err.println(refusal.getMessage());
            return REFUSED;
        } catch (StoreException failure) {
            err.println(failure.isOfDisk() && FullDisk.isFull(config.data())
                    ? new FullDisk(config.data(), FullDisk.MIN_FREE_BYTES).getMessage()
                    : "Database error: " + failure.getMessage());
            return FAILED;
        } catch (SystemFailure failure) {
            err.println(failure.getMessage());
            return FAILED;
        } catch (IOException | UncheckedIOException failure) {
            IOException cause = failure instanceof IOException checked ? checked : (IOException) failure.getCause();
            String file = cause instanceof FileSystemException system && system.getFile() != null ? system.getFile() + ": " : "";
            err.println((cause instanceof ConnectException ? "" : "System error: " + file) + Reason.of(cause));
            return FAILED;
        } catch (OutOfMemoryError full) {
            err.println("Out of memory; give Java a larger heap, for example with -Xmx512m");
            return OUT_OF_MEMORY;
        } catch (RuntimeException | Error defect) {
            err.println("Unexpected error; please report it: " + defect);
            defect.printStackTrace(err);
            return FAILED;
        }
    }
}
