package stet;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Many clients that connect at once and hold a resource.
 *
 * @param isGood  true if the server must serve every client: they are many, but harmless
 * @param stay    seconds to stay once all are connected
 * @param arrival how they connect
 * @param request creates each client's request
 */
record Horde(String name, int clients, boolean isGood, int stay, Arrival arrival, Function<Seat, String> request) {
    /** Timeout in s for all to connect, and maximum number of failed connections. */
    private static final int LIMIT = 60;
    private static final int FAILURES = 20;
    private static final int FEW = 4;
    private static final int BODY = 16 << 20;
    /** Size of the last part of a body, sent after all other parts. */
    private static final int END = 1 << 10;
    private static final int PATIENCE = 20_000;

    static List<Horde> all() {
        return List.of(
                new Horde("1,500 kept after the largest asset", 1_500, true, 3, Horde::readAll,
                        seat -> seat.get("/assets/any/codemirror.js", "")),
                new Horde("300 kept after a template of 2 MiB", 300, true, 3, Horde::readAll,
                        seat -> seat.get(Throughput.HTML, "Authorization: Bearer " + Crowd.HEAVY_KEY + "\r\n")),
                new Horde("1,200 kept after a page", 1_200, true, 3, Horde::readAll, seat -> seat.get("/", "")),
                new Horde("2,500 that send a byte a second", 2_500, false, 20, Horde::sendSlowly, Seat::slow),
                new Horde("8,800 that connect and say nothing", 8_800, false, 5, Horde::sayNothing, seat -> ""),
                new Horde("24 bodies of 16 MiB, drafts", 24, true, 0, Horde::sendAll, seat -> seat.post("/data/check", "application/json")),
                new Horde("24 bodies of 16 MiB, zips", 24, true, 0, Horde::sendAll, seat -> seat.post("/data/import?dryRun=true", "application/zip")));
    }

    /** A client before it connects. */
    record Seat(URI url, String cookie, int number) {
        String get(String path, String headers) {
            return "GET " + path + " HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n" + headers + "\r\n";
        }

        String post(String path, String type) {
            return head(path, type, BODY);
        }

        private String head(String path, String type, int length) {
            return "POST " + path + " HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\nCookie: " + cookie + "\r\nContent-Type: " + type
                    + "\r\nContent-Length: " + length + "\r\n\r\n";
        }

        /** Returns a slow request head for half of the clients, and a slow body for the other half. */
        String slow() {
            return number % 2 == 0 ? get("/", "Accept: text/html\r\n")
                    : head("/data/session", "application/json", 1_000) + "{\"email\": \"somebody@example.com\"";
        }

        Socket connect() throws IOException {
            Socket socket = new Socket();
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(PATIENCE);
            socket.connect(new InetSocketAddress(url.getHost(), url.getPort()), PATIENCE);
            return socket;
        }
    }

    private interface Arrival {
        Held come(Horde horde, List<Seat> seats) throws Exception;
    }

    /**
     * Connections that stay open until closed here.
     *
     * @param words  report: how many clients stayed connected, and what happened to the others
     * @param failed number of clients not served
     */
    record Held(List<Socket> sockets, String words, int failed) implements AutoCloseable {
        @Override
        public void close() {
            for (Socket socket : sockets) {
                try {
                    socket.close();
                } catch (IOException gone) {
                    // Nothing to do: the connection is closed either way.
                }
            }
        }
    }

    /**
     * Returns a short visit by a few of these clients. It makes the server create what it keeps after the first such request.
     */
    Horde few() {
        return new Horde(name, FEW, isGood, 0, arrival, request);
    }

    /** Connects the clients and returns after their stay; they are still connected. */
    Held come(String url, Signed browser) throws Exception {
        List<Seat> seats = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            seats.add(new Seat(URI.create(url), browser.cookie(), i));
        }
        Held held = arrival.come(this, seats);
        TimeUnit.SECONDS.sleep(stay);
        return held;
    }

    private byte[] bytes(Seat seat) {
        return request.apply(seat).getBytes(StandardCharsets.US_ASCII);
    }

    // ---- ways to arrive

    private interface First {
        void with(Socket socket, Seat seat) throws IOException;
    }

    /** Connects the clients one after another; each runs its first step. */
    private Held enter(List<Seat> seats, First first) {
        List<Socket> sockets = new ArrayList<>();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT);
        int failures = 0;
        for (Seat seat : seats) {
            if (failures == FAILURES || System.nanoTime() > end) {
                break;
            }
            try {
                Socket socket = seat.connect();
                sockets.add(socket);
                first.with(socket, seat);
            } catch (IOException | Broken failure) {
                failures++;
            }
        }
        return new Held(sockets, sockets.size() + " came" + (failures == 0 ? "" : ", " + failures + " failed"), failures);
    }

    private static Held readAll(Horde horde, List<Seat> seats) {
        byte[] buffer = new byte[64 << 10];
        return horde.enter(seats, (socket, seat) -> {
            socket.getOutputStream().write(horde.bytes(seat));
            Flow.readAnswer(socket.getInputStream(), buffer);
        });
    }

    private static Held sayNothing(Horde horde, List<Seat> seats) {
        return horde.enter(seats, (socket, seat) -> { });
    }

    private static Held sendSlowly(Horde horde, List<Seat> seats) {
        List<Sender> senders = new ArrayList<>();
        Held held = horde.enter(seats, (socket, seat) -> {
            String request = horde.request.apply(seat);
            int head = request.startsWith("POST") ? request.indexOf("{") : 0;
            socket.getOutputStream().write(horde.bytes(seat), 0, head);
            senders.add(new Sender(socket, request, head));
        });
        Background.run(() -> {
            for (int second = 0; second < horde.stay; second++) {
                int next = second;
                senders.forEach(sender -> sender.send(next));
                TimeUnit.SECONDS.sleep(1);
            }
        });
        return held;
    }

    /** @param sent bytes sent at once */
    private record Sender(Socket socket, String request, int sent) {
        void send(int next) {
            try {
                socket.getOutputStream().write(request.charAt(sent + next));
            } catch (IOException closed) {
                // The server may time out.
            }
        }
    }

    /** Sends every request without its end, then all the ends, and reads the responses. */
    private static Held sendAll(Horde horde, List<Seat> seats) throws Exception {
        byte[] body = new byte[BODY];
        Arrays.fill(body, (byte) 'a');
        CountDownLatch there = new CountDownLatch(seats.size());
        Map<String, Integer> answers = new TreeMap<>();
        List<Socket> sockets = new ArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (Seat seat : seats) {
            Socket socket = seat.connect();
            sockets.add(socket);
            all.add(Background.run(() -> {
                String answer = send(socket, horde.bytes(seat), body, there);
                synchronized (answers) {
                    answers.merge(answer, 1, Integer::sum);
                }
            }));
        }
        for (CompletableFuture<Void> each : all) {
            Background.await(each);
        }
        return new Held(sockets, "answers " + answers.toString().replaceAll("[{}]", ""),
                answers.getOrDefault("500", 0) + answers.getOrDefault("none", 0));
    }

    /** @return the response status */
    private static String send(Socket socket, byte[] head, byte[] body, CountDownLatch there) throws InterruptedException {
        try {
            OutputStream out = socket.getOutputStream();
            try {
                out.write(head);
                out.write(body, 0, BODY - END);
            } finally {
                there.countDown();
            }
            there.await(PATIENCE, TimeUnit.MILLISECONDS);
            out.write(body, BODY - END, END);
        } catch (IOException early) {
            // The server may have responded already.
        }
        try {
            byte[] status = socket.getInputStream().readNBytes(12);
            return status.length < 12 ? "none" : new String(status, 9, 3, StandardCharsets.US_ASCII);
        } catch (IOException broken) {
            return "none";
        }
    }
}
