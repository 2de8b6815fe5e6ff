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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import stet.base.Log;
import stet.base.Refusal;
import stet.core.Plan;
import stet.files.Seed;
import stet.fixture.AccountDescription;
import stet.fixture.Accounts;
import stet.fixture.Clocks;
import stet.fixture.Expectation;
import stet.fixture.Faults;
import stet.fixture.Fixture;
import stet.fixture.Journal;
import stet.server.Server;

/**
 * A test double in this JVM: the real service with temporary data, by default on a free port, and its controls.
 *
 * <pre>
 * try (StetFixture server = StetFixture.start(Path.of("src/test/stet"))) {
 *     app.configure(server.baseUrl(), "stet-test-key");
 *     server.faults().add(Fault.status(500).times(2));
 * }
 * </pre>
 *
 * <p>Several doubles can run side by side, each with separate data, clocks, faults and journal. All methods are thread-safe. The same
 * controls are available over HTTP under {@code /_fixture}.
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
     * Starts a double with a folder's data on a free port of the loopback address.
     *
     * @param data one account's folder, or a folder with several accounts' folders
     * @return the running double; close it after use
     * @throws Refusal if the data is invalid; the message names the file and, if known, the field
     */
    public static StetFixture start(Path data) {
        return folder(data).start();
    }

    /**
     * Returns a builder for a double with a folder's data. The builder can add more accounts.
     *
     * @param data one account's folder, or a folder with several accounts' folders
     */
    public static Builder folder(Path data) {
        return new Builder(data);
    }

    /**
     * Returns a builder for a double that is described in code, starting with one account.
     *
     * @param email the account's email address
     * @throws Refusal if the email address is invalid
     */
    public static Builder account(String email) {
        return new Builder(null).account(email);
    }

    /** Returns the base address for the app under test, by default {@code http://127.0.0.1:PORT/api/v1}. */
    public URI baseUrl() {
        return URI.create(url() + "/api/v1");
    }

    /** Returns the address of the HTTP controls and, if served, the web application; by default {@code http://127.0.0.1:PORT}. */
    public URI url() {
        return server.url();
    }

    /** Returns the listening address, with the actual port. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** Returns the port, for example to configure a container or firewall. */
    public int port() {
        return address().getPort();
    }

    /** Restores the initial data, clocks, faults and journal. Sends delayed responses immediately. The call takes a few milliseconds. */
    public void reset() {
        fixture.reset();
    }

    /**
     * Restores an account's data and clock to their state at startup or when it was added, and clears its faults and recorded requests.
     *
     * @param account the account's email address
     * @throws Refusal if the account is unknown, or if another account has one of its keys; nothing is changed
     */
    public void reset(String account) {
        fixture.reset(account);
    }

    /**
     * Compares the recorded requests with an expectation.
     *
     * @throws AssertionError if the expectation is not met (lists the recorded requests, closest matches first), or if a
     *                        {@link Builder#strict} double received requests outside the API (lists these requests)
     * @throws Refusal        if the expectation's account, key or key name is unknown
     */
    public void verify(Expectation expectation) {
        fixture.journal().verify(expectation);
    }

    /**
     * Fails if a {@link Builder#strict} double has received requests outside the API since the last verification.
     *
     * @throws AssertionError listing these requests
     */
    public void verify() {
        fixture.journal().verify();
    }

    public Clocks clock() {
        return fixture.clocks();
    }

    public Faults faults() {
        return fixture.faults();
    }

    /** Returns the recorded requests, except those to the controls. */
    public Journal requests() {
        return fixture.journal();
    }

    /** Returns the accounts with their templates and quotas. */
    public Accounts accounts() {
        return fixture.accounts();
    }

    /**
     * Returns the values of the initial accounts' keys, by name, in the order of the accounts. If the data folder has a subfolder for each
     * account, the names begin with the folder's name and a slash, such as {@code shop/tests}.
     */
    public Map<String, String> keys() {
        return fixture.initialKeys();
    }

    /** Waits up to nine seconds for open requests, then releases threads, files and ports. Closing the double again has no effect. */
    @Override
    public void close() {
        if (isClosed.getAndSet(true)) {
            return;
        }
        server.close();
        fixture.close();
    }

    /**
     * Describes a double in code: one account after another, each with its keys and templates.
     *
     * <pre>
     * StetFixture.account("pro@example.com").plan(Plan.PRO).key("stet-test-key")
     *         .template("welcome", "Hi {{name}}", "&lt;p&gt;Hello {{name}}&lt;/p&gt;")
     *         .start()
     * </pre>
     *
     * <p>The methods throw {@link Refusal} for text that the file format does not allow.
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
        private String imagesUrl;

        private Builder(Path folder) {
            this.folder = folder;
        }

        /** Adds an account. Later calls apply to this account. The default plan is Free. */
        public Builder account(String email) {
            account = new AccountDescription(email);
            accounts.add(account);
            return this;
        }

        private AccountDescription account() {
            if (account == null) {
                throw new IllegalStateException("Call account(EMAIL) first; accounts read from a folder cannot be changed here");
            }
            return account;
        }

        /**
         * Sets the account's plan.
         *
         * @param plan {@code FREE}, {@code PRO} or {@code NONE}
         */
        public Builder plan(Plan plan) {
            account().plan(plan);
            return this;
        }

        /** Adds a key of 8 to 255 characters {@code A-Za-z0-9-._~+/=}, named "default", "default 2" and so on. */
        public Builder key(String key) {
            account().key(key);
            return this;
        }

        /** Adds a named key. */
        public Builder key(String name, String key) {
            account().key(name, key);
            return this;
        }

        /** Sets the account's creation time; the default is the time of the start. */
        public Builder createdAt(Instant createdAt) {
            account().createdAt(createdAt);
            return this;
        }

        /** Sets the instant from which the Pro plan's months are counted; the default is the account's creation time. */
        public Builder billingAnchor(Instant billingAnchor) {
            account().billingAnchor(billingAnchor);
            return this;
        }

        /** Sets the number of requests used in the current period. */
        public Builder used(long requests) {
            account().used(requests);
            return this;
        }

        /** Sets the maximum number of requests per period, overriding the plan's limit. */
        public Builder limit(long requests) {
            account().limits(requests, null);
            return this;
        }

        /** Adds a published template, using its ID as its name. */
        public Builder template(String id, String subject, String html) {
            account().template(id, subject, html);
            return this;
        }

        /** Adds an unpublished template, using its ID as its name. */
        public Builder draft(String id, String subject, String html) {
            account().draft(id, subject, html);
            return this;
        }

        /**
         * Adds a set of test data to a template, for previews.
         *
         * @param id   the template's ID
         * @param name the set's name
         * @param json a JSON object
         */
        public Builder samples(String id, String name, String json) {
            account().samples(id, name, json);
            return this;
        }

        /** Adds a shared block, which templates include with {@code {{> name}}}. */
        public Builder block(String name, String html) {
            account().block(name, html);
            return this;
        }

        /** Stops the shared clock at an instant. By default, the shared clock follows the machine's clock. */
        public Builder now(Instant start) {
            now = start;
            return this;
        }

        /**
         * Sets the port on the loopback address; the default is a free port.
         *
         * @param port 0 for a free port
         */
        public Builder port(int port) {
            return listen(new InetSocketAddress("127.0.0.1", port));
        }

        /**
         * Sets the address to listen on. Other machines can use the controls under this address if it is neither a loopback nor a wildcard
         * address, and under the names given to {@link #expose}.
         *
         * @throws Refusal if the host name is unknown
         */
        public Builder listen(InetSocketAddress newAddress) {
            if (newAddress.isUnresolved()) {
                throw new Refusal("Host " + newAddress.getHostString() + " cannot be resolved; use another name or its address");
            }
            address = newAddress;
            if (!address.getAddress().isLoopbackAddress() && !address.getAddress().isAnyLocalAddress()) {
                expose(address.getHostString(), address.getAddress().getHostAddress());
            }
            return this;
        }

        /**
         * Allows other machines to reach the controls under these host names.
         *
         * @param hosts host names or addresses, without port; an IPv6 address in the form that clients use
         */
        public Builder expose(String... hosts) {
            exposed.addAll(List.of(hosts));
            return this;
        }

        /** Makes verification fail on requests outside the API, and prints these requests to stderr as they arrive. */
        public Builder strict() {
            isStrict = true;
            return this;
        }

        /** Also serves the web application. */
        public Builder web() {
            isWeb = true;
            return this;
        }

        /**
         * Adds an image, which templates include with {@code {{> images/NAME}}}.
         *
         * @param name such as {@code logo.png}
         */
        public Builder image(String name, byte[] file) {
            account().image(name, file);
            return this;
        }

        /** Sets the start of images' addresses; the default is {@code http://127.0.0.1:8080/images}, whatever the double's port is. */
        public Builder imagesUrl(String url) {
            imagesUrl = url;
            return this;
        }

        private List<Seed> seeds() throws IOException {
            List<Seed> seeds = new ArrayList<>(folder == null ? List.of() : Seed.read(folder.toAbsolutePath()));
            accounts.forEach(each -> seeds.add(each.seed()));
            return seeds;
        }

        /**
         * Starts the double.
         *
         * @throws Refusal if the data is invalid or the address is not available
         */
        public StetFixture start() {
            Log log = new Log((level, message) -> System.err.println("stet " + level + " " + message), Clock.systemUTC(), false,
                    Log.LogLevel.WARN);
            Fixture.FixtureSettings settings = new Fixture.FixtureSettings(now, Set.copyOf(exposed), isWeb, imagesUrl,
                    new Fixture.RequestReport(isStrict, false, line -> System.err.println(line)), log);
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
