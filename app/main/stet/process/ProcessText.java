package stet.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stet.base.FileNames;
import stet.base.Refusal;
import stet.base.Utf8;
import stet.cli.Option;

/**
 * This process's arguments and variables as UTF-8. The JVM decodes them in the locale's charset, which replaces or misreads other
 * characters. Linux has their bytes; where they cannot be had, a text that the JVM may have misread is rejected.
 *
 * <pre>
 * UTF-8 locale, nothing replaced ─► as the JVM read it
 * otherwise ─► bytes from /proc/self ─► UTF-8, or rejected
 * </pre>
 */
public final class ProcessText {
    private static final Path PROCESS = Path.of("/proc/self");

    private ProcessText() {
    }

    /** @param read the main method's arguments @throws Refusal if an argument is not UTF-8 */
    public static String[] arguments(String[] read) {
        if (Arrays.stream(read).noneMatch(ProcessText::isDoubtful)) {
            return read;
        }
        List<byte[]> all = parts("cmdline");
        List<byte[]> last = all.subList(Math.max(0, all.size() - read.length), all.size());
        String[] exact = new String[read.length];
        for (int i = 0; i < read.length; i++) {
            // A file of arguments (java @FILE) is expanded by the launcher, so the process's own arguments are others.
            byte[] bytes = last.size() == read.length && mayBeReadAs(last.get(i), read[i]) ? last.get(i) : null;
            exact[i] = exact("Argument " + (i + 1), bytes, read[i]);
        }
        return exact;
    }

    /** @throws Refusal if the variable of an option is not UTF-8 */
    public static Map<String, String> environment() {
        Map<String, String> read = System.getenv();
        List<String> doubtful = Arrays.stream(Option.values()).map(Option::variable)
                .filter(name -> isDoubtful(read.getOrDefault(name, ""))).toList();
        if (doubtful.isEmpty()) {
            return read;
        }
        Map<String, String> exact = new HashMap<>(read);
        List<byte[]> all = parts("environ");
        for (String name : doubtful) {
            byte[] start = (name + "=").getBytes(StandardCharsets.US_ASCII);
            byte[] bytes = all.stream().filter(each -> each.length >= start.length && Arrays.equals(each, 0, start.length, start, 0, start.length))
                    .findFirst().map(each -> Arrays.copyOfRange(each, start.length, each.length)).orElse(null);
            exact.put(name, exact(name, bytes, read.get(name)));
        }
        return exact;
    }

    /** Whether the JVM may have misread a text. On Windows, its charset is that of the system's arguments. */
    private static boolean isDoubtful(String read) {
        return read.indexOf(FileNames.REPLACEMENT) >= 0 || !FileNames.ARE_UTF_8 && (!FileNames.isAscii(read) || read.indexOf('?') >= 0);
    }

    /** Whether the JVM may have read a text from these bytes: both are the same ASCII, or both are not ASCII. */
    private static boolean mayBeReadAs(byte[] bytes, String read) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.equals(read) || !FileNames.isAscii(text) && (!FileNames.isAscii(read) || read.indexOf('?') >= 0);
    }

    /**
     * @param what  names the text in messages
     * @param bytes the text's bytes; null if they are not known
     * @param read  the text as the JVM read it
     * @throws Refusal if the bytes are not UTF-8, or if they are not known and the JVM may have misread them
     */
    private static String exact(String what, byte[] bytes, String read) {
        if (bytes != null) {
            return Utf8.decode(bytes).orElseThrow(() -> new Refusal(what + " is not UTF-8; use a terminal with UTF-8"));
        }
        if (isDoubtful(read) && !FileNames.isAscii(read)) {
            FileNames.check(what, read);
            throw new Refusal(what + " is not UTF-8; set LC_ALL=C.UTF-8 and try again");
        }
        return read;
    }

    /** The texts of a file of the process, each of which ends with NUL; empty if the system has no such file. */
    private static List<byte[]> parts(String file) {
        if (File.separatorChar != '/' || !Files.isReadable(PROCESS.resolve(file))) {
            return List.of();
        }
        try {
            // ISO 8859-1 preserves all bytes. Empty texts count, but nothing follows the last NUL.
            String all = new String(Files.readAllBytes(PROCESS.resolve(file)), StandardCharsets.ISO_8859_1);
            String[] parts = all.split("\0", -1);
            return Arrays.stream(parts, 0, parts.length - 1).map(part -> part.getBytes(StandardCharsets.ISO_8859_1)).toList();
        } catch (IOException unreadable) {
            return List.of();
        }
    }
}
