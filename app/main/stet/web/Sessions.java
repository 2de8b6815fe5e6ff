package stet.web;

import java.net.InetAddress;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Member;
import stet.core.Person;
import stet.core.Plan;
import stet.core.Role;
import stet.core.Secret;
import stet.core.UserAgent;
import stet.dao.Dao;
import stet.dao.PersonDao;
import stet.dao.SessionDao;
import stet.dao.SessionDao.Source;
import stet.dao.StoreException;
import stet.http.Answer;
import stet.http.AuthHeader;
import stet.http.Failure;
import stet.http.Hosts;
import stet.http.Request;
import stet.http.Response;
import stet.http.TrustedProxies;
import stet.sqlite.Db;
import stet.sqlite.FailedSignIns;

/**
 * The sessions of people, and the one place where a session and a role are checked.
 *
 * <pre>
 * email and password, and a code ({@link SignIn}) ──► session (cookie) ── idle a day, 30 days, or ended ──► gone
 * header of a trusted proxy ({@link AuthHeader}) ────► session (cookie) ── the same, or another header ────► gone
 * </pre>
 */
public final class Sessions {
    private static final Duration IDLE_TIMEOUT = Duration.ofHours(24);
    static final Duration MAX_AGE = Duration.ofDays(30);
    /** Age of a session's last use at which the next use is written. */
    private static final Duration SEEN_INTERVAL = Duration.ofMinutes(1);
    private static final int ID_BYTES = 32;
    private static final String ACCOUNT_HEADER = "Stet-Account";

    private final Db db;
    private final Clock clock;
    private final RandomGenerator random;
    private final URI baseUrl;
    private final TrustedProxies proxies;
    final AuthHeader authHeader;
    final SessionCookies cookies;
    final SignInAttempts attempts;
    private final FailedSignIns failed;
    /** SHA-256 of the set-up link's secret; null where there is none, or somebody made the first account by it. */
    private volatile byte[] setUp;

    /** As {@link Web#over}. */
    Sessions(Db db, Clock clock, RandomGenerator random, URI baseUrl, TrustedProxies proxies, AuthHeader authHeader,
             String setUp) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.proxies = proxies;
        this.authHeader = authHeader;
        this.cookies = new SessionCookies(baseUrl, random);
        this.attempts = new SignInAttempts(clock, random);
        this.failed = new FailedSignIns(db);
        this.setUp = setUp == null ? null : Secret.sha256(setUp);
    }

    /**
     * A person who is signed in, and the account in which they work.
     *
     * @param account name of the account; null, as plan and role are, for a person who belongs to none
     */
    record SessionJson(String email, String name, boolean operator, Long id, String account, Plan plan, Role role,
                       List<AccountRow> accounts, String baseUrl) {
    }

    /** One of the accounts that a person belongs to. */
    record AccountRow(long id, String name, Role role, boolean suspended) {
    }

    /** The session of a request. @throws Failure.Thrown when the request is not signed in or comes from elsewhere */
    public SessionDao.Session session(Request request) {
        checkHost(request);
        Instant now = clock.instant();
        Optional<AuthHeader.Named> named = authHeader.named(request);
        byte[] hash = cookies.sessionHash(request).orElseThrow(() -> signedOut(named));
        SessionDao.Session session = db.read(dao -> find(dao, hash).filter(found -> isOf(named, found, dao)))
                .orElseThrow(() -> signedOut(named));
        boolean isUse = !request.path().endsWith("/presence"); // which an open page asks for by itself
        if (isUse && session.seenAt().plus(SEEN_INTERVAL).isBefore(now)) {
            seen(hash, request, now);
        }
        return session;
    }

    private Optional<SessionDao.Session> find(Dao dao, byte[] hash) {
        return dao.sessions().find(hash, clock.instant(), IDLE_TIMEOUT, MAX_AGE);
    }

    /** Whether a session is that of the person whom the proxy names, if it names one. One begun by a header needs it each time. */
    private static boolean isOf(Optional<AuthHeader.Named> named, SessionDao.Session session, Dao dao) {
        return named.isEmpty() ? session.source() == Source.PASSWORD
                : find(dao, named.get()).filter(person -> person.id() == session.person().id()).isPresent();
    }

    static Optional<Person> find(Dao dao, AuthHeader.Named named) {
        return Optional.ofNullable(named.email()).flatMap(dao.people()::find);
    }

    /**
     * The member that a request comes from: the one place where a role is checked. The page names its account in the header
     * {@code Stet-Account}, so that a page which was open before a switch changes nothing in the other account.
     *
     * @throws Failure.Thrown when the person does not have this role in the account
     */
    public Member member(Role role, Request request) {
        SessionDao.Session session = session(request);
        Account account = session.account();
        Failure.NO_MEMBER.when(account == null);
        String seen = request.header(ACCOUNT_HEADER);
        Failure.ACCOUNT_SWITCHED.unless(seen == null || seen.equals(Long.toString(account.id())));
        Failure.ACCOUNT_SUSPENDED.when(account.isSuspended());
        Failure.SECOND_FACTOR_NEEDED.when(session.lacksSecondFactor());
        (role == Role.OWNER ? Failure.OWNERS_ONLY : Failure.EDITORS_ONLY).unless(session.role().includes(role));
        return new Member(session.person(), account, session.role(), text(request));
    }

    /** Failed sign-ins, to be written from time to time. */
    public FailedSignIns failed() {
        return failed;
    }

    /** The operator that a request comes from: one with a second factor, where an account of theirs asks for one. */
    public Actor operator(Request request) {
        SessionDao.Session session = session(request);
        Person person = session.person();
        Failure.OPERATORS_ONLY.unless(person.isOperator());
        Failure.SECOND_FACTOR_NEEDED.unless(session.source() == Source.HEADER
                || !db.read(dao -> dao.secondFactors().isLacking(person.id())));
        return actor(person, request);
    }

    Actor actor(Person person, Request request) {
        return new Actor(person.id(), person.label(), text(request));
    }

    /** Notes the session's use; pages stay readable while the database is not writable. */
    private void seen(byte[] hash, Request request, Instant now) {
        try {
            db.writeUncached(dao -> dao.sessions().touch(hash, browser(request), now));
        } catch (StoreException full) {
            // The next request notes it.
        }
    }

    /** Compares the secret of a set-up link, in the same time whether it is right or not. */
    boolean isSetUp(String token) {
        byte[] expected = setUp;
        return expected != null && MessageDigest.isEqual(expected, Secret.sha256(token));
    }

    /** Ends the set-up link: the first account is made. */
    void endSetUp() {
        setUp = null;
    }

    private Failure.Thrown signedOut(Optional<AuthHeader.Named> named) {
        boolean noAccountYet = setUp != null && db.read(dao -> !dao.accounts().any());
        return (noAccountYet ? Failure.SET_UP_FIRST : named.isPresent() ? Failure.SIGNED_IN_BY_PROXY : Failure.SIGNED_OUT).thrown();
    }

    public Response show(SessionDao.Session session, Request request) {
        return shown(session.person(), session.account());
    }

    /** Has the person work in another of their accounts from now on. */
    public Response changeAccount(SessionDao.Session session, Request request) {
        long id = request.form(fields -> fields.number("account"));
        Account account = memberships(session.person()).stream().map(PersonDao.Membership::account).filter(each -> each.id() == id)
                .findFirst().orElseThrow(Failure.NO_MEMBER::thrown);
        db.writeUncached(dao -> dao.sessions().changeAccount(session.id(), id));
        return shown(session.person(), account);
    }

    private List<PersonDao.Membership> memberships(Person person) {
        return db.read(dao -> dao.people().memberships(person.id()));
    }

    /** @param account in which the person works, or null */
    Answer shown(Person person, Account account) {
        List<PersonDao.Membership> memberships = memberships(person);
        Role role = memberships.stream().filter(each -> account != null && each.account().id() == account.id())
                .map(PersonDao.Membership::role).findFirst().orElse(null);
        return Answer.json(new SessionJson(person.email(), person.name(), person.isOperator(),
                account == null ? null : account.id(), account == null ? null : account.name(),
                account == null ? null : account.plan(), role,
                memberships.stream().map(each -> new AccountRow(each.account().id(), each.account().name(), each.role(),
                        each.account().isSuspended())).toList(), baseUrl.toString()));
    }

    public Response signOut(Request request) {
        checkHost(request);
        cookies.sessionHash(request).ifPresent(hash -> db.writeUncached(dao -> dao.sessions().delete(hash)));
        return cookies.end(Answer.none());
    }

    public Response signOutEverywhere(SessionDao.Session session, Request request) {
        db.writeUncached(dao -> dao.sessions().deleteAll(session.person().id()));
        db.log().info("sessions-ended", "email", session.person().email(), "address", text(request));
        return cookies.end(Answer.none());
    }

    // ---- a person's own sessions

    /** @param browser in words. @param proxy whether one signed the person in. @param current whether it is the request's own */
    record SessionRow(long id, String browser, String address, Instant createdAt, Instant seenAt, boolean proxy, boolean current) {
    }

    public Response list(SessionDao.Session session, Request request) {
        List<SessionDao.Listed> sessions = db.read(dao ->
                dao.sessions().list(session.person().id(), clock.instant(), IDLE_TIMEOUT, MAX_AGE));
        return Answer.json(Map.of("sessions", sessions.stream().map(each -> new SessionRow(each.id(),
                UserAgent.words(each.browser().userAgent()), each.browser().address(), each.createdAt(), each.seenAt(),
                each.source() == Source.HEADER, each.id() == session.id())).toList()));
    }

    /** Ends one of them, which may be the request's own. */
    public Response end(SessionDao.Session session, Request request) {
        long id = request.number();
        db.writeUncached(dao -> {
            Failure.NOT_FOUND.unless(dao.sessions().delete(session.person().id(), id));
        });
        db.log().info("session-ended", "email", session.person().email(), "address", text(request));
        return id == session.id() ? cookies.end(Answer.none()) : Answer.none();
    }

    // ---- for whatever signs in

    /** As {@link Hosts#check}. */
    void checkHost(Request request) {
        Hosts.check(request, baseUrl);
    }

    InetAddress address(Request request) {
        return proxies.client(request.peer(), request.headers("X-Forwarded-For"));
    }

    /** The address of a request's client, as it is logged. */
    String text(Request request) {
        return TrustedProxies.text(address(request));
    }

    private SessionDao.Browser browser(Request request) {
        return new SessionDao.Browser(UserAgent.stored(request.header("User-Agent")), text(request));
    }

    String newId() {
        return Secret.newId(random, ID_BYTES);
    }

    /** Begins a session under a new id, and ends the one that the request came with. @param account to work in, or null */
    void begin(Dao dao, Person person, Account account, Request request, Source source, String id) {
        Instant now = clock.instant();
        dao.sessions().deleteUnusedSince(now.minus(IDLE_TIMEOUT));
        dao.people().deleteRemoved();
        cookies.sessionHash(request).ifPresent(dao.sessions()::delete);
        dao.sessions().add(Secret.sha256(id), person.id(), account == null ? null : account.id(), browser(request), source, now);
    }

    /** Shows a session that has begun, with its cookies. @param passwordHash of the person, or null where a proxy named them */
    Answer begun(String id, String passwordHash) {
        SessionDao.Session session = db.read(dao -> find(dao, Secret.sha256(id))).orElseThrow(Failure.SIGNED_OUT::thrown);
        return cookies.begin(shown(session.person(), session.account()), id, passwordHash);
    }
}
