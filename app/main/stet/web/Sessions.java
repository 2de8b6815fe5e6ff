package stet.web;

import java.net.InetAddress;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.Actor;
import stet.core.Fields;
import stet.core.Json;
import stet.core.Log;
import stet.core.Member;
import stet.core.Person;
import stet.core.Role;
import stet.core.Secret;
import stet.core.UserAgent;
import stet.http.Answer;
import stet.http.AuthHeader;
import stet.http.Failure;
import stet.http.Hosts;
import stet.http.Request;
import stet.http.Response;
import stet.http.TrustedProxies;
import stet.store.Dao;
import stet.store.Db;
import stet.store.FailedSignIns;
import stet.store.PersonDao;
import stet.store.SessionDao;
import stet.store.SessionDao.Source;
import stet.store.StoreException;

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
    private final AuthHeader authHeader;
    final SessionCookies cookies;
    final SignInAttempts attempts = new SignInAttempts();
    private final FailedSignIns failed;
    final PasswordQueue passwords;
    private volatile boolean hasSetUpLink;

    /**
     * @param baseUrl      how browsers reach Stet, without a slash at the end
     * @param proxies      that are trusted to tell a client's address
     * @param hasSetUpLink whether somebody may make the first account
     */
    Sessions(Db db, Clock clock, RandomGenerator random, URI baseUrl, TrustedProxies proxies, AuthHeader authHeader,
             boolean hasSetUpLink) {
        this.db = db;
        this.clock = clock;
        this.random = random;
        this.baseUrl = baseUrl;
        this.proxies = proxies;
        this.authHeader = authHeader;
        this.cookies = new SessionCookies(baseUrl, random);
        this.passwords = new PasswordQueue(clock, random);
        this.failed = new FailedSignIns(db);
        this.hasSetUpLink = hasSetUpLink;
    }

    /**
     * A person who is signed in, and the account in which they work.
     *
     * @param account name of the account; null, as plan and role are, for a person who belongs to none
     */
    record SessionJson(String email, String name, boolean operator, Long id, String account, String plan, String role,
                       List<AccountRow> accounts, String baseUrl) {
    }

    /** One of the accounts that a person belongs to. */
    record AccountRow(long id, String name, String role, boolean suspended) {
    }

    /** The session of a request. @throws Failure.Thrown when the request is not signed in or comes from elsewhere */
    public SessionDao.Session session(Request request) {
        Hosts.check(request, baseUrl);
        Instant now = clock.instant();
        Optional<AuthHeader.Named> named = authHeader.named(request);
        byte[] hash = cookies.sessionHash(request).orElseThrow(() -> signedOut(named));
        SessionDao.Session session = db.read(dao -> dao.sessions().find(hash, now, IDLE_TIMEOUT, MAX_AGE)
                .filter(found -> isOf(named, found, dao))).orElseThrow(() -> signedOut(named));
        if (isUse(request) && session.seenAt().plus(SEEN_INTERVAL).isBefore(now)) {
            seen(hash, request, now);
        }
        return session;
    }

    /** Whether somebody is there: an open page asks by itself for the presence of others. */
    private static boolean isUse(Request request) {
        return !request.path().endsWith("/presence");
    }

    /** Whether a session is that of the person whom the proxy names, if it names one. One begun by a header needs it each time. */
    private static boolean isOf(Optional<AuthHeader.Named> named, SessionDao.Session session, Dao dao) {
        return named.isEmpty() ? session.source() == Source.PASSWORD
                : find(dao, named.get()).filter(person -> person.id() == session.person().id()).isPresent();
    }

    static Optional<Person> find(Dao dao, AuthHeader.Named named) {
        return Optional.ofNullable(named.email()).flatMap(dao.people()::find);
    }

    /** Whether a proxy may name people, by their email address. */
    boolean isByProxy() {
        return authHeader.isOn();
    }

    /** Whether a proxy adds people who are not known yet. */
    boolean isOpenByProxy() {
        return authHeader.role() != null;
    }

    Optional<AuthHeader.Named> named(Request request) {
        return authHeader.named(request);
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
        if (account == null) {
            throw Failure.NO_MEMBER.thrown();
        }
        String seen = request.header(ACCOUNT_HEADER);
        if (seen != null && !seen.equals(Long.toString(account.id()))) {
            throw Failure.ACCOUNT_SWITCHED.thrown();
        }
        if (account.isSuspended()) {
            throw Failure.ACCOUNT_SUSPENDED.thrown();
        }
        if (session.lacksSecondFactor()) {
            throw Failure.SECOND_FACTOR_NEEDED.thrown();
        }
        if (!session.role().includes(role)) {
            throw (role == Role.OWNER ? Failure.OWNERS_ONLY : Failure.EDITORS_ONLY).thrown();
        }
        return new Member(session.person(), account, session.role(), text(request));
    }

    /** Failed sign-ins, to be written from time to time. */
    public FailedSignIns failed() {
        return failed;
    }

    /**
     * The operator that a request comes from.
     *
     * @throws Failure.Thrown when the person is none, or has no second factor although an account of theirs asks for one
     */
    public Actor operator(Request request) {
        SessionDao.Session session = session(request);
        Person person = session.person();
        if (!person.isOperator()) {
            throw Failure.OPERATORS_ONLY.thrown();
        }
        if (session.source() == Source.PASSWORD && db.read(dao -> dao.secondFactors().isLacking(person.id()))) {
            throw Failure.SECOND_FACTOR_NEEDED.thrown();
        }
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

    private Failure.Thrown signedOut(Optional<AuthHeader.Named> named) {
        boolean noAccountYet = hasSetUpLink && db.read(dao -> !dao.accounts().any());
        return (noAccountYet ? Failure.SET_UP_FIRST : named.isPresent() ? Failure.SIGNED_IN_BY_PROXY : Failure.SIGNED_OUT).thrown();
    }

    /** Notes that there is an account now, or that somebody made one before. */
    void endSetUp() {
        hasSetUpLink = false;
    }

    public Response show(SessionDao.Session session, Request request) {
        return shown(session.person(), session.account());
    }

    /** Has the person work in another of their accounts from now on. */
    public Response changeAccount(SessionDao.Session session, Request request) {
        Fields fields = new Fields(request.body(Answer.JSON, Request.MAX_FORM_BYTES));
        long id = fields.number("account");
        fields.end();
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
        String role = memberships.stream().filter(each -> account != null && each.account().id() == account.id())
                .map(each -> each.role().word()).findFirst().orElse(null);
        return Answer.json(Json.write(new SessionJson(person.email(), person.name(), person.isOperator(),
                account == null ? null : account.id(), account == null ? null : account.name(),
                account == null ? null : account.plan().word(), role,
                memberships.stream().map(each -> new AccountRow(each.account().id(), each.account().name(), each.role().word(),
                        each.account().isSuspended())).toList(), baseUrl.toString())));
    }

    /**
     * The account in which a person begins to work: the first one that is not suspended. Null for one who belongs to none, and for
     * an operator, who can resume theirs.
     *
     * @throws Failure.Thrown when all accounts of anybody else are suspended
     */
    static Account firstAccount(Dao dao, Person person) {
        List<PersonDao.Membership> memberships = dao.people().memberships(person.id());
        Optional<Account> first = memberships.stream().map(PersonDao.Membership::account).filter(account -> !account.isSuspended())
                .findFirst();
        if (first.isEmpty() && !memberships.isEmpty() && !person.isOperator()) {
            throw Failure.ACCOUNT_SUSPENDED.thrown();
        }
        return first.orElse(null);
    }

    public Response signOut(Request request) {
        Hosts.check(request, baseUrl);
        cookies.sessionHash(request).ifPresent(hash -> db.writeUncached(dao -> dao.sessions().delete(hash)));
        return cookies.end(Answer.none());
    }

    public Response signOutEverywhere(SessionDao.Session session, Request request) {
        db.writeUncached(dao -> dao.sessions().deleteAll(session.person().id()));
        Log.info("sessions-ended", "email", session.person().email(), "address", text(request));
        return cookies.end(Answer.none());
    }

    // ---- a person's own sessions

    record SessionsJson(List<SessionRow> sessions) {
    }

    /**
     * One of them.
     *
     * @param browser in words, as it names itself
     * @param proxy   whether a proxy signed the person in
     * @param current whether it is the request's own
     */
    record SessionRow(long id, String browser, String address, Instant createdAt, Instant seenAt, boolean proxy, boolean current) {
    }

    public Response list(SessionDao.Session session, Request request) {
        List<SessionDao.Listed> sessions = db.read(dao ->
                dao.sessions().list(session.person().id(), clock.instant(), IDLE_TIMEOUT, MAX_AGE));
        return Answer.json(Json.write(new SessionsJson(sessions.stream().map(each -> new SessionRow(each.id(),
                UserAgent.words(each.browser().userAgent()), each.browser().address(), each.createdAt(), each.seenAt(),
                each.source() == Source.HEADER, each.id() == session.id())).toList())));
    }

    /** Ends one of them, which may be the request's own. */
    public Response end(SessionDao.Session session, Request request) {
        long id = request.id().matches("[0-9]{1,18}") ? Long.parseLong(request.id()) : 0;
        db.writeUncached(dao -> {
            if (!dao.sessions().delete(session.person().id(), id)) {
                throw Failure.NOT_FOUND.thrown();
            }
        });
        Log.info("session-ended", "email", session.person().email(), "address", text(request));
        return id == session.id() ? cookies.end(Answer.none()) : Answer.none();
    }

    // ---- for whatever signs in

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
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Begins a session under a new id, and ends the one that the request came with. */
    void begin(Dao dao, Person person, Account account, Request request, Source source, String id) {
        Instant now = clock.instant();
        dao.sessions().deleteUnusedSince(now.minus(IDLE_TIMEOUT));
        dao.people().deleteRemoved();
        cookies.sessionHash(request).ifPresent(dao.sessions()::delete);
        dao.sessions().add(Secret.sha256(id), person.id(), account == null ? null : account.id(), browser(request), source, now);
    }

    /** The same for a person who came by a password. */
    void begin(Dao dao, Person person, Account account, Request request, String id) {
        begin(dao, person, account, request, Source.PASSWORD, id);
    }
}
