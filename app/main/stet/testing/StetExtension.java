package stet.testing;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The test double in the tests of JUnit 5 and 6: started when it is first needed, reset before each test, and closed at the end
 * of the run. Parameters of the type {@link StetFixture} get it.
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
 * <p>Spring keeps its contexts to the end of the run, so the address stays the same until then. All classes that name the same
 * folder share one double. Tests that share one may run in parallel: each has it to itself, from its reset to the end of the last
 * {@code @AfterEach}, and the others wait.
 */
public final class StetExtension implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {
    private static final Path DATA = Path.of("src/test/stet");
    private static final Namespace NAMESPACE = Namespace.create(StetExtension.class);
    private static final Namespace TURNS = Namespace.create(StetExtension.class, "turns");
    /** For tests that wait for each other: each has two doubles, and uses them in another order. */
    private static final long MAX_WAIT_MINUTES = 10;
    /** Static, because JUnit makes an extension for each class, and {@link #baseUrl} may be called before there is a context. */
    private static final Map<Path, Shared> FOLDERS = new ConcurrentHashMap<>();

    private final Shared shared;

    /**
     * One double, started when it is first asked for, and again after a run has closed it. JUnit before 5.13 closes only the first
     * interface, and JUnit 6 prefers the second.
     */
    @SuppressWarnings("deprecation")
    private static final class Shared implements ExtensionContext.Store.CloseableResource, AutoCloseable {
        private final Supplier<StetFixture> starter;
        /** Held by the test that uses the double. */
        private final ReentrantLock lock = new ReentrantLock(true);
        private StetFixture started;

        Shared(Supplier<StetFixture> starter) {
            this.starter = starter;
        }

        synchronized StetFixture get() {
            if (started == null) {
                started = starter.get();
            }
            return started;
        }

        Turn turn() throws InterruptedException {
            if (!lock.tryLock(MAX_WAIT_MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException("Other tests have used this double for " + MAX_WAIT_MINUTES + " minutes");
            }
            return new Turn(lock);
        }

        @Override
        public synchronized void close() {
            if (started != null) {
                started.close();
                started = null;
            }
        }
    }

    /** The use of a double by one test, which JUnit closes after the test and all that runs after each. */
    @SuppressWarnings("deprecation")
    private record Turn(ReentrantLock lock) implements ExtensionContext.Store.CloseableResource, AutoCloseable {
        @Override
        public void close() {
            lock.unlock();
        }
    }

    /** For {@code @ExtendWith}: the data of the folder {@code src/test/stet}. */
    public StetExtension() {
        this(ofFolder(DATA));
    }

    private StetExtension(Shared shared) {
        this.shared = shared;
    }

    /** For {@code @RegisterExtension}: the double of a folder's data, which all classes that name it share. */
    public static StetExtension of(Path data) {
        return new StetExtension(ofFolder(data));
    }

    /** For {@code @RegisterExtension}: a double of its own, described in code. */
    public static StetExtension of(StetFixture.Builder data) {
        return new StetExtension(new Shared(data::start));
    }

    private static Shared ofFolder(Path data) {
        return FOLDERS.computeIfAbsent(data.toAbsolutePath().normalize(), folder -> new Shared(() -> StetFixture.start(folder)));
    }

    /** The double and its controls; starts it when it is not running yet. @throws stet.core.Refusal when its data are not right */
    public StetFixture fixture() {
        return shared.get();
    }

    /** The base address for the app under test: {@code http://127.0.0.1:PORT/api/v1}. It stays the same for the whole run. */
    public URI baseUrl() {
        return fixture().baseUrl();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        closeWith(context);
    }

    /** Waits for a test that is using the double in another thread. */
    @Override
    public void beforeEach(ExtensionContext context) throws InterruptedException {
        closeWith(context);
        ExtensionContext.Store store = context.getStore(TURNS);
        if (store.get(shared, Turn.class) == null) {
            store.put(shared, shared.turn());
        }
        fixture().reset();
    }

    /** Has the double closed at the end of the run, with the context that lives longest. */
    private void closeWith(ExtensionContext context) {
        ExtensionContext.Store store = context.getRoot().getStore(NAMESPACE);
        synchronized (shared) {
            if (store.get(shared) == null) {
                store.put(shared, shared);
            }
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == StetFixture.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        closeWith(context);
        return fixture();
    }
}
