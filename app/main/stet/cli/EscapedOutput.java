package stet.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command's output, whose texts may come from files, names or servers. Characters that could control a terminal, hide text or start
 * a new line are printed as {@code \}{@code u001b}, and so is the start of a CI system's command, such as {@code ::error::}. JSON keeps
 * its meaning, because such characters occur only in its strings. Bytes are written unchanged.
 */
public final class EscapedOutput extends PrintStream {
    private static final Pattern UNSAFE = Pattern.compile("[[\\p{Cc}&&[^\t]]\\p{Cf}\\p{Zl}\\p{Zp}]"
            + "|:(?=:)(?<=^[\\s\\p{Z}]{0,1000}:)" // GitHub reads a command only at the start of a line
            + "|#(?=#\\w*\\[)"); // GitHub, Azure Pipelines and TeamCity

    public EscapedOutput(OutputStream out) {
        super(out, true, StandardCharsets.UTF_8);
    }

    /** Escapes a text that is printed within a line. */
    static String escape(String text) {
        Matcher unsafe = UNSAFE.matcher(text);
        return unsafe.find() ? unsafe.replaceAll(found -> Matcher.quoteReplacement(codes(found.group()))) : text;
    }

    private static String codes(String characters) {
        StringBuilder text = new StringBuilder();
        for (char unit : characters.toCharArray()) {
            text.append(unit == '\n' ? "\\n" : unit == '\r' ? "\\r" : String.format("\\u%04x", (int) unit));
        }
        return text.toString();
    }

    /** Prints text of one or more lines, each of which is escaped. */
    @Override
    public void print(String text) {
        StringBuilder lines = new StringBuilder();
        for (String line : String.valueOf(text).split("(?<=\n)")) {
            String end = line.endsWith(System.lineSeparator()) ? System.lineSeparator() : line.endsWith("\n") ? "\n" : "";
            lines.append(escape(line.substring(0, line.length() - end.length()))).append(end);
        }
        super.print(lines.toString());
    }

    @Override
    public void print(Object value) {
        print(String.valueOf(value));
    }

    /** Prints one line; line breaks within the text are escaped. */
    @Override
    public void println(String line) {
        super.print(escape(String.valueOf(line)) + System.lineSeparator()); // one system call
    }

    @Override
    public void println(Object value) {
        println(String.valueOf(value));
    }
}
