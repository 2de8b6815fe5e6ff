package stet.cli;

import java.io.InputStream;
import java.io.PrintStream;

/** What a command reads and writes: results go to out, all else to err. */
public record Console(InputStream in, PrintStream out, PrintStream err) {
    /**
     * Prints what is shown this once, and has it undone when nobody can have seen it.
     *
     * @param undone what is said then
     */
    void printOnce(String secret, Runnable undo, String undone) {
        out.println(secret);
        if (out.checkError()) {
            undo.run();
            err.println(undone);
        }
    }
}
