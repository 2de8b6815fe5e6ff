package stet;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Work beside the thread that measures; what goes wrong in it goes wrong where it is waited for. */
final class Background {
    private Background() {
    }

    /** Something that may fail. */
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
