package stet.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import stet.Server;
import stet.core.Log;
import stet.core.Plan;
import stet.core.Refusal;
import stet.files.Seed;
import stet.fixture.AccountDescription;
import stet.fixture.Accounts;
import stet.fixture.Clocks;
import stet.fixture.Expectation;
import stet.fixture.Faults;
import stet.fixture.Fixture;
import stet.fixture.Journal;

/**
 * The test double inside a JVM: the real service on throw-away data and a free port, and its controls.
 *
 * <pre>
 * try (StetFixture server = StetFixture.start(Path.of("src/test/stet"))) {
 *     app.configure(server.baseUrl(), "stet-test-key");
 *     server.faults().add(Fault.status(500).times(2));
 * }
 * </pre>
 *
 * <p>Several run side by side; each has its own data, clocks, faults and journal. All methods may be called by any
 * thread. The same controls are there over HTTP, under {@code /_fixture}.
 */
public final class StetFixture implements AutoCloseable {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress("127.0.0.1", 0);

    private final Fixture fixture;
    private final Server server;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private StetFixture(Fixture fixture, Server server) {
        this.fixture = fixture;
        this.server = server;
    }

    /**
     * Starts a double with the data of a folder, on a free port of the loopback address.
     *
     * @param data one account's folder, or a folder of several
     * @throws Refusal naming the file and the field, when the folder is not what it should be
     */
    public static StetFixture start(Path data) {
        return folder(data).start();
    }

    /** Begins the description of a double with the data of a folder; accounts in code may follow. */
    public static Builder folder(Path data) {
        return new Builder(data);
    }

    /** Begins the description of a double in code. */
    public static Builder account(String email) {
        return new Builder(null).account(email);
    }

    /** The base address for the app under test: {@code http://127.0.0.1:PORT/api/v1}. */
    public URI baseUrl() {
        return URI.create(url() + "/api/v1");
    }

    /** The address of the controls over HTTP and of the web application: {@code http://127.0.0.1:PORT}. */
    public URI url() {
        return server.url();
    }

    /** The address that it listens on, with the real port. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** Its port: for containers and firewalls. */
    public int port() {
        return address().getPort();
    }

    /** Data, clocks, faults and journal as at the start; takes a few milliseconds. */
    public void reset() {
        fixture.reset();
    }

    /**
     * One account as at the start, or as it was added: its data, its clock, its faults, and its requests in the journal.
     *
     * @throws Refusal when it was neither there at the start nor added
     */
    public void reset(String account) {
        fixture.reset(account);
    }

    /**
     * Compares the requests that came with what a test expects.
     *
     * @throws AssertionError with the requests that came instead, the nearest first; where it is {@link Builder#strict}, also with
     *                        those that were no request of the API
     */
    public void verify(Expectation expectation) {
        fixture.journal().verify(expectation);
    }

    /** Where it is {@link Builder#strict}: looks for requests that were none of the API. @throws AssertionError with them */
    public void verify() {
        fixture.journal().verify();
    }

    public Clocks clock() {
        return fixture.clocks();
    }

    public Faults faults() {
        return fixture.faults();
    }

    /** The requests that came, but for those of the controls. */
    public Journal requests() {
        return fixture.journal();
    }

    /** The accounts, with their templates and quotas. */
    public Accounts accounts() {
        return fixture.accounts();
    }

    /** Answers the requests that have come in, and leaves no thread, file or port behind. Closing it again does nothing. */
    @Override
    public void close() {
        if (isClosed.getAndSet(true)) {
            return;
        }
        server.close();
        fixture.close();
    }

    /**
     * A double described in code: one account after the other, each with its keys and templates.
     *
     * <pre>
     * StetFixture.account("pro@example.com").plan(Plan.PRO).key("stet-test-key")
     *         .template("welcome", "Hi {{name}}", "&lt;p&gt;Hello {{name}}&lt;/p&gt;")
     *         .start()
     * </pre>
     *
     * <p>Each method throws {@link Refusal} when a value is not what the format for files allows.
     */
    public static final class Builder {
        private final Path folder;
        private final List<AccountDescription> accounts = new ArrayList<>();
        private AccountDescription account;
        private InetSocketAddress address = LOOPBACK;
        private final Set<String> exposed = new HashSet<>();
        private Instant now;
        private boolean isStrict;
        private boolean isWeb;

        private Builder(Path folder) {
            this.folder = folder;
        }

        /** The next account, on the plan Free unless {@link #plan} says otherwise; the calls that follow are about it. */
        public Builder account(String email) {
            account = new AccountDescription(email);
            accounts.add(account);
            return this;
        }

        /** @param plan {@code FREE}, {@code PRO} or {@code NONE} */
        public Builder plan(Plan plan) {
            account.plan(plan);
            return this;
        }

        /** A key: 8 to 255 characters of {@code A-Za-z0-9-._~+/=}. Its name is "default", "default 2" and so on. */
        public Builder key(String key) {
            account.key(key);
            return this;
        }

        /** A key with a name. */
        public Builder key(String name, String key) {
            account.key(name, key);
            return this;
        }

        public Builder createdAt(Instant createdAt) {
            account.createdAt(createdAt);
            return this;
        }

        /** The start of Pro's months; the account's creation unless set. */
        public Builder billingAnchor(Instant billingAnchor) {
            account.billingAnchor(billingAnchor);
            return this;
        }

        /** Requests that the current period has used already. */
        public Builder used(long requests) {
            account.used(requests);
            return this;
        }

        /** Requests a period, whatever the plan says. */
        public Builder limit(long requests) {
            account.limits(requests, null);
            return this;
        }

        /** A published template; its name is its id. */
        public Builder template(String id, String subject, String html) {
            account.template(id, subject, html);
            return this;
        }

        /** A template that was never published; its name is its id. */
        public Builder draft(String id, String subject, String html) {
            account.draft(id, subject, html);
            return this;
        }

        /** A set of test data of a template, as its authors see it filled in. @param json its document, an object */
        public Builder samples(String id, String name, String json) {
            account.samples(id, name, json);
            return this;
        }

        /** A shared block, which templates include with {@code {{> name}}}. */
        public Builder block(String name, String html) {
            account.block(name, html);
            return this;
        }

        /** The instant at which the common clock stands at the start; otherwise it runs with the machine's. */
        public Builder now(Instant start) {
            now = start;
            return this;
        }

        /** The port of the loopback address; otherwise it is a free one. */
        public Builder port(int port) {
            return listen(new InetSocketAddress("127.0.0.1", port));
        }

        /** The address to listen on; one that other machines reach lets them control it, by that address or by an exposed name. */
        public Builder listen(InetSocketAddress newAddress) {
            address = newAddress;
            if (!address.getAddress().isLoopbackAddress() && !address.getAddress().isAnyLocalAddress()) {
                expose(address.getHostString(), address.getAddress().getHostAddress());
            }
            return this;
        }

        /** Host names by which other machines may reach the controls. */
        public Builder expose(String... hosts) {
            Stream.of(hosts).map(host -> host.toLowerCase(Locale.ROOT)).forEach(exposed::add);
            return this;
        }

        /** Has {@link StetFixture#verify} fail for requests that are none of the API, which are printed on stderr at once. */
        public Builder strict() {
            isStrict = true;
            return this;
        }

        /** Has it serve the web application, too. */
        public Builder web() {
            isWeb = true;
            return this;
        }

        private List<Seed> seeds() throws IOException {
            List<Seed> seeds = new ArrayList<>(folder == null ? List.of() : Seed.read(folder.toAbsolutePath()));
            accounts.forEach(each -> seeds.add(each.seed()));
            return seeds;
        }

        /** Starts it. @throws Refusal when the data are not what they should be, or the address cannot be listened on */
        public StetFixture start() {
            Log log = new Log((level, message) -> System.err.println("stet " + level + " " + message), Clock.systemUTC(), false,
                    Log.Level.WARN);
            Fixture.Settings settings = new Fixture.Settings(now, Set.copyOf(exposed), isWeb, isStrict, false,
                    line -> System.err.println(line), log);
            try {
                Server.setProperties();
                Fixture fixture = Fixture.open(this::seeds, settings);
                try {
                    return new StetFixture(fixture, new Server(address, fixture));
                } catch (RuntimeException refused) {
                    fixture.close();
                    throw refused;
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
