package stet.base;

import java.io.File;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * File names as UTF-8. On Unix, names are bytes, which the JVM decodes in the locale's charset: without a UTF-8 locale, for example in
 * cron jobs and containers, it replaces all others by U+FFFD and cannot write them.
 */
public final class FileNames {
    /** Whether the JVM reads and writes all file names, because the locale's charset is UTF-8 or the system's names are not bytes. */
    public static final boolean ARE_UTF_8 = File.separatorChar != '/' || "UTF-8".equalsIgnoreCase(charset());
    /** Character to which a JVM decodes bytes that its charset does not have. */
    public static final char REPLACEMENT = '\ufffd';

    private FileNames() {
    }

    /** The charset of the locale, in which the JVM decodes arguments, variables and file names. */
    public static String charset() {
        return System.getProperty("sun.jnu.encoding", "");
    }

    public static boolean isAscii(String text) {
        return text.chars().allMatch(letter -> letter < 128);
    }

    /** @param what names the text in the message @throws Refusal if the JVM would give the system another text */
    public static void check(String what, String text) {
        if (!ARE_UTF_8 && !isAscii(text)) {
            throw new Refusal(what + " has characters that the locale's charset, " + charset()
                    + ", does not support; set LC_ALL=C.UTF-8 and try again");
        }
    }

    /** @throws Refusal if the JVM would resolve relative paths against another folder than the working directory */
    public static void checkWorkingDirectory() {
        String folder = System.getProperty("user.dir");
        if (folder.indexOf(REPLACEMENT) >= 0 || !ARE_UTF_8 && !isAscii(folder)) {
            throw new Refusal("The name of the working directory has characters that the locale's charset, " + charset()
                    + ", does not support; set LC_ALL=C.UTF-8 or use absolute paths");
        }
    }

    /** The last name of a path, decoded as UTF-8 in any locale, without a final slash. Bytes that are not UTF-8 become U+FFFD. */
    public static String last(Path path) {
        String name = path.getFileName().toString();
        boolean areBytes = File.separatorChar == '/' && path.getFileSystem() == FileSystems.getDefault();
        boolean isDecoded = isAscii(name) || ARE_UTF_8 && name.indexOf(REPLACEMENT) < 0;
        String decoded = areBytes && !isDecoded ? decodedFromUri(path).orElse(name) : name;
        return decoded.replaceFirst("/$", "");
    }

    /** Decodes the name from the path's URI, which has the name's bytes in hexadecimal; empty if they are not UTF-8. */
    private static Optional<String> decodedFromUri(Path path) {
        String uri = path.toAbsolutePath().toUri().getRawPath().replaceFirst("/$", "");
        String name = uri.substring(uri.lastIndexOf('/') + 1);
        byte[] bytes = new byte[name.length()];
        int length = 0;
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) == '%') {
                bytes[length++] = (byte) Integer.parseInt(name.substring(i + 1, i + 3), 16);
                i += 2;
            } else {
                bytes[length++] = (byte) name.charAt(i);
            }
        }
        return Utf8.decode(Arrays.copyOf(bytes, length));
    }
}
