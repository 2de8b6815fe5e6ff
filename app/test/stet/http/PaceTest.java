package stet.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.http.Pace.Transfer;
import stet.harness.Running;

/** The lowest speed, with a client whose every read and write the test controls. */
class PaceTest {
    private final BlockingQueue<Integer> client = new SynchronousQueue<>();
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private volatile Thread thread;
    private volatile Pace pace;

    /** Each read and write blocks until the client moves some bytes; 0 ends it. */
    private int move() throws IOException {
        try {
            return client.take();
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt(); // as InterruptibleChannel does
            throw new IOException("closed");
        }
    }

    private final InputStream in = new InputStream() {
        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] slice, int from, int length) throws IOException {
            int bytes = move();
            return bytes == 0 ? -1 : bytes;
        }
    };

    private final OutputStream out = new OutputStream() {
        @Override
        public void write(int single) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            move();
        }
    };

    private CompletableFuture<Boolean> start(Supplier<Boolean> work) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        thread = new Thread(() -> {
            pace = new Pace(Thread.currentThread());
            try {
                done.complete(work.get());
            } catch (Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        thread.start();
        return done;
    }

    /** Reads until the end. @return false if the client was too slow */
    private boolean read() {
        pace.begin(Transfer.READING);
        byte[] slice = new byte[100_000];
        try {
            while (pace.read(in, slice, 0, slice.length) >= 0) {
                events.add("read");
            }
            return !Thread.currentThread().isInterrupted();
        } catch (IOException slow) {
            assertFalse(Thread.currentThread().isInterrupted(), "an interrupt would hit later work");
            return false;
        }
    }

    private void assertBlocked() {
        assertTrue(Running.comes(() -> thread != null && thread.getState() == Thread.State.WAITING));
    }

    /** @param bytes moved every second */
    @ParameterizedTest
    @CsvSource({"4096, true", "4095, false", "1, false", "100000, true"})
    void aClientMustMove4KiBASecond(int bytes, boolean isFastEnough) throws Exception {
        CompletableFuture<Boolean> done = start(this::read);
        boolean isTooSlow = false;
        for (int second = 0; second < 5 * Transfer.READING.seconds && !isTooSlow; second++) {
            assertBlocked();
            client.put(bytes);
            assertEquals("read", events.take());
            assertBlocked();
            isTooSlow = pace.check(1).isPresent();
        }
        if (!isTooSlow) {
            client.put(0); // the end of the body
        }
        assertEquals(isFastEnough, done.get());
        assertEquals(isFastEnough, !isTooSlow);
    }

    @ParameterizedTest
    @CsvSource({"1, 10", "5, 2"})
    void aStalledClientHasLessTimeWhileOthersWait(int hurry, int seconds) throws Exception {
        CompletableFuture<Boolean> done = start(this::read);
        assertBlocked();
        for (int second = 1; second < seconds; second++) {
            assertEquals(Optional.empty(), pace.check(hurry));
        }
        assertEquals(Optional.of(Transfer.READING), pace.check(hurry));
        assertFalse(done.get());
    }

    /** A thread that waits for something else, such as the disk, is never interrupted, and each request has its own window. */
    @Test
    void onlyTheClientsOwnTimeCounts() throws Exception {
        BlockingQueue<Integer> disk = new SynchronousQueue<>();
        CompletableFuture<Boolean> done = start(() -> {
            try {
                pace.begin(Transfer.READING);
                pace.read(in, new byte[10], 0, 10);
                events.add("read");
                disk.take();
                pace.begin(Transfer.SENDING);
                pace.to(out).write(new byte[10]);
                return true;
            } catch (IOException | InterruptedException failure) {
                throw new IllegalStateException(failure);
            }
        });
        assertBlocked();
        for (int second = 1; second < Transfer.READING.seconds; second++) {
            assertEquals(Optional.empty(), pace.check(1));
        }
        client.put(10);
        assertEquals("read", events.take());
        assertBlocked();
        for (int second = 0; second < 100; second++) {
            assertEquals(Optional.empty(), pace.check(1));
        }
        disk.put(1);
        for (int second = 1; second < Transfer.SENDING.seconds; second++) {
            assertEquals(Optional.empty(), pace.check(1));
        }
        client.put(10);
        assertTrue(done.get());
        assertEquals(Optional.empty(), pace.check(1));
    }

    @Test
    void aSlowReaderFails() throws Exception {
        CompletableFuture<Boolean> done = start(() -> {
            pace.begin(Transfer.SENDING);
            try {
                pace.to(out).write(new byte[10]);
                return true;
            } catch (IOException slow) {
                assertFalse(Thread.currentThread().isInterrupted());
                throw new IllegalStateException(slow);
            }
        });
        assertBlocked();
        for (int second = 1; second < Transfer.SENDING.seconds; second++) {
            assertEquals(Optional.empty(), pace.check(1));
        }
        assertEquals(Optional.of(Transfer.SENDING), pace.check(1));
        assertThrows(ExecutionException.class, done::get);
    }
}
