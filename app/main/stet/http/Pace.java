package stet.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ends a thread's wait for a client that reads or sends too slowly. There is one for each request thread; a timer checks it every second.
 *
 * <pre>
 * thread: begin ──► blocked ──► moved ──► blocked ──► moved ...
 * timer:              └─ interrupt, if it saw the thread blocked for a whole window in which too few bytes moved
 * </pre>
 *
 * <p>The interrupt closes the socket (see InterruptibleChannel), so the JDK's server drops the connection. The {@link #state} ensures that
 * an interrupt never hits later work of the thread. Only seconds in which the thread is blocked by the client count, so neither a slow
 * disk nor a busy machine ends a request.
 */
public final class Pace {
    /** Lowest speed, in bytes per second. A body of 64 KiB takes 16 s, and a slow mobile connection is ten times as fast. */
    public static final int LEAST = 4 << 10;

    /** Transfers, each with the number of seconds without enough bytes after which the client is too slow. */
    public enum Transfer {
        /** Longer than the rest of a request, because the JDK's server reads the head and does not report how many bytes have arrived. */
        READING_HEAD(20),
        /** Longer than TCP needs to resend a lost packet three times. */
        READING(10),
        /**
         * The kernel reports room only when a third of its buffer is free: up to 0.6 MB on loopback, so that a proxy that passes 40 KB a
         * second on is fast enough.
         */
        SENDING(15);

        final int seconds;

        Transfer(int seconds) {
            this.seconds = seconds;
        }
    }

    private static final int BITS = 2;
    private static final long IDLE = 0;
    private static final long BLOCKED = 1;
    private static final long CUTTING = 2;
    private static final long CUT = 3;
    /** The bits of these states. */
    private static final long MASK = 3;

    private final Thread thread;
    /** The number of the current hold, and whether its thread is blocked. */
    private final AtomicLong state = new AtomicLong();
    /** Written by the thread while not blocked. */
    private long hold;
    private Transfer transfer;
    private long moved;
    private OutputStream target;
    private boolean isReadingHead;
    private final Paced paced = new Paced();
    /** Used only by the timer. */
    private long seenHold;
    private long seenMoved;
    private int seconds;

    /** @param thread the thread that reads and writes */
    public Pace(Thread thread) {
        this.thread = thread;
    }

    /** Begins to read the body of a request or to send a response. */
    public void begin(Transfer next) {
        hold++;
        transfer = next;
        moved = 0;
    }

    /** Begins to read the head of a request, until {@link #endHead}. */
    public void beginHead() {
        begin(Transfer.READING_HEAD);
        isReadingHead = true;
        block();
    }

    /** Does nothing if no head is being read. @throws IOException if the client was too slow */
    public void endHead() throws IOException {
        if (isReadingHead) {
            isReadingHead = false;
            moved(0);
        }
    }

    /** Reads or writes once; counts no bytes. @throws IOException also if the client was too slow */
    public void run(PaceStep step) throws IOException {
        block();
        try {
            step.run();
        } finally {
            moved(0);
        }
    }

    /** One read or write. */
    public interface PaceStep {
        void run() throws IOException;
    }

    /** Reads from a client. @throws IOException also if the client was too slow */
    int read(InputStream in, byte[] slice, int from, int length) throws IOException {
        int read = 0;
        block();
        try {
            read = in.read(slice, from, length);
            return read;
        } finally {
            moved(Math.max(0, read));
        }
    }

    /** A stream to the client, valid until the next call. Its writes fail if the client is too slow. */
    public OutputStream to(OutputStream out) {
        target = out;
        return paced;
    }

    private final class Paced extends OutputStream {
        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            block();
            try {
                target.write(bytes, from, length);
            } finally {
                moved(length);
            }
        }

        @Override
        public void flush() throws IOException {
            run(target::flush);
        }
    }

    /** Lets the timer interrupt the thread, until {@link #moved}. */
    private void block() {
        state.set(hold << BITS | BLOCKED);
    }

    /** Counts bytes, and ends what {@link #block} began. @throws IOException if the timer has interrupted the thread, which is undone */
    private void moved(int bytes) throws IOException {
        moved += bytes;
        if (!state.compareAndSet(hold << BITS | BLOCKED, hold << BITS | IDLE)) {
            while (state.get() != (hold << BITS | CUT)) {
                Thread.onSpinWait();
            }
            Thread.interrupted(); // otherwise, it would hit the thread's next request
            state.set(hold << BITS | IDLE);
            throw new IOException("the client was too slow");
        }
    }

    /**
     * Checks the speed; called every second.
     *
     * @param hurry divides the time that the client has, if other clients are waiting for a thread
     * @return the transfer for which the client was too slow; empty if it was fast enough
     */
    public Optional<Transfer> check(int hurry) {
        long seen = state.get();
        if ((seen & MASK) != BLOCKED) {
            return Optional.empty();
        }
        if (seen >> BITS != seenHold) {
            seenHold = seen >> BITS;
            seenMoved = 0;
            seconds = 0;
        }
        Transfer checked = transfer;
        seconds++;
        if (seconds < Math.max(1, checked.seconds / hurry)) {
            return Optional.empty();
        }
        if (moved - seenMoved >= (long) LEAST * seconds) {
            seenMoved = moved;
            seconds = 0;
            return Optional.empty();
        }
        if (!state.compareAndSet(seen, seen & ~MASK | CUTTING)) {
            return Optional.empty();
        }
        thread.interrupt();
        state.set(seen & ~MASK | CUT);
        return Optional.of(checked);
    }
}
