package stet.base;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** A value created when it is first needed. Other threads that need it meanwhile wait. */
public final class Lazy<T> implements Supplier<T> {
    private final Supplier<T> creator;
    private final AtomicReference<FutureTask<T>> task = new AtomicReference<>();

    public Lazy(Supplier<T> creator) {
        this.creator = creator;
        task.set(new FutureTask<>(creator::get));
    }

    /** If creating the value fails, throws the failure; the next call tries again. */
    @Override
    public T get() {
        FutureTask<T> current = task.get();
        current.run(); // does nothing if a thread has already called it
        try {
            return current.get();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        } catch (ExecutionException failure) {
            task.compareAndSet(current, new FutureTask<>(creator::get));
            if (failure.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure.getCause(); // a supplier throws no checked exceptions
        }
    }
}
