package stet.testing;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Runs the test double for JUnit 5 and 6 tests: starts it on first use, resets it before each test and closes it at the end of the test
 * run. Injects the double into parameters of type {@link StetFixture}.
 *
 * <pre>
 * &#64;ExtendWith(StetExtension.class) // the data of src/test/stet
 *
 * &#64;RegisterExtension
 * static final StetExtension server = StetExtension.of(Path.of("src/test/mail"));
 *
 * &#64;RegisterExtension
 * static final StetExtension server = StetExtension.of(StetFixture.account("shop@example.com").key("stet-test-key"));
 *
 * &#64;DynamicPropertySource
 * static void properties(DynamicPropertyRegistry registry) {
 *     registry.add("mail.templates", server::baseUrl);
 * }
 * </pre>
 *
 * <p>The address stays the same for the whole run because Spring caches its contexts. Test classes with the same folder share one double.
 * Tests that share a double may run in parallel: each has exclusive use of the double from its reset until the last {@code @AfterEach},
 * while the others wait. If such tests join fork-join tasks, as parallel streams do, add {@code @ResourceLock("stet")} to their classes.
 * Otherwise, JUnit may run one of them on the thread of another, where it cannot wait and therefore fails.
 */
public final class StetExtension implements BeforeAllCallback, BeforeEachCallback, AfterTestExecutionCallback, ParameterResolver {
    private static final String DATA = "src/test/stet";
    private static final Namespace NAMESPACE = Namespace.create(StetExtension.class);
    private static final Namespace TURNS = Namespace.create(StetExtension.class, "turns");
    /** Maximum wait for a double, which breaks deadlocks between tests that use the same two doubles in opposite orders. */
    private static final long MAX_WAIT_MINUTES = 10;
    /** Static because JUnit creates an extension per class, and {@link #baseUrl} may be called before any context exists. */
    private static final Map<Path, SharedDouble> FOLDERS = new ConcurrentHashMap<>();

    private final SharedDouble given;
    /** Whether a {@link StetTest} annotation determines the folder. */
    private final boolean isDefault;

    /**
     * A double that starts on first use, and restarts on first use after a run has closed it. Implements both interfaces because JUnit
     * before 5.13 closes only {@code CloseableResource}, which later versions deprecate in favor of {@code AutoCloseable}.
     */
    @SuppressWarnings("deprecation")
    private static final class SharedDouble implements ExtensionContext.Store.CloseableResource, AutoCloseable {
        private final Supplier<StetFixture> starter;
        /** Held by the test that uses the double. */
        private final ReentrantLock lock = new ReentrantLock(true);
        private StetFixture started;

        SharedDouble(Supplier<StetFixture> starter) {
            this.starter = starter;
        }

        synchronized StetFixture get() {
            if (started == null) {
                started = starter.get();
            }
            return started;
        }

        /** @param isNested whether this thread has interrupted another test that uses a double and continues only after this test */
        void take(boolean isNested) throws InterruptedException {
            if (isNested && (lock.isHeldByCurrentThread() || !lock.tryLock())) {
                throw new IllegalStateException("JUnit started this test on the thread of a test that is joining a fork-join task and still"
                        + " uses a test double. Add @ResourceLock(\"stet\") to each test class that uses the double");
            }
            if (!isNested && !lock.tryLock(MAX_WAIT_MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException("Timed out after " + MAX_WAIT_MINUTES
                        + " minutes because other tests are still using this test double. If tests join fork-join tasks, add @ResourceLock(\"stet\") to each test class that uses the double");
            }
        }

        @Override
        public synchronized void close() {
            if (started != null) {
                started.close();
                started = null;
            }
        }
    }

    /**
     * A test's exclusive use of a double. JUnit calls {@link #close} after the test and all {@code @AfterEach} methods.
     *
     * @param running the run's tests with a turn, by thread
     * @param beneath the test that this test interrupted on its thread, or null
     */
    @SuppressWarnings("deprecation")
    private record Turn(ReentrantLock lock, ExtensionContext.Store running, String beneath)
            implements ExtensionContext.Store.CloseableResource, AutoCloseable {
        @Override
        public void close() {
            running.remove(Thread.currentThread());
            if (beneath != null) {
                running.put(Thread.currentThread(), beneath);
            }
            lock.unlock();
        }
    }

    /** Uses the data in {@code src/test/stet} or the folder in {@link StetTest}. Called by JUnit for {@code @ExtendWith}. */
    public StetExtension() {
        this(ofFolder(Path.of(DATA)), true);
    }

    private StetExtension(SharedDouble given, boolean isDefault) {
        this.given = given;
        this.isDefault = isDefault;
    }

    /**
     * Uses the data in a folder; for {@code @RegisterExtension}. Test classes with the same folder share one double.
     *
     * @param data one account's folder, or a folder with several accounts' folders
     */
    public static StetExtension of(Path data) {
        return new StetExtension(ofFolder(data), false);
    }

    /**
     * Uses a separate double described in code; for {@code @RegisterExtension}.
     *
     * @param data describes the double's accounts
     */
    public static StetExtension of(StetFixture.Builder data) {
        return new StetExtension(new SharedDouble(data::start), false);
    }

    /** The data folder of a test class or of the classes around it. */
    static String dataOf(Class<?> test) {
        for (Class<?> each = test; each != null; each = each.getEnclosingClass()) {
            Optional<StetTest> annotation = AnnotationSupport.findAnnotation(each, StetTest.class);
            if (annotation.isPresent()) {
                return annotation.get().data();
            }
        }
        return DATA;
    }

    /** The double that test classes with this folder share. */
    static StetFixture fixtureOf(String data) {
        return ofFolder(Path.of(data)).get();
    }

    private SharedDouble shared(ExtensionContext context) {
        return isDefault ? ofFolder(Path.of(dataOf(context.getRequiredTestClass()))) : given;
    }

    private static SharedDouble ofFolder(Path data) {
        return FOLDERS.computeIfAbsent(data.toAbsolutePath().normalize(), folder -> new SharedDouble(() -> StetFixture.start(folder)));
    }

    /**
     * Returns the double, starting it if necessary. A folder in {@link StetTest} does not apply here.
     *
     * @throws stet.base.Refusal if the double must be started and its data is invalid
     */
    public StetFixture fixture() {
        return given.get();
    }

    /**
     * Returns the base URL that the app under test should use, by default {@code http://127.0.0.1:PORT/api/v1}. The address stays the
     * same for the whole run.
     *
     * @throws stet.base.Refusal if the double must be started and its data is invalid
     */
    public URI baseUrl() {
        return fixture().baseUrl();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        closeWith(context, shared(context));
    }

    /** Waits while a test on another thread uses the double, then resets the double. */
    @Override
    public void beforeEach(ExtensionContext context) throws InterruptedException {
        SharedDouble shared = shared(context);
        closeWith(context, shared);
        ExtensionContext.Store store = context.getStore(TURNS);
        if (store.get(shared, Turn.class) == null) {
            store.put(shared, turn(context, shared));
        }
        shared.get().reset();
    }

    /** Prints the latest requests, with reasons, if the test has failed. */
    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            System.err.println("Requests of " + context.getDisplayName() + " to Stet's test double:\n" + shared(context).get().requests().text());
        }
    }

    /** Waits until no other test uses the double. */
    private static Turn turn(ExtensionContext context, SharedDouble shared) throws InterruptedException {
        ExtensionContext.Store running = context.getRoot().getStore(TURNS);
        String beneath = running.get(Thread.currentThread(), String.class);
        shared.take(beneath != null && !beneath.equals(context.getUniqueId()));
        running.put(Thread.currentThread(), context.getUniqueId());
        return new Turn(shared.lock, running, beneath);
    }

    /** Makes JUnit close the double with the root context, at the end of the run. */
    private static void closeWith(ExtensionContext context, SharedDouble shared) {
        context.getRoot().getStore(NAMESPACE).put(shared, shared);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == StetFixture.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        SharedDouble shared = shared(context);
        closeWith(context, shared);
        return shared.get();
    }
}
