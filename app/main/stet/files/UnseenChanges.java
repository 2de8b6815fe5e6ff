package stet.files;

import java.util.ArrayList;
import java.util.List;
import stet.base.Utf8;
import stet.markup.Problems.Level;

/** Warnings about changes to a file that a reader does not see. The file is imported as it is. */
final class UnseenChanges {
    private UnseenChanges() {
    }

    /** @param before the text in the account; null if there is none @param after the file's text */
    static List<String> warnings(String path, String before, String after) {
        List<String> sentences = new ArrayList<>();
        if (before != null && areEqualLines(before, after)) {
            sentences.add("only line endings changed");
        }
        if (after.startsWith(Utf8.BYTE_ORDER_MARK) && !after.equals(before)) {
            sentences.add("the file begins with a byte order mark (U+FEFF), which becomes part of the email; save the file as UTF-8 without it");
        }
        return sentences.stream().map(sentence -> Level.WARNING.label() + ": " + path + ": " + sentence).toList();
    }

    /** Whether two texts differ, but only in line endings (LF, CRLF or CR). */
    static boolean areEqualLines(String one, String other) {
        return !one.equals(other) && lines(one).equals(lines(other));
    }

    private static String lines(String text) {
        return text.replace("\r\n", "\n").replace('\r', '\n');
    }
}
