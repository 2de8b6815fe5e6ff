package bench;

import bench.Load.Side;
import com.fasterxml.jackson.databind.JsonNode;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;

/** Images: how fast one is served, and the API beside recipients who load them. */
final class Recipients {
    private static final String EMAIL = "images@example.com";
    private static final int FAST = 100;
    private static final int SLOW = 100;
    /** Between two images of a fast recipient, in ms; altogether 500 images and 50 MB a second. */
    private static final int PAUSE = 200;
    /** Bytes that a slow recipient reads at a time, four times a second. */
    private static final int SIP = 2_048;
    private static final double GOAL = 1.5;
    /** Images in an email. */
    private static final int SHOWN = 10;
    private static final int PUBLISHED = 100;
    private static final Pattern IMAGE = Pattern.compile("/images/[0-9a-f]{64}\\.png");

    private Recipients() {
    }

    static List<Line> measure(Bench.Pace pace) throws Exception {
        List<Line> lines = new ArrayList<>();
        Data data = Data.copy(Lab.JAR, "images", "images", Recipients::seed, url -> { });
        Files.write(data.keys(), List.of(Data.key(EMAIL)));
        try (Child stet = Lab.serve(Lab.JAR, data)) {
            String url = stet.url();
            String path = path(url);
            byte[] image = Client.withKey(url, "none").success("GET", path, "", null).body();
            String body = Files.write(Lab.FOLDER.resolve("body"), image).toString();
            try (Child bare = Child.start("bare", Lab.own(List.of(), Bare.class, body, "image/png", "0"))) {
                lines.addAll(Rates.compare(pace, "an image of " + image.length / 1_000 + " KB", 0.8, new Side("Stet", stet, url, path, data.keys(), image.length, null),
                        new Side("bare", bare, bare.url(), path, data.keys(), image.length, null)));
            }
            Side with = new Side("with", stet, url, "/api/v1/templates/mail?format=html", data.keys(), Data.HTML, null);
            lines.addAll(Rates.compare(pace, "html with " + SHOWN + " images, against without", 0.95, with, new Side("without", stet, url, with.path().replace("mail", "plain"), data.keys(), Data.HTML, null)));
            lines.add(publishing(Client.signedIn(url, EMAIL)));
        }
        for (String heap : List.of("-Xmx256m", "-Xmx48m")) {
            lines.add(beside(pace, heap));
        }
        return lines;
    }

    /** Publishes an email with images and one without in turns. */
    private static Line publishing(Client client) throws Exception {
        List<Double> with = new ArrayList<>();
        List<Double> without = new ArrayList<>();
        for (int i = 0; i < PUBLISHED; i++) {
            with.add(publish(client, "mail", i));
            without.add(publish(client, "plain", i));
        }
        double ratio = new Figures(with.subList(10, PUBLISHED)).median() / new Figures(without.subList(10, PUBLISHED)).median();
        return new Line("publishing an email with " + SHOWN + " images, against without", "with " + Figures.words(new Figures(with).median()) + " ms, without "
                + Figures.words(new Figures(without).median()) + " ms", String.format(Locale.ROOT, "%.2f", ratio), "at most 1.2", ratio > 1.2);
    }

    private static double publish(Client client, String id, int i) throws Exception {
        JsonNode draft = client.json("/data/templates/" + id);
        JsonNode saved = client.json("PUT", "/data/templates/" + id, Map.of("revision", draft.get("revision"), "subject", "" + i, "html", draft.get("html"), "samples", Map.of()));
        return Figures.millis(() -> client.json("POST", "/data/templates/" + id + "/publish", Map.of("revision", saved.get("revision"), "force", true)));
    }

    private static String path(String url) throws Exception {
        Matcher found = IMAGE.matcher(new String(Client.withKey(url, Data.key(EMAIL)).success("GET", "/api/v1/templates/mail?format=html", "", null).body(), StandardCharsets.UTF_8));
        if (!found.find()) {
            throw new IllegalStateException("The email has no image");
        }
        return found.group();
    }

    private static Line beside(Bench.Pace pace, String heap) throws Exception {
        Data data = Data.copy(Lab.JAR, "images", "images", Recipients::seed, url -> { });
        try (Child stet = Lab.program(data, heap)) {
            String url = stet.url();
            String path = path(url);
            api(url, pace.seconds());
            Figures quiet = api(url, pace.seconds());
            AtomicInteger images = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < FAST + SLOW; i++) {
                boolean isSlow = i >= FAST;
                Thread thread = new Thread(() -> load(url, path, isSlow, images));
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
            api(url, pace.seconds());
            Figures beside = api(url, pace.seconds());
            threads.forEach(Thread::interrupt);
            double ratio = beside.p99() / quiet.p99();
            String words = String.format(Locale.ROOT, "%d API requests, none refused; p99 %.1f ms (quiet %.1f); %d images", beside.count(), beside.p99(), quiet.p99(), images.get());
            Lab.say("    " + heap + ": " + words);
            return new Line("the API beside " + FAST + " fast and " + SLOW + " slow recipients, " + heap, words, String.format(Locale.ROOT, "%.2f", ratio),
                    "none refused, p99 at most " + GOAL, ratio > GOAL || !stet.failure().isEmpty());
        }
    }

    /** One app that fetches an email again and again; a refusal ends the benchmark. */
    private static Figures api(String url, int seconds) throws Exception {
        Client client = Client.withKey(url, Data.key(EMAIL));
        List<Double> times = new ArrayList<>();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        do {
            times.add(Figures.millis(() -> client.success("GET", "/api/v1/templates/mail", "", null)));
        } while (System.nanoTime() < end);
        return new Figures(times);
    }

    private static void load(String url, String path, boolean isSlow, AtomicInteger images) {
        byte[] request = ("GET " + path + " HTTP/1.1\r\nHost: " + URI.create(url).getAuthority() + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        byte[] buffer = new byte[isSlow ? SIP : 1 << 16];
        while (!Thread.currentThread().isInterrupted()) {
            try (Socket socket = new Socket()) {
                if (isSlow) {
                    socket.setReceiveBufferSize(SIP);
                }
                socket.connect(new InetSocketAddress(URI.create(url).getHost(), URI.create(url).getPort()));
                while (true) {
                    socket.getOutputStream().write(request);
                    read(socket.getInputStream(), buffer, isSlow);
                    images.incrementAndGet();
                    TimeUnit.MILLISECONDS.sleep(PAUSE);
                }
            } catch (IOException again) {
                // the next connection
            } catch (InterruptedException done) {
                return;
            }
        }
    }

    private static void read(InputStream in, byte[] buffer, boolean isSlow) throws IOException, InterruptedException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("closed");
            }
            head.append((char) next);
        }
        Matcher length = Pattern.compile("(?i)content-length: (\\d+)").matcher(head);
        for (long left = length.find() ? Long.parseLong(length.group(1)) : 0; left > 0; ) {
            int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (read < 0) {
                throw new IOException("closed");
            }
            left -= read;
            if (isSlow) {
                TimeUnit.MILLISECONDS.sleep(250);
            }
        }
    }

    private static void seed(Path seed) throws IOException {
        Path templates = Data.account(seed, EMAIL, Data.PASSWORD);
        String html = new String(Data.html(Data.HTML, 1), StandardCharsets.US_ASCII);
        Files.writeString(templates.resolve("mail.html"), html + "<img src=\"{{> images/photo.png}}\">".repeat(SHOWN));
        Files.writeString(templates.resolve("plain.html"), html + ("<img src=\"https://example.com/images/" + "0".repeat(64) + ".png\">").repeat(SHOWN));
        Path images = Files.createDirectories(templates.resolveSibling("images"));
        BufferedImage noise = new BufferedImage(210, 160, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(1);
        for (int i = 0; i < 210 * 160; i++) {
            noise.setRGB(i % 210, i / 210, random.nextInt());
        }
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(noise, "png", png);
        Files.write(images.resolve("photo.png"), png.toByteArray());
    }
}
