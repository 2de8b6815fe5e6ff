package stet.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import stet.fixture.RecordedRequest;
import stet.harness.Doubled;
import stet.harness.Running;

/** Test classes that run in parallel and share a folder's double. */
class ParallelDoublesTest {
    /** Opens when both classes have begun. */
    private static final CountDownLatch OTHERS = new CountDownLatch(2);
    private static final List<Thread> THREADS = new CopyOnWriteArrayList<>();

    @Test
    void noTestResetsTheDoubleUnderAnother() {
        TestExecutionSummary summary = run(2, First.class, Second.class);
        assertEquals(List.of(), failures(summary));
        assertEquals(2, summary.getTestsSucceededCount());
    }

    private static TestExecutionSummary run(int parallelism, Class<?>... classes) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
                .selectors(Stream.of(classes).map(DiscoverySelectors::selectClass).toList())
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.config.executor-service", "fork_join_pool")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", String.valueOf(parallelism)).build(), listener);
        return listener.getSummary();
    }

    private static List<String> failures(TestExecutionSummary summary) {
        return summary.getFailures().stream().map(each -> each.getException().getMessage()).toList();
    }

    /**
     * A test that joins a fork-join task lets its thread run other tests. None of them may use the double meanwhile, and waiting would
     * stop the test beneath.
     */
    @Test
    void aTestOnTheThreadOfAnotherIsRefused() {
        TestExecutionSummary summary = run(1, Interrupted.class);
        String refusal = "JUnit started this test on the thread of a test that is joining a fork-join task and still uses a test double."
                + " Add @ResourceLock(\"stet\") to each test class that uses the double";
        assertEquals(List.of(refusal, refusal), failures(summary));
        assertEquals(1, summary.getTestsSucceededCount());
    }

    /** JUnit postpones tests with the same lock instead of running them on the thread of the test that has the lock. */
    @Test
    void withAResourceLockTestsMayJoinForkJoinTasks() {
        TestExecutionSummary summary = run(1, LockedFirst.class, LockedSecond.class);
        assertEquals(List.of(), failures(summary));
        assertEquals(6, summary.getTestsSucceededCount());
    }

    /** Three tests, each of which leaves its thread to others between two requests. */
    abstract static class Joining {
        @RegisterExtension
        static final StetExtension SERVER = StetExtension.of(Doubled.DATA);

        @Test
        void one(StetFixture server) {
            findsItsRequests(server);
        }

        @Test
        void two(StetFixture server) {
            findsItsRequests(server);
        }

        @Test
        void three(StetFixture server) {
            findsItsRequests(server);
        }

        private void findsItsRequests(StetFixture server) {
            new Doubled(server.url()).get("welcome", "stet-pro-key");
            join();
            new Doubled(server.url()).get("welcome", "stet-pro-key");
            assertEquals(2, server.requests().list().size());
        }

        abstract void join();
    }

    /** Runs the waiting tests at once, as a join may. */
    static class Interrupted extends Joining {
        @Override
        void join() {
            Waiting.run();
        }
    }

    /** A subclass, because only subclasses can reach a thread's tasks. */
    private static final class Waiting extends RecursiveAction {
        private static final long serialVersionUID = 1;

        static void run() {
            for (ForkJoinTask<?> next = pollTask(); next != null; next = pollTask()) {
                next.quietlyInvoke();
            }
        }

        @Override
        protected void compute() {
            throw new UnsupportedOperationException();
        }
    }

    /** Joins a task of another pool that takes until JUnit has tried to start all other tests. */
    abstract static class Locked extends Joining {
        @Override
        void join() {
            ForkJoinPool pool = ForkJoinTask.getPool();
            ForkJoinPool.commonPool().submit(() -> Running.comes(() -> !pool.hasQueuedSubmissions() && pool.getQueuedTaskCount() == 0)).join();
        }
    }

    @ResourceLock("stet")
    static class LockedFirst extends Locked {
    }

    @ResourceLock("stet")
    static class LockedSecond extends Locked {
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
            assertTrue(OTHERS.await(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS));
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
