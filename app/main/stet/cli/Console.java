package stet.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.time.Clock;
import java.util.function.Function;
import stet.core.Log;

/**
 * The streams of a command: results go to out, all else to err.
 *
 * @param logs opens the output of the log; given whether it is of JSON objects
 */
public record Console(InputStream in, PrintStream out, PrintStream err, Function<Boolean, Log.Output> logs) {
    /** Opens the log of warnings and failures, as text. */
    public Log warnings() {
        return new Log(logs.apply(false), Clock.systemUTC(), false, Log.Level.WARN);
    }
}
