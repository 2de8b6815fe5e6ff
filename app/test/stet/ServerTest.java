package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work that the server does again and again. */
class ServerTest {
    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, OutOfMemoryError.class})
    void workThatFailedIsDoneAgain(Class<? extends Throwable> failure) throws Exception {
        CountDownLatch times = new CountDownLatch(3);
        ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);
        Throwable injected = failure.getConstructor(String.class).newInstance("injected");
        String log = Running.logged(() -> {
            Server.every(Running.newLog(), executor, 1, () -> {
                times.countDown();
                ServerTest.<RuntimeException>fail(injected);
            });
            try {
                assertTrue(times.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            } finally {
                executor.shutdownNow();
            }
        });
        assertTrue(log.contains("injected"), log);
    }

    /** The program answers for a moment after it was told to end, and each answer ends its connection. */
    @Test
    void clientsThatSendOneRequestAfterAnotherHearOfTheEnd() throws Exception {
        try (Running stet = new Running()) {
            Client kept = stet.client();
            assertEquals(null, kept.get("/healthz", null).header("Connection"));
            stet.server.announceEnd();
            Client.Reply last = kept.get("/healthz", null);
            assertEquals("200 close", last.status() + " " + last.header("Connection"));
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void fail(Throwable failure) throws T {
        throw (T) failure;
    }
}
