package stet.core;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** The passwords that are guessed first: Django's list of the 20,000 most common, in lower case, one a line. */
final class CommonPasswords {
    private static final String LIST = "/passwords/common-passwords.txt.gz";

    private CommonPasswords() {
    }

    /** Reads the list each time, in a few ms: a password is set so seldom that the list need not stay in memory. */
    static boolean contain(String password) {
        String wanted = password.strip().toLowerCase(Locale.ROOT);
        try (BufferedReader list = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(CommonPasswords.class.getResourceAsStream(LIST)), StandardCharsets.UTF_8))) {
            return list.lines().anyMatch(wanted::equals);
        } catch (IOException brokenJar) {
            throw new UncheckedIOException(brokenJar);
        }
    }
}
