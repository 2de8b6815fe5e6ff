package stet;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Runs work on another thread; failures are rethrown to the thread that waits. */
final class Background {
    private Background() {
    }

    /** Work that may fail. */
    interface Work {
        void run() throws Exception;
    }

    static CompletableFuture<Void> run(Work work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        }, "background");
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    static void await(CompletableFuture<Void> work) throws Exception {
        try {
            work.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        }
    }
}
