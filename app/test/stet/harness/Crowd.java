package stet.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Threads that start at the same time. */
public final class Crowd {
    private Crowd() {
    }

    /** Runs work on each thread and returns the results; throws the first failure. */
    public static <T> List<T> of(int threads, IntFunction<Callable<T>> work) {
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<T>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Callable<T> one = work.apply(i);
                running.add(executor.submit(() -> {
                    start.await();
                    return one.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> one : running) {
                results.add(one.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
            }
            return results;
        } catch (ExecutionException failure) {
            throw new AssertionError(failure.getCause());
        } catch (Exception failure) {
            throw new AssertionError(failure);
        } finally {
            executor.shutdownNow();
        }
    }
}
