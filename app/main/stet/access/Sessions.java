package stet.access;

import java.net.InetAddress;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import stet.base.Refusal;
import stet.base.Secret;
import stet.base.SystemFailure;
import stet.base.UserAgent;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Owner;
import stet.core.User;
import stet.core.Role;
import stet.dao.Author;
import stet.dao.Dao;
import stet.dao.MailDao;
import stet.dao.SessionDao.SessionSource;
import stet.dao.SessionDao;
import stet.dao.StoreException;
import stet.http.Response;
import stet.http.Failure;
import stet.http.Request;
import stet.sqlite.Db;

/**
 * User sessions. Sessions and their roles are checked only here.
 *
 * <pre>
 * email and password, and a code ({@link SignIn}) ──► session (cookie) ── idle a day, 30 days, or ended ──► gone
 * header of a trusted proxy ({@link AuthHeader}) ────► session (cookie) ── the same, or another header ────► gone
 * </pre>
 */
public final class Sessions {
    static final Duration IDLE_TIMEOUT = Duration.ofHours(24);
    static final Duration MAX_AGE = Duration.ofDays(30);
    /** Minimum time between recorded uses of a session. */
    private static final Duration SEEN_INTERVAL = Duration.ofMinutes(1);
    private static final int ID_BYTES = 32;
    private static final String ACCOUNT_HEADER = "Stet-Account";

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final URI baseUrl;
    private final TrustedProxies proxies;
    public final AuthHeader authHeader;
    final SessionCookies cookies;
    public final SignInAttempts attempts;
    /** Whether Stet sends emails to its users. */
    public final boolean sendsMail;
    /** SHA-256 of the set-up link's secret; null if there is no link or the link was used. */
    private volatile byte[] setUp;

    /**
     * The ways in which users reach this server and sign in.
     *
     * @param baseUrl    Stet's URL for browsers, without a trailing slash
     * @param proxies    proxies trusted to report client addresses
     * @param authHeader header in which a proxy names the user
     * @param setUp      the set-up link's secret, or null if there is no link
     */
    public record SignInSettings(URI baseUrl, TrustedProxies proxies, AuthHeader authHeader, String setUp) {
    }

    /** @param sendsMail whether Stet sends emails to its users */
    public Sessions(Db db, Clock clock, RandomGenerator random, SignInSettings settings, boolean sendsMail) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.baseUrl = settings.baseUrl;
        this.proxies = settings.proxies;
        this.authHeader = settings.authHeader;
        this.cookies = new SessionCookies(baseUrl, random);
        this.attempts = new SignInAttempts(clock, random);
        this.sendsMail = sendsMail;
        this.setUp = settings.setUp == null ? null : Secret.sha256(settings.setUp);
    }

    /**
     * Identifies the sender of a request.
     *
     * @param hash  SHA-256 of the session's ID
     * @param named user named by a trusted proxy, if any
     */
    private record Credentials(byte[] hash, Optional<AuthHeader.ProxyUser> named) {
    }

    /** @throws Failure.Thrown if the request is cross-site or has no session cookie */
    private Credentials credentials(Request request) {
        checkHost(request);
        Optional<AuthHeader.ProxyUser> named = authHeader.named(request);
        byte[] hash = cookies.sessionHash(request).orElseThrow(() -> db.read(dao -> signedOut(dao, named)));
        return new Credentials(hash, named);
    }

    /** Finds the session and records its use. */
    private SessionDao.Session use(Credentials credentials, Request request) {
        SessionDao.Session session = db.read(dao -> session(dao, credentials));
        request.setSender(session.user().email());
        Instant now = clock.instant();
        boolean isUse = !request.path().endsWith("/presence"); // sent automatically by open pages
        if (isUse && session.seenAt().plus(SEEN_INTERVAL).isBefore(now)) {
            recordUse(credentials.hash, request, now);
        }
        return session;
    }

    /** @throws Failure.Thrown if the session has ended or is another user's than the one named by the proxy */
    private SessionDao.Session session(Dao dao, Credentials credentials) {
        return find(dao, credentials.hash).filter(found -> isOf(credentials.named, found, dao))
                .orElseThrow(() -> signedOut(dao, credentials.named));
    }

    private Optional<SessionDao.Session> find(Dao dao, byte[] hash) {
        return dao.sessions().find(hash, clock.instant(), IDLE_TIMEOUT, MAX_AGE);
    }

    /** True if the session belongs to the user named by the proxy or, without a proxy's header, began with a password. */
    private static boolean isOf(Optional<AuthHeader.ProxyUser> named, SessionDao.Session session, Dao dao) {
        return named.isEmpty() ? session.source() == SessionSource.PASSWORD
                : user(dao, named.get()).filter(user -> user.id() == session.user().id()).isPresent();
    }

    /** The user named by a proxy; empty if unknown or without an email address. */
    static Optional<User> user(Dao dao, AuthHeader.ProxyUser named) {
        return Optional.ofNullable(named.email()).flatMap(dao.users()::find);
    }

    // ---- authorization: rights are checked here, and again in each database transaction

    /** The signed-in user who sent a request. The user may belong to no account. @throws Failure.Thrown if not signed in */
    public SignedIn signedIn(Request request) {
        Credentials credentials = credentials(request);
        SessionDao.Session session = use(credentials, request);
        Function<Dao, SessionDao.Session> current = dao -> {
            SessionDao.Session found = session(dao, credentials);
            Failure.SIGNED_OUT.when(found.isUserDeleted());
            return found;
        };
        return new SignedIn(db, new Author(actor(session.user(), request), dao -> actor(current.apply(dao).user(), request)), session, current);
    }

    /**
     * The member who sent a request, after a check of the member's role. The {@code Stet-Account} header is the ID of
     * the account for which the page was loaded, so that a stale page cannot change another account after the user switches accounts.
     *
     * @throws Failure.Thrown if the user may not use the account with this role
     */
    public Member member(Role role, Request request) {
        Credentials credentials = credentials(request);
        SessionDao.Session session = use(credentials, request);
        checkCurrent(session, role, request.header(ACCOUNT_HEADER));
        String account = Long.toString(session.account().id());
        return new Member(db, new Author(actor(session.user(), request),
                dao -> actor(checkCurrent(session(dao, credentials), role, account).user(), request)),
                Owner.user(session.account().id(), session.user().id()), session.user(), session.account(), session.role());
    }

    /**
     * The same user as a member of another account. Each check also rechecks the role in the current account.
     *
     * @throws Failure.Thrown as for {@link #member}
     */
    public Member elsewhere(Member here, long account, Role role, Request request) {
        byte[] hash = credentials(request).hash;
        SessionDao.Session there = db.read(dao -> elsewhere(dao, here, hash, account, role));
        // A copy by an editor may do more than a writer may, so later checks require the editor role as well.
        Role held = role == Role.WRITER && there.role().includes(Role.EDITOR) ? Role.EDITOR : role;
        return new Member(db, new Author(actor(there.user(), request),
                dao -> actor(elsewhere(dao, here, hash, account, held).user(), request)),
                Owner.user(there.account().id(), there.user().id()), there.user(), there.account(), there.role());
    }

    private SessionDao.Session elsewhere(Dao dao, Member here, byte[] hash, long account, Role role) {
        here.check(dao);
        SessionDao.Session there = dao.sessions().find(hash, account, clock.instant(), IDLE_TIMEOUT, MAX_AGE).orElseThrow(Failure.SIGNED_OUT::thrown);
        Failure.NOT_FOUND.when(there.account() == null);
        return check(there, role);
    }

    /** Whether the user may act as an owner in an account, given its ID, as of this transaction. */
    public Predicate<Long> owned(Dao dao, Request request) {
        byte[] hash = credentials(request).hash;
        return account -> dao.sessions().find(hash, account, clock.instant(), IDLE_TIMEOUT, MAX_AGE)
                .filter(there -> failure(there, Role.OWNER).isEmpty()).isPresent();
    }

    /**
     * Like {@link #check}, for the session's current account.
     *
     * @param account ID of the required current account, or null to accept any account
     * @throws Failure.Thrown also if another account is current
     */
    private static SessionDao.Session checkCurrent(SessionDao.Session session, Role role, String account) {
        Failure.NO_MEMBER.when(session.account() == null);
        Failure.ACCOUNT_SWITCHED.unless(account == null || account.equals(Long.toString(session.account().id())));
        return check(session, role);
    }

    /** @return the session @throws Failure.Thrown if its user may not use its account with this role */
    private static SessionDao.Session check(SessionDao.Session session, Role role) {
        failure(session, role).ifPresent(failure -> {
            throw failure.thrown();
        });
        return session;
    }

    /** The reason why a session's user may not use its account with this role; empty if the user may. */
    private static Optional<Failure> failure(SessionDao.Session session, Role role) {
        if (session.account() == null) {
            return Optional.of(Failure.NO_MEMBER);
        }
        if (session.account().isSuspended()) {
            return Optional.of(Failure.ACCOUNT_SUSPENDED);
        }
        if (session.lacksTwoFactor()) {
            return Optional.of(Failure.TWO_FACTOR_NEEDED);
        }
        if (session.role().includes(role)) {
            return Optional.empty();
        }
        return Optional.of(role == Role.OWNER ? Failure.OWNERS_ONLY : Failure.EDITORS_ONLY);
    }

    /**
     * The administrator who sent a request. Two-factor authentication is required if any of the administrator's accounts requires it,
     * unless a proxy started the session.
     *
     * @throws Failure.Thrown if the user is not signed in, is no administrator or lacks two-factor authentication
     */
    public Administrator administrator(Request request) {
        Credentials credentials = credentials(request);
        SessionDao.Session session = use(credentials, request);
        Author author = new Author(actor(session.user(), request),
                dao -> actor(checkAdministrator(dao, session(dao, credentials)), request));
        db.read(author.right());
        return new Administrator(db, author);
    }

    private static User checkAdministrator(Dao dao, SessionDao.Session session) {
        User user = session.user();
        Failure.ADMINISTRATORS_ONLY.unless(user.isAdministrator());
        Failure.TWO_FACTOR_NEEDED.unless(session.source() == SessionSource.HEADER || !dao.twoFactors().isLacking(user.id()));
        return user;
    }

    /**
     * Records a failed sign-in in the activity of the user's accounts. Not synced, and at most three passwords are compared a second, so
     * a flood of attempts hardly delays other writes. If writing fails, only the log contains the attempt.
     *
     * @param user empty if the user is unknown; then an empty transaction is written, so that the response takes equally long
     */
    void recordFailedSignIn(Optional<User> user, String address) {
        try {
            db.writeLater(dao -> user.ifPresent(known ->
                    dao.as(new Actor(null, Actor.UNKNOWN, address)).activity().addFailedSignIn(known, clock.instant())));
        } catch (StoreException | SystemFailure full) {
            // The log contains the attempt.
        }
    }

    Actor actor(User user, Request request) {
        return new Actor(user.id(), user.label(), addressText(request));
    }

    /** Records the session's use. Ignores failures, so that pages stay readable while the database is read-only. */
    private void recordUse(byte[] hash, Request request, Instant now) {
        try {
            db.changeUncached(dao -> dao.sessions().touch(hash, browser(request), now));
        } catch (StoreException full) {
            // The next request will record the use.
        }
    }

    /** Compares the secret of a set-up link in constant time. */
    boolean isSetUpSecret(String token) {
        byte[] expected = setUp;
        return expected != null && MessageDigest.isEqual(expected, Secret.sha256(token));
    }

    /** Invalidates the set-up link; called when the link has been used. */
    void endSetUp() {
        setUp = null;
    }

    /** The failure that tells a page how to sign in. @param named user named by a trusted proxy, if any */
    private Failure.Thrown signedOut(Dao dao, Optional<AuthHeader.ProxyUser> named) {
        boolean noAccountYet = setUp != null && !dao.accounts().any();
        return (noAccountYet ? Failure.SET_UP_FIRST : named.isPresent() ? Failure.SIGNED_IN_BY_PROXY : Failure.SIGNED_OUT).thrown();
    }

    public Response show(SignedIn self, Request request) {
        return response(self.user(), self.account());
    }

    /** Switches the user to another of their accounts. */
    public Response changeAccount(SignedIn self, Request request) {
        long id = request.form(fields -> fields.number("account"));
        long user = self.user().id();
        self.change(dao -> {
            Failure.NO_MEMBER.unless(dao.members().memberships(user).stream().anyMatch(each -> each.account().id() == id));
            dao.sessions().changeAccount(self.session(), id);
        });
        return response(self.user(), db.read(dao -> dao.accounts().find(id)).orElse(null));
    }

    /** Responds with a user's session as pages show it. @param account the current account, or null */
    public Response response(User user, Account account) {
        return Response.json(db.read(dao -> SessionJson.of(dao, user, account, baseUrl, sendsMail)));
    }

    public Response signOut(Request request) {
        checkHost(request);
        cookies.sessionHash(request).ifPresent(hash -> db.changeUncached(dao -> dao.sessions().delete(hash)));
        return cookies.end(Response.none());
    }

    /** @throws Refusal if Stet sends no emails */
    public void checkMail() {
        if (!sendsMail) {
            throw new Refusal("This server sends no emails; ask an administrator to set --smtp");
        }
    }

    /**
     * Counts an email that confirms an address. The count is not part of a transaction, so this is the last step of the email's transaction.
     *
     * @throws Refusal if the address has had too many, whoever claimed to have it
     */
    public void countConfirmation(String email) {
        if (!attempts.countConfirmation(email)) {
            throw MailDao.tooManyConfirmations();
        }
    }

    // ---- shared by all sign-in methods

    /** See {@link Hosts#check}. */
    public void checkHost(Request request) {
        Hosts.check(request, baseUrl);
    }

    /** The client's address, found behind trusted proxies. */
    public InetAddress address(Request request) {
        return proxies.client(request.peer(), request.headers("X-Forwarded-For"));
    }

    /** The client's IP address as logged. */
    public String addressText(Request request) {
        return TrustedProxies.text(address(request));
    }

    private SessionDao.Browser browser(Request request) {
        return new SessionDao.Browser(UserAgent.stored(request.header("User-Agent")), addressText(request));
    }

    /** A new session's ID, which only its cookie contains. */
    String newId() {
        return Secret.newId(random, ID_BYTES);
    }

    /**
     * Begins a session and ends the request's old session. Also deletes expired sessions and users who were kept only for their sessions.
     *
     * @param account current account, or null
     * @param id      from {@link #newId}
     */
    void begin(Dao dao, User user, Account account, Request request, SessionSource source, String id) {
        Instant now = clock.instant();
        dao.sessions().deleteUnusedSince(now.minus(IDLE_TIMEOUT));
        dao.users().removeDeleted();
        cookies.sessionHash(request).ifPresent(dao.sessions()::delete);
        dao.sessions().add(Secret.sha256(id), user.id(), account == null ? null : account.id(), browser(request), source, now);
    }

    /**
     * Responds with a new session and its cookies.
     *
     * @param passwordHash the user's password hash, or null for sign-in by proxy
     */
    Response begun(String id, String passwordHash) {
        SessionDao.Session session = db.read(dao -> find(dao, Secret.sha256(id))).orElseThrow(Failure.SIGNED_OUT::thrown);
        return cookies.begin(response(session.user(), session.account()), id, passwordHash);
    }
}
