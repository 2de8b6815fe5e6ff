package stet;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client that requests a template every 10 ms, one request at a time, and records its longest wait. */
final class GoodClient {
    private static final int PAUSE = 10;
    /** Response and connection timeout, in ms. */
    private static final int PATIENCE = 10_000;

    private final URI url;
    private final byte[] request;
    private final boolean keeps;
    private final byte[] buffer = new byte[64 << 10];
    private volatile boolean stopped;
    private CompletableFuture<Void> thread;
    private Socket socket;
    private long longest;
    private int answers;
    private int again;
    private int errors;
    private String first = "";

    private GoodClient(String url, String key, boolean keeps) {
        this.url = URI.create(url);
        this.request = Flow.request(this.url, Throughput.HTML, key);
        this.keeps = keeps;
    }

    /** Returns a client that reuses one connection while it lasts. */
    static GoodClient onOne(String url, String key) {
        return new GoodClient(url, key, true).start();
    }

    /** Returns a client that opens a new connection for each request. */
    static GoodClient onNew(String url, String key) {
        return new GoodClient(url, key, false).start();
    }

    private GoodClient start() {
        thread = Background.run(this::ask);
        return this;
    }

    /**
     * @param longest longest wait in ms for a response or an error
     * @param again   number of kept-alive connections found closed
     * @param first   the first error message
     */
    record Report(double longest, int answers, int again, int errors, String first) {
        String words() {
            return Figures.whole(longest) + " ms" + (again == 0 ? "" : ", connected again " + again + " times")
                    + (errors == 0 ? "" : ", " + errors + " errors in " + (answers + errors) + " (" + first + ")");
        }

        boolean isWell(int most) {
            return errors == 0 && answers > 0 && longest <= most;
        }
    }

    Report stop() throws Exception {
        stopped = true;
        Background.await(thread);
        return new Report(longest / 1e6, answers, again, errors, first);
    }

    private void ask() throws InterruptedException {
        while (!stopped) {
            long begin = System.nanoTime();
            try {
                askOnce();
                answers++;
            } catch (IOException | Broken failure) {
                first = errors++ == 0 ? failure.getMessage() : first;
            }
            longest = Math.max(longest, System.nanoTime() - begin);
            TimeUnit.MILLISECONDS.sleep(PAUSE);
        }
        close();
    }

    /** If the server has closed a kept-alive connection, retries on a new one (RFC 9110, 9.2.2). */
    private void askOnce() throws IOException {
        boolean kept = socket != null;
        try {
            exchange();
        } catch (SocketTimeoutException late) {
            throw late;
        } catch (IOException closed) {
            if (!kept) {
                throw closed;
            }
            again++;
            exchange();
        }
    }

    private void exchange() throws IOException {
        boolean done = false;
        try {
            if (socket == null) {
                socket = connect();
            }
            socket.getOutputStream().write(request);
            Flow.readAnswer(socket.getInputStream(), buffer);
            done = keeps;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE);
        socket.connect(new InetSocketAddress(url.getHost(), url.getPort()), PATIENCE);
        return socket;
    }

    private void close() {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException gone) {
            // Nothing to do: the connection is closed either way.
        }
        socket = null;
    }
}
