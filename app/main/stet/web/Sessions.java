package stet.web;

import java.net.URI;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Password;
import stet.core.Plan;
import stet.core.Refusal;
import stet.core.Secret;
import stet.http.Answer;
import stet.http.Failure;
import stet.http.Request;
import stet.http.Response;
import stet.store.Dao;
import stet.store.Db;
import stet.store.StoreException;
import stet.store.Visits;

/**
 * Who is at the browser: signing in and out, and the one place where a session is checked.
 *
 * <pre>
 * no account ── set-up link ──► account ── e-mail and password ──► session (cookie) ── idle a day, 30 days, or ended ──► gone
 * </pre>
 */
public final class Sessions {
    private static final Duration IDLE = Duration.ofHours(24);
    private static final Duration LASTING = Duration.ofDays(30);
    /** How old a session's last use may be before it is written again. */
    private static final Duration SEEN = Duration.ofMinutes(1);
    private static final int BODY_BYTES = 8 << 10;
    private static final int SESSION_BYTES = 32;
    private static final int LONGEST_EMAIL = 254;
    /** How long a sign-in waits for others' passwords to be hashed, in s. */
    private static final int PATIENCE = 10;
    private static final Set<String> SAFE = Set.of("GET", "HEAD");

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final URI baseUrl;
    private final String cookie;
    private final Throttle perAccount = new Throttle(10, Duration.ofMinutes(1));
    private final Throttle perPeer = new Throttle(30, Duration.ofSeconds(2));
    /** Hashing takes a whole core: one at a time leaves the other to the API. */
    private final Semaphore hashing = new Semaphore(1);
    private final String nobody;
    private volatile byte[] setUp;

    /**
     * @param baseUrl how browsers reach Stet, without a slash at the end
     * @param setUp   what the set-up link carries, or null where there is none
     */
    public Sessions(Db db, Clock clock, RandomGenerator random, URI baseUrl, String setUp) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.setUp = setUp == null ? null : Secret.sha256(setUp);
        // A browser keeps a Secure or __Host- cookie of https only (RFC 6265bis, 4.1.3).
        this.cookie = isSecure() ? "__Host-stet" : "stet";
        this.nobody = "pbkdf2-sha512$220000$" + "A".repeat(22) + "==$" + "A".repeat(43) + "=";
    }

    /** The account of a request's session. @throws Failure.Thrown when the request is not signed in or comes from elsewhere */
    public Account account(Request request) {
        fromHere(request);
        Instant now = clock.instant();
        byte[] hash = hash(request).orElseThrow(this::signedOut);
        Visits.Session session = db.read(dao -> dao.visits().session(hash, now, IDLE, LASTING)).orElseThrow(this::signedOut);
        if (session.seenAt().plus(SEEN).isBefore(now)) {
            seen(hash, now);
        }
        return session.account();
    }

    /** What is looked at can be looked at while nothing can be written; the next request notes it. */
    private void seen(byte[] hash, Instant now) {
        try {
            db.note(dao -> dao.visits().seen(hash, now));
        } catch (StoreException full) {
            // The session is as old as it was.
        }
    }

    private Failure.Thrown signedOut() {
        boolean nobodyYet = setUp != null && db.read(dao -> !dao.hasAccounts());
        return (nobodyYet ? Failure.SET_UP_FIRST : Failure.SIGNED_OUT).thrown();
    }

    /**
     * Refuses what another site's page made the browser send, as Go's net/http CrossOriginProtection does, and a host
     * name that is not Stet's, which a page may have pointed at this machine.
     */
    private void fromHere(Request request) {
        String host = request.header("Host");
        if (host == null || !Hosts.isKnown(host, baseUrl)) {
            throw Failure.UNKNOWN_HOST.thrown();
        }
        if (SAFE.contains(request.method())) {
            return;
        }
        String site = request.header("Sec-Fetch-Site");
        String origin = request.header("Origin");
        boolean here = site != null
                ? site.equals("same-origin") || site.equals("none")
                : origin == null || origin.equals(baseUrl.toString()) || origin.equals("http://" + host) || origin.equals("https://" + host);
        if (!here) {
            throw Failure.CROSS_SITE.thrown();
        }
    }

    public Response show(Account account, Request request) {
        return Answer.json(Json.write(about(account)));
    }

    /** The first account, by whoever has the set-up link. */
    public Response setUp(Request request) {
        fromHere(request);
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String token = fields.text("token");
        String email = fields.text("email");
        String password = fields.text("password");
        Plan plan = Plan.of(fields.text("plan"));
        fields.end();
        byte[] expected = setUp;
        if (expected == null || !MessageDigest.isEqual(expected, Secret.sha256(token))) {
            throw new Refusal("token", "This set-up link is not valid any more");
        }
        String hash = hashed(password, email);
        Instant now = clock.instant();
        Response begun = db.write(dao -> {
            if (dao.hasAccounts()) {
                throw new Refusal("token", "There is an account already: sign in");
            }
            return begin(dao, dao.addAccount(email, plan, now, now, hash), request);
        });
        setUp = null;
        return begun;
    }

    public Response signIn(Request request) {
        fromHere(request);
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String email = fields.text("email");
        String password = fields.text("password");
        fields.end();
        Instant now = clock.instant();
        // A peer that has no tries left uses up none of an account's.
        long wait = perPeer.take(request.peer(), now);
        wait = wait == 0 ? perAccount.take(tried(email), now) : Math.max(wait, perAccount.left(tried(email), now));
        if (wait > 0) {
            return Failure.TOO_MANY_TRIES.answer().with("Retry-After", Long.toString(wait));
        }
        Optional<Account> account = db.read(dao -> dao.account(email));
        Optional<String> hash = account.flatMap(found -> db.read(dao -> dao.password(found.id())));
        // For an unknown account as much is computed, so that the time tells nothing.
        boolean right = matches(password, hash.orElse(nobody)) && hash.isPresent();
        if (!right) {
            throw wrong();
        }
        perAccount.giveBack(tried(email));
        perPeer.giveBack(request.peer());
        return db.write(dao -> {
            // The password may have been changed while this one was looked at; the change ends every session.
            if (!dao.password(account.get().id()).equals(hash)) {
                throw wrong();
            }
            return begin(dao, account.get(), request);
        });
    }

    private static Refusal wrong() {
        return new Refusal("password", "E-mail or password is wrong");
    }

    /** What an e-mail address is remembered by: no longer than one can be. */
    private static String tried(String email) {
        return email.substring(0, Math.min(email.length(), LONGEST_EMAIL)).toLowerCase(Locale.ROOT);
    }

    public Response changePassword(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String current = fields.text("current");
        String password = fields.text("password");
        fields.end();
        long wait = perAccount.take(tried(account.email()), clock.instant());
        if (wait > 0) {
            return Failure.TOO_MANY_TRIES.answer().with("Retry-After", Long.toString(wait));
        }
        String before = db.read(dao -> dao.password(account.id())).orElse(nobody);
        if (!matches(current, before)) {
            throw new Refusal("current", "This is not the current password");
        }
        perAccount.giveBack(tried(account.email()));
        String hash = hashed(password, account.email());
        return db.write(dao -> {
            dao.changePassword(account.id(), hash);
            dao.visits().deleteSessions(account.id());
            return Answer.none().with("Set-Cookie", begin(dao, account, request).headers().getFirst("Set-Cookie"));
        });
    }

    public Response signOut(Request request) {
        fromHere(request);
        hash(request).ifPresent(hash -> db.note(dao -> dao.visits().deleteSession(hash)));
        return ended();
    }

    public Response signOutEverywhere(Account account, Request request) {
        db.note(dao -> dao.visits().deleteSessions(account.id()));
        return ended();
    }

    /** A new session, never one that the browser brought along, which ends. */
    private Answer begin(Dao dao, Account account, Request request) {
        byte[] bytes = new byte[SESSION_BYTES];
        random.nextBytes(bytes);
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        Instant now = clock.instant();
        dao.visits().deleteSessionsBefore(now.minus(IDLE));
        hash(request).ifPresent(dao.visits()::deleteSession);
        dao.visits().addSession(Secret.sha256(id), account.id(), now);
        return Answer.json(Json.write(about(account))).with("Set-Cookie", cookie(id, LASTING));
    }

    private Response ended() {
        return Answer.none().with("Set-Cookie", cookie("", Duration.ZERO));
    }

    private String cookie(String value, Duration age) {
        return cookie + "=" + value + "; Path=/; Max-Age=" + age.toSeconds() + "; HttpOnly; SameSite=Lax"
                + (isSecure() ? "; Secure" : "");
    }

    private boolean isSecure() {
        return "https".equalsIgnoreCase(baseUrl.getScheme());
    }

    private Map<String, Object> about(Account account) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("email", account.email());
        fields.put("plan", account.plan().word());
        fields.put("baseUrl", baseUrl.toString());
        return fields;
    }

    private Optional<byte[]> hash(Request request) {
        return Optional.ofNullable(request.cookie(cookie)).map(Secret::sha256);
    }

    private String hashed(String password, String email) {
        return alone(() -> Password.hash(password, email, random));
    }

    private boolean matches(String password, String hash) {
        return alone(() -> Password.matches(password, hash));
    }

    private <T> T alone(Supplier<T> work) {
        try {
            if (!hashing.tryAcquire(PATIENCE, TimeUnit.SECONDS)) {
                throw Failure.TOO_MANY_TRIES.thrown();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw Failure.TOO_MANY_TRIES.thrown();
        }
        try {
            return work.get();
        } finally {
            hashing.release();
        }
    }
}
