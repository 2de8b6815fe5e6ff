package stet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import stet.fixture.RecordedRequest;
import stet.testing.StetExtension;
import stet.testing.StetFixture;

/** Test classes that run in parallel and share a folder's double. */
class ParallelDoublesTest {
    private static final CountDownLatch OTHERS = new CountDownLatch(2);
    private static final List<Thread> THREADS = new CopyOnWriteArrayList<>();

    @Test
    void noTestResetsTheDoubleUnderAnother() {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(First.class), selectClass(Second.class))
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2").build(), listener);
        assertEquals(List.of(), listener.getSummary().getFailures().stream().map(each -> each.getException().toString()).toList());
        assertEquals(2, listener.getSummary().getTestsSucceededCount());
    }

    /** Sends a request, waits until the other test runs or waits for its turn, and checks that the request is recorded. */
    abstract static class Using {
        @RegisterExtension
        static final StetExtension SERVER = StetExtension.of(Doubled.DATA);
        private static volatile int begun;

        Using() {
            THREADS.add(Thread.currentThread());
            OTHERS.countDown();
        }

        @Test
        void findsItsRequest(StetFixture server) throws InterruptedException {
            int order = ++begun;
            new Doubled(server.url()).get(getClass().getSimpleName(), "stet-pro-key");
            OTHERS.await();
            assertTrue(Running.comes(() -> begun > order || order == 2 || isOtherWaiting()));
            check(server);
        }

        @AfterEach
        void stillFindsIt() {
            check(SERVER.fixture());
        }

        private void check(StetFixture server) {
            assertEquals(List.of(getClass().getSimpleName()), server.requests().list().stream().map(RecordedRequest::template).toList());
        }

        private static boolean isOtherWaiting() {
            return THREADS.stream().filter(each -> each != Thread.currentThread()).allMatch(each ->
                    each.getState() == Thread.State.TIMED_WAITING);
        }
    }

    static class First extends Using {
    }

    static class Second extends Using {
    }
}
