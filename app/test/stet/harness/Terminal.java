package stet.harness;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stet.Stet;
import stet.base.Log;
import stet.base.Timestamp;
import stet.cli.Console;
import stet.core.Plan;
import stet.server.Server;
import stet.sqlite.Db;

/** The command line as users see it: commands on one data folder, with or without a running serve. */
public final class Terminal {
    static {
        Server.setProperties();
    }

    public final MovableClock clock = new MovableClock(Running.NOW);
    public final Map<String, String> environment = new HashMap<>();
    public String input = "";
    /** Binary standard input; if empty, {@link #input} is used. */
    public byte[] bytes = {};
    /** Standard input that may be endless; if null, {@link #bytes} is used. */
    public InputStream in;
    /** Maximum number of output bytes that can be written. */
    public int room = Integer.MAX_VALUE;
    /** Runs when output cannot be written. */
    public Runnable whenFull = () -> { };

    /** A command's result. */
    public record Result(int code, String out, String err) {
        /** The only line on stdout. */
        public String line() {
            return out.strip();
        }
    }

    public Terminal(Path data) {
        environment.put("STET_DATA", data.toString());
    }

    public Result run(String... arguments) {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        OutputStream disk = new FilterOutputStream(written) {
            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                if (written.size() + length > room) {
                    whenFull.run();
                    throw new IOException("No space left on device");
                }
                out.write(bytes, from, length);
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        InputStream in = this.in != null ? this.in : new ByteArrayInputStream(bytes.length > 0 ? bytes : input.getBytes(StandardCharsets.UTF_8));
        int code = Stet.run(arguments, environment, console(in, disk, err), clock);
        return new Result(code, written.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs a command with binary output; it must succeed. @return its stderr */
    public String runInto(Path file, String... arguments) throws IOException {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try (OutputStream out = Files.newOutputStream(file)) {
            int code = Stet.run(arguments, environment, console(InputStream.nullInputStream(), out, err), clock);
            if (code != 0) {
                throw new AssertionError(err.toString(StandardCharsets.UTF_8));
            }
        }
        return err.toString(StandardCharsets.UTF_8);
    }

    /** Runs a command; it must succeed. @return its stdout */
    public String done(String... arguments) {
        Result result = run(arguments);
        if (result.code() != 0) {
            throw new AssertionError(String.join(" ", arguments) + ": " + result.err());
        }
        return result.out();
    }

    /** Adds an account; it has no password, to save time. @return its key */
    public String account(String email, String plan) {
        try (Db db = Db.open(Path.of(environment.get("STET_DATA")), true)) {
            db.change(dao -> dao.accounts().add(email, Plan.of(plan), clock.instant(), clock.instant(), null));
        }
        return done("key", "add", email, "test").strip();
    }

    public Serving serve(String... arguments) {
        return new Serving(arguments);
    }

    /** Formats log lines as slf4j-simple does. */
    static Log.Output lines(PrintStream out, boolean json) {
        return (level, message) -> out.print((json ? "{\"time\":\"%s\", \"level\": \"%s\",%s\n" : "%s %s %s\n")
                .formatted(Timestamp.format(Instant.now()), level, message));
    }

    private static Console console(InputStream in, OutputStream out, OutputStream err) {
        return new Console(in, print(out), print(err), (lowest, json) -> new Log(lines(print(err), json), Clock.systemUTC(), json, lowest));
    }

    private static PrintStream print(OutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    /** A serve or demo that runs on a separate thread and is ready. */
    public final class Serving implements AutoCloseable {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final Thread thread;
        private volatile int code = -1;

        private Serving(String... arguments) {
            thread = new Thread(() -> code = Stet.run(arguments, environment,
                    console(InputStream.nullInputStream(), out, err), clock));
            thread.start();
            if (!Running.comes(() -> out().contains("STET_READY url=") || !thread.isAlive()) || code >= 0) {
                throw new AssertionError(err());
            }
        }

        public String out() {
            return out.toString(StandardCharsets.UTF_8);
        }

        public String err() {
            return err.toString(StandardCharsets.UTF_8);
        }

        public String url() {
            return out().lines().filter(line -> line.startsWith("STET_READY url=")).findFirst().orElseThrow().substring(15);
        }

        public Client.Reply get(String path, String key) {
            URI uri = URI.create(url());
            try (Client client = new Client(new InetSocketAddress(uri.getHost(), uri.getPort()))) {
                return client.get(path, key);
            }
        }

        public Client.Reply post(String path, String json, String... headers) {
            URI uri = URI.create(url());
            List<String> lines = new ArrayList<>(List.of(headers));
            lines.addAll(List.of("Content-Type: application/json", "Content-Length: " + json.length()));
            try (Client client = new Client(new InetSocketAddress(uri.getHost(), uri.getPort()))) {
                return client.write(client.request("POST", path, null, lines.toArray(String[]::new)) + json).read(false);
            }
        }

        /** Interrupts the command. @return its exit code */
        public int end() {
            thread.interrupt();
            try {
                thread.join(Running.PATIENCE.toMillis());
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
            return code;
        }

        @Override
        public void close() {
            end();
        }
    }
}
