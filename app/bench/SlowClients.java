package bench;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One account at work beside clients of other accounts that neither read nor send. */
final class SlowClients {
    private static final List<String> SLOW = List.of("slow@example.com", "slow2@example.com");
    private static final String OTHER = "other@example.com";
    private static final double GOAL = 3;
    /** Templates of 2 MiB, of which each byte is six bytes of JSON. */
    private static final int LONG = 4;
    private static final int LONG_BYTES = (2 << 20) - 9;
    private static final int MAIL_BYTES = 220_000;
    private static final int WINDOW = 1_024;
    /** Most that slow clients may wait for the start of their responses, in s; of more than MANY, some may wait for good. */
    private static final int ARRIVAL = 15;
    private static final int MANY = 60;

    private interface Kind {
        String request(Slow slow, int number);
    }

    /** Clients that send the same requests. @param reads whether they stop when reading, not when sending */
    private record Crowd(String name, int clients, int accounts, boolean reads, Kind kind) {
    }

    private static final Kind TEMPLATE = (slow, i) -> slow.request("GET", "/api/v1/templates/long-" + i % LONG, slow.key, "", "", 0);
    private static final Kind PUSH = (slow, i) -> slow.request("POST", "/push", slow.token, "zip", "P", 60_000_000);
    private static final List<Crowd> CROWDS = List.of(
            new Crowd("20 API clients that do not read", 20, 1, true, TEMPLATE),
            new Crowd("20 API clients of two accounts", 20, 2, true, TEMPLATE),
            new Crowd("500 API clients", 500, 1, true, TEMPLATE),
            new Crowd("58 guests", 58, 1, true, (slow, i) -> slow.request("POST", "/data/review", "", "json", slow.review, slow.review.length())),
            new Crowd("50 pages", 50, 1, true, (slow, i) -> slow.request("GET", "/data/templates/long-" + i % LONG, slow.cookie, "", "", 0)),
            new Crowd("20 exports", 20, 1, true, (slow, i) -> slow.request("GET", "/data/export", slow.cookie, "", "", 0)),
            new Crowd("40 pushes that do not arrive", 40, 1, false, PUSH),
            new Crowd("40 pushes of two accounts", 40, 2, false, PUSH),
            new Crowd("100 saves", 100, 1, false, (slow, i) -> slow.request("POST", "/data/check", slow.cookie, "json", "{", 30_000)));

    private SlowClients() {
    }

    /** Starts a new server for each crowd, because what an earlier one left behind would count against the next. */
    static List<Line> measure(Bench.Pace pace) throws Exception {
        List<Line> lines = new ArrayList<>();
        for (Crowd crowd : CROWDS) {
            lines.add(beside(pace, crowd, "-Xmx256m"));
        }
        for (Crowd crowd : CROWDS.subList(0, 3)) {
            lines.add(beside(pace, crowd, "-Xmx48m"));
        }
        return lines;
    }

    private static Line beside(Bench.Pace pace, Crowd crowd, String heap) throws Exception {
        Data data = Data.copy(Lab.JAR, "slow-clients", "slow-clients", SlowClients::seed, url -> { });
        List<Socket> sockets = new ArrayList<>();
        try (Child stet = Lab.program(data, heap)) {
            String url = stet.url();
            List<Slow> slow = new ArrayList<>();
            for (String email : SLOW.subList(0, crowd.accounts)) {
                slow.add(Slow.of(url, email));
            }
            Mix mix = new Mix(url);
            mix.run(pace.seconds());
            Report quiet = mix.run(pace.seconds());
            for (int i = 0; i < crowd.clients; i++) {
                sockets.add(Client.send(url, crowd.kind.request(slow.get(i % slow.size()), i), WINDOW));
            }
            if (crowd.reads && crowd.clients < MANY) {
                awaitBegun(sockets);
            }
            return line(crowd.name + ", " + heap, stet, quiet, mix.run(pace.seconds()));
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static void awaitBegun(List<Socket> sockets) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(ARRIVAL);
        for (Socket socket : sockets) {
            while (socket.getInputStream().available() == 0 && System.nanoTime() < until) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
    }

    private static Line line(String name, Child stet, Report quiet, Report beside) throws IOException {
        String failure = stet.failure();
        double ratio = beside.times.p99() / quiet.times.p99();
        String words = String.format(Locale.ROOT, "%d of %d refused%s; %sp99 %.0f ms (quiet %.0f)", beside.refused, beside.times.count(),
                beside.first, failure.isEmpty() ? "" : failure + "; ", beside.times.p99(), quiet.times.p99());
        Lab.say("    " + name + ": " + words);
        return new Line(name, words, String.format(Locale.ROOT, "%.2f", ratio), "none refused, p99 at most " + GOAL, beside.refused > 0 || !failure.isEmpty() || ratio > GOAL);
    }

    // ---- the slow accounts

    /** A slow account's headers, and the body of a guest's request. */
    private record Slow(String host, String key, String cookie, String token, String review) {
        static Slow of(String url, String email) throws Exception {
            Client client = Client.signedIn(url, email);
            String token = client.json("POST", "/data/tokens", Map.of("name", "slow")).get("secret").asText();
            String link = client.json("POST", "/data/templates/mail/reviews", Map.of()).get("url").asText();
            return new Slow(URI.create(url).getAuthority(), "Authorization: Bearer " + Data.key(email) + "\r\n", "Cookie: " + client.value() + "\r\n",
                    "Authorization: Bearer " + token + "\r\n", "{\"secret\":\"" + link.replaceFirst(".*#", "") + "\",\"compare\":true}");
        }

        /** @param length announced length */
        String request(String method, String path, String header, String type, String body, int length) {
            return method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + header
                    + (length == 0 ? "" : "Content-Type: application/" + type + "\r\nContent-Length: " + length + "\r\n") + "\r\n" + body;
        }
    }

    private static void seed(Path seed) throws IOException {
        for (String email : SLOW) {
            Path templates = Data.account(seed, email, Data.PASSWORD);
            for (int i = 0; i < LONG; i++) {
                Files.writeString(templates.resolve("long-" + i + ".html"), "\u0001".repeat(LONG_BYTES) + i);
            }
            Files.writeString(templates.resolve("mail.html"), "\u0001".repeat(MAIL_BYTES));
        }
        Path templates = Data.account(seed, OTHER, Data.PASSWORD);
        Files.writeString(templates.resolve("large.html"), "x".repeat(100_000));
        Files.writeString(templates.resolve("mail.html"), "x".repeat(MAIL_BYTES));
    }

    // ---- the account at work

    /** @param first the first refusal, in brackets, or empty */
    private record Report(Figures times, int refused, String first) {
    }

    /** An account's requests of a day, one after another. */
    private static final class Mix {
        private final Client api;
        private final Client page;
        private final Client git;
        private List<Double> times;
        private int refused;
        private String first;

        Mix(String url) throws Exception {
            api = Client.withKey(url, Data.key(OTHER));
            page = Client.signedIn(url, OTHER);
            git = Client.withKey(url, page.json("POST", "/data/tokens", Map.of("name", "other", "role", "editor")).get("secret").asText());
        }

        Report run(int seconds) throws Exception {
            times = new ArrayList<>();
            refused = 0;
            first = "";
            String html = "x".repeat(40_000);
            byte[] draft = Client.JSON.writeValueAsBytes(Map.of("subject", "", "html", html, "samples", Map.of()));
            byte[] zip = Data.zip(List.of("pushed"), 100, 0);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            do {
                send(api, "GET", "/api/v1/templates/large", null, null);
                send(page, "GET", "/data/templates", null, null);
                byte[] opened = send(page, "GET", "/data/templates/mail", null, null);
                send(page, "POST", "/data/check", "application/json", draft);
                if (opened != null) {
                    long revision = Client.JSON.readTree(opened).get("revision").asLong();
                    send(page, "PUT", "/data/templates/mail", "application/json", Client.JSON.writeValueAsBytes(
                            Map.of("subject", "", "html", html, "samples", Map.of(), "revision", revision)));
                }
                send(git, "POST", "/push", "application/zip", zip);
            } while (System.nanoTime() < end);
            return new Report(new Figures(times), refused, first);
        }

        /** @return the body, or null if the request was refused or the connection lost */
        private byte[] send(Client client, String method, String path, String type, byte[] body) throws Exception {
            byte[][] response = new byte[1][];
            times.add(Figures.millis(() -> {
                try {
                    response[0] = client.success(method, path, type, body).body();
                } catch (IllegalStateException | IOException refusal) {
                    first = refused++ == 0 ? " (" + refusal.getMessage() + ")" : first;
                }
            }));
            return response[0];
        }
    }
}
