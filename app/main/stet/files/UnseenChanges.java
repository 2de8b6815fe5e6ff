package stet.files;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import stet.markup.Problems.Level;

/** Warnings about changes to a file that a reader does not see. The file is imported as it is. */
final class UnseenChanges {
    private static final String BYTE_ORDER_MARK = "\ufeff";

    private UnseenChanges() {
    }

    /** @param before the text in the account; null if there is none @param now the file's text, which differs */
    static List<String> changes(String path, String before, String now) {
        return Stream.of(
                before != null && areEqualLines(before, now) ? Optional.of("only line endings changed") : Optional.<String>empty(),
                now.startsWith(BYTE_ORDER_MARK) && (before == null || !before.equals(now))
                        ? Optional.of("the file begins with a byte order mark (U+FEFF), which becomes part of the email; save the file as UTF-8 without it")
                        : Optional.<String>empty())
                .flatMap(Optional::stream).map(sentence -> Level.WARNING.label() + ": " + path + ": " + sentence).toList();
    }

    /** Whether two texts differ, but only in line endings (LF, CRLF or CR). */
    static boolean areEqualLines(String one, String other) {
        return !one.equals(other) && lines(one).equals(lines(other));
    }

    private static String lines(String text) {
        return text.replace("\r\n", "\n").replace('\r', '\n');
    }
}
