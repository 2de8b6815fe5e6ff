package stet.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import stet.Server;
import stet.core.Draft;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Validation;
import stet.files.AccountFiles;
import stet.files.AccountJson;
import stet.files.Export;
import stet.files.Seed;
import stet.files.Source;
import stet.fixture.Accounts;
import stet.fixture.Clocks;
import stet.fixture.FaultInjector;
import stet.fixture.Fixture;
import stet.fixture.Journal;

/**
 * The test double inside a JVM: the real service on throw-away data and a free port, and its controls.
 *
 * <pre>
 * try (StetFixture stet = StetFixture.start(Path.of("src/test/stet"))) {
 *     app.configure(stet.baseUrl(), "stet-test-key");
 *     stet.faults().add(Fault.status(500).times(2));
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
        return start(data, LOOPBACK);
    }

    /** The same on another address. @throws Refusal also when it cannot be listened on */
    public static StetFixture start(Path data, InetSocketAddress address) {
        try {
            return start(Seed.read(data), address, null);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static StetFixture start(List<Seed> seeds, InetSocketAddress address, Instant now) throws IOException {
        Server.settingsAmongOthers();
        Fixture fixture = Fixture.open(seeds, now, !address.getAddress().isLoopbackAddress());
        try {
            return new StetFixture(fixture, new Server(address, fixture));
        } catch (RuntimeException refused) {
            fixture.close();
            throw refused;
        }
    }

    /** Begins the description of a double in code. */
    public static Builder account(String email) {
        return new Builder().account(email);
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

    /** Data, clocks, faults and journal as at the start; takes a few milliseconds. */
    public void reset() {
        fixture.reset();
    }

    public Clocks clock() {
        return fixture.clocks();
    }

    public FaultInjector faults() {
        return fixture.faults();
    }

    /** The requests that came to the API. */
    public Journal requests() {
        return fixture.journal();
    }

    /** The accounts, with their templates and quotas. */
    public Accounts accounts() {
        return fixture.accounts();
    }

    /** Answers the requests that have come in, and leaves nothing behind: no thread, no file, no port. Closing it again does nothing. */
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
        private final List<Description> accounts = new ArrayList<>();
        private Description account;
        private Instant start;

        private Builder() {
        }

        private static final class Description {
            private final String email;
            private final List<AccountJson.GivenKey> keys = new ArrayList<>();
            private final SortedMap<String, byte[]> files = new TreeMap<>();
            private Plan plan = Plan.FREE;
            private Instant createdAt;
            private Instant billingAnchor;
            private long used;
            private Long requestLimit;

            private Description(String email) {
                this.email = Validation.email(email);
            }

            private Seed seed() {
                return new Seed("", new AccountJson(email, plan, createdAt, billingAnchor, used, null, requestLimit, null,
                        List.copyOf(keys)), AccountFiles.of(Source.of(files)));
            }
        }

        /** The next account, on the plan Free unless {@link #plan} says otherwise; the calls that follow are about it. */
        public Builder account(String email) {
            account = new Description(email);
            accounts.add(account);
            return this;
        }

        public Builder plan(Plan plan) {
            account.plan = plan;
            return this;
        }

        /** A key: 8 to 255 characters of {@code A-Za-z0-9-._~+/=}. Its name is "default", "default 2" and so on. */
        public Builder key(String key) {
            int number = account.keys.size() + 1;
            account.keys.add(new AccountJson.GivenKey(number == 1 ? "default" : "default " + number, Validation.key(key)));
            return this;
        }

        public Builder createdAt(Instant createdAt) {
            account.createdAt = createdAt;
            return this;
        }

        /** The start of Pro's months; the account's creation unless set. */
        public Builder billingAnchor(Instant billingAnchor) {
            account.billingAnchor = billingAnchor;
            return this;
        }

        /** Requests that the current period has used already. */
        public Builder used(long requests) {
            account.used = requests;
            return this;
        }

        /** Requests a period, whatever the plan says. */
        public Builder limit(long requests) {
            account.requestLimit = requests;
            return this;
        }

        /** A published template; its name is its id. */
        public Builder template(String id, String subject, String html) {
            return template(id, subject, html, true);
        }

        /** A template that was never published; its name is its id. */
        public Builder draft(String id, String subject, String html) {
            return template(id, subject, html, false);
        }

        private Builder template(String id, String subject, String html, boolean published) {
            Export.write(new Draft(id, id, subject, Validation.html(html), Map.of()), published, account.files::put);
            return this;
        }

        /** A shared block, which templates include with {@code {{> name}}}. */
        public Builder block(String name, String html) {
            Export.write(Validation.id("name", name), Validation.html(html), account.files::put);
            return this;
        }

        /** The instant at which the common clock stands at the start; otherwise it runs with the machine's. */
        public Builder now(Instant now) {
            start = now;
            return this;
        }

        /** Starts it on a free port of the loopback address. @throws Refusal when the accounts contradict each other */
        public StetFixture start() {
            try {
                return StetFixture.start(accounts.stream().map(Description::seed).toList(), LOOPBACK, start);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
