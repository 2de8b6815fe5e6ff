package stet;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import stet.base.FullDisk;
import stet.base.Json;
import stet.base.Reason;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.base.Utf8;
import stet.cli.Cli;
import stet.cli.Command;
import stet.cli.CommandLine;
import stet.cli.Config;
import stet.cli.Console;
import stet.cli.Option;
import stet.cli.ServerFailure;
import stet.dao.StoreException;
import stet.process.Preload;
import stet.process.ProcessLog;
import stet.process.ProcessText;
import stet.server.Server;
import stet.sqlite.TemporaryFolder;

/** The program. Only {@link #main} exits the process. */
public final class Stet {
    private static final int DONE = 0;
    private static final int REFUSED = 1;
    private static final int FAILED = SystemFailure.EXIT_CODE;
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
        Console console = new Console(System.in, out, err, ProcessLog::open);
        System.exit(run(() -> CommandLine.parse(ProcessText.arguments(arguments), ProcessText.environment()), isJson(arguments, System.getenv()),
                console, Clock.systemUTC()));
    }

    /**
     * Runs one command and prints error messages to {@code console.err()}. The {@code serve} command runs until the thread is
     * interrupted or the process is stopped.
     *
     * @return 0 for success, 1 for a user error or a problem found, 2 for a system error, 3 if out of memory, 4 if {@code --exit-code}
     *         finds changes, or the exit code of the {@code fixture --exec} command
     */
    public static int run(String[] arguments, Map<String, String> environment, Console console, Clock clock) {
        return run(() -> CommandLine.parse(arguments, environment), isJson(arguments, environment), console, clock);
    }

    /** @param json whether errors are printed as JSON */
    private static int run(Supplier<Config> parsing, boolean json, Console console, Clock clock) {
        PrintStream err = console.err();
        Config config = null;
        try {
            config = parsing.get();
            int code = run(config, console, clock);
            if (console.out().checkError()) {
                return fail(FAILED, "Cannot write the output. The disk may be full, or the program reading the output may have exited.", json, err);
            }
            return code;
        } catch (Refusal refusal) {
            return fail(REFUSED, refusal.getMessage(), json, err);
        } catch (StoreException failure) {
            return fail(FAILED, message(failure, config.data()), json, err);
        } catch (SystemFailure failure) {
            return fail(FAILED, failure.getMessage(), json, err);
        } catch (IOException failure) {
            return fail(FAILED, message(failure), json, err);
        } catch (UncheckedIOException failure) {
            return fail(FAILED, message(failure.getCause()), json, err);
        } catch (OutOfMemoryError full) {
            return fail(OUT_OF_MEMORY, "Out of memory; give Java a larger heap, for example with -Xmx512m", json, err);
        } catch (RuntimeException | Error defect) {
            return fail(defect, json, err);
        }
    }

    /** Runs a parsed command. @return its exit code */
    private static int run(Config config, Console console, Clock clock) throws IOException {
        if (config.command() != Command.SERVE) { // serve logs them
            config.unknown().forEach(console.err()::println);
        }
        switch (config.command()) {
            case SERVE -> new Service(config, console, clock).serve();
            case DEMO -> new Service(config, console, clock).demo();
            case FIXTURE -> {
                return new FixtureService(config, console, new Service(config, console, clock)).run();
            }
            default -> {
                return new Cli(config, console, clock).run();
            }
        }
        return DONE;
    }

    private static String message(StoreException failure, Path data) {
        return failure.isOfDisk() && FullDisk.isFull(data) ? new FullDisk(data, FullDisk.MIN_FREE_BYTES).getMessage()
                : "Database error: " + failure.getMessage();
    }

    private static String message(IOException failure) {
        String file = failure instanceof FileSystemException system && system.getFile() != null ? system.getFile() + ": " : "";
        String start = failure instanceof ServerFailure ? "" : "System error: " + file;
        return TemporaryFolder.advice(failure).orElse(start + Reason.of(failure));
    }

    /** Prints an error: a sentence or, with --json, an object, which is always the last line. @return the exit code */
    private static int fail(int code, String error, boolean json, PrintStream err) {
        err.println(!json ? error : Utf8.text(Json.write(Json.object().put("error", error).put("exitCode", code))));
        return code;
    }

    /** Prints a defect with its stack trace, which precedes the object of --json. @return the exit code */
    private static int fail(Throwable defect, boolean json, PrintStream err) {
        String error = "Unexpected error; please report it: " + defect;
        if (json) {
            defect.printStackTrace(err);
            return fail(FAILED, error, true, err);
        }
        fail(FAILED, error, false, err);
        defect.printStackTrace(err);
        return FAILED;
    }

    /** Whether errors are printed as JSON. Also true for an invalid command line, whose options are unknown. */
    private static boolean isJson(String[] arguments, Map<String, String> environment) {
        return List.of(arguments).contains(Option.JSON.word()) || "true".equals(environment.get(Option.JSON.variable()));
    }
}
