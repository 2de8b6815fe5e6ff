package stet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import stet.base.Json;

/** Benchmark of one account at work beside clients of another account that neither read nor send. */
final class SlowClients {
    private static final String SLOW = "slow@example.com";
    private static final String OTHER = "other@example.com";
    private static final double RATIO = 3;
    /** Templates of 2 MiB, of which each byte is six bytes of JSON. */
    private static final int LONG = 4;
    private static final int LONG_BYTES = (2 << 20) - 9;
    private static final int MAIL_BYTES = 220_000;
    private static final int WINDOW = 1_024;
    /** Maximum wait of a slow client for a place, and of the other account for a response, in s. */
    private static final int ARRIVAL = 15;
    private static final int PATIENCE = 60;
    private static final int FEWEST = 60;

    private final Lab lab;
    private final Data data;
    private final String heap;
    private final List<Line> lines = new ArrayList<>();
    private Child stet;
    private String url;

    private SlowClients(Lab lab, Data data, String heap) {
        this.lab = lab;
        this.data = data;
        this.heap = heap;
    }

    static List<Line> measure(Lab lab) throws Exception {
        Data data = new Data(Lab.FOLDER.resolve("slow-clients"));
        make(lab, data);
        List<Line> lines = new ArrayList<>();
        for (String heap : List.of("-Xmx256m", "-Xmx48m")) {
            Lab.say("  " + heap);
            lines.addAll(new SlowClients(lab, data, heap).all());
        }
        return lines;
    }

    /** A new server for each kind, because what an earlier kind left behind would count against the next. */
    private List<Line> all() throws Exception {
        for (int connections : List.of(1, 2, 20, 100, 500)) {
            beside(connections + " API clients that do not read", connections, (slow, i) -> slow.get("/api/v1/templates/long-" + i % LONG,
                    "Authorization: Bearer " + key(SLOW) + "\r\n"));
        }
        beside("58 guests that do not read", 58, (slow, i) -> slow.post("/data/review", "", slow.review, -1));
        beside("50 pages that do not read", 50, (slow, i) -> slow.get("/data/templates/long-" + i % LONG, slow.cookie));
        beside("20 exports that do not read", 20, (slow, i) -> slow.get("/data/export", slow.cookie));
        beside("40 pushes that do not arrive", 40, (slow, i) -> slow.post("/push", "Authorization: Bearer " + slow.token + "\r\n", "P", 60_000_000));
        beside("40 imports that do not arrive", 40, (slow, i) -> slow.post("/data/import", slow.cookie, "P", 60_000_000));
        beside("100 saves that do not arrive", 100, (slow, i) -> slow.post("/data/check", slow.cookie, "{", 30_000));
        return lines;
    }

    private interface Kind {
        String request(Slow slow, int number);
    }

    /** The slow account's cookie, push token and body of a guest's request. */
    private record Slow(URI url, String cookie, String token, String review) {
        static Slow of(String url) throws Exception {
            Signed signed = Signed.in(url, SLOW);
            String token = signed.send("POST", "/data/tokens", Json.object().put("name", "slow")).get("token").asText();
            String link = signed.send("POST", "/data/templates/mail/reviews", Json.object()).get("url").asText();
            return new Slow(URI.create(url), "Cookie: " + signed.cookie() + "\r\n", token,
                    "{\"secret\":\"" + link.replaceFirst(".*#", "") + "\",\"compare\":true}");
        }

        String get(String path, String header) {
            return "GET " + path + " HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n" + header + "\r\n";
        }

        /** @param length announced length; -1 for that of the body */
        String post(String path, String header, String body, int length) {
            String type = path.startsWith("/data/import") || path.equals("/push") ? "application/zip" : "application/json";
            return "POST " + path + " HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n" + header + "Content-Type: " + type
                    + "\r\nContent-Length: " + (length < 0 ? body.length() : length) + "\r\n\r\n" + body;
        }
    }

    private static String key(String email) {
        return "bench-key-of-" + email.replaceFirst("@.*", "");
    }

    private void beside(String name, int connections, Kind kind) throws Exception {
        if (!name.contains(System.getenv().getOrDefault("WORK", ""))) {
            return;
        }
        stet = lab.program(Crowd.copyOf(data, "slow-clients-copy"), heap);
        List<Socket> sockets = new ArrayList<>();
        try {
            url = stet.url();
            Slow slow = Slow.of(url);
            Mix mix = new Mix(url);
            mix.run(lab.pace().seconds());
            Report quiet = mix.run(lab.pace().seconds());
            for (int i = 0; i < connections; i++) {
                sockets.add(send(kind.request(slow, i)));
            }
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(ARRIVAL);
            while (connections < FEWEST && System.nanoTime() < until && !name.contains("arrive") && !haveBegun(sockets)) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            Report beside = mix.run(lab.pace().seconds());
            add(name, quiet, beside);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
            stet.close();
        }
    }

    private static boolean haveBegun(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            if (socket.getInputStream().available() == 0) {
                return false;
            }
        }
        return true;
    }

    private Socket send(String request) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(WINDOW);
        socket.connect(new InetSocketAddress(URI.create(url).getHost(), URI.create(url).getPort()), PATIENCE * 1_000);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private void add(String name, Report quiet, Report beside) throws IOException {
        double ratio = beside.times.p99() / quiet.times.p99();
        String words = String.format(Locale.ROOT, "%d of %d refused%s; p99 %.0f ms (quiet %.0f), longest %.0f ms (%s)", beside.refused,
                beside.times.count(), beside.first.isEmpty() ? "" : " (" + beside.first + ")", beside.times.p99(), quiet.times.p99(), beside.times.highest(), beside.longest)
                + (stet.ranOutOfMemory() ? "; out of memory" : "");
        Lab.say("    " + name + ": " + words);
        List<String> shortfalls = new ArrayList<>();
        if (beside.refused > 0 || stet.ranOutOfMemory()) {
            shortfalls.add("there are errors");
        }
        if (ratio > RATIO) {
            shortfalls.add(Figures.two(ratio - RATIO) + " too high");
        }
        lines.add(new Line(name + ", " + heap, words, Figures.two(ratio), "none refused, p99 at most 3.0", String.join(", ", shortfalls)));
    }

    private record Report(Figures times, int refused, String first, String longest) {
    }

    /** What an account does all day, one request after another. */
    private static final class Mix {
        private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        private final String url;
        private final String cookie;
        private final String token;
        private List<Double> times;
        private int refused;
        /** The first refusal, or empty. */
        private String first;
        private double most;
        private String longest;

        Mix(String url) throws Exception {
            this.url = url;
            Signed signed = Signed.in(url, OTHER);
            this.cookie = signed.cookie();
            this.token = signed.send("POST", "/data/tokens", Json.object().put("name", "other").put("role", "editor")).get("token").asText();
        }

        Report run(int seconds) throws Exception {
            times = new ArrayList<>();
            refused = 0;
            first = "";
            most = 0;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            do {
                send("GET", "/api/v1/templates/large", "Authorization", "Bearer " + key(OTHER), null, null);
                send("GET", "/data/templates", "Cookie", cookie, null, null);
                byte[] opened = send("GET", "/data/templates/mail", "Cookie", cookie, null, null);
                ObjectNode draft = Json.object().put("subject", "").put("html", "x".repeat(40_000));
                draft.putObject("samples");
                send("POST", "/data/check", "Cookie", cookie, "application/json", Json.write(draft));
                if (opened != null) {
                    draft.put("revision", Json.readObject(opened).get("revision").asLong());
                    send("PUT", "/data/templates/mail", "Cookie", cookie, "application/json", Json.write(draft));
                }
                send("POST", "/push", "Authorization", "Bearer " + token, "application/zip", zip());
            } while (System.nanoTime() < end);
            return new Report(new Figures(times), refused, first, longest);
        }

        private static byte[] zip() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
                zip.putNextEntry(new ZipEntry("templates/pushed.html"));
                zip.write("<p>pushed</p>".getBytes(StandardCharsets.UTF_8));
            }
            return bytes.toByteArray();
        }

        /** Sends once more if the connection was lost, as clients do, because a server may close idle connections at any time. */
        private HttpResponse<byte[]> sendAgain(HttpRequest request) throws Exception {
            try {
                return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            } catch (IOException closed) {
                return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            }
        }

        /** @return the body, or null if the request was refused */
        private byte[] send(String method, String path, String header, String value, String type, byte[] body) throws Exception {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).header(header, value)
                    .timeout(Duration.ofSeconds(PATIENCE)).method(method, body == null ? HttpRequest.BodyPublishers.noBody()
                            : HttpRequest.BodyPublishers.ofByteArray(body));
            if (type != null) {
                request.header("Content-Type", type);
            }
            long begin = System.nanoTime();
            byte[] answer = null;
            String failure = "";
            try {
                HttpResponse<byte[]> response = sendAgain(request.build());
                answer = response.statusCode() == 200 ? response.body() : null;
                failure = Integer.toString(response.statusCode());
            } catch (IOException lost) {
                failure = lost.toString();
            }
            double millis = (System.nanoTime() - begin) / 1e6;
            times.add(millis);
            if (millis > most) {
                most = millis;
                longest = method + " " + path;
            }
            refused += answer == null ? 1 : 0;
            first = answer == null && first.isEmpty() ? method + " " + path + ": " + failure : first;
            return answer;
        }
    }

    private static void make(Lab lab, Data data) throws Exception {
        Path seed = data.folder().resolveSibling("slow-clients.seed");
        Lab.delete(data.folder());
        Lab.delete(seed);
        for (String email : List.of(SLOW, OTHER)) {
            Path templates = Files.createDirectories(seed.resolve(email).resolve("templates"));
            ObjectNode settings = Json.object().put("email", email).put("plan", "pro").put("password", Data.PASSWORD);
            settings.putArray("keys").addObject().put("name", "bench").put("key", key(email));
            Files.write(seed.resolve(email).resolve("account.json"), Json.write(settings));
            for (int i = 0; i < LONG && email.equals(SLOW); i++) {
                Files.writeString(templates.resolve("long-" + i + ".html"), "\u0001".repeat(LONG_BYTES) + i);
            }
            Files.writeString(templates.resolve("large.html"), "x".repeat(100_000));
            Files.writeString(templates.resolve("mail.html"), (email.equals(SLOW) ? "\u0001" : "x").repeat(MAIL_BYTES));
        }
        try (Child serve = Child.start(Lab.log("seed"), lab.java(List.of("-Xmx1g"), "-jar", Lab.JAR.toString(), "serve", "--data",
                data.stet().toString(), "--listen", "127.0.0.1:0", "--seed", seed.toString()))) {
            serve.url();
        }
        Lab.delete(seed);
    }
}
