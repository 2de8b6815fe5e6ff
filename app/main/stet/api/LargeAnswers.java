package stet.api;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Response;

/**
 * Bounds the memory of the large bodies that are on their way to clients, each one counted once however many clients
 * it goes to. When there is no room, clients that stall are cut off; while there is none, the next one waits.
 */
public final class LargeAnswers {
    /** Bytes of a body that is looked at. */
    static final int LARGE = 64 << 10;
    /** The longest wait for room, in ms. */
    static final long TIMEOUT_MILLIS = 10_000;
    /** Interval between looks for clients that stall, in ms. */
    private static final long LOOK = 100;

    private final long most;
    private final Runnable cutStalled;
    /** Number of connections that each body is being sent to. */
    private final Map<byte[], Integer> bodies = new IdentityHashMap<>();
    private long bytes;

    /** @param most bytes of all bodies together @param cutStalled cuts off clients that have stalled for long */
    public LargeAnswers(long most, Runnable cutStalled) {
        this.most = most;
        this.cutStalled = cutStalled;
    }

    /** Waits for room before the work that makes an answer. @throws Failure.Thrown when there is none for long */
    public void awaitRoom() {
        byte[] any = new byte[0];
        Failure.BUSY.unless(enter(any, TIMEOUT_MILLIS));
        leave(any);
    }

    /** Has an answer take its room while it is sent, also where there is none: its request's work is done. */
    public Response sending(Answer answer) {
        if (answer.body().length < LARGE) {
            return answer;
        }
        add(answer.body());
        return sender -> {
            try {
                sender.accept(answer);
            } finally {
                leave(answer.body());
            }
        };
    }

    /**
     * Takes room for a body; {@link #leave} gives it back.
     *
     * @param timeout in ms
     * @return whether there was room: a body has it when the others leave some, however large it is
     */
    synchronized boolean enter(byte[] body, long timeout) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeout);
        try {
            while (bytes >= most && !bodies.containsKey(body)) {
                cutStalled.run();
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    return false;
                }
                wait(Math.min(LOOK, left));
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
        add(body);
        return true;
    }

    private synchronized void add(byte[] body) {
        if (bodies.merge(body, 1, Integer::sum) == 1) {
            bytes += body.length;
        }
    }

    synchronized void leave(byte[] body) {
        if (bodies.merge(body, -1, (count, one) -> count == 1 ? null : count - 1) == null) {
            bytes -= body.length;
            notifyAll();
        }
    }
}
