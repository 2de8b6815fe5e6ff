package stet.cli;

import java.io.InputStream;
import java.io.PrintStream;
import stet.core.Log;

/** A command's streams and a service's log. Results go to out, messages to err. */
public record Console(InputStream in, PrintStream out, PrintStream err, Logs logs) {
    /** Opens a service's log. */
    public interface Logs {
        Log open(Log.Level lowest, boolean json);
    }
}
