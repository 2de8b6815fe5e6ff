package stet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stet.core.Account;
import stet.core.Plan;
import stet.harness.Running;

/** Which responses wait for others that are being prepared. */
class ResponseCacheTest {
    @AutoClose
    private final Running stet = new Running();
    private final Account slow = stet.account("slow@example.com", Plan.PRO);
    private final Account other = stet.account("other@example.com", Plan.PRO);
    private final ResponseCache cache = new ResponseCache(stet.db, () -> { });

    private void template(Account account, String id, int kilobytes) {
        stet.template(account, id, "x".repeat(kilobytes << 10));
    }

    private int bytes(Account account, String id) {
        return cache.response(account.id(), id, Format.HTML, response -> response.body().length);
    }

    @ParameterizedTest(name = "{0} KB beside {1} KB")
    @CsvSource({"60, 2000", "100, 2000", "256, 257", "256, 2000"})
    void smallerResponsesDoNotWaitForHugeOnes(int kilobytes, int others) throws Exception {
        template(slow, "long", others);
        template(other, "mail", kilobytes);
        CountDownLatch prepared = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> cache.response(slow.id(), "long", Format.HTML, response -> {
            prepared.countDown();
            await(sent);
            return response.body().length;
        }));
        await(prepared);
        CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> bytes(other, "mail"));
        assertEquals(kilobytes << 10, second.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        sent.countDown();
        assertEquals(others << 10, first.get(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
    }
}
