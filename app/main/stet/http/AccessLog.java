package stet.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import stet.core.HeapBudget;
import stet.core.LocalFiles;
import stet.core.Log;
import stet.core.Reason;
import stet.core.Refusal;

/**
 * The access log: one line for each answer, in the combined format of Apache and nginx. A thread of its own writes it from a
 * bounded queue, so that no answer waits for the disk; lines that do not fit are counted.
 *
 * <pre>
 * 192.0.2.7 - stet_Ab12... [31/Jan/2026:09:00:00 +0000] "GET /api/v1/templates/welcome HTTP/1.1" 200 5120 "-" "curl/8.5.0"
 * </pre>
 */
public final class AccessLog implements AutoCloseable {
    /** Characters of the target, the referrer and the user agent each, at most. */
    private static final int MAX_CHARACTERS = 512;
    /** Lines that are written at once, at most. */
    private static final int MAX_LINES = 32;
    /** Interval between looks whether the file was renamed. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** Interval between lines of the log about what did not fit. */
    private static final long TOLD_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** Pause of the thread when there is nothing to write. */
    private static final long PAUSE_MILLIS = 25;
    private static final int CLOSE_SECONDS = 2;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss '+0000'", Locale.ENGLISH).withZone(ZoneOffset.UTC);
    /** Parameters whose values are written; another one may be a key that is in the wrong place. */
    private static final Set<String> PARAMETERS = Set.of("format", "publish", "dryRun");
    private static final Pattern KEY = Pattern.compile("(stet_[0-9A-Za-z]{4})[0-9A-Za-z]{10,}");

    private record Entry(Instant time, InetAddress client, String keyStart, String method, String target, String protocol,
                         int status, long bytes, String referrer, String agent) {
    }

    private final TrustedProxies proxies;
    private final Clock clock;
    /** Null where lines go to a stream that is not a file. */
    private final Path path;
    private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(HeapBudget.ACCESS_LOG_LINES);
    private final LongAdder dropped = new LongAdder();
    private final Thread thread = new Thread(this::run, "stet-access-log");
    private volatile boolean closed;
    // of the thread alone
    private OutputStream out;
    private Object identity;
    /** Whether the last line may be half of one. */
    private boolean torn;
    private long looked = System.nanoTime();
    private long toldAt = looked - TOLD_NANOS;
    private long told;

    private AccessLog(TrustedProxies proxies, Clock clock, Path path, OutputStream out) {
        this.proxies = proxies;
        this.clock = clock;
        this.path = path;
        this.out = out;
    }

    /**
     * Appends to a file, which is made for its owner alone, and made anew when it was renamed or removed.
     *
     * @param proxies whose word on a client's address is taken
     * @throws Refusal when it cannot be written
     */
    public static AccessLog to(Path file, TrustedProxies proxies, Clock clock) {
        AccessLog log = new AccessLog(proxies, clock, file, null);
        try {
            log.reopen();
        } catch (IOException failure) {
            throw new Refusal("access-log", "The access log " + file + " cannot be written: " + Reason.of(failure));
        }
        log.start();
        return log;
    }

    /** Writes to a stream, which stays the caller's to close. */
    public static AccessLog to(OutputStream out, TrustedProxies proxies, Clock clock) {
        AccessLog log = new AccessLog(proxies, clock, null, out);
        log.start();
        return log;
    }

    private void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Adds an answer, without waiting for anything. @param bytes of the body that was sent */
    public void add(Request request, int status, long bytes) {
        List<String> forwarded = request.headers("X-Forwarded-For");
        Entry entry = new Entry(clock.instant(),
                forwarded.isEmpty() ? request.peer() : proxies.client(request.peer(), forwarded), request.keyStart(),
                request.method(), shortened(request.target()), request.protocol(), status, bytes,
                shortened(request.header("Referer")), shortened(request.header("User-Agent")));
        if (closed || !queue.offer(entry)) {
            dropped.increment();
        }
    }

    private static String shortened(String text) {
        return text == null || text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "...";
    }

    /** Number of lines that did not fit or could not be written. */
    public long dropped() {
        return dropped.sum();
    }

    /** Writes what waits, but not for longer than some seconds. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the thread

    private void run() {
        List<Entry> entries = new ArrayList<>();
        StringBuilder lines = new StringBuilder();
        try {
            while (!closed || !queue.isEmpty()) {
                if (queue.drainTo(entries, MAX_LINES) == 0) {
                    Thread.sleep(PAUSE_MILLIS); // to be woken by each line would cost more than the line
                }
                entries.forEach(entry -> append(lines, entry));
                write(lines.toString(), entries.size());
                entries.clear();
                lines.setLength(0);
                tellDropped(false);
            }
            tellDropped(true);
            if (path != null && out != null) {
                out.close();
            }
        } catch (InterruptedException | IOException ended) {
            // The process ends.
        }
    }

    /** A failure of the disk loses these lines and is tried again with the next. */
    private void write(String lines, long number) {
        try {
            if (path != null && System.nanoTime() - looked >= LOOK_NANOS) {
                looked = System.nanoTime();
                if (out == null || !Objects.equals(identity, LocalFiles.identity(path))) {
                    reopen();
                }
            }
            if (number > 0 && out == null) {
                dropped.add(number);
            } else if (number > 0) {
                out.write(((torn ? "\n" : "") + lines).getBytes(StandardCharsets.US_ASCII));
                out.flush();
                torn = false;
            }
        } catch (IOException | RuntimeException failure) {
            torn = true;
            dropped.add(number);
            Log.error("access-log-failed", failure, "file", path);
        }
    }

    private void reopen() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
        torn = false;
        out = Channels.newOutputStream(FileChannel.open(path,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND), LocalFiles.fileMode()));
        identity = LocalFiles.identity(path);
    }

    private void tellDropped(boolean last) {
        long number = dropped.sum();
        if (number > told && (last || System.nanoTime() - toldAt >= TOLD_NANOS)) {
            Log.warn("access-log-dropped", "lines", number - told);
            toldAt = System.nanoTime();
            told = number;
        }
    }

    private static void append(StringBuilder line, Entry entry) {
        line.append(TrustedProxies.text(entry.client)).append(" - ");
        line.append(entry.keyStart == null ? "-" : entry.keyStart + "...");
        line.append(" [").append(TIME.format(entry.time)).append("] \"");
        quote(line, entry.method);
        line.append(' ');
        quote(line, withoutSecrets(entry.target));
        line.append(' ');
        quote(line, entry.protocol);
        line.append("\" ").append(entry.status).append(' ').append(entry.bytes == 0 ? "-" : entry.bytes).append(" \"");
        quote(line, entry.referrer == null ? "-" : withoutSecrets(entry.referrer));
        line.append("\" \"");
        quote(line, entry.agent == null ? "-" : withoutKey(entry.agent));
        line.append("\"\n");
    }

    private static String withoutSecrets(String target) {
        int query = target.indexOf('?');
        if (query < 0) {
            return withoutKey(target);
        }
        StringBuilder safe = new StringBuilder(withoutKey(target.substring(0, query)));
        char separator = '?';
        for (String pair : target.substring(query + 1).split("&", -1)) {
            boolean known = PARAMETERS.contains(pair.split("=", 2)[0]);
            safe.append(separator).append(known || pair.isEmpty() ? withoutKey(pair) : "...");
            separator = '&';
        }
        return safe.toString();
    }

    private static String withoutKey(String text) {
        return text.contains("stet_") ? KEY.matcher(text).replaceAll("$1...") : text;
    }

    /** Escapes as Apache does: a quote, a backslash, and all that is not printable ASCII. */
    private static void quote(StringBuilder line, String text) {
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '"' || letter == '\\') {
                line.append('\\').append(letter);
            } else if (letter >= ' ' && letter < 127) {
                line.append(letter);
            } else {
                line.append(letter < 256 ? "\\x" : "\\u").append(Integer.toHexString(0x10000 | letter), letter < 256 ? 3 : 1, 5);
            }
        }
    }
}
