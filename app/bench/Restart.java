package stet;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Benchmark of restarts under load: how long connections are refused, and how many requests get no response. */
final class Restart {
    private static final int RESTARTS = 10;
    private static final int KEPT = 4;
    private static final int NEW = 2;
    /** Pause of a client between requests, in ms. */
    private static final int PAUSE = 2;
    /** Seconds of load before each restart. */
    private static final int LOAD = 2;
    /** Response timeout, in s. */
    private static final int PATIENCE = 60;
    /** Maximum time that connections may be refused, in ms. */
    private static final int GOAL = 1_000;
    private static final Pattern USED = Pattern.compile("\"used\":(\\d+)");

    private final Lab lab;
    private final Data data;
    private final int port = Start.freePort();
    private final byte[] request;
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger cut = new AtomicInteger();
    private final AtomicInteger resetKept = new AtomicInteger();
    private final AtomicInteger resetNew = new AtomicInteger();
    private final ConcurrentLinkedQueue<Long> refusals = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    private Restart(Lab lab) throws IOException {
        this.lab = lab;
        this.data = Crowd.copyOf(lab.small(), "restart");
        this.request = Flow.request(URI.create("http://127.0.0.1:" + port), Throughput.HTML, data.authorKey());
    }

    static List<Line> measure(Lab lab) throws Exception {
        return new Restart(lab).measure();
    }

    private List<Line> measure() throws Exception {
        Start.makeArchive(lab, data);
        int before = used();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        List<Double> refused = new ArrayList<>();
        Child stet = serve();
        try {
            stet.url();
            for (int i = 0; i < KEPT + NEW; i++) {
                boolean keeps = i < KEPT;
                clients.add(Background.run(() -> ask(keeps)));
            }
            for (int i = 0; i < RESTARTS; i++) {
                TimeUnit.SECONDS.sleep(LOAD);
                refusals.clear();
                stet.close();
                stet = serve();
                stet.url();
                TimeUnit.MILLISECONDS.sleep(100); // the last refusal has been recorded
                refused.add(refusals.isEmpty() ? 0 : (refusals.stream().mapToLong(time -> time).max().getAsLong()
                        - refusals.stream().mapToLong(time -> time).min().getAsLong()) / 1e6);
            }
            TimeUnit.SECONDS.sleep(LOAD);
            stopped = true;
            for (CompletableFuture<Void> client : clients) {
                Background.await(client);
            }
        } finally {
            stopped = true;
            stet.close();
        }
        return lines(new Figures(refused), used() - before);
    }

    private List<Line> lines(Figures refused, int counted) {
        String load = ", " + RESTARTS + " restarts under load";
        return List.of(
                Line.plain("connections refused" + load, "median " + Figures.whole(refused.median()) + " ms, at most "
                        + Figures.whole(refused.highest()) + " ms", "under 1,000 ms", refused.highest() < GOAL, "too long"),
                Line.plain("requests answered, and counted afterwards", Figures.whole(answered.get()) + " and " + Figures.whole(counted),
                        "no fewer", counted >= answered.get(), "too few"),
                none("answers that were cut off", cut.get()),
                none("requests on kept connections without an answer", resetKept.get()),
                none("new connections closed without an answer", resetNew.get()));
    }

    private static Line none(String what, int many) {
        return Line.plain(what, Integer.toString(many), "none", many == 0, many + " too many");
    }

    /** Starts Stet as an executable, as the systemd unit does. */
    private Child serve() throws IOException {
        return Child.start(Lab.log("restart"), lab.program(data, port));
    }

    private int used() throws Exception {
        try (Child usage = Child.start(Lab.log("usage"), List.of(Lab.JAR.toAbsolutePath().toString(), "usage", Data.AUTHOR, "--json",
                "--data", data.stet().toString()))) {
            Matcher used = USED.matcher(usage.output(PATIENCE));
            if (!used.find()) {
                throw new Broken("no usage: " + usage.lastWords());
            }
            return Integer.parseInt(used.group(1));
        }
    }

    // ---- a client

    private void ask(boolean keeps) throws InterruptedException, IOException {
        Socket socket = null;
        try {
            while (!stopped) {
                boolean kept = socket != null;
                socket = kept ? socket : connect();
                if (socket != null && !isAnswered(socket, kept, keeps)) {
                    socket.close();
                    socket = null;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE);
            }
        } finally {
            if (socket != null) {
                socket.close();
            }
        }
    }

    /** @return null if the connection was refused */
    private Socket connect() throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(PATIENCE * 1_000);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE * 1_000);
            return socket;
        } catch (IOException refused) {
            refusals.add(System.nanoTime());
            socket.close();
            return null;
        }
    }

    /** @return true if the connection can be reused */
    private boolean isAnswered(Socket socket, boolean kept, boolean keeps) {
        StringBuilder head = new StringBuilder();
        try {
            socket.getOutputStream().write(request);
            InputStream in = socket.getInputStream();
            while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
                int next = in.read();
                if (next < 0) {
                    throw new EOFException();
                }
                head.append((char) next);
            }
            String fields = head.toString().toLowerCase(Locale.ROOT);
            int length = Integer.parseInt(fields.replaceAll("(?s).*\r\ncontent-length: *(\\d+).*", "$1"));
            if (in.readNBytes(length).length < length) {
                throw new EOFException();
            }
            if (!fields.startsWith("http/1.1 200")) {
                throw new Broken("an answer was \"" + head.substring(0, 12) + "\"");
            }
            answered.incrementAndGet();
            return keeps && !fields.contains("connection: close");
        } catch (IOException closed) {
            (head.length() > 0 ? cut : kept ? resetKept : resetNew).incrementAndGet();
            return false;
        }
    }
}
