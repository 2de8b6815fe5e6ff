package stet;

import java.util.Arrays;

/** What a load sees in one window, without an object for each answer; all times in ns. */
final class Samples {
    /** Of each answer, in us. */
    private final int[] delays = new int[4 << 20];
    private int count;
    private long answers;
    private long errors;
    private String first = "";
    private long begin;
    private long last;
    private long end;
    private long gap;
    private long pause;

    void clear(long now) {
        count = 0;
        answers = 0;
        errors = 0;
        first = "";
        begin = now;
        last = now;
        gap = 0;
        pause = 0;
    }

    /** The load's own turn, from one look at what is due to the next. */
    void turn(long time) {
        pause = Math.max(pause, time);
    }

    void answer(long now, long due) {
        answers++;
        late(now - due);
        gap = Math.max(gap, now - last);
        last = now;
    }

    /** One that took at least so long. */
    void late(long delay) {
        if (count < delays.length) {
            delays[count++] = (int) Math.min(Integer.MAX_VALUE, delay / 1_000);
        }
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

    /** @param sync as in the window, in ms */
    Window window(double sync) {
        Arrays.sort(delays, 0, count);
        double p99 = count == 0 ? 0 : delays[(int) Math.ceil(count * 0.99) - 1] / 1e3;
        return new Window(answers, (end - begin) / 1e9, errors, p99, gap / 1e6, pause / 1e6, sync, first);
    }
}
