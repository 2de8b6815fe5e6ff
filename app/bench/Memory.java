package bench;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Resident memory under the load of {@code keys-1000}. MaxRAM simulates a small machine, from whose memory the JVM derives its heap. */
final class Memory {
    private static final int GOAL = 150;

    private Memory() {
    }

    static List<Line> measure(Bench.Pace pace) throws Exception {
        Data data = Data.accounts(Lab.JAR, "memory");
        return List.of(resident(pace, data, "`stet.jar serve`", () -> Lab.program(data)),
                resident(pace, data, "`stet.jar serve` with -Xmx48m", () -> Lab.program(data, "-Xmx48m")),
                resident(pace, data, "`java -jar stet.jar serve` as on 1 GiB",
                        () -> Lab.serve(Lab.JAR, data, "-XX:MaxRAM=1g", "-XX:+UseSerialGC")));
    }

    private static Line resident(Bench.Pace pace, Data data, String what, Callable<Child> start) throws Exception {
        try (Child stet = start.call()) {
            Load.Side side = Rates.html("Stet", stet, data);
            Future<Load> load = Lab.background(() -> {
                Load.on(side, Bench.WARM_UP);
                return Load.on(side, pace.seconds() * pace.rounds());
            });
            double most = 0;
            while (!load.isDone()) {
                most = Math.max(most, stet.residentMegabytes());
                TimeUnit.MILLISECONDS.sleep(100);
            }
            return new Line("resident memory of " + what, "at most " + Figures.words(most) + " MB at " + Figures.words(load.get().rate())
                    + " requests per second, " + Figures.words(stet.residentMegabytes()) + " MB after them", "", "at most " + GOAL + " MB", most > GOAL);
        }
    }
}
