package bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Time and CPU time from process start to the first response, and the time of a short command. */
final class Start {
    private static final int STARTS = 11;

    private Start() {
    }

    /** A program that listens on a given port. */
    private interface Program {
        List<String> command(int port) throws Exception;
    }

    /** From process start to the first response, in ms. */
    private record Time(double wall, double cpu) {
    }

    /** Measures {@code java -jar}, and the jar as a program with and without its class data archive. */
    static List<Line> measure(Bench.Pace pace) throws Exception {
        Data data = Data.accounts(Lab.JAR, "start");
        List<String> options = Lab.programOptions();
        List<Line> lines = new ArrayList<>();
        lines.add(line(data, 2.4, List.of(), "`java -jar stet.jar serve` to the first 200", port -> Lab.serve(Lab.JAR, data, port)));
        lines.add(line(data, 2.4, options, "`stet.jar serve` without its archive of classes", port -> {
            Lab.run(List.of("find", data.stet().resolve("native").toString(), "-name", "classes-*", "-delete"));
            return Lab.program(data, port);
        }));
        lines.add(line(data, 2, options, "the same with the archive, which the start before has made", port -> Lab.program(data, port)));
        try (Child serve = Lab.program(data)) {
            serve.url();
            List<Double> times = Figures.millis(STARTS, () -> Lab.command(data, "key", "list", "account0@example.com"));
            lines.add(Line.millis(150, times, "`stet.jar key list` with the archive"));
        }
        return lines;
    }

    /** Starts Stet and the bare handler alternately; each one's first start does not count. */
    private static Line line(Data data, double goal, List<String> options, String what, Program stet) throws Exception {
        Path body = Files.write(Lab.FOLDER.resolve("body"), new byte[] {'o', 'k'});
        String key = Files.readAllLines(data.keys()).get(0);
        List<Time> own = new ArrayList<>();
        List<Time> other = new ArrayList<>();
        for (int i = 0; i <= STARTS; i++) {
            other.add(untilAnswer(port -> Lab.own(options, Bare.class, body.toString(), "text/html", Integer.toString(port)), key));
            own.add(untilAnswer(stet, key));
        }
        Figures ratio = new Figures(List.of(wall(own).median() / wall(other).median()));
        return Line.atMost(goal, ratio, what, "Stet " + words(own) + ", bare " + words(other));
    }

    private static Figures wall(List<Time> times) {
        return new Figures(times.stream().skip(1).map(Time::wall).toList());
    }

    private static String words(List<Time> times) {
        Figures cpu = new Figures(times.stream().skip(1).map(Time::cpu).toList());
        return Figures.words(wall(times).median()) + " ms (CPU " + Figures.words(cpu.median()) + " ms)";
    }

    /** Starts a program and ends it after its first response. */
    private static Time untilAnswer(Program program, String key) throws Exception {
        int port = Lab.freePort();
        List<String> command = program.command(port);
        Client client = Client.withKey("http://127.0.0.1:" + port, key);
        long begin = System.nanoTime();
        try (Child child = Child.start("start", command)) {
            while (!client.isAnswered(Rates.HTML)) {
                Thread.sleep(1);
            }
            return new Time((System.nanoTime() - begin) / 1e6, child.cpu().total());
        }
    }
}
