package stet.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A printed difference rebuilds one text from the other, whatever its line ends. */
class DifferenceTest {
    private static final Pattern HUNK = Pattern.compile("@@ -(\\d+)(?:,(\\d+))? \\+(\\d+)(?:,(\\d+))? @@");
    private static final List<String> ENDS = List.of("\n", "\n", "\r\n", "\r\n", "\r", "\r\r\n", " \n", "\n\n", "\u2028\n", "\f\n", "");
    private static final List<String> WORDS = List.of("", "a", "b", "<p>c</p>", "- d", "+ e", "-- f", "++ g", "\\ No newline at end of file",
            "@@ -1 +1 @@", "\u00e9\u200d", " ", "\t");

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(14); i > 0; i--) {
            text.append(WORDS.get(random.nextInt(WORDS.size()))).append(ENDS.get(random.nextInt(ENDS.size())));
        }
        return text.toString();
    }

    /** A text that shares most lines with another, maybe with other line ends. */
    private static String edited(String text, Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> text.replace("\r\n", "\n");
            case 1 -> text.replace("\r", "").replace("\n", "\r\n");
            case 2 -> text.replace("\n", "\r");
            case 3 -> text.replaceFirst("\r?\n\\z", "");
            default -> {
                int at = random.nextInt(text.length() + 1);
                yield text.substring(0, at) + text(random) + text.substring(Math.min(text.length(), at + random.nextInt(9)));
            }
        };
    }

    /** Applies hunks. Each line ends with LF unless a backslash line follows. */
    private static String applied(String old, List<String> hunks) {
        List<String> before = Stream.of(old.split("(?<=\n)")).filter(line -> !line.isEmpty()).toList();
        StringBuilder after = new StringBuilder();
        int at = 0;
        for (int i = 0; i < hunks.size(); ) {
            Matcher head = HUNK.matcher(hunks.get(i++));
            assertTrue(head.matches());
            int from = Integer.parseInt(head.group(1)) - ("0".equals(head.group(2)) ? 0 : 1);
            while (at < from) {
                after.append(before.get(at++));
            }
            for (; i < hunks.size() && !HUNK.matcher(hunks.get(i)).matches(); i++) {
                String line = hunks.get(i);
                if (line.startsWith("\\")) {
                    continue;
                }
                boolean isEnded = i + 1 == hunks.size() || !hunks.get(i + 1).startsWith("\\");
                String content = line.substring(1) + (isEnded ? "\n" : "");
                if (line.charAt(0) != '+') {
                    assertEquals(before.get(at++), content);
                }
                after.append(line.charAt(0) == '-' ? "" : content);
            }
        }
        return after.append(String.join("", before.subList(at, before.size()))).toString();
    }

    @Test
    void anyDifferenceRebuildsTheOtherSide() {
        Random random = new Random(1);
        for (int i = 0; i < 5_000; i++) {
            String old = text(random);
            String now = edited(old, random);
            assertEquals(now, applied(old, Difference.hunks(old, now)));
            assertEquals(old, applied(now, Difference.hunks(now, old)));
        }
    }

    @Test
    void patchRebuildsTheOtherSide(@TempDir Path folder) throws Exception {
        assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(path -> Files.isExecutable(Path.of(path, "patch"))), "no patch");
        Random random = new Random(2);
        List<String> texts = new ArrayList<>();
        StringBuilder patch = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            String old = "x" + text(random);
            String now = "x" + edited(old, random);
            String name = i + " of account.html";
            write(folder.resolve(name), old);
            texts.add(now);
            if (!old.equals(now)) {
                patch.append("--- a/" + name + "\t\n+++ b/" + name + "\t\n");
                Difference.hunks(old, now).forEach(line -> patch.append(line).append('\n'));
            }
        }
        write(folder.resolve("patch"), patch.toString());
        Process process = new ProcessBuilder("patch", "-p1", "-f", "-i", "patch").directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile()).start();
        assertTrue(process.waitFor(5, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue(), Files.readString(folder.resolve("output")));
        for (int i = 0; i < texts.size(); i++) {
            assertEquals(texts.get(i), Files.readString(folder.resolve(i + " of account.html")));
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }
}
