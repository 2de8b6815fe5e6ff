package stet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import stet.base.Json;

/**
 * Benchmark of pages, changes and commands on small and large data. Each measurement is followed by the same bytes in SQLite
 * alone. A line shows the median for each size; its ratio compares the largest size with SQLite alone.
 */
final class Growth {
    private static final int TIMES = 5;
    /** Maximum time of a page or change in ms. */
    private static final int GOAL = 1_000;
    /** Time may grow this much faster than the size, because small sizes are noisy. */
    private static final double MARGIN = 1.5;
    /** Maximum number of templates that the page publishes in one bulk action. */
    private static final int PUBLISHED = 1_000;
    /** Templates per request of a bulk action, and concurrent requests, as in progress.js. */
    private static final int LIST = 100;
    private static final int LISTS_AT_ONCE = 2;
    /** Rows per page of the history, and of the administration's list. */
    private static final int HISTORY = 100;
    private static final int ADMINISTRATION = 200;
    /** Command timeout, in s. */
    private static final int LIMIT = 300;
    private static final String AUTHORED = "/data/templates/welcome";

    private final Lab lab;
    private final GrowthData kind;
    private final Map<String, List<Measured>> measured = new LinkedHashMap<>();
    private Data data;
    private SqliteAlone alone;
    private Signed browser;
    private int size;
    private long seed = 1_000_000;

    private Growth(Lab lab, GrowthData kind) {
        this.lab = lab;
        this.kind = kind;
    }

    /** @param alone in ms; NaN without a counterpart @param isWaitedFor whether a user waits for it */
    private record Measured(int size, double value, double alone, String unit, boolean isWaitedFor) {
    }

    private interface Step {
        void run() throws Exception;
    }

    static List<Line> measure(Lab lab) throws Exception {
        List<Line> lines = new ArrayList<>();
        for (GrowthData kind : GrowthData.values()) {
            Growth growth = new Growth(lab, kind);
            for (int size : kind.sizes) {
                growth.measure(size);
            }
            growth.measured.forEach((what, all) -> lines.add(growth.line(what, all)));
        }
        return lines;
    }

    private Line line(String what, List<Measured> all) {
        Measured last = all.get(all.size() - 1);
        Measured before = all.get(Math.max(0, all.size() - 2));
        String figures = all.stream().map(one -> Figures.whole(one.size) + ": " + figure(one.value)).collect(Collectors.joining(", "));
        boolean isSlow = last.isWaitedFor && last.value > GOAL;
        double factor = last.value / before.value;
        boolean isGrowing = factor > MARGIN * last.size / before.size;
        return new Line(kind.things + ", " + what, figures + " " + last.unit, Double.isNaN(last.alone) ? "" : Figures.two(last.value / last.alone),
                last.isWaitedFor ? "at most 1 s" : "in proportion",
                isSlow ? Figures.whole(last.value - GOAL) + " ms too slow" : isGrowing ? "grows " + Figures.two(factor) + "-fold" : "");
    }

    private static String figure(double value) {
        return value < 10 ? String.format(Locale.ROOT, "%.1f", value) : Figures.whole(value);
    }

    // ---- one size

    private void measure(int newSize) throws Exception {
        size = newSize;
        data = kind.copy(size);
        Lab.say("    " + Figures.whole(size) + " " + kind.things);
        String key = Files.readString(data.keys()).strip();
        time("start to the first 200", 3, false, () -> Start.untilAnswer(port -> lab.program(data, port), key), () -> SqliteAlone.open(database()));
        try (Child stet = lab.program(data); SqliteAlone file = new SqliteAlone(data.folder(), size)) {
            alone = file;
            browser = Signed.in(stet.url(), Data.AUTHOR);
            switch (kind) {
                case ACCOUNTS -> accounts();
                case TEMPLATES -> templates();
                case VERSIONS -> versions();
                case USERS -> users();
            }
            Path copy = data.folder().resolve("copy.db");
            time("backup", 1, false, () -> command("backup", copy.toString()), () -> SqliteAlone.copy(database(), data.folder().resolve("vacuumed.db")));
            time("check", 1, false, () -> command("check"), () -> SqliteAlone.check(database()));
            add("heap after a collection", new Measured(size, Vitals.of(stet).heap(), Double.NaN, "MB", false));
            add("resident memory", new Measured(size, stet.residentMegabytes(), Double.NaN, "MB", false));
        }
    }

    private void accounts() throws Exception {
        int shown = Math.min(size, ADMINISTRATION);
        page("first page of an account", "/data/templates", () -> alone.list(1));
        page("administration", "/data/installation", () -> alone.list(shown));
        page("search in administration", "/data/installation?q=nowhere", () -> alone.list(size));
        int[] added = {0};
        time("add an account", TIMES, true, () -> browser.bytes("POST", "/data/accounts",
                Json.object().put("name", "New " + size + " " + added[0]++).put("plan", "free")), () -> alone.insertEach(1));
        change();
        time("account list", TIMES, false, () -> command("account", "list"), () -> alone.list(size));
    }

    private void templates() throws Exception {
        page("list (first page)", "/data/templates", () -> alone.list(size));
        page("search for a word in no text", "/data/search?q=nowhere", () -> alone.read(size));
        page("search for a word in each name", "/data/search?q=mail", () -> alone.list(size));
        change();
        publishAll(browser.get("/data/templates").get("templates"), "publish up to " + Figures.whole(PUBLISHED) + " of them", true);
        time("export", 3, false, () -> browser.download("/data/export", data.folder().resolve("export.zip")), () -> alone.read(size));
        Path zip = zip();
        time("import as many changed drafts", 1, false, () -> browser.sendZip("/data/import?overwrite=true", zip), () -> alone.insert(size));
        time("publish all of them by an import", 1, false, () -> browser.sendZip("/data/import?publish=true", zip), () -> alone.insert(size));
        time("template list", TIMES, false, () -> command("template", "list", Data.AUTHOR), () -> alone.list(size));
    }

    private void versions() throws Exception {
        page("history", AUTHORED + "/versions", () -> alone.list(Math.min(size, HISTORY)));
        page("one version", AUTHORED + "/versions/1", () -> alone.read(1));
        change();
        time("publish an old version again", TIMES, true, () -> browser.bytes("POST", AUTHORED + "/versions/1/publish", Json.object()),
                () -> alone.insertEach(1));
        time("delete all but 20", 1, false, () -> command("template", "prune", Data.AUTHOR, "welcome", "--keep", "20", "--yes"), () -> alone.list(size));
    }

    private void users() throws Exception {
        String block = "/data/blocks/" + GrowthData.BLOCK;
        page("the block's page", block, () -> alone.list(size));
        time("save the block", TIMES, true, () -> browser.bytes("PUT", block, Json.object().put("revision", browser.get(block).get("revision").longValue())
                .put("html", html(1 << 10))), () -> alone.insertEach(1));
        page("older blocks", "/data/stale", () -> alone.list(size));
        publishAll(browser.get("/data/stale").get("templates"), "publish all with the new block", false);
    }

    private void change() throws Exception {
        time("save", TIMES, true, () -> save("welcome"), () -> alone.insertEach(1));
        time("publish", TIMES, true, () -> publish("welcome"), () -> alone.insertEach(1));
    }

    // ---- requests and commands

    private void page(String what, String path, Step sqlite) throws Exception {
        time(what, TIMES, true, () -> browser.bytes("GET", path, null), sqlite);
    }

    private String html(int bytes) {
        return new String(Data.html(bytes, seed++), StandardCharsets.UTF_8);
    }

    private void save(String id) throws Exception {
        ObjectNode draft = Json.object().put("revision", revision(id)).put("subject", "Hi {{name}}").put("html", html(GrowthData.HTML));
        draft.putObject("samples");
        browser.bytes("PUT", "/data/templates/" + id, draft);
    }

    private long revision(String id) throws Exception {
        return browser.get("/data/templates/" + id).get("revision").longValue();
    }

    private void publish(String id) throws Exception {
        browser.bytes("POST", "/data/templates/" + id + "/publish", Json.object().put("revision", revision(id)).put("note", ""));
    }

    /** Like the page, compares drafts with live versions and then publishes them, in lists. @param save whether to save new HTML first */
    private void publishAll(JsonNode templates, String what, boolean save) throws Exception {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < Math.min(PUBLISHED, templates.size()); i++) {
            ids.add(templates.get(i).get("id").textValue());
            if (save) {
                save(ids.get(i));
            }
        }
        Map<String, ObjectNode> seen = new ConcurrentHashMap<>();
        time(what, 1, true, () -> {
            byLists(ids, list -> {
                ObjectNode asked = Json.object();
                list.forEach(asked.putArray("templates")::add);
                JsonNode results = browser.send("POST", "/data/comparisons", asked).get("results");
                results.forEach(next -> seen.put(next.get("id").textValue(), Json.object().put("id", next.get("id").textValue())
                        .put("revision", next.get("revision").longValue()).put("sha256", next.get("sha256").textValue())));
                return results.size();
            });
            byLists(ids, list -> {
                ObjectNode asked = Json.object().put("note", "");
                list.stream().map(seen::get).forEach(asked.putArray("templates")::add);
                JsonNode results = browser.send("POST", "/data/publications", asked).get("results");
                results.findValues("error").forEach(error -> {
                    throw new Broken("a publication failed: " + error);
                });
                return results.size();
            });
        }, () -> alone.insertEach(ids.size()));
    }

    private interface OfList {
        /** @return how many of the first templates have a result */
        int run(List<String> ids) throws Exception;
    }

    private static void byLists(List<String> ids, OfList work) throws Exception {
        Queue<List<String>> left = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < ids.size(); i += LIST) {
            left.add(ids.subList(i, Math.min(ids.size(), i + LIST)));
        }
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < LISTS_AT_ONCE; i++) {
            running.add(Background.run(() -> {
                for (List<String> list = left.poll(); list != null; list = left.poll()) {
                    for (int done = 0; done < list.size(); ) {
                        done += work.run(list.subList(done, list.size()));
                    }
                }
            }));
        }
        for (CompletableFuture<Void> one : running) {
            Background.await(one);
        }
    }

    private Path zip() throws Exception {
        Path file = data.folder().resolve("import.zip");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (JsonNode template : browser.get("/data/templates").get("templates")) {
                zip.putNextEntry(new ZipEntry("templates/" + template.get("id").textValue() + ".html"));
                zip.write(Data.html(GrowthData.HTML, seed++));
            }
        }
        return file;
    }

    private Path database() {
        return data.stet().resolve("stet.db");
    }

    private void command(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(Lab.JAR.toAbsolutePath().toString()));
        command.addAll(List.of(words));
        command.addAll(List.of("--data", data.stet().toString()));
        try (Child child = Child.start(Lab.log("command"), command)) {
            child.output(LIMIT);
            if (child.exitCode() != 0) {
                throw new Broken(words[0] + " ended with " + child.exitCode() + ": " + child.lastWords());
            }
        }
    }

    // ---- figures

    /** Runs both steps alternately. @param isWaitedFor whether a user waits for it */
    private void time(String what, int times, boolean isWaitedFor, Step ours, Step sqlite) throws Exception {
        List<Double> own = new ArrayList<>();
        List<Double> other = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            own.add(millis(ours));
            other.add(millis(sqlite));
        }
        add(what, new Measured(size, new Figures(own).median(), new Figures(other).median(), "ms", isWaitedFor));
    }

    private void add(String what, Measured figure) {
        Lab.say("        " + what + ": " + figure(figure.value) + " " + figure.unit + (Double.isNaN(figure.alone) ? "" : ", SQLite " + figure(figure.alone)));
        measured.computeIfAbsent(what, any -> new ArrayList<>()).add(figure);
    }

    private static double millis(Step step) throws Exception {
        long begin = System.nanoTime();
        step.run();
        return (System.nanoTime() - begin) / 1e6;
    }
}
