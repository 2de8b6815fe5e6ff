package stet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import stet.base.Json;

/** Fairness benchmark: live checks in one account while a writer in another account keeps 16 heavy requests in flight. */
final class Fair {
    private static final double RATIO = 3;
    private static final int AT_ONCE = 16;
    /** Number of checks without load, and minimum number under load. */
    private static final int CHECKS = 20;
    private static final String TAG = "{{x}}";
    private static final ObjectNode LIVE = draft(20 << 10);
    private static final ObjectNode LARGE = draft(2 << 20);

    private Fair() {
    }

    /** A heavy request by the writer. */
    private interface Hostile {
        void send(Signed writer, int number) throws Exception;
    }

    static List<Line> measure(Lab lab) throws Exception {
        Data data = Crowd.copy(lab, "fair");
        try (Child stet = lab.program(data, "")) {
            String url = stet.url();
            Signed author = Signed.in(url, Crowd.WEB);
            Signed writer = Signed.in(url, Crowd.DRAFTS);
            checks(author, CHECKS, new AtomicBoolean(true)); // warm-up
            List<Line> lines = new ArrayList<>();
            lines.add(line(lab, author, writer, AT_ONCE + " checks of 2 MiB", (by, number) -> by.send("POST", "/data/check", LARGE)));
            lines.add(line(lab, author, writer, AT_ONCE + " publications", Fair::publish));
            lines.add(line(lab, author, writer, AT_ONCE + " searches", (by, number) -> by.get("/data/search?q=nowhere")));
            return lines;
        }
    }

    private static ObjectNode draft(int bytes) {
        ObjectNode draft = Json.object().put("subject", "").put("html", TAG.repeat(bytes / TAG.length()));
        draft.putObject("samples");
        return draft;
    }

    private static void publish(Signed writer, int number) throws Exception {
        String path = "/data/templates/draft-" + number;
        JsonNode template = writer.get(path);
        writer.send("POST", path + "/publish", Json.object().put("revision", template.get("revision").longValue()).put("note", ""));
    }

    private static Line line(Lab lab, Signed author, Signed writer, String what, Hostile hostile) throws Exception {
        double[] quiet = checks(author, CHECKS, new AtomicBoolean(true));
        AtomicBoolean end = new AtomicBoolean();
        List<CompletableFuture<Void>> requests = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            int number = i;
            requests.add(Background.run(() -> {
                while (!end.get()) {
                    hostile.send(writer, number);
                }
            }));
        }
        requests.add(Background.run(() -> {
            TimeUnit.SECONDS.sleep(lab.pace().seconds());
            end.set(true);
        }));
        double[] beside = checks(author, CHECKS, end);
        for (CompletableFuture<Void> each : requests) {
            Background.await(each);
        }
        String words = String.format(Locale.ROOT, "median %.1f ms (quiet %.1f), longest %.0f ms (quiet %.0f), %d checks", median(beside),
                median(quiet), beside[beside.length - 1], quiet[quiet.length - 1], beside.length);
        Lab.say("    " + what + ": " + words);
        return Line.atMost(RATIO, Figures.of(median(beside) / median(quiet)), what + " of another account, beside a live check", words);
    }

    /** Runs at least {@code least} checks, and more until {@code end} is set. @return their sorted times in ms */
    private static double[] checks(Signed author, int least, AtomicBoolean end) throws Exception {
        List<Double> times = new ArrayList<>();
        while (!end.get() || times.size() < least) {
            long begin = System.nanoTime();
            author.send("POST", "/data/check", LIVE);
            times.add((System.nanoTime() - begin) / 1e6);
        }
        double[] sorted = times.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted;
    }

    private static double median(double[] sorted) {
        return sorted[sorted.length / 2];
    }
}
