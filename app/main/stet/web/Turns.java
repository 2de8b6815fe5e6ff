package stet.web;

import java.util.Comparator;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Work that takes a whole core, done one at a time so that the others are left to the API. The lowest rank goes next,
 * among equals the first to come; of more than may wait the last in this order is sent away at once.
 */
final class Turns {
    /** Waiting at most. With 0.3 s a turn, each of them has its turn before its patience ends. */
    static final int WAITING = 16;
    /** The longest wait, in s. */
    private static final int PATIENCE = 10;

    private final TreeSet<Turn> waiting = new TreeSet<>(Comparator.comparingDouble(Turn::rank).thenComparingLong(Turn::arrival));
    private boolean busy;
    private long arrivals;

    /** @param given true when it has come, false when it will not */
    private record Turn(double rank, long arrival, CompletableFuture<Boolean> given) {
    }

    /** What came of the work, or nothing when it was not done. */
    <T> Optional<T> run(double rank, Supplier<T> work) {
        if (!await(arrive(rank))) {
            return Optional.empty();
        }
        try {
            return Optional.of(work.get());
        } finally {
            next();
        }
    }

    private synchronized Turn arrive(double rank) {
        Turn turn = new Turn(rank, arrivals++, new CompletableFuture<>());
        if (!busy) {
            busy = true;
            turn.given.complete(true);
            return turn;
        }
        waiting.add(turn);
        if (waiting.size() > WAITING) {
            waiting.pollLast().given.complete(false);
        }
        return turn;
    }

    private boolean await(Turn turn) {
        try {
            return turn.given.get(PATIENCE, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            return !leave(turn);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return !leave(turn);
        } catch (ExecutionException never) {
            throw new IllegalStateException(never);
        }
    }

    /** Whether it was still waiting; else its turn has come at this very moment, or it was sent away. */
    private synchronized boolean leave(Turn turn) {
        return waiting.remove(turn) || !turn.given.join();
    }

    private synchronized void next() {
        Turn turn = waiting.pollFirst();
        busy = turn != null;
        if (busy) {
            turn.given.complete(true);
        }
    }

    /** How many wait, for the tests. */
    synchronized int waiting() {
        return waiting.size();
    }
}
