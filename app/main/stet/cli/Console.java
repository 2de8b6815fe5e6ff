package stet.cli;

import java.io.InputStream;
import java.io.PrintStream;
import stet.base.Log;

/** A command's streams and a service's log. Results go to out, messages to err; both escape what they print ({@link EscapedOutput}). */
public record Console(InputStream in, PrintStream out, PrintStream err, Logs logs) {
    public Console {
        out = new EscapedOutput(out);
        err = new EscapedOutput(err);
    }

    /** Opens a service's log. */
    public interface Logs {
        Log open(Log.LogLevel lowest, boolean json);
    }
}
