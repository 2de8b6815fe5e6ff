package stet.cli;

import java.io.InputStream;
import java.io.PrintStream;
import stet.core.Log;

/** The streams of a command: results go to out, all else to err; and the log of a service. */
public record Console(InputStream in, PrintStream out, PrintStream err, Logs logs) {
    /** Opens the log of a service. */
    public interface Logs {
        Log open(Log.Level lowest, boolean json);
    }
}
