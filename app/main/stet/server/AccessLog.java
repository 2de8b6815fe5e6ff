package stet.server;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import stet.access.TrustedProxies;
import stet.base.Excerpt;
import stet.base.LocalFiles;
import stet.base.Log;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.http.Request;

/**
 * The access log: one line per response, in the combined log format of Apache and nginx. A periodic task writes the lines from a
 * bounded queue, so no response waits for the disk. Lines that do not fit in the queue are dropped and counted.
 *
 * <pre>
 * 192.0.2.7 - stet_Ab12... [31/Jan/2026:09:00:00 +0000] "GET /api/v1/templates/welcome HTTP/1.1" 200 5120 "-" "curl/8.5.0"
 * </pre>
 */
public final class AccessLog implements AutoCloseable {
    /** Maximum number of characters of a target, referrer or user agent. */
    private static final int MAX_CHARACTERS = 512;
    /** Maximum number of queued lines, each usually less than 2 KB. */
    private static final int MAX_WAITING = 1_024;
    /** Maximum number of lines per write. */
    private static final int MAX_LINES = 128;
    private static final long CLOSE_MILLIS = 2_000;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss '+0000'", Locale.ENGLISH).withZone(ZoneOffset.UTC);
    /** Query parameters that are logged; others could contain misplaced keys. */
    private static final Set<String> PARAMETERS = Set.of("format", "publish", "dryRun");
    private static final Pattern UNSAFE = Pattern.compile("[^ -~]|[\"\\\\]");
    private static final Pattern KEY = Pattern.compile("(stet_(?:deploy_)?[0-9A-Za-z]{4})[0-9A-Za-z]{10,}");

    private final TrustedProxies proxies;
    private final Clock clock;
    private final Log log;
    /** The log file; null to write to {@link #out}. */
    private final Path path;
    private final OutputStream out;
    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(MAX_WAITING);
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong reported = new AtomicLong();
    /** Held while lines are written. */
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean closed;
    /** Whether writes by the timer have ended. */
    private boolean ended;
    /** A line break if a failed write may have left a line incomplete; otherwise empty. */
    private String separator = "";

    private AccessLog(Path path, OutputStream out, TrustedProxies proxies, Clock clock, Log log) {
        this.path = path;
        this.out = out;
        this.proxies = proxies;
        this.clock = clock;
        this.log = log;
    }

    /**
     * Appends to a file, which is created so that only its owner can read it.
     *
     * @param proxies proxies trusted to report client addresses
     * @param log     receives write failures and the number of dropped lines
     * @throws Refusal       if the path is wrong
     * @throws SystemFailure if the file cannot be written
     */
    public static AccessLog toFile(Path path, TrustedProxies proxies, Clock clock, Log log) {
        AccessLog file = new AccessLog(path, null, proxies, clock, log);
        try {
            file.append(""); // creates the file
            return file;
        } catch (IOException failure) {
            throw SystemFailure.of("Cannot write the access log " + path, failure);
        }
    }

    /** Writes to a stream, which the caller closes. The other parameters are as for {@link #toFile}. */
    public static AccessLog toStream(OutputStream out, TrustedProxies proxies, Clock clock, Log log) {
        return new AccessLog(null, out, proxies, clock, log);
    }

    /** Adds a response without blocking. @param bytes number of body bytes to log */
    public void add(Request request, int status, long bytes) {
        List<String> forwarded = request.headers("X-Forwarded-For");
        InetAddress client = forwarded.isEmpty() ? request.peer() : proxies.client(request.peer(), forwarded);
        String line = TrustedProxies.text(client) + " - " + (request.keyStart() == null ? "-" : request.keyStart() + "...")
                + " [" + TIME.format(clock.instant()) + "] \"" + escaped(request.method()) + " "
                + escaped(withoutSecrets(request.target())) + " " + escaped(request.protocol()) + "\" " + status + " "
                + (bytes == 0 ? "-" : bytes) + " \"" + escaped(withoutSecrets(request.header("Referer"))) + "\" \""
                + escaped(withoutKey(request.header("User-Agent"))) + "\"\n";
        if (closed || !queue.offer(line)) {
            dropped.incrementAndGet();
        }
    }

    /** Number of lines lost because the queue was full, a write failed or the log was closed. */
    public long dropped() {
        return dropped.get();
    }

    /** Logs how many lines have been dropped since the last call. */
    public void logDropped() {
        long all = dropped.get();
        long lines = all - reported.getAndSet(all);
        if (lines > 0) {
            log.warn("access-log-dropped", "lines", lines);
        }
    }

    /** Accepts no more lines and writes the queued lines, waiting up to two seconds for a write in progress. */
    @Override
    public void close() {
        closed = true;
        end();
        logDropped();
    }

    // ---- writing

    /** Writes the queued lines, unless another thread writes them just now. Called by a timer until {@link #end}. */
    public void write() {
        write(0, false);
    }

    /**
     * Writes the queued lines and makes later calls of {@link #write()} do nothing, so that stopping the timer interrupts no write.
     * Later lines are written by {@link #close}. Does nothing if a write in progress takes more than two seconds.
     */
    public void end() {
        write(CLOSE_MILLIS, true);
    }

    /** @param millis maximum time to wait for another thread's write @param isLast whether the timer must not write any more */
    private void write(long millis, boolean isLast) {
        try {
            if (!writing.tryLock(millis, TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return;
        }
        try {
            if (ended && !isLast) {
                return;
            }
            ended |= isLast;
            List<String> lines = new ArrayList<>();
            while (queue.drainTo(lines, MAX_LINES) > 0) {
                writeOrDrop(lines);
                lines.clear();
            }
        } finally {
            writing.unlock();
        }
    }

    /** Writes lines, which are lost if the write fails. */
    private void writeOrDrop(List<String> lines) {
        try {
            append(String.join("", lines));
            separator = "";
        } catch (IOException | RuntimeException failure) {
            separator = "\n";
            dropped.addAndGet(lines.size());
            log.error("access-log-failed", failure, "file", path);
        }
    }

    /** Opens the file for each write, so that the file is recreated after log rotation. */
    private void append(String lines) throws IOException {
        if (path == null) {
            out.write((separator + lines).getBytes(StandardCharsets.US_ASCII));
            out.flush();
            return;
        }
        boolean isNew = Files.notExists(path);
        try (FileChannel file = FileChannel.open(path,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND), LocalFiles.fileMode())) {
            if (isNew) {
                LocalFiles.giveToOwnerOfFolder(path);
            }
            String start = file.size() == 0 ? "" : separator;
            Channels.newOutputStream(file).write((start + lines).getBytes(StandardCharsets.US_ASCII));
        }
    }

    // ---- formatting

    /** A target or referrer without keys and without the values of unknown parameters; {@code -} for null. */
    private static String withoutSecrets(String target) {
        if (target == null) {
            return "-";
        }
        String[] parts = withoutKey(target).split("\\?", 2);
        return parts.length == 1 ? parts[0] : parts[0] + "?" + Arrays.stream(parts[1].split("&", -1))
                .map(pair -> pair.isEmpty() || PARAMETERS.contains(pair.split("=", 2)[0]) ? pair : "...")
                .collect(Collectors.joining("&"));
    }

    /** Replaces all but the first characters of keys, and cuts a long text; {@code -} for null. */
    private static String withoutKey(String text) {
        if (text == null) {
            return "-";
        }
        String masked = KEY.matcher(text).replaceAll("$1..."); // before the cut, which could leave a part of a key that is too short to be found
        return masked.length() <= MAX_CHARACTERS ? masked : Excerpt.start(masked, MAX_CHARACTERS) + "...";
    }

    /** Escapes text much as Apache does. Each character is one byte because the JDK's server decodes the head as ISO 8859-1. */
    private static String escaped(String text) {
        return UNSAFE.matcher(text).replaceAll(found -> Matcher.quoteReplacement("\"\\".contains(found.group())
                ? "\\" + found.group() : String.format("\\x%02x", (int) found.group().charAt(0))));
    }
}
