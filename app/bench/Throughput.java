package stet;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Benchmarks that compare requests per second. */
final class Throughput {
    static final String WELCOME = "/api/v1/templates/welcome";
    static final String HTML = WELCOME + "?format=html";
    private static final int CONNECTIONS = 32;
    private static final int MANY = 1_000;
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Throughput() {
    }

    /** Fetches one response from Stet, for the other side to imitate. */
    static HttpResponse<byte[]> fetch(String url, String path, String key) throws Exception {
        HttpResponse<byte[]> response = CLIENT.send(HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + key).build(), HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new Broken("Stet answers " + response.statusCode() + " to " + path);
        }
        return response;
    }

    private static List<String> keys(Data data) throws IOException {
        return Files.readAllLines(data.keys());
    }

    /** Returns Stet under the standard load. */
    static Target html(Data data, String url) {
        return new Target(url, HTML, data.keys(), CONNECTIONS, Data.HTML, data);
    }

    /** Compares Stet with a bare handler that returns the same bytes. */
    private static Comparison withBare(Lab lab, Data data, Path keys, String path) throws Exception {
        try (Child stet = lab.stet(data)) {
            return withBare(lab, data, stet.url(), keys, path);
        }
    }

    private static Comparison withBare(Lab lab, Data data, String url, Path keys, String path) throws Exception {
        return withBare(lab, data, url, keys, path, Lab.BareSettings.PLAIN);
    }

    private static Comparison withBare(Lab lab, Data data, String url, Path keys, String path, Lab.BareSettings settings) throws Exception {
        HttpResponse<byte[]> answer = fetch(url, path, Files.readAllLines(keys).get(0));
        int bytes = answer.body().length;
        Path body = Files.write(Lab.FOLDER.resolve("body"), answer.body());
        try (Child bare = lab.bare(settings, body, answer.headers().firstValue("Content-Type").orElseThrow())) {
            Target target = new Target(url, path, keys, CONNECTIONS, bytes - bytes / 10, data);
            Target other = new Target(bare.url(), path, keys, CONNECTIONS, bytes, null);
            return Comparison.of("Stet", target, "bare", other, lab.pace());
        }
    }

    /** Puts the first row's load on both sides. @param flags JVM options of the bare side */
    static Comparison manyKeys(Lab lab, Data data, Child stet, List<String> flags) throws Exception {
        return withBare(lab, data, stet.url(), data.keys(), HTML, new Lab.BareSettings(flags, "stet"));
    }

    static List<Line> manyKeys(Lab lab) throws Exception {
        Data data = lab.small();
        return rateAndTail(withBare(lab, data, data.keys(), HTML), "1,000 keys");
    }

    /** Compares Stet with the bare handler in its usual set-up: one thread per request, which is faster than Stet's number of threads. */
    static List<Line> manyThreads(Lab lab) throws Exception {
        Data data = lab.small();
        try (Child stet = lab.stet(data)) {
            return List.of(withBare(lab, data, stet.url(), data.keys(), HTML, new Lab.BareSettings(List.of(), "many"))
                    .rate(0.85, "1,000 keys, the bare handler with a thread for each request"));
        }
    }

    /** Runs both sides with the executable's JVM options. */
    static List<Line> asProgram(Lab lab) throws Exception {
        Data data = lab.small();
        try (Child stet = lab.program(data)) {
            return rateAndTail(manyKeys(lab, data, stet, Lab.programSettings()), "1,000 keys, started as a program");
        }
    }

    /** Measures the attainable rate: compares the lower bound with the bare handler. */
    static List<Line> floor(Lab lab) throws Exception {
        Data data = lab.small();
        HttpResponse<byte[]> answer;
        try (Child stet = lab.stet(data)) {
            answer = fetch(stet.url(), HTML, keys(data).get(0));
        }
        Path body = Files.write(Lab.FOLDER.resolve("body"), answer.body());
        List<String> lines = new ArrayList<>();
        answer.headers().map().forEach((name, values) -> values.forEach(value -> lines.add(name + ": " + value)));
        lines.removeIf(line -> line.matches("(?i)(date|content-length): .*"));
        String headers = Files.write(Lab.FOLDER.resolve("headers"), lines).toString();
        String written = Lab.FOLDER.resolve("written").toString();
        return List.of(
                floor(lab, data, body, "a body for each key and Stet's headers, nothing else", headers),
                floor(lab, data, body, "the same after one write and sync for all that wait", headers, written),
                floor(lab, data, body, "the same, written by a thread of its own meanwhile", headers, written, "aside"));
    }

    private static Line floor(Lab lab, Data data, Path body, String what, String... more) throws Exception {
        int bytes = (int) Files.size(body);
        try (Child floor = lab.floor(body, data.keys(), more); Child bare = lab.bare(Lab.BareSettings.PLAIN, body, "text/html; charset=utf-8")) {
            return Comparison.of("this", new Target(floor.url(), HTML, data.keys(), CONNECTIONS, bytes, null),
                    "bare", new Target(bare.url(), HTML, data.keys(), CONNECTIONS, bytes, null), lab.pace()).rate(what);
        }
    }

    /** Compares this jar and STET_JAR in alternating rounds. */
    static List<Line> before(Lab lab) throws Exception {
        if (Lab.JAR.equals(Lab.BUILT)) {
            return List.of(Line.skipped("STET_JAR names no other Stet"));
        }
        Data now = Crowd.copy(lab, Lab.BUILT, "now");
        Data before = Crowd.copy(lab, Lab.JAR, "before");
        try (Child stet = lab.stet(Lab.BUILT, now); Child other = lab.stet(Lab.JAR, before)) {
            Target target = html(now, stet.url());
            Target theirs = html(before, other.url());
            List<Line> lines = new ArrayList<>();
            lines.add(Comparison.of("now", target, "before", theirs, lab.pace()).rate(0.97, "1,000 keys"));
            lines.add(Comparison.of("now", target.asking(WELCOME), "before", theirs.asking(WELCOME), lab.pace()).rate(0.97, "default JSON"));
            return lines;
        }
    }

    static List<Line> oneKey(Lab lab) throws Exception {
        Data data = lab.small();
        Path key = Files.write(Lab.FOLDER.resolve("key"), keys(data).subList(0, 1));
        return rateAndTail(withBare(lab, data, key, HTML), "1 key");
    }

    static List<Line> rateAndTail(Comparison comparison, String what) {
        return List.of(comparison.rate(0.85, what), comparison.p99(3, what + ", p99"));
    }

    static List<Line> json(Lab lab) throws Exception {
        Data data = lab.small();
        return List.of(withBare(lab, data, data.keys(), WELCOME).rate(0.85, "default JSON"));
    }

    static List<Line> variables(Lab lab) throws Exception {
        Data data = lab.small();
        return List.of(withBare(lab, data, data.keys(), WELCOME + "?format=variables").rate(0.85, "variables"));
    }

    static List<Line> mebibyte(Lab lab) throws Exception {
        Data data = lab.mebibyte();
        return List.of(withBare(lab, data, data.keys(), HTML).rate(0.85, "html of 1 MiB"));
    }

    static List<Line> notModified(Lab lab) throws Exception {
        Data data = lab.small();
        try (Child stet = lab.stet(data)) {
            String url = stet.url();
            List<String> tagged = new ArrayList<>();
            for (String key : keys(data)) {
                tagged.add(key + " " + fetch(url, HTML, key).headers().firstValue("ETag").orElseThrow());
            }
            Path tags = Files.write(Lab.FOLDER.resolve("tagged-keys"), tagged);
            Target unchanged = new Target(url, HTML, tags, CONNECTIONS, 0, data);
            return List.of(Comparison.of("304", unchanged, "200", html(data, url), lab.pace()).rate(1, "304"));
        }
    }

    static List<Line> manyConnections(Lab lab) throws Exception {
        Data data = lab.small();
        try (Child stet = lab.stet(data)) {
            Target few = html(data, stet.url());
            Comparison comparison = Comparison.of("1,000", few.withConnections(MANY), "32", few, lab.pace());
            return List.of(comparison.rateInSpiteOfErrors(0.85, "1,000 connections"),
                    Line.plain("1,000 connections, errors", comparison.errors() + " errors", "none",
                            comparison.errors() == 0, "there are errors"));
        }
    }

    static List<Line> largeDatabase(Lab lab) throws Exception {
        Data small = lab.small();
        Data large = lab.large();
        List<Line> lines = new ArrayList<>();
        try (Child one = lab.stet(small); Child other = lab.stet(large)) {
            lines.add(Comparison.of("large", html(large, other.url()), "small", html(small, one.url()), lab.pace())
                    .rate(0.9, "100,000 accounts, 1,000,000 templates"));
        }
        lines.add(Start.databases(lab, large, small));
        return lines;
    }

    static List<Line> nginx(Lab lab) throws Exception {
        if (Lab.program("nginx").isEmpty()) {
            return List.of(Line.skipped("nginx is not installed"));
        }
        Data data = lab.small();
        try (Child stet = lab.stet(data)) {
            String url = stet.url();
            byte[] body = fetch(url, HTML, keys(data).get(0)).body();
            Nginx nginx = Nginx.in(Lab.FOLDER.resolve("nginx"), WELCOME, body);
            try (Child server = nginx.start()) {
                Target file = new Target(nginx.url(server), HTML, data.keys(), CONNECTIONS, body.length, null);
                return List.of(
                        Comparison.of("Stet", html(data, url), "nginx", file, lab.pace()).rate(0.5, "a static file of nginx"),
                        bareAndNginx(lab, body, file));
            }
        }
    }

    /** Compares the throughput of the JDK's server alone with nginx's. */
    private static Line bareAndNginx(Lab lab, byte[] body, Target file) throws Exception {
        Path content = Files.write(Lab.FOLDER.resolve("body"), body);
        try (Child bare = lab.bare(Lab.BareSettings.PLAIN, content, "text/html; charset=utf-8")) {
            return Comparison.of("bare", file.at(bare.url()), "nginx", file, lab.pace()).rate("the bare handler, a static file of nginx");
        }
    }
}
