package stet.web;

import java.net.InetAddress;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.LoggerFactory;
import stet.core.Account;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Password;
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
import stet.store.SessionDao;
import stet.store.StoreException;

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
    /** Passwords that may wait to be hashed: at 0.3 s each, every one has its turn before its patience ends. */
    static final int HASHING = 16;
    /** The mark of a known browser: browsers keep no cookie for longer (RFC 6265bis, 5.5). */
    private static final Duration MARKED = Duration.ofDays(400);
    /** Characters of an e-mail address in the log, at most. */
    private static final int LOGGED = 100;
    private static final String SAFE_IN_LOG = "abcdefghijklmnopqrstuvwxyz0123456789@.-_+";

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final URI baseUrl;
    private final TrustedProxies proxies;
    private final String cookie;
    private final String markCookie;
    private final Tries tries = new Tries();
    private final WorkQueue hashing = new WorkQueue("passwords", Thread.MIN_PRIORITY, HASHING);
    private final String nobody;
    private volatile byte[] setUp;

    /**
     * @param baseUrl how browsers reach Stet, without a slash at the end
     * @param proxies whose word on a client's address is taken
     * @param setUp   what the set-up link carries, or null where there is none
     */
    public Sessions(Db db, Clock clock, RandomGenerator random, URI baseUrl, TrustedProxies proxies, String setUp) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.proxies = proxies;
        this.setUp = setUp == null ? null : Secret.sha256(setUp);
        // A browser keeps a Secure or __Host- cookie of https only (RFC 6265bis, 4.1.3).
        this.cookie = isSecure() ? "__Host-stet" : "stet";
        this.markCookie = cookie + "-known";
        this.nobody = "pbkdf2-sha512$220000$" + "A".repeat(22) + "==$" + "A".repeat(43) + "=";
    }

    /** The account of a request's session. @throws Failure.Thrown when the request is not signed in or comes from elsewhere */
    public Account account(Request request) {
        fromHere(request);
        Instant now = clock.instant();
        byte[] hash = hash(request).orElseThrow(this::signedOut);
        SessionDao.Session session = db.read(dao -> dao.sessions().find(hash, now, IDLE, LASTING)).orElseThrow(this::signedOut);
        if (session.seenAt().plus(SEEN).isBefore(now)) {
            seen(hash, now);
        }
        return session.account();
    }

    /** What is looked at can be looked at while nothing can be written; the next request notes it. */
    private void seen(byte[] hash, Instant now) {
        try {
            db.writeUncached(dao -> dao.sessions().touch(hash, now));
        } catch (StoreException full) {
            // The session is as old as it was.
        }
    }

    private Failure.Thrown signedOut() {
        boolean nobodyYet = setUp != null && db.read(dao -> !dao.hasAccounts());
        return (nobodyYet ? Failure.SET_UP_FIRST : Failure.SIGNED_OUT).thrown();
    }

    private void fromHere(Request request) {
        Hosts.check(request, baseUrl);
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
        String hash = hashed(0, password, email);
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
        return begun(Answer.json(Json.write(about(account))), id, hash);
    }

    public Response signIn(Request request) {
        fromHere(request);
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String email = fields.text("email");
        String password = fields.text("password");
        fields.end();
        InetAddress address = proxies.client(request.peer(), request.headers("X-Forwarded-For"));
        Optional<Account> account = db.read(dao -> dao.account(email));
        Optional<String> hash = account.flatMap(found -> db.read(dao -> dao.password(found.id())));
        // For an unknown account as much is computed, so that the time tells nothing.
        Tries.Try attempt = known(request, hash.orElse(nobody)).filter(browser -> hash.isPresent())
                .map(tries::ofBrowser).orElseGet(() -> tries.ofStranger(email, address));
        long wait = attempt.arrive(clock.instant());
        if (wait > 0) {
            return tooMany(wait);
        }
        if (!matches(attempt, password, hash.orElse(nobody)) || hash.isEmpty()) {
            log(address, email);
            throw wrong();
        }
        attempt.giveBack();
        String id = newId();
        db.writeUncached(dao -> {
            // The password may have been changed while this one was looked at; the change ends every session.
            if (!dao.password(account.get().id()).equals(hash)) {
                throw wrong();
            }
            begin(dao, account.get(), request, id);
        });
        return begun(Answer.json(Json.write(about(account.get()))), id, hash.get());
    }

    private static Refusal wrong() {
        return new Refusal("password", "E-mail or password is wrong");
    }

    /** A line whose wording other programs rely on, fail2ban for one; of the address nothing that could be read as more of it. */
    private static void log(InetAddress address, String email) {
        StringBuilder safe = new StringBuilder();
        email.chars().limit(LOGGED).forEach(letter -> safe.append(letter < 128 && SAFE_IN_LOG.indexOf(Character.toLowerCase(letter)) >= 0
                ? Character.toString(letter) : String.format("\\u%04x", letter)));
        String plain = address.getHostAddress().replaceFirst("%.*", ""); // without the name of a network card
        LoggerFactory.getLogger("stet").warn("sign-in failed address={} email=\"{}\"", plain, safe);
    }

    /** What the browser is known by where it was signed in to the account of this password before. */
    private Optional<String> known(Request request, String hash) {
        return Optional.ofNullable(request.cookie(markCookie)).flatMap(mark -> KnownBrowser.id(mark, hash));
    }

    public Response changePassword(Account account, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, BODY_BYTES));
        String current = fields.text("current");
        String password = fields.text("password");
        fields.end();
        Tries.Try attempt = tries.ofSession(account.id(), proxies.client(request.peer(), request.headers("X-Forwarded-For")));
        long wait = attempt.arrive(clock.instant());
        if (wait > 0) {
            return tooMany(wait);
        }
        Optional<String> before = db.read(dao -> dao.password(account.id()));
        if (!matches(attempt, current, before.orElse(nobody))) {
            throw notCurrent();
        }
        attempt.giveBack();
        String hash = hashed(attempt.rank(), password, account.email());
        String id = newId();
        db.writeUncached(dao -> {
            // The operator, or another session, may have changed it while this one was looked at.
            if (!dao.password(account.id()).equals(before)) {
                throw notCurrent();
            }
            dao.changePassword(account.id(), hash);
            dao.sessions().deleteAll(account.id());
            begin(dao, account, request, id);
        });
        return begun(Answer.none(), id, hash);
    }

    private static Refusal notCurrent() {
        return new Refusal("current", "This is not the current password");
    }

    private static Response tooMany(long seconds) {
        return Failure.TOO_MANY_TRIES.answer().with("Retry-After", Long.toString(seconds));
    }

    /** Looks at a password in its turn. */
    private boolean matches(Tries.Try attempt, String password, String hash) {
        return hashing.run(attempt.rank(), () -> {
            if (!attempt.begin(clock.instant())) {
                throw Failure.TOO_MANY_TRIES.thrown();
            }
            return Password.matches(password, hash);
        }).orElseThrow(() -> {
            attempt.leave();
            return Failure.TOO_MANY_TRIES.thrown();
        });
    }

    private String hashed(double rank, String password, String email) {
        return hashing.run(rank, () -> Password.hash(password, email, random)).orElseThrow(Failure.TOO_MANY_TRIES::thrown);
    }

    public Response signOut(Request request) {
        fromHere(request);
        hash(request).ifPresent(hash -> db.writeUncached(dao -> dao.sessions().delete(hash)));
        return ended();
    }

    public Response signOutEverywhere(Account account, Request request) {
        db.writeUncached(dao -> dao.sessions().deleteAll(account.id()));
        return ended();
    }

    private String newId() {
        byte[] bytes = new byte[SESSION_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** A new session, never one that the browser brought along, which ends. */
    private void begin(Dao dao, Account account, Request request, String id) {
        Instant now = clock.instant();
        dao.sessions().deleteUnusedSince(now.minus(IDLE));
        hash(request).ifPresent(dao.sessions()::delete);
        dao.sessions().add(Secret.sha256(id), account.id(), now);
    }

    /** @param hash the account's password as it is stored */
    private Answer begun(Answer answer, String id, String hash) {
        return answer.with("Set-Cookie", cookie(cookie, id, LASTING), cookie(markCookie, KnownBrowser.mark(hash, random), MARKED));
    }

    private Response ended() {
        return Answer.none().with("Set-Cookie", cookie(cookie, "", Duration.ZERO));
    }

    private String cookie(String name, String value, Duration age) {
        return name + "=" + value + "; Path=/; Max-Age=" + age.toSeconds() + "; HttpOnly; SameSite=Lax"
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
}
