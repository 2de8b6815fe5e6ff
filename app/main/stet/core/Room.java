package stet.core;

import java.util.concurrent.Semaphore;

/** A semaphore, some of whose permits may be taken without waiting: then there are fewer than none for a while. */
public final class Room extends Semaphore {
    private static final long serialVersionUID = 1;

    public Room(int permits) {
        super(permits);
    }

    /** Takes permits at once, even where there are none. */
    public void take(int permits) {
        reducePermits(permits);
    }
}
