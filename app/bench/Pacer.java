package stet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * An open-loop load: sends requests at a fixed rate regardless of the responses, so a late response delays later ones, as in
 * production. A separate process keeps the rest of the benchmark from stalling the load. One thread handles all connections
 * and allocates nothing between requests.
 *
 * <pre>
 * stdin         stdout
 * rate 15000    ok              requests per second; 0 for the maximum rate
 * begin         ok              starts a new window; discards requests that are already late
 * end           {@link Window}  ends the window
 * </pre>
 */
final class Pacer {
    private static final int CONNECTIONS = 32;
    /** Timeout of a request in ns. */
    private static final long PATIENCE = 10_000_000_000L;
    /** Interval between checks for late and lost requests, in ns. */
    private static final long LOOK = 100_000_000;

    private final InetSocketAddress address;
    private final List<ByteBuffer> requests;
    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();
    private final Deque<Connection> idle = new ArrayDeque<>();
    /** Due times of requests waiting for an idle connection. */
    private final Due waiting = new Due();
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(256 << 10);
    private Samples samples = new Samples();
    private Samples spare = new Samples();
    private int next;
    private int rate;
    private long due;

    private Pacer(URI url, List<ByteBuffer> requests) throws IOException {
        this.address = new InetSocketAddress(url.getHost(), url.getPort());
        this.requests = requests;
    }

    /** @param arguments server URL, path, key file, and a folder on the disk to watch */
    public static void main(String[] arguments) throws Exception {
        URI url = URI.create(arguments[0]);
        List<ByteBuffer> requests = Files.readAllLines(Path.of(arguments[2])).stream()
                .map(key -> ByteBuffer.wrap(Flow.request(url, arguments[1], key))).toList();
        Pacer pacer = new Pacer(url, requests);
        Disk disk = Disk.watch(Path.of(arguments[3]));
        CompletableFuture<Void> load = Background.run(pacer::load);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null && !load.isDone(); line = in.readLine()) {
            String answer = "ok";
            if (line.equals("begin")) {
                disk.forget();
                pacer.tell(pacer::begin);
            } else if (line.equals("end")) {
                answer = pacer.tell(pacer::end).window(disk.longest()).line();
            } else {
                int wanted = Integer.parseInt(line.substring("rate ".length()));
                pacer.tell(() -> pacer.rate(wanted));
            }
            System.out.println(answer);
        }
        if (load.isDone()) {
            Background.await(load);
        }
    }

    // ---- commands, run on the load's thread

    private interface Command {
        Samples run();
    }

    private Samples tell(Command command) {
        CompletableFuture<Samples> done = new CompletableFuture<>();
        commands.add(() -> done.complete(command.run()));
        selector.wakeup();
        return done.join();
    }

    private Samples rate(int wanted) {
        rate = wanted;
        return begin();
    }

    private Samples begin() {
        long now = System.nanoTime();
        waiting.clear();
        due = now;
        samples.clear(now);
        return samples;
    }

    /** Ends the window; includes unanswered requests with their delay so far. */
    private Samples end() {
        long now = System.nanoTime();
        Samples ended = samples;
        connections.stream().filter(connection -> connection.busy).forEach(connection -> ended.late(now - connection.due));
        while (!waiting.isEmpty()) {
            ended.late(now - waiting.remove());
        }
        ended.end(now);
        samples = spare;
        samples.clear(now);
        spare = ended;
        return ended;
    }

    // ---- load

    private void load() throws IOException {
        for (int i = 0; i < CONNECTIONS; i++) {
            connections.add(new Connection());
            connect(connections.get(i));
        }
        long looked = System.nanoTime();
        long turned = looked;
        while (true) {
            for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
                command.run();
            }
            long now = System.nanoTime();
            samples.turn(now - turned);
            turned = now;
            if (now - looked > LOOK) {
                looked = now;
                look(now);
            }
            come(now);
            while (!waiting.isEmpty() && !idle.isEmpty()) {
                send(idle.removeFirst(), waiting.remove());
            }
            selector.select(this::ready, 1);
        }
    }

    /** Sends the requests that are due. */
    private void come(long now) {
        if (rate == 0) {
            idle.forEach(free -> waiting.add(now));
            return;
        }
        for (; due <= now; due += 1_000_000_000 / rate) {
            waiting.add(now); // do not attribute this program's delay to the server
        }
    }

    private void look(long now) {
        for (Connection connection : connections) {
            if (connection.busy && now - connection.sent > PATIENCE) {
                lose(connection, "no answer in " + PATIENCE / 1_000_000_000 + " s");
            } else if (connection.channel == null) {
                connect(connection);
            }
        }
    }

    private void connect(Connection connection) {
        try {
            connection.busy = false;
            connection.channel = SocketChannel.open();
            connection.channel.configureBlocking(false);
            connection.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            boolean connected = connection.channel.connect(address);
            connection.channel.register(selector, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, connection);
            if (connected) {
                idle.addLast(connection);
            }
        } catch (IOException failure) {
            lose(connection, "not connected: " + failure.getMessage());
        }
    }

    private void ready(SelectionKey key) {
        Connection connection = (Connection) key.attachment();
        try {
            if (key.isConnectable()) {
                connection.channel.finishConnect();
                key.interestOps(SelectionKey.OP_READ);
                idle.addLast(connection);
            } else {
                read(connection);
            }
        } catch (IOException failure) {
            lose(connection, failure.getMessage());
        }
    }

    /** Closes a connection; the next check reconnects. A server may close an idle connection. */
    private void lose(Connection connection, String why) {
        if (connection.busy || why.startsWith("not connected") || why.equals("Connection refused")) {
            samples.error(why);
        }
        idle.remove(connection);
        try {
            connection.channel.close();
        } catch (IOException closed) {
            // Nothing to do: the connection is closed either way.
        }
        connection.busy = false;
        connection.channel = null;
    }

    private void send(Connection connection, long when) {
        ByteBuffer request = requests.get(next).rewind();
        next = (next + 1) % requests.size();
        connection.busy = true;
        connection.due = when;
        connection.sent = System.nanoTime();
        connection.length = 0;
        connection.left = -1;
        try {
            connection.channel.write(request);
            if (request.hasRemaining()) {
                throw new IOException("a request could not be sent at once");
            }
        } catch (IOException failure) {
            lose(connection, failure.getMessage());
        }
    }

    private void read(Connection connection) throws IOException {
        buffer.clear();
        int count = connection.channel.read(buffer);
        if (count < 0 || !connection.busy) {
            lose(connection, count < 0 ? "the connection was closed" : "there was an answer without a request");
            return;
        }
        buffer.flip();
        if (connection.left >= 0) {
            connection.left -= count;
        } else {
            connection.readHead(buffer);
        }
        if (connection.left == 0) {
            connection.busy = false;
            idle.addLast(connection);
            if (connection.isOk()) {
                samples.answer(System.nanoTime(), connection.due, connection.sent);
            } else {
                samples.error(connection.status());
            }
        } else if (connection.left < -1) {
            throw new IOException("an answer was longer than its Content-Length");
        }
    }

    private static final class Connection {
        private final byte[] head = new byte[4 << 10];
        private SocketChannel channel;
        private boolean busy;
        private long due;
        private long sent;
        private int length;
        /** Remaining bytes of the body; -1 until known. */
        private int left = -1;

        void readHead(ByteBuffer from) throws IOException {
            int count = Math.min(from.remaining(), head.length - length);
            from.get(head, length, count);
            length += count;
            int body = Flow.bodyStart(head, length);
            if (body >= 0) {
                left = Flow.contentLength(head, body) - (length - body) - from.remaining();
            } else if (length == head.length) {
                throw new IOException("an answer has a very long head");
            }
        }

        boolean isOk() {
            return head[9] == '2' && head[10] == '0' && head[11] == '0';
        }

        String status() {
            return "answered " + new String(head, 9, 3, StandardCharsets.US_ASCII);
        }
    }

    /** A queue of times that allocates no objects. */
    private static final class Due {
        private final long[] times = new long[1 << 20];
        private int head;
        private int size;

        /** Drops the time if the queue is full; by then, requests are a minute late. */
        void add(long time) {
            if (size < times.length) {
                times[(head + size++) % times.length] = time;
            }
        }

        long remove() {
            long time = times[head];
            head = (head + 1) % times.length;
            size--;
            return time;
        }

        boolean isEmpty() {
            return size == 0;
        }

        void clear() {
            size = 0;
        }
    }
}
