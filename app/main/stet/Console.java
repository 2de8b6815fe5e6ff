package stet;

import java.io.InputStream;
import java.io.PrintStream;

/** What a command reads and writes: results go to out, all else to err. */
record Console(InputStream in, PrintStream out, PrintStream err) {
}
