package stet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** Describes the machine and programs used for a measurement. */
final class Machine {
    private Machine() {
    }

    static String markdown(Pace pace) throws Exception {
        return String.join("\n",
                "- Date: " + LocalDate.now(),
                "- Machine: " + Runtime.getRuntime().availableProcessors() + " cores (" + entry("/proc/cpuinfo", "model name") + "), "
                        + memory() + " GiB of memory, " + System.getProperty("os.name") + " " + System.getProperty("os.version"),
                "- JDK: " + System.getProperty("java.runtime.name") + " " + System.getProperty("java.runtime.version")
                        + " (" + System.getProperty("java.vendor") + ")",
                "- Stet " + version() + (Lab.JAR.equals(Lab.BUILT) ? "" : " (" + Lab.JAR + ")") + ", load by " + printed("wrk", "-v") + Lab.program("nginx").map(nginx -> ", " + printed(nginx.toString(), "-v")).orElse(""),
                "- Load generator and server share the machine; " + pace.rounds() + (pace.rounds() == 1 ? " round of " : " rounds of ") + pace.seconds()
                        + " s on each side in turns, after a warm-up of " + pace.warmUp() + " s; a ratio is the median of the rounds' (lowest to highest)");
    }

    private static String version() throws IOException {
        try (JarFile jar = new JarFile(Lab.JAR.toFile())) {
            return jar.getManifest().getMainAttributes().getValue("Implementation-Version");
        }
    }

    private static String memory() {
        String kibibytes = entry("/proc/meminfo", "MemTotal").replaceAll("[^0-9]", "");
        return kibibytes.isEmpty() ? "?" : String.format(Locale.ROOT, "%.0f", Double.parseDouble(kibibytes) / (1 << 20));
    }

    private static String entry(String file, String name) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(name)).findFirst().map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse("?");
        } catch (IOException otherSystem) {
            return "?";
        }
    }

    /** Returns the first line of a program's version output, up to a bracket. */
    private static String printed(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes());
            return output.lines().findFirst().orElse("?").replaceFirst("nginx version: ", "").replaceFirst(" \\[.*", "");
        } catch (IOException missing) {
            return command[0];
        }
    }
}
