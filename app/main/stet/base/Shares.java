package stet.base;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts what clients hold, such as temporary files and their bytes, within the limits of each holder. Nothing waits: what exceeds a
 * limit is refused.
 */
public final class Shares {
    /** The sum of a holder without parts; never changed. */
    private static final ShareSum NONE = new ShareSum();

    private final Map<Object, ShareSum> sums = new HashMap<>();

    private static final class ShareSum {
        long number;
        long bytes;
    }

    /**
     * A holder's limit.
     *
     * @param holder for example a user, or all users of an account
     * @param number maximum number of parts
     * @param bytes  maximum total size of the parts
     */
    public record Limit(Object holder, long number, long bytes) {
    }

    /** Takes a part if it fits within all limits. @return null if it does not */
    public synchronized SharePart take(long bytes, List<Limit> limits) {
        return fits(1, bytes, limits) ? takeAnyway(bytes, limits) : null;
    }

    /** Takes a part even if it exceeds the limits. */
    public synchronized SharePart takeAnyway(long bytes, List<Limit> limits) {
        SharePart part = new SharePart(limits);
        part.add(1, bytes);
        return part;
    }

    /** Whether a part without bytes fits within all limits. */
    public synchronized boolean hasRoom(List<Limit> limits) {
        return fits(1, 0, limits);
    }

    private boolean fits(long number, long bytes, List<Limit> limits) {
        for (Limit limit : limits) {
            ShareSum sum = sums.getOrDefault(limit.holder, NONE);
            if (sum.number + number > limit.number || sum.bytes + bytes > limit.bytes) {
                return false;
            }
        }
        return true;
    }

    /** Number of parts that a holder has. */
    public synchronized long held(Object holder) {
        return sums.getOrDefault(holder, NONE).number;
    }

    /** @param part may be null */
    public static void close(SharePart part) {
        if (part != null) {
            part.close();
        }
    }

    /** One client's share, until closed. */
    public final class SharePart implements AutoCloseable {
        private final List<Limit> limits;
        private long number;
        private long bytes;

        private SharePart(List<Limit> limits) {
            this.limits = limits;
        }

        /** Adds bytes if they fit within the limits. @return whether they did */
        public boolean grow(long more) {
            synchronized (Shares.this) {
                if (!fits(0, more, limits)) {
                    return false;
                }
                add(0, more);
                return true;
            }
        }

        private void add(long moreNumber, long moreBytes) {
            number += moreNumber;
            bytes += moreBytes;
            for (Limit limit : limits) {
                ShareSum sum = sums.computeIfAbsent(limit.holder, any -> new ShareSum());
                sum.number += moreNumber;
                sum.bytes += moreBytes;
                if (sum.number == 0) {
                    sums.remove(limit.holder);
                }
            }
        }

        /** Gives the part back; further calls do nothing. */
        @Override
        public void close() {
            synchronized (Shares.this) {
                if (number > 0) {
                    add(-number, -bytes);
                }
            }
        }
    }
}
