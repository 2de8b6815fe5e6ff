package stet;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Benchmark of the API during heavy work, such as an import into another account. */
final class Beside {
    private static final double RATIO = 3;
    /** Maximum gap between responses in ms, in addition to the disk's own delay. */
    private static final int GAP = 150;
    /** Seconds of load after each {@link Work}, to include its aftermath. */
    private static final int AFTER = 3;
    /** Small heap: Stet may be slower, but must not fail. */
    private static final String SMALL = "-Xmx48m";

    private Beside() {
    }

    static List<Line> measure(Lab lab) throws Exception {
        List<Line> lines = new ArrayList<>(new Beside().works(lab, "", "heap of 256 MB"));
        lines.addAll(new Beside().works(lab, SMALL, "heap of 48 MB"));
        return lines;
    }

    /** Runs every {@link Work} on one server; replaces the server if the work harmed it. */
    private List<Line> works(Lab lab, String options, String heap) throws Exception {
        Lab.say("  " + heap);
        List<Line> lines = new ArrayList<>();
        Scene scene = Scene.open(lab, options);
        try {
            for (Work work : Work.all()) {
                boolean asked = work.name().contains(System.getenv().getOrDefault("WORK", ""));
                if (!asked || work.isCommand() && !Scene.hasCommand(work.name())) {
                    continue;
                }
                Beat beat = beat(lab, scene, work);
                Lab.say("    " + work.name() + ": " + beat.words());
                lines.add(beat.line(work.name() + ", " + heap, options.isEmpty()));
                if (!beat.isBorne()) {
                    scene.close();
                    scene = Scene.open(lab, options);
                }
            }
        } finally {
            scene.close();
        }
        return lines;
    }

    private static Beat beat(Lab lab, Scene scene, Work work) throws Exception {
        String failure = failure(scene, work.before());
        Window quiet = scene.load().window(lab.pace().seconds());
        int putOff = scene.putOff();
        scene.load().begin();
        long begin = System.nanoTime();
        failure += failure.isEmpty() ? failure(scene, work.action()) : "";
        double seconds = (System.nanoTime() - begin) / 1e9;
        TimeUnit.SECONDS.sleep(AFTER);
        Window beside = scene.load().end();
        failure += failure.isEmpty() ? failure(scene, work.after()) : "";
        return new Beat(quiet, beside, seconds, scene.putOff() - putOff, failure, scene.ranOutOfMemory());
    }

    /** @return the step's error message, or empty */
    private static String failure(Scene scene, Work.Step step) throws InterruptedException {
        try {
            step.run(scene);
            return "";
        } catch (InterruptedException stopped) {
            throw stopped;
        } catch (Exception failure) {
            return failure instanceof Broken ? failure.getMessage() : failure.toString();
        }
    }

    /**
     * Results of the load before and during one {@link Work}.
     *
     * @param seconds     duration of the work
     * @param putOff      number of 503 responses that asked the client to retry
     * @param failure     error message of the work, or empty
     * @param outOfMemory true if the server reported running out of memory
     */
    private record Beat(Window quiet, Window beside, double seconds, int putOff, String failure, boolean outOfMemory) {

        /** Returns whether the server survived the work unharmed. */
        boolean isBorne() {
            return failure.isEmpty() && beside.errors() == 0 && !outOfMemory;
        }

        double ratio() {
            return beside.p99() / quiet.p99();
        }

        String words() {
            return String.format(Locale.ROOT, "p99 %.1f ms (quiet %.1f), from sending %.1f ms (quiet %.1f), longest gap %.0f ms "
                    + "(quiet %.0f; the load's own pause %.0f), longest sync %.0f ms, %d errors%s; %s", beside.p99(), quiet.p99(),
                    beside.delay(), quiet.delay(), beside.gap(), quiet.gap(), beside.pause(), beside.sync(), beside.errors(),
                    beside.errors() == 0 ? "" : " (" + beside.first() + ")", outcome());
        }

        private String outcome() {
            return failure.isEmpty() ? String.format(Locale.ROOT, "took %.1f s", seconds) + (putOff == 0 ? "" : ", put off " + putOff + " times")
                    : "failed after " + String.format(Locale.ROOT, "%.1f s: ", seconds) + failure.lines().findFirst().orElse("")
                    .replace('|', '/') + (outOfMemory ? " (out of memory)" : "");
        }

        /** @param whole true if all limits apply, false if only errors count */
        Line line(String what, boolean whole) {
            List<String> shortfalls = new ArrayList<>();
            if (!isBorne()) {
                shortfalls.add("there are errors");
            }
            if (whole && ratio() > RATIO) {
                shortfalls.add(Figures.two(ratio() - RATIO) + " too high");
            }
            double most = beside.sync() + GAP;
            if (whole && beside.gap() > most) {
                shortfalls.add(Figures.whole(beside.gap() - most) + " ms too long");
            }
            return new Line(what, words(), Figures.two(ratio()), whole ? "no error, p99 at most 3.0, gap at most 150 ms above the sync" : "no error",
                    String.join(", ", shortfalls));
        }
    }
}
