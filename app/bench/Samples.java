package stet;

import java.util.Arrays;

/** The responses in one window, stored without object allocation; times are in ns. */
final class Samples {
    private final Delays fromDue = new Delays();
    private final Delays fromSent = new Delays();
    private long answers;
    private long errors;
    private String first = "";
    private long begin;
    private long last;
    private long end;
    private long gap;
    private long pause;

    void clear(long now) {
        fromDue.count = 0;
        fromSent.count = 0;
        answers = 0;
        errors = 0;
        first = "";
        begin = now;
        last = now;
        gap = 0;
        pause = 0;
    }

    /** Records an iteration of the load's own loop. */
    void turn(long time) {
        pause = Math.max(pause, time);
    }

    void answer(long now, long due, long sent) {
        answers++;
        fromDue.add(now - due);
        fromSent.add(now - sent);
        gap = Math.max(gap, now - last);
        last = now;
    }

    /** Records a request without a response so far. */
    void late(long delay) {
        fromDue.add(delay);
    }

    void error(String sentence) {
        if (errors++ == 0) {
            first = sentence;
        }
    }

    void end(long now) {
        gap = Math.max(gap, now - last);
        end = now;
    }

    /** @param sync as in {@link Window}, in ms */
    Window window(double sync) {
        return new Window(answers, (end - begin) / 1e9, errors, fromDue.p99(), fromSent.p99(), gap / 1e6, pause / 1e6, sync, first);
    }

    /** Delays in µs. */
    private static final class Delays {
        private final int[] each = new int[4 << 20];
        private int count;

        void add(long delay) {
            if (count < each.length) {
                each[count++] = (int) Math.min(Integer.MAX_VALUE, delay / 1_000);
            }
        }

        /** Returns the 99th percentile in ms. */
        double p99() {
            Arrays.sort(each, 0, count);
            return count == 0 ? 0 : each[(int) Math.ceil(count * 0.99) - 1] / 1e3;
        }
    }
}
