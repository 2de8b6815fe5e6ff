import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;
import stet.testing.StetFixture;

/**
 * How fast the test double is at hand: {@code java -cp target/stet.jar app/bench/FixtureBench.java}. The data are one
 * account with 100 templates of 16 KiB, and once with 1,000; figures are in ms, the median of some rounds.
 */
class FixtureBench {
    private static final int TEMPLATES = 100;
    private static final int MANY_TEMPLATES = 1_000;

    public static void main(String[] arguments) throws Exception {
        Path data = Files.createTempDirectory("stet-bench");
        try {
            seed(data, TEMPLATES);
            long first = start(data);
            System.out.printf("first start in a JVM            %6.1f%n", first / 1e6);
            System.out.printf("second start in a JVM           %6.1f   (goal: 100)%n", start(data) / 1e6);
            System.out.printf("start in a warm JVM             %6.1f%n", median(20, () -> start(data)));
            System.out.printf("reset with %5d templates      %6.1f   (goal: 10)%n", TEMPLATES, reset(data));
            System.out.printf("start of a process until ready  %6.1f   (goal: 500)%n", median(7, () -> process(data)));
            seed(data, MANY_TEMPLATES);
            System.out.printf("reset with %5d templates      %6.1f   (goal: 50)%n", MANY_TEMPLATES, reset(data));
        } finally {
            delete(data);
        }
    }

    private static double reset(Path data) throws Exception {
        try (StetFixture stet = StetFixture.start(data)) {
            return median(50, () -> {
                long begin = System.nanoTime();
                stet.reset();
                return System.nanoTime() - begin;
            });
        }
    }

    private static void seed(Path data, int templates) throws Exception {
        Files.createDirectories(data.resolve("templates"));
        Files.writeString(data.resolve("account.json"),
                "{\"email\": \"bench@example.com\", \"plan\": \"pro\", \"keys\": [{\"name\": \"bench\", \"key\": \"stet-bench-key\"}]}");
        for (int i = 0; i < templates; i++) {
            Files.writeString(data.resolve("templates/t" + i + ".html"), "<p>{{name}}</p>" + "x".repeat(16 << 10));
        }
    }

    private static long start(Path data) {
        long begin = System.nanoTime();
        StetFixture stet = StetFixture.start(data);
        long took = System.nanoTime() - begin;
        stet.close();
        return took;
    }

    private static long process(Path data) throws Exception {
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar",
                System.getProperty("stet.jar", "target/stet.jar"), "fixture", data.toString()).start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            out.readLine();
            return System.nanoTime() - begin;
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    /** One round of something; the time it took, in ns. */
    private interface Round {
        long run() throws Exception;
    }

    private static double median(int rounds, Round round) throws Exception {
        long[] times = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            times[i] = round.run();
        }
        Arrays.sort(times);
        return times[rounds / 2] / 1e6;
    }

    private static void delete(Path folder) throws Exception {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
