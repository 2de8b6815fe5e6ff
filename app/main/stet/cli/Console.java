package stet.cli;

import java.io.InputStream;
import java.io.PrintStream;

/** The streams of a command: results go to out, all else to err. */
public record Console(InputStream in, PrintStream out, PrintStream err) {
}
