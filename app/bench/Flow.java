package stet;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** A load that counts responses in 10 ms buckets; one thread per connection, without allocation between requests. */
final class Flow {
    private static final int BUCKET_MILLIS = 10;
    /** Time excluded at the start and the end, in ms, when not all connections are busy or warmed up. */
    static final int EDGE = 1_000;
    private static final byte[] LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);

    private final URI url;
    private final List<byte[]> requests;
    private final int connections;
    private final int millis;
    private final AtomicIntegerArray buckets;
    private final List<CompletableFuture<Void>> threads = new ArrayList<>();
    private volatile long begin;

    Flow(String url, String path, List<String> keys, int connections, int seconds) {
        this.url = URI.create(url);
        this.requests = keys.stream().map(key -> request(this.url, path, key)).toList();
        this.connections = connections;
        this.millis = seconds * 1_000;
        this.buckets = new AtomicIntegerArray(millis / BUCKET_MILLIS);
    }

    static byte[] request(URI url, String path, String key) {
        return ("GET " + path + " HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\nAuthorization: Bearer " + key + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    Flow start() {
        begin = System.nanoTime();
        for (int i = 0; i < connections; i++) {
            int first = i * requests.size() / connections;
            threads.add(Background.run(() -> connect(first)));
        }
        return this;
    }

    boolean isRunning() {
        return threads.stream().anyMatch(thread -> !thread.isDone());
    }

    void await() throws Exception {
        for (CompletableFuture<Void> thread : threads) {
            Background.await(thread);
        }
    }

    private long passed() {
        return (System.nanoTime() - begin) / 1_000_000;
    }

    private void connect(int first) throws IOException {
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(10_000);
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[64 << 10];
            for (int i = first; passed() < millis; i = (i + 1) % requests.size()) {
                out.write(requests.get(i));
                readAnswer(in, buffer);
                int bucket = (int) (passed() / BUCKET_MILLIS);
                if (bucket < buckets.length()) {
                    buckets.incrementAndGet(bucket);
                }
            }
        }
    }

    /** @throws Broken if the status is not 200 */
    static void readAnswer(InputStream in, byte[] buffer) throws IOException {
        int length = 0;
        int body = -1;
        while (body < 0) {
            length += read(in, buffer, length);
            body = bodyStart(buffer, length);
        }
        if (buffer[9] != '2' || buffer[10] != '0' || buffer[11] != '0') {
            throw new Broken("an answer was " + new String(buffer, 0, 12, StandardCharsets.US_ASCII));
        }
        int left = body + contentLength(buffer, body) - length;
        while (left > 0) {
            left -= read(in, buffer, 0);
        }
    }

    private static int read(InputStream in, byte[] buffer, int from) throws IOException {
        int count = in.read(buffer, from, buffer.length - from);
        if (count <= 0) {
            throw new EOFException("a connection ended within an answer");
        }
        return count;
    }

    /** Returns the index after the empty line, or -1 if that line has not arrived. */
    static int bodyStart(byte[] buffer, int length) {
        for (int i = 0; i + 4 <= length; i++) {
            if (buffer[i] == '\r' && buffer[i + 1] == '\n' && buffer[i + 2] == '\r' && buffer[i + 3] == '\n') {
                return i + 4;
            }
        }
        return -1;
    }

    /** Returns the content length from the head that ends at {@code end}. */
    static int contentLength(byte[] buffer, int end) {
        for (int i = 0; i < end; i++) {
            int j = 0;
            while (j < LENGTH.length && (buffer[i + j] | 0x20) == (LENGTH[j] | 0x20)) {
                j++;
            }
            if (j == LENGTH.length) {
                int value = 0;
                for (int at = i + j; buffer[at] != '\r'; at++) {
                    value = buffer[at] == ' ' ? value : value * 10 + buffer[at] - '0';
                }
                return value;
            }
        }
        throw new Broken("an answer has no Content-Length");
    }

    /** Returns the number of responses, including the edges. */
    long answers() {
        long sum = 0;
        for (int i = 0; i < buckets.length(); i++) {
            sum += buckets.get(i);
        }
        return sum;
    }

    /** Returns the median number of responses per 10 ms, without the edges. */
    double median() {
        int[] sorted = inner();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Returns the longest time in ms during which every bucket was below half the median. */
    int longestDip() {
        double half = median() / 2;
        int longest = 0;
        int current = 0;
        for (int count : inner()) {
            current = count < half ? current + BUCKET_MILLIS : 0;
            longest = Math.max(longest, current);
        }
        return longest;
    }

    private int[] inner() {
        int edge = EDGE / BUCKET_MILLIS;
        int[] counts = new int[buckets.length() - 2 * edge];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = buckets.get(edge + i);
        }
        return counts;
    }
}
