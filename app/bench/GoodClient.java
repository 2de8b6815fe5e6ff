package stet;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client that asks for a template every 10 ms, one answer after the other, and notes how long it waited at most. */
final class GoodClient {
    private static final int PAUSE = 10;
    /** For an answer or a connection, in ms. */
    private static final int PATIENCE = 10_000;

    private final URI url;
    private final byte[] request;
    private final boolean keeps;
    private final CompletableFuture<Void> thread;
    private volatile boolean stopped;
    private long longest;
    private int answers;
    private int errors;
    private String first = "";

    private GoodClient(String url, String key, boolean keeps) {
        this.url = URI.create(url);
        this.request = Flow.request(this.url, Throughput.HTML, key);
        this.keeps = keeps;
        this.thread = Background.run(this::ask);
    }

    /** On one connection for as long as that lasts. */
    static GoodClient onOne(String url, String key) {
        return new GoodClient(url, key, true);
    }

    /** On a new connection each time. */
    static GoodClient onNew(String url, String key) {
        return new GoodClient(url, key, false);
    }

    /** @param longest wait in ms, for an answer or an error, and {@code first} error in words */
    record Report(double longest, int answers, int errors, String first) {
        String words() {
            return Figures.whole(longest) + " ms" + (errors == 0 ? "" : ", " + errors + " errors in " + (answers + errors) + " (" + first + ")");
        }

        boolean isWell(int most) {
            return errors == 0 && answers > 0 && longest <= most;
        }
    }

    Report stop() throws Exception {
        stopped = true;
        Background.await(thread);
        return new Report(longest / 1e6, answers, errors, first);
    }

    private void ask() throws InterruptedException {
        byte[] buffer = new byte[64 << 10];
        Socket socket = null;
        while (!stopped) {
            long begin = System.nanoTime();
            try {
                if (socket == null) {
                    socket = connect();
                }
                socket.getOutputStream().write(request);
                Flow.readAnswer(socket.getInputStream(), buffer);
                answers++;
                socket = keeps ? socket : closed(socket);
            } catch (IOException | Broken failure) {
                socket = closed(socket);
                first = errors++ == 0 ? failure.getMessage() : first;
            }
            longest = Math.max(longest, System.nanoTime() - begin);
            TimeUnit.MILLISECONDS.sleep(PAUSE);
        }
        closed(socket);
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE);
        socket.connect(new InetSocketAddress(url.getHost(), url.getPort()), PATIENCE);
        return socket;
    }

    private static Socket closed(Socket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException gone) {
            // It is closed either way.
        }
        return null;
    }
}
