package bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Pages, changes and commands on small and large data. A line has a median for each size. */
final class Growth {
    private static final String AUTHOR = "author@example.com";
    private static final String FOOTER = "/data/blocks/footer";
    private static final int HTML = 4 << 10;
    private static final int TIMES = 5;
    /** Maximum time of what a user waits for, in ms. */
    private static final int GOAL = 1_000;
    /** Templates published together, by requests of at most LIST, as the pages do. */
    private static final int PUBLISHED = 1_000;
    private static final int LIST = 100;

    /** The data that grows. */
    private enum Kind {
        ACCOUNTS("accounts", 1, 1_000, 20_000), TEMPLATES("templates", 10, 1_000, 10_000), VERSIONS("versions of a template", 1, 50, 2_000),
        USES("templates with a block", 10, 1_000);

        private final String things;
        private final List<Integer> sizes;

        Kind(String things, Integer... sizes) {
            this.things = things;
            this.sizes = List.of(sizes);
        }
    }

    private final Kind kind;
    private final Map<String, List<Double>> measured = new LinkedHashMap<>();
    private Data data;
    private Client browser;
    private long seed = 1_000_000;

    private Growth(Kind kind) {
        this.kind = kind;
    }

    static List<Line> measure(Bench.Pace pace) throws Exception {
        List<Line> lines = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            Growth growth = new Growth(kind);
            for (int size : kind.sizes) {
                growth.measure(size);
            }
            growth.measured.forEach((what, all) -> lines.add(growth.line(what, all)));
        }
        return lines;
    }

    private Line line(String what, List<Double> all) {
        boolean isWaitedFor = !what.matches("`.*|(resident|export|import) .*");
        return new Line(kind.sizes.stream().map(size -> String.format(Locale.ROOT, "%,d", size)).collect(Collectors.joining(" · ")) + " " + kind.things
                + ": " + what, all.stream().map(Figures::words).collect(Collectors.joining(" · ")) + (what.contains("memory") ? " MB" : " ms"), "",
                isWaitedFor ? "at most 1 s" : "", isWaitedFor && all.get(all.size() - 1) > GOAL);
    }

    private void seed(Path folder, int size) throws Exception {
        Path templates = Data.account(folder, AUTHOR, Data.PASSWORD);
        Files.write(templates.resolve("welcome.html"), Data.html(HTML, 0));
        Files.write(Files.createDirectories(templates.resolveSibling("blocks")).resolve("footer.html"), Data.html(1 << 10, 0));
        for (int i = 1; i < size; i++) {
            switch (kind) {
                case ACCOUNTS -> Files.write(Data.account(folder, "account" + i + "@example.com", null).resolve("welcome.html"), Data.html(HTML, i));
                case TEMPLATES -> Files.write(templates.resolve("mail-" + i + ".html"), Data.html(HTML, i));
                case USES -> Files.writeString(templates.resolve("mail-" + i + ".html"), html(HTML) + "{{> footer}}");
                case VERSIONS -> { }
            }
        }
    }

    private void addVersions(String url, int size) throws Exception {
        browser = Client.signedIn(url, AUTHOR);
        for (int i = 1; i < size && kind == Kind.VERSIONS; i++) {
            save("welcome");
            publish("welcome");
        }
    }

    private void measure(int size) throws Exception {
        data = Data.copy(Lab.JAR, "growth-" + kind.name().toLowerCase(Locale.ROOT) + "-" + size, "growth", folder -> seed(folder, size),
                url -> addVersions(url, size));
        Lab.command(data, "user", "administrator", AUTHOR, "--yes");
        Lab.say("    " + size + " " + kind.things);
        try (Child stet = Lab.program(data)) {
            browser = Client.signedIn(stet.url(), AUTHOR);
            switch (kind) {
                case ACCOUNTS -> accounts();
                case TEMPLATES -> templates(size);
                case VERSIONS -> versions();
                case USES -> block();
            }
            time("`backup`", 1, () -> Lab.command(data, "backup", data.folder().resolve("copy.db").toString()));
            time("`check`", 1, () -> Lab.command(data, "check"));
            add("resident memory", List.of(stet.residentMegabytes()));
        }
    }

    private void accounts() throws Exception {
        page("administration", "/data/installation");
        time("add an account", TIMES, () -> browser.json("POST", "/data/accounts", Map.of("name", "New " + seed++, "plan", "free")));
        change();
        time("`account list`", TIMES, () -> Lab.command(data, "account", "list"));
    }

    private void templates(int size) throws Exception {
        page("list", "/data/templates");
        page("search for a word in no text", "/data/search?q=nowhere");
        change();
        List<String> ids = ids("/data/templates");
        for (String id : ids.subList(0, Math.min(PUBLISHED, ids.size()))) {
            save(id);
        }
        time("publish up to 1,000 of them", 1, () -> publishAll(ids));
        time("export of all", 1, () -> browser.get("/data/export"));
        byte[] zip = Data.zip(ids, HTML, size);
        time("import of as many changed drafts", 1, () -> browser.success("POST", "/data/import?overwrite=true", "application/zip", zip));
        time("import that publishes them", 1, () -> browser.success("POST", "/data/import?publish=true", "application/zip", zip));
    }

    private void versions() throws Exception {
        page("history", "/data/templates/welcome/versions");
        change();
        time("`template prune` to 20", 1, () -> Lab.command(data, "template", "prune", AUTHOR, "welcome", "--keep", "20", "--yes"));
    }

    private void block() throws Exception {
        time("save the block", TIMES, () -> browser.json("PUT", FOOTER, Map.of("revision", browser.json(FOOTER).get("revision").asLong(),
                "html", html(1 << 10))));
        page("older blocks", "/data/stale");
        List<String> ids = ids("/data/stale");
        time("publish all with the new block", 1, () -> publishAll(ids));
    }

    private void change() throws Exception {
        time("save", TIMES, () -> save("welcome"));
        time("publish", TIMES, () -> publish("welcome"));
    }

    private List<String> ids(String path) throws Exception {
        JsonNode templates = browser.json(path).get("templates");
        return StreamSupport.stream(templates.spliterator(), false).map(template -> template.get("id").asText()).toList();
    }

    private String html(int bytes) {
        return new String(Data.html(bytes, seed++), StandardCharsets.UTF_8);
    }

    private long revision(String id) throws Exception {
        return browser.json("/data/templates/" + id).get("revision").asLong();
    }

    private void save(String id) throws Exception {
        browser.json("PUT", "/data/templates/" + id, Map.of("revision", revision(id), "subject", "Hi {{name}}", "html", html(HTML), "samples", Map.of()));
    }

    private void publish(String id) throws Exception {
        browser.json("POST", "/data/templates/" + id + "/publish", Map.of("revision", revision(id), "note", ""));
    }

    /** Compares drafts with live versions and then publishes them, one request after another. The pages send two at a time. */
    private void publishAll(List<String> all) throws Exception {
        List<String> ids = all.subList(0, Math.min(PUBLISHED, all.size()));
        List<Map<String, Object>> seen = new ArrayList<>();
        while (seen.size() < ids.size()) {
            List<String> next = ids.subList(seen.size(), Math.min(ids.size(), seen.size() + LIST));
            browser.json("POST", "/data/comparisons", Map.of("templates", next)).get("results").forEach(result -> seen.add(Map.of(
                    "id", result.get("id").asText(), "revision", result.get("revision").asLong(), "sha256", result.get("sha256").asText())));
        }
        for (int done = 0; done < seen.size(); ) {
            JsonNode results = browser.json("POST", "/data/publications", Map.of("note", "", "templates",
                    seen.subList(done, Math.min(seen.size(), done + LIST)))).get("results");
            results.findValues("error").forEach(error -> {
                throw new IllegalStateException("a publication failed: " + error);
            });
            done += results.size();
        }
    }

    private void page(String what, String path) throws Exception {
        time(what, TIMES, () -> browser.get(path));
    }

    private void time(String what, int times, Figures.Step step) throws Exception {
        add(what, Figures.millis(times, step));
    }

    private void add(String what, List<Double> figures) {
        double median = new Figures(figures).median();
        Lab.say("        " + what + ": " + Figures.words(median));
        measured.computeIfAbsent(what, any -> new ArrayList<>()).add(median);
    }
}
