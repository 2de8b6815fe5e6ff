package stet.core;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** A value created when it is first needed. Other threads that need it meanwhile wait. */
public final class Lazy<T> implements Supplier<T> {
    private final FutureTask<T> task;

    public Lazy(Callable<T> creator) {
        task = new FutureTask<>(creator);
    }

    /** @throws IllegalStateException if creating the value failed, or if the thread was interrupted while waiting */
    @Override
    public T get() {
        task.run(); // does nothing if a thread has already called it
        try {
            return task.get();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure.getCause());
        }
    }
}
