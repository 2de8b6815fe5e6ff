package stet.base;

import java.net.SocketTimeoutException;
import java.time.Duration;

/** The end of a time limit for work with sockets. @param nanos as {@link System#nanoTime} */
public record Deadline(long nanos) {
    public static Deadline in(Duration timeout) {
        return new Deadline(System.nanoTime() + timeout.toNanos());
    }

    public boolean isPast() {
        return System.nanoTime() - nanos >= 0;
    }

    /** The time left in ms, for a socket's timeout. @throws SocketTimeoutException if less than 1 ms is left */
    public int millisLeft() throws SocketTimeoutException {
        long left = (nanos - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
            throw new SocketTimeoutException("late");
        }
        return (int) left;
    }
}
