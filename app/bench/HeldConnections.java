package stet;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Benchmark of many clients that hold connections: Stet must still serve a good client, and recover afterwards. */
final class HeldConnections {
    /** Maximum wait of the good client, in ms. */
    private static final int GOAL = 1_000;
    /** Maximum heap growth in MB, and maximum number of additional threads. */
    private static final int MORE_HEAP = 8;
    private static final int MORE_THREADS = 4;
    /** Number of recovery checks, and the pause between them in s. */
    private static final int TRIES = 20;
    private static final int REST = 2;
    /** Seconds that the good client first runs alone. */
    private static final int WARM_UP = 5;

    private final Lab lab;
    private final Data data;
    private final String key;
    private final List<Line> lines = new ArrayList<>();

    private HeldConnections(Lab lab) throws Exception {
        this.lab = lab;
        this.data = Crowd.copy(lab, "held");
        this.key = Files.readAllLines(data.keys()).get(0);
    }

    static List<Line> measure(Lab lab) throws Exception {
        HeldConnections row = new HeldConnections(lab);
        List<Horde> hordes = new ArrayList<>(Horde.all());
        while (!hordes.isEmpty()) {
            try (Child stet = lab.program(row.data)) {
                row.on(stet, hordes);
            }
        }
        return row.lines;
    }

    /** Runs the hordes in sequence, as long as the server survives. */
    private void on(Child stet, List<Horde> hordes) throws Exception {
        String url = stet.url();
        Signed browser = Signed.in(url, Crowd.DRAFTS);
        for (Horde horde : Horde.all()) {
            horde.few().come(url, browser).close();
        }
        alone(url, WARM_UP);
        Vitals before = Vitals.of(stet);
        boolean well = true;
        while (well && !hordes.isEmpty()) {
            well = bears(stet, url, browser, hordes.remove(0), before);
        }
    }

    /** @return results of a good client without others */
    private GoodClient.Report alone(String url, int seconds) throws Exception {
        GoodClient client = GoodClient.onNew(url, key);
        TimeUnit.SECONDS.sleep(seconds);
        return client.stop();
    }

    private boolean bears(Child stet, String url, Signed browser, Horde horde, Vitals before) throws Exception {
        Lab.say("    " + horde.name());
        GoodClient one = GoodClient.onOne(url, key);
        GoodClient again = GoodClient.onNew(url, key);
        GoodClient.Report kept;
        GoodClient.Report fresh;
        Vitals held;
        String came;
        boolean failed;
        try (Horde.Held connections = horde.come(url, browser)) {
            came = connections.words();
            failed = connections.failed() > 0 && horde.isGood();
            kept = one.stop();
            fresh = again.stop();
            held = Vitals.of(stet);
        }
        Vitals after = rest(stet, before);
        boolean asBefore = alone(url, 1).isWell(GOAL) && isAsBefore(after, before);
        List<String> shortfalls = new ArrayList<>();
        if (!kept.isWell(GOAL) || !fresh.isWell(GOAL)) {
            shortfalls.add("the good client was not served well");
        }
        if (failed) {
            shortfalls.add("not all were served");
        }
        if (!asBefore) {
            shortfalls.add(stet.isAlive() ? "not as before" : "the server has ended");
        }
        String words = came + "; good client at most " + kept.words() + "; on new connections at most " + fresh.words()
                + "; heap before, meanwhile and after " + megabytes(before) + ", " + megabytes(held) + " and " + megabytes(after)
                + " MB; threads " + before.threads() + ", " + held.threads() + " and " + after.threads() + (stet.ranOutOfMemory() ? "; out of memory" : "");
        Lab.say("        " + words);
        lines.add(Line.plain(horde.name(), words, "good client under 1 s, no error, afterwards as before", shortfalls.isEmpty(),
                String.join(", ", shortfalls)));
        return shortfalls.isEmpty();
    }

    private static String megabytes(Vitals vitals) {
        return Double.isNaN(vitals.heap()) ? "?" : Figures.whole(vitals.heap());
    }

    /** @return vitals after recovery, or after the last check if the server has not recovered */
    private static Vitals rest(Child stet, Vitals before) throws Exception {
        Vitals vitals = Vitals.of(stet);
        for (int tries = 0; tries < TRIES && stet.isAlive() && !isAsBefore(vitals, before); tries++) {
            TimeUnit.SECONDS.sleep(REST);
            vitals = Vitals.of(stet);
        }
        return vitals;
    }

    private static boolean isAsBefore(Vitals vitals, Vitals before) {
        return vitals.heap() <= before.heap() + MORE_HEAP && vitals.threads() <= before.threads() + MORE_THREADS;
    }
}
