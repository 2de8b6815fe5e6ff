package stet.web;

import java.net.InetAddress;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Log;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Secret;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Hosts;
import stet.http.Request;
import stet.http.Response;
import stet.http.TrustedProxies;
import stet.store.Dao;
import stet.store.Db;
import stet.store.StoreException;
import stet.store.SessionDao;

/**
 * Signing in and out, and the one place where a session is checked.
 *
 * <pre>
 * no account ── set-up link ──► account ── e-mail and password ──► session (cookie) ── idle a day, 30 days, or ended ──► gone
 * </pre>
 */
public final class Sessions {
    private static final Duration IDLE_TIMEOUT = Duration.ofHours(24);
    static final Duration MAX_AGE = Duration.ofDays(30);
    /** Age of a session's last use at which the next use is written. */
    private static final Duration SEEN_INTERVAL = Duration.ofMinutes(1);
    private static final int ID_BYTES = 32;
    /** Stands for the password of an unknown account, so that a sign-in to one takes as long. */
    private static final String NOBODYS_HASH = "pbkdf2-sha512$220000$" + "A".repeat(22) + "==$" + "A".repeat(43) + "=";
    /** Characters of an e-mail address in the log, at most. */
    private static final int MAX_LOGGED_CHARACTERS = 100;

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final URI baseUrl;
    private final TrustedProxies proxies;
    private final SessionCookies cookies;
    private final SignInAttempts attempts = new SignInAttempts();
    private final PasswordQueue passwords;
    private volatile byte[] setUp;

    /**
     * @param baseUrl how browsers reach Stet, without a slash at the end
     * @param proxies that are trusted to tell a client's address
     * @param setUp   the secret of the set-up link, or null where there is no link
     */
    public Sessions(Db db, Clock clock, RandomGenerator random, URI baseUrl, TrustedProxies proxies, String setUp) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.proxies = proxies;
        this.cookies = new SessionCookies(baseUrl, random);
        this.passwords = new PasswordQueue(clock, random);
        this.setUp = setUp == null ? null : Secret.sha256(setUp);
    }

    record SessionJson(String email, String plan, String baseUrl) {
    }

    /** The account of a request's session. @throws Failure.Thrown when the request is not signed in or comes from elsewhere */
    public Account account(Request request) {
        Hosts.check(request, baseUrl);
        Instant now = clock.instant();
        byte[] hash = cookies.sessionHash(request).orElseThrow(this::signedOut);
        SessionDao.Session session = db.read(dao -> dao.sessions().find(hash, now, IDLE_TIMEOUT, MAX_AGE))
                .orElseThrow(this::signedOut);
        if (session.seenAt().plus(SEEN_INTERVAL).isBefore(now)) {
            seen(hash, now);
        }
        return session.account();
    }

    /** Notes the session's use; pages stay readable while the database is not writable. */
    private void seen(byte[] hash, Instant now) {
        try {
            db.writeUncached(dao -> dao.sessions().touch(hash, now));
        } catch (StoreException full) {
            // The next request notes it.
        }
    }

    private Failure.Thrown signedOut() {
        boolean noAccountYet = setUp != null && db.read(dao -> !dao.hasAccounts());
        return (noAccountYet ? Failure.SET_UP_FIRST : Failure.SIGNED_OUT).thrown();
    }

    public Response show(Account account, Request request) {
        return session(account);
    }

    private Answer session(Account account) {
        return Answer.json(Json.write(new SessionJson(account.email(), account.plan().word(), baseUrl.toString())));
    }

    /** Adds the first account for whoever has the set-up link. */
    public Response setUp(Request request) {
        Hosts.check(request, baseUrl);
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        String token = fields.text("token");
        String email = fields.text("email");
        String password = fields.text("password");
        Plan plan = Plan.of(fields.text("plan"));
        fields.end();
        byte[] expected = setUp;
        if (expected == null || !MessageDigest.isEqual(expected, Secret.sha256(token))) {
            throw new Refusal("token", "This set-up link is not valid any more");
        }
        String hash = passwords.hash(0, password, email);
        Instant now = clock.instant();
        String id = newId();
        Account account = db.write(dao -> {
            if (dao.hasAccounts()) {
                throw new Refusal("token", "There is an account already: sign in");
            }
            Account added = dao.addAccount(email, plan, now, now, hash);
            begin(dao, added, request, id);
            return added;
        });
        setUp = null;
        Log.info("account-added", "account", account.email(), "plan", account.plan().word(), "address", TrustedProxies.text(address(request)));
        return cookies.begin(session(account), id, hash);
    }

    public Response signIn(Request request) {
        Hosts.check(request, baseUrl);
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        String email = fields.text("email");
        String password = fields.text("password");
        fields.end();
        InetAddress address = address(request);
        Optional<Account> account = db.read(dao -> dao.account(email));
        Optional<String> hash = account.flatMap(found -> db.read(dao -> dao.password(found.id())));
        SignInAttempts.Attempt attempt = cookies.knownBrowser(request, hash.orElse(NOBODYS_HASH))
                .filter(browser -> hash.isPresent()).map(attempts::ofBrowser)
                .orElseGet(() -> attempts.ofStranger(email, address));
        if (!passwords.matches(attempt, password, hash.orElse(NOBODYS_HASH)) || hash.isEmpty()) {
            Log.warn("sign-in-failed", "address", TrustedProxies.text(address),
                    "email", email.substring(0, Math.min(email.length(), MAX_LOGGED_CHARACTERS)));
            throw wrongPassword();
        }
        String id = newId();
        db.writeUncached(dao -> {
            // The password may have been changed since it was compared; the change ended every session.
            if (!dao.password(account.get().id()).equals(hash)) {
                throw wrongPassword();
            }
            begin(dao, account.get(), request, id);
        });
        Log.info("sign-in", "address", TrustedProxies.text(address), "account", account.get().email());
        return cookies.begin(session(account.get()), id, hash.get());
    }

    private static Refusal wrongPassword() {
        return new Refusal("password", "E-mail or password is wrong");
    }

    public Response changePassword(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        String current = fields.text("current");
        String password = fields.text("password");
        fields.end();
        SignInAttempts.Attempt attempt = attempts.ofSession(account.id(), address(request));
        Optional<String> before = db.read(dao -> dao.password(account.id()));
        if (!passwords.matches(attempt, current, before.orElse(NOBODYS_HASH))) {
            throw notCurrent();
        }
        String hash = passwords.hash(attempt.rank(), password, account.email());
        String id = newId();
        db.writeUncached(dao -> {
            // The operator, or another session, may have changed it since it was compared.
            if (!dao.password(account.id()).equals(before)) {
                throw notCurrent();
            }
            dao.changePassword(account.id(), hash);
            dao.sessions().deleteAll(account.id());
            begin(dao, account, request, id);
        });
        Log.info("password-changed", "account", account.email(), "address", TrustedProxies.text(address(request)));
        return cookies.begin(Answer.none(), id, hash);
    }

    private static Refusal notCurrent() {
        return new Refusal("current", "This is not the current password");
    }

    public Response signOut(Request request) {
        Hosts.check(request, baseUrl);
        cookies.sessionHash(request).ifPresent(hash -> db.writeUncached(dao -> dao.sessions().delete(hash)));
        return cookies.end(Answer.none());
    }

    public Response signOutEverywhere(Account account, Request request) {
        db.writeUncached(dao -> dao.sessions().deleteAll(account.id()));
        Log.info("sessions-ended", "account", account.email(), "address", TrustedProxies.text(address(request)));
        return cookies.end(Answer.none());
    }

    private InetAddress address(Request request) {
        return proxies.client(request.peer(), request.headers("X-Forwarded-For"));
    }

    private String newId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Begins a session under a new id, and ends the one that the request came with. */
    private void begin(Dao dao, Account account, Request request, String id) {
        Instant now = clock.instant();
        dao.sessions().deleteUnusedSince(now.minus(IDLE_TIMEOUT));
        cookies.sessionHash(request).ifPresent(dao.sessions()::delete);
        dao.sessions().add(Secret.sha256(id), account.id(), now);
    }
}
