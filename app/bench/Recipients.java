package bench;

import bench.Load.Side;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
            byte[] image = Client.withKey(url, "none").get(path);
            String body = Files.write(Lab.FOLDER.resolve("body"), image).toString();
            try (Child bare = Child.start("bare", Lab.own(List.of(), Bare.class, body, "image/png", "0"))) {
                lines.addAll(Rates.compare(pace, "an image of " + image.length / 1_000 + " KB", 0.8, new Side("Stet", stet, url, path, data.keys(), image.length, null),
                        new Side("bare", bare, bare.url(), path, data.keys(), image.length, null)));
            }
            Side with = new Side("with", stet, url, "/api/v1/templates/mail?format=html", data.keys(), Data.HTML, null);
            lines.addAll(Rates.compare(pace, "html with " + SHOWN + " images, against without", 0.95, with, new Side("without", stet, url, with.path().replace("mail", "plain"), data.keys(), Data.HTML, null)));
        }
        for (String heap : List.of("-Xmx256m", "-Xmx48m")) {
            lines.add(beside(pace, heap));
        }
        return lines;
    }

    private static String path(String url) throws Exception {
        String html = new String(Client.withKey(url, Data.key(EMAIL)).get("/api/v1/templates/mail?format=html"), StandardCharsets.UTF_8);
        return IMAGE.matcher(html).results().findFirst().orElseThrow().group();
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

    /** Loads the image again and again, by a connection each, until the thread is interrupted. */
    private static void load(String url, String path, boolean isSlow, AtomicInteger images) {
        String request = "GET " + path + " HTTP/1.1\r\nHost: " + URI.create(url).getAuthority() + "\r\nConnection: close\r\n\r\n";
        byte[] buffer = new byte[isSlow ? SIP : 1 << 16];
        while (!Thread.currentThread().isInterrupted()) {
            try (Socket socket = Client.send(url, request, buffer.length)) {
                while (socket.getInputStream().read(buffer) >= 0) {
                    TimeUnit.MILLISECONDS.sleep(isSlow ? 250 : 0);
                }
                images.incrementAndGet();
                TimeUnit.MILLISECONDS.sleep(PAUSE);
            } catch (IOException again) {
                // the next connection
            } catch (InterruptedException done) {
                return;
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
        noise.setRGB(0, 0, 210, 160, new Random(1).ints(210 * 160).toArray(), 0, 210);
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(noise, "png", png);
        Files.write(images.resolve("photo.png"), png.toByteArray());
    }
}
