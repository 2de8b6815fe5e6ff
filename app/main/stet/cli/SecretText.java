package stet.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.base.Utf8;

/** Secrets as editors and shells write them: with a byte order mark before them, or line breaks after them. */
final class SecretText {
    private static final int MAX_BYTES = 8 << 10;

    private SecretText() {
    }

    /**
     * Reads at most 8 KiB of a file.
     *
     * @param file {@code -} for standard input
     * @throws Refusal       if it is not UTF-8, or the file does not exist
     * @throws SystemFailure if it cannot be read
     */
    static String read(String file, InputStream standardInput) {
        boolean isInput = file.equals("-");
        try (InputStream in = isInput ? standardInput : Files.newInputStream(Config.path(file))) {
            return Utf8.decode(in.readNBytes(MAX_BYTES)).orElseThrow(() -> new Refusal(
                    (isInput ? "Standard input" : "The file " + file) + " is not UTF-8; convert it to UTF-8"));
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot read " + (isInput ? "standard input" : "the file " + file), failure);
        }
    }

    /** Removes what editors and shells add: a byte order mark and final line breaks. */
    static String trimmed(String secret) {
        return Utf8.withoutMark(secret).replaceFirst("[\r\n]+\\z", "");
    }
}
