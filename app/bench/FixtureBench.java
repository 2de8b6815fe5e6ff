import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import stet.testing.StetFixture;

/**
 * Measures the test double: {@code java -cp target/stet.jar app/bench/FixtureBench.java}. The data is one account with 10, 100
 * and 1,000 templates of 16 KiB; figures are medians in ms. First starts need a fresh JVM; {@code -Dtemplates=100} measures
 * them with 100 templates.
 */
class FixtureBench {
    private static final int FEW = Integer.getInteger("templates", 10);
    private static final int MANY = 100;
    private static final int VERY_MANY = 1_000;
    private static final int JOURNAL = 10_000;

    public static void main(String[] arguments) throws Exception {
        Path data = Files.createTempDirectory("stet-bench");
        try {
            seed(data, FEW);
            System.out.printf("first start in a JVM, %5d templates    %6.1f%n", FEW, start(data) / 1e6);
            System.out.printf("second start in a JVM, %5d templates   %6.1f   (goal: 100)%n", FEW, start(data) / 1e6);
            System.out.printf("start in a warm JVM, %5d templates     %6.1f%n", FEW, median(20, () -> start(data)));
            processes(data, FEW);
            seed(data, MANY);
            processes(data, MANY);
            System.out.printf("reset with %5d templates               %6.1f   (goal: 10)%n", MANY, reset(data));
            System.out.printf("list of 10,000 requests                 %6.1f   (goal: 100)%n", list(data));
            seed(data, VERY_MANY);
            System.out.printf("reset with %5d templates               %6.1f   (goal: 50)%n", VERY_MANY, reset(data));
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

    private static double list(Path data) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        try (StetFixture stet = StetFixture.start(data)) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(stet.baseUrl() + "/templates/t0"))
                    .header("Authorization", "Bearer stet-bench-key").build();
            for (int i = 0; i < JOURNAL; i++) {
                client.send(request, BodyHandlers.discarding());
            }
            HttpRequest list = HttpRequest.newBuilder(URI.create(stet.url() + "/_fixture/requests")).build();
            return median(30, () -> {
                long begin = System.nanoTime();
                client.send(list, BodyHandlers.discarding());
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

    /** Starts the double alternately by {@code java -jar} and by the launchers in app/clients. */
    private static void processes(Path data, int templates) throws Exception {
        List<Long> plain = new ArrayList<>();
        List<Long> quick = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            plain.add(process(data));
            quick.add(process(data, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms64m"));
        }
        System.out.printf("process until ready, %5d templates     %6.1f%n", templates, median(plain));
        System.out.printf("the same by a launcher                  %6.1f   (goal: 500)%n", median(quick));
    }

    private static long process(Path data, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("-jar", System.getProperty("stet.jar", "target/stet.jar"), "fixture", data.toString()));
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(command).start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            out.readLine();
            return System.nanoTime() - begin;
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    /** One round; returns its duration in ns. */
    private interface Round {
        long run() throws Exception;
    }

    private static double median(int rounds, Round round) throws Exception {
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            times.add(round.run());
        }
        return median(times);
    }

    private static double median(List<Long> times) {
        return times.stream().sorted().toList().get(times.size() / 2) / 1e6;
    }

    private static void delete(Path folder) throws Exception {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
