package stet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Controls a {@link Pacer} that sends the first row's load at half of the maximum rate. */
final class Steady implements AutoCloseable {
    /** Seconds to measure the maximum rate, and seconds to settle at half of it. */
    private static final int TRIAL = 3;
    private static final int REST = 2;
    /** Keeps garbage collection from affecting the load. */
    private static final List<String> FLAGS = List.of("-Xms128m", "-Xmx128m", "-XX:+UseSerialGC");

    private final Child child;

    private Steady(Child child) {
        this.child = child;
    }

    /** @param folder on the disk to watch */
    static Steady on(Lab lab, String url, Path keys, Path folder) throws IOException {
        return new Steady(Child.talk(Lab.log("pacer"), lab.java(FLAGS, "-cp", Lab.CLASSES.toString(), "stet.Pacer", url,
                Throughput.HTML, keys.toString(), folder.toString())));
    }

    /** Halves the load after a warm-up. @return the new rate in requests per second */
    int halve(int warmUp) throws Exception {
        TimeUnit.SECONDS.sleep(warmUp);
        Window full = window(TRIAL).withoutErrors();
        int half = (int) full.rate() / 2;
        Lab.say("    " + Figures.whole(full.rate()) + " requests a second are possible, p99 " + Figures.two(full.p99()) + " ms");
        child.ask("rate " + half);
        TimeUnit.SECONDS.sleep(REST);
        return half;
    }

    Window window(int seconds) throws Exception {
        begin();
        TimeUnit.SECONDS.sleep(seconds);
        return end();
    }

    void begin() throws Exception {
        child.ask("begin");
    }

    Window end() throws Exception {
        return Window.of(child.ask("end"));
    }

    @Override
    public void close() {
        child.close();
    }
}
